"""Triangular systems and the Cholesky decomposition."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.linalg.diagonals import band_part, diag_part, set_diag
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import (
    adjoint_array,
    adjoint_of,
    broadcast_batch,
    conjugate_rule,
    each_matrix,
    in_front,
    matrix,
    matrix_and_sides,
)
from wengert.ops.support.half_precision import widen
from wengert.ops.support.lapack import numpy_linalg, scipy_linalg
from wengert.ops.support.large_kernels import cholesky_kernel, triangular_solve_kernel
from wengert.values.bound_ops import bound
from wengert.values.shapes import Dims, shape_text
from wengert.values.sizes import certainly, common_shape
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike, TensorOrDims

# ---- triangular systems -----------------------------------------------------------------------


def _triangular_solve_kernel(
    _: Namespace, a: Array, b: Array, *, lower: bool, adjoint: bool
) -> Array:
    a, sides = widen(a), widen(b)
    if a.shape[-1:] != sides.shape[-2:-1]:  # LAPACK would print a message
        raise InvalidArgumentError(
            f"In[0] and In[1] have different sizes: {shape_text(a.shape)} and {shape_text(sides.shape)} "
            "[Op:MatrixTriangularSolve]"
        )
    is_plain = sides.size and a.diagonal(0, -2, -1).all()  # LAPACK refuses to divide by zero
    found = triangular_solve_kernel(a, sides, lower, adjoint) if is_plain else None
    if found is not None:
        return found.astype(b.dtype, copy=False)
    if is_plain and a.ndim == sides.ndim == 2:
        return np.ascontiguousarray(_by_lapack(a, sides, lower, adjoint)).astype(
            b.dtype, copy=False
        )
    batch = np.broadcast_shapes(a.shape[:-2], sides.shape[:-2])
    if not is_plain or math.prod(batch) > a.shape[-1]:
        x = _substituted(a, np.broadcast_to(sides, (*batch, *sides.shape[-2:])), lower, adjoint)
    else:  # LAPACK is faster for one large matrix, but 100 times slower for 1000 of size 4
        x = each_matrix(lambda a, b: (_by_lapack(a, b, lower, adjoint),), a, sides)[0]
    return x.astype(b.dtype, copy=False)


def _by_lapack(a: Array, b: Array, lower: bool, adjoint: bool) -> Array:
    """LAPACK's solution for one matrix, of which it takes columns: those in memory, if it can.

    For several sides its trtrs is BLAS's trsm, which is called here: OpenBLAS's trtrs wakes every
    thread for a matrix of any size, and 1 µs becomes 10 ms where the processors have other work.
    """
    trans = 2 if adjoint else 0
    if a.flags.c_contiguous and not (adjoint and a.dtype.kind == "c"):
        a, lower, trans = a.T, not lower, int(not adjoint)
    if b.shape[-1] > 1:
        trsm: Any = scipy_linalg().get_blas_funcs("trsm", (a, b))
        return trsm(1.0, a, b, lower=lower, trans_a=trans)
    trtrs: Any = scipy_linalg().get_lapack_funcs("trtrs", (a, b))
    return trtrs(a, b, lower=lower, trans=trans)[0]


def _substituted(a: Array, b: Array, lower: bool, adjoint: bool) -> Array:
    """Substitute row by row, for all matrices of a batch at once."""
    a, lower = (adjoint_array(np, a), not lower) if adjoint else (a, lower)
    x = b.astype(np.result_type(a, b))
    size = x.shape[-2]
    with np.errstate(all="ignore"):
        for i in range(size) if lower else range(size - 1, -1, -1):
            known = slice(0, i) if lower else slice(i + 1, size)
            sum_ = a[..., i : i + 1, known] @ x[..., known, :]
            x[..., i : i + 1, :] = (x[..., i : i + 1, :] - sum_) / a[..., i : i + 1, i : i + 1]
    return x


def triangle(x: Tensor, lower: bool) -> Tensor:
    """The triangle of a matrix that is read."""
    return band_part(x, -1, 0) if lower else band_part(x, 0, -1)


def _rule_of_matrix(
    g: Tensor, x: Tensor, a: Tensor, b: Tensor, *, lower: bool, adjoint: bool
) -> Tensor:
    pulled = _solved(a, g, lower, not adjoint)
    full = matmul(x, pulled, adjoint_b=True) if adjoint else matmul(pulled, x, adjoint_b=True)
    return bound.sum_to(-triangle(full, lower), dims(a))


def _rule_of_sides(
    g: Tensor, x: Tensor, a: Tensor, b: Tensor, *, lower: bool, adjoint: bool
) -> Tensor:
    return bound.sum_to(_solved(a, g, lower, not adjoint), dims(b))


def _solved(a: Tensor, b: Tensor, lower: bool, adjoint: bool) -> Tensor:
    """The solution of a system whose sizes fit."""
    attrs = {"lower": lower, "adjoint": adjoint}
    result: Tensor = apply(MATRIX_TRIANGULAR_SOLVE, (a, b), attrs)
    return result


MATRIX_TRIANGULAR_SOLVE: Row = op(
    "MatrixTriangularSolve",
    _triangular_solve_kernel,
    vjp=(conjugate_rule(_rule_of_matrix), conjugate_rule(_rule_of_sides)),
    shape=lambda a, b, *, lower, adjoint: _broadcast_sides(a, b),
    batch=broadcast_batch("MatrixTriangularSolve"),
)


def _broadcast_sides(a: Dims, b: Dims) -> Dims:
    return (*common_shape((a[:-2], b[:-2]), "MatrixTriangularSolve"), *b[-2:])


@deferrable
def triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solve a x = rhs for a triangular matrix; the other triangle of a is not read.

    >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy().tolist()
    [[1.0], [2.0]]
    """
    a, b = matrix_and_sides(matrix, rhs, "MatrixTriangularSolve")
    if certainly(dims(a)[-1] != dims(b)[-2]):
        raise InvalidArgumentError(
            f"In[0] mismatch In[1] shape: {dims(a)[-1]} vs. {dims(b)[-2]}: {shape_text(dims(a))} "
            f"{shape_text(dims(b))} [Op:MatrixTriangularSolve]"
        )
    return _solved(a, b, bool(lower), bool(adjoint))


