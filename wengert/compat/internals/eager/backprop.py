"""tensorflow.python.eager.backprop: gradients of functions, an API from before GradientTape."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from wengert.api.gradients.gradient_tape import GradientTape
from wengert.compat.internals.eager.attributes import make_attr as make_attr
from wengert.compat.internals.eager.attributes import op_attr_type as op_attr_type
from wengert.compat.internals.ops.math_ops import _as_indexed_slices
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.joining import concat
from wengert.ops.math.elementwise import ones_like
from wengert.values import nest
from wengert.values.convert import convert_to_tensor
from wengert.values.indexed_slices import IndexedSlices

Function = Callable[..., Any]


def make_vjp(f: Function, params: Any = None, persistent: bool = True) -> Function:
    """A function from the arguments to the value and the function that pulls a cotangent back."""

    def decorated(*args: Any) -> tuple[Any, Function]:
        inputs = _apart(args)
        chosen = [inputs[i] for i in _positions(f, params, args)]
        with GradientTape(persistent=persistent) as tape:
            for x in chosen:
                tape.watch(x)
            value = f(*inputs)
        if value is None:
            raise ValueError(_nothing(f))
        flat = nest.flatten(value)

        def vjp(dy: Any = None) -> Any:
            seeds = [ones_like(y) for y in flat] if dy is None else nest.flatten(dy)
            return tape.gradient(flat, chosen, seeds)

        return value, vjp

    return decorated


def val_and_grad_function(f: Function, params: Any = None) -> Function:
    """A function from the arguments to the value and the gradients."""

    def decorated(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        dy = kwargs.pop("dy", None)
        if kwargs:
            raise ValueError("Functions to be differentiated cannot receive keyword arguments.")
        value, vjp = make_vjp(f, params)(*args)
        return value, vjp(dy)

    return decorated


def gradients_function(f: Function, params: Any = None) -> Function:
    """A function from the arguments to the gradients."""
    both = val_and_grad_function(f, params)
    return functools.wraps(f)(lambda *args, **kwargs: both(*args, **kwargs)[1])


def implicit_val_and_grad(f: Function) -> Function:
    """A function from the arguments to the value and the gradients of all variables read."""

    def decorated(*args: Any, **kwargs: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        with GradientTape() as tape:
            value = f(*args, **kwargs)
        variables = tape.watched_variables()
        if value is None:
            raise ValueError(_nothing(f))
        if not variables:
            raise ValueError(
                "No trainable variables were accessed while the function was being computed: "
                f"{_name(f)}."
            )
        found = tape.gradient(value, variables)
        return value, list(zip(found, variables, strict=True))

    return decorated


def implicit_grad(f: Function) -> Function:
    """A function from the arguments to the gradients of all variables read."""
    both = implicit_val_and_grad(f)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def aggregate_indexed_slices_gradients(grads: Sequence[Any]) -> Any:
    """The sum of several IndexedSlices."""
    given = [_as_indexed_slices(g) for g in grads if g is not None]
    if not given:
        return None
    values, indices = (concat([getattr(g, n) for g in given], 0) for n in ("values", "indices"))
    return IndexedSlices(values, indices, given[0].dense_shape)


def _apart(args: Sequence[Any]) -> list[Any]:
    """The arguments as distinct tensors, even if the same one was passed twice."""
    made: list[Any] = []
    for value in args:
        x = value if value is None or nest.is_composite(value) else convert_to_tensor(value)
        made.append(identity(x) if any(x is other for other in made) else x)
    return made


def _positions(f: Function, params: Any, args: Sequence[Any]) -> list[int]:
    """The positions of arguments given by position or name; all by default."""
    if params is None:
        return list(range(len(args)))
    if isinstance(params, (str, int)):
        params = [params]
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    if any(isinstance(p, str) and p not in names for p in params):
        raise ValueError(
            f"params must be all integers or names of parameters {names}; got {params}."
        )
    return [names.index(p) if isinstance(p, str) else p for p in params]


def _nothing(f: Function) -> str:
    return f"Cannot differentiate a function that returns None; did you forget to return a value from {_name(f)}?"


def _name(f: Function) -> str:
    return getattr(f, "__name__", repr(f))


def _record_gradient(op_name: str, inputs: Any, attrs: Any, results: Any) -> None:
    """What TensorFlow's generated code calls. Programs keep it, to put it back where they replaced it."""
    raise NotImplementedError(
        f"{op_name} cannot be recorded afterwards: an operation is recorded where it is called. "
        "Give a function a gradient of its own with tf.custom_gradient."
    )
