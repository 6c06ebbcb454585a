"""Promotion of TensorFlow's own, `"all"` and `"safe"`: operators, functions and assignments under it.

As with the rest of NumPy's behaviour nothing asks whether it is on: while it is, the public names
stand for functions that promote first, and the operators are others.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from wengert.api.numpy.lattice import Operand, common, operand
from wengert.ops.arrays.identity import identity
from wengert.ops.math.elementwise import cast
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.tensor import Tensor
from wengert.values.value import Value
from wengert.values.weak import is_weak, strengthened, weakened

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike

Function = Callable[..., Any]


class Mode:
    """Which promotion is on."""

    safe = False


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


# The namespaces, and in them the names of functions of one value that may be weak, and of two.
_NAMESPACES: Final = ("math", "math.special", "nn", "linalg", "image", "debugging")
_OF_ONE: Final = _names("""
    abs acos acosh angle asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0
    bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 ceil check_numerics
    clip_by_value conj cos cosh dawsn depth_to_space digamma diag diag_part erf erfc erfcinv erfinv
    exp expand_dims expint expm1 extract_patches floor fresnel_cos fresnel_sin gelu identity imag
    leaky_relu lgamma log log1p log_sigmoid log_softmax matrix_transpose ndtri negative ones_like
    real reciprocal reciprocal_no_nan reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean
    reduce_min reduce_prod reduce_std reduce_sum reduce_variance relu6 reshape rint round rsqrt
    sigmoid sign silu sin sinh softplus space_to_depth spence sqrt square squeeze stop_gradient
    swish tan tanh tensor_diag_part trace transpose zeros_like
""")
_OF_TWO: Final = _names("""
    add divide divide_no_nan equal floordiv floormod matmul maximum minimum mod multiply
    multiply_no_nan not_equal pow realdiv subtract truediv truncatediv truncatemod
""")
_STRONG_OF_TWO: Final = ("maximum", "minimum")
_OF_ONE_IN_NUMPY: Final = _names("""
    abs absolute amax amin angle arange arccos arccosh arcsin arcsinh arctan arctanh around array
    asanyarray asarray ascontiguousarray average bitwise_not cbrt ceil conj conjugate copy cos cosh
    cumprod cumsum deg2rad diag diagflat diagonal diff empty_like exp exp2 expand_dims expm1 fabs
    fix flatten flip fliplr flipud floor full_like imag log log10 log1p log2 max mean min moveaxis
    nanmean negative ones_like positive prod rad2deg ravel real reciprocal repeat reshape rot90
    round sin sinc sinh sort sqrt square squeeze std sum swapaxes tan tanh trace transpose triu
    vander var zeros_like
""")
_OPERATORS: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
PROMOTING: Final = (
    *[f"__{name}__" for name in _OPERATORS],
    *[f"__r{name}__" for name in _OPERATORS],
    "__eq__",
    "__ne__",
)
KEEPING: Final = ("__abs__", "__neg__", "__pos__")
METHODS: Final = _names("""
    T __round__ clip cumprod cumsum data flatten max mean min prod ravel reshape round squeeze std
    sum swapaxes transpose var
""")
_ASSIGNMENTS: Final = ("assign", "assign_add", "assign_sub")

# What stood where while promotion is on.
_BEFORE: Final[list[tuple[object, str, object]]] = []


def _as(value: object, dtype: DType) -> Tensor:
    """A tensor of a dtype; a number of Python's is not rounded on the way to it."""
    if isinstance(value, Value):
        tensor = convert(value)
    else:
        try:
            return convert(value, dtype)
        except (TypeError, ValueError):
            tensor = convert(value)
    return tensor if tensor.dtype is dtype else cast(tensor, dtype)


def promoted(x: object, y: object) -> tuple[object, object, bool]:
    """Two operands of one dtype, and whether that gives way; what is no number as it is."""
    a, b = operand(x), operand(y)
    if a is None or b is None:
        return x, y, False
    if a == b and not a.weak:
        return x, y, False
    dtype, weak = common(a, b, Mode.safe)
    return _as(x, dtype), _as(y, dtype), weak


# ---- functions ----------------------------------------------------------------------------------


def _of_two(function: Function) -> Function:
    """The function of two values after both became of one dtype."""

    @functools.wraps(function)
    def promoting(*args: object, **kwargs: object) -> object:
        given = inspect.signature(function).bind(*args, **kwargs)
        first, second = list(given.signature.parameters)[:2]
        if first not in given.arguments or second not in given.arguments:
            return function(*args, **kwargs)
        x, y, weak = promoted(given.arguments[first], given.arguments[second])
        given.arguments.update({first: x, second: y})
        found = function(*given.args, **given.kwargs)
        return weakened(found) if weak and function.__name__ not in _STRONG_OF_TWO else found

    return promoting


def _of_one(function: Function) -> Function:
    """The function of one value, whose result gives way where the value does and no dtype is given."""

    @functools.wraps(function)
    def keeping(*args: object, **kwargs: object) -> object:
        try:
            given = inspect.signature(function).bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)
        first = next(iter(given.arguments), "")
        known = operand(given.arguments.get(first))
        if known is None or not known.weak or given.arguments.get("dtype") is not None:
            return function(*args, **kwargs)
        if not is_weak(given.arguments[first]):
            given.arguments[first] = convert(given.arguments[first])
        return weakened(function(*given.args, **given.kwargs))

    return keeping


