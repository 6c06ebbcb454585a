"""The one door: every operation goes through `apply`.

It runs the kernel and tells the recorders. An interpreter, when one is active in this thread,
takes the operation instead (a batch, later a graph). The door knows none of them by name.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Protocol

import numpy as np

from wengert.core.operation import NO_ATTRS, Attrs, Row
from wengert.core.quiet import QUIET, enter, leave
from wengert.core.shapes import shown
from wengert.core.tensor import Tensor, wrap
from wengert.errors import InvalidArgumentError, LeakedTensorError, OpError


class Recorder(Protocol):
    """Who listens to operations."""

    # A recorder that computes when it hears of an operation comes after those that only note it,
    # and what it computes is heard by the recorders before it.
    computes: ClassVar[bool]

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None: ...
    def accessed(self, variable: Any) -> None: ...


class Interpreter(Protocol):
    """Who takes operations in place of the kernels."""

    def apply(self, row: Row, inputs: Sequence[Any], attrs: Attrs) -> Any: ...
    def announce(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None: ...


class State(threading.local):
    """What is active in this thread."""

    recorders: tuple[Recorder, ...] = ()
    interpreter: Interpreter | None = None


state = State()
_new = object.__new__


def apply(row: Row, inputs: Sequence[Any], attrs: Attrs = NO_ATTRS) -> Any:
    """Carry out an operation on tensors: one result, or a list where the row says so."""
    if state.interpreter is not None:
        return state.interpreter.apply(row, inputs, attrs)
    token = enter(QUIET)
    try:
        if attrs:
            value = row.kernel(np, *[x._array for x in inputs], **attrs)
        elif len(inputs) == 2:  # without unpacking: the commonest case, 0.1 µs faster
            a, b = inputs
            value = row.kernel(np, a._array, b._array)
        else:
            value = row.kernel(np, *[x._array for x in inputs])
    except Exception as error:
        raise _explained(row, inputs, error) from error
    finally:
        leave(token)
    result: Any
    if row.many:
        result = [wrap(v) for v in value]
    else:  # wrap(value), without the call
        result = _new(Tensor)
        result._array = value
        result._key = None
    for recorder in state.recorders:
        recorder.record(row, inputs, attrs, result)
    return result


def announce(row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
    """Tell the recorders of an operation that was carried out by other means."""
    if state.interpreter is not None:
        state.interpreter.announce(row, inputs, attrs, result)
        return
    for recorder in state.recorders:
        recorder.record(row, inputs, attrs, result)


def _explained(row: Row, inputs: Sequence[Any], error: Exception) -> Exception:
    """What to raise when a kernel failed."""
    if any(getattr(x, "_leaked", False) for x in inputs):
        return LeakedTensorError(
            f"{row.name} was given a tensor that stands for one example of a batch, outside the "
            "function that was being vectorized. Return it from that function instead."
        )
    if row.users or isinstance(error, (OpError, MemoryError)):
        return error
    return InvalidArgumentError(f"{_complaint(row, inputs, error)} [Op:{row.name}]")


def _complaint(row: Row, inputs: Sequence[Any], error: Exception) -> str:
    shapes = [x._array.shape for x in inputs]
    if row.elementwise and len(set(shapes)) > 1:
        return f"Incompatible shapes: {' vs. '.join(map(shown, shapes))}"
    described = ", ".join(f"{x.dtype.name}{shown(x._array.shape)}" for x in inputs)
    return f"{error} (inputs: {described})"


# ---- who listens ------------------------------------------------------------------------------


def start(recorder: Recorder) -> None:
    """Let a recorder listen in this thread."""
    if recorder.computes:
        state.recorders = (*state.recorders, recorder)
    else:
        at = sum(not r.computes for r in state.recorders)
        state.recorders = (*state.recorders[:at], recorder, *state.recorders[at:])


def stop(recorder: Recorder) -> None:
    """Let a recorder listen no more."""
    state.recorders = tuple(r for r in state.recorders if r is not recorder)


@contextmanager
def listening(*recorders: Recorder) -> Iterator[None]:
    """Only these recorders hear what happens inside."""
    before = state.recorders
    state.recorders = recorders
    try:
        yield
    finally:
        state.recorders = before


@contextmanager
def also_listening(recorder: Recorder) -> Iterator[None]:
    """This recorder, too, hears what happens inside."""
    start(recorder)
    try:
        yield
    finally:
        stop(recorder)
