"""A tape that stays within a memory budget: it drops values that are cheap to recompute.

Half of the budget is for the values held, half for those that the sweep recomputes at one time.
What the rules will read is held until the first half is full. Then everything recorded since the
last time becomes a segment: values that the program still refers to are kept, as later operations
may use them, and the others can be recomputed from those. Elementwise results of values that are
kept are dropped first, then all others; if that is not enough, neighbouring segments are merged,
and the values between them are dropped, too.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from wengert.core.context import current_graph, listening, thread
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.tape import LEAF, WIDTH, Tape
from wengert.errors import MemoryBudgetWarning
from wengert.graph.graph_builder import CONST
from wengert.host.memory_size import written
from wengert.host.user_frames import callers_depth
from wengert.ops.arrays.identity import after
from wengert.ops.arrays.shaping import VIEWS
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import Tensor, dims, key_of
from wengert.values.value import Key


class _Held:
    """Stands in a record for a value that the tape holds, or recomputes."""

    __slots__ = ("key",)

    def __init__(self, key: Key) -> None:
        self.key = key


class _Producer(NamedTuple):
    """How to recompute a value; the inputs are tensors, or stand for values of the tape."""

    row: Row
    attrs: Attrs
    inputs: list[Any]
    out: tuple[Key, ...]
    sizes: tuple[int, ...]  # bytes of each result
    is_cheap: bool
    can_repeat: bool


class _Segment(NamedTuple):
    """A range of the values in the order in which they were computed."""

    begin: int
    end: int


class BudgetTape(Tape):
    """Holds values beside the records; what does not fit is dropped and recomputed."""

    __slots__ = (
        "_again",
        "_budget",
        "_bytes",
        "_ends",
        "_held",
        "_last_use",
        "_of",
        "_order",
        "_segments",
        "_since",
        "_warned",
        "peak",
    )

    def __init__(self, watches_variables: bool, budget: int) -> None:
        super().__init__(watches_variables)
        self.records = _Records(self)
        self.peak = 0  # the most bytes ever held, recomputed values included
        self._budget = budget
        self._bytes = 0  # of the values held and recomputed
        self._held: dict[Key, Tensor] = {}
        self._again: dict[Key, Tensor] = {}  # recomputed by the current sweep
        self._of: dict[Key, _Producer] = {}
        self._order: list[Key] = []
        self._ends = [0]  # bytes of all values up to each
        self._last_use: dict[Key, int] = {}  # index of the last user's first result
        self._segments: list[_Segment] = []
        self._since = 0  # where the next segment begins
        self._warned = False

    # ---- recording -------------------------------------------------------------------------------

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        """Record an operation; the values that its rules read are held separately."""
        at = len(self.records)
        super().record(row, inputs, attrs, result)
        results = result if row.many else [result]
        if len(self.records) == at or not all(map(_has_size, results)):
            return
        self._note_producer(row, inputs, attrs, results)
        for place in (at + 4, at + 5, at + 7):
            self.records[place] = self._put_by(self.records[place])
        # A segment ends in time, too, where few of its values are held: all are computed again.
        since = self._ends[-1] - self._ends[self._since]
        if max(self._bytes, since) > self._budget // 2:
            self._drop()

    def _note_producer(
        self, row: Row, inputs: Sequence[Any], attrs: Attrs, results: Sequence[Any]
    ) -> None:
        computed = [self.positions.get(x._key, LEAF) != LEAF for x in inputs]
        size = sum(map(_size_of, results))
        around = [
            _size_of(x)
            for x, c in zip(inputs, computed, strict=True)
            if not c and x._key not in self.positions
        ]
        plain = not (row.stateful or row.users or row.graphs or row.effects)
        out = tuple([key_of(y) for y in results])
        producer = _Producer(
            row,
            attrs,
            [_Held(x._key) if c else x for x, c in zip(inputs, computed, strict=True)],
            out,
            tuple([0 if row.name in VIEWS else _size_of(y) for y in results]),
            row.elementwise or row.name in VIEWS or (bool(row.linear) and len(inputs) == 1),
            plain and row.name != "ReadVariableOp" and sum(around) <= max(size, 1 << 12),
        )
        for x in producer.inputs:
            if type(x) is _Held:
                self._last_use[x.key] = len(self._order)
        for key, size in zip(out, producer.sizes, strict=True):
            self._of[key] = producer
            self._order.append(key)
            self._ends.append(self._ends[-1] + size)

    def _put_by(self, slot: Any) -> Any:
        """What stands in a record for a tensor that was computed on the tape."""
        if isinstance(slot, list):
            return [self._put_by(x) for x in slot]
        if type(slot) not in _TENSORS or slot._key not in self._of:
            return slot
        key = key_of(slot)
        if key not in self._held and not (
            self._of[key].can_repeat and self._of[key].row.name in VIEWS
        ):
            self._held[key] = slot
            self._count(slot)
        return _Held(key)

    def _count(self, value: Tensor) -> None:
        self._bytes += _size_of(value)
        self.peak = max(self.peak, self._bytes)

    def _let_go(self, values: dict[Key, Tensor], key: Key) -> None:
        value = values.pop(key, None)
        if value is not None:
            self._bytes -= _size_of(value)

    # ---- dropping --------------------------------------------------------------------------------

    def _drop(self) -> None:
        """Drop values, cheap ones first, until three quarters of the allowed amount are left."""
        self._segments.append(_Segment(self._since, len(self._order)))
        self._since = len(self._order)
        for cheap_only in (True, False):
            for segment in reversed(self._segments):
                if not self._is_full():
                    return
                self._drop_within(segment, cheap_only)
        while self._is_full() and self._merge():
            pass
        at_once = max(map(self._size, self._segments))
        if self._bytes + at_once > self._budget and not self._warned:
            self._warned = True
            warnings.warn(
                f"The tape cannot keep to {written(self._budget)}: it holds {written(self._bytes)} "
                f"that it cannot drop, and will have to recompute {written(at_once)} at one time. "
                "What the program refers to is not dropped, and random or user-defined operations "
                "cannot be repeated. A chain of n values of s bytes needs at least about 2 s times "
                "the square root of n.",
                MemoryBudgetWarning,
                stacklevel=callers_depth(),
            )

    def _is_full(self) -> bool:
        return self._bytes > self._budget * 3 // 8

    def _drop_within(self, segment: _Segment, cheap_only: bool) -> None:
        """Drop what is not needed outside of a segment."""
        for key in self._order[segment.begin : segment.end]:
            if key not in self._held or not self._may_go(key, segment):
                continue
            producer = self._of[key]
            if not cheap_only or (producer.is_cheap and self._is_near(producer)):
                self._let_go(self._held, key)

    def _may_go(self, key: Key, segment: _Segment) -> bool:
        is_used_later = self._last_use.get(key, 0) >= segment.end
        if type(self._held[key]) is Tensor:
            # Two references are ours: in `_held`, and the argument of getrefcount.
            is_referred_to = sys.getrefcount(self._held[key]) > 2
        else:
            is_referred_to = key not in self._last_use  # the next operation will want it
        return self._of[key].can_repeat and not is_used_later and not is_referred_to

    def _is_near(self, producer: _Producer) -> bool:
        """Whether all inputs are held, or cheap to recompute from what is held."""
        for x in producer.inputs:
            if type(x) is _Held and x.key not in self._held:
                above = self._of[x.key]
                if not above.is_cheap or not self._is_near(above):
                    return False
        return True

    def _merge(self) -> bool:
        """Merge the two neighbouring segments with the fewest bytes; whether that was possible."""
        pairs = list(pairwise(range(len(self._segments))))
        sizes = [self._size(self._joined(*pair)) for pair in pairs]
        if not sizes or min(sizes) > self._budget // 2:
            return False
        first, second = pairs[sizes.index(min(sizes))]
        joined = self._joined(first, second)
        self._segments[first : second + 1] = [joined]
        self._drop_within(joined, cheap_only=False)
        return True

    def _joined(self, first: int, second: int) -> _Segment:
        return _Segment(self._segments[first].begin, self._segments[second].end)

    def _size(self, segment: _Segment) -> int:
        """The bytes of all values of a segment, which coexist while the sweep is in it."""
        return self._ends[segment.end] - self._ends[segment.begin]

    # ---- the sweep -------------------------------------------------------------------------------

    def restored(self, slot: Any) -> Any:
        """What a rule reads, recomputed if it was dropped."""
        if type(slot) is _Held:
            return self._value(slot.key)
        return [self.restored(x) for x in slot] if isinstance(slot, list) else slot

    def _value(self, key: Key) -> Tensor:
        found = self._known(key)
        if found is not None:
            return found
        # Tapes know the value by its key, which it gets back; only recorders that compute are told.
        waiting = [key]
        with listening(*[r for r in thread.context.recorders if r.computes]):
            while waiting:
                self._compute(waiting)
        return self._again[key]

    def _compute(self, waiting: list[Key]) -> None:
        """Compute the last waiting value, or append the inputs that must be computed first."""
        producer = self._of[waiting[-1]]
        asked = [x.key for x in producer.inputs if type(x) is _Held]
        missing = [key for key in asked if self._known(key) is None]
        if missing:
            waiting += missing
            return
        inputs = [self._known(x.key) if type(x) is _Held else x for x in producer.inputs]
        if current_graph() is not None:
            again = [type(x) is _Held and x.key in self._again for x in producer.inputs]
            inputs = [x if a else _not_before_now(x) for x, a in zip(inputs, again, strict=True)]
        result = apply(producer.row, inputs, producer.attrs)
        for key, y in zip(producer.out, result if producer.row.many else [result], strict=True):
            if key not in self._again:
                y._key = key
                self._again[key] = y
                self._count(y)
        waiting.pop()

    def _known(self, key: Key) -> Tensor | None:
        found = self._held.get(key)
        return self._again.get(key) if found is None else found

    def passed(self, keys: Sequence[Key], for_good: bool) -> None:
        """The sweep has passed the operation that computed these values: no rule will read them."""
        for key in keys:
            self._let_go(self._again, key)
            if for_good:
                self._let_go(self._held, key)

    def held(self) -> list[Tensor]:
        """The values held now, apart from those in the records themselves."""
        return [*self._held.values(), *self._again.values()]

    def restore_all(self) -> None:
        """Put all values back into the records, for code that reads those directly."""
        for at, slot in enumerate(self.records):
            if type(slot) in (_Held, list):
                self.records[at] = self.restored(slot)


_TENSORS: Final = (Tensor, SymbolicTensor)


def _has_size(value: Any) -> bool:
    return type(value) is Tensor or (
        type(value) is SymbolicTensor
        and is_certain(dims(value))
        and value.dtype.name not in ("resource", "variant")
    )


def _size_of(value: Any) -> int:
    """The bytes of a value, also of one that a graph will compute."""
    if not _has_size(value):
        return 0
    return math.prod(dims(value)) * int(value._array.dtype.itemsize)


def _not_before_now(x: Any) -> Any:
    """In a graph: a value that is there only after what was added last."""
    if not isinstance(x, SymbolicTensor) or x.op.row is CONST or not _has_size(x):
        return x
    last = next(
        op for op in reversed(current_graph().operations) if op.outputs and _has_size(op.outputs[0])
    )
    return after(x, last.outputs[0])


class _Records(list[Any]):
    """Records whose values are restored while a sweep goes over them."""

    def __init__(self, tape: BudgetTape, records: Sequence[Any] = ()) -> None:
        super().__init__(records)
        self._tape = tape

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        return _Records(self._tape, found) if isinstance(at, slice) else found

    def __reversed__(self) -> Iterator[Any]:
        tape = self._tape
        for at in range(len(self) - WIDTH, -1, -WIDTH):
            row, attrs, key_a, key_b, a, b, out, y = super().__getitem__(slice(at, at + WIDTH))
            yield tape.restored(y)
            yield out
            yield tape.restored(b)
            yield tape.restored(a)
            yield from (key_b, key_a, attrs, row)
            tape.passed(out if row.many else (out,), len(self) <= at)