# ---- the Cholesky factor ----------------------------------------------------------------------


def _cholesky_kernel(_: Namespace, a: Array) -> Array:
    """Reads the lower triangle. Matrices that are not positive definite give NaN."""
    wide = widen(a)
    try:
        found = cholesky_kernel(wide)
        y = numpy_linalg().cholesky(wide) if found is None else found
    except np.linalg.LinAlgError:
        y = each_matrix(_cholesky_or_nan, wide)[0] if a.ndim > 2 else _cholesky_or_nan(wide)[0]
    return y.astype(a.dtype, copy=False)


def _cholesky_or_nan(a: Array) -> tuple[Any]:
    try:
        return (numpy_linalg().cholesky(a),)
    except np.linalg.LinAlgError:
        return (np.tril(np.full(a.shape, np.nan, a.dtype)),)


def lower_with_half_diagonal(x: Tensor) -> Tensor:
    """The lower triangle, with half the diagonal."""
    lower = band_part(x, -1, 0)
    return set_diag(lower, diag_part(lower) * 0.5)


def _cholesky_rule(g: Tensor, y: Tensor, a: TensorOrDims) -> Tensor:
    """l^-H (lower half of l^H g) l^-1, made Hermitian, as TensorFlow does it.

    That is the gradient for inputs that are Hermitian and stay so.
    """
    middle = lower_with_half_diagonal(matmul(y, g, adjoint_a=True))
    pulled = _solved(y, adjoint_of(_solved(y, middle, True, True)), True, True)
    return (pulled + adjoint_of(pulled)) * 0.5


CHOLESKY: Row = op(
    "Cholesky",
    _cholesky_kernel,
    vjp=(conjugate_rule(_cholesky_rule),),
    shape=lambda a: a,
    batch=in_front("Cholesky"),
    saves="y",
)


