"""Circulant operators: convolutions on a circle, a torus, or in three dimensions.

The spectrum is the Fourier transform of the kernel.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from wengert.linear_operators.arguments import as_parameter, common_batch, sizes
from wengert.linear_operators.base import LinearOperator
from wengert.linear_operators.from_elements import hints
from wengert.ops.arrays.shaping import broadcast_to, reshape
from wengert.ops.control import asserts
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.complex import conj, imag, real
from wengert.ops.math.elementwise import cast, log
from wengert.ops.reductions.reductions import reduce_max, reduce_min, reduce_prod, reduce_sum
from wengert.ops.signal.fourier import fftnd, ifftnd
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.tensor import Tensor


def _fourier(x: Any, axis: int, inverse: bool) -> Any:
    """The discrete transform along an axis, counted from the end."""
    return (ifftnd if inverse else fftnd)(x, axes=[axis])


class Circulant(LinearOperator):
    """Shared by circulant operators of all depths."""

    depth: ClassVar[int] = 1

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        if is_square is False:
            raise ValueError("A block circulant operator is always square.")
        self._spectrum = as_parameter(spectrum, "spectrum")
        known = self._spectrum.shape.rank
        if known is not None and known < self.depth:
            raise ValueError(
                f"Argument `spectrum` must have at least {self.depth} dimensions. Received: "
                f"{self._spectrum!r}."
            )
        if is_self_adjoint is False and not self._spectrum.dtype.is_complex:
            raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
        super().__init__(
            as_dtype(input_output_dtype),
            None,
            is_non_singular,
            is_self_adjoint if self._spectrum.dtype.is_complex else True,
            is_positive_definite,
            True,
            name,
            {
                "spectrum": spectrum,
                "input_output_dtype": input_output_dtype,
                "is_self_adjoint": is_self_adjoint,
            },
        )

    @property
    def spectrum(self) -> Any:
        """The Fourier transform of the kernel."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """The number of axes over which it is circulant."""
        return self.depth

    @property
    def block_shape(self) -> Any:
        """The sizes of those axes."""
        return self._spectrum.shape[-self.depth :]

    def block_shape_tensor(self) -> Tensor:
        """The sizes of those axes, as a tensor."""
        return convert(np.int32(self._block()))

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"spectrum": self.depth}

    def _block(self) -> list[int]:
        return sizes(self._spectrum)[-self.depth :]

    def _sizes(self) -> list[Any]:
        size = math.prod(self._block())
        return [*sizes(self._spectrum)[: -self.depth], size, size]

    def _complex_spectrum(self) -> Any:
        kind = dtypes.complex128
        if self.dtype in (dtypes.complex64, dtypes.float32):
            kind = dtypes.complex64
        return cast(self._spectrum, kind)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """The kernel, whose transform is the spectrum."""
        kernel = self._complex_spectrum()
        for axis in range(-self.depth, 0):
            kernel = _fourier(kernel, axis, True)
        return cast(kernel, self.dtype) if self.dtype.is_complex else real(kernel)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        s = self._complex_spectrum()
        return self._filtered(x, conj(s) if adjoint else s)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        s = self._complex_spectrum()
        return self._filtered(rhs, 1.0 / (conj(s) if adjoint else s))

    def _filtered(self, x: Any, s: Any) -> Any:
        """Transform, multiply by the spectrum, and transform back."""
        batch = common_batch(self._sizes()[:-2], sizes(x)[:-2])
        columns = sizes(x)[-1]
        shape = (*batch, *self._block(), columns)
        y = reshape(broadcast_to(x, (*batch, *sizes(x)[-2:])), shape)
        y = cast(y, s.dtype)
        for axis in range(-self.depth - 1, -1):
            y = _fourier(y, axis, False)
        y = y * s[..., None]
        for axis in range(-self.depth - 1, -1):
            y = _fourier(y, axis, True)
        y = reshape(y, (*batch, *sizes(x)[-2:]))
        return cast(y, self.dtype) if self.dtype.is_complex else cast(real(y), self.dtype)

    def _diag_part(self) -> Any:
        *batch, size, _ = self._sizes()
        return broadcast_to(self._mean()[..., None], (*batch, size))

    def _axes(self) -> tuple[int, ...]:
        return tuple(range(-self.depth, 0))

    def _in_dtype(self, x: Any) -> Any:
        x = real(x) if x.dtype.is_complex and not self.dtype.is_complex else x
        return cast(x, self.dtype)

    def _mean(self) -> Any:
        return self._in_dtype(reduce_sum(self._complex_spectrum(), self._axes())) / float(
            math.prod(self._block())
        )

    def _trace(self) -> Any:
        return self._in_dtype(reduce_sum(self._complex_spectrum(), self._axes()))

    def _determinant(self) -> Any:
        return self._in_dtype(reduce_prod(self._complex_spectrum(), self._axes()))

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(absolute(self._complex_spectrum())), self._axes()), self.dtype)

    def _eigvals(self) -> Any:
        *batch, size, _ = self._sizes()
        return reshape(self._in_dtype(self._complex_spectrum()), (*batch, size))

    def _cond(self) -> Any:
        size = absolute(self._complex_spectrum())
        largest, smallest = reduce_max(size, self._axes()), reduce_min(size, self._axes())
        return largest / smallest

    def _other(self, spectrum: Any, **known: Any) -> LinearOperator:
        return type(self)(spectrum, self.dtype, **hints(self, **known))

    def _adjoint(self) -> LinearOperator:
        return self._other(conj(self._complex_spectrum()))

    def _inverse(self) -> LinearOperator:
        return self._other(1.0 / self._spectrum)

    def _times(self, other: LinearOperator) -> LinearOperator:
        if type(other) is type(self) and other.dtype is self.dtype:
            return type(self)(self._complex_spectrum() * other._complex_spectrum(), self.dtype)
        return super()._times(other)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Raise unless the kernel is real."""
        kernel = self._complex_spectrum()
        for axis in self._axes():
            kernel = _fourier(kernel, axis, True)
        limit = 1e3 * float(np.finfo(kernel.dtype.real_dtype.as_numpy_dtype).eps)
        return asserts.assert_near(
            imag(kernel), 0.0, atol=limit, message="Spectrum was not Hermitian"
        )

    def _assert_non_singular(self) -> Any:
        return asserts.assert_positive(
            absolute(self._complex_spectrum()), message="Singular operator: zero in the spectrum."
        )

    def _assert_positive_definite(self) -> Any:
        return asserts.assert_positive(
            real(self._complex_spectrum()), message="Not positive definite: Re(spectrum) <= 0."
        )

    def _assert_self_adjoint(self) -> Any:
        return asserts.assert_equal(
            imag(self._complex_spectrum()),
            0.0,
            message="Not self-adjoint: the spectrum is not real.",
        )


class LinearOperatorCirculant(Circulant):
    """A circulant matrix: each row is the one above, shifted by one place.

    >>> operator = tf.linalg.LinearOperatorCirculant([2.0, 0.0], tf.float32)
    >>> operator.to_dense().numpy().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """


class LinearOperatorCirculant2D(Circulant):
    """A circulant matrix of circulant blocks.

    >>> tf.linalg.LinearOperatorCirculant2D([[1.0, 1.0]]).shape.as_list()
    [2, 2]
    """

    depth = 2


class LinearOperatorCirculant3D(Circulant):
    """A circulant matrix of circulant blocks of circulant blocks.

    >>> tf.linalg.LinearOperatorCirculant3D([[[1.0, 1.0]]]).shape.as_list()
    [2, 2]
    """

    depth = 3
