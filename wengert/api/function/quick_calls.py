"""Calls of traces that are known: what tells them apart by a glance at the arguments, and the structure of results.

Only plain lists, tuples and dictionaries are looked into; all else takes the way that knows every structure.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.on_device import form_of
from wengert.values.tensor import Tensor
from wengert.values.value import HELD

_PYTHONS: Final = frozenset((float, int, bool, str, type(None)))  # in the key by their values
_LISTS: Final = (tuple, list)

# ---- arguments ----------------------------------------------------------------------------------


def key_of_tensors(args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Shapes and dtypes of the arguments; None unless all are plain tensors."""
    key: list[Any] = []
    for arg in args:
        if type(arg) is not Tensor:
            return None
        array = arg._array
        key += [array.shape, array.dtype]
    return tuple(key)


def key_beside_devices(args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The same where tensors may be on a device, which are not fetched for it."""
    key: list[Any] = []
    for arg in args:
        if type(arg) is not Tensor:
            return None
        found = arg.__dict__.get(HELD)  # as `form_of` finds it, 1 us faster
        if found is None:
            found = arg._array
        key += [found.shape, found.dtype]
    return tuple(key)


def key_among_others(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...] | None, tuple[Tensor, ...]]:
    """The key, and the tensors, where arrays, Python's values, structures and names are among them."""
    key: list[Any] = []
    tensors: list[Tensor] = []
    for arg in args:
        if not _enter(arg, key, tensors, True):
            return None, ()
    for name, arg in kwargs.items():
        key.append(name)
        if not _enter(arg, key, tensors, False):
            return None, ()
    return tuple(key), tuple(tensors)


def _enter(arg: Any, key: list[Any], tensors: list[Tensor], may_convert: bool) -> bool:
    """Add an argument to the key, and its tensors, in the order of `nest`; whether it can be.

    Arrays are no longer known once they are converted, so their order must be certain.
    """
    kind = type(arg)
    if kind is Tensor or (kind is np.ndarray and may_convert):
        tensors.append(arg if kind is Tensor else convert(arg))
        key += form(tensors[-1])
    elif kind in _PYTHONS and arg == arg:
        key += [kind, arg] if arg != 0 or kind is not float else [kind, str(arg)]  # 0.0 == -0.0
    elif kind in _LISTS:
        key += [kind, len(arg)]
        return all(_enter(part, key, tensors, may_convert) for part in arg)
    elif kind is dict and all(type(name) is str for name in arg):
        names = sorted(arg)
        key += [kind, *names, None]
        return all(_enter(arg[name], key, tensors, may_convert) for name in names)
    else:
        return False
    return True


def form(tensor: Any) -> tuple[Any, Any]:
    """The shape and the dtype of a tensor."""
    found = form_of(tensor)
    return found.shape, found.dtype


def are_alike(found: Sequence[Any], given: Sequence[Any]) -> bool:
    """Whether the tensors of a call are those of its key, in the same order; arrays become others each time."""
    of_key = {id(y) for y in given}
    return len(found) == len(given) and all(
        x is y or (id(x) not in of_key and form(x) == form(y))
        for x, y in zip(found, given, strict=True)
    )


# ---- results ------------------------------------------------------------------------------------

Arranged = Callable[[Sequence[Tensor]], Any]


def arrangement(structure: Any, there: Sequence[bool]) -> Arranged | None:
    """What puts the results of a trace into their structure; None if another way knows it.

    `there` says of each leaf whether it is a tensor, and not None.
    """
    kind = type(structure)
    if kind not in (*_LISTS, dict):
        return None
    is_whole = all(there) and len(there) == len(structure)
    if kind in _LISTS and is_whole and not any(map(has_parts, structure)):
        return kind  # of the results as they are
    return _arrangement(structure, iter(there), iter(range(len(there))))


def has_parts(value: Any) -> bool:
    """Whether a value is nested, or made of several tensors."""
    return nest.is_nested(value) or nest.is_composite(value)


def _arrangement(structure: Any, there: Any, number: Any) -> Arranged | None:
    kind = type(structure)
    if kind in _LISTS:
        parts = [_arrangement(part, there, number) for part in structure]
        return None if None in parts else _of_list(kind, parts)
    if kind is dict and all(type(name) is str for name in structure):
        named = {name: _arrangement(structure[name], there, number) for name in sorted(structure)}
        if None in named.values():
            return None
        return _of_dict({name: named[name] for name in structure})
    if has_parts(structure):
        return None
    if not next(there):
        return lambda results: None
    return operator.itemgetter(next(number))


def _of_list(kind: Any, parts: list[Any]) -> Arranged:
    return lambda results: kind([part(results) for part in parts])


def _of_dict(named: dict[str, Any]) -> Arranged:
    return lambda results: {name: part(results) for name, part in named.items()}
