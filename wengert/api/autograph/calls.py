"""Calls: what converted code calls is converted, too, when it is called.

`f(x)` became `call(f)(x)`. A function of the user's is converted; one of the library, of Python or
of NumPy is called as it is, but for a few of Python's functions that mean something on tensors.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from wengert.api.autograph import branches, conversion, loops
from wengert.api.autograph.state import ABSENT, GUARDED
from wengert.api.autograph.values import is_staged
from wengert.api.gradients.custom_gradient import CustomGradient
from wengert.host.user_frames import is_ours_file
from wengert.inference.public_functions import OF_FUNCTION
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.math.arithmetic import maximum
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_max, reduce_min
from wengert.values.convert import convert
from wengert.values.dtypes import float32, int32

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import TensorLike

Function = Callable[..., Any]
# Libraries that are written for being called as they are.
_LIBRARIES: Final = ("numpy", "scipy", "pytest", "_pytest", "matplotlib", "pandas", "PIL", "keras", "tf_keras",
                     "tensorflow_probability")  # fmt: skip
_NOT_CONVERTED: Final = frozenset({*sys.stdlib_module_names, *_LIBRARIES})
_MAIN: Final = ("__main__", "__mp_main__")


def call(function: Any) -> Any:
    """What to call in the place of a function."""
    kind = type(function)
    if kind is FunctionType:
        if _is_users(function):
            return conversion.converted(function, _operators)
        if not is_ours_file(function.__code__.co_filename):
            return function
        made = _made_again(function) if _is_of_library(function) else function
        return _giving_converted(function) if made is function else made
    if kind is MethodType:
        inner = call(function.__func__)
        return function if inner is function.__func__ else MethodType(inner, function.__self__)
    if kind is BuiltinFunctionType or kind is type:
        return _ON_TENSORS.get(function, function) if _hashable(function) else function
    if kind is functools.partial:
        return functools.partial(call(function.func), *function.args, **function.keywords)
    if kind is CustomGradient:
        made = _made_again(function)
        return function.of(call(function._function)) if made is function else made
    if isinstance(function, type):
        return function
    inner = getattr(kind, "__call__", None)  # noqa: B004  # it is what is called
    if type(inner) is FunctionType and _is_users(inner):
        return MethodType(conversion.converted(inner, _operators), function)
    return function


def _hashable(function: object) -> bool:
    return type(function).__hash__ is not None


def converted(function: Any) -> Any:
    """A function as a trace calls it."""
    return _made_again(function) if _is_of_library(function) else call(function)


def _made_again(function: Any) -> Any:
    """What the library made of a function of the user's, made of the converted one: tf.grad(f), ..."""
    whose, inner, again = vars(function).get(OF_FUNCTION, (0, None, None))
    if whose != id(function):
        return function
    changed = converted(inner)
    return function if changed is inner else again(changed)


def explain(error: Exception) -> None:
    """Add to an error why the function in which it arose was not converted."""
    trace, reason = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if not is_ours_file(code.co_filename):
            # What is called from there was not looked at: the reason is that of the caller.
            found = conversion.kept.reason(code)
            reason = f" Autograph left {code.co_name} as it is: {found}." if found else reason
        trace = trace.tb_next
    error.args = (f"{error.args[0]}{reason}", *error.args[1:]) if error.args else error.args


def _is_of_library(function: object) -> bool:
    if type(function) is not FunctionType or hasattr(function, "__wengert_unconverted__"):
        return False
    return is_ours_file(function.__code__.co_filename)


def _is_users(function: FunctionType) -> bool:
    """Whether a function is converted: it is not of the library, of Python or of NumPy."""
    if is_ours_file(function.__code__.co_filename) or hasattr(function, "__wengert_unconverted__"):
        return False
    module = function.__globals__.get("__name__") or ""
    return module.partition(".")[0] not in _NOT_CONVERTED or module in _MAIN


def _giving_converted(function: FunctionType) -> Function:
    """A function of the library, which is given the user's functions converted: tf.map_fn, ..."""

    def given(*args: Any, **kwargs: Any) -> Any:
        args = tuple([call(a) if _is_given(a) else a for a in args])
        return function(*args, **{k: call(v) if _is_given(v) else v for k, v in kwargs.items()})

    return given


