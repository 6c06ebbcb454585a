"""QR and LU decompositions."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import eye, ones
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import broadcast_to
from wengert.ops.linalg.diagonals import band_part, diag_part, set_diag
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import (
    adjoint_of,
    conjugate_rule,
    each_matrix,
    in_front,
    matrix,
    matrix_and_sides,
    transpose_last,
)
from wengert.ops.linalg.triangular import (
    lower_with_half_diagonal,
    times_inverse_adjoint,
    triangular_solve,
)
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.reductions.sorting import argsort
from wengert.ops.support.half_precision import widen
from wengert.ops.support.lapack import numpy_linalg, scipy_linalg
from wengert.ops.support.large_kernels import lu_kernel
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import Dims
from wengert.values.sizes import minimum
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.typing import Array, DTypeLike, Integers, Namespace, TensorLike

# ---- QR ---------------------------------------------------------------------------------------


def _qr_kernel(_: Namespace, a: Array, *, full_matrices: bool) -> list[Any]:
    q, r = numpy_linalg().qr(widen(a), mode="complete" if full_matrices else "reduced")
    return [np.ascontiguousarray(part).astype(a.dtype, copy=False) for part in (q, r)]


def _qr_rule(
    gs: Sequence[Tensor], ys: Sequence[Tensor], a: Tensor, *, full_matrices: bool
) -> Tensor:
    (gq, gr), (q, r) = gs, ys
    rows, columns = dims(a)[-2:]
    if rows >= columns:
        q, gq = _first_columns(q, gq, columns)
        return _tall(q, r[..., :columns, :], gq, gr[..., :columns, :])
    # The columns right of the square part are q times the rest of r.
    r1, r2, g1, g2 = r[..., :rows], r[..., rows:], gr[..., :rows], gr[..., rows:]
    left = _tall(q, r1, gq + matmul(matmul(q, r2), g2, adjoint_b=True), g1)
    return concat([left, matmul(q, g2)], -1)


def _tall(q: Tensor, r: Tensor, gq: Tensor, gr: Tensor) -> Tensor:
    """With m = q^H da r^-1: dq is q times the skew matrix with m's lower half, dr the rest of m r.

    Transposed, with k the cotangent of the former minus that of the latter.
    """
    seen = matmul(q, gq, adjoint_a=True)
    k = seen - matmul(gr, r, adjoint_b=True)
    turn = lower_with_half_diagonal(k - adjoint_of(k))
    return times_inverse_adjoint(matmul(q, turn - k) + gq, r)


def _first_columns(q: Tensor, gq: Tensor, count: int) -> tuple[Any, Any]:
    """The columns that span the matrix, and a cotangent that accounts for the others, too."""
    if dims(q)[-1] == count:
        return q, gq
    first, others = q[..., :count], q[..., count:]
    seen = matmul(gq[..., count:], first, adjoint_a=True)
    return first, gq[..., :count] - matmul(others, seen)


def _qr_shape(a: Dims, *, full_matrices: bool) -> list[Dims]:
    *front, rows, columns = a
    inner = rows if full_matrices else minimum(rows, columns)
    return [(*front, rows, inner), (*front, inner, columns)]


QR: Row = op(
    "Qr",
    _qr_kernel,
    vjp=(conjugate_rule(_qr_rule),),
    shape=_qr_shape,
    dtype=lambda a, **attrs: [a, a],
    batch=in_front("Qr"),
    many=True,
)


class Qr(NamedTuple):
    """The result of qr: q and r."""

    q: Tensor
    r: Tensor


@deferrable
def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """QR decomposition: a = q r, with orthonormal columns q and an upper triangular r.

    >>> q, r = tf.linalg.qr([[0.0, 2.0], [1.0, 0.0]])
    >>> tf.abs(r).numpy().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    a = matrix(input, "Qr", square=False)
    return Qr(*apply(QR, (a,), {"full_matrices": bool(full_matrices)}))


# ---- LU ---------------------------------------------------------------------------------------


_MANY: Final = 1 << 8  # numbers


def _lu_kernel(_: Namespace, a: Array, *, index_type: DType) -> list[Any]:
    wide = widen(a)
    if math.prod(a.shape[:-2]) > a.shape[-1] or not a.size:
        found = lu_kernel(wide) if wide.size >= _MANY else None
        lu, order = _eliminated(wide) if found is None else found
    else:  # LAPACK is faster for one large matrix, but 100 times slower for 1000 of size 4
        getrf = _factorization(wide.dtype)
        lu, order = each_matrix(lambda one: _by_lapack(getrf, one), wide)
        order = order[..., 0]
    return [lu.astype(a.dtype, copy=False), order.astype(index_type.as_numpy_dtype)]


@functools.cache
def _factorization(dtype: Any) -> Any:
    """LAPACK's function for a dtype, which takes longer to find than to factor a small matrix."""
    return scipy_linalg().get_lapack_funcs("getrf", dtype=dtype)


def _by_lapack(getrf: Any, a: Array) -> tuple[Any, Any]:
    lu, swaps, _ = getrf(a)
    order = list(range(len(a)))
    for i, j in enumerate(swaps.tolist()):
        order[i], order[j] = order[j], order[i]
    return np.ascontiguousarray(lu), np.array(order)[:, None]


