"""Elementwise functions: NumPy's names and promotion over our operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert.api.numpy.promotion import (
    as_tensor,
    in_floats,
    promoted,
    promoted_floats,
    result_type,
)
from wengert.api.numpy.truths import truth
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.broadcasting import polyval as _polyval
from wengert.ops.arrays.identity import identity
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

Unary = Callable[[Any], Any]
Binary = Callable[[Any, Any], Any]

# ---- of one value -----------------------------------------------------------------------------


def _public(name: str, says: str, function: Callable[..., Any]) -> Any:
    """The function under its public name, which a graph may put off."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = says
    return deferrable(function)


def _of_any(name: str, says: str, compute: Unary) -> Unary:
    """A function that takes every dtype as it is."""

    def function(x: Numeric) -> Tensor:
        result: Tensor = compute(as_tensor(x))
        return result

    found: Unary = _public(name, says, function)
    return found


def _of_floats(name: str, says: str, compute: Unary) -> Unary:
    """A function for which integers become floating."""

    def function(x: Numeric) -> Tensor:
        result: Tensor = compute(in_floats(x))
        return result

    found: Unary = _public(name, says, function)
    return found


def _no_complex(test: Unary) -> Unary:
    """A test of real numbers as one of both parts of complex ones."""

    def applied(x: Tensor) -> Tensor:
        if not x.dtype.is_complex:
            return test(x)  # type: ignore[no-any-return]
        return comparison.logical_or(test(complex.real(x)), test(complex.imag(x)))

    return applied


def _cube_root(x: Tensor) -> Tensor:
    return complex.sign(x) * arithmetic.pow(complex.abs(x), 1.0 / 3.0)


def _toward_zero(x: Tensor) -> Tensor:
    return where(x < 0, elementwise.ceil(x), elementwise.floor(x))


def _sinc(x: Tensor) -> Tensor:
    """sin(pi x) / (pi x), whose value and slope at zero are known."""
    scaled = x * math.pi
    safe = where(x == 0, elementwise.ones_like(x), scaled)
    near = 1.0 - scaled * scaled / 6.0
    return where(x == 0, near, elementwise.sin(safe) / safe)


def _sign_bit(x: Tensor) -> Tensor:
    """Whether the sign is minus, also of minus zero."""
    zero = zeros_like(x)
    if not x.dtype.is_floating:
        return comparison.less(cast(x, result_type(x, 1)), 0)
    return where(x == 0, 1.0 / where(x == 0, x, zero + 1.0) < 0, x < 0)


sin = _of_floats("sin", "The sine.", elementwise.sin)
cos = _of_floats("cos", "The cosine.", elementwise.cos)
tan = _of_floats("tan", "The tangent.", elementwise.tan)
arcsin = _of_floats("arcsin", "The inverse of the sine.", elementwise.asin)
arccos = _of_floats("arccos", "The inverse of the cosine.", elementwise.acos)
arctan = _of_floats("arctan", "The inverse of the tangent.", elementwise.atan)
sinh = _of_floats("sinh", "The hyperbolic sine.", elementwise.sinh)
cosh = _of_floats("cosh", "The hyperbolic cosine.", elementwise.cosh)
tanh = _of_floats("tanh", "The hyperbolic tangent.", elementwise.tanh)
arcsinh = _of_floats("arcsinh", "The inverse of the hyperbolic sine.", elementwise.asinh)
arccosh = _of_floats("arccosh", "The inverse of the hyperbolic cosine.", elementwise.acosh)
arctanh = _of_floats("arctanh", "The inverse of the hyperbolic tangent.", elementwise.atanh)
exp = _of_floats("exp", "e to the power of x.", elementwise.exp)
exp2 = _of_floats("exp2", "2 to the power of x.", lambda x: elementwise.exp(x * math.log(2.0)))
expm1 = _of_floats("expm1", "exp(x) - 1, precise near zero.", elementwise.expm1)
log = _of_floats("log", "The natural logarithm.", elementwise.log)
log2 = _of_floats("log2", "The logarithm to base 2.", lambda x: elementwise.log(x) / math.log(2.0))
log10 = _of_floats(
    "log10", "The logarithm to base 10.", lambda x: elementwise.log(x) / math.log(10.0)
)
log1p = _of_floats("log1p", "log(1 + x), precise near zero.", elementwise.log1p)
sqrt = _of_floats("sqrt", "The square root.", elementwise.sqrt)
cbrt = _of_floats("cbrt", "The cube root, also of negative numbers.", _cube_root)
deg2rad = _of_floats("deg2rad", "Degrees in radians.", lambda x: x * (math.pi / 180.0))
rad2deg = _of_floats("rad2deg", "Radians in degrees.", lambda x: x * (180.0 / math.pi))
floor = _of_floats("floor", "The largest integer that is not above.", elementwise.floor)
ceil = _of_floats("ceil", "The smallest integer that is not below.", elementwise.ceil)
fix = _of_floats("fix", "Rounded toward zero.", _toward_zero)
fabs = _of_any("fabs", "The absolute value.", complex.abs)
sinc = _of_floats("sinc", "sin(pi x) / (pi x).", _sinc)
isnan = _of_floats("isnan", "Whether an element is not a number.", _no_complex(elementwise.is_nan))
isinf = _of_floats("isinf", "Whether an element is infinite.", _no_complex(elementwise.is_inf))
isfinite = _of_floats(
    "isfinite",
    "Whether an element is neither infinite nor nan.",
    lambda x: elementwise.is_finite(complex.abs(x) if x.dtype.is_complex else x),
)
isposinf = _of_floats("isposinf", "Whether an element is inf.", lambda x: x == math.inf)
isneginf = _of_floats("isneginf", "Whether an element is -inf.", lambda x: x == -math.inf)

