"""From the arguments of a function to its results: which elements of the Jacobian can differ from zero.

Much of a sparse function only moves elements: slices and gathers of the arguments, before anything
is computed. Their results are the *ends*: tensors each of whose elements is one element of an
argument. The pattern is found for the elements of the ends, of which a result uses few even where
all results share one argument; which argument element each of them is, is known exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from wengert.derivatives.sparse.dependence import (
    MOVES,
    Sets,
    UnknownDependenceError,
    constant_zeros,
    follow,
    known_dims,
    moved,
)
from wengert.derivatives.sparse.index_sets import EMPTY, IndexSets
from wengert.derivatives.trail import Event
from wengert.errors import SymbolicValueError
from wengert.ops.support.static_value import get_static_value
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims, key_of
from wengert.values.value import Key

# An argument by its number, or a result by the numbers of the operation and of the result.
Place = int | tuple[int, int]


class Links(NamedTuple):
    """Pairs (row, column) of a matrix, sorted by row and then by column."""

    rows: Any
    columns: Any

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.rows)


class Pattern(NamedTuple):
    """Where a Jacobian of `height` rows and `width` columns can differ from zero."""

    height: int
    width: int
    links: Links  # by the elements of the arguments
    moves: list[Place]  # the results of what only moves elements
    ends: list[Place]
    end_links: Links  # by the elements of the ends, one end after the other
    belongs: Any  # for each of those the link that it is a part of


def pattern_of(events: Sequence[Event], sources: Sequence[Any], targets: Sequence[Any]) -> Pattern:
    """The pattern of the derivatives of targets by sources."""
    values = [*sources, *targets]
    if not all(is_certain(dims(value)) for value in values):
        raise SymbolicValueError(_unknown(f"{[list(dims(v)) for v in values]}."))
    try:
        return _pattern_of(events, sources, targets)
    except SymbolicValueError as error:  # of something on the way
        raise SymbolicValueError(_unknown(str(error))) from error


def _unknown(what: str) -> str:
    return (
        "Which elements of a Jacobian can differ from zero is found while a function is traced, "
        f"and the sizes are not known then: {what} Trace it for each size (without None in "
        "input_signature). Where sizes follow from values, as of tf.dynamic_stitch and "
        "tf.boolean_mask, take the derivative outside of tf.function."
    )


def _pattern_of(events: Sequence[Event], sources: Sequence[Any], targets: Sequence[Any]) -> Pattern:
    width = sum(math.prod(known_dims(x)) for x in sources)
    height = sum(math.prod(known_dims(y)) for y in targets)
    origins, places = _origins(events, sources)
    used = _uses(events, origins, targets)
    ends = [key for key in origins if key in used]
    all_origins = np.concatenate([np.zeros(0, np.int64), *[origins[key].ravel() for key in ends]])
    sets = IndexSets(len(all_origins))
    known = _numbered(ends, origins)
    computed = [e for e in events if not all(key_of(y) in origins for y in e.results)]
    follow(computed, sets, known)
    found = [np.zeros(0, np.int64), *[_numbers_of(y, known) for y in targets]]
    rows, columns = sets.members(np.concatenate(found))
    whole = np.int64(max(width, 1))
    by_argument, belongs = np.unique(rows * whole + all_origins[columns] - 1, return_inverse=True)
    return Pattern(
        height,
        width,
        Links(*np.divmod(by_argument, whole)),
        [place for place in places.values() if not isinstance(place, int)],
        [places[key] for key in ends],
        Links(rows, columns),
        belongs,
    )


def _numbered(ends: Sequence[Key], origins: dict[Key, Any]) -> Sets:
    """The sets of the elements of the ends: each its own, except for those without an origin."""
    known, first = {}, 1
    for key in ends:
        numbers = np.arange(first, first + origins[key].size).reshape(origins[key].shape)
        known[key] = np.where(origins[key] != EMPTY, numbers, EMPTY)
        first += origins[key].size
    return known


def _numbers_of(y: Any, known: Sets) -> Any:
    found = known.get(key_of(y))
    return np.zeros(math.prod(dims(y)), np.int64) if found is None else found.ravel()


# These repeat elements of the argument: that is cheaper left to the rule.
_REPEATING = frozenset(("BroadcastTo", "Tile", "ExtractImagePatches", "ExtractVolumePatches"))


def _origins(
    events: Sequence[Event], sources: Sequence[Any]
) -> tuple[dict[Key, Any], dict[Key, Place]]:
    """The origin of each element of values that are only moved, counted from one; zero is none."""
    origins: dict[Key, Any] = {}
    places: dict[Key, Place] = {}
    first = 1
    for at, x in enumerate(sources):
        size = math.prod(known_dims(x))
        origins[key_of(x)] = np.arange(first, first + size).reshape(dims(x))
        places[key_of(x)] = at
        first += size
    computed: set[Key] = set()
    for number, event in enumerate(events):
        keys = [key_of(x) for x in event.inputs]
        if _only_moves(event) and computed.isdisjoint(keys) and any(k in origins for k in keys):
            try:
                found = moved(event, [origins.get(k) for k in keys])
            except UnknownDependenceError:
                found = []
            for at, (y, numbers) in enumerate(zip(event.results, found, strict=False)):
                origins[key_of(y)] = numbers
                places[key_of(y)] = number, at
            if found:
                continue
        if any(k in origins or k in computed for k in keys):
            computed |= {key_of(y) for y in event.results}
            for y in event.results:  # redefined by a custom gradient
                if origins.pop(key_of(y), None) is not None:
                    del places[key_of(y)]
    return origins, places


def _only_moves(event: Event) -> bool:
    row = event.row
    return row.name in MOVES and row.name not in _REPEATING and not row.users


def _uses(events: Sequence[Event], origins: dict[Key, Any], targets: Sequence[Any]) -> set[Key]:
    """The values that are used other than by being moved."""
    used = {key_of(y) for y in targets}
    for event in events:
        if event.row.differentiable and not all(key_of(y) in origins for y in event.results):
            used |= {key_of(x) for x in event.inputs}
    return used


# ---- the next call ------------------------------------------------------------------------------


def outline(events: Sequence[Event], sources: Sequence[Any], targets: Sequence[Any]) -> Any:
    """All that the pattern was derived from: calls with equal outlines have the same pattern.

    None if there are user-defined operations: their rules may differ next time.
    """
    names: dict[Key, Place] = {key_of(x): at for at, x in enumerate(sources)}
    steps: list[Any] = [[(x.dtype, dims(x)) for x in sources]]
    for number, event in enumerate(events):
        keys = [key_of(x) for x in event.inputs]
        followed = [k in names for k in keys]
        if any(followed):
            if event.row.users:
                return None
            steps.append(
                (
                    event.row.name,
                    event.attrs,
                    [names.get(k) for k in keys],
                    [dims(x) for x in event.inputs],
                    _read(event, followed),
                )
            )
            for at, y in enumerate(event.results):
                names[key_of(y)] = number, at
    steps.append([names.get(key_of(y)) for y in targets])
    return steps


def _read(event: Event, followed: Sequence[bool]) -> list[Any]:
    """The values that say where an operation takes its elements, and not what they are."""
    if event.row.elementwise:
        return []
    read = [get_static_value(x) for x in event.inputs if not x.dtype.is_differentiable]
    zeros = constant_zeros(event, followed)
    return read if zeros is None else [*read, zeros]


def same(a: Any, b: Any) -> bool:
    """Whether two outlines are equal; they are nested lists with arrays in them."""
    if a is b:
        return True
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)
