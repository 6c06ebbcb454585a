"""Lowering of what makes complex numbers, takes them apart, and multiplies matrices of them."""

from __future__ import annotations

from typing import Any

from wengert.engines.native.frontend.arrays import Literal, View, broadcast
from wengert.engines.native.frontend.lanes import LANES, like
from wengert.engines.native.frontend.lowering import RULES, Lowering
from wengert.engines.native.frontend.numbers.complex_lanes import (
    PART_OF,
    PRODUCTS,
    ComplexLane,
)
from wengert.engines.native.frontend.numbers.complex_numbers import (
    Operand,
    Pair,
    computed,
    elementwise,
    pair_rule,
)
from wengert.engines.native.frontend.scalar import NotLowered, dtype_of
from wengert.graph.operation import Operation


@pair_rule("Complex")
def _complex(low: Lowering, op: Operation, x: View, y: View) -> Pair:
    shape = op.outputs[0]._array.shape
    return Pair(broadcast(x, shape), broadcast(y, shape))


@pair_rule("Real")
def _real(low: Lowering, op: Operation, x: Pair) -> View:
    return x.real


@pair_rule("Imag")
def _imag(low: Lowering, op: Operation, x: Pair) -> View:
    return x.imag


@pair_rule("Cast")
def _cast(low: Lowering, op: Operation, x: Operand, *, dtype: Any, source: Any) -> Operand:
    """Of complex numbers the real parts are cast to what is real."""
    if not dtype.is_complex:
        assert isinstance(x, Pair)
        form = op.outputs[0]._array
        if dtype.is_bool:
            return low.computed(lambda v: v != 0, x.real)
        if form.dtype.kind not in "f":
            raise NotLowered("a number that may not be there in another dtype")
        return low.computed(lambda v: v.astype(form.dtype), x.real)
    part = dtype_of(PART_OF[dtype.numpy_dtype])
    if isinstance(x, Pair):
        return Pair(*[low.computed(lambda v: v.astype(part), v) for v in x])
    real = low.computed(lambda v: v.astype(part), x)
    return Pair(real, low.number(real.kind, 0, real.shape))


@pair_rule("Pow")
def _power(low: Lowering, op: Operation, x: Pair, y: Pair) -> Operand:
    """By a small whole number that is known: a product, as in NumPy."""
    exponent = _whole_number(y)
    if exponent is None:
        return elementwise(low, op, [x, y])
    shape = op.outputs[0]._array.shape
    given = Pair(*[broadcast(v, shape) for v in x])
    return computed(low, lambda v: _to_the_power(v, exponent), given)


def _whole_number(y: Pair) -> int | None:
    if type(y.real.base) is not Literal or type(y.imag.base) is not Literal:
        return None
    real, imag = float(y.real.base.value), float(y.imag.base.value)
    is_small = imag == 0 and real.is_integer() and abs(real) < PRODUCTS
    return int(real) if is_small else None


def _to_the_power(x: ComplexLane, exponent: int) -> ComplexLane:
    if 0 < exponent <= 3:
        return (x, x * x, x * (x * x))[exponent - 1]
    one = ComplexLane(like(x.real, 1.0), like(x.real, 0.0))
    found, square, left = one, x, abs(exponent)
    while left:
        if left & 1:
            found = found * square
        left >>= 1
        square = square * square if left else square
    return one / found if exponent < 0 else found


# ---- products -----------------------------------------------------------------------------------


@pair_rule("MatMul", "BatchMatMulV2", "Einsum")
def _product(low: Lowering, op: Operation, *operands: Operand, **attrs: Any) -> Pair:
    """Of two arrays: the products of their parts, added up."""
    if len(operands) != 2:
        raise NotLowered("a product of another number of arrays")

    def product(x: View, y: View) -> View:
        found = RULES[op.row.name](low, op, x, y, **attrs)
        result: View = found[0] if op.row.many else found
        return result

    x, y = operands
    if not isinstance(x, Pair):
        assert isinstance(y, Pair)
        return Pair(product(x, y.real), product(x, y.imag))
    if not isinstance(y, Pair):
        return Pair(product(x.real, y), product(x.imag, y))
    real = low.computed(LANES.subtract, product(x.real, y.real), product(x.imag, y.imag))
    imag = low.computed(LANES.add, product(x.real, y.imag), product(x.imag, y.real))
    return Pair(real, imag)
