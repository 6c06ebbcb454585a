"""Tridiagonal matrices: products, systems, eigenvalues.

Internally the diagonals are the rows of one array: above, main, below. All are aligned with the
rows of the matrix, so the last element above and the first below are not used.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import expand_dims, squeeze, static
from wengert.ops.arrays.slicing import pad, roll
from wengert.ops.linalg.diagonals import diag, diag_part
from wengert.ops.linalg.eigen import eigh, eigvalsh
from wengert.ops.linalg.matrices import (
    check_kind,
    check_same_batch,
    each_matrix,
    in_front,
    transpose_last,
)
from wengert.ops.math.comparison import greater, less_equal, logical_and, where
from wengert.ops.math.complex import conj, real
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.declare import convert_alike
from wengert.ops.support.half_precision import widen
from wengert.ops.support.lapack import scipy_linalg
from wengert.ops.support.large_kernels import tridiagonal_solve_kernel
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.sizes import certainly
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.core.row import Attrs
    from wengert.values.typing import Array, Namespace, TensorLike

# ---- diagonals --------------------------------------------------------------------------------


def _transposed_diagonals(d: Tensor) -> Tensor:
    above, main, below = d[..., 0, :], d[..., 1, :], d[..., 2, :]
    return stack([roll(below, -1, -1), main, roll(above, 1, -1)], axis=-2)


def _diagonals_of_product(left: Tensor, right: Tensor) -> Tensor:
    """The three diagonals of the product left right^T."""
    after, before = _shifted(right, 1), _shifted(right, -1)
    parts = [reduce_sum(left * x, -1) for x in (after, right, before)]
    return stack(parts, axis=-2)


def _shifted(x: Tensor, by: int) -> Tensor:
    """Row i + by in place of row i, zeros where there is none."""
    widths = [(0, 0)] * (len(dims(x)) - 2)
    if by > 0:
        return pad(x[..., 1:, :], [*widths, (0, 1), (0, 0)])
    return pad(x[..., :-1, :], [*widths, (1, 0), (0, 0)])


def _compact(diagonals: TensorLike, format: str, hint: Any) -> Tensor:
    """The diagonals in one array, from any of the formats."""
    if format == "compact":
        d = convert(diagonals, hint=hint)
        if len(dims(d)) < 2 or dims(d)[-2] != 3:
            raise ValueError(
                f"Expected 3 diagonals got {dims(d)[-2] if len(dims(d)) > 1 else 1}. "
                f"The shape is {dims(d)}."
            )
        return d
    if format == "sequence":
        if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        above, main, below = convert_alike("TridiagonalSolve", *diagonals)
        size = dims(main)[-1]
        return stack([_filled(above, size, 1), main, _filled(below, size, 0)], axis=-2)
    if format == "matrix":
        d = convert(diagonals, hint=hint)
        if len(dims(d)) < 2 or certainly(dims(d)[-1] != dims(d)[-2]):
            raise ValueError(
                f"Expected last two dimensions of diagonals to be same, got {shape_text(dims(d))}"
            )
        return _three_of(d)
    raise ValueError(f"Unrecognized diagonals_format: {format}. Use compact, sequence or matrix.")


def _three_of(d: Tensor) -> Tensor:
    if dims(d)[-1] == 1:
        return stack([d[..., 0] * 0, d[..., 0], d[..., 0] * 0], axis=-2)
    return diag_part(d, k=(-1, 1), align="LEFT_RIGHT")


def _filled(x: Tensor, size: int, after: int) -> Tensor:
    """A diagonal, padded with the element that is not used."""
    missing = size - dims(x)[-1]
    if missing not in (0, 1):
        raise ValueError(
            f"Expected superdiag and subdiag to have as many elements as maindiag ({size}) or one "
            f"less, got {dims(x)[-1]}."
        )
    if not missing:
        return x
    return pad(x, [(0, 0)] * (len(dims(x)) - 1) + [(0, 1) if after else (1, 0)])


# ---- products ---------------------------------------------------------------------------------


def _matmul_kernel(_: Namespace, d: Array, x: Array) -> Array:
    wide, columns = widen(d), widen(x)
    y = wide[..., 1, :, None] * columns
    y[..., :-1, :] += wide[..., 0, :-1, None] * columns[..., 1:, :]
    y[..., 1:, :] += wide[..., 2, 1:, None] * columns[..., :-1, :]
    return y.astype(x.dtype, copy=False)


TRIDIAGONAL_MATMUL: Row = op(
    "TridiagonalMatMul",
    _matmul_kernel,
    vjp=(
        lambda g, y, d, x: _diagonals_of_product(g, x),
        lambda g, y, d, x: apply(TRIDIAGONAL_MATMUL, (_transposed_diagonals(d), g)),
    ),
    shape=lambda d, x: x,
    linear=(0, 1),
    batch=in_front("TridiagonalMatMul"),
    saves="x",
)


@deferrable
def tridiagonal_matmul(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> Tensor:
    """The product of a tridiagonal matrix with another matrix.

    The diagonals are the rows of an array ("compact": above, main, below, where the last element
    above and the first below are ignored), three vectors ("sequence"), or those of a "matrix".

    >>> d = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]
    >>> tf.linalg.tridiagonal_matmul(d, [[1.0], [1.0], [1.0]]).numpy().ravel().tolist()
    [3.0, 4.0, 3.0]
    """
    d = _compact(diagonals, diagonals_format, None)
    d, x = convert_alike("TridiagonalMatMul", d, rhs)
    check_same_batch(d, x, "TridiagonalMatMul")
    _check_sizes(d, x, "TridiagonalMatMul")
    result: Tensor = apply(TRIDIAGONAL_MATMUL, (d, x))
    return result


def _check_sizes(d: Tensor, x: Tensor, who: str) -> None:
    check_kind(x, who)
    if certainly(dims(d)[-1] != dims(x)[-2]):
        raise InvalidArgumentError(
            f"Input matrix and rhs are incompatible: diagonals of {dims(d)[-1]} elements for "
            f"{dims(x)[-2]} rows [Op:{who}]"
        )


# ---- systems ----------------------------------------------------------------------------------


def _solve_kernel(
    _: Namespace, d: Array, b: Array, *, partial_pivoting: bool, perturb_singular: bool
) -> Array:
    wide, sides = widen(d), widen(b)
    if not b.size:
        return np.zeros_like(b)
    instead = _smallest(wide) if perturb_singular else np.full(d.shape[:-2], np.nan, wide.dtype)
    x = tridiagonal_solve_kernel(wide, sides, partial_pivoting, instead)
    if x is None:
        x = _by_numpy(wide, sides, partial_pivoting, perturb_singular, instead)
    with np.errstate(all="ignore"):
        if partial_pivoting and not np.isfinite(x.sum()):
            x = np.where(np.isnan(x).any(axis=-2, keepdims=True), np.nan, x)
        elif not partial_pivoting:
            x[~np.isfinite(x)] = np.nan
    return x.astype(b.dtype, copy=False)


def _by_numpy(d: Array, b: Array, pivoting: bool, perturb: bool, instead: Array) -> Array:
    if not pivoting:
        return _without_pivoting(d, b)
    if math.prod(b.shape[:-2]) > b.shape[-2]:  # 1000 of size 8: 20 times as fast
        return _with_pivoting(d, b, instead[..., None])
    gtsv = scipy_linalg().get_lapack_funcs("gtsv", (d, b))

    def one(d: Array, b: Array) -> tuple[Any]:
        return (_solved(gtsv, d, b, perturb),)

    found: Array = each_matrix(one, d, b)[0]
    return found


def _solved(gtsv: Any, d: Array, b: Array, perturb: bool) -> Array:
    """The solution; for a singular system NaN, or the solution of a perturbed one."""
    if d.shape[-1] == 1:  # LAPACK wants two elements beside the main diagonal
        d, b = np.pad(d, ((0, 0), (0, 1)), constant_values=1), np.pad(b, ((0, 1), (0, 0)))
        d[0] = d[2] = 0
        return _solved(gtsv, d, b, perturb)[:1]
    main = d[1].copy()
    size = np.max(np.abs(d)) or 1.0
    for _ in range(len(main) + 1):
        _, _, _, x, info = gtsv(d[2, 1:], main, d[0, :-1], b)
        if info == 0:
            return x
        if not perturb:
            break
        main[info - 1] += np.finfo(main.dtype).eps * size
    return np.full_like(b, np.nan)


def _with_pivoting(d: Array, b: Array, instead: Array) -> Array:
    """Gaussian elimination with partial pivoting, for all systems of a batch at once.

    A row is swapped with the next one if that has the larger pivot; a row then has three elements:
    the pivot and the two after it.
    """
    above, main, below = (d[..., k, :, None] for k in range(3))
    size = b.shape[-2]
    rows: list[Any] = []
    now = (main[..., 0, :], above[..., 0, :], np.zeros_like(main[..., 0, :]), b[..., 0, :])
    with np.errstate(all="ignore"):
        for i in range(1, size):
            after = (below[..., i, :], main[..., i, :], above[..., i, :], b[..., i, :])
            exchanged = np.abs(now[0]) < np.abs(after[0])
            first = [np.where(exchanged, q, p) for p, q in zip(now, after, strict=True)]
            other = [np.where(exchanged, p, q) for p, q in zip(now, after, strict=True)]
            rows.append(first)
            ratio = np.where(first[0] == 0, 0, other[0] / first[0])
            now = (other[1] - ratio * first[1], other[2] - ratio * first[2],
                   np.zeros_like(other[0]), other[3] - ratio * first[3])  # fmt: skip
        rows.append(now)
        rows[-1] = (now[0], np.zeros_like(now[1]), now[2], now[3])
        if size > 1:
            rows[-2] = (*rows[-2][:2], np.zeros_like(now[2]), rows[-2][3])
        return _from_below(rows, b, instead)


def _smallest(d: Array) -> Array:
    """The number that replaces a zero pivot in a system that may be perturbed."""
    size = np.max(np.abs(d), axis=(-2, -1))
    found: Array = np.finfo(d.dtype).eps * np.where(size == 0, 1, size)
    return found


def _from_below(rows: list[Any], b: Array, instead: Array) -> Array:
    """Back substitution, with `instead` in place of zero pivots."""
    x = np.zeros_like(b)
    later = (np.zeros_like(b[..., 0, :]),) * 2
    for i in range(len(rows) - 1, -1, -1):
        pivot, one, two, side = rows[i]
        pivot = np.where(pivot == 0, instead, pivot)
        x[..., i, :] = (side - one * later[0] - two * later[1]) / pivot
        later = (x[..., i, :], later[0])
    return x


def _without_pivoting(d: Array, b: Array) -> Array:
    """Elimination and back substitution, for all systems of a batch at once."""
    above, main, below = (d[..., k, :, None] for k in range(3))
    x, ratio = b.copy(), np.zeros_like(main)
    pivot = main[..., 0, :]
    size = b.shape[-2]
    with np.errstate(all="ignore"):
        x[..., 0, :] = x[..., 0, :] / pivot
        for i in range(1, size):
            ratio[..., i, :] = above[..., i - 1, :] / pivot
            pivot = main[..., i, :] - below[..., i, :] * ratio[..., i, :]
            x[..., i, :] = (x[..., i, :] - below[..., i, :] * x[..., i - 1, :]) / pivot
        for i in range(size - 2, -1, -1):
            x[..., i, :] -= ratio[..., i + 1, :] * x[..., i + 1, :]
    return x


def _solve(d: Tensor, b: Tensor, attrs: Attrs) -> Tensor:
    result: Tensor = apply(TRIDIAGONAL_SOLVE, (d, b), attrs)
    return result


TRIDIAGONAL_SOLVE: Row = op(
    "TridiagonalSolve",
    _solve_kernel,
    vjp=(
        lambda g, y, d, b, **attrs: (
            -_diagonals_of_product(_solve(_transposed_diagonals(d), g, attrs), y)
        ),
        lambda g, y, d, b, **attrs: _solve(_transposed_diagonals(d), g, attrs),
    ),
    shape=lambda d, b, **attrs: b,
    batch=in_front("TridiagonalSolve"),
)


@deferrable
def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """Solve a x = rhs for a tridiagonal matrix, given as in `tridiagonal_matmul`.

    A singular matrix gives NaN; with `perturb_singular` it is perturbed instead. Without
    `partial_pivoting` a pivot may be zero though the matrix is not singular.

    >>> d = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]
    >>> tf.linalg.tridiagonal_solve(d, [3.0, 4.0, 3.0]).numpy().round(4).tolist()
    [1.0, 1.0, 1.0]
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is True.")
    d = _compact(diagonals, diagonals_format, None)
    d, b = convert_alike("TridiagonalSolve", d, rhs)
    vector = len(dims(b)) == len(dims(d)) - 1
    if vector:
        b = expand_dims(b, -1)
    elif transpose_rhs:
        b = transpose_last(b)
    b = conj(b) if conjugate_rhs else b
    check_same_batch(d, b, "TridiagonalSolve")
    _check_sizes(d, b, "TridiagonalSolve")
    attrs = {
        "partial_pivoting": bool(partial_pivoting),
        "perturb_singular": bool(perturb_singular),
    }
    x: Tensor = _solve(d, b, attrs)
    return squeeze(x, -1) if vector else x


