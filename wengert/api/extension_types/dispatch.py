"""tf.experimental.dispatch_for_...: what public functions do for types of users'."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from wengert.values.composite import Composite
from wengert.values.tensor import Tensor
from wengert.values.typed_calls import (
    CHECKS_OF_TWO,
    DECIDES,
    FITS,
    NO,
    OF_ONE,
    OF_TWO,
    Fits,
    Handler,
    add_handler,
    add_handler_of_set,
    elementwise_of_one,
    elementwise_of_two,
    remove_target,
)
from wengert.values.typing import TensorLike
from wengert.values.value import Value

Target = TypeVar("Target", bound=Callable[..., Any])
Decorator = Callable[[Target], Target]


def dispatch_for_api(api: Callable[..., Any], *signatures: Mapping[Any, object]) -> Decorator[Any]:
    """Say what a public function does where its arguments are of other types.

    A signature has the types of some parameters, by name or position; without one the annotations
    of the decorated function are it.

    >>> class Money(tf.experimental.ExtensionType):
    ...     cents: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.concat, {"values": list[Money]})
    ... def money_concat(values, axis, name=None):
    ...     return Money(tf.concat([v.cents for v in values], axis))
    >>> tf.concat([Money([1]), Money([2])], 0).cents.numpy()
    array([1, 2], dtype=int32)
    """
    if not callable(api):
        raise TypeError(f"dispatch_for_api takes a function of tf, got {api!r}.")
    parameters = list(inspect.signature(api).parameters)
    given = [_by_name(api, parameters, signature) for signature in signatures]

    def register(target: Target) -> Target:
        _check_parameters(api, parameters, target)
        wanted = given or [_by_name(api, parameters, _annotations(target))]
        for types_of in wanted:
            add_handler(api, Handler(target, _answer_for(api, types_of, target)))
        return target

    return register


def dispatch_for_unary_elementwise_apis(x_type: object) -> Decorator[Any]:
    """Say what every function of each element by itself does with a type: `handler(f, x)`.

    >>> class Money(tf.experimental.ExtensionType):
    ...     cents: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Money)
    ... def of_money(f, x):
    ...     return Money(f(x.cents))
    >>> tf.abs(Money([-3])).cents.numpy(), tf.cast(Money([3]), tf.float32).cents.dtype
    (array([3], dtype=int32), tf.float32)
    """
    fits = _fits(x_type)

    def register(target: Target) -> Target:
        _check_count(target, ("api_func", "x"))
        _note_new(OF_ONE, (x_type,), target)
        add_handler_of_set(OF_ONE, elementwise_of_one(fits, target))
        return target

    return register


def dispatch_for_binary_elementwise_apis(x_type: object, y_type: object) -> Decorator[Any]:
    """Say what every function of two values, element by element, does: `handler(f, x, y)`.

    >>> class Money(tf.experimental.ExtensionType):
    ...     cents: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Money, Money)
    ... def of_two(f, x, y):
    ...     return Money(f(x.cents, y.cents))
    >>> tf.maximum(Money([3]), Money([5])).cents.numpy()
    array([5], dtype=int32)
    """
    return _of_two(OF_TWO, x_type, y_type)


def dispatch_for_binary_elementwise_assert_apis(x_type: object, y_type: object) -> Decorator[Any]:
    """Say what every check of two values, element by element, does: `handler(f, x, y)`.

    >>> class Money(tf.experimental.ExtensionType):
    ...     cents: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Money, Money)
    ... def of_two(f, x, y):
    ...     return f(x.cents, y.cents)
    >>> tf.debugging.assert_equal(Money([3]), Money([5]))
    Traceback (most recent call last):
        ...
    wengert.errors.InvalidArgumentError: ...
    """
    return _of_two(CHECKS_OF_TWO, x_type, y_type)


def _of_two(functions: set[Callable[..., Any]], x_type: object, y_type: object) -> Decorator[Any]:
    fits = _fits(x_type), _fits(y_type)

    def register(target: Target) -> Target:
        _check_count(target, ("api_func", "x", "y"))
        _note_new(functions, (x_type, y_type), target)
        add_handler_of_set(functions, elementwise_of_two(*fits, target))
        return target

    return register


def unregister_dispatch_for(dispatch_target: Callable[..., Any]) -> None:
    """Forget that a function was registered by one of the decorators.

    >>> class Money(tf.experimental.ExtensionType):
    ...     cents: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Money)
    ... def of_money(f, x):
    ...     return Money(f(x.cents))
    >>> tf.experimental.unregister_dispatch_for(of_money)
    """
    _KNOWN[:] = [entry for entry in _KNOWN if entry[2] is not dispatch_target]
    if not remove_target(dispatch_target):
        raise ValueError(
            f"Function {dispatch_target} was not registered using a `@dispatch_for_...`."
        )


# The types for which sets of functions are answered, and by what.
_KNOWN: list[tuple[set[Callable[..., Any]], tuple[object, ...], Callable[..., Any]]] = []


def _note_new(
    functions: set[Callable[..., Any]], kinds: tuple[object, ...], target: Callable[..., Any]
) -> None:
    for known, types_of, before in _KNOWN:
        if known is functions and types_of == kinds:
            raise ValueError(
                f"A handler for {', '.join(map(_name, kinds))} has already been registered: {before}."
            )
    _KNOWN.append((functions, kinds, target))


# ---- signatures ---------------------------------------------------------------------------------


def _by_name(
    api: Callable[..., Any], parameters: Sequence[str], signature: Mapping[Any, object]
) -> dict[str, Fits]:
    """The types of parameters, by their names."""
    found: dict[str, Fits] = {}
    for key, kind in signature.items():
        if isinstance(key, int) and not -1 < key < len(parameters):
            raise ValueError(
                f"signature includes annotation for parameter {key}, but {_name(api)} has only "
                f"{len(parameters)} parameters."
            )
        name = parameters[key] if isinstance(key, int) else key
        if name not in parameters:
            raise ValueError(
                f"signature includes annotation for unknown parameter {name!r} of {_name(api)}, whose "
                f"parameters are {', '.join(parameters)}."
            )
        found[name] = _fits(kind)
    if not any(_may_decide(kind) for kind in signature.values()):
        raise ValueError(
            "signature must specify an annotation for at least one parameter that is a type made of "
            f"tensors, as tf.experimental.ExtensionType is; got {dict(signature)!r}."
        )
    return found


def _annotations(target: Callable[..., Any]) -> dict[str, object]:
    found = typing.get_type_hints(target)
    found.pop("return", None)
    return found


def _check_parameters(
    api: Callable[..., Any], parameters: Sequence[str], target: Callable[..., Any]
) -> None:
    own = list(inspect.signature(target).parameters)
    named = [*own, "name"] if "name" in parameters and "name" not in own else own
    if named != parameters and not any(n in ("args", "kwargs") for n in own):
        raise ValueError(
            f"Dispatch function's signature ({', '.join(own)}) does not match API's signature "
            f"({', '.join(parameters)}) of {_name(api)}."
        )


def _check_count(target: Callable[..., Any], wanted: Sequence[str]) -> None:
    if len(inspect.signature(target).parameters) != len(wanted):
        raise TypeError(f"{_name(target)} must take {', '.join(wanted)}.")


def _answer_for(
    api: Callable[..., Any], wanted: Mapping[str, Fits], target: Callable[..., Any]
) -> Callable[..., Any]:
    signature = inspect.signature(api)
    takes_name = "name" in inspect.signature(target).parameters

    def answer(_: object, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError:
            return NotImplemented
        given.apply_defaults()
        fit = [fits(given.arguments[name]) for name, fits in wanted.items()]
        if NO in fit or DECIDES not in fit:
            return NotImplemented
        if takes_name or "name" not in signature.parameters:
            return target(*args, **kwargs)
        given.arguments.pop("name")
        return target(*given.args, **given.kwargs)

    return answer


# ---- types --------------------------------------------------------------------------------------


def _fits(kind: object) -> Fits:
    """Whether a value is of a type, and whether the type is one for whose sake a call is taken."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return lambda value: FITS
    if kind == TensorLike:
        return lambda value: NO if isinstance(value, Composite) else FITS
    if origin is typing.Union or origin is types.UnionType:
        parts = [_fits(part) for part in inner]
        return lambda value: max(fits(value) for fits in parts)
    if origin in (list, tuple) or (isinstance(origin, type) and issubclass(origin, Sequence)):
        return _fits_each(origin, inner)
    if not isinstance(kind, type):
        raise ValueError(f"Type annotation {kind!r} is not one that dispatch knows.")
    return _fits_class(kind)


def _fits_class(kind: type) -> Fits:
    if issubclass(kind, Composite):
        return lambda value: DECIDES if isinstance(value, kind) else NO
    if kind is Tensor:
        return lambda value: FITS if isinstance(value, Value) else NO
    return lambda value: FITS if isinstance(value, kind) else NO


def _fits_each(origin: type, inner: tuple[object, ...]) -> Fits:
    """Sequences in which every element is of a type; of tuples each of its own."""
    kinds = [_fits(part) for part in inner if part is not Ellipsis]
    by_place = origin is tuple and Ellipsis not in inner

    def fits(value: Any) -> int:
        if not isinstance(value, (list, tuple) if origin is not tuple else tuple):
            return NO
        if by_place and len(value) != len(kinds):
            return NO
        each = kinds if by_place else kinds * len(value)
        found = [f(v) for f, v in zip(each, value, strict=True)]
        return NO if NO in found else max(found, default=FITS)

    return fits


def _may_decide(kind: object) -> bool:
    if isinstance(kind, type):
        return issubclass(kind, Composite)
    return any(_may_decide(part) for part in typing.get_args(kind))


def _name(value: object) -> str:
    return getattr(value, "__name__", repr(value))
