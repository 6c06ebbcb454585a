"""What NumPy's own functions do with tensors: ours where a gradient may be taken, else NumPy's."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from wengert.api.numpy.counterparts import (
    ACCUMULATIONS,
    DISCRETE,
    FUNCTIONS,
    PARTS,
    REDUCTIONS,
    UFUNCS,
)
from wengert.api.numpy.promotion import as_tensor, named
from wengert.api.numpy.scipy_special import of_scipy
from wengert.api.numpy.shapes import reshape
from wengert.core.batch import Batched
from wengert.core.context import graph_around, is_followed
from wengert.errors import SymbolicValueError
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.exits import call_watchers, doors, spoken_name
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import dims
from wengert.values.value import Value

doors.add(__name__)  # what leaves the tape here leaves it at the line that called NumPy

# Arguments of NumPy's that say nothing about the result.
_IDLE: Final = {"casting", "order", "subok", "signature"}
_NESTED: Final = (list, tuple)


def array_ufunc(self: object, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """NumPy's protocol for its elementwise functions, and for their reductions."""
    ours = _of_ufunc(ufunc, method)
    given = _values((inputs, kwargs))
    if ours is None or not _is_for_us(ufunc, given):
        return _of_numpy(getattr(ufunc, method), inputs, kwargs)
    return ours(*inputs, **_checked(ufunc, kwargs))


