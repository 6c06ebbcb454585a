"""Singular value decomposition (SVD), and matrix rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import expand_dims
from wengert.ops.linalg.degenerate_spectra import (
    alike,
    gaps,
    largest,
    off_diagonal_reciprocal,
    quotient,
    safe_reciprocal,
)
from wengert.ops.linalg.diagonals import diag, diag_part, scaled_columns, set_diag
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import (
    adjoint_array,
    adjoint_of,
    as_dtype_of,
    conjugate_rule,
    in_front,
    matrix,
    product,
    singular_values,
)
from wengert.ops.math.comparison import greater
from wengert.ops.math.complex import complex, imag
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.reductions.reductions import reduce_max, reduce_sum
from wengert.ops.support.degenerate_setting import chosen
from wengert.ops.support.half_precision import widen
from wengert.values import dtypes
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.dtypes import real_of
from wengert.values.shapes import Dims
from wengert.values.sizes import minimum
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, NumpyDType, TensorLike

# ---- the decomposition ------------------------------------------------------------------------


def _svd_kernel(
    _: Namespace, a: Array, *, full_matrices: bool, compute_uv: bool, degenerate: str
) -> list[Any]:
    wide = widen(a)
    low = real_of(a.dtype)
    try:
        if not compute_uv:
            return [singular_values(wide, compute_uv=False).astype(low, copy=False)]
        u, s, vh = singular_values(wide, full_matrices=full_matrices)
    except np.linalg.LinAlgError:
        return _nothing(wide, full_matrices, compute_uv, low)
    return [s.astype(low, copy=False), u.astype(a.dtype), adjoint_array(np, vh).astype(a.dtype)]


def _nothing(a: Array, full_matrices: bool, compute_uv: bool, low: NumpyDType) -> list[Any]:
    """The results for matrices that LAPACK gives up."""
    *batch, rows, columns = a.shape
    small = min(rows, columns)
    left, right = (rows, columns) if full_matrices else (small, small)
    shapes = [(*batch, small), (*batch, rows, left), (*batch, columns, right)]
    kinds = [low, a.dtype, a.dtype]
    found = [np.full(s, np.nan, k) for s, k in zip(shapes, kinds, strict=True)]
    return found if compute_uv else found[:1]


def _svd_rule(
    gs: Sequence[Tensor | None],
    ys: Sequence[Tensor],
    a: Tensor,
    *,
    full_matrices: bool,
    compute_uv: bool,
    degenerate: str,
) -> Tensor:
    gs = [None if g is None else bound.to_dense(g) for g in gs]
    if not compute_uv:
        s, u, v = _svd(a, False, True, degenerate)
        return product(scaled_columns(u, as_dtype_of(_of_values(gs[0], s, degenerate), a)),
                       adjoint_of(v))  # fmt: skip
    s, u, v = ys
    gs_, gu, gv = gs
    small = min(dims(a)[-2:])
    if gu is None and gv is None:
        stretching = diag(as_dtype_of(_of_values(gs_, s, degenerate), a))
        return product(u[..., :small], stretching, adjoint_of(v[..., :small]))
    u, gu = _thin(u, zeros_like(u) if gu is None else gu, small)
    v, gv = _thin(v, zeros_like(v) if gv is None else gv, small)
    middle = _of_vectors(s, (u, gu), (v, gv), degenerate, gs_ is not None)
    if gs_ is not None:
        middle = middle + diag(as_dtype_of(_of_values(gs_, s, degenerate), a))
    inverse = as_dtype_of(safe_reciprocal(s), a)
    outside_u = scaled_columns(gu - product(u, adjoint_of(u), gu), inverse)
    outside_v = scaled_columns(gv - product(v, adjoint_of(v), gv), inverse)
    inner = matmul(u, middle) + outside_u
    return matmul(inner, v, adjoint_b=True) + matmul(u, outside_v, adjoint_b=True)


def _thin(u: Tensor, gu: Tensor, small: int) -> tuple[Any, Any]:
    """The first columns, and a cotangent that accounts for the others, too.

    The others complete the basis: as the first rotate out of their space, these rotate into it.
    """
    if dims(u)[-1] == small:
        return u, gu
    first, others = u[..., :small], u[..., small:]
    seen = matmul(gu[..., small:], first, adjoint_a=True)
    return first, gu[..., :small] - matmul(others, seen)


def _of_values(g: Any, s: Tensor, degenerate: str) -> Tensor:
    return alike(g, s, "singular values") if degenerate == "exact" else g


def _of_vectors(
    s: Tensor, left: Sequence[Tensor], right: Sequence[Tensor], degenerate: str, both: bool
) -> Tensor:
    """The contribution of the vectors' cotangents to that of u^H da v.

    From the skew parts j (of u) and k (of v): (j_ij s_j + s_i k_ij) / (s_j^2 - s_i^2).
    """
    (u, gu), (v, gv) = left, right
    seen_u, seen_v = matmul(u, gu, adjoint_a=True), matmul(v, gv, adjoint_a=True)
    j, k = seen_u - adjoint_of(seen_u), seen_v - adjoint_of(seen_v)
    wide = as_dtype_of(s, u)
    column, row = expand_dims(wide, -1), expand_dims(wide, -2)
    if degenerate == "exact":  # the same in two terms: only one grows if values are close
        apart = quotient((j + k) * 0.5, wide, largest(gu, gv), both, "singular values")
        total = apart + _without_diagonal(j - k) * 0.5 / (row + column)
    else:
        f = as_dtype_of(off_diagonal_reciprocal(gaps(s) * _sums(s)), u)
        total = f * (j * row + column * k)
    if u.dtype.is_complex:
        total = total + diag(_of_phases(s, seen_u, seen_v, dims(u)[-2] <= dims(v)[-2]))
    return total


def _without_diagonal(x: Tensor) -> Tensor:
    return set_diag(x, zeros_like(diag_part(x)))


def _sums(s: Tensor) -> Tensor:
    return expand_dims(s, -2) + expand_dims(s, -1)


def _of_phases(s: Tensor, seen_u: Tensor, seen_v: Tensor, by_v: bool) -> Tensor:
    """Each pair of vectors has a free phase: only the difference of both is determined."""
    turn = -imag(diag_part(seen_v)) if by_v else imag(diag_part(seen_u))
    turn = turn * safe_reciprocal(s)
    return complex(zeros_like(turn), turn)


def _svd_shapes(a: Dims, *, full_matrices: bool, compute_uv: bool, **attrs: object) -> list[Dims]:
    *front, rows, columns = a
    least = minimum(rows, columns)
    if not compute_uv:
        return [(*front, least)]
    left, right = (rows, columns) if full_matrices else (least, least)
    return [(*front, least), (*front, rows, left), (*front, columns, right)]


def _svd_dtypes(a: NumpyDType, *, compute_uv: bool, **attrs: object) -> list[Any]:
    return [real_of(a), a, a] if compute_uv else [real_of(a)]


SVD: Row = op(
    "Svd",
    _svd_kernel,
    vjp=(conjugate_rule(_svd_rule),),
    shape=_svd_shapes,
    dtype=_svd_dtypes,
    batch=in_front("Svd"),
    many=True,
    fills=False,
)


def _svd(a: Tensor, full_matrices: bool, compute_uv: bool, degenerate: str | None) -> list[Tensor]:
    attrs = {
        "full_matrices": bool(full_matrices),
        "compute_uv": bool(compute_uv),
        "degenerate": chosen(degenerate),
    }
    result: list[Tensor] = apply(SVD, (a,), attrs)
    return result


@deferrable
def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
    degenerate: str | None = None,
) -> Any:
    """Singular value decomposition: a = u diag(s) v^H, with s in descending order.

    Where singular values coincide, the gradient is TensorFlow's, which is arbitrary there; with
    `degenerate="exact"` it is right, or an error that says why there is none.

    >>> s, u, v = tf.linalg.svd([[0.0, 2.0], [1.0, 0.0]])
    >>> s.numpy().tolist(), tf.abs(v).numpy().tolist()
    ([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
    """
    a = matrix(tensor, "Svd", square=False)
    found = _svd(a, full_matrices, compute_uv, degenerate)
    return tuple(found) if compute_uv else found[0]


# ---- the rank ---------------------------------------------------------------------------------


@deferrable
def matrix_rank(
    a: TensorLike,
    tol: TensorLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The rank of a matrix: the number of singular values above `tol`.

    >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy().item()
    1
    """
    x = convert(a)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {x.dtype.name}).")
    s = svd(x, compute_uv=False)
    if tol is None:
        epsilon = float(np.finfo(s.dtype.as_numpy_dtype).eps) * max(dims(x)[-2:])
        limit = reduce_max(s, -1, True) * epsilon
    else:
        limit = expand_dims(convert(tol, s.dtype), -1)
    return reduce_sum(cast(greater(s, limit), dtypes.int32), -1)