abs = _of_any("abs", "The absolute value.", complex.abs)
absolute = _of_any("absolute", "The absolute value.", complex.abs)
negative = _of_any("negative", "-x.", elementwise.negative)
positive = _of_any("positive", "+x.", identity)
square = _of_any("square", "x * x.", lambda x: x if x.dtype.is_bool else elementwise.square(x))
conj = _of_any("conj", "The complex conjugate.", complex.conj)
conjugate = _of_any("conjugate", "The complex conjugate.", complex.conj)
bitwise_not = _of_any(
    "bitwise_not",
    "All bits inverted.",
    lambda x: (elementwise.logical_not if x.dtype.is_bool else elementwise.invert)(x),
)
signbit = _of_any("signbit", "Whether the sign is minus.", _sign_bit)
logical_not = _of_any(
    "logical_not", "Whether an element is zero.", lambda x: elementwise.logical_not(truth(x))
)
reciprocal = _of_any("reciprocal", "1 / x.", lambda x: floor_or_true_divide(1, x))
iscomplex = _of_any("iscomplex", "Whether there is an imaginary part.", lambda x: imag(x) != 0)
isreal = _of_any("isreal", "Whether there is no imaginary part.", lambda x: imag(x) == 0)


@deferrable
def sign(x: Numeric, out: Any = None, where: Any = None, **kwargs: Any) -> Tensor:
    """-1, 0 or 1, as the sign of x is; of a complex number x / |x|."""
    if out is not None or where is not None or kwargs:
        raise TypeError(
            "tf.experimental.numpy.sign takes no out, where or other arguments: "
            "its result is a new tensor."
        )
    return complex.sign(as_tensor(x))


@deferrable
def real(val: Numeric) -> Tensor:
    """The real part.

    >>> tf.experimental.numpy.real(1 + 2j).numpy()
    np.float64(1.0)
    """
    tensor = as_tensor(val)
    return complex.real(tensor) if tensor.dtype.is_complex else tensor


@deferrable
def imag(val: Numeric) -> Tensor:
    """The imaginary part, which real numbers have, too: zero.

    >>> tf.experimental.numpy.imag([1 + 2j, 3.0]).numpy()
    array([2., 0.])
    """
    tensor = as_tensor(val)
    return complex.imag(tensor) if tensor.dtype.is_complex else zeros_like(tensor)


@deferrable
def angle(z: Numeric, deg: bool = False) -> Tensor:
    """The angle of a complex number in the plane, in radians or degrees.

    >>> tf.experimental.numpy.angle(1j, deg=True).numpy()
    np.float64(90.0)
    """
    tensor = in_floats(z)
    found = arithmetic.atan2(imag(tensor), real(tensor))
    return found * (180.0 / math.pi) if deg else found


@deferrable
def around(a: Numeric, decimals: int = 0) -> Tensor:
    """Rounded to a number of decimals; halves go to the even neighbour.

    >>> tf.experimental.numpy.around([0.125, 2.5], 2).numpy()
    array([0.12, 2.5 ])
    """
    tensor = as_tensor(a)
    if not tensor.dtype.is_differentiable and decimals >= 0:
        return identity(tensor)
    floats = in_floats(tensor)
    if not decimals:
        return elementwise.round(floats)
    factor = 10.0**decimals
    return cast(elementwise.round(floats * factor) / factor, tensor.dtype)


round = around

# ---- of two values ----------------------------------------------------------------------------


def _of_two(
    name: str, says: str, compute: Binary, booleans: Binary | None = None, floats: bool = False
) -> Binary:
    """A function of two values of one dtype, and what it is of booleans."""

    def function(x1: Numeric, x2: Numeric) -> Tensor:
        a, b = (promoted_floats if floats else promoted)(x1, x2)
        chosen = booleans if booleans is not None and a.dtype.is_bool else compute
        result: Tensor = chosen(a, b)
        return result

    found: Binary = _public(name, says, function)
    return found


