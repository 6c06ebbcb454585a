"""Linear systems, inverses, pseudoinverses, least squares, Sylvester's equation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.context import is_replaced
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import eye
from wengert.ops.arrays.shaping import broadcast_to, expand_dims
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import (
    adjoint_array,
    adjoint_of,
    check_same_batch,
    conjugate_rule,
    each_matrix,
    in_front,
    matrix,
    matrix_and_sides,
    product,
    singular_values,
    transpose_last,
)
from wengert.ops.linalg.svd import svd
from wengert.ops.linalg.triangular import cholesky, cholesky_solve
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.reductions.reductions import reduce_max
from wengert.ops.support.declare import convert_alike
from wengert.ops.support.half_precision import widen
from wengert.ops.support.lapack import numpy_linalg, scipy_linalg
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.sizes import certainly, minimum
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike, TensorOrDims

# ---- systems ----------------------------------------------------------------------------------


def _solve_kernel(_: Namespace, a: Array, b: Array, *, adjoint: bool) -> Array:
    wide = widen(a)
    try:
        x = numpy_linalg().solve(adjoint_array(np, wide) if adjoint else wide, widen(b))
    except np.linalg.LinAlgError:
        raise _singular("Input matrix is not invertible.", "MatrixSolve") from None
    return x.astype(b.dtype, copy=False)


def _singular(first: str, who: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{first} [Op:{who}] A matrix is singular; tf.linalg.pinv and tf.linalg.lstsq(..., "
        "fast=False) also take those."
    )


def _rule_of_matrix(g: Tensor, x: Tensor, a: Tensor, b: Tensor, *, adjoint: bool) -> Tensor:
    pulled = solve(a, g, not adjoint)
    return -(matmul(x, pulled, adjoint_b=True) if adjoint else matmul(pulled, x, adjoint_b=True))


MATRIX_SOLVE: Row = op(
    "MatrixSolve",
    _solve_kernel,
    vjp=(
        conjugate_rule(_rule_of_matrix),
        conjugate_rule(lambda g, x, a, b, *, adjoint: solve(a, g, not adjoint)),
    ),
    shape=lambda a, b, *, adjoint: (*a[:-1], b[-1]),
    batch=in_front("MatrixSolve"),
)


@deferrable
def solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solve the linear system a x = rhs, or a^H x = rhs.

    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [8.0]]).numpy().tolist()
    [[1.0], [2.0]]
    """
    a, b = matrix_and_sides(matrix, rhs, "MatrixSolve")
    check_same_batch(a, b, "MatrixSolve")
    if certainly(dims(a)[-1] != dims(b)[-2]):
        raise InvalidArgumentError(
            f"Input matrix and rhs are incompatible. [Op:MatrixSolve] The shapes are "
            f"{shape_text(dims(a))} and {shape_text(dims(b))}."
        )
    result: Tensor = apply(MATRIX_SOLVE, (a, b), {"adjoint": bool(adjoint)})
    return result


# ---- inverses ---------------------------------------------------------------------------------


def _inverse_kernel(_: Namespace, a: Array, *, adjoint: bool) -> Array:
    wide = widen(a)
    try:
        y = numpy_linalg().inv(adjoint_array(np, wide) if adjoint else wide)
    except np.linalg.LinAlgError:
        raise _singular("Input is not invertible.", "MatrixInverse") from None
    return y.astype(a.dtype, copy=False)


def _inverse_rule(g: Tensor, y: Tensor, a: TensorOrDims, *, adjoint: bool) -> Tensor:
    if adjoint:
        return -product(y, adjoint_of(g), y)
    return -product(adjoint_of(y), g, adjoint_of(y))


MATRIX_INVERSE: Row = op(
    "MatrixInverse",
    _inverse_kernel,
    vjp=(conjugate_rule(_inverse_rule),),
    shape=lambda a, *, adjoint: a,
    batch=in_front("MatrixInverse"),
    saves="y",
)


@deferrable
def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of a matrix, or of its conjugate transpose.

    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    a = matrix(input, "MatrixInverse")
    result: Tensor = apply(MATRIX_INVERSE, (a,), {"adjoint": bool(adjoint)})
    return result