# ---- eigenvalues ------------------------------------------------------------------------------


@deferrable
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: TensorLike | None = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """The eigenvalues of a Hermitian tridiagonal matrix: diagonal `alpha`, subdiagonal `beta`.

    All of them (select "a"), those from one index to another ("i", both included), or those of an
    interval of values ("v", with its upper end). They are computed to full precision, so `tol` has
    no effect.

    >>> tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(4).tolist()
    [1.0, 3.0]
    """
    if select not in ("a", "i", "v"):
        raise ValueError(f"'select' must have a value in {{'a', 'i', 'v'}}, got {select!r}.")
    a = _hermitian(alpha, beta)
    if eigvals_only:
        e, v = eigvalsh(a), None
    else:
        e, v = eigh(a)
    e = real(e)
    if select == "a":
        return e if v is None else (e, v)
    if select_range is None:
        raise TypeError(f"select={select!r} needs a select_range: two numbers, first and last.")
    if select == "i":
        return _by_index(e, v, select_range)
    return _by_value(e, v, select_range)


def _hermitian(alpha: TensorLike, beta: TensorLike) -> Tensor:
    main, below = convert(alpha), convert(beta)
    if main.dtype is not below.dtype:
        raise ValueError(
            f"'alpha' and 'beta' must have the same type. They are {main.dtype.name} and "
            f"{below.dtype.name}."
        )
    if certainly(dims(below)[-1] != dims(main)[-1] - 1):
        raise InvalidArgumentError(
            f"Incompatible shapes: {shape_text(dims(main))} vs. {shape_text(dims(below))}: beta must have "
            "one element less than alpha."
        )
    if dims(main)[-1] == 1:
        return diag(main)
    return diag(main) + diag(below, k=-1)


