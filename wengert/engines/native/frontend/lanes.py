"""Symbolic scalars that a kernel gets in place of arrays, so that it emits scalar code.

A row's kernel is called once with lanes for its inputs. A lane stands for one element: it has a
dtype, no axes, and no value. A kernel that asks for the value gets `NotLowered`, and NumPy computes
the operation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.scalar import Code, NotLowered, is_float, type_of

BOOL: Final = np.dtype(bool)


class _Flags:
    c_contiguous = True


class Lane:
    """One element of an array, whose value is not known."""

    __slots__ = ("code", "dtype", "value")

    # The attributes of an array without axes.
    shape: Final = ()
    ndim: Final = 0
    size: Final = 1
    flags: Final = _Flags()

    def __init__(self, code: Code, value: int, dtype: Any) -> None:
        self.code = code
        self.value = value
        self.dtype = dtype

    @property
    def kind(self) -> str:
        return self.code.kind(self.value)

    # ---- NumPy's functions, called with a lane ------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs:
            raise NotLowered(f"{ufunc.__name__}.{method} with {sorted(kwargs)}")
        return getattr(LANES, ufunc.__name__)(*inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not all(issubclass(kind, (Lane, np.ndarray)) for kind in types):
            return NotImplemented  # a complex number among the operands knows what to do
        return getattr(LANES, function.__name__)(*args, **kwargs)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise NotLowered("a value is asked for while it is not known")

    __bool__ = __int__ = __float__ = __index__ = __iter__ = __len__ = __array__
    any = all = sum = max = min = item = tolist = reshape = __array__

    # ---- methods of an array ------------------------------------------------------------------

    def astype(self, dtype: Any, copy: bool = True) -> Lane:
        return cast(self, np.dtype(dtype))

    def view(self, dtype: Any) -> Lane:
        return bits(self, dtype)

    def conj(self) -> Lane:
        return self

    def copy(self) -> Lane:
        return self

    @property
    def real(self) -> Lane:
        return self

    def __getitem__(self, key: Any) -> Lane:
        if key == () or key is Ellipsis:
            return self
        raise NotLowered("a part of an array")

    def __add__(self, other: Any) -> Lane:
        return LANES.add(self, other)

    def __radd__(self, other: Any) -> Lane:
        return LANES.add(other, self)

    def __sub__(self, other: Any) -> Lane:
        return LANES.subtract(self, other)

    def __rsub__(self, other: Any) -> Lane:
        return LANES.subtract(other, self)

    def __mul__(self, other: Any) -> Lane:
        return LANES.multiply(self, other)

    def __rmul__(self, other: Any) -> Lane:
        return LANES.multiply(other, self)

    def __truediv__(self, other: Any) -> Lane:
        return LANES.divide(self, other)

    def __rtruediv__(self, other: Any) -> Lane:
        return LANES.divide(other, self)

    def __floordiv__(self, other: Any) -> Lane:
        raise NotLowered("division with a remainder")

    def __mod__(self, other: Any) -> Lane:
        raise NotLowered("division with a remainder")

    def __pow__(self, other: Any) -> Lane:
        return LANES.power(self, other)

    def __neg__(self) -> Lane:
        return LANES.negative(self)

    def __abs__(self) -> Lane:
        return LANES.absolute(self)

    def __invert__(self) -> Lane:
        return LANES.invert(self)

    def __and__(self, other: Any) -> Lane:
        return LANES.bitwise_and(self, other)

    def __or__(self, other: Any) -> Lane:
        return LANES.bitwise_or(self, other)

    def __xor__(self, other: Any) -> Lane:
        return LANES.bitwise_xor(self, other)

    def __lshift__(self, other: Any) -> Lane:
        return LANES.left_shift(self, other)

    def __rshift__(self, other: Any) -> Lane:
        return LANES.right_shift(self, other)

    def __lt__(self, other: Any) -> Lane:
        return LANES.less(self, other)

    def __le__(self, other: Any) -> Lane:
        return LANES.less_equal(self, other)

    def __gt__(self, other: Any) -> Lane:
        return LANES.greater(self, other)

    def __ge__(self, other: Any) -> Lane:
        return LANES.greater_equal(self, other)

    def __eq__(self, other: Any) -> Lane:  # type: ignore[override]
        return LANES.equal(self, other)

    def __ne__(self, other: Any) -> Lane:  # type: ignore[override]
        return LANES.not_equal(self, other)

    __hash__ = None  # type: ignore[assignment]


# ---- building blocks --------------------------------------------------------------------------


def emit(op: str, *xs: Lane, dtype: Any = None, extra: Any = None) -> Lane:
    """One instruction on lanes; the result has the dtype of the first unless another is given."""
    code = xs[0].code
    dtype = xs[0].dtype if dtype is None else dtype
    return Lane(code, code.add(op, type_of(dtype), tuple([x.value for x in xs]), extra), dtype)


def like(x: Lane, number: Any) -> Lane:
    """A number as a lane of the same dtype."""
    return Lane(x.code, x.code.constant(type_of(x.dtype), number), x.dtype)


def cast(x: Lane, dtype: Any) -> Lane:
    if dtype == x.dtype:
        return x
    if dtype == BOOL:
        return LANES.not_equal(x, like(x, 0))
    return emit("cast", x, dtype=dtype)


def bits(x: Lane, dtype: Any) -> Lane:
    """The same bits reinterpreted as another dtype of the same size (a bit cast)."""
    return emit("bits", x, dtype=np.dtype(dtype))


def fma(x: Lane, y: Any, z: Any) -> Lane:
    """x y + z, rounded once."""
    return emit("fma", *_alike(x, y, z))


def floor_quotient(x: Lane, by: int) -> Lane:
    """x // by of integers, rounded down, by a positive number."""
    towards_zero = emit("div", x, like(x, by))
    return towards_zero - cast(LANES.less(x, towards_zero * by), x.dtype)


