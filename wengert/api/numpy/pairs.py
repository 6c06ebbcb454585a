"""Elementwise functions of two values, which become of one dtype: NumPy's names over our operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert.api.numpy.declare import Example, public_function
from wengert.api.numpy.elementwise import isnan
from wengert.api.numpy.promotion import (
    as_tensor,
    in_floats,
    promoted,
    promoted_floats,
    result_type,
    truth,
)
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.broadcasting import polyval as _polyval
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.arrays.joining import stack
from wengert.ops.control.while_loop import while_loop
from wengert.ops.math import arithmetic, comparison, complex, elementwise
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.reductions.reductions import reduce_any, reduce_logsumexp
from wengert.values.dtypes import int8
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric

Binary = Callable[[Any, Any], Any]

# ---- of two values ----------------------------------------------------------------------------


def _of_two(
    name: str,
    says: str,
    example: Example,
    compute: Binary,
    booleans: Binary | None = None,
    floats: bool = False,
) -> Binary:
    """A function of two values of one dtype, and what it is of booleans."""

    def function(x1: Numeric, x2: Numeric) -> Tensor:
        a, b = (promoted_floats if floats else promoted)(x1, x2)
        chosen = booleans if booleans is not None and a.dtype.is_bool else compute
        result: Tensor = chosen(a, b)
        return result

    found: Binary = public_function(name, says, example, function)
    return found


def _of_truths(name: str, says: str, example: Example, compute: Binary) -> Binary:
    """A function of two truths: what is not zero is true."""

    def function(x1: Numeric, x2: Numeric) -> Tensor:
        result: Tensor = compute(truth(x1), truth(x2))
        return result

    found: Binary = public_function(name, says, example, function)
    return found


def _true_divide(a: Tensor, b: Tensor) -> Tensor:
    return arithmetic.truediv(a, b) if not a.dtype.is_bool else in_floats(a) / in_floats(b)


def _heaviside(x: Tensor, at_zero: Tensor) -> Tensor:
    steps = where(x < 0, zeros_like(x), elementwise.ones_like(x))
    return where(elementwise.is_nan(x), stop_gradient(x), where(x == 0, at_zero, steps))


def _log_add_exp(a: Tensor, b: Tensor) -> Tensor:
    return reduce_logsumexp(stack([a + zeros_like(b), b + zeros_like(a)]), 0)


def _log_add_exp2(a: Tensor, b: Tensor) -> Tensor:
    two = math.log(2.0)
    return _log_add_exp(a * two, b * two) / two


def _greatest_divisor(a: Tensor, b: Tensor) -> Tensor:
    """Euclid's algorithm, on all pairs at once until none has a remainder."""
    a, b = complex.abs(a + zeros_like(b)), complex.abs(b + zeros_like(a))

    def step(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        done = b == 0
        rest = arithmetic.floormod(a, where(done, elementwise.ones_like(b), b))
        return where(done, a, b), where(done, b, rest)

    found: tuple[Tensor, Tensor] = while_loop(lambda _, b: reduce_any(b != 0), step, (a, b))
    return found[0]


def _least_multiple(a: Tensor, b: Tensor) -> Tensor:
    divisor = _greatest_divisor(a, b)
    none = divisor == 0
    safe = where(none, elementwise.ones_like(divisor), divisor)
    return complex.abs(where(none, zeros_like(divisor), arithmetic.floordiv(a, safe) * b))


def _ordered(compare: Binary) -> Binary:
    """A comparison of booleans: False comes before True."""
    return lambda a, b: compare(cast(a, int8), cast(b, int8))


_or, _and = comparison.logical_or, comparison.logical_and
add = _of_two(
    "add", "x1 + x2; of booleans, or.", ("[1.0, 5.0], 2.0", "[3.0, 7.0]"), arithmetic.add, _or
)
subtract = _of_two("subtract", "x1 - x2.", ("[1.0, 5.0], 2.0", "[-1.0, 3.0]"), arithmetic.subtract)
multiply = _of_two(
    "multiply",
    "x1 * x2; of booleans, and.",
    ("[1.0, 5.0], 2.0", "[2.0, 10.0]"),
    arithmetic.multiply,
    _and,
)
divide = _of_two(
    "divide", "x1 / x2, in floating point.", ("[1.0, 5.0], 2.0", "[0.5, 2.5]"), _true_divide
)
true_divide = _of_two(
    "true_divide", "x1 / x2, in floating point.", ("[1.0, 5.0], 2.0", "[0.5, 2.5]"), _true_divide
)
floor_divide = _of_two(
    "floor_divide", "The floor of x1 / x2.", ("[7, -7], 2", "[3, -4]"), arithmetic.floordiv
)
mod = _of_two(
    "mod", "The remainder, with the sign of x2.", ("[7, -7], 3", "[1, 2]"), arithmetic.floormod
)
remainder = _of_two(
    "remainder",
    "The remainder, with the sign of x2.",
    ("[7, -7], 3", "[1, 2]"),
    arithmetic.floormod,
)
power = _of_two("power", "x1 to the power of x2.", ("[2.0, 3.0], 2", "[4.0, 9.0]"), arithmetic.pow)
float_power = _of_two(
    "float_power", "x1 to the power of x2.", ("[2.0, 3.0], 2", "[4.0, 9.0]"), arithmetic.pow
)
maximum = _of_two(
    "maximum", "The greater of two.", ("[1.0, 5.0], 2.0", "[2.0, 5.0]"), arithmetic.maximum, _or
)
minimum = _of_two(
    "minimum", "The smaller of two.", ("[1.0, 5.0], 2.0", "[1.0, 2.0]"), arithmetic.minimum, _and
)
arctan2 = _of_two(
    "arctan2",
    "The angle of the point (x2, x1).",
    ("[1.0, -1.0], 1.0", "[0.7854, -0.7854]"),
    arithmetic.atan2,
    floats=True,
)
hypot = _of_two(
    "hypot",
    "The length of (x1, x2).",
    ("3.0, 4.0", "5.0"),
    lambda a, b: elementwise.sqrt(a * a + b * b),
    floats=True,
)
logaddexp = _of_two(
    "logaddexp",
    "log(exp(x1) + exp(x2)).",
    ("[0.0, 1.0], 1.0", "[1.3133, 1.6931]"),
    _log_add_exp,
    floats=True,
)
logaddexp2 = _of_two(
    "logaddexp2",
    "log2(2**x1 + 2**x2).",
    ("[0.0, 1.0], 1.0", "[1.585, 2.0]"),
    _log_add_exp2,
    floats=True,
)
heaviside = _of_two(
    "heaviside",
    "0, x2 or 1: below, at and above zero.",
    ("[-1.0, 0.0, 2.0], 0.5", "[0.0, 0.5, 1.0]"),
    _heaviside,
    floats=True,
)
nextafter = _of_two(
    "nextafter",
    "The next number after x1 on the way to x2.",
    ("[0.0], 1.0", "[5e-324]"),
    arithmetic.nextafter,
    floats=True,
)
equal = _of_two(
    "equal", "Whether x1 is x2.", ("[1, 2, 3], 2", "[False, True, False]"), comparison.equal
)
not_equal = _of_two(
    "not_equal",
    "Whether x1 is not x2.",
    ("[1, 2, 3], 2", "[True, False, True]"),
    comparison.not_equal,
)
less = _of_two(
    "less",
    "Whether x1 is below x2.",
    ("[1, 2, 3], 2", "[True, False, False]"),
    comparison.less,
    _ordered(comparison.less),
)
less_equal = _of_two(
    "less_equal",
    "Whether x1 is not above x2.",
    ("[1, 2, 3], 2", "[True, True, False]"),
    comparison.less_equal,
    _ordered(comparison.less_equal),
)
greater = _of_two(
    "greater",
    "Whether x1 is above x2.",
    ("[1, 2, 3], 2", "[False, False, True]"),
    comparison.greater,
    _ordered(comparison.greater),
)
greater_equal = _of_two(
    "greater_equal",
    "Whether x1 is not below x2.",
    ("[1, 2, 3], 2", "[False, True, True]"),
    comparison.greater_equal,
    _ordered(comparison.greater_equal),
)
bitwise_and = _of_two(
    "bitwise_and", "The bits that both have.", ("[6, 5], 3", "[2, 1]"), comparison.bitwise_and, _and
)
bitwise_or = _of_two(
    "bitwise_or", "The bits that one has.", ("[6, 5], 3", "[7, 7]"), comparison.bitwise_or, _or
)
bitwise_xor = _of_two(
    "bitwise_xor",
    "The bits that differ.",
    ("[6, 5], 3", "[5, 6]"),
    comparison.bitwise_xor,
    comparison.logical_xor,
)
gcd = _of_two(
    "gcd", "The greatest common divisor of integers.", ("[12, 9], 6", "[6, 3]"), _greatest_divisor
)
lcm = _of_two(
    "lcm", "The least common multiple of integers.", ("[4, 9], 6", "[12, 18]"), _least_multiple
)
logical_and = _of_truths(
    "logical_and",
    "Whether both are true.",
    ("[0, 1, 2], 1", "[False, True, True]"),
    comparison.logical_and,
)
logical_or = _of_truths(
    "logical_or",
    "Whether one is true.",
    ("[0, 1, 2], 1", "[True, True, True]"),
    comparison.logical_or,
)
logical_xor = _of_truths(
    "logical_xor",
    "Whether just one is true.",
    ("[0, 1, 2], 1", "[True, False, False]"),
    comparison.logical_xor,
)


@deferrable
def divmod(x1: Numeric, x2: Numeric) -> tuple[Tensor, Tensor]:
    """The floor of x1 / x2, and the remainder.

    >>> [int(part) for part in tf.experimental.numpy.divmod(7, 3)]
    [2, 1]
    """
    return floor_divide(x1, x2), mod(x1, x2)


@deferrable
def clip(a: Numeric, a_min: Numeric | None, a_max: Numeric | None) -> Tensor:
    """The values, none of them below `a_min` or above `a_max`.

    >>> tf.experimental.numpy.clip([1.0, 5.0], 2.0, None).numpy()
    array([2., 5.])
    """
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`: give a bound.")
    bounds = [b for b in (a_min, a_max) if b is not None]
    tensor = as_tensor(a, result_type(a, *bounds))
    if a_min is not None:
        tensor = arithmetic.maximum(tensor, as_tensor(a_min, tensor.dtype))
    return tensor if a_max is None else arithmetic.minimum(tensor, as_tensor(a_max, tensor.dtype))


@deferrable
def isclose(
    a: Numeric, b: Numeric, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether |a - b| <= atol + rtol |b|, or both are the same infinity.

    >>> tf.experimental.numpy.isclose([1.0, 2.0], [1.0, 2.1]).numpy()
    array([ True, False])
    """
    x, y = promoted(a, b)
    if not x.dtype.is_differentiable:
        return comparison.equal(x, y)
    bound = atol + rtol * complex.abs(y)
    near = comparison.logical_and(
        complex.abs(x - y) <= bound, elementwise.is_finite(complex.abs(y))
    )
    found = comparison.logical_or(x == y, near)
    return _or(found, _and(isnan(x), isnan(y))) if equal_nan else found


@deferrable
def polyval(p: Numeric, x: Numeric) -> Tensor:
    """The polynomial with the coefficients p, the highest power first, at x.

    >>> tf.experimental.numpy.polyval([1.0, 2.0], 3.0).numpy()
    np.float64(5.0)
    """
    given = list(p) if isinstance(p, (list, tuple)) else [p]
    dtype = result_type(*given, x)
    coefficients, at = as_tensor(p, dtype), as_tensor(x, dtype)
    return _polyval(list(coefficients), at)
