"""The tape: a flat list of the operations that touched a watched value.

A record is eight neighbours in one list, because making one is on the path of every operation, and
what is not an object of its own costs neither memory nor the garbage collector's time:

    row, attrs, first key, second key, first input, second input, key of the result, result

The keys are those of the inputs. An operation of one input has ONE for its second key; one of more than
two has MANY, and the tuples of all keys and inputs in the places of the first. With several results
there is a tuple of their keys.

An input that was computed on the tape and that the row does not save is represented by its shape, a
result by None, so that the tape keeps alive only what the rules will read. From what is kept the rest
can be computed again: constants and watched values are kept, and what was read from a variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from wengert.core.recorder import Recorder
from wengert.core.row import Attrs, Row
from wengert.core.scope import Scope
from wengert.values.tensor import key_of
from wengert.values.value import Key

Records = list[Any]
WIDTH: Final = 8

ONE: Final = object()
MANY: Final = object()

LEAF: Final = -WIDTH  # the position of a value that was watched: before the first record


class Scoped(NamedTuple):
    """Inputs and results of a record made within a name scope; others keep only what rules read."""

    scope: Scope | None
    inputs: list[Any]
    results: list[Any]


class Tape(Recorder):
    """Notes operations on watched values. It computes nothing and holds no reference cycle."""

    __slots__ = (
        "__weakref__",
        "accessed_variables",
        "late",
        "positions",
        "records",
        "scopes",
        "watched",
        "watches_variables",
        "without_rule",
    )

    def __init__(self, watches_variables: bool = False) -> None:
        self.records: Records = []
        # For each value that depends on a watched one: where the record that computed it begins.
        self.positions: dict[Key, int] = {}
        self.watched: dict[Key, Any] = {}
        self.without_rule: set[Key] = set()  # of these, what no one asked to watch
        self.scopes: dict[int, Scoped] = {}  # by the position of the record
        self.accessed_variables: dict[Key, Any] = {}
        self.watches_variables = watches_variables
        self.late: list[Any] | None = None  # values that were watched when there were records

    def watch(self, value: Any) -> None:
        """Follow a value from here on, and in what was recorded because of others."""
        if self.records and value._key is None:  # records that it is in do not say so
            self.late = self.late or []
            self.late.append(value)
        key = key_of(value)
        if self.without_rule:
            self.without_rule.discard(key)
        self._follow(key, value)

    def name_late(self) -> None:
        """Let records say which of their inputs were watched after they were made."""
        if self.late is None:
            return
        records, keys = self.records, {id(value): value._key for value in self.late}
        self.late = None
        for at in range(0, len(records), WIDTH):
            first, second, a, b = records[at + 2 : at + 6]
            if second is MANY:
                pairs = zip(first, a, strict=True)
                records[at + 2] = tuple([keys.get(id(x), known) for known, x in pairs])
            else:
                records[at + 2], records[at + 3] = keys.get(id(a), first), keys.get(id(b), second)

    def _follow(self, key: Key, value: Any) -> None:
        if key not in self.positions:
            self.positions[key] = LEAF
            self.watched[key] = value

    def watch_variable(self, variable: Any) -> None:
        """Follow a variable, which was read."""
        self.accessed_variables.setdefault(key_of(variable), variable)
        if variable.dtype.is_differentiable:
            self.watch(variable)

    def watch_results(self, row: Row, result: Any) -> None:
        """Follow what was made without a rule: nothing goes on to its inputs, but it may be a source."""
        if row.cuts:
            return
        for value in result if row.many else (result,):
            dtype = getattr(value, "dtype", None)  # a list of tensors has none
            if dtype is not None and dtype.is_differentiable:
                key = key_of(value)
                if key not in self.positions:
                    self.without_rule.add(key)
                    self._follow(key, value)

    def accessed(self, variable: Any) -> None:
        """A variable is being read."""
        if self.watches_variables and variable.trainable:
            self.watch_variable(variable)

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:  # noqa: C901  # unrolled for one and two inputs, where the time goes
        """Note an operation, if one of its inputs is followed."""
        positions = self.positions
        count = len(inputs)
        a: Any
        b: Any = None
        if count == 2:
            a, b = inputs
            key_a, key_b = a._key, b._key
            if key_a not in positions and key_b not in positions:
                return
            if not row.differentiable:
                self.watch_results(row, result)
                return
            if not row.saves_x:
                if key_a in positions:
                    a = a._array.shape
                if key_b in positions:
                    b = b._array.shape
        elif count == 1:
            (a,) = inputs
            key_a, key_b = a._key, ONE
            if key_a not in positions:
                return
            if not row.differentiable:
                self.watch_results(row, result)
                return
            if not row.saves_x:
                a = a._array.shape
        else:
            key_a, key_b = tuple([x._key for x in inputs]), MANY
            if positions.keys().isdisjoint(key_a):
                return
            if not row.differentiable:
                self.watch_results(row, result)
                return
            a = inputs if row.saves_x else [self._shape_alone(x) for x in inputs]
        records = self.records
        at = len(records)
        if row.many:
            out: Any = tuple([key_of(r) for r in result])
            for key in out:
                positions[key] = at
        else:
            out = result._key
            if out is None:
                out = result._key = Key()
            positions[out] = at
        records += (row, attrs, key_a, key_b, a, b, out, result if row.saves_y else None)

    def _shape_alone(self, x: Any) -> Any:
        """What stands for an input that the row does not save."""
        return x._array.shape if x._key in self.positions else x

    def follows(self, values: Sequence[Any]) -> bool:
        """Whether one of the values is followed."""
        return any(v._key in self.positions for v in values)

    def within(self, scope: Scope | None, inputs: Sequence[Any], result: Any) -> None:
        """The operation just recorded belongs to a name scope: keep its inputs and results."""
        at, get = len(self.records) - WIDTH, self.positions.get
        if isinstance(result, list):
            if at >= 0 and any(get(r._key) == at for r in result):
                self.scopes[at] = Scoped(scope, list(inputs), result)
        elif at >= 0 and get(result._key) == at:
            self.scopes[at] = Scoped(scope, list(inputs), [result])

    def extended(self, first: Any, more: Sequence[Any]) -> None:
        """The operation that computed `first` has more results than were recorded."""
        at = self.positions.get(first._key, LEAF)
        if at != LEAF:
            self.records[at + 6] += tuple([key_of(y) for y in more])
            self.records[at + 7] = [*self.records[at + 7], *more]
            self.positions.update({y._key: at for y in more})
            note = self.scopes.get(at)
            if note is not None:
                self.scopes[at] = note._replace(results=[*note.results, *more])

    def restore_all(self) -> None:
        """Compute again what a tape has let go, for code that reads its records directly."""

    def operations(self) -> Iterator[tuple[Row, Sequence[Key], Sequence[Key]]]:
        """The rows in the order they were recorded, with the keys of their inputs and results."""
        for row, (keys, out) in zip(self.records[::WIDTH], ways(self.records), strict=True):
            yield row, keys, out


def ways(records: Records) -> Iterator[tuple[Sequence[Key], Sequence[Key]]]:
    """The keys of the inputs and of the results, in the order of the records."""
    for at in range(0, len(records), WIDTH):
        row, _, key_a, key_b, a, b, out, _ = records[at : at + WIDTH]
        keys, _ = inputs_of(key_a, key_b, a, b)
        yield keys, out if row.many else (out,)


def inputs_of(key_a: Any, key_b: Any, a: Any, b: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    """The keys and the inputs that four places of a record stand for."""
    if key_b is ONE:
        return (key_a,), (a,)
    if key_b is MANY:
        return key_a, a
    return (key_a, key_b), (a, b)
