"""How often a loop runs, where that follows from what is known before: a counter and its limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.inference.symbolic_integers import known_value

if TYPE_CHECKING:
    from wengert.graph.operation import Operation
    from wengert.ops.control.while_op import Loop
    from wengert.values.symbolic import SymbolicTensor

# How often a counter from `begin` on, in steps, holds: for each comparison with the counter first.
_TRIPS: Final[dict[str, Callable[[int, int, int], int | None]]] = {
    "Less": lambda begin, step, end: _up(begin, step, end),
    "LessEqual": lambda begin, step, end: _up(begin, step, end + 1),
    "Greater": lambda begin, step, end: _up(-begin, -step, -end),
    "GreaterEqual": lambda begin, step, end: _up(-begin, -step, 1 - end),
}
_TURNED: Final = {
    "Less": "Greater",
    "LessEqual": "GreaterEqual",
    "Greater": "Less",
    "GreaterEqual": "LessEqual",
}


def trips(op: Operation, loop: Loop) -> int | None:
    """The number of iterations of a loop with a condition; None if it is not known."""
    return None if loop.condition is None else _Counted(op, loop).trips(loop.condition.outputs[0])


def _up(begin: int, step: int, end: int) -> int | None:
    if begin >= end:
        return 0
    return -(-(end - begin) // step) if step > 0 else None


class _Counted:
    """A loop whose condition looks at counters."""

    def __init__(self, op: Operation, loop: Loop) -> None:
        n, s = len(loop.carried), len(loop.taken)
        assert loop.condition is not None
        inputs = loop.condition.all_inputs
        self._loop = loop
        self._initial = op.inputs[:n]
        self._carried = {id(x): k for k, x in enumerate(inputs[:n])}
        places = zip(inputs[n:], loop.condition_places, strict=True)
        self._captured = {id(x): op.inputs[n + s + at] for x, at in places}

    def trips(self, go: SymbolicTensor) -> int | None:
        name, xs = go.op.row.name, go.op.inputs
        if name == "LogicalAnd":
            counts = [self.trips(x) for x in xs]
            return None if None in counts else min(counts)  # type: ignore[type-var]
        if name not in _TRIPS:
            return None
        for how, (counter, limit) in ((name, xs), (_TURNED[name], xs[::-1])):
            begin, step, end = self._begin(counter), self._step(counter), self._number(limit)
            if begin is not None and step is not None and end is not None:
                count = _TRIPS[how](begin, step, end)
                return count if count is None or _fits(begin + count * step, counter) else None
        return None

    def _begin(self, x: SymbolicTensor) -> int | None:
        at = self._carried.get(id(x))
        return None if at is None else _integer(self._initial[at])

    def _step(self, x: SymbolicTensor) -> int | None:
        """What is added to a carried value in every iteration; None for what is not known to be one."""
        at = self._carried.get(id(x))
        if at is None:
            return None
        before, after = self._loop.carried[at], self._loop.results[at]
        if after is before:
            return 0
        xs = after.op.inputs
        if after.op.row.name not in ("AddV2", "Add", "Sub") or len(xs) != 2:
            return None
        if xs[0] is before:
            step = _integer(xs[1])
            return step if step is None or after.op.row.name != "Sub" else -step
        return _integer(xs[0]) if xs[1] is before and after.op.row.name != "Sub" else None

    def _number(self, x: SymbolicTensor) -> int | None:
        """A limit that is the same in all iterations."""
        if id(x) in self._carried:
            return self._begin(x) if self._step(x) == 0 else None
        return _integer(self._captured.get(id(x), x))


def _fits(value: int, counter: SymbolicTensor) -> bool:
    """Whether a counter reaches a value without wrapping around."""
    limits = np.iinfo(counter._array.dtype)
    return bool(limits.min <= value <= limits.max)


def _integer(x: Any) -> int | None:
    """The value of a single integer, if it is known."""
    if x._array.dtype.kind not in "iu" or x._array.shape != ():
        return None
    found = known_value(x)
    return None if found is None else int(found)
