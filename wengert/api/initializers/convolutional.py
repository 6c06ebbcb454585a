"""Kernels of convolutions that keep the norm of what they are applied to.

A kernel of two taps is made of a projection P and of I - P, which together keep every norm; the product of such
kernels, as polynomials in the shifts, does so, too. A larger one is the product of several.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

from wengert.api.initializers.sampling import Source, StatefulSource, check_floating, orthogonal
from wengert.ops.arrays.creation import eye, zeros
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import reshape
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_update
from wengert.ops.linalg.matmul import matmul
from wengert.ops.math.arithmetic import add_n
from wengert.ops.math.elementwise import cast
from wengert.values.dtypes import DType, as_dtype, float32
from wengert.values.tensor import Tensor

Kernel = dict[tuple[int, ...], Tensor]  # a matrix for each place


class _Convolutional:
    """What these initializers share: a gain, a seed, a dtype."""

    axes: ClassVar[tuple[int, ...]] = ()

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        self.gain, self.seed = gain, seed
        self.dtype: DType = check_floating(as_dtype(dtype))

    def __call__(
        self, shape: Sequence[int], dtype: Any = None, partition_info: object = None
    ) -> Tensor:
        """The kernel of a convolution: the sizes, then the channels in and out."""
        sizes = [int(n) for n in shape]
        if len(sizes) - 2 not in self.axes:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be of rank "
                f"{' or '.join(str(n + 2) for n in self.axes)}. Received shape={shape}"
            )
        if sizes[-2] > sizes[-1]:
            raise ValueError(
                f"In_filters, specified by shape[-2]={sizes[-2]} cannot be greater than out_filters, "
                f"specified by shape[-1]={sizes[-1]}."
            )
        wanted = self.dtype if dtype is None else as_dtype(dtype)
        return self._kernel(sizes, StatefulSource(self.seed), wanted) * self.gain

    def _kernel(self, shape: list[int], source: Source, dtype: DType) -> Tensor:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


class ConvolutionDeltaOrthogonal(_Convolutional):
    """An orthogonal matrix in the middle of a kernel, zeros around it."""

    axes: ClassVar[tuple[int, ...]] = (1, 2, 3)

    def _kernel(self, shape: list[int], source: Source, dtype: DType) -> Tensor:
        *sizes, channels, filters = shape
        matrix = orthogonal(source, [filters, filters], 1.0, dtype)[:channels]
        middle = [(n - 1) // 2 for n in sizes]
        return tensor_scatter_nd_update(zeros(shape, dtype), [middle], [matrix])


class _Orthogonal(_Convolutional):
    """A kernel of one size on every axis, that keeps the norm of what is applied to it in a circle."""

    def _kernel(self, shape: list[int], source: Source, dtype: DType) -> Tensor:
        *sizes, channels, filters = shape
        if len(set(sizes)) > 1:
            raise ValueError(
                f"Kernel sizes, specified by shape[:-2], must be equal. Received {shape}."
            )
        front = orthogonal(source, [filters, filters], 1.0, dtype)[:channels]
        kernel: Kernel = {(0,) * len(sizes): eye(filters, dtype=dtype)}
        for _ in range(sizes[0] - 1):
            kernel = _product(kernel, _of_two_taps(len(sizes), filters, source, dtype))
        places = itertools.product(*map(range, sizes))
        return reshape(stack([matmul(front, kernel[p]) for p in places]), shape)


class ConvolutionOrthogonal1D(_Orthogonal):
    """A kernel of a convolution along one axis that keeps norms."""

    axes: ClassVar[tuple[int, ...]] = (1,)


class ConvolutionOrthogonal2D(_Orthogonal):
    """A kernel of a convolution over two axes that keeps norms."""

    axes: ClassVar[tuple[int, ...]] = (2,)


class ConvolutionOrthogonal3D(_Orthogonal):
    """A kernel of a convolution over three axes that keeps norms."""

    axes: ClassVar[tuple[int, ...]] = (3,)


def _projection(size: int, source: Source, dtype: DType) -> Tensor:
    """The orthogonal projection on a random subspace."""
    basis = orthogonal(source, [size, size], 1.0, dtype)
    kept = basis * cast(source.normal([size], 0.0, 1.0, dtype) > 0, dtype)
    return matmul(kept, kept, transpose_b=True)


def _of_two_taps(axes: int, size: int, source: Source, dtype: DType) -> Kernel:
    """A kernel of two taps on each axis: a projection, or what it leaves, for each of them."""
    identity = eye(size, dtype=dtype)
    pairs = [(p, identity - p) for p in (_projection(size, source, dtype) for _ in range(axes))]
    kernel: Kernel = {}
    for place in itertools.product((0, 1), repeat=axes):
        matrix = identity
        for pair, tap in zip(pairs, place, strict=True):
            matrix = matmul(matrix, pair[tap])
        kernel[place] = matrix
    return kernel


def _product(a: Kernel, b: Kernel) -> Kernel:
    """The kernel of one convolution after another."""
    terms: dict[tuple[int, ...], list[Tensor]] = {}
    for (p, x), (q, y) in itertools.product(a.items(), b.items()):
        place = tuple(i + j for i, j in zip(p, q, strict=True))
        terms.setdefault(place, []).append(matmul(x, y))
    return {place: add_n(parts) for place, parts in terms.items()}
