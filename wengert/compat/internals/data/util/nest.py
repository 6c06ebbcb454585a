"""tensorflow.python.data.util.nest: structures of datasets, in which a list is a tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.data.elements import is_structure as is_nested
from wengert.data.elements import leaves as flatten
from wengert.data.elements import leaves_like, mapped, packed
from wengert.values import nest as _nest


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """Leaves, nested as a structure is."""
    if not is_nested(structure) and len(flat_sequence) != 1:
        raise ValueError(
            f"`structure` is a scalar but `len(flat_sequence)`={len(flat_sequence)} > 1"
        )
    if (count := len(flatten(structure))) != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} elements, but flat_sequence had "
            f"{len(flat_sequence)} elements."
        )
    return packed(structure, flat_sequence)


def map_structure(func: Callable[..., Any], *structure: Any, **check_types_dict: Any) -> Any:
    """The function applied to the leaves of structures that are nested alike."""
    if not callable(func):
        raise TypeError(f"`func` must be callable, got {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, **check_types_dict)
    return mapped(func, *structure)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raise an error if two values are not nested alike."""
    _nest.assert_same_structure(_in_tuples(nest1), _in_tuples(nest2), check_types=check_types)


def _in_tuples(value: Any) -> Any:
    return mapped(lambda _: 0, value)


def flatten_up_to(shallow_tree: Any, input_tree: Any) -> list[Any]:
    """What a value has for each leaf of a structure."""
    return leaves_like(shallow_tree, input_tree)


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any) -> Any:
    """The function applied to what values have for each leaf of a structure."""
    columns = [leaves_like(shallow_tree, value) for value in inputs]
    return packed(shallow_tree, [func(*row) for row in zip(*columns, strict=True)])


def list_to_tuple(structure: Any) -> Any:
    """The structure with tuples in place of lists."""
    if isinstance(structure, list):
        return tuple(map(list_to_tuple, structure))
    return _nest.map_parts(list_to_tuple, structure) if is_nested(structure) else structure
