"""Symbolic complex numbers: a pair of lanes that a kernel gets in place of an array of complex numbers.

The functions have the names of NumPy's, as those of `lanes`, and its results, also far from one and where
a part is zero: quotients by Smith's method, moduli without overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.lanes import LANES, Lane, cast, like
from wengert.engines.native.frontend.scalar import NotLowered, dtype_of

# The dtype of complex numbers by the type of their parts, and the other way round.
COMPLEX_OF: Final = {"f4": np.dtype(np.complex64), "f8": np.dtype(np.complex128)}
PART_OF: Final = {dtype: kind for kind, dtype in COMPLEX_OF.items()}


class ComplexLane:
    """One complex number, whose value is not known."""

    __slots__ = ("dtype", "imag", "real")

    shape: Final = ()
    ndim: Final = 0
    size: Final = 1

    def __init__(self, real: Lane, imag: Lane) -> None:
        self.real = real
        self.imag = imag
        self.dtype = COMPLEX_OF[real.kind]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs:
            raise NotLowered(f"{ufunc.__name__}.{method} with {sorted(kwargs)}")
        return getattr(COMPLEX_LANES, ufunc.__name__)(*inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return getattr(COMPLEX_LANES, function.__name__)(*args, **kwargs)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise NotLowered("a value is asked for while it is not known")

    __bool__ = __int__ = __float__ = __index__ = __iter__ = __len__ = __array__

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        wanted = np.dtype(dtype)
        if wanted.kind != "c":
            return self.real.astype(wanted)
        return _as_complex(self, dtype_of(PART_OF[wanted]), self.real)

    def conj(self) -> ComplexLane:
        return ComplexLane(self.real, -self.imag)

    def copy(self) -> ComplexLane:
        return self

    def __add__(self, other: Any) -> ComplexLane:
        return ComplexNamespace.add(self, other)

    def __radd__(self, other: Any) -> ComplexLane:
        return ComplexNamespace.add(other, self)

    def __sub__(self, other: Any) -> ComplexLane:
        return ComplexNamespace.subtract(self, other)

    def __rsub__(self, other: Any) -> ComplexLane:
        return ComplexNamespace.subtract(other, self)

    def __mul__(self, other: Any) -> ComplexLane:
        return ComplexNamespace.multiply(self, other)

    def __rmul__(self, other: Any) -> ComplexLane:
        return ComplexNamespace.multiply(other, self)

    def __truediv__(self, other: Any) -> ComplexLane:
        return ComplexNamespace.divide(self, other)

    def __rtruediv__(self, other: Any) -> ComplexLane:
        return ComplexNamespace.divide(other, self)

    def __neg__(self) -> ComplexLane:
        return ComplexLane(-self.real, -self.imag)

    def __abs__(self) -> Lane:
        return ComplexNamespace.absolute(self)

    def __eq__(self, other: Any) -> Lane:  # type: ignore[override]
        return ComplexNamespace.equal(self, other)

    def __ne__(self, other: Any) -> Lane:  # type: ignore[override]
        return ComplexNamespace.not_equal(self, other)

    __hash__ = None  # type: ignore[assignment]


def _alike(*values: Any) -> list[ComplexLane]:
    """Complex lanes of the common dtype, as NumPy promotes."""
    known = [v.dtype if isinstance(v, (Lane, ComplexLane)) else v for v in values]
    dtype = np.result_type(*known)
    if dtype not in PART_OF:
        raise NotLowered(f"complex numbers of dtype {dtype}")
    lane = next(v for v in values if isinstance(v, (Lane, ComplexLane)))
    part = dtype_of(PART_OF[dtype])
    return [_as_complex(v, part, lane.real) for v in values]


def _as_complex(value: Any, part: Any, some: Lane) -> ComplexLane:
    if isinstance(value, ComplexLane):
        return ComplexLane(cast(value.real, part), cast(value.imag, part))
    if isinstance(value, Lane):
        real = cast(value, part)
        return ComplexLane(real, like(real, 0.0))
    number = complex(value)
    zero = like(cast(some, part), 0.0)
    return ComplexLane(like(zero, number.real), like(zero, number.imag))


def _of_two(
    function: Callable[[ComplexLane, ComplexLane], ComplexLane],
) -> Callable[[Any, Any], ComplexLane]:
    return lambda x, y: function(*_alike(x, y))


def _product(x: ComplexLane, y: ComplexLane) -> ComplexLane:
    return ComplexLane(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def _quotient(x: ComplexLane, y: ComplexLane) -> ComplexLane:
    """By the larger part of the divisor first, so that no square overflows."""
    is_wide = LANES.absolute(y.real) >= LANES.absolute(y.imag)
    more, less = _exchanged(is_wide, y.real, y.imag)
    a, b = _exchanged(is_wide, x.real, x.imag)
    is_zero = LANES.logical_and(y.real == 0, y.imag == 0)
    ratio = LANES.where(is_zero, like(more, 0.0), less / more)
    below = more + less * ratio
    below = LANES.where(is_zero, LANES.absolute(more), below)
    real = (a + b * ratio) / below
    imag = LANES.where(is_wide, x.imag - x.real * ratio, x.imag * ratio - x.real) / below
    return ComplexLane(real, imag)


def _reciprocal(x: ComplexLane) -> ComplexLane:
    """The same for one, which of zero is no number."""
    is_wide = LANES.absolute(x.real) >= LANES.absolute(x.imag)
    more, less = _exchanged(is_wide, x.real, x.imag)
    ratio = less / more
    below = LANES.reciprocal(more + less * ratio)
    more, less = _exchanged(is_wide, below, ratio * below)
    return ComplexLane(more, -less)


def _exchanged(stay: Lane, x: Lane, y: Lane) -> tuple[Lane, Lane]:
    return LANES.where(stay, x, y), LANES.where(stay, y, x)


def _modulus(x: ComplexLane) -> Lane:
    """The square root of the sum of squares, which is computed where none overflows."""
    if x.dtype == np.complex64:
        size = cast(LANES.sqrt(_squares_of(x)), x.real.dtype)
    else:
        large, small = _larger_first(x)
        ratio = LANES.where(large == 0, like(large, 0.0), small / large)
        size = large * LANES.sqrt(ratio * ratio + 1.0)
    return _unless_infinite(x, size)


def _log_of_modulus(x: ComplexLane) -> Lane:
    """Near one the logarithm of the modulus is exact, which the modulus by itself is not."""
    if x.dtype == np.complex64:
        size = cast(LANES.log(_squares_of(x)) * 0.5, x.real.dtype)
    else:
        large, small = _larger_first(x)
        near = LANES.log1p((large - 1.0) * (large + 1.0) + small * small) * 0.5
        is_near = LANES.logical_and(large > 0.5, large < 2.0)
        size = LANES.where(is_near, near, LANES.log(_modulus(x)))
    return _unless_infinite(x, size)


def _squares_of(x: ComplexLane) -> Lane:
    """The sum of the squares, in double precision."""
    a, b = (cast(v, np.dtype(np.float64)) for v in (x.real, x.imag))
    return a * a + b * b


def _larger_first(x: ComplexLane) -> tuple[Lane, Lane]:
    a, b = LANES.absolute(x.real), LANES.absolute(x.imag)
    return LANES.maximum(a, b), LANES.minimum(a, b)


def _unless_infinite(x: ComplexLane, size: Lane) -> Lane:
    """Infinity where a part is, also beside one that is no number."""
    return LANES.where(ComplexNamespace.isinf(x), like(size, math.inf), size)


def _far(x: Lane) -> tuple[Lane, Lane, Lane]:
    """Whether the exponential may overflow; how much less has one that does not, and what it lacks."""
    bound, shift = (60.0, 44.0) if x.kind == "f4" else (600.0, 400.0)
    is_far = x > bound
    less = LANES.where(is_far, like(x, shift), like(x, 0.0))
    return is_far, less, LANES.where(is_far, like(x, math.exp(shift)), like(x, 1.0))


def _hyperbolic(x: Lane) -> tuple[Lane, Lane, Lane]:
    """The hyperbolic sine and cosine, and a factor that both lack: far from zero they are half an exponential."""
    size = LANES.absolute(x)
    is_far, less, factor = _far(size)
    half = LANES.exp(size - less) * 0.5
    sine = LANES.where(is_far, LANES.copysign(half, x), LANES.sinh(x))
    return sine, LANES.where(is_far, half, LANES.cosh(x)), factor


def _tanh(x: ComplexLane) -> ComplexLane:
    """By the functions of the parts; the square of the hyperbolic secant is not cancelled away."""
    t, u = LANES.tanh(x.real), LANES.tan(x.imag)
    secant = LANES.reciprocal(LANES.cosh(x.real))
    below = t * t * u * u + 1.0
    return ComplexLane(t * (u * u + 1.0) / below, u * secant * secant / below)


def _turned(x: ComplexLane) -> ComplexLane:
    """Times the imaginary unit."""
    return ComplexLane(-x.imag, x.real)


def _turned_back(x: ComplexLane) -> ComplexLane:
    return ComplexLane(x.imag, -x.real)


PRODUCTS: Final = 100.0  # powers to smaller whole numbers are products, as in NumPy


def _whole_power(a: ComplexLane, n: Lane) -> ComplexLane:
    """The product of factors, multiplied as NumPy does, which tells where they are infinite."""
    where: Callable[..., ComplexLane] = ComplexNamespace.where
    one = ComplexLane(like(a.real, 1.0), like(a.real, 0.0))
    found, square, left = one, a, LANES.absolute(n)
    for _ in range(int(PRODUCTS).bit_length()):
        half = LANES.floor(left * 0.5)
        found = where(left == half * 2.0, found, found * square)
        square, left = square * square, half
    found = where(n < 0, one / found, found)
    for count, product in ((1.0, a), (2.0, a * a), (3.0, a * (a * a))):
        found = where(n == count, product, found)
    return found


class ComplexNamespace:
    """The functions of NumPy that complex lanes support; those of real lanes are `LANES`'s."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(LANES, name)
        if isinstance(found, (type, float, np.dtype)):  # xp.float32, xp.pi
            return found

        def of_reals(*values: Any) -> Any:
            if any(isinstance(v, ComplexLane) for v in values):
                raise NotLowered(f"{name} of complex numbers")
            return found(*values)

        return of_reals

    add = staticmethod(_of_two(lambda x, y: ComplexLane(x.real + y.real, x.imag + y.imag)))
    subtract = staticmethod(_of_two(lambda x, y: ComplexLane(x.real - y.real, x.imag - y.imag)))
    multiply = staticmethod(_of_two(_product))
    divide = true_divide = staticmethod(_of_two(_quotient))

    @staticmethod
    def equal(x: Any, y: Any) -> Lane:
        a, b = _alike(x, y)
        return LANES.logical_and(a.real == b.real, a.imag == b.imag)

    @staticmethod
    def not_equal(x: Any, y: Any) -> Lane:
        return LANES.logical_not(ComplexNamespace.equal(x, y))

    @staticmethod
    def negative(x: ComplexLane) -> ComplexLane:
        return -x

    @staticmethod
    def positive(x: ComplexLane) -> ComplexLane:
        return x

    @staticmethod
    def conj(x: ComplexLane) -> ComplexLane:
        return x.conj()

    conjugate = conj

    @staticmethod
    def real(x: Any) -> Lane:
        found: Lane = x.real
        return found

    @staticmethod
    def imag(x: ComplexLane) -> Lane:
        return x.imag

    @staticmethod
    def square(x: ComplexLane) -> ComplexLane:
        return _product(x, x)

    @staticmethod
    def reciprocal(x: ComplexLane) -> ComplexLane:
        return _reciprocal(x)

    @staticmethod
    def absolute(x: ComplexLane) -> Lane:
        return _modulus(x)

    abs = absolute

    @staticmethod
    def angle(x: ComplexLane) -> Lane:
        found: Lane = LANES.arctan2(x.imag, x.real)
        return found

    @staticmethod
    def exp(x: ComplexLane) -> ComplexLane:
        """In two factors, where the modulus alone might overflow."""
        _, shift, factor = _far(x.real)
        size = LANES.exp(x.real - shift)
        cosine = LANES.where(x.imag == 0, like(x.imag, 1.0), LANES.cos(x.imag))
        sine = LANES.where(x.imag == 0, x.imag, size * LANES.sin(x.imag) * factor)
        return ComplexLane(size * cosine * factor, sine)

    @staticmethod
    def log(x: ComplexLane) -> ComplexLane:
        return ComplexLane(_log_of_modulus(x), LANES.arctan2(x.imag, x.real))

    @staticmethod
    def log1p(x: ComplexLane) -> ComplexLane:
        return ComplexNamespace.log(ComplexLane(x.real + 1.0, x.imag))

    @staticmethod
    def expm1(x: ComplexLane) -> ComplexLane:
        """Small numbers keep their digits: the cosine is one minus a square."""
        half = LANES.sin(x.imag * 0.5)
        real = LANES.expm1(x.real) * LANES.cos(x.imag) - half * half * 2.0
        return ComplexLane(real, LANES.exp(x.real) * LANES.sin(x.imag))

    @staticmethod
    def power(x: Any, y: Any) -> ComplexLane:
        a, b = _alike(x, y)
        found = ComplexNamespace.exp(b * ComplexNamespace.log(a))
        size = LANES.absolute(b.real)
        is_whole = (b.imag == 0) & (size < PRODUCTS) & (LANES.floor(size) == size)
        found = ComplexNamespace.where(is_whole, _whole_power(a, b.real), found)
        zero, one = _alike(0.0, 1.0, a)[:2]
        unknown = ComplexLane(like(a.real, math.nan), like(a.real, math.nan))
        where = ComplexNamespace.where
        at_zero = where(b.real > 0, zero, unknown)
        result: ComplexLane = where(b == 0, one, where(a == 0, at_zero, found))
        return result

    @staticmethod
    def sqrt(x: ComplexLane) -> ComplexLane:
        """The root of the larger one of two sums, from which the other part follows."""
        size = LANES.absolute(x.real) * 0.5 + _modulus(x) * 0.5
        root = LANES.sqrt(size)
        zero = like(root, 0.0)
        other = LANES.where(root == 0, zero, LANES.absolute(x.imag) * 0.5 / root)
        is_right = x.real >= 0
        is_infinite = LANES.isinf(x.imag)
        real = LANES.where(is_infinite, like(root, math.inf), LANES.where(is_right, root, other))
        imag = LANES.copysign(LANES.where(is_right, other, root), x.imag)
        return ComplexLane(real, LANES.where(is_infinite, x.imag, imag))

    @staticmethod
    def sinh(x: ComplexLane) -> ComplexLane:
        sine, cosine, factor = _hyperbolic(x.real)
        imag = LANES.where(x.imag == 0, x.imag, cosine * LANES.sin(x.imag) * factor)
        return ComplexLane(sine * LANES.cos(x.imag) * factor, imag)

    @staticmethod
    def cosh(x: ComplexLane) -> ComplexLane:
        sine, cosine, factor = _hyperbolic(x.real)
        at_zero = x.imag * LANES.copysign(like(x.real, 1.0), x.real)
        imag = LANES.where(x.imag == 0, at_zero, sine * LANES.sin(x.imag) * factor)
        return ComplexLane(cosine * LANES.cos(x.imag) * factor, imag)

    tanh = staticmethod(_tanh)

    @staticmethod
    def sin(x: ComplexLane) -> ComplexLane:
        return _turned_back(ComplexNamespace.sinh(_turned(x)))

    @staticmethod
    def cos(x: ComplexLane) -> ComplexLane:
        return ComplexNamespace.cosh(_turned(x))

    @staticmethod
    def tan(x: ComplexLane) -> ComplexLane:
        return _turned_back(_tanh(_turned(x)))

    @staticmethod
    def where(condition: Any, x: Any, y: Any) -> Any:
        if not any(isinstance(v, ComplexLane) for v in (x, y)):
            return LANES.where(condition, x, y)
        a, b = _alike(x, y)
        return ComplexLane(
            LANES.where(condition, a.real, b.real), LANES.where(condition, a.imag, b.imag)
        )

    @staticmethod
    def isnan(x: ComplexLane) -> Lane:
        return LANES.logical_or(LANES.isnan(x.real), LANES.isnan(x.imag))

    @staticmethod
    def isinf(x: ComplexLane) -> Lane:
        return LANES.logical_or(LANES.isinf(x.real), LANES.isinf(x.imag))

    @staticmethod
    def isfinite(x: ComplexLane) -> Lane:
        return LANES.logical_and(LANES.isfinite(x.real), LANES.isfinite(x.imag))

    @staticmethod
    def zeros_like(x: Any, dtype: Any = None) -> Any:
        return ComplexNamespace.full_like(x, 0.0, dtype)

    @staticmethod
    def ones_like(x: Any, dtype: Any = None) -> Any:
        return ComplexNamespace.full_like(x, 1.0, dtype)

    @staticmethod
    def full_like(x: Any, value: complex, dtype: Any = None) -> Any:
        number, some = complex(value), x.real
        if isinstance(x, Lane):
            return like(x, value) if dtype is None else cast(like(x, value), np.dtype(dtype))
        found = ComplexLane(like(some, number.real), like(some, number.imag))
        return found if dtype is None else found.astype(dtype)

    @staticmethod
    def asarray(x: Any, dtype: Any = None) -> Any:
        return x if dtype is None else x.astype(dtype)

    array = asarray


COMPLEX_LANES: Final = ComplexNamespace()