def _pinv_kernel(_: Namespace, a: Array, rcond: Array) -> Array:
    wide = widen(a)
    u, s, vh = singular_values(wide, full_matrices=False)
    limit = np.asarray(rcond)[..., None] * np.max(s, axis=-1, keepdims=True, initial=0.0)
    kept = s > limit
    inverse = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0).astype(s.dtype)
    y = adjoint_array(np, vh) @ (inverse[..., None] * adjoint_array(np, u))
    return y.astype(a.dtype, copy=False)


def _pinv_rule(g: Tensor, p: Tensor, a: Tensor, rcond: Tensor) -> Tensor:
    """The derivative of Golub and Pereyra, transposed.

    It holds where the rank does not change, and also where singular values coincide.
    """
    ph, gh = adjoint_of(p), adjoint_of(g)
    outside = eye(dims(a)[-2], dtype=a.dtype) - matmul(a, p)
    inside = eye(dims(a)[-1], dtype=a.dtype) - matmul(p, a)
    return product(outside, gh, p, ph) + product(ph, p, gh, inside) - product(ph, g, ph)


PSEUDO_INVERSE: Row = op(
    "PseudoInverse",
    _pinv_kernel,
    vjp=(conjugate_rule(_pinv_rule), None),
    shape=lambda a, rcond: (*a[:-2], a[-1], a[-2]),
    batch=in_front("PseudoInverse"),
)


@deferrable
def pinv(
    a: TensorLike,
    rcond: TensorLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The Moore-Penrose pseudoinverse.

    Singular values below `rcond` times the largest count as zero.

    >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    x = convert(a)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {x.dtype.name}).")
    x = matrix(x, "Svd", square=False)
    kind = x.dtype.real_dtype
    if rcond is None:
        epsilon = float(np.finfo(np.zeros((), kind.as_numpy_dtype).dtype).eps)
        rcond = 10.0 * max(dims(x)[-2:]) * epsilon
    limit = broadcast_to(convert(rcond, kind), dims(x)[:-2])
    if is_replaced("MatMul", "BatchMatMulV2", "Svd"):
        return _pinv_by_svd(x, limit)
    result: Tensor = apply(PSEUDO_INVERSE, (x, limit))
    return result


def _pinv_by_svd(x: Tensor, limit: Tensor) -> Tensor:
    """As TensorFlow computes it: for those who replace the gradients of its parts."""
    sizes, left, right = svd(x)
    cutoff = expand_dims(limit * reduce_max(sizes, -1), -1)
    sizes = where(sizes > cutoff, sizes, zeros_like(sizes) + math.inf)
    inverse: Tensor = matmul(right / cast(expand_dims(sizes, -2), x.dtype), left, adjoint_b=True)
    return inverse


# ---- least squares ----------------------------------------------------------------------------


def _least_squares_kernel(_: Namespace, a: Array, b: Array) -> Array:
    def one(a: Array, b: Array) -> tuple[Array]:
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            return (np.full((a.shape[1], b.shape[1]), np.nan, b.dtype),)
        return (numpy_linalg().lstsq(a, b)[0],)

    from_each = _each(one, widen(a), widen(b))
    return from_each.astype(b.dtype, copy=False)


def _each(one: Callable[..., Any], a: Array, b: Array) -> Array:
    batch = a.shape[:-2]
    found = [one(a[i], b[i])[0] for i in np.ndindex(batch)]
    if not found:
        return np.zeros((*batch, a.shape[-1], b.shape[-1]), b.dtype)
    return np.stack(found).reshape(*batch, a.shape[-1], b.shape[-1])