def _strong(function: Function) -> Function:
    @functools.wraps(function)
    def strong(*args: object, **kwargs: object) -> object:
        found = function(*args, **kwargs)
        if not is_weak(found):
            return found
        return strengthened(found) if type(found) is Tensor else identity(found)

    return strong


def _constant(function: Function) -> Function:
    """tf.constant: weak of Python's numbers alone, and of a tensor cast where promotion allows it."""

    @functools.wraps(function)
    def constant(
        value: object, dtype: DTypeLike | None = None, shape: object = None, name: str = "Const"
    ) -> object:
        known = operand(value)
        if known is None:
            return function(value, dtype, shape, name)
        if isinstance(value, Value) and dtype is not None:
            value = _cast_where_allowed(value, known, as_dtype(dtype))
        found = function(value, dtype, shape, name)
        return weakened(found) if known.weak and dtype is None else found

    return constant


def _cast_where_allowed(value: Value, known: Operand, dtype: DType) -> Tensor:
    becomes = common(known, Operand(dtype, False), Mode.safe).dtype is dtype
    return _as(value, dtype) if becomes else convert(value)


# ---- operators and methods ----------------------------------------------------------------------


def promoting_operator(operator: Function) -> Function:
    """The operator after both operands became of one dtype."""

    def applied(self: object, other: object) -> object:
        x, y, weak = promoted(self, other)
        found = operator(x, y)
        return weakened(found) if weak else found

    return applied


def keeping_method(method: property | Function) -> property | Function:
    """The method or property, whose result gives way where the tensor does."""
    if isinstance(method, property):
        return property(lambda self: _like(self, method.fget(self)))  # type: ignore[misc]

    def kept(self: object, *args: object, **kwargs: object) -> object:
        return _like(self, method(self, *args, **kwargs))

    return kept


def _like(tensor: object, found: object) -> object:
    return weakened(found) if is_weak(tensor) else found


# ---- variables ----------------------------------------------------------------------------------


def _assigning(name: str, method: Function) -> Function:
    """An assignment of what may become of the variable's dtype."""

    @functools.wraps(method)
    def assign(self: Variable, value: object, *args: object, **kwargs: object) -> object:
        known = operand(value)
        if known is None:
            return method(self, value, *args, **kwargs)
        if common(Operand(self.dtype, False), known, Mode.safe).dtype is not self.dtype:
            shown = convert(value).numpy() if isinstance(value, Value) else value
            raise TypeError(
                f"Variable dtype is immutable. Calling {name} of Variable (with dtype {self.dtype!s}) "
                f"on {shown} requires converting {shown} to {self.dtype!s}. This is disabled in the "
                f"current promotion semantics. Please convert {shown} manually before calling {name}."
            )
        return method(self, _as(value, self.dtype), *args, **kwargs)

    return assign


# ---- on and off ---------------------------------------------------------------------------------


def set_promotion(mode: str | None) -> None:
    """Let public functions and assignments promote by `"all"` or `"safe"`, or as they do by themselves."""
    for owner, name, before in reversed(_BEFORE):
        _put(owner, name, before)
    _BEFORE.clear()
    if mode is not None:
        Mode.safe = mode == "safe"
        # The namespaces are above this room: they are looked up, as a program looks them up.
        top = sys.modules[__name__.partition(".")[0]]
        _replace_in(top, {**_BY_NAME, **_AT_TOP})
        for path in _NAMESPACES:
            _replace_in(attrgetter(path)(top), _BY_NAME)
        _replace_in(top.experimental.numpy, _BY_NAME_IN_NUMPY)
        for name in _ASSIGNMENTS:
            _replace(Variable, name, _assigning(name, getattr(Variable, name)))
    _pass_on()


_BY_NAME: Final = {**dict.fromkeys(_OF_ONE, _of_one), **dict.fromkeys(_OF_TWO, _of_two)}
_BY_NAME_IN_NUMPY: Final = {**dict.fromkeys(_OF_ONE_IN_NUMPY, _of_one), "matmul": _of_two}
_AT_TOP: Final = {"cast": _strong, "convert_to_tensor": _strong, "constant": _constant}
# What took the place of what, until other modules that have it were told.
_CHANGED: Final[dict[int, tuple[object, object]]] = {}


def _replace_in(module: ModuleType, makers: Mapping[str, Callable[[Function], Function]]) -> None:
    for name, value in list(vars(module).items()):
        if name in makers and callable(value):
            _replace(module, name, makers[name](value))


def _replace(owner: object, name: str, replacement: object) -> None:
    _BEFORE.append((owner, name, vars(owner)[name]))
    _put(owner, name, replacement)


def _put(owner: object, name: str, value: object) -> None:
    _CHANGED[id(vars(owner)[name])] = vars(owner)[name], value
    setattr(owner, name, value)


def _pass_on() -> None:
    """The modules of `import tensorflow` keep what they have looked up: let them have what counts now."""
    for path, module in list(sys.modules.items()):
        if path.partition(".")[0] == "tensorflow":
            for name, value in list(vars(module).items()):
                while id(value) in _CHANGED and value is not _CHANGED[id(value)][1]:
                    value = _CHANGED[id(value)][1]
                    setattr(module, name, value)
    _CHANGED.clear()