def array_function(
    self: object,
    function: Callable[..., Any],
    types: object,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """NumPy's protocol for its other functions."""
    ours = FUNCTIONS.get(function)
    given = _values((args, kwargs))
    if ours is None or not _is_for_us(function, given):
        return _of_numpy(getattr(function, "_implementation", function), args, kwargs)
    placed, by_name = _translated(function, ours, args, kwargs)
    return ours(*placed, **by_name)


# ---- whose it is ------------------------------------------------------------------------------


def _values(nested: object) -> list[Value]:
    """The tensors and variables in arguments, also in lists of them."""
    found: list[Value] = []
    _collect(nested, found)
    return found


def _collect(nested: object, found: list[Value]) -> None:
    kind = type(nested)
    if kind is tuple or kind is list:
        for part in nested:  # type: ignore[attr-defined]
            _collect(part, found)
    elif isinstance(nested, Value):
        found.append(nested)
    elif isinstance(nested, dict):
        _collect(list(nested.values()), found)
    elif isinstance(nested, _NESTED):
        _collect(list(nested), found)


def _is_for_us(function: Callable[..., Any], given: list[Value]) -> bool:
    """Whether one of the values has no numbers yet, or a recorder follows it.

    Of what has numbers, truths and places are NumPy's business: no gradient leads through them.
    """
    if any(isinstance(x, Batched) or _has_no_value(x) for x in given):
        return True
    return function not in DISCRETE and any(_is_followed(x) for x in given)


def _has_no_value(x: Value) -> bool:
    if isinstance(x, SymbolicTensor):
        return x._known is None or x.dtype.is_differentiable
    return isinstance(x, Variable) and graph_around() is not None


def _is_followed(x: Value) -> bool:
    if not x.dtype.is_differentiable:
        return False
    return graph_around() is not None or is_followed((convert(x),))


def _of_numpy(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """NumPy's own result, of the numbers that the values have now."""
    try:
        given, named = [_plain(a) for a in args], {k: _plain(a) for k, a in kwargs.items()}
    except SymbolicValueError as error:
        raise SymbolicValueError(f"{error} It was given to {spoken_name(function)}.") from None
    result = function(*given, **named)
    for watcher in call_watchers:
        watcher(function, _values((args, kwargs)), result)
    return result


def _plain(value: Any) -> Any:
    if isinstance(value, Value):
        return np.asarray(value)
    if type(value) in _NESTED and _values(value):
        return type(value)([_plain(part) for part in value])
    return value


# ---- ufuncs -----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=512)
def _of_ufunc(ufunc: np.ufunc, method: str) -> Callable[..., Any] | None:
    ours = UFUNCS.get(ufunc) or of_scipy(ufunc)
    if method == "__call__":
        return None if ours is None else functools.partial(_called, ours)
    if method == "outer":
        return None if ours is None else functools.partial(_outer, ours)
    if method == "reduceat":
        return PARTS.get(ufunc)
    found = {"reduce": REDUCTIONS, "accumulate": ACCUMULATIONS}.get(method, {}).get(ufunc)
    return None if found is None else functools.partial(_along_first, found)


def _called(ours: Callable[..., Any], *inputs: Any, dtype: Any = None) -> Any:
    if dtype is not None:
        inputs = tuple([as_tensor(x, named(dtype)) for x in inputs])
    return ours(*inputs)


def _outer(ours: Callable[..., Any], a: Any, b: Any, dtype: Any = None) -> Any:
    """The function of all pairs."""
    x, y = as_tensor(a), as_tensor(b)
    return _called(ours, reshape(x, (*dims(x), *[1] * len(dims(y)))), y, dtype=dtype)


def _along_first(
    ours: Callable[..., Any], a: Any, axis: Any = 0, dtype: Any = None, *, keepdims: Any = False
) -> Any:
    """A reduction or an accumulation; other than as a function it goes along the first axis."""
    tensor = as_tensor(a) if dtype is None else as_tensor(a, named(dtype))
    return ours(tensor, axis, **({"keepdims": True} if keepdims else {}))


def _checked(function: Callable[..., Any], kwargs: Any) -> dict[str, Any]:
    """The arguments that a function of ours takes; an error for those that nothing can follow."""
    kept = {}
    for name, value in kwargs.items():
        if value is None or name in _IDLE or (name == "where" and value is True):
            continue
        if name not in ("dtype", "axis", "keepdims"):
            raise _refusal(function, name)
        kept[name] = value
    return kept


def _refusal(function: Callable[..., Any], name: str) -> TypeError:
    mend = {
        "out": "Use its result, which is a new tensor: nothing can be written into.",
        "where": "Use np.where on the result, or on the argument.",
    }.get(name, "Leave it out, or take the numbers, np.asarray(tensor), which no gradient follows.")
    return TypeError(
        f"np.{function.__name__} of a tensor whose gradient may be taken has no argument "
        f"`{name}`. {mend}"
    )


# ---- functions --------------------------------------------------------------------------------


_Parameters = Mapping[str, inspect.Parameter]


def _parameters(function: Callable[..., Any]) -> _Parameters | None:
    """NumPy's parameters; None where it has no signature, or takes any number of arguments."""
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    kinds = {p.kind for p in found.values()}
    return None if inspect.Parameter.VAR_POSITIONAL in kinds else dict(found)


@functools.lru_cache(maxsize=512)
def _both_parameters(
    function: Callable[..., Any], ours: Callable[..., Any]
) -> tuple[_Parameters, tuple[str, ...]] | None:
    """NumPy's parameters and the names of ours, if both are known."""
    theirs, own = _parameters(function), _parameters(ours)
    return None if theirs is None or own is None else (theirs, tuple(own))


def _translated(
    function: Callable[..., Any],
    ours: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> tuple[Sequence[Any], dict[str, Any]]:
    """NumPy's arguments as ours: by name, or by place where names differ; what is idle left out."""
    both = _both_parameters(function, ours)
    if both is None:
        return args, {k: v for k, v in kwargs.items() if v is not None}
    theirs, own = both
    given = {**dict(zip(theirs, args, strict=False)), **kwargs}  # NumPy has looked at their number
    found = {}
    for name, value in given.items():
        parameter = theirs.get(name)
        if parameter is None:  # one of **kwargs
            found[name] = value
        elif name in own:
            if value is not np._NoValue:
                found[name] = value
        elif parameter.default is inspect.Parameter.empty and not theirs.keys() >= set(own):
            found[own[list(theirs).index(name)]] = value
        elif value is not parameter.default and name not in _IDLE:
            raise _refusal(function, name)
    return (), found
