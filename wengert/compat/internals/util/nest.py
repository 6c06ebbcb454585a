"""tensorflow.python.util.nest: nested structures, also only down to the depth of another one, and with paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from wengert.nest import *
from wengert.values import nest as _nest
from wengert.values.nest import *
from wengert.values.nest import _is_namedtuple, _like, _sorted_keys, is_nested, parts

is_sequence = is_nested
is_attrs = _nest._is_attrs
_sequence_like = sequence_like = _like
Path = tuple[Any, ...]


def is_mapping(structure: object) -> bool:
    """Whether a structure is a dictionary or behaves like one."""
    return isinstance(structure, Mapping)


def list_to_tuple(structure: Any) -> Any:
    """The structure with tuples in the places of lists."""
    if not is_nested(structure):
        return structure
    inner = _nest.map_parts(list_to_tuple, structure)
    return tuple(inner) if isinstance(inner, list) else inner


def flatten_dict_items(dictionary: Any) -> dict[Any, Any]:
    """A dictionary with an entry for each leaf of keys that are structures, and of their values."""
    if not is_mapping(dictionary):
        raise TypeError(
            "FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, "
            f"instead of {type(dictionary).__name__!r}."
        )
    found: dict[Any, Any] = {}
    for key, value in dictionary.items():
        keys = _nest.flatten(key)
        values = _nest.flatten(value) if is_nested(key) else [value]
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had "
                f"{len(values)} elements. Key: {keys}, value: {values}."
            )
        for one, other in zip(keys, values, strict=True):
            if one in found:
                raise ValueError(f"Cannot flatten dict because this key is not unique: {one}")
            found[one] = other
    return found


# ---- keys and paths -----------------------------------------------------------------------------


def _yield_sorted_items(structure: Any) -> Iterator[tuple[Any, Any]]:
    """The keys of the direct children, and the children."""
    if isinstance(structure, Mapping):
        for key in _sorted_keys(structure):
            yield key, structure[key]
    elif _is_namedtuple(structure):
        yield from zip(structure._fields, structure, strict=True)
    elif is_attrs(type(structure)):
        names = [a.name for a in type(structure).__attrs_attrs__]
        yield from zip(names, parts(structure), strict=True)
    else:
        yield from enumerate(parts(structure))


def _yield_value(structure: Any) -> Iterator[Any]:
    """The direct children."""
    yield from parts(structure)


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """The parts of a structure where another one has leaves, each with its path."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return list(_with_paths(shallow_tree, input_tree, expand_composites, ()))


def _with_paths(shallow: Any, tree: Any, expand: bool, path: Path) -> Iterator[tuple[Path, Any]]:
    if expand and _nest.is_composite(shallow):
        pieces = zip(shallow._parts(), tree._parts(), strict=True)
        for at, (_, part) in enumerate(pieces):
            yield (*path, at), part
    elif not is_nested(shallow):
        yield path, tree
    else:
        ours = dict(_yield_sorted_items(tree))
        for key, part in _yield_sorted_items(shallow):
            yield from _with_paths(part, ours[key], expand, (*path, key))


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """The leaves, each with its path."""
    return list(_with_paths(structure, structure, expand_composites, ()))


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[Path]:
    """The paths of the leaves."""
    return (path for path, _ in flatten_with_tuple_paths(nest, expand_composites))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """The leaves, each with its path as a text."""
    pairs = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), leaf) for path, leaf in pairs]


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Apply `func(path, leaf, ...)` to the leaves of structures that are nested alike."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Apply `func(path, leaf, ...)`, where a path is a text."""

    def by_text(path: Path, *leaves: Any) -> Any:
        return func("/".join(map(str, path)), *leaves)

    return map_structure_with_tuple_paths(by_text, *structure, **kwargs)


# ---- down to the depth of another structure ------------------------------------------------------


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise unless a structure is nested as another one is, and perhaps deeper."""
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(input_tree)}."
        )
    alike = isinstance(shallow_tree, Mapping) and isinstance(input_tree, Mapping)
    if check_types and not alike and type(shallow_tree) is not type(input_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    if len(parts(shallow_tree)) != len(parts(input_tree)):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(parts(input_tree))}, while shallow structure has length {len(parts(shallow_tree))}."
        )
    ours = dict(_yield_sorted_items(input_tree))
    for key, part in _yield_sorted_items(shallow_tree):
        if key not in ours:
            raise ValueError(
                "The shallow_tree's keys are not a subset of the input_tree's keys. The "
                "shallow_tree has the following keys that are not in the input_tree: "
                f"{[k for k, _ in _yield_sorted_items(shallow_tree) if k not in ours]}."
            )
        assert_shallow_structure(part, ours[key], check_types, expand_composites)


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """The parts of a structure where another one has leaves."""
    pairs = flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types, expand_composites)
    return [part for _, part in pairs]


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Apply a function to the parts of structures where a shallow one has leaves."""

    def without_path(_: Path, *values: Any) -> Any:
        return func(*values)

    return map_structure_with_tuple_paths_up_to(shallow_tree, without_path, *inputs, **kwargs)


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Apply `func(path, part, ...)` to the parts of structures where a shallow one has leaves."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    expand = bool(kwargs.pop("expand_composites", False))
    check = bool(kwargs.pop("check_types", True))
    columns = [flatten_with_tuple_paths_up_to(shallow_tree, i, check, expand) for i in inputs]
    found = [func(row[0][0], *[part for _, part in row]) for row in zip(*columns, strict=True)]
    return _nest.pack_sequence_as(shallow_tree, found, expand)


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """A structure with True where a function says to go no deeper, nested where it says to go on."""
    goes_on = traverse_fn(structure)
    if not is_nested(structure):
        if not isinstance(goes_on, bool):
            raise TypeError(
                f"traverse_fn returned {goes_on!r} for {structure!r}, which has no parts."
            )
        return goes_on
    if isinstance(goes_on, bool):
        if not goes_on:
            return False
        return _nest.map_parts(
            lambda part: get_traverse_shallow_structure(traverse_fn, part, expand_composites),
            structure,
        )
    assert_shallow_structure(goes_on, structure)
    pairs = zip(parts(goes_on), parts(structure), strict=True)
    found: Sequence[Any] = [
        get_traverse_shallow_structure(traverse_fn, part, expand_composites) if flag else False
        for flag, part in pairs
    ]
    return _like(structure, found)