def _is_given(value: object) -> bool:
    function = value.__func__ if isinstance(value, MethodType) else value
    return isinstance(function, FunctionType) and _is_users(function)


# ---- functions of Python's on tensors ----------------------------------------------------------


def _overload(
    original: Function,
    instead: Function,
    is_meant: Callable[[tuple[Any, ...]], bool] = lambda args: any(map(is_staged, args)),
) -> Function:
    """A function of Python's that does something else of some arguments, such as tensors."""

    @functools.wraps(original)
    def called(*args: Any, **kwargs: Any) -> Any:
        return (instead if is_meant(args) else original)(*args, **kwargs)

    return called


def _length(value: Tensor) -> Tensor | int:
    if value.shape.rank == 0:
        raise TypeError("Scalar tensor has no `len()`")
    known = None if value.shape.rank is None else value.shape[0]
    return shape_of(value)[0] if known is None else known


def _extreme(reduce: Function, name: str) -> Function:
    def found(*values: Any, **kwargs: Any) -> Any:
        ranks = {value.shape.rank for value in map(convert, values)}
        wanted = 1 if len(values) == 1 else 0
        if ranks != {wanted}:
            what = "a tensor with rank 1" if wanted else "scalar tensors"
            raise ValueError(f"{name} of tensors takes {what}, got ranks {sorted(ranks, key=str)}.")
        return reduce(values[0] if wanted else list(values), axis=0, **kwargs)

    return found


def _range(start: TensorLike, stop: TensorLike | None = None, step: TensorLike = 1) -> Tensor:
    """Empty where Python's is empty, not an error."""
    start, stop = (0, start) if stop is None else (start, stop)
    bounded = maximum(start, stop) if isinstance(step, int) and step > 0 else stop
    return range_(start, bounded, step)


def _on_datasets(original: Function, instead: Function, which: slice) -> Function:
    """A function of Python's that does something else if these arguments are datasets, all of them.

    Python would ask a dataset for one more element, and one more, while the graph is built.
    """

    def are_datasets(args: tuple[Any, ...]) -> bool:
        return len(args[which]) > 0 and all(map(_is_dataset, args[which]))

    return _overload(original, instead, are_datasets)


def _is_dataset(value: Any) -> bool:
    return loops.goes_in_rounds(value) and hasattr(value, "enumerate")  # and no iterator


def _zipped(*datasets: Any, strict: bool = False) -> Any:
    if strict:
        raise ValueError(
            "strict zip not supported by Dataset: how many elements there are is known when they end. Leave out "
            "`strict=True`, or compare `dataset.cardinality()` of the datasets first."
        )
    return datasets[0].zip(datasets)


def _mapped(function: Function, *datasets: Any) -> Any:
    items = _zipped(*datasets) if len(datasets) > 1 else datasets[0]
    return items.map(call(function))


_ON_TENSORS: Final[dict[Any, Function]] = {
    len: _overload(len, _length),
    range: _overload(range, _range),
    int: _overload(int, lambda value: cast(value, int32)),
    float: _overload(float, lambda value: cast(value, float32)),
    max: _overload(max, _extreme(reduce_max, "max")),
    min: _overload(min, _extreme(reduce_min, "min")),
    enumerate: _on_datasets(enumerate, lambda items, start=0: items.enumerate(start), slice(0, 1)),
    zip: _on_datasets(zip, _zipped, slice(None)),
    map: _on_datasets(map, _mapped, slice(1, None)),
    filter: _on_datasets(filter, lambda function, items: items.filter(call(function)), slice(1, 2)),
}

_operators: Final = CellType(
    SimpleNamespace(
        call=call,
        branch=branches.branch,
        while_loop=loops.while_loop,
        for_loop=loops.for_loop,
        chosen=branches.chosen,
        all_of=branches.all_of,
        any_of=branches.any_of,
        negated=branches.negated,
        compared=branches.compared,
        none_of=branches.none_of,
        asserted=branches.asserted,
        returned=branches.returned,
        ABSENT=ABSENT,
        GUARDED=GUARDED,
    )
)
