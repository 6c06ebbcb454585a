"""The one door: every operation goes through `apply`.

It runs the kernel and tells the recorders. An interpreter, when one is active in this thread,
takes the operation instead (a batch, later a graph). The door knows none of them by name.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Final, Protocol

import numpy as np

from wengert.core.operation import NO_ATTRS, Attrs, Row
from wengert.core.quiet import QUIET, enter, leave, quiet_runner
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
    def accessed(self, variable: Any) -> None: ...


class Here:
    """What is active in one thread. Changed by `install` alone."""

    __slots__ = ("interpreter", "listeners", "recorders", "run_quietly")

    def __init__(self) -> None:
        self.recorders: tuple[Recorder, ...] = ()
        self.interpreter: Interpreter | None = None
        # The recorders; None while an interpreter is active. One look tells the door everything.
        self.listeners: tuple[Recorder, ...] | None = ()
        self.run_quietly = quiet_runner()


class State(threading.local):
    """`state.here` is what is active in the thread that asks."""

    def __init__(self) -> None:
        self.here = Here()


state: Final = State()
_new: Final = object.__new__


def install(recorders: tuple[Recorder, ...], interpreter: Interpreter | None) -> None:
    """Say who listens in this thread, and who takes the operations."""
    here = state.here
    here.recorders = recorders
    here.interpreter = interpreter
    here.listeners = recorders if interpreter is None else None


# ---- the door ---------------------------------------------------------------------------------


def apply(row: Row, inputs: Sequence[Any], attrs: Attrs = NO_ATTRS) -> Any:
    """Carry out an operation on tensors: one result, or a list where the row says so."""
    here = state.here
    listeners = here.listeners
    if listeners is None:
        assert here.interpreter is not None
        return here.interpreter.apply(row, inputs, attrs)
    token = enter(QUIET)
    try:
        value = row.kernel(np, *[x._array for x in inputs], **attrs)
    except Exception as error:
        raise _explained(row, inputs, error) from error
    finally:
        leave(token)
    result = [_wrapped(v) for v in value] if row.many else _wrapped(value)
    for recorder in listeners:
        recorder.record(row, inputs, attrs, result)
    return result


def _wrapped(value: Any) -> Tensor:
    """The result of a kernel as a tensor; NumPy gives a single string without an array."""
    return wrap(np.array(value, object) if type(value) is bytes else value)


# Python's numbers that a tensor beside them gives its dtype.
NUMBERS: Final = frozenset((float, int))


def door_for_two(row: Row, takes: Container[Any], prepare: Callable[..., list[Any]]) -> Any:
    """The door for a NumPy function of two arrays, as the public function of the operation.

    It is `apply` for two plain tensors of one dtype, unrolled: by far the commonest operations,
    and 0.5 of 1.4 µs saved on each. Everything else is prepared and goes to `apply`.
    """
    ufunc = row.ufunc

    def function(x: Any, y: Any, name: str | None = None) -> Tensor:
        if type(y) in NUMBERS and type(x) is Tensor:
            y = number_like(y, x)
        elif type(x) in NUMBERS and type(y) is Tensor:
            x = number_like(x, y)
        if type(x) is Tensor and type(y) is Tensor:
            a, b = x._array, y._array
            dtype = a.dtype
            if dtype is b.dtype and dtype in takes:
                here = state.here
                listeners = here.listeners
                if listeners is not None:
                    try:
                        value = here.run_quietly(ufunc, a, b)
                    except Exception:  # explained by the general door
                        return apply(row, (x, y))  # type: ignore[no-any-return]
                    result: Tensor = _new(Tensor)  # wrap(value), without the call
                    result._array = value
                    result._key = None
                    if listeners:
                        for recorder in listeners:
                            recorder.record(row, (x, y), NO_ATTRS, result)
                    return result
        return apply(row, prepare(x, y))  # type: ignore[no-any-return]

    return function


def number_like(number: Any, tensor: Tensor) -> Any:
    """A Python number as a tensor of another's dtype, where that is plainly what is meant."""
    dtype = tensor._array.dtype
    if dtype.kind in "fc" or (dtype.kind in "iu" and type(number) is int):
        try:
            return wrap(state.here.run_quietly(np.array, number, dtype))
        except OverflowError:
            return number
    return number


def announce(row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
    """Tell the recorders of an operation that was carried out by other means."""
    here = state.here
    if here.interpreter is not None:
        here.interpreter.announce(row, inputs, attrs, result)
        return
    for recorder in here.recorders:
        recorder.record(row, inputs, attrs, result)


def accessed(variable: Any) -> None:
    """Tell everybody who listens that a variable is being read."""
    here = state.here
    for recorder in here.recorders:
        recorder.accessed(variable)
    if here.interpreter is not None:
        here.interpreter.accessed(variable)


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
    now = state.here.recorders
    at = len(now) if recorder.computes else sum(not r.computes for r in now)
    install((*now[:at], recorder, *now[at:]), state.here.interpreter)


def stop(recorder: Recorder) -> None:
    """Let a recorder listen no more."""
    here = state.here
    install(tuple(r for r in here.recorders if r is not recorder), here.interpreter)


@contextmanager
def listening(*recorders: Recorder) -> Iterator[None]:
    """Only these recorders hear what happens inside."""
    before = state.here.recorders
    install(recorders, state.here.interpreter)
    try:
        yield
    finally:
        install(before, state.here.interpreter)


@contextmanager
def also_listening(recorder: Recorder) -> Iterator[None]:
    """This recorder, too, hears what happens inside."""
    start(recorder)
    try:
        yield
    finally:
        stop(recorder)
