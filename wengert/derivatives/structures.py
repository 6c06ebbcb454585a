"""Nested arguments and results: their leaves, and how they are put back.

Structures are those of tf.nest, and dataclasses, whose fields are the parts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from wengert.values import nest


def _is_dataclass(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


@lru_cache(maxsize=1024)
def _is_leaf(kind: Any) -> bool:
    return not (nest.has_parts(kind) or dataclasses.is_dataclass(kind))


def _is_flat(structure: Any) -> bool:
    """Whether it is a list of leaves, as most arguments are."""
    return type(structure) is list and all(map(_is_leaf, map(type, structure)))


def flatten(structure: Any) -> list[Any]:
    """The leaves of a structure.

    >>> import dataclasses
    >>> @dataclasses.dataclass
    ... class Line:
    ...     slope: float
    ...     offset: float
    >>> flatten({"a": [1, Line(2, 3)]})
    [1, 2, 3]
    """
    return list(structure) if _is_flat(structure) else list(_leaves(structure))


def _leaves(structure: Any) -> Iterator[Any]:
    for leaf in nest.flatten(structure):
        if _is_dataclass(leaf):
            for field in dataclasses.fields(leaf):
                yield from _leaves(getattr(leaf, field.name))
        else:
            yield leaf


def pack(structure: Any, leaves: Sequence[Any]) -> Any:
    """The structure with other leaves."""
    if _is_flat(structure) and len(structure) == len(leaves):
        return list(leaves)
    given = iter(leaves)
    packed = _packed(structure, given)
    left = list(given)
    if left:
        raise ValueError(f"{len(left)} leaves are left over for the structure {structure!r}.")
    return packed


def _packed(structure: Any, given: Iterator[Any]) -> Any:
    def one(leaf: Any) -> Any:
        if not _is_dataclass(leaf):
            return next(given)
        names = [field.name for field in dataclasses.fields(leaf)]
        parts = {name: _packed(getattr(leaf, name), given) for name in names}
        made = object.__new__(type(leaf))  # fields may not be what __init__ takes
        for name, part in parts.items():
            object.__setattr__(made, name, part)
        return made

    leaves = [one(leaf) for leaf in nest.flatten(structure)]
    return leaves[0] if not nest.is_nested(structure) else nest.pack_sequence_as(structure, leaves)


def map_leaves(function: Callable[[Any], Any], structure: Any) -> Any:
    """The structure with a function applied to each leaf."""
    return pack(structure, [function(leaf) for leaf in flatten(structure)])


def flatten_like(structure: Any, other: Any, what: str = "The two structures") -> list[Any]:
    """The leaves of one structure, which must be nested as another is."""
    leaves = flatten(other)
    if _outline(structure) != _outline(other):
        raise ValueError(
            f"{what} must be nested alike, got {_described(structure)} and {_described(other)}."
        )
    return leaves


def _outline(structure: Any) -> Any:
    """How something is nested, in comparable form."""
    if nest.is_nested(structure):
        names = sorted(map(str, structure)) if isinstance(structure, dict) else None
        return "nested", names, [_outline(part) for part in nest.parts(structure)]
    if _is_dataclass(structure):
        fields = dataclasses.fields(structure)
        return type(structure), [(f.name, _outline(getattr(structure, f.name))) for f in fields]
    return "leaf"


def _described(structure: Any) -> str:
    try:
        return repr(pack(structure, [_Star()] * len(flatten(structure))))
    except Exception:  # noqa: BLE001  # only words for a message
        return type(structure).__name__


class _Star:
    def __repr__(self) -> str:
        return "*"