def _by_index(
    e: Tensor, v: Tensor | None, select_range: TensorLike
) -> Tensor | tuple[Tensor, Tensor]:
    first, last = (int(i) for i in static(select_range))
    if first > last:
        raise InvalidArgumentError(
            f"Got empty index range in select_range. Condition x <= y did not hold: {first} is "
            f"larger than {last}."
        )
    e = e[..., first : last + 1]
    return e if v is None else (e, v[..., first : last + 1])


def _by_value(e: Tensor, v: Tensor | None, select_range: Any) -> Tensor | tuple[Tensor, Tensor]:
    low, high = (convert(x, e.dtype) for x in select_range)
    if not np.asarray(low) < np.asarray(high):
        raise InvalidArgumentError(
            "Got empty interval in select_range. Condition x < y did not hold: "
            f"{np.asarray(low)} is not smaller than {np.asarray(high)}."
        )
    if len(dims(e)) > 1:
        raise InvalidArgumentError(
            "Values from an interval can be selected of one matrix at a time: each may have "
            f"another number of them. The shape of alpha is {shape_text(dims(e))}."
        )
    inside = squeeze(where(logical_and(greater(e, low), less_equal(e, high))), 1)
    chosen = gather(e, inside)
    return chosen if v is None else (chosen, gather(v, inside, axis=1))
