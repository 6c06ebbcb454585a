"""Elementwise operations of two inputs: arithmetic, all forms of division, powers, max and min."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import numpy as np

from wengert.core.context import is_replaced
from wengert.core.dispatch import apply, straight_as
from wengert.core.row import Attrs, EachInput, Row
from wengert.core.table import op, row_of
from wengert.errors import InvalidArgumentError
from wengert.host.direct_numpy import is_numpy
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import sizes_of_alike, states
from wengert.inference.symbolic_integers import by_function
from wengert.ops.math.comparison import (
    greater,
    greater_equal,
    less_equal,
    logical_and,
    not_equal,
    where,
)
from wengert.ops.math.complex import conj, real
from wengert.ops.math.elementwise import cast, log, ones_like, zeros_like
from wengert.ops.support.batch_rules import all_at_once
from wengert.ops.support.declare import (
    INEXACT,
    NUMBER,
    REAL,
    REAL_OR_INT,
    Binary,
    binary,
    convert_alike,
)
from wengert.ops.support.large_kernels import elementwise_kernel
from wengert.values import dtypes, sizes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import TensorShape, shape_text, stretches
from wengert.values.sizes import shapes_differ
from wengert.values.tensor import Tensor, dims
from wengert.values.typed_calls import of_one, of_two

if TYPE_CHECKING:
    from collections.abc import Callable

    from wengert.ops.support.parameter_names import BinaryOfX1X2, BinaryOfYX
    from wengert.values.typing import Array, DTypeLike, Namespace, ShapeLike, TensorLike

# ---- the four operations ----------------------------------------------------------------------

add: Binary = binary(
    "AddV2",
    "add",
    "x + y.",
    ("[1.0, 2.0], [10.0, 20.0]", "[11. 22.]"),
    kernel="add",
    integers=by_function(np.add),
    vjp=(lambda g, z, x, y: g, lambda g, z, x, y: g),
    saves="",
    takes=NUMBER + "O",
    called="add",
)
subtract: Binary = binary(
    "Sub",
    "subtract",
    "x - y.",
    ("[1.0, 2.0], [10.0, 20.0]", "[ -9. -18.]"),
    kernel="subtract",
    integers=by_function(np.subtract),
    vjp=(lambda g, z, x, y: g, lambda g, z, x, y: -g),
    saves="",
    called="sub",
)
multiply: Binary = binary(
    "Mul",
    "multiply",
    "x * y.",
    ("[1.0, 2.0], [10.0, 20.0]", "[10. 40.]"),
    kernel="multiply",
    integers=by_function(np.multiply),
    vjp=(lambda g, z, x, y: g * y, lambda g, z, x, y: g * x),
    saves="x",
    called="mul",
)
_real_div: Binary = binary(
    "RealDiv",
    "realdiv",
    "x / y.",
    ("[1.0, 6.0], [2.0, 3.0]", "[0.5 2. ]"),
    kernel="true_divide",
    vjp=(lambda g, z, x, y: g / y, lambda g, z, x, y: -g * (z / y)),
    takes=INEXACT,
    called="truediv",
)
realdiv = _real_div


@of_two
@straight_as(_real_div)
@deferrable
def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True division x / y: integers are converted to floating point first.

    >>> (tf.constant([1, 2]) / tf.constant([2, 2])).numpy().tolist()
    [0.5, 1.0]
    """
    return _real_div(*_inexact("RealDiv", x, y))


