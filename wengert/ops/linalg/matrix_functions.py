"""Matrix functions: exponential, square root and logarithm.

For an analytic f, f([[a, e], [0, a]]) has f(a) on its diagonal and above it the derivative of f at a
in direction e. So the rules use the function itself, which gives derivatives of every order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import TABLE, op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.joining import concat
from wengert.ops.linalg.matrices import each_matrix, in_front, matrix, transpose_last
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.support.half_precision import widen
from wengert.ops.support.lapack import scipy_linalg
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike


def _derivative(name: str, a: Tensor, along: Tensor) -> Tensor:
    size = dims(a)[-1]
    above = concat([a, along], -1)
    below = concat([zeros_like(a), a], -1)
    result: Tensor = apply(TABLE[name], (concat([above, below], -2),))[..., :size, size:]
    return result


def _function(name: str, kernel: Callable[..., Any]) -> Row:
    return op(
        name,
        kernel,
        vjp=(lambda g, y, a: _derivative(name, transpose_last(a), g),),
        jvp=(lambda t, y, a: _derivative(name, a, t),),
        shape=lambda a: a,
        batch=in_front(name),
        saves="x",
    )


def _expm_kernel(_: Namespace, a: Array) -> Array:
    if not a.size:
        return a.copy()
    return scipy_linalg().expm(widen(a)).astype(a.dtype, copy=False)


def _sqrtm_kernel(_: Namespace, a: Array) -> Array:
    """The principal root; NaN where it is not real though the matrix is, as in TensorFlow."""
    if not a.size:
        return a.copy()
    y = each_matrix(lambda one: (_root(one),), widen(a))[0]
    return y.astype(a.dtype, copy=False)


def _root(a: Array) -> Array:
    root = scipy_linalg().sqrtm(a)
    if root.dtype.kind == "c" and a.dtype.kind != "c":
        # Earlier versions of SciPy compute in complex numbers, and leave imaginary rounding errors.
        noise = 1e3 * np.finfo(root.real.dtype).eps * np.max(np.abs(root), initial=0.0)
        if np.max(np.abs(root.imag), initial=0.0) > noise:
            return np.full_like(a, np.nan)
        root = root.real
    return root.astype(a.dtype, copy=False)


def _logm_kernel(_: Namespace, a: Array) -> Array:
    if not a.size:
        return a.copy()
    logm = scipy_linalg().logm  # in single precision it prints warnings about its accuracy
    return each_matrix(lambda one: (logm(one).astype(a.dtype),), a.astype(np.complex128))[0]


MATRIX_EXPONENTIAL: Row = _function("MatrixExponential", _expm_kernel)
MATRIX_SQUARE_ROOT: Row = _function("MatrixSquareRoot", _sqrtm_kernel)
MATRIX_LOGARITHM: Row = _function("MatrixLogarithm", _logm_kernel)


@deferrable
def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrix exponential: 1 + a + a a / 2 + a a a / 6 + ...

    >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy().tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    result: Tensor = apply(MATRIX_EXPONENTIAL, (matrix(input, "MatrixExponential"),))
    return result


@deferrable
def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrix square root whose eigenvalues have positive real parts (the principal one).

    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().round(4).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    result: Tensor = apply(MATRIX_SQUARE_ROOT, (matrix(input, "MatrixSquareRoot"),))
    return result


@deferrable
def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrix logarithm, whose matrix exponential is the given one; for complex matrices.

    >>> tf.linalg.logm([[1.0 + 0j, 1.0], [0.0, 1.0]]).numpy().real.round(4).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    a = matrix(input, "MatrixLogarithm")
    if not a.dtype.is_complex:
        raise InvalidArgumentError(
            f"Value for attr 'T' of {a.dtype.spoken} is not in the list of allowed values: "
            "complex64, complex128 [Op:MatrixLogarithm]. The logarithm of a real matrix may be "
            "complex: use tf.cast first."
        )
    result: Tensor = apply(MATRIX_LOGARITHM, (a,))
    return result
