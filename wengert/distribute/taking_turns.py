"""Replicas of one process: each in a thread of its own, one at a time, until all of them wait to meet.

What they compute goes into one graph, or is computed at once, as the program around them has it. So any engine
runs them, and tapes around them see all that they do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from wengert.core.context import adopt, current_graph, of_thread, thread
from wengert.host.locks import TRACING
from wengert.state.creators import adopt as ask_creators
from wengert.state.creators import creators


class _EndError(BaseException):
    """Ends a replica, as another one failed."""


class Request:
    """What a replica waits for: a function of what all replicas bring to it."""

    def __init__(self, what: str, function: Callable[[Sequence[Any]], Any], brought: Any) -> None:
        self.what, self.function, self.brought = what, function, brought


class Turn:
    """A replica: a function in a thread that pauses where it meets the others."""

    def __init__(self, at: int, function: Callable[[Turn], Any]) -> None:
        self.at = at
        self.request: Request | None = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.is_done = False
        self.outer: Sequence[Any] = ()  # the recorders around the replicas
        self._graph: Any = None
        self._function = function
        self._answer: Any = None
        self._ends = False
        self._go, self._paused = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._work, args=(_state(),), daemon=True)
        self._held = 0  # how often the thread of all replicas held the lock of tracing

    # ---- in the thread of all replicas -------------------------------------------------------

    def go_on(self) -> None:
        """Let it run until it pauses or ends."""
        self._held = _released()
        try:
            if self._thread.ident is None:
                self._thread.start()
            self._go.release()
            self._paused.acquire()
        finally:
            _take(self._held)

    def answer(self, value: Any) -> None:
        """Give it what it waits for."""
        self.request, self._answer = None, value

    def end(self) -> None:
        """End it where it waits."""
        if not self.is_done and self._thread.ident is not None:
            self._ends = True
            self.go_on()

    # ---- in its own thread -------------------------------------------------------------------

    def _work(self, state: Any) -> None:
        self._go.acquire()
        _take(self._held)
        try:
            _enter(state)
            self.outer, self._graph = thread.context.recorders, current_graph()
            self.result = self._function(self)
        except _EndError:
            pass
        except BaseException as error:  # noqa: BLE001  # raised in the thread of all replicas
            self.error = error
        finally:
            self.is_done = True
            _released()
            self._paused.release()

    def meet(self, what: str, function: Callable[[Sequence[Any]], Any], brought: Any) -> Any:
        """What a function, called once, makes for this replica of what all of them bring."""
        if current_graph() is not self._graph:
            raise RuntimeError(
                f"{what} was called while another graph was being built than the one around strategy.run. "
                "In a loop, a branch or a tf.function within the function that the replicas run they cannot meet, as "
                "where a variable is changed: put it around strategy.run."
            )
        self.request = Request(what, function, brought)
        _released()
        self._paused.release()
        self._go.acquire()
        _take(self._held)
        if self._ends:
            raise _EndError
        return self._answer


def run_all(functions: Sequence[Callable[[Turn], Any]], devices: Sequence[str]) -> list[Any]:
    """The results of all replicas; the operations of each note its device."""
    turns = [Turn(at, function) for at, function in enumerate(functions)]
    graph = current_graph()
    try:
        while not all(turn.is_done for turn in turns):
            for turn, device in zip(turns, devices, strict=True):
                with nullcontext() if graph is None else graph.device(device):
                    turn.go_on()
                if turn.error is not None:
                    raise turn.error
            _meet(turns)
    finally:
        for turn in turns:
            turn.end()
    return [turn.result for turn in turns]


def _meet(turns: Sequence[Turn]) -> None:
    """Carry out what all replicas wait for, once."""
    asked = [turn.request for turn in turns]
    if all(request is None for request in asked):
        return
    if len({request.what if request else "" for request in asked}) > 1:
        what = [f"replica {t.at}: {t.request.what if t.request else 'ended'}" for t in turns]
        raise RuntimeError(
            f"The replicas do not meet: {'; '.join(what)}. All of them must call the same, in the same order."
        )
    first = asked[0]
    assert first is not None
    found = first.function([request.brought for request in asked if request is not None])
    for turn, value in zip(turns, found, strict=True):
        turn.answer(value)


# ---- what a thread takes over ---------------------------------------------------------------------


def _state() -> Any:
    return of_thread(), creators.stack


def _enter(state: Any) -> None:
    context, stack = state
    adopt(context)
    ask_creators(stack)


def _released() -> int:
    """Give the lock of tracing away, so that the thread whose turn it is has it; how often it was held."""
    return int(TRACING._release_save()[0]) if TRACING._is_owned() else 0


def _take(times: int) -> None:
    for _ in range(times):
        TRACING.acquire()