def _eliminated(a: Array) -> tuple[Any, Any]:
    """Eliminate column by column, for all matrices of a batch at once."""
    *batch, size, _ = a.shape
    lu = a.reshape(math.prod(batch), size, size).copy()
    order = np.tile(np.arange(size), (len(lu), 1))
    each = np.arange(len(lu))
    for k in range(size):
        below = lu[:, k:, k]
        pivot = k + np.argmax(np.abs(below.real) + np.abs(below.imag), axis=-1)
        for x in (lu, order):
            x[each, pivot], x[:, k] = x[:, k].copy(), x[each, pivot]
        head = lu[:, k, k]
        lu[:, k + 1 :, k] /= np.where(head == 0, 1, head)[:, None]
        lu[:, k + 1 :, k + 1 :] -= lu[:, k + 1 :, k, None] * lu[:, None, k, k + 1 :]
    return lu.reshape(a.shape), order.reshape(*batch, size)


def _lu_rule(gs: Sequence[Any], ys: Sequence[Tensor], a: Tensor, *, index_type: DType) -> Tensor:
    """dl is l times the part below the diagonal of m = l^-1 da u^-1, du the rest of m times u."""
    lu, order = ys
    lower, upper = _with_unit_diagonal(lu), band_part(lu, 0, -1)
    above = band_part(matmul(band_part(gs[0], 0, -1), upper, transpose_b=True), 0, -1)
    below = _below_diagonal(matmul(lower, _below_diagonal(gs[0]), transpose_a=True))
    left = triangular_solve(transpose_last(lower), below + above, lower=False)
    right = transpose_last(triangular_solve(upper, transpose_last(left), lower=False))
    return permuted_rows(right, inverse_order(order))


def _with_unit_diagonal(lu: Tensor) -> Tensor:
    return set_diag(band_part(lu, -1, 0), ones(dims(lu)[:-1], lu.dtype))


def _below_diagonal(x: Tensor) -> Tensor:
    lower = band_part(x, -1, 0)
    return set_diag(lower, zeros_like(diag_part(lower)))


LU: Row = op(
    "Lu",
    _lu_kernel,
    vjp=(_lu_rule,),
    shape=lambda a, *, index_type: [a, a[:-1]],
    dtype=lambda a, *, index_type: [a, index_type.numpy_dtype],
    batch=in_front("Lu"),
    many=True,
)


def inverse_order(order: Tensor) -> Tensor:
    """The inverse of a permutation."""
    return argsort(order)


def permuted_rows(x: Tensor, order: Tensor) -> Tensor:
    """The rows of matrices in another order."""
    result: Tensor = apply(PERMUTE_ROWS, (x, order))
    return result


PERMUTE_ROWS: Row = op(
    "PermuteRows",
    lambda _, x, order: np.take_along_axis(x, order[..., None], axis=-2),
    vjp=(lambda g, y, x, order: permuted_rows(g, inverse_order(order)), None),
    shape=lambda x, order: x,
    linear=(0,),
    batch=in_front("PermuteRows"),
    saves="x",
)


class Lu(NamedTuple):
    """The result of lu: the packed factors lu, and the permutation p."""

    lu: Tensor
    p: Tensor


@deferrable
def lu(input: TensorLike, output_idx_type: DTypeLike = dtypes.int32, name: str | None = None) -> Lu:
    """LU decomposition with partial pivoting: packed factors, and the permutation p of the rows.

    l is below the diagonal, and its own diagonal is one; the rest is u. A singular matrix has
    factors, too: u then has a zero on its diagonal.

    >>> packed, p = tf.linalg.lu([[1.0, 2.0], [2.0, 0.0]])
    >>> packed.numpy().tolist(), p.numpy().tolist()
    ([[2.0, 0.0], [0.5, 2.0]], [1, 0])
    """
    a = matrix(input, "Lu")
    return Lu(*apply(LU, (a,), {"index_type": as_dtype(output_idx_type)}))


@deferrable
def lu_reconstruct(
    lower_upper: TensorLike, perm: Integers, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Reconstruct a matrix from its LU decomposition.

    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [2.0, 0.0]])).numpy().tolist()
    [[1.0, 2.0], [2.0, 0.0]]
    """
    x, order = _factors(lower_upper, perm)
    together = matmul(_with_unit_diagonal(x), band_part(x, 0, -1))
    result: Tensor = permuted_rows(together, inverse_order(order))
    return result


@deferrable
def lu_solve(
    lower_upper: TensorLike,
    perm: Integers,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solve a x = rhs, given the LU decomposition of a.

    >>> factors = tf.linalg.lu([[1.0, 2.0], [2.0, 0.0]])
    >>> tf.linalg.lu_solve(*factors, [[3.0], [2.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    x, order = _factors(lower_upper, perm)
    x, b = matrix_and_sides(x, rhs, "MatrixTriangularSolve")
    if dims(x)[-1] != dims(b)[-2]:
        raise ValueError(
            "`lower_upper.shape[-1]` must equal `rhs.shape[-1]`. "
            f"They are {dims(x)[-1]} and {dims(b)[-2]}."
        )
    batch = np.broadcast_shapes(dims(x)[:-2], dims(b)[:-2])
    b = b if dims(b)[:-2] == batch else broadcast_to(b, (*batch, *dims(b)[-2:]))
    if dims(order)[:-1] != batch:
        order = broadcast_to(order, (*batch, dims(order)[-1]))
    lower = _with_unit_diagonal(x)
    return triangular_solve(x, triangular_solve(lower, permuted_rows(b, order)), lower=False)


@deferrable
def lu_matrix_inverse(
    lower_upper: TensorLike, perm: Integers, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverse of a matrix, given its LU decomposition.

    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]])).numpy().tolist()
    [[0.0, 0.25], [0.5, 0.0]]
    """
    x, order = _factors(lower_upper, perm)
    result: Tensor = lu_solve(x, order, eye(dims(x)[-1], batch_shape=dims(x)[:-2], dtype=x.dtype))
    return result


def _factors(lower_upper: TensorLike, perm: Integers) -> tuple[Tensor, Tensor]:
    return matrix(lower_upper, "MatMul"), convert(perm)