def floor_remainder(x: Lane, by: int) -> Lane:
    """What that leaves: 0 to by - 1."""
    return x - floor_quotient(x, by) * by


def call(name: str, *xs: Lane) -> Lane:
    """A function of `mathematics`."""
    if name not in _OFFERED:
        raise NotLowered(f"the function {name}")
    return emit("call", *xs, extra=name)


def _alike(*values: Any) -> list[Lane]:
    """Lanes of the common dtype, as NumPy promotes."""
    lanes = [v for v in values if isinstance(v, Lane)]
    found = [_number(v) for v in values]
    first = lanes[0].dtype
    if all(isinstance(v, Lane) and v.dtype == first for v in values):
        return lanes
    dtype = np.result_type(*[v.dtype if isinstance(v, Lane) else v for v in found])
    return [
        cast(v, dtype) if isinstance(v, Lane) else Lane(lanes[0].code, _entered(lanes[0].code, v, dtype), dtype)
        for v in found
    ]  # fmt: skip


def _entered(code: Code, value: Any, dtype: Any) -> int:
    return code.constant(type_of(dtype), np.asarray(value).astype(dtype)[()])


def _number(value: Any) -> Any:
    """A lane, a Python number, or a NumPy scalar."""
    if isinstance(value, (Lane, bool, int, float, np.generic)):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value[()]
    raise NotLowered(f"a {type(value).__name__} among the operands")


def _floats(*values: Any) -> list[Lane]:
    """Lanes of a floating-point dtype, with integers promoted as by NumPy."""
    xs = _alike(*values)
    if is_float(xs[0].kind):
        return xs
    if xs[0].dtype == BOOL or xs[0].dtype.itemsize < 4:
        raise NotLowered("a function of small integers")
    return [cast(x, np.dtype(np.float64)) for x in xs]


def _arithmetic(op: str) -> Callable[[Any, Any], Lane]:
    def function(x: Any, y: Any) -> Lane:
        a, b = _alike(x, y)
        if a.dtype == BOOL:
            raise NotLowered("arithmetic on truth values")
        return emit(op, a, b)

    return function


def _comparison(op: str) -> Callable[[Any, Any], Lane]:
    def function(x: Any, y: Any) -> Lane:
        a, b = _alike(x, y)
        return emit(op, a, b, dtype=BOOL)

    return function


def _bitwise(op: str) -> Callable[[Any, Any], Lane]:
    def function(x: Any, y: Any) -> Lane:
        a, b = _alike(x, y)
        if is_float(a.kind):
            raise NotLowered("bits of floating-point numbers")
        return emit(op, a, b)

    return function


def _logical(op: str) -> Callable[[Any, Any], Lane]:
    def function(x: Any, y: Any) -> Lane:
        a, b = (cast(v, BOOL) for v in _alike(x, y))
        return emit(op, a, b)

    return function


def _rounding(op: str) -> Callable[[Any], Lane]:
    def function(x: Lane) -> Lane:
        return emit(op, x) if is_float(x.kind) else x

    return function


