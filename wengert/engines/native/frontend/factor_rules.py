"""Lowering of small matrices' factors, determinants, inverses and systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from wengert.engines.native.frontend.arrays import View, broadcast
from wengert.engines.native.frontend.diagonal_rules import by_place, diagonal
from wengert.engines.native.frontend.lanes import LANES
from wengert.engines.native.frontend.lowering import Lowering, rule
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.graph.operation import Operation

# Rows of a matrix up to which this is faster than LAPACK, which works on blocks; and up to which it
# is in a body, where anything that is left to NumPy takes all of a loop with it.
FEW: Final = 16
SOME: Final = 40
MANY: Final = 100


def _square(low: Lowering, a: View, most: int = SOME) -> tuple[int, int]:
    """The number of matrices, and of rows of each."""
    size = a.shape[-1]
    if low.is_body:
        most = MANY
    if a.kind not in ("f4", "f8") or a.shape[-2] != size or size > most:
        raise NotLowered("no small matrices of floating-point numbers")
    return math.prod(a.shape[:-2]), size


@rule("Cholesky", by_routine=True)
def _cholesky(low: Lowering, op: Operation, a: View) -> View:
    count, size = _square(low, a, FEW)
    arguments, work = (a.kind, count, size), a.size * size
    room = [((size, size), a.kind)]
    (found,) = low.routine("factors.cholesky", arguments, [a], [(a.shape, a.kind)], room, work)
    return found


@rule("MatrixTriangularSolve", by_routine=True)
def _triangular_solve(
    low: Lowering, op: Operation, a: View, b: View, *, lower: bool, adjoint: bool
) -> View:
    batch = op.outputs[0]._array.shape[:-2]
    a, b = (broadcast(x, (*batch, *x.shape[-2:])) for x in (a, b))
    count, size = _square(low, a)
    sides, work = b.shape[-1], b.size * size
    arguments = (a.kind, count, size, sides, lower, adjoint)
    (found,) = low.routine("factors.triangular", arguments, [a, b], [(b.shape, b.kind)], (), work)
    return found


# ---- by LU factors ------------------------------------------------------------------------------


def _lu(low: Lowering, a: View) -> Sequence[View]:
    """The factors, the order of the rows, its sign, and whether a matrix is singular."""
    count, size = _square(low, a)
    batch = a.shape[:-2]
    forms = [(a.shape, a.kind), ((*batch, size), "i8"), (batch, a.kind), (batch, "b1")]
    return low.routine("factors.lu", (a.kind, count, size), [a], forms, (), a.size * size)


def _solved(low: Lowering, a: View, b: View, adjoint: bool) -> View:
    """The solutions; a singular matrix is reported, as NumPy's kernel does it."""
    factors, order, _, singular = _lu(low, a)
    low.checks.append(low.reduced("any", singular, range(len(singular.shape)), False))
    count, size = _square(low, a)
    sides = b.shape[-1]
    room = [((size, sides), a.kind)] if adjoint else []
    arguments = (a.kind, count, size, sides, adjoint)
    (found,) = low.routine(
        "factors.solve", arguments, [factors, order, b], [(b.shape, b.kind)], room, b.size * size
    )
    return found


@rule("MatrixSolve", by_routine=True)
def _solve(low: Lowering, op: Operation, a: View, b: View, *, adjoint: bool) -> View:
    return _solved(low, a, b, adjoint)


@rule("MatrixInverse", by_routine=True)
def _inverse(low: Lowering, op: Operation, a: View, *, adjoint: bool) -> View:
    return _solved(low, a, _identity(low, a), adjoint)


def _identity(low: Lowering, a: View) -> View:
    one, zero = low.number(a.kind, 1, a.shape), low.number(a.kind, 0, a.shape)
    return by_place(low, lambda i, j, x, y: LANES.where(i == j, x, y), one, zero)


@rule("MatrixDeterminant", by_routine=True)
def _determinant(low: Lowering, op: Operation, a: View) -> View:
    factors, _, sign, _ = _lu(low, a)
    return low.computed(LANES.multiply, sign, _product(low, diagonal(factors)))


def _product(low: Lowering, x: View) -> View:
    return low.reduced("prod", x, [len(x.shape) - 1], False)


@rule("LogMatrixDeterminant", by_routine=True)
def _log_determinant(low: Lowering, op: Operation, a: View) -> Sequence[View]:
    factors, _, sign, _ = _lu(low, a)
    pivots = diagonal(factors)
    signs = _product(low, low.computed(LANES.sign, pivots))
    sizes = low.computed(lambda v: LANES.log(LANES.absolute(v)), pivots)
    total = low.reduced("sum", sizes, [len(sizes.shape) - 1], False)
    return [low.computed(LANES.multiply, sign, signs), total]


@rule("Adjugate", by_routine=True)
def _adjugate(low: Lowering, op: Operation, a: View) -> View:
    """det(a) a^-1. A matrix that is nearly singular is left to NumPy, which uses singular values."""
    determinant = _determinant(low, op, a)
    last = len(a.shape) - 1
    squares = low.reduced("sum", low.computed(LANES.square, a), [last], False)
    size = _product(low, low.computed(LANES.sqrt, squares))
    near = low.computed(
        lambda d, s: LANES.logical_not(LANES.absolute(d) > s * 1e-4), determinant, size
    )
    low.checks.append(low.reduced("any", near, range(len(near.shape)), False))
    spread = low.reshape(determinant, (*determinant.shape, 1, 1))
    return low.computed(LANES.multiply, spread, _solved(low, a, _identity(low, a), False))
