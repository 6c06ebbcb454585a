"""tensorflow.python.ops.functional_ops: control flow by functions of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.api.gradients.gradient_tape import GradientTape
from wengert.api.gradients.graph_gradients import gradients
from wengert.api.session.modes import executing_eagerly
from wengert.compat.internals.ops.gen_functional_ops import _listed, to_bool
from wengert.ops.control.cond import cond as cond_
from wengert.ops.control.map import foldl as foldl
from wengert.ops.control.map import foldr as foldr
from wengert.ops.control.map import scan as scan
from wengert.ops.control.while_loop import while_loop
from wengert.values.convert import convert

Function = Callable[..., Any]


def If(
    cond: Any,
    inputs: Sequence[Any],
    then_branch: Function,
    else_branch: Function,
    name: str | None = None,
) -> Any:
    """The results of one of two functions of the same tensors."""
    given = [convert(x) for x in inputs]
    return cond_(
        to_bool(cond), lambda: _listed(then_branch(*given)), lambda: _listed(else_branch(*given))
    )


def While(
    input_: Sequence[Any],
    cond: Function,
    body: Function,
    name: str | None = None,
    hostmem: Any = None,
) -> Any:
    """A function applied to tensors again and again, as long as another says so."""
    return while_loop(
        lambda *xs: to_bool(cond(*xs)), lambda *xs: _listed(body(*xs)), [convert(x) for x in input_]
    )


def For(
    start: Any,
    limit: Any,
    delta: Any,
    inputs: Sequence[Any],
    body: Function,
    name: str | None = None,
    hostmem: Any = None,
    rewrite_with_while: bool | None = None,
) -> Any:
    """A function of a counter and of tensors, applied for each value of the counter."""
    first, last, step = (convert(x) for x in (start, limit, delta))
    found = while_loop(
        lambda i, *xs: (step > 0) & (i < last) | (step < 0) & (i > last),
        lambda i, *xs: [i + step, *_listed(body(i, *xs))],
        [first, *[convert(x) for x in inputs]],
    )
    return list(found[1:])


def Gradient(inputs: Sequence[Any], f: Function, name: str | None = None) -> Any:
    """The gradients of a function of the first inputs; the others are the cotangents of its results."""
    count = _arguments(f, inputs)
    xs, dys = [convert(x) for x in inputs[:count]], [convert(x) for x in inputs[count:]]
    if not executing_eagerly():
        return gradients(_listed(f(*xs)), xs, dys)
    with GradientTape() as tape:
        tape.watch(xs)
        ys = _listed(f(*xs))
    return tape.gradient(ys, xs, dys)


def _arguments(f: Function, inputs: Sequence[Any]) -> int:
    """How many of the inputs are arguments: those that are left give a cotangent to each result."""
    for count in range(len(inputs) - 1, 0, -1):
        try:
            results = _listed(f(*[convert(x) for x in inputs[:count]]))
        except TypeError:
            continue
        if count + len(results) == len(inputs):
            return count
    raise ValueError(
        f"Gradient takes the arguments of {f!r} and a cotangent for each of its results; these "
        f"are {len(inputs)} tensors."
    )


def remote_call(
    target: Any, args: Sequence[Any], Tout: Any, f: Function, name: str | None = None
) -> Any:
    """The results of a function; the only target is this process."""
    return _listed(f(*[convert(x) for x in args]))