def _inexact(name: str, x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """What is divided, with integers as floating point numbers."""
    if type(x) is not Tensor or type(y) is not Tensor or x._array.dtype is not y._array.dtype:
        try:
            x, y = convert_alike(name, x, y)
        except InvalidArgumentError:
            raise _not_divided(x, y) from None
    if x._array.dtype.kind in "iu":
        wide = dtypes.float32 if x.dtype.size < 4 else dtypes.float64
        x, y = cast(x, wide), cast(y, wide)
    return x, y


def _not_divided(x: TensorLike, y: TensorLike) -> TypeError:
    """Division refuses what is not of one dtype by itself, and with another error than the rest."""
    return TypeError(
        f"`x` and `y` must have the same dtype, got {getattr(x, 'dtype', x)!r} != "
        f"{getattr(y, 'dtype', y)!r}. Wengert, like TensorFlow, never converts a tensor's dtype "
        "silently: write tf.cast(tensor, dtype) where you mean it."
    )


@of_two
@deferrable
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, as Python's operator divides.

    >>> tf.divide([1.0, 6.0], 2.0).numpy().tolist()
    [0.5, 3.0]
    """
    return truediv(x, y)


def _squared_difference_kernel(xp: Namespace, x: Array, y: Array) -> Array:
    away = x - y
    return xp.conj(away) * away if x.dtype.kind == "c" else away * away


squared_difference: Binary = binary(
    "SquaredDifference",
    "math.squared_difference",
    "(x - y) * (x - y).",
    ("[1.0, 5.0], [3.0, 2.0]", "[4. 9.]"),
    kernel=_squared_difference_kernel,
    vjp=(
        lambda g, z, x, y: _squared_difference_rule(g, x, y),
        lambda g, z, x, y: -_squared_difference_rule(g, x, y),
    ),
    jvp=(
        lambda t, z, x, y: _squared_difference_push(t, x, y),
        lambda t, z, x, y: -_squared_difference_push(t, x, y),
    ),
    saves="x",
)


def _squared_difference_rule(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The gradient of |x - y|^2, which is real even if x and y are complex."""
    d = x - y
    return 2.0 * g * d if not d.dtype.is_complex else (g + conj(g)) * conj(d)


def _squared_difference_push(t: Tensor, x: Tensor, y: Tensor) -> Tensor:
    d = x - y
    if not d.dtype.is_complex:
        return 2.0 * t * d
    half = conj(d) * t
    return half + conj(half)


# ---- division with a rule for zero, and integer division --------------------------------------

div_no_nan: Binary = binary(
    "DivNoNan",
    "math.divide_no_nan",
    "x / y, and 0 where y is 0.",
    ("[1.0, 6.0], [0.0, 3.0]", "[0. 2.]"),
    kernel=lambda xp, x, y: xp.where(y == 0, xp.zeros_like(x / y), x / y),
    vjp=(
        lambda g, z, x, y: div_no_nan(g, y),
        lambda g, z, x, y: g * div_no_nan(div_no_nan(-x, y), y),
    ),
    takes=INEXACT,
    saves="x",
    slow=True,
)


@of_two
@deferrable
def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, and 0 where y is 0; integers are converted to floating point first.

    >>> tf.math.divide_no_nan([1, 6], [0, 3]).numpy().tolist()
    [0.0, 2.0]
    """
    return div_no_nan(*_inexact("DivNoNan", x, y), name=name)


mul_no_nan: Binary = binary(
    "MulNoNan",
    "math.multiply_no_nan",
    "x * y, and 0 where y is 0, even if x is infinite or NaN.",
    ("[float('nan'), 6.0], [0.0, 3.0]", "[ 0. 18.]"),
    kernel=lambda xp, x, y: xp.where(y == 0, xp.zeros_like(x * y), x * y),
    vjp=(lambda g, z, x, y: mul_no_nan(g, y), lambda g, z, x, y: mul_no_nan(x, g)),
    takes=INEXACT,
    saves="x",
    slow=True,
)


@of_one
@deferrable
def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0.

    >>> tf.math.reciprocal_no_nan([0.0, 4.0]).numpy().tolist()
    [0.0, 0.25]
    """
    tensor = convert(x)
    return div_no_nan(ones_like(tensor), tensor)


def _check_divisor(x: Array, y: Array) -> None:
    if y.dtype.kind in "iu" and np.any(y == 0) and x.size:
        raise InvalidArgumentError("Integer division by zero")


def _floor_div_kernel(xp: Namespace, x: Array, y: Array) -> Array:
    """For floats the quotient rounded down: NumPy's `//` is one less if it rounds to an integer."""
    _check_divisor(x, y)
    return x // y if x.dtype.kind in "iu" else xp.floor(x / y)


def _floor_mod_kernel(xp: Namespace, x: Array, y: Array) -> Array:
    _check_divisor(x, y)
    return xp.mod(x, y)


def _truncate_div_kernel(xp: Namespace, x: Array, y: Array) -> Array:
    _check_divisor(x, y)
    return (x - xp.fmod(x, y)) // y if x.dtype.kind in "iu" else xp.trunc(x / y)


def _truncate_mod_kernel(xp: Namespace, x: Array, y: Array) -> Array:
    _check_divisor(x, y)
    return xp.fmod(x, y)


floordiv: Binary = binary(
    "FloorDiv",
    "math.floordiv",
    "x / y rounded towards minus infinity. It has no gradient.",
    ("[7, -7], [2, 2]", "[ 3 -4]"),
    kernel=_floor_div_kernel,
    integers=by_function(np.floor_divide),
    takes=REAL_OR_INT,
)
floormod: Binary = binary(
    "FloorMod",
    "math.floormod",
    "What floor division leaves; it has the sign of y.",
    ("[7, -7], [3, 3]", "[1 2]"),
    kernel=_floor_mod_kernel,
    integers=by_function(np.remainder),
    vjp=(lambda g, z, x, y: g, lambda g, z, x, y: -g * floordiv(x, y)),
    takes=REAL_OR_INT,
    saves="x",
)
truncatediv: Binary = binary(
    "TruncateDiv",
    "truncatediv",
    "x / y rounded towards zero. It has no gradient.",
    ("[7, -7], [2, 2]", "[ 3 -3]"),
    kernel=_truncate_div_kernel,
    takes=REAL_OR_INT,
)
truncatemod: Binary = binary(
    "TruncateMod",
    "truncatemod",
    "What division rounded towards zero leaves; it has the sign of x.",
    ("[7, -7], [3, 3]", "[ 1 -1]"),
    kernel=_truncate_mod_kernel,
    vjp=(lambda g, z, x, y: g, lambda g, z, x, y: -g * truncatediv(x, y)),
    takes=REAL_OR_INT,
    saves="x",
)

# ---- powers and logarithms of two inputs ------------------------------------------------------


# Powers that one cheap operation computes to the same bit, by their exponents.
_CHEAP_POWERS: Final[dict[float, Callable[[Array], Array]]] = {
    1.0: np.copy,
    2.0: np.square,
    -1.0: np.reciprocal,
}


def _cheap_power(x: Array, y: Array) -> Callable[[Array], Array] | None:
    """The NumPy function of x alone that is this power, if there is one: x to the 2 is x times x."""
    if y.size != 1 or y.ndim > x.ndim or x.dtype.kind != "f":
        return None
    return _CHEAP_POWERS.get(y.item())


def _pow_large(row: Row, arrays: list[Array], attrs: Attrs) -> Array | None:
    """The row's function for large arrays: by the row of the cheap operation, where there is one."""
    x, y = arrays
    cheap = _cheap_power(x, y)
    if cheap is None:
        return elementwise_kernel(row, arrays, attrs)
    return elementwise_kernel(row_of("Square"), [x], {}) if cheap is np.square else None


def _pow_kernel(xp: Namespace, x: Array, y: Array) -> Array:
    cheap = _cheap_power(x, y) if is_numpy(xp) else None
    if cheap is not None:
        return cheap(x)
    if y.dtype.kind == "i" and (y < 0).any():
        raise InvalidArgumentError("Integers to negative integer powers are not allowed")
    z = xp.power(x, y)
    if is_numpy(xp) and y.dtype.kind == "f" and (y == 0.5).any():
        # NumPy takes the square root, which differs at -inf and at -0.
        root = np.where(np.isneginf(x), z.dtype.type(np.inf), z) + z.dtype.type(0)
        z = np.where(y == 0.5, root, z)
    return z


def _pow_rule_y(g: Tensor, z: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """x^y log x, with 0 for the logarithm where x is not positive."""
    defined = not_equal(x, zeros_like(x)) if x.dtype.is_complex else greater(x, zeros_like(x))
    safe = where(defined, x, ones_like(x))
    return g * z * where(defined, log(safe), zeros_like(x))


pow: Binary = binary(
    "Pow",
    "pow",
    "x to the power of y.",
    ("[2.0, 3.0], [3.0, 2.0]", "[8. 9.]"),
    kernel=_pow_kernel,
    large=_pow_large,
    vjp=(lambda g, z, x, y: g * y * pow(x, y - 1), _pow_rule_y),
    slow=True,
)
xlogy: Binary = binary(
    "Xlogy",
    "math.xlogy",
    "x log(y), and 0 where x is 0.",
    ("[0.0, 2.0], [0.0, 1.0]", "[0. 0.]"),
    kernel=lambda xp, x, y: xp.where(x == 0, xp.zeros_like(x * y), x * xp.log(y)),
    vjp=(
        lambda g, z, x, y: g * xlogy(_not_zero(x), y),
        lambda g, z, x, y: g * xdivy(x, y),
    ),
    takes=INEXACT,
    saves="x",
    slow=True,
)
xlog1py: Binary = binary(
    "Xlog1py",
    "math.xlog1py",
    "x log(1 + y), and 0 where x is 0.",
    ("[0.0, 2.0], [-1.0, 0.0]", "[0. 0.]"),
    kernel=lambda xp, x, y: xp.where(x == 0, xp.zeros_like(x * y), x * xp.log1p(y)),
    vjp=(
        lambda g, z, x, y: g * xlog1py(_not_zero(x), y),
        lambda g, z, x, y: g * xdivy(x, y + 1.0),
    ),
    takes=INEXACT,
    saves="x",
    slow=True,
)
xdivy: Binary = binary(
    "Xdivy",
    "math.xdivy",
    "x / y, and 0 where x is 0.",
    ("[0.0, 2.0], [0.0, 4.0]", "[0.  0.5]"),
    kernel=lambda xp, x, y: xp.where(x == 0, xp.zeros_like(x * y), x / y),
    vjp=(
        lambda g, z, x, y: g * xdivy(_not_zero(x), y),
        lambda g, z, x, y: g * xdivy(-x, y * y),
    ),
    takes=INEXACT,
    saves="x",
    slow=True,
)


def _not_zero(x: Tensor) -> Tensor:
    return cast(not_equal(x, zeros_like(x)), x.dtype)


atan2: BinaryOfYX = binary(
    "Atan2",
    "atan2",
    "The angle of the point (y, x), with the sign of y: atan2(y, x).",
    ("[1.0, -1.0], [1.0, -1.0]", "[ 0.7854 -2.3562]"),
    parameters=("y", "x"),
    kernel="arctan2",
    vjp=(
        lambda g, z, y, x: g * (x / (x * x + y * y)),
        lambda g, z, y, x: g * (-y / (x * x + y * y)),
    ),
    takes=REAL,
    saves="x",
    slow=True,
)
nextafter: BinaryOfX1X2 = binary(
    "NextAfter",
    "math.nextafter",
    "The number after x on the way to y. The gradient goes to x.",
    ("[0.0], [1.0]", "[1.e-45]"),
    parameters=("x1", "x2"),
    kernel="nextafter",
    vjp=(lambda g, z, x, y: g, lambda g, z, x, y: zeros_like(g)),
    saves="",
    takes="f",
)

# ---- the larger and the smaller ---------------------------------------------------------------

maximum: Binary = binary(
    "Maximum",
    "maximum",
    "The larger of x and y. The gradient goes to x where they are equal.",
    ("[1.0, 5.0], [3.0, 2.0]", "[3. 5.]"),
    kernel="maximum",
    integers=by_function(np.frompyfunc(sizes.maximum, 2, 1)),
    vjp=(
        lambda g, z, x, y: where(greater_equal(x, y), g, zeros_like(g)),
        lambda g, z, x, y: where(greater_equal(x, y), zeros_like(g), g),
    ),
    takes=REAL_OR_INT,
    saves="x",
)
minimum: Binary = binary(
    "Minimum",
    "minimum",
    "The smaller of x and y. The gradient goes to x where they are equal.",
    ("[1.0, 5.0], [3.0, 2.0]", "[1. 2.]"),
    kernel="minimum",
    integers=by_function(np.frompyfunc(sizes.minimum, 2, 1)),
    vjp=(
        lambda g, z, x, y: where(less_equal(x, y), g, zeros_like(g)),
        lambda g, z, x, y: where(less_equal(x, y), zeros_like(g), g),
    ),
    takes=REAL_OR_INT,
    saves="x",
)


@of_one
@deferrable
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor:
    """Clip the elements to [clip_value_min, clip_value_max].

    Where an element was clipped, the gradient goes to the bound.

    >>> tf.clip_by_value([-2.0, 0.5, 9.0], 0.0, 1.0).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    if isinstance(t, IndexedSlices):  # a part of the rows of a tensor: the others are not clipped
        return t.with_values(  # type: ignore[return-value]  # as it is given
            clip_by_value(t.values, clip_value_min, clip_value_max, name)
        )
    x, low, high = convert_alike("ClipByValue", t, clip_value_min, clip_value_max)
    shape = dims(x)
    for bound in (low, high):
        if not stretches(dims(bound), shape):
            raise InvalidArgumentError(
                f"Shapes {shape} and {dims(bound)} are incompatible: a bound must broadcast to "
                "the shape of the tensor that is clipped [Op:ClipByValue]"
            )
    if is_replaced("Minimum", "Maximum") and not is_replaced("ClipByValue"):  # it is both, there
        return maximum(minimum(x, high), low)
    result: Tensor = apply(CLIP, (x, low, high))
    return result


def _inside(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    return logical_and(greater_equal(x, low), less_equal(x, high))


def _above(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Where the upper bound is the result; if the bounds are swapped, the lower one is."""
    return logical_and(greater(x, high), greater_equal(high, low))


CLIP: Row = op(
    "ClipByValue",
    lambda xp, x, low, high: xp.maximum(xp.minimum(x, high), low),
    vjp=(
        lambda g, y, x, low, high: where(_inside(x, low, high), g, zeros_like(g)),
        lambda g, y, x, low, high: where(minimum(x, high) < low, g, zeros_like(g)),
        lambda g, y, x, low, high: where(_above(x, low, high), g, zeros_like(g)),
    ),
    large=elementwise_kernel,
    slow=True,
    elementwise=True,
    saves="x",
)


@of_one
@deferrable
def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Cast to another dtype; values out of its range saturate at its minimum or maximum.

    >>> tf.saturate_cast([-5.0, 300.0], tf.uint8).numpy().tolist()
    [0, 255]
    """
    x, wanted = convert(value), as_dtype(dtype)
    if x.dtype.is_complex and not wanted.is_complex:
        x = real(x)
    if x.dtype.is_complex or wanted.is_complex or not (x.dtype.is_numeric and wanted.is_numeric):
        return cast(x, wanted)
    exactly = int if wanted.is_integer else float
    low, high = exactly(wanted.min), exactly(wanted.max)
    if low > x.dtype.min:
        x = maximum(x, convert(np.array(low).astype(x.dtype.numpy_dtype)))
    if high < x.dtype.max:
        x = minimum(x, convert(_not_above(np.array(high).astype(x.dtype.numpy_dtype), high)))
    return cast(x, wanted)


def _not_above(bound: Array, limit: int | float) -> Array:
    """The bound, or the next lower number if rounding put it above the limit."""
    rounded_up = bound.dtype.kind in "fV" and float(bound) > limit
    return np.nextafter(bound, bound.dtype.type(0)) if rounded_up else bound


# ---- sums of several tensors ------------------------------------------------------------------

ADD_N: Row = op(
    "AddN",
    lambda _, *xs: sum(xs[1:], start=xs[0]),
    shape=lambda x, *others: x,
    vjp=EachInput(lambda i, g, y, *xs: g),
    linear="jointly",
    batch=all_at_once("AddN"),
    saves="",
)


@deferrable
@states(lambda inputs: sizes_of_alike(inputs))
def add_n(inputs: TensorLike, name: str | None = None) -> Tensor:
    """The sum of several tensors of the same shape.

    >>> tf.add_n([tf.constant(1.0), tf.constant(2.0), tf.constant(4.0)]).numpy()
    np.float32(7.0)
    """
    given = _listed(inputs)
    if not given:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same "
            f"dtype and shape, got {inputs!r}."
        )
    xs = convert_alike("AddN", *given)
    for i, x in enumerate(xs):
        if shapes_differ(dims(x), dims(xs[0])):
            raise InvalidArgumentError(
                "Inputs to operation AddN of type AddN must have the same size and shape.  "
                f"Input 0: {shape_text(dims(xs[0]))} != input {i}: {shape_text(dims(x))} [Op:AddN]"
            )
    if xs[0].dtype == dtypes.variant:  # lists, element by element
        return functools.reduce(lambda a, b: apply(row_of("TensorListAdd"), (a, b)), xs)
    result: Tensor = apply(ADD_N, xs)
    return result


def _listed(inputs: TensorLike) -> list[TensorLike]:
    """The values that an iterable gives; of what gives none, none."""
    try:
        return list(inputs)  # type: ignore[arg-type]  # it says so itself
    except TypeError:
        return []


@deferrable
def accumulate_n(
    inputs: TensorLike,
    shape: ShapeLike | None = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The sum of several tensors of the same shape.

    >>> tf.math.accumulate_n([tf.constant(1.0), tf.constant(2.0)]).numpy()
    np.float32(3.0)
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(
            "inputs must be a list of at least one Tensor with the same dtype and shape"
        )
    terms = convert_alike("AccumulateNV2", *inputs)
    if tensor_dtype is not None and terms[0].dtype != as_dtype(tensor_dtype):
        raise TypeError(
            f"The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type {terms[0].dtype}. "
            "These must be equal. Try casting the input to the desired type."
        )
    common = TensorShape(shape)
    for term in terms:
        common = common.merge_with(term.shape)
    return add_n(terms)


@of_two
@deferrable
def scalar_mul(
    scalar: TensorLike, x: TensorLike | IndexedSlices, name: str | None = None
) -> Tensor | IndexedSlices:
    """A tensor times a scalar.

    >>> tf.math.scalar_mul(3.0, [1.0, 2.0]).numpy().tolist()
    [3.0, 6.0]
    """
    if isinstance(x, IndexedSlices):  # the rows alone are multiplied
        return IndexedSlices(scalar_mul(scalar, x.values), x.indices, x.dense_shape)
    factor, tensor = convert_alike("Mul", scalar, x)
    if dims(factor) != ():
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {dims(factor)}.")
    return multiply(factor, tensor)
