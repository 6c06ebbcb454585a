"""For each operation the series of its results, from those of its inputs.

What is linear needs no rule: it is done with each coefficient. Those here are products, and functions with a
recurrence, mostly from y' = F(x, y) x'. All others follow from their first derivative (mode.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.derivatives.taylor_mode.cumulative_rules import CUMULATIVE_RULES
from wengert.derivatives.taylor_mode.series import (
    Coefficient,
    Series,
    coefficient,
    derivative,
    difference,
    filled,
    scaled,
    solved,
    total,
)
from wengert.derivatives.taylor_mode.system_rules import SYSTEM_RULES
from wengert.ops.math.arithmetic import add, div_no_nan, divide, mul_no_nan, multiply, pow, subtract
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cos, cosh, exp, sin, sinh, square
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.static_value import get_static_value

Rule = Callable[..., Series | None]

# ---- linear -------------------------------------------------------------------------------------


def of_linear(
    row: Row, xs: Sequence[Series], followed: Sequence[bool], attrs: Attrs
) -> list[Any] | None:
    """The results for each power of t from the first on; None where the operation is not linear."""
    if row.linear == "jointly":
        return _jointly(row, xs, attrs)
    count = len(xs[0]) if xs else 0
    which = [i for i, f in enumerate(followed) if f]
    if row.linear != "each" and any(i not in row.linear for i in which):
        return None
    if len(which) == 1:
        (i,) = which
        return [None if c is None else apply(row, _with(xs, {i: c}), attrs) for c in xs[i][1:]]
    if len(which) > 2 or row.many:
        return None
    i, j = which

    def product(a: Any, b: Any) -> Any:
        return apply(row, _with(xs, {i: a, j: b}), attrs)

    return [coefficient(xs[i], xs[j], k, product) for k in range(1, count)]


def _jointly(row: Row, xs: Sequence[Series], attrs: Attrs) -> list[Any]:
    found = []
    for cs in list(zip(*xs, strict=True))[1:]:
        inputs = [
            filled(c, x[0]) if x[0].dtype.is_differentiable else x[0]
            for c, x in zip(cs, xs, strict=True)
        ]
        found.append(None if all(c is None for c in cs) else apply(row, inputs, attrs))
    return found


def _with(xs: Sequence[Series], others: dict[int, Any]) -> list[Any]:
    return [others.get(i, x[0]) for i, x in enumerate(xs)]


# ---- arithmetic ---------------------------------------------------------------------------------


def _same(y: Any, x: Series, **_: Any) -> Series:
    return [y, *x[1:]]


def _negative(y: Any, x: Series) -> Series:
    return [y, *[scaled(c, -1.0) for c in x[1:]]]


def _add(y: Any, a: Series, b: Series) -> Series:
    return [y, *[total(pair) for pair in zip(a[1:], b[1:], strict=True)]]


def _subtract(y: Any, a: Series, b: Series) -> Series:
    return [y, *map(difference, a[1:], b[1:])]


def _multiply(y: Any, a: Series, b: Series) -> Series:
    return [y, *[coefficient(a, b, k) for k in range(1, len(a))]]


def _square(y: Any, x: Series) -> Series:
    return [y, *[_of_square(x, k) for k in range(1, len(x))]]


def _of_square(x: Series, k: int) -> Coefficient:
    """Coefficient k of x²: each product of two different coefficients stands there twice."""
    twice = scaled(coefficient(x, x, k, last=(k - 1) // 2), 2.0)
    middle = x[k // 2] if k % 2 == 0 else None
    return total((twice, None if middle is None else square(middle)))


def _divide(y: Any, a: Series, b: Series) -> Series:
    return solved(
        y, a, lambda found, k: coefficient(b, found, k, first=1), lambda r: divide(r, b[0])
    )


def _div_no_nan(y: Any, a: Series, b: Series) -> Series:
    return solved(
        y, a, lambda found, k: coefficient(b, found, k, first=1), lambda r: div_no_nan(r, b[0])
    )


def _mul_no_nan(y: Any, a: Series, b: Series) -> Series:
    return [y, *[coefficient(a, b, k, mul_no_nan) for k in range(1, len(a))]]


def _reciprocal(y: Any, x: Series) -> Series:
    found = [y]
    for k in range(1, len(x)):
        rest = coefficient(x, found, k, first=1)
        found.append(None if rest is None else multiply(scaled(rest, -1.0), y))
    return found


def _power(y: Any, x: Series, exponent: Series) -> Series | None:
    """By multiplying, where the exponent is a small whole number: that is right at zero, too."""
    if exponent[0].dtype.is_complex or any(c is not None for c in exponent[1:]):
        return None
    value = get_static_value(exponent[0])
    number = float(np.ravel(value)[0]) if value is not None and np.size(value) == 1 else 0.0
    if number != int(number) or not 2 <= number <= _LARGEST_POWER:
        return _power_by_slopes(y, x, exponent[0])
    found: Series | None = None
    for bit in bin(int(number))[2:]:
        found = None if found is None else _square(square(found[0]), found)
        if bit == "1":
            found = x if found is None else _multiply(multiply(found[0], x[0]), found, x)
    assert found is not None
    return [y, *found[1:]]


_LARGEST_POWER: Final = 64


def _power_by_slopes(y: Any, x: Series, exponent: Any) -> Series:
    """y' = n x^(n-1) x', and so on for the power in it, without a division: x may be zero."""
    count, rise = len(x), derivative(x)
    slope: Series = []  # of the power that is lower by one, and an order shorter
    for lower in range(count - 1, -1, -1):
        left = subtract(exponent, float(lower))
        found = [y if lower == 0 else pow(x[0], left)]
        for k in range(1, count - lower):
            rate = coefficient(slope, rise, k - 1)
            found.append(None if rate is None else scaled(mul_no_nan(rate, left), 1.0 / k))
        slope = found
    return slope


def _select(y: Any, condition: Series, a: Series, b: Series) -> Series:
    pairs = zip(a[1:], b[1:], strict=True)
    return [
        y,
        *[
            None
            if p is None and q is None
            else where(condition[0], filled(p, a[0]), filled(q, b[0]))
            for p, q in pairs
        ],
    ]


# ---- by recurrences -----------------------------------------------------------------------------


def _grown(y: Any, count: int, rate: Callable[[Series, int], Coefficient]) -> Series:
    """The series whose derivative has the coefficients rate(y so far, k)."""
    found = [y]
    for k in range(1, count):
        found.append(scaled(rate(found, k - 1), 1.0 / k))
    return found


def _exp(y: Any, x: Series) -> Series:
    rise = derivative(x)
    return _grown(y, len(x), lambda found, k: coefficient(rise, found, k))


def _expm1(y: Any, x: Series) -> Series:
    return [y, *_exp(exp(x[0]), x)[1:]]


def _tanh(y: Any, x: Series) -> Series:
    return _riccati(y, x, -1.0)


def _tan(y: Any, x: Series) -> Series:
    return _riccati(y, x, 1.0)


def _riccati(y: Any, x: Series, sign: float) -> Series:
    """y' = (1 + sign y²) x'."""
    rise = derivative(x)
    squares: Series = []

    def rate(found: Series, k: int) -> Coefficient:
        squares.append(scaled(_of_square(found, k), sign))
        if k == 0:
            squares[0] = add(squares[0], 1.0)
        return coefficient(squares, rise, k)

    return _grown(y, len(x), rate)


def _sigmoid(y: Any, x: Series) -> Series:
    """y' = (y - y²) x'."""
    rise = derivative(x)
    slopes: Series = []

    def rate(found: Series, k: int) -> Coefficient:
        slopes.append(difference(found[k], _of_square(found, k)))
        return coefficient(slopes, rise, k)

    return _grown(y, len(x), rate)


def _log(y: Any, x: Series) -> Series:
    """y' = x' / x."""
    rise = derivative(x)
    rates: Series = []

    def rate(found: Series, k: int) -> Coefficient:
        rest = difference(rise[k], coefficient(x, rates, k, first=1))
        rates.append(None if rest is None else divide(rest, x[0]))
        return rates[k]

    return _grown(y, len(x), rate)


def _log1p(y: Any, x: Series) -> Series:
    return _log(y, [add(x[0], 1.0), *x[1:]])


def _sqrt(y: Any, x: Series) -> Series:
    found = [y]
    for k in range(1, len(x)):
        rest = difference(x[k], coefficient(found, found, k, first=1, last=k - 1))
        found.append(None if rest is None else divide(rest, scaled(y, 2.0)))
    return found


def _turning(first: Any, second: Any, x: Series, sign: float) -> tuple[Series, Series]:
    """The pair with a' = b x' and b' = sign a x'."""
    rise = derivative(x)
    a, b = [first], [second]
    for k in range(len(x) - 1):
        up, along = coefficient(b, rise, k), coefficient(a, rise, k)
        a.append(scaled(up, 1.0 / (k + 1)))
        b.append(scaled(along, sign / (k + 1)))
    return a, b


def _softmax(y: Any, x: Series, *, axis: int) -> Series:
    """y' = y (x' - the sum of y x')."""
    rise = derivative(x)
    above: Series = []

    def weighted(p: Any, q: Any) -> Any:
        return reduce_sum(multiply(p, q), axis, keepdims=True)

    def rate(found: Series, k: int) -> Coefficient:
        above.append(difference(rise[k], coefficient(found, rise, k, weighted)))
        return coefficient(found, above, k)

    return _grown(y, len(x), rate)


RULES: Final[dict[str, Rule]] = {
    "Identity": _same,
    "ReadVariableOp": _same,
    "CheckNumerics": _same,
    "Neg": _negative,
    "AddV2": _add,
    "Sub": _subtract,
    "Mul": _multiply,
    "Pow": _power,
    "Square": _square,
    "MulNoNan": _mul_no_nan,
    "RealDiv": _divide,
    "DivNoNan": _div_no_nan,
    "Reciprocal": _reciprocal,
    "SelectV2": _select,
    "Exp": _exp,
    "Expm1": _expm1,
    "Tanh": _tanh,
    "Tan": _tan,
    "Sigmoid": _sigmoid,
    "Log": _log,
    "Log1p": _log1p,
    "Sqrt": _sqrt,
    "Sin": lambda y, x: _turning(y, cos(x[0]), x, -1.0)[0],
    "Cos": lambda y, x: _turning(sin(x[0]), y, x, -1.0)[1],
    "Sinh": lambda y, x: _turning(y, cosh(x[0]), x, 1.0)[0],
    "Cosh": lambda y, x: _turning(sinh(x[0]), y, x, 1.0)[1],
    "Softmax": _softmax,
    **CUMULATIVE_RULES,
    **SYSTEM_RULES,
}
