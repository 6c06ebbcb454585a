"""Elementwise operations of one input, from trivial to tricky."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import UnimplementedError
from wengert.host.parallel import in_pieces
from wengert.inference.public_functions import deferrable
from wengert.inference.symbolic_integers import by_function
from wengert.ops.support.branchless import keep
from wengert.ops.support.declare import BOOL, INTEGER, NUMBER, REAL, REAL_OR_INT, Unary, unary
from wengert.ops.support.large_kernels import cast_kernel, elementwise_kernel
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.dtypes import QUANTIZED_DTYPES, DType, as_dtype, float32, float64, string
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor, TensorList
from wengert.values.typed_calls import of_one

if TYPE_CHECKING:
    from wengert.values.typing import Array, DTypeLike, Namespace, TensorLike, TensorOrDims

# ---- arithmetic -------------------------------------------------------------------------------

negative: Unary = unary(
    "Neg",
    "negative",
    "The opposite of each element: -x.",
    ("[1.0, -2.0]", "[-1.  2.]"),
    kernel="negative",
    integers=by_function(np.negative),
    vjp=lambda g, y, x: -g,
    saves="",
    takes=NUMBER,
)
square: Unary = unary(
    "Square",
    "square",
    "x times x.",
    ("[2.0, -3.0]", "[4. 9.]"),
    kernel="square",
    vjp=lambda g, y, x: g * (2.0 * x),
    saves="x",
    takes=NUMBER,
)
reciprocal: Unary = unary(
    "Reciprocal",
    "math.reciprocal",
    "1 / x.",
    ("[2.0, -4.0]", "[ 0.5  -0.25]"),
    kernel="reciprocal",
    vjp=lambda g, y, x: -g * (y * y),
    saves="y",
)
sqrt: Unary = unary(
    "Sqrt",
    "sqrt",
    "The square root of each element.",
    ("[4.0, 9.0]", "[2. 3.]"),
    kernel="sqrt",
    vjp=lambda g, y, x: apply(SQRT_GRAD, (y, g)),
    jvp=(lambda t, y, x: t * 0.5 / y,),
    saves="y",
)
rsqrt: Unary = unary(
    "Rsqrt",
    "math.rsqrt",
    "1 / sqrt(x).",
    ("[4.0, 16.0]", "[0.5  0.25]"),
    kernel=lambda xp, x: xp.reciprocal(xp.sqrt(x)),
    vjp=lambda g, y, x: apply(RSQRT_GRAD, (y, g)),
    saves="y",
)
# A zero cotangent stays zero, even if the slope is infinite: as in TensorFlow, and so a square root
# in the branch that tf.where did not choose does no harm.
SQRT_GRAD: Row = op(
    "SqrtGrad",
    lambda _, y, g: keep(g != 0, g * y.dtype.type(0.5) / y),
    vjp=(
        lambda gg, z, y, g: -z * (gg / y),
        lambda gg, z, y, g: gg * 0.5 / y,
    ),
    elementwise=True,
    large=elementwise_kernel,
    slow=True,
)
RSQRT_GRAD: Row = op(
    "RsqrtGrad",
    lambda _, y, g: keep(g != 0, g * y.dtype.type(-0.5) * (y * y * y)),
    vjp=(
        lambda gg, z, y, g: gg * g * -1.5 * (y * y),
        lambda gg, z, y, g: apply(RSQRT_GRAD, (y, gg)),
    ),
    elementwise=True,
    large=elementwise_kernel,
    saves="x",
    slow=True,
)
sign_real: Unary = unary(
    "Sign",
    "sign",
    "-1, 0 or 1 for each element. Its gradient is zero.",
    ("[-2.0, 0.0, 5.0]", "[-1.  0.  1.]"),
    kernel="sign",
    vjp=lambda g, y, x: zeros_like(y),
    saves="y",
    takes=REAL_OR_INT,
)
abs_real: Unary = unary(
    "Abs",
    "abs",
    "The absolute value of each element.",
    ("[-2.0, 3.0]", "[2. 3.]"),
    kernel="abs",
    vjp=lambda g, y, x: g * sign_real(x),
    saves="x",
    takes=REAL_OR_INT,
)

# ---- exponentials and logarithms --------------------------------------------------------------

exp: Unary = unary(
    "Exp",
    "exp",
    "e to the power of each element.",
    ("[0.0, 1.0]", "[1.     2.7183]"),
    kernel="exp",
    vjp=lambda g, y, x: g * y,
    saves="y",
    slow=True,
)
expm1: Unary = unary(
    "Expm1",
    "math.expm1",
    "exp(x) - 1, exact near zero.",
    ("[0.0, 1e-8]", "[0.e+00 1.e-08]"),
    kernel="expm1",
    vjp=lambda g, y, x: g * exp(x),  # y + 1 loses all digits where x is very negative
    saves="x",
    slow=True,
)
log: Unary = unary(
    "Log",
    "math.log",
    "The natural logarithm of each element.",
    ("[1.0, 2.0]", "[0.     0.6931]"),
    kernel="log",
    vjp=lambda g, y, x: g / x,
    saves="x",
    slow=True,
)
log1p: Unary = unary(
    "Log1p",
    "math.log1p",
    "log(1 + x), exact near zero.",
    ("[0.0, 1e-8]", "[0.e+00 1.e-08]"),
    kernel="log1p",
    vjp=lambda g, y, x: g / (1.0 + x),
    saves="x",
    slow=True,
)


def _sigmoid_kernel(x: Array) -> Array:
    return np.reciprocal(x.dtype.type(1) + np.exp(-x))


sigmoid: Unary = unary(
    "Sigmoid",
    "sigmoid",
    "1 / (1 + exp(-x)).",
    ("[0.0, 100.0]", "[0.5 1. ]"),
    kernel=lambda _, x: in_pieces(_sigmoid_kernel, x),
    vjp=lambda g, y, x: apply(SIGMOID_GRAD, (y, g)),
    saves="y",
    slow=True,
)


def _sigmoid_slope(_: Namespace, y: Array, g: Array) -> Array:
    return g * ((y.dtype.type(1) - y) * y)


# One operation, as three would each make a pass through memory.
SIGMOID_GRAD: Row = op(
    "SigmoidGrad",
    _sigmoid_slope,
    vjp=(
        lambda gg, z, y, g: gg * g * (1.0 - 2.0 * y),
        lambda gg, z, y, g: apply(SIGMOID_GRAD, (y, gg)),
    ),
    elementwise=True,
    large=elementwise_kernel,
    saves="x",
)

# ---- trigonometric and hyperbolic functions and their inverses --------------------------------

sin: Unary = unary(
    "Sin",
    "sin",
    "The sine of each element, in radians.",
    ("[0.0, 1.5707964]", "[0. 1.]"),
    kernel="sin",
    vjp=lambda g, y, x: g * cos(x),
    saves="x",
    slow=True,
)
cos: Unary = unary(
    "Cos",
    "cos",
    "The cosine of each element, in radians.",
    ("[0.0, 3.1415927]", "[ 1. -1.]"),
    kernel="cos",
    vjp=lambda g, y, x: -g * sin(x),
    saves="x",
    slow=True,
)
tan: Unary = unary(
    "Tan",
    "tan",
    "The tangent of each element, in radians.",
    ("[0.0, 1.0]", "[0.     1.5574]"),
    kernel="tan",
    vjp=lambda g, y, x: g * square(reciprocal(cos(x))),
    saves="x",
    slow=True,
)
asin: Unary = unary(
    "Asin",
    "asin",
    "The angle whose sine is x.",
    ("[0.0, 1.0]", "[0.     1.5708]"),
    kernel="arcsin",
    vjp=lambda g, y, x: g / sqrt(1.0 - x * x),
    saves="x",
    slow=True,
)
acos: Unary = unary(
    "Acos",
    "acos",
    "The angle whose cosine is x.",
    ("[1.0, -1.0]", "[0.     3.1416]"),
    kernel="arccos",
    vjp=lambda g, y, x: -g / sqrt(1.0 - x * x),
    saves="x",
    slow=True,
)
atan: Unary = unary(
    "Atan",
    "atan",
    "The angle whose tangent is x.",
    ("[0.0, 1.0]", "[0.     0.7854]"),
    kernel="arctan",
    vjp=lambda g, y, x: g / (1.0 + x * x),
    saves="x",
    slow=True,
)
sinh: Unary = unary(
    "Sinh",
    "sinh",
    "(exp(x) - exp(-x)) / 2.",
    ("[0.0, 1.0]", "[0.     1.1752]"),
    kernel="sinh",
    vjp=lambda g, y, x: g * cosh(x),
    saves="x",
    slow=True,
)
cosh: Unary = unary(
    "Cosh",
    "cosh",
    "(exp(x) + exp(-x)) / 2.",
    ("[0.0, 1.0]", "[1.     1.5431]"),
    kernel="cosh",
    vjp=lambda g, y, x: g * sinh(x),
    saves="x",
    slow=True,
)
tanh: Unary = unary(
    "Tanh",
    "tanh",
    "sinh(x) / cosh(x).",
    ("[0.0, 20.0]", "[0. 1.]"),
    kernel="tanh",
    vjp=lambda g, y, x: g * (1.0 - y * y),
    saves="y",
    slow=True,
)
asinh: Unary = unary(
    "Asinh",
    "asinh",
    "The inverse of sinh.",
    ("[0.0, 1.0]", "[0.     0.8814]"),
    kernel="arcsinh",
    vjp=lambda g, y, x: g / cosh(y),
    saves="y",
    slow=True,
)
acosh: Unary = unary(
    "Acosh",
    "acosh",
    "The inverse of cosh.",
    ("[1.0, 1.5]", "[0.     0.9624]"),
    kernel="arccosh",
    vjp=lambda g, y, x: g / sinh(y),
    saves="y",
    slow=True,
)
atanh: Unary = unary(
    "Atanh",
    "atanh",
    "The inverse of tanh.",
    ("[0.0, 0.5]", "[0.     0.5493]"),
    kernel="arctanh",
    vjp=lambda g, y, x: g / (1.0 - x * x),
    saves="x",
    slow=True,
)

# ---- without a derivative ---------------------------------------------------------------------

floor: Unary = unary(
    "Floor",
    "floor",
    "The largest integer that is not above x. It has no gradient.",
    ("[1.7, -1.7]", "[ 1. -2.]"),
    kernel="floor",
    takes=REAL,
)
ceil: Unary = unary(
    "Ceil",
    "math.ceil",
    "The smallest integer that is not below x. It has no gradient.",
    ("[1.2, -1.2]", "[ 2. -1.]"),
    kernel="ceil",
    takes=REAL,
)
round: Unary = unary(
    "Round",
    "round",
    "The nearest integer, the even one of two. It has no gradient.",
    ("[0.5, 1.5, 2.6]", "[0. 2. 3.]"),
    kernel=lambda xp, x: x if x.dtype.kind in "iu" else xp.rint(x),
    takes=REAL_OR_INT,
    unchanged="iu",
)
rint: Unary = unary(
    "Rint",
    "math.rint",
    "The nearest integer, the even one of two. It has no gradient.",
    ("[0.5, 1.5, 2.6]", "[0. 2. 3.]"),
    kernel="rint",
    takes=REAL,
)
is_nan: Unary = unary(
    "IsNan",
    "math.is_nan",
    "Whether each element is not a number.",
    ("[1.0, float('nan')]", "[False True]"),
    kernel="isnan",
    takes=REAL,
)
is_inf: Unary = unary(
    "IsInf",
    "math.is_inf",
    "Whether each element is infinite.",
    ("[1.0, float('inf')]", "[False True]"),
    kernel="isinf",
    takes=REAL,
)
is_finite: Unary = unary(
    "IsFinite",
    "math.is_finite",
    "Whether each element is neither infinite nor NaN.",
    ("[1.0, float('inf')]", "[ True False]"),
    kernel="isfinite",
    takes=REAL,
)
logical_not: Unary = unary(
    "LogicalNot",
    "logical_not",
    "Whether each element is False.",
    ("[True, False]", "[False True]"),
    kernel="invert",
    takes=BOOL,
)
invert: Unary = unary(
    "Invert",
    "bitwise.invert",
    "Each bit of each integer turned over.",
    ("[0, 5]", "[-1 -6]"),
    kernel="invert",
    takes=INTEGER,
)

# ---- zeros and ones like another tensor -------------------------------------------------------


def _zeros_kernel(xp: Namespace, x: Array) -> Array:
    if isinstance(x, TensorList):
        zeros: Array = x.zeros()
        return zeros
    return xp.full(x.shape, b"", x.dtype) if _are_texts(x) else xp.zeros_like(x)


def _are_texts(x: Array) -> bool:
    return isinstance(x, np.ndarray) and x.dtype == object  # no branch's None


ZEROS_LIKE: Row = op(
    "ZerosLike",
    _zeros_kernel,
    elementwise=True,
    by_shape=True,
)
ONES_LIKE: Row = op("OnesLike", lambda xp, x: xp.ones_like(x), elementwise=True, by_shape=True)


@of_one
@deferrable
def zeros_like(
    input: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: object = None,
) -> Tensor:
    """Zeros with the shape and dtype of another tensor.

    >>> tf.zeros_like([1.5, 2.5]).numpy().tolist()
    [0.0, 0.0]
    """
    return _like(ZEROS_LIKE, input, dtype)


@of_one
@deferrable
def ones_like(
    input: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: object = None,
) -> Tensor:
    """Ones with the shape and dtype of another tensor.

    >>> tf.ones_like([1.5, 2.5]).numpy().tolist()
    [1.0, 1.0]
    """
    return _like(ONES_LIKE, input, dtype)


# The places of strings, which no cast makes numbers.
_PLACES: Final = Row(
    "ZerosLike",
    lambda _, x: np.zeros(x.shape, bool),
    shape=lambda x: x,
    dtype=lambda x: np.dtype(bool),
)


_EMPTY_TEXTS: Final = Row(
    "ZerosLike",
    lambda _, x: np.full(x.shape, b"", object),
    shape=lambda x: x,
    dtype=lambda x: np.dtype(object),
)


def _like(row: Row, value: TensorLike, dtype: DTypeLike | None) -> Tensor:
    x = convert(value)
    if row is ZEROS_LIKE and dtype is not None and as_dtype(dtype) is string:
        return apply(_EMPTY_TEXTS, (x,))  # type: ignore[no-any-return]
    if x.dtype is string and dtype is not None:
        x = apply(_PLACES, (x,))
    result: Tensor = apply(row, (x,))
    return result if dtype is None else cast(result, dtype)


# ---- casts ------------------------------------------------------------------------------------


def _cast_kernel(_: Namespace, x: Array, *, dtype: DType, source: DType) -> Array:
    if source.is_complex and not dtype.is_complex:
        x = x.real
    if source in QUANTIZED_DTYPES:
        x = x.view(source.storage)
    if dtype.is_bool:
        return x != 0
    if dtype in QUANTIZED_DTYPES:
        return x.astype(dtype.storage).view(dtype.numpy_dtype)
    return x.astype(dtype.numpy_dtype)


def _cast_large(row: Row, arrays: list[Array], attrs: Attrs) -> Array | None:
    """Numbers of two bytes, which NumPy converts one by one, and what lies in memory, not in a cache."""
    return cast_kernel(arrays[0], attrs["dtype"].numpy_dtype)


def _cast_rule(
    g: Tensor, y: Tensor | None, x: TensorOrDims, *, dtype: DType, source: DType
) -> Tensor | None:
    if not (dtype.is_differentiable and source.is_differentiable):
        return None
    return cast(g, source)


CAST: Row = op(
    "Cast",
    _cast_kernel,
    vjp=(_cast_rule,),
    elementwise=True,
    large=_cast_large,
    saves="",
    linear=(0,),
    jvp=(lambda t, y, x, *, dtype, source: cast(t, dtype) if dtype.is_differentiable else None,),
    integers=by_function(lambda x, *, dtype, source: x),
)
# No tape follows a whole number to what is made of it.
_TO_NUMBERS: Final = CAST.replace(vjp=None, jvp=None, linear=())


@of_one
@deferrable
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Cast to another dtype. Gradients flow only between floating-point or complex dtypes.

    >>> tf.cast([1.8, 2.2], tf.int32).numpy().tolist()
    [1, 2]
    """
    wanted = as_dtype(dtype)
    if isinstance(x, Variable) and x.dtype is wanted:
        return x  # type: ignore[return-value]  # itself, as in TensorFlow
    if isinstance(x, IndexedSlices):
        values = cast(x.values, wanted)
        return IndexedSlices(values, x.indices, x.dense_shape)  # type: ignore[return-value]
    tensor = convert(x)
    if tensor.dtype is wanted:
        return tensor
    if string in (tensor.dtype, wanted):
        raise UnimplementedError(
            f"Cast {tensor.dtype.spoken} to {wanted.spoken} is not supported [Op:Cast]"
        )
    row = CAST if wanted.is_differentiable else _TO_NUMBERS
    result: Tensor = apply(row, (tensor,), {"dtype": wanted, "source": tensor.dtype})
    return result


def in_floats(x: Tensor) -> Tensor:
    """Integers as floats: those of one or two bytes as float32, which represents all of them."""
    if not x.dtype.is_integer:
        return x
    return cast(x, float32 if x.dtype.size < 4 else float64)
