"""How often a loop runs, and between what its counters lie, where that follows from what is known before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.inference.symbolic_integers import is_single_integer, known_value
from wengert.values.sizes import Bounds

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
    if loop.condition is None:
        return None
    return _Counted(op.inputs, loop).trips(loop.condition.outputs[0])


def counters(inputs: Sequence[Any], loop: Loop) -> dict[int, Bounds]:
    """Between what those carried values lie that the same number is added to in every iteration."""
    if loop.condition is None:
        return {}
    counted = _Counted(inputs, loop)
    count = counted.most_trips(loop.condition.outputs[0])
    found = {}
    for at, x in enumerate(loop.condition.all_inputs[: len(loop.carried)]):
        begin, step = counted.begin(x), counted.step(x)
        if not count or begin is None or step is None:
            continue
        last = begin + (count - 1) * step
        if _fits(last, x):
            found[at] = Bounds(min(begin, last), max(begin, last))
    return found


def _up(begin: int, step: int, end: int) -> int | None:
    if begin >= end:
        return 0
    return -(-(end - begin) // step) if step > 0 else None


class _Counted:
    """A loop whose condition looks at counters."""

    def __init__(self, values: Sequence[Any], loop: Loop) -> None:
        n, s = len(loop.carried), len(loop.taken)
        assert loop.condition is not None
        inputs = loop.condition.all_inputs
        self._loop = loop
        self._initial = values[:n]
        self._carried = {id(x): k for k, x in enumerate(inputs[:n])}
        places = zip(inputs[n:], loop.condition_places, strict=True)
        self._captured = {id(x): values[n + s + at] for x, at in places}

    def trips(self, go: SymbolicTensor) -> int | None:
        """How often a condition holds."""
        counts = self._counts(go)
        return None if None in counts else self.most_trips(go)

    def most_trips(self, go: SymbolicTensor) -> int | None:
        """How often it holds at most: as often as any part of it of which that is known."""
        return min([c for c in self._counts(go) if c is not None], default=None)

    def _counts(self, go: SymbolicTensor) -> list[int | None]:
        """How often each part of a condition holds, all of which must."""
        if go.op.row.name == "LogicalAnd":
            return [count for x in go.op.inputs for count in self._counts(x)]
        return [self._compared(go.op)]

    def _compared(self, op: Operation) -> int | None:
        name, xs = op.row.name, op.inputs
        if name not in _TRIPS:
            return None
        for how, (counter, limit) in ((name, xs), (_TURNED[name], xs[::-1])):
            begin, step, end = self.begin(counter), self.step(counter), self._number(limit)
            if begin is not None and step is not None and end is not None:
                count = _TRIPS[how](begin, step, end)
                return count if count is None or _fits(begin + count * step, counter) else None
        return None

    def begin(self, x: SymbolicTensor) -> int | None:
        """What a carried value is at first."""
        at = self._carried.get(id(x))
        return None if at is None else _integer(self._initial[at])

    def step(self, x: SymbolicTensor) -> int | None:
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
            return self.begin(x) if self.step(x) == 0 else None
        return _integer(self._captured.get(id(x), x))


def _fits(value: int, counter: SymbolicTensor) -> bool:
    """Whether a counter reaches a value without wrapping around."""
    limits = np.iinfo(counter._array.dtype)
    return bool(limits.min <= value <= limits.max)


def _integer(x: Any) -> int | None:
    """The value of a single integer, if it is known."""
    if not is_single_integer(x):
        return None
    found = known_value(x)
    return None if found is None else int(found)