def _function(name: str) -> Callable[..., Lane]:
    """A function of `mathematics`."""

    def function(*values: Any) -> Lane:
        return call(name, *_floats(*values))

    return function


class Namespace:
    """The functions of NumPy that lanes support, by NumPy's names."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(np, name, None)
        if isinstance(found, (type, float, np.dtype)):  # xp.float32, xp.pi
            return found
        raise NotLowered(f"the function {name}")

    add = staticmethod(_arithmetic("add"))
    subtract = staticmethod(_arithmetic("sub"))
    multiply = staticmethod(_arithmetic("mul"))
    less = staticmethod(_comparison("lt"))
    less_equal = staticmethod(_comparison("le"))
    greater = staticmethod(_comparison("gt"))
    greater_equal = staticmethod(_comparison("ge"))
    equal = staticmethod(_comparison("eq"))
    not_equal = staticmethod(_comparison("ne"))
    bitwise_and = staticmethod(_bitwise("and"))
    bitwise_or = staticmethod(_bitwise("or"))
    bitwise_xor = staticmethod(_bitwise("xor"))
    logical_and = staticmethod(_logical("and"))
    logical_or = staticmethod(_logical("or"))
    logical_xor = staticmethod(_logical("xor"))
    floor = staticmethod(_rounding("floor"))
    ceil = staticmethod(_rounding("ceil"))
    trunc = staticmethod(_rounding("trunc"))
    rint = staticmethod(_rounding("rint"))

    @staticmethod
    def divide(x: Any, y: Any) -> Lane:
        return emit("div", *_floats(x, y))

    true_divide = divide

    @staticmethod
    def negative(x: Lane) -> Lane:
        if x.dtype == BOOL:
            raise NotLowered("the opposite of a truth value")
        return emit("neg", x)

    @staticmethod
    def positive(x: Lane) -> Lane:
        return x

    @staticmethod
    def absolute(x: Lane) -> Lane:
        if x.kind[0] in "bu":
            return x
        return emit("abs", x)

    abs = fabs = absolute

    @staticmethod
    def square(x: Lane) -> Lane:
        return LANES.multiply(x, x)

    @staticmethod
    def sqrt(x: Lane) -> Lane:
        return emit("sqrt", *_floats(x))

    @staticmethod
    def reciprocal(x: Lane) -> Lane:
        if not is_float(x.kind):
            raise NotLowered("reciprocals of integers")
        return emit("div", like(x, 1), x)

    @staticmethod
    def sign(x: Lane) -> Lane:
        one, zero = like(x, 1), like(x, 0)
        if x.kind[0] in "ub":
            return LANES.where(x == zero, zero, one)
        below = LANES.where(x < zero, like(x, -1), x)  # zero and NaN are their own sign
        return LANES.where(x > zero, one, below)

    @staticmethod
    def conj(x: Lane) -> Lane:
        return x

    conjugate = real = conj

    @staticmethod
    def where(condition: Any, x: Any, y: Any) -> Lane:
        lanes = [v for v in (condition, x, y) if isinstance(v, Lane)]
        if not isinstance(condition, Lane):
            chosen: Lane = (x if condition else y) + like(lanes[0], 0)
            return chosen
        pair = _alike(x, y) if len(lanes) > 1 else _numbers(condition, x, y)
        return emit("select", cast(condition, BOOL), *pair, dtype=pair[0].dtype)

    @staticmethod
    def maximum(x: Any, y: Any) -> Lane:
        return _extreme("gt", "lt", *_alike(x, y))

    @staticmethod
    def minimum(x: Any, y: Any) -> Lane:
        return _extreme("lt", "gt", *_alike(x, y))

    @staticmethod
    def clip(x: Any, low: Any, high: Any) -> Lane:
        return LANES.minimum(LANES.maximum(x, low), high)

    @staticmethod
    def invert(x: Lane) -> Lane:
        if is_float(x.kind):
            raise NotLowered("bits of floating-point numbers")
        return emit("not", x)

    @staticmethod
    def logical_not(x: Lane) -> Lane:
        return emit("not", cast(x, BOOL))

    @staticmethod
    def isnan(x: Lane) -> Lane:
        return emit("ne", x, x, dtype=BOOL)

    @staticmethod
    def isinf(x: Lane) -> Lane:
        if not is_float(x.kind):
            return emit("ne", x, x, dtype=BOOL)
        return LANES.equal(LANES.absolute(x), like(x, math.inf))

    @staticmethod
    def isfinite(x: Lane) -> Lane:
        if not is_float(x.kind):
            return emit("eq", x, x, dtype=BOOL)
        return LANES.less(LANES.absolute(x), like(x, math.inf))

    @staticmethod
    def mod(x: Any, y: Any) -> Lane:
        return _remainder("mod_of", x, y)

    @staticmethod
    def fmod(x: Any, y: Any) -> Lane:
        return _remainder("fmod_of", x, y)

    @staticmethod
    def copysign(x: Any, y: Any) -> Lane:
        return emit("copysign", *_floats(x, y))

    @staticmethod
    def signbit(x: Lane) -> Lane:
        return LANES.less(bits(x, f"i{x.dtype.itemsize}"), 0)

    @staticmethod
    def left_shift(x: Any, y: Any) -> Lane:
        return _shifted("shl", *_alike(x, y))

    @staticmethod
    def right_shift(x: Any, y: Any) -> Lane:
        return _shifted("shr", *_alike(x, y))

    @staticmethod
    def zeros_like(x: Lane, dtype: Any = None) -> Lane:
        return cast(like(x, 0), np.dtype(dtype or x.dtype))

    @staticmethod
    def ones_like(x: Lane, dtype: Any = None) -> Lane:
        return cast(like(x, 1), np.dtype(dtype or x.dtype))

    @staticmethod
    def full_like(x: Lane, value: Any) -> Lane:
        return like(x, value)

    @staticmethod
    def asarray(x: Any, dtype: Any = None) -> Any:
        return x if dtype is None else x.astype(dtype)

    array = asarray

    @staticmethod
    def power(x: Any, y: Any) -> Lane:
        if isinstance(y, (int, float)) and isinstance(x, Lane) and is_float(x.kind):
            if y == 2:
                return x * x
            if y == 1:
                return x
            if y == 0.5:
                return LANES.sqrt(x)
        a, b = _alike(x, y)
        if not is_float(a.kind):
            raise NotLowered("powers of integers")
        return call("pow", a, b)


def _numbers(condition: Lane, x: Any, y: Any) -> list[Lane]:
    """The two operands of a `where` as lanes of one dtype."""
    dtype = np.result_type(_number(x), _number(y))
    code = condition.code
    return [Lane(code, _entered(code, v, dtype), dtype) for v in (x, y)]


def _shifted(op: str, x: Lane, y: Lane) -> Lane:
    """Shifts by more bits than there are give, as in NumPy, zero or all sign bits."""
    if is_float(x.kind) or x.dtype == BOOL:
        raise NotLowered("bits of floating-point numbers")
    places = 8 * x.dtype.itemsize
    inside = LANES.logical_and(y >= 0, y < places)
    shifted = emit(op, x, LANES.where(inside, y, like(y, 0)))
    if op == "shr" and x.kind[0] == "i":
        return LANES.where(inside, shifted, emit(op, x, like(y, places - 1)))
    return LANES.where(inside, shifted, like(x, 0))


def _remainder(name: str, x: Any, y: Any) -> Lane:
    a, b = _floats(x, y)
    if a.kind != "f4":
        raise NotLowered("remainders of other floats than float32")
    return call(name, a, b)


def _extreme(better: str, worse: str, x: Lane, y: Lane) -> Lane:
    """The maximum or minimum of two; NaN where one of them is NaN."""
    if not is_float(x.kind):
        return LANES.where(emit(better, x, y, dtype=BOOL), x, y)
    # Of zeros with different signs the second, as in NumPy.
    for a, b, worst in ((x, y, {"lt": "le", "gt": "ge"}[worse]), (y, x, worse)):
        known = b.code.known(b.value)
        if known is not None and known == known:
            return LANES.where(emit(worst, a, b, dtype=BOOL), b, a)  # a, if it is NaN
    chosen = LANES.where(emit(better, x, y, dtype=BOOL), x, y)  # y, if one of them is NaN
    return LANES.where(LANES.isnan(x), x, chosen)


LANES: Final = Namespace()


def offer(names: Sequence[str]) -> None:
    """Register functions of `mathematics` with lanes, under NumPy's or SciPy's names."""
    for name in names:
        _OFFERED.add(_NAMES.get(name, name))
        setattr(Namespace, name, staticmethod(_function(_NAMES.get(name, name))))


_OFFERED: Final[set[str]] = set()
_NAMES: Final = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
}  # fmt: skip
