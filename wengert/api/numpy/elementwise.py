"""Elementwise functions: NumPy's names and promotion over our operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert.api.numpy.declare import Example, public_function
from wengert.api.numpy.promotion import (
    as_tensor,
    in_floats,
    result_type,
    truth,
)
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.identity import identity
from wengert.ops.math import arithmetic, comparison, complex, elementwise
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, ones_like, zeros_like
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric

Unary = Callable[[Any], Any]

# ---- of one value -----------------------------------------------------------------------------


def _of_any(name: str, says: str, example: Example, compute: Unary) -> Unary:
    """A function that takes every dtype as it is."""

    def function(x: Numeric) -> Tensor:
        result: Tensor = compute(as_tensor(x))
        return result

    found: Unary = public_function(name, says, example, function)
    return found


def _of_floats(name: str, says: str, example: Example, compute: Unary) -> Unary:
    """A function for which integers become floating."""

    def function(x: Numeric) -> Tensor:
        result: Tensor = compute(in_floats(x))
        return result

    found: Unary = public_function(name, says, example, function)
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


def _inverse(x: Tensor) -> Tensor:
    """1 / x in the dtype of x: of integers, what of it is whole."""
    found: Tensor = (1 / x) if x.dtype.is_differentiable else arithmetic.floordiv(ones_like(x), x)
    return found


def _sign_bit(x: Tensor) -> Tensor:
    """Whether the sign is minus, also of minus zero."""
    zero = zeros_like(x)
    if not x.dtype.is_floating:
        return comparison.less(cast(x, result_type(x, 1)), 0)
    return where(x == 0, 1.0 / where(x == 0, x, zero + 1.0) < 0, x < 0)


sin = _of_floats("sin", "The sine.", ("[0.0, 0.5]", "[0.0, 0.4794]"), elementwise.sin)
cos = _of_floats("cos", "The cosine.", ("[0.0, 0.5]", "[1.0, 0.8776]"), elementwise.cos)
tan = _of_floats("tan", "The tangent.", ("[0.0, 0.5]", "[0.0, 0.5463]"), elementwise.tan)
arcsin = _of_floats(
    "arcsin", "The inverse of the sine.", ("[0.0, 0.5]", "[0.0, 0.5236]"), elementwise.asin
)
arccos = _of_floats(
    "arccos", "The inverse of the cosine.", ("[0.0, 0.5]", "[1.5708, 1.0472]"), elementwise.acos
)
arctan = _of_floats(
    "arctan", "The inverse of the tangent.", ("[0.0, 0.5]", "[0.0, 0.4636]"), elementwise.atan
)
sinh = _of_floats("sinh", "The hyperbolic sine.", ("[0.0, 0.5]", "[0.0, 0.5211]"), elementwise.sinh)
cosh = _of_floats(
    "cosh", "The hyperbolic cosine.", ("[0.0, 0.5]", "[1.0, 1.1276]"), elementwise.cosh
)
tanh = _of_floats(
    "tanh", "The hyperbolic tangent.", ("[0.0, 0.5]", "[0.0, 0.4621]"), elementwise.tanh
)
arcsinh = _of_floats(
    "arcsinh",
    "The inverse of the hyperbolic sine.",
    ("[0.0, 0.5]", "[0.0, 0.4812]"),
    elementwise.asinh,
)
arccosh = _of_floats(
    "arccosh",
    "The inverse of the hyperbolic cosine.",
    ("[1.0, 2.0]", "[0.0, 1.317]"),
    elementwise.acosh,
)
arctanh = _of_floats(
    "arctanh",
    "The inverse of the hyperbolic tangent.",
    ("[0.0, 0.5]", "[0.0, 0.5493]"),
    elementwise.atanh,
)
exp = _of_floats("exp", "e to the power of x.", ("[0.0, 0.5]", "[1.0, 1.6487]"), elementwise.exp)
exp2 = _of_floats(
    "exp2",
    "2 to the power of x.",
    ("[1.0, 3.0]", "[2.0, 8.0]"),
    lambda x: elementwise.exp(x * math.log(2.0)),
)
expm1 = _of_floats(
    "expm1", "exp(x) - 1, precise near zero.", ("[0.0, 0.5]", "[0.0, 0.6487]"), elementwise.expm1
)
log = _of_floats("log", "The natural logarithm.", ("[1.0, 2.0]", "[0.0, 0.6931]"), elementwise.log)
log2 = _of_floats(
    "log2",
    "The logarithm to base 2.",
    ("[1.0, 8.0]", "[0.0, 3.0]"),
    lambda x: elementwise.log(x) / math.log(2.0),
)
log10 = _of_floats(
    "log10",
    "The logarithm to base 10.",
    ("[1.0, 100.0]", "[0.0, 2.0]"),
    lambda x: elementwise.log(x) / math.log(10.0),
)
log1p = _of_floats(
    "log1p", "log(1 + x), precise near zero.", ("[0.0, 0.5]", "[0.0, 0.4055]"), elementwise.log1p
)
sqrt = _of_floats("sqrt", "The square root.", ("[4.0, 9.0]", "[2.0, 3.0]"), elementwise.sqrt)
cbrt = _of_floats(
    "cbrt", "The cube root, also of negative numbers.", ("[8.0, -27.0]", "[2.0, -3.0]"), _cube_root
)
deg2rad = _of_floats(
    "deg2rad",
    "Degrees in radians.",
    ("[0.0, 180.0]", "[0.0, 3.1416]"),
    lambda x: x * (math.pi / 180.0),
)
rad2deg = _of_floats(
    "rad2deg",
    "Radians in degrees.",
    ("[0.0, 1.0]", "[0.0, 57.2958]"),
    lambda x: x * (180.0 / math.pi),
)
floor = _of_floats(
    "floor",
    "The largest integer that is not above.",
    ("[1.5, -1.5]", "[1.0, -2.0]"),
    elementwise.floor,
)
ceil = _of_floats(
    "ceil",
    "The smallest integer that is not below.",
    ("[1.5, -1.5]", "[2.0, -1.0]"),
    elementwise.ceil,
)
fix = _of_floats("fix", "Rounded toward zero.", ("[1.5, -1.5]", "[1.0, -1.0]"), _toward_zero)
fabs = _of_any("fabs", "The absolute value.", ("[1.5, -1.5]", "[1.5, 1.5]"), complex.abs)
sinc = _of_floats("sinc", "sin(pi x) / (pi x).", ("[0.0, 0.5]", "[1.0, 0.6366]"), _sinc)
isnan = _of_floats(
    "isnan",
    "Whether an element is not a number.",
    ('[1.0, float("nan")]', "[False, True]"),
    _no_complex(elementwise.is_nan),
)
isinf = _of_floats(
    "isinf",
    "Whether an element is infinite.",
    ('[1.0, float("inf")]', "[False, True]"),
    _no_complex(elementwise.is_inf),
)
isfinite = _of_floats(
    "isfinite",
    "Whether an element is neither infinite nor nan.",
    ('[1.0, float("inf")]', "[True, False]"),
    lambda x: elementwise.is_finite(complex.abs(x) if x.dtype.is_complex else x),
)
isposinf = _of_floats(
    "isposinf",
    "Whether an element is inf.",
    ('[1.0, float("inf")]', "[False, True]"),
    lambda x: x == math.inf,
)
isneginf = _of_floats(
    "isneginf",
    "Whether an element is -inf.",
    ('[1.0, float("-inf")]', "[False, True]"),
    lambda x: x == -math.inf,
)

abs = _of_any("abs", "The absolute value.", ("[1.5, -1.5]", "[1.5, 1.5]"), complex.abs)
absolute = _of_any("absolute", "The absolute value.", ("[1.5, -1.5]", "[1.5, 1.5]"), complex.abs)
negative = _of_any("negative", "-x.", ("[1.5, -1.5]", "[-1.5, 1.5]"), elementwise.negative)
positive = _of_any("positive", "+x.", ("[1.5, -1.5]", "[1.5, -1.5]"), identity)
square = _of_any(
    "square",
    "x * x.",
    ("[2.0, 3.0]", "[4.0, 9.0]"),
    lambda x: x if x.dtype.is_bool else elementwise.square(x),
)
conj = _of_any("conj", "The complex conjugate.", ("[1 + 2j]", "[(1-2j)]"), complex.conj)
conjugate = _of_any("conjugate", "The complex conjugate.", ("[1 + 2j]", "[(1-2j)]"), complex.conj)
bitwise_not = _of_any(
    "bitwise_not",
    "All bits inverted.",
    ("[0, 5]", "[-1, -6]"),
    lambda x: (elementwise.logical_not if x.dtype.is_bool else elementwise.invert)(x),
)
signbit = _of_any(
    "signbit", "Whether the sign is minus.", ("[1.5, -1.5]", "[False, True]"), _sign_bit
)
logical_not = _of_any(
    "logical_not",
    "Whether an element is zero.",
    ("[0, 2]", "[True, False]"),
    lambda x: elementwise.logical_not(truth(x)),
)
reciprocal = _of_any("reciprocal", "1 / x.", ("[2.0, 4.0]", "[0.5, 0.25]"), lambda x: _inverse(x))
iscomplex = _of_any(
    "iscomplex",
    "Whether there is an imaginary part.",
    ("[1.0, 2j]", "[False, True]"),
    lambda x: imag(x) != 0,
)
isreal = _of_any(
    "isreal",
    "Whether there is no imaginary part.",
    ("[1.0, 2j]", "[True, False]"),
    lambda x: imag(x) == 0,
)


@deferrable
def sign(x: Numeric, out: Any = None, where: Any = None, **kwargs: Any) -> Tensor:
    """-1, 0 or 1, as the sign of x is; of a complex number x / |x|.

    >>> tf.experimental.numpy.sign([-2.0, 0.0, 3.0]).numpy().tolist()
    [-1.0, 0.0, 1.0]
    """
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
        kept: Tensor = identity(tensor)
        return kept
    floats = in_floats(tensor)
    if not decimals:
        return elementwise.round(floats)
    factor = float(10.0**decimals)
    rounded = elementwise.round(floats * factor) / factor
    return cast(rounded, tensor.dtype)


round = around
