"""Nested structures: lists, tuples, dictionaries and what behaves like them.

A dictionary is read in the order of its sorted keys, as TensorFlow does, so that two
dictionaries with the same keys have the same structure.

>>> flatten({"b": 2, "a": [1, (3,)]})
[1, 3, 2]
>>> map_structure(lambda v: v + 1, {"a": (1, 2)})
{'a': (2, 3)}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence
from functools import lru_cache
from typing import Any

from wengert.values.bound_ops import bound
from wengert.values.composite import Composite


def is_composite(value: Any) -> bool:
    """Whether a value is made of several tensors, as IndexedSlices are, and may be taken apart."""
    return isinstance(value, Composite) and value.expands


def is_nested(seq: Any) -> bool:
    """Whether the value has parts: a list, a tuple, a dictionary, what behaves like them.

    >>> is_nested([1]), is_nested("ab"), is_nested(3)
    (True, False, False)
    """
    kind: Any = type(seq)
    return has_parts(kind)


@lru_cache(maxsize=1024)
def has_parts(kind: type) -> bool:
    """Whether values of this kind have parts."""
    if issubclass(kind, (str, bytes)):
        return False
    if issubclass(kind, (Sequence, Mapping, MappingView)):
        return True
    return _is_attrs(kind) or _says_its_parts(kind)


def _is_attrs(kind: type) -> bool:
    return hasattr(kind, "__attrs_attrs__")


def _says_its_parts(kind: type) -> bool:
    """Whether it is a dataclass, or another class, that tells TensorFlow how it is nested."""
    return hasattr(kind, "__tf_flatten__") and hasattr(kind, "__tf_unflatten__")


def kind_of(structure: Any) -> Any:
    """The type of a nested structure, and what it says of itself beside its parts."""
    kind = type(structure)
    if not _says_its_parts(kind):
        return kind
    metadata = structure.__tf_flatten__()[0]
    try:
        hash(metadata)
    except TypeError:
        return kind, repr(metadata)
    return kind, metadata


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _sorted_keys(structure: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(structure)
    except TypeError:
        raise TypeError(
            f"nest only supports dicts with sortable keys; got the keys {list(structure)!r}"
        ) from None


def parts(structure: Any) -> list[Any]:
    """The direct children, in the order in which they are flattened."""
    if isinstance(structure, Mapping):
        return [structure[k] for k in _sorted_keys(structure)]
    if _is_attrs(type(structure)):
        return [getattr(structure, a.name) for a in type(structure).__attrs_attrs__]
    if _says_its_parts(type(structure)):
        return list(structure.__tf_flatten__()[1])
    return list(structure)


def _like(structure: Any, parts: Sequence[Any]) -> Any:
    """A structure of the same type with other children."""
    if isinstance(structure, Mapping):
        values = dict(zip(_sorted_keys(structure), parts, strict=True))
        ordered = {k: values[k] for k in structure}  # the keys keep the caller's order
        kind: Any = type(structure)
        if hasattr(structure, "default_factory"):
            return kind(structure.default_factory, ordered)
        return kind(ordered)
    if _is_namedtuple(structure) or _is_attrs(type(structure)):
        return type(structure)(*parts)
    if _says_its_parts(type(structure)):
        return type(structure).__tf_unflatten__(structure.__tf_flatten__()[0], tuple(parts))
    if isinstance(structure, (range, memoryview, MappingView)):
        return list(parts)
    return type(structure)(parts)


def tensors_of(structure: Any) -> list[Any]:
    """The leaves of a structure, and the parts of those that are composite."""
    found: list[Any] = []
    for leaf in flatten(structure):
        found += leaf._parts() if isinstance(leaf, Composite) else [leaf]
    return found


def with_tensors(structure: Any, tensors: Sequence[Any]) -> Any:
    """The structure with other tensors."""
    given = iter(tensors)
    leaves = [
        leaf._with_parts(given) if isinstance(leaf, Composite) else next(given)
        for leaf in flatten(structure)
    ]
    return _pack(structure, iter(leaves), False)


def _leaves(structure: Any, expand: bool) -> Iterator[Any]:
    if is_nested(structure):
        for part in parts(structure):
            yield from _leaves(part, expand)
    elif expand and is_composite(structure):
        yield from structure._parts()
    else:
        yield structure


def map_parts(func: Callable[[Any], Any], structure: Any) -> Any:
    """Apply `func` to the direct children of a nested structure."""
    return _like(structure, [func(part) for part in parts(structure)])


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a nested structure, as a list.

    >>> flatten((1, [2, {"x": 3}])), flatten(5)
    ([1, 2, 3], [5])
    """
    return list(_leaves(structure, expand_composites))


def pack_sequence_as(
    structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False
) -> Any:
    """The leaves in `flat_sequence`, arranged as `structure` is.

    >>> pack_sequence_as({"a": 0, "b": (0, 0)}, [1, 2, 3])
    {'a': 1, 'b': (2, 3)}
    """
    if not is_nested(flat_sequence) or isinstance(flat_sequence, Mapping):
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence!r}\ninto a structure, but found "
            f"incompatible type `{type(flat_sequence)}` instead."
        )
    expected = len(flatten(structure, expand_composites))
    if expected != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {expected} atoms, but "
            f"flat_sequence had {len(flat_sequence)} items. "
            f"Structure: {structure!r}, flat_sequence: {flat_sequence!r}."
        )
    return _pack(structure, iter(flat_sequence), expand_composites)