def _lstsq_rule_of_matrix(g: Tensor, x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """The derivative of a^+ b with respect to a, by that of the pseudoinverse."""
    p = pinv(a)
    ph, gh, xh = adjoint_of(p), adjoint_of(g), adjoint_of(x)
    rest = b - matmul(a, x)
    inside = eye(dims(a)[-1], dtype=a.dtype) - matmul(p, a)
    return product(rest, gh, p, ph) + product(ph, x, gh, inside) - product(ph, g, xh)


def _lstsq_shape(a: Dims, b: Dims) -> Dims:
    return (*a[:-2], a[-1], b[-1])


MATRIX_SOLVE_LS: Row = op(
    "MatrixSolveLs",
    _least_squares_kernel,
    vjp=(
        conjugate_rule(_lstsq_rule_of_matrix),
        conjugate_rule(lambda g, x, a, b: matmul(pinv(a), g, adjoint_a=True)),
    ),
    shape=_lstsq_shape,
    batch=in_front("MatrixSolveLs"),
)


@deferrable
def lstsq(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: TensorLike = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """Least squares: the x that minimizes |a x - rhs|; among several, the one of minimum norm.

    `fast` solves the normal equations, which square the condition number and need full rank, with
    `l2_regularizer` times |x|^2 added to what is minimised. Without it the rank does not matter,
    and the regularizer is ignored.

    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().tolist()
    [[2.0]]
    """
    a, b = matrix_and_sides(matrix, rhs, "MatrixSolveLs", square=False)
    check_same_batch(a, b, "MatrixSolveLs")
    if certainly(dims(a)[-2] != dims(b)[-2]):
        raise InvalidArgumentError(
            f"Input matrix and rhs are incompatible. [Op:MatrixSolveLs] The shapes are "
            f"{shape_text(dims(a))} and {shape_text(dims(b))}."
        )
    if fast:
        return _by_normal_equations(a, b, l2_regularizer)
    result: Tensor = apply(MATRIX_SOLVE_LS, (a, b))
    return result


def _by_normal_equations(a: Tensor, b: Tensor, regularizer: TensorLike) -> Tensor:
    rows, columns = dims(a)[-2:]
    small = minimum(rows, columns)
    added = eye(small, dtype=a.dtype) * convert(regularizer, a.dtype)
    if rows >= columns:
        chol = cholesky(matmul(a, a, adjoint_a=True) + added)
        return cholesky_solve(chol, matmul(a, b, adjoint_a=True))
    chol = cholesky(matmul(a, a, adjoint_b=True) + added)
    return matmul(a, cholesky_solve(chol, b), adjoint_a=True)


# ---- Sylvester's equation -----------------------------------------------------------------------


def _sylvester_kernel(_: Namespace, a: Array, b: Array, q: Array) -> Array:
    if not q.size:
        return q.copy()
    return each_matrix(_sylvester_solution, *map(widen, (a, b, q)))[0].astype(q.dtype, copy=False)


def _sylvester_solution(a: Array, b: Array, q: Array) -> list[Array]:
    """Where an eigenvalue of a is one of -b, LAPACK moves them apart: the numbers are huge."""
    try:
        return [scipy_linalg().solve_sylvester(a, b, q)]
    except (np.linalg.LinAlgError, ValueError):  # of NaN
        return [np.full_like(q, np.nan)]


def _transposed(g: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """The equation is linear in q; this is its transpose."""
    return _sylvester(transpose_last(a), transpose_last(b), g)


def _sylvester(a: Tensor, b: Tensor, q: Tensor) -> Tensor:
    result: Tensor = apply(SYLVESTER, (a, b, q))
    return result


SYLVESTER: Row = op(
    "SolveSylvester",
    _sylvester_kernel,
    vjp=(
        lambda g, x, a, b, q: -matmul(_transposed(g, a, b), transpose_last(x)),
        lambda g, x, a, b, q: -matmul(transpose_last(x), _transposed(g, a, b)),
        lambda g, x, a, b, q: _transposed(g, a, b),
    ),
    jvp=(
        lambda t, x, a, b, q: _sylvester(a, b, -matmul(t, x)),
        lambda t, x, a, b, q: _sylvester(a, b, -matmul(x, t)),
        lambda t, x, a, b, q: _sylvester(a, b, t),
    ),
    shape=lambda a, b, q: q,
    batch=in_front("SolveSylvester"),
)


@deferrable
def solve_sylvester(a: TensorLike, b: TensorLike, q: TensorLike) -> Tensor:
    """The matrix x with a x + x b = q."""
    x, y, sides = convert_alike("SolveSylvester", a, b, q)
    for value in (x, y, sides):
        matrix(value, "SolveSylvester", square=value is not sides)
    check_same_batch(x, sides, "SolveSylvester")
    check_same_batch(y, sides, "SolveSylvester")
    rows, columns = dims(sides)[-2:]
    if certainly(dims(x)[-1] != rows) or certainly(dims(y)[-1] != columns):
        raise InvalidArgumentError(
            f"a x + x b = q does not fit shapes {shape_text(dims(x))}, {shape_text(dims(y))} and "
            f"{shape_text(dims(sides))} [Op:SolveSylvester]"
        )
    return _sylvester(x, y, sides)
