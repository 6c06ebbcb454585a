"""Hooks: functions that look at a cotangent on its way, or change it.

A hook becomes an operation of its own between a value and those who use it: the identity, whose rule
calls the function. It is put in when a gradient is taken, so that it sees the whole cotangent: the sum
of what all uses of the value contribute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wengert.core.contract import check_gradient
from wengert.core.row import Row, place
from wengert.core.tape import LEAF, ONE, WIDTH, Tape
from wengert.overrides.switches import SwitchedTape
from wengert.values.tensor import dims
from wengert.values.value import Key

Hook = Callable[[Any], Any]


class Hooked(NamedTuple):
    """A value, and the functions that its cotangent passes."""

    value: Any
    hooks: list[Hook]


class _Behind:
    """Stands for a source, behind its hooks."""

    def __init__(self, value: Any, key: Key) -> None:
        self._key = key
        self._array = value._array
        self.dtype = value.dtype


def with_hooks(
    tape: Tape, hooked: dict[Key, Hooked], sources: Sequence[Any]
) -> tuple[Tape, list[Any]]:
    """A tape on which the hooks are operations, and what stands on it for the sources."""
    found = SwitchedTape(tape.watches_variables)  # it has lines
    places: dict[int, str] = getattr(tape, "places", {})
    behind = {key: Key() for key in hooked}
    for key, value in tape.watched.items():
        found.watched[behind.get(key, key)] = value
    found.without_rule = set(tape.without_rule)
    for key, position in tape.positions.items():
        if position == LEAF:
            found.positions[behind.get(key, key)] = LEAF
            if key in hooked:
                _put(found, hooked[key], behind[key], key)
    for at in range(0, len(tape.records), WIDTH):
        if at in tape.scopes:
            found.scopes[len(found.records)] = tape.scopes[at]
        if at in places:
            found.places[len(found.records)] = places[at]
        _copy(found, tape.records[at : at + WIDTH], hooked, behind)
    stand_ins = [_Behind(x, behind[x._key]) if x._key in behind else x for x in sources]
    return found, stand_ins


def _copy(tape: Tape, record: list[Any], hooked: dict[Key, Hooked], behind: dict[Key, Key]) -> None:
    row, out = record[0], record[6]
    keys = out if row.many else (out,)
    new = tuple([behind.get(key, key) for key in keys])
    tape.positions.update(dict.fromkeys(new, len(tape.records)))
    tape.records += [*record[:6], new if row.many else new[0], record[7]]
    for key in keys:
        if key in hooked:
            _put(tape, hooked[key], behind[key], key)


def _put(tape: Tape, hooked: Hooked, inside: Key, outside: Key) -> None:
    """The hooks of a value as an operation: it has a new key, and those who use it see the old one."""
    tape.positions[outside] = len(tape.records)
    row = _row(hooked)
    tape.records += [row, {}, inside, ONE, dims(hooked.value), None, outside, None]


def _row(hooked: Hooked) -> Row:
    def rule(g: Any, y: Any, x: Any) -> Any:
        for hook in hooked.hooks:
            new = hook(g)
            if new is not None:
                g = check_gradient("The gradient that a hook returned", place(hook), 0, g, new)
        return g

    return Row("Hook", lambda _, x: x, vjp=(rule,), elementwise=True, saves="")