def _pack(structure: Any, leaves: Iterator[Any], expand: bool) -> Any:
    if is_nested(structure):
        return _like(structure, [_pack(p, leaves, expand) for p in parts(structure)])
    if expand and is_composite(structure):
        return structure._with_parts(leaves)
    return next(leaves)


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise when two structures are not nested alike.

    >>> assert_same_structure([1, 2], [3, 4])
    >>> assert_same_structure([1, 2], [3])
    Traceback (most recent call last):
        ...
    ValueError: The two structures don't have the same nested structure...
    """
    difference = _difference(nest1, nest2, check_types, expand_composites)
    if difference:
        kind, words = difference
        raise kind(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {nest1!r}\n\nSecond structure: {nest2!r}\n\n"
            f"More specifically: {words}"
        )


def _difference(
    a: Any, b: Any, check_types: bool, expand: bool
) -> tuple[type[Exception], str] | None:
    if is_nested(a) != is_nested(b):
        whole, leaf = (a, b) if is_nested(a) else (b, a)
        return (
            ValueError,
            f"Substructure {whole!r} is a sequence, while substructure {leaf!r} is not.",
        )
    if not is_nested(a):
        return _difference_of_composites(a, b) if expand else None
    if check_types and not _same_kind(a, b):
        return TypeError, (
            "The two structures don't have the same sequence type. First structure "
            f"{a!r} has type {type(a).__name__}, while second structure {b!r} has type "
            f"{type(b).__name__}."
        )
    if check_types and isinstance(a, Mapping) and set(a) != set(b):
        return ValueError, (
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f"{list(a)!r}, while second structure has keys {list(b)!r}."
        )
    left, right = parts(a), parts(b)
    if len(left) != len(right):
        return ValueError, (
            "The two structures don't have the same number of elements. First structure: "
            f"{a!r} has {len(left)}. Second structure: {b!r} has {len(right)}."
        )
    for one, other in zip(left, right, strict=True):
        found = _difference(one, other, check_types, expand)
        if found:
            return found
    return None


def _difference_of_composites(a: Any, b: Any) -> tuple[type[Exception], str] | None:
    """How what is not a tensor differs, as a number that an extension type has for a field."""
    if is_composite(a) != is_composite(b):
        return TypeError, f"{a!r} against {b!r}: only one of them is composite."
    if is_composite(a) and a is not b:
        one, other = a._type_spec, b._type_spec
        if one.most_specific_common_supertype([other]) is None:
            return ValueError, f"Incompatible CompositeTensor TypeSpecs: {one!r} vs. {other!r}."
    return None


def _same_kind(a: Any, b: Any) -> bool:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return True
    if _is_namedtuple(a) and _is_namedtuple(b):
        return type(a).__name__ == type(b).__name__ and a._fields == b._fields
    return type(a) is type(b)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Apply `func` to each leaf of structures that are nested alike.

    >>> map_structure(lambda a, b: a * b, [2, (3,)], [5, (7,)])
    [10, (21,)]
    """
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, "
            f"not: `{', '.join(sorted(kwargs))}`."
        )
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func!r}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    first, *others = structure
    if not (others or is_nested(first) or (expand and is_composite(first))):
        return func(first)
    for other in others:
        assert_same_structure(first, other, check_types, expand)
    columns = zip(*(flatten(s, expand) for s in structure), strict=True)
    return _pack(first, iter([func(*c) for c in columns]), expand)


# ---- what is differentiated ---------------------------------------------------------------------


def differentiated(structure: Any) -> list[Any]:
    """The leaves of a structure; of one that is made of tensors, what is differentiated of it."""
    kind: Any = type(structure)
    if _is_plain(kind):  # by far the commonest
        return [structure]
    if not is_nested(structure) and not is_composite(structure):
        return [itself(structure)]
    found: list[Any] = []
    for leaf in flatten(structure):
        found += differentiated(leaf._differentiated) if is_composite(leaf) else [itself(leaf)]
    return found


def itself(leaf: Any) -> Any:
    """What a leaf stands for: a library's variable for the variable that it holds."""
    return leaf.handle if _stands_for_another(type(leaf)) else leaf


def _stands_for_another(kind: type) -> bool:
    return hasattr(kind, "_should_act_as_resource_variable")


@lru_cache(maxsize=1024)
def _is_plain(kind: Any) -> bool:
    """Whether values of this kind have no parts, and stand for themselves."""
    return not (has_parts(kind) or issubclass(kind, Composite) or _stands_for_another(kind))


def with_gradients(structure: Any, gradients: Sequence[Any]) -> Any:
    """The structure with gradients for what `differentiated` found in it.

    A value made of tensors has None for a gradient if it has none at all, and zeros in part if only
    some of its tensors have one.
    """
    kind: Any = type(structure)
    if _is_plain(kind):
        return gradients[0]
    return _graded(structure, iter(gradients))


def _graded(structure: Any, gradients: Iterator[Any]) -> Any:
    if is_nested(structure):
        return map_parts(lambda part: _graded(part, gradients), structure)
    if not is_composite(structure):
        return next(gradients)
    inner = structure._differentiated
    own = differentiated(inner)
    given = [next(gradients) for _ in own]
    if own and all(g is None for g in given):
        return None
    pairs = zip(own, given, strict=True)
    whole = [bound.zeros_like(x) if g is None else g for x, g in pairs]
    return structure._with_differentiated(with_gradients(inner, whole))