def _of_truths(name: str, says: str, compute: Binary) -> Binary:
    """A function of two truths: what is not zero is true."""

    def function(x1: Numeric, x2: Numeric) -> Tensor:
        result: Tensor = compute(truth(x1), truth(x2))
        return result

    found: Binary = _public(name, says, function)
    return found


def _true_divide(a: Tensor, b: Tensor) -> Tensor:
    return arithmetic.truediv(a, b) if not a.dtype.is_bool else in_floats(a) / in_floats(b)


def _heaviside(x: Tensor, at_zero: Tensor) -> Tensor:
    steps = where(x < 0, zeros_like(x), elementwise.ones_like(x))
    return where(elementwise.is_nan(x), x, where(x == 0, at_zero, steps))


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
add = _of_two("add", "x1 + x2; of booleans, or.", arithmetic.add, _or)
subtract = _of_two("subtract", "x1 - x2.", arithmetic.subtract)
multiply = _of_two("multiply", "x1 * x2; of booleans, and.", arithmetic.multiply, _and)
divide = _of_two("divide", "x1 / x2, in floating point.", _true_divide)
true_divide = _of_two("true_divide", "x1 / x2, in floating point.", _true_divide)
floor_divide = _of_two("floor_divide", "The floor of x1 / x2.", arithmetic.floordiv)
mod = _of_two("mod", "The remainder, with the sign of x2.", arithmetic.floormod)
remainder = _of_two("remainder", "The remainder, with the sign of x2.", arithmetic.floormod)
power = _of_two("power", "x1 to the power of x2.", arithmetic.pow)
float_power = _of_two("float_power", "x1 to the power of x2.", arithmetic.pow)
maximum = _of_two("maximum", "The greater of two.", arithmetic.maximum, _or)
minimum = _of_two("minimum", "The smaller of two.", arithmetic.minimum, _and)
arctan2 = _of_two("arctan2", "The angle of the point (x2, x1).", arithmetic.atan2, floats=True)
hypot = _of_two(
    "hypot", "The length of (x1, x2).", lambda a, b: elementwise.sqrt(a * a + b * b), floats=True
)
logaddexp = _of_two("logaddexp", "log(exp(x1) + exp(x2)).", _log_add_exp, floats=True)
logaddexp2 = _of_two("logaddexp2", "log2(2**x1 + 2**x2).", _log_add_exp2, floats=True)
heaviside = _of_two("heaviside", "0, x2 or 1: below, at and above zero.", _heaviside, floats=True)
nextafter = _of_two(
    "nextafter", "The next number after x1 on the way to x2.", arithmetic.nextafter, floats=True
)
equal = _of_two("equal", "Whether x1 is x2.", comparison.equal)
not_equal = _of_two("not_equal", "Whether x1 is not x2.", comparison.not_equal)
less = _of_two("less", "Whether x1 is below x2.", comparison.less, _ordered(comparison.less))
less_equal = _of_two(
    "less_equal",
    "Whether x1 is not above x2.",
    comparison.less_equal,
    _ordered(comparison.less_equal),
)
greater = _of_two(
    "greater", "Whether x1 is above x2.", comparison.greater, _ordered(comparison.greater)
)
greater_equal = _of_two(
    "greater_equal",
    "Whether x1 is not below x2.",
    comparison.greater_equal,
    _ordered(comparison.greater_equal),
)
bitwise_and = _of_two("bitwise_and", "The bits that both have.", comparison.bitwise_and, _and)
bitwise_or = _of_two("bitwise_or", "The bits that one has.", comparison.bitwise_or, _or)
bitwise_xor = _of_two(
    "bitwise_xor", "The bits that differ.", comparison.bitwise_xor, comparison.logical_xor
)
gcd = _of_two("gcd", "The greatest common divisor of integers.", _greatest_divisor)
lcm = _of_two("lcm", "The least common multiple of integers.", _least_multiple)
logical_and = _of_truths("logical_and", "Whether both are true.", comparison.logical_and)
logical_or = _of_truths("logical_or", "Whether one is true.", comparison.logical_or)
logical_xor = _of_truths("logical_xor", "Whether just one is true.", comparison.logical_xor)


def floor_or_true_divide(x1: Numeric, x2: Numeric) -> Tensor:
    """The division that keeps the dtype."""
    a, b = promoted(x1, x2)
    return (a / b) if a.dtype.is_differentiable else arithmetic.floordiv(a, b)


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
    near = comparison.logical_and(complex.abs(x - y) <= bound, isfinite(y))
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
