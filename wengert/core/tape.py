"""The tape: a flat list of the operations that touched a watched value.

A record is a tuple, because making one is on the path of every operation:

    (row, attrs, keys of the inputs, inputs, key of the result, result)

An input or result that the row does not save is represented by its shape or by None, so that the
tape keeps alive only what the rules will read. With several results there is a tuple of keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert.core.operation import Attrs, Row
from wengert.core.tensor import Key, key_of

Record = tuple[Row, Attrs, Any, Any, Any, Any]

LEAF = -1  # the position of a value that was watched, not computed


class Tape:
    """Notes operations on watched values. It computes nothing and holds no reference cycle."""

    computes: ClassVar[bool] = False

    __slots__ = (
        "__weakref__",
        "accessed_variables",
        "positions",
        "records",
        "watched",
        "watches_variables",
    )

    def __init__(self, watches_variables: bool = False) -> None:
        self.records: list[Record] = []
        # For each value that depends on a watched one: the record that computed it.
        self.positions: dict[Key, int] = {}
        self.watched: set[Key] = set()
        self.accessed_variables: dict[Key, Any] = {}
        self.watches_variables = watches_variables

    def watch(self, value: Any) -> None:
        key = key_of(value)
        if key not in self.positions:
            self.positions[key] = LEAF
            self.watched.add(key)

    def watch_variable(self, variable: Any) -> None:
        self.accessed_variables.setdefault(key_of(variable), variable)
        self.watch(variable)

    def accessed(self, variable: Any) -> None:
        if self.watches_variables and variable.trainable:
            self.watch_variable(variable)

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        positions = self.positions
        if len(inputs) == 2:  # written out: this runs for every operation
            x, y = inputs
            key_x, key_y = x._key, y._key
            if key_x not in positions and key_y not in positions:
                return
            keys: Any = (key_x, key_y)
        else:
            keys = [x._key for x in inputs]
            if positions.keys().isdisjoint(keys):
                return
        if not row.differentiable:
            return
        records = self.records
        out: Any
        if row.many:
            out = tuple([key_of(r) for r in result])
            for key in out:
                positions[key] = len(records)
        else:
            out = result._key
            if out is None:
                out = result._key = Key()
            positions[out] = len(records)
        if row.saves_x:
            saved: Any = inputs
        elif len(inputs) == 2:
            saved = (x._array.shape, y._array.shape)
        else:
            saved = [x._array.shape for x in inputs]
        records.append((row, attrs, keys, saved, out, result if row.saves_y else None))