@deferrable
def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """Cholesky decomposition a = l l^H of a Hermitian positive definite matrix, l lower triangular.

    Only the lower triangle is read. A matrix that is not positive definite gives NaN.

    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 10.0]]).numpy().tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    result: Tensor = apply(CHOLESKY, (matrix(input, "Cholesky"),))
    return result


@deferrable
def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """Solve a x = rhs, given the Cholesky factor of a.

    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [1.0, 3.0]], [[6.0], [12.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    a, b = matrix_and_sides(chol, rhs, "MatrixTriangularSolve")
    return triangular_solve(a, triangular_solve(a, b), adjoint=True)


# ---- banded triangular matrices ---------------------------------------------------------------
#
# Row k of the bands is the diagonal k below the main one if lower, and K - 1 - k above it
# otherwise. Its element i is in row i of the matrix.


def _banded_solve_kernel(
    _: Namespace, bands: Array, b: Array, *, lower: bool, adjoint: bool
) -> Array:
    a, sides = _full_from_bands(widen(bands), lower), widen(b)
    if np.any(np.diagonal(a, axis1=-2, axis2=-1) == 0):
        raise InvalidArgumentError("Input matrix is not invertible. [Op:BandedTriangularSolve]")
    return _triangular_solve_kernel(np, a, sides, lower=lower, adjoint=adjoint).astype(b.dtype)


def _full_from_bands(bands: Array, lower: bool) -> Array:
    count, size = bands.shape[-2:]
    a = np.zeros((*bands.shape[:-2], size, size), bands.dtype)
    for k, distance in enumerate(_distances(count, lower)):
        i, j = _on_diagonal(distance, size)
        a[..., i, j] = bands[..., k, i]
    return a


def _distances(count: int, lower: bool) -> list[int]:
    return [-k for k in range(count)] if lower else [count - 1 - k for k in range(count)]


def _on_diagonal(distance: int, size: int) -> tuple[Any, Any]:
    i = np.arange(max(0, -distance), size - max(0, distance))
    return i, i + distance


def _to_bands_kernel(_: Namespace, a: Array, *, count: int, lower: bool) -> Array:
    size = a.shape[-1]
    bands = np.zeros((*a.shape[:-2], count, size), a.dtype)
    for k, distance in enumerate(_distances(count, lower)):
        i, j = _on_diagonal(distance, size)
        bands[..., k, i] = a[..., i, j]
    return bands


TO_BANDS: Row = op(
    "MatrixToBands",
    _to_bands_kernel,
    vjp=(lambda g, y, a, *, count, lower: apply(FROM_BANDS, (g,), {"lower": lower}),),
    shape=lambda a, *, count, lower: (*a[:-2], count, a[-1]),
    linear=(0,),
    batch=in_front("MatrixToBands"),
    saves="",
)
FROM_BANDS: Row = op(
    "MatrixFromBands",
    lambda _, bands, *, lower: _full_from_bands(bands, lower),
    vjp=(
        lambda g, y, bands, *, lower: apply(
            TO_BANDS, (g,), {"count": dims(bands)[-2], "lower": lower}
        ),
    ),
    shape=lambda bands, *, lower: (*bands[:-2], bands[-1], bands[-1]),
    linear=(0,),
    batch=in_front("MatrixFromBands"),
    saves="",
)


def _rule_of_bands(
    g: Tensor, x: Tensor, bands: Tensor, b: Tensor, *, lower: bool, adjoint: bool
) -> Tensor:
    pulled = _banded(bands, g, lower, not adjoint)
    full = matmul(x, pulled, adjoint_b=True) if adjoint else matmul(pulled, x, adjoint_b=True)
    kept = apply(TO_BANDS, (full,), {"count": dims(bands)[-2], "lower": lower})
    return bound.sum_to(-kept, dims(bands))


BANDED_TRIANGULAR_SOLVE: Row = op(
    "BandedTriangularSolve",
    _banded_solve_kernel,
    vjp=(
        conjugate_rule(_rule_of_bands),
        conjugate_rule(
            lambda g, x, bands, b, *, lower, adjoint: bound.sum_to(
                _banded(bands, g, lower, not adjoint), dims(b)
            )
        ),
    ),
    shape=lambda bands, b, *, lower, adjoint: _broadcast_sides(bands, b),
    batch=broadcast_batch("BandedTriangularSolve"),
)


def _banded(bands: Tensor, b: Tensor, lower: bool, adjoint: bool) -> Tensor:
    result: Tensor = apply(
        BANDED_TRIANGULAR_SOLVE, (bands, b), {"lower": lower, "adjoint": adjoint}
    )
    return result


@deferrable
def banded_triangular_solve(
    bands: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solve a x = rhs for a banded triangular matrix.

    The rows of `bands` are the diagonals, the main one first if lower and last otherwise. Each is
    aligned with the rows of the matrix.

    >>> bands = [[2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]
    >>> tf.linalg.banded_triangular_solve(bands, [[2.0], [3.0], [3.0]]).numpy().tolist()
    [[1.0], [1.0], [1.0]]
    """
    a, b = matrix_and_sides(bands, rhs, "BandedTriangularSolve", square=False)
    if certainly(dims(a)[-1] != dims(b)[-2]):
        raise InvalidArgumentError(
            f"In[0] mismatch In[1] shape: {dims(a)[-1]} vs. {dims(b)[-2]}: {shape_text(dims(a))} "
            f"{shape_text(dims(b))} [Op:BandedTriangularSolve]"
        )
    result: Tensor = _banded(a, b, bool(lower), bool(adjoint))
    return result


def times_inverse_adjoint(x: Tensor, r: Tensor) -> Tensor:
    """x r^-H for an upper triangular r."""
    return adjoint_of(triangular_solve(r, adjoint_of(x), lower=False))
