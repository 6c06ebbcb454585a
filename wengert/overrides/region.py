"""Regions: parts of a computation whose gradient is given as a whole."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

from wengert.core.row import NO_ATTRS, Attrs, Row, place
from wengert.core.scope import Scope
from wengert.errors import OverrideError
from wengert.overrides.gradient_ops import Entry, Whole
from wengert.overrides.row_override import function_of
from wengert.values.value import Key


class Region:
    """A part of a computation whose gradient is given by one rule.

    `inputs` are the values that come from outside, without constants; `outputs` those that are
    used outside; `operations` the operations between them.
    """

    def __init__(
        self, name: str, inputs: Sequence[Any], outputs: Sequence[Any], operations: Sequence[Any]
    ) -> None:
        self.name = name
        self.inputs = tuple(inputs)
        self.outputs = list(outputs)
        self.operations = list(operations)

    def __repr__(self) -> str:
        return (
            f"<region '{self.name}' of {len(self.operations)} operations, "
            f"{len(self.inputs)} inputs, {len(self.outputs)} outputs>"
        )


def with_region(
    scope: str,
    rule: Callable[..., Any] | str,
    entries: list[Entry],
    inside: list[Entry],
    around: Scope | None,
    kept: Container[Key],
    whole: Whole,
) -> list[Entry]:
    """The entries, with those inside merged into one, which lies in the scope around."""
    members = {id(e) for e in inside}
    made = {key for e in inside for key in e.outs}
    before, after = _around(scope, entries, members, made)
    used = {key for e in (*before, *after) for key in e.keys}
    inputs: dict[Key, Any] = {}
    for e in inside:
        for key, x in zip(e.keys, whole.values(e), strict=True):
            if key not in made and whole.is_input(key, x):
                inputs.setdefault(key, x)
    results = [pair for e in inside for pair in zip(e.outs, whole.results(e), strict=True)]
    outputs = {key: y for key, y in results if key in used or key in kept}
    region = Region(scope, list(inputs.values()), list(outputs.values()), [e.view for e in inside])
    row = _region_row(region, rule)
    one = Entry(
        row, NO_ATTRS, list(inputs), list(inputs.values()), list(outputs),
        list(outputs.values()), region.name, region, around,
    )  # fmt: skip
    return [*before, one, *after]


def _around(
    scope: str, entries: list[Entry], members: set[int], made: set[Key]
) -> tuple[list[Entry], list[Entry]]:
    """What comes before a region, and what comes after it."""
    before: list[Entry] = []
    after: list[Entry] = []
    depends = set(made)
    for e in entries:
        if id(e) in members:
            back = depends.difference(made).intersection(e.keys)
            if back:
                raise OverrideError(
                    f"The gradient of the name scope '{scope}' cannot be overridden as a "
                    "whole: a value leaves it, is used outside, and what is made of it comes back "
                    f"in {e!r}. Put what lies between into the scope too."
                )
        elif depends.isdisjoint(e.keys):
            before.append(e)
        else:
            after.append(e)
            depends.update(e.outs)
    return before, after


def _region_row(region: Region, rule: Callable[..., Any] | str) -> Row:
    def joint(gs: Any, ys: Any, xs: Any, attrs: Attrs) -> Any:
        function = function_of(rule)
        return [None] * len(xs) if function is None else function(region, *gs)

    if callable(rule):
        joint.__wrapped__ = rule  # type: ignore[attr-defined]  # errors name the user's line
    name = rule if isinstance(rule, str) else place(rule)
    return Row(
        f"scope {region.name}",
        _never_run,
        joint=joint,
        many=True,
        users=True,
        passes_slices=True,
        gradient_type=name,
    )


def _never_run(_: Any, *values: Any) -> Any:
    raise TypeError("A region is differentiated, not run.")
