"""The elements of datasets: nested for users; for what runs, tuples of slots.

A slot holds what stands at one leaf of an element: an array, or a value made of several tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from wengert.core.context import activate
from wengert.errors import InvalidArgumentError
from wengert.ops.control.elements import kind_of
from wengert.ops.ragged.tensor import RaggedTensorValue, ragged_of
from wengert.ops.sparse.tensor import SparseTensor, SparseTensorValue
from wengert.values import nest
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor, wrap
from wengert.values.type_spec import NoneTensorSpec, TensorSpec, TypeSpec, type_spec_from_value

Element = tuple[Any, ...]


# ---- nested values ------------------------------------------------------------------------------


def is_structure(value: Any) -> bool:
    """Whether a value is nested in the way of datasets, to which a list is a tensor."""
    if isinstance(value, (list, np.ndarray, Tensor, Composite, TensorShape, SparseTensorValue)):
        return False
    return nest.is_nested(value)


def mapped(function: Callable[..., Any], value: Any, *rest: Any) -> Any:
    """The function applied to the leaves of values that are nested alike."""
    if not is_structure(value):
        return function(value, *rest)
    columns = [nest.parts(value)]
    for other in rest:
        nest.assert_same_structure(_hollow(value), _hollow(other))
        columns.append(nest.parts(other))
    rows = zip(*columns, strict=True)
    found = iter([mapped(function, *row) for row in rows])
    return nest.map_parts(lambda _: next(found), value)


def _hollow(value: Any) -> Any:
    """The structure alone."""
    if not is_structure(value):
        return 0
    return nest.map_parts(_hollow, value)


def leaves(value: Any) -> list[Any]:
    """The leaves of a nested value."""
    if not is_structure(value):
        return [value]
    return [leaf for part in nest.parts(value) for leaf in leaves(part)]


def leaves_like(structure: Any, value: Any) -> list[Any]:
    """What a value has for each leaf of a structure; a list stands for a tuple."""
    if not is_structure(structure):
        return [value]
    inner = tuple(value) if isinstance(value, list) else value
    if not is_structure(inner) or _names_of(structure) != _names_of(inner):
        raise ValueError(f"There must be a value for each part of {structure}, got {value}.")
    pairs = zip(nest.parts(structure), nest.parts(inner), strict=True)
    return [leaf for part, own in pairs for leaf in leaves_like(part, own)]


def _names_of(value: Any) -> Any:
    """The keys of a mapping; of what has none, the number of parts."""
    return sorted(value) if isinstance(value, Mapping) else len(nest.parts(value))


def specs_of(types: Any, shapes: Any) -> Any:
    """The specs for nested dtypes, and for their shapes if they are given."""
    dtypes = [as_dtype(t) for t in leaves(types)]
    known = [None] * len(dtypes) if shapes is None else leaves_like(types, shapes)
    specs = [TensorSpec(TensorShape(s), d) for s, d in zip(known, dtypes, strict=True)]
    return packed(types, specs)


def packed(structure: Any, flat: Sequence[Any]) -> Any:
    """Leaves, nested as a structure is."""
    rest = iter(flat)
    return mapped(lambda _: next(rest), structure)


def normal(value: Any) -> Any:
    """A value as an element: what is not made of tensors becomes one."""
    return mapped(_as_leaf, value)


def _as_leaf(value: Any) -> Any:
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if isinstance(value, RaggedTensorValue):
        return ragged_of(value)
    return value if value is None or isinstance(value, (Tensor, Composite)) else convert(value)


def parts_of(value: Any) -> list[Any]:
    """The tensors that a value is made of, which `normal` made."""
    return [part for leaf in leaves(value) if leaf is not None for part in nest.tensors_of(leaf)]


def spec_of_value(value: Any) -> Any:
    """The nested specs of a value that `normal` made."""
    return mapped(type_spec_from_value, value)


def common_spec(a: Any, b: Any, what: str) -> Any:
    """The specs that take what two take."""

    def of_leaf(one: Any, other: Any) -> Any:
        found = one.most_specific_common_supertype([other])
        if found is None:
            raise TypeError(f"{what}: {a} and {b} have no common type.")
        return found

    try:
        return mapped(of_leaf, a, b)
    except ValueError as error:
        raise TypeError(f"{what}: {a} and {b} are not nested alike.") from error


def batched_spec(spec: Any, size: int | None) -> Any:
    """The specs of batches of elements."""
    return mapped(lambda s: s if isinstance(s, NoneTensorSpec) else s._batch(size), spec)


def unbatched_spec(spec: Any) -> Any:
    """The specs of the elements of batches."""
    return mapped(lambda s: s if isinstance(s, NoneTensorSpec) else s._unbatch(), spec)


def in_arguments(value: Any) -> tuple[Any, ...]:
    """An element as the arguments of a user's function: a tuple gives several."""
    return value if type(value) is tuple else (value,)


# ---- layouts ------------------------------------------------------------------------------------


class Layout:
    """How elements of a nested spec lie in slots."""

    __slots__ = ("_how", "is_plain", "leaves", "parts", "spec")

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.leaves: list[TypeSpec] = leaves(spec)
        self.is_plain = all(type(s) is TensorSpec for s in self.leaves)
        self.parts: list[TensorSpec] = [
            part for leaf in self.leaves for part in leaf._flat_tensor_specs
        ]
        self._how = self._packing()

    def takes(self, spec: Any) -> bool:
        """Whether elements of another spec lie as these do."""
        try:
            return all(leaves(mapped(lambda a, b: a.is_compatible_with(b), self.spec, spec)))
        except (TypeError, ValueError):
            return False

    def _packing(self) -> Callable[[list[Any]], Any]:
        """How the leaves become the nested value; quick for what is not nested deeply."""
        spec = self.spec
        if not is_structure(spec):
            return lambda flat: flat[0]
        if type(spec) is tuple and not any(map(is_structure, spec)):
            return tuple
        return lambda flat: packed(spec, flat)

    def value(self, element: Element) -> Any:
        """An element as the user sees it."""
        if self.is_plain:
            return self._how([wrap(_array(slot)) for slot in element])
        pairs = zip(self.leaves, element, strict=True)
        return self._how([_leaf(spec, slot) for spec, slot in pairs])

    def nested(self, flat: Sequence[Any]) -> Any:
        """The nested value that is made of the tensors of its parts."""
        rest = iter(flat)
        return self._how([leaf._with_parts(rest) if leaf.expands else next(rest)
                          for leaf in self.leaves])  # fmt: skip

    def element(self, value: Any) -> Element:
        """The element for a value that `normal` made."""
        return tuple([_slot(leaf) for leaf in leaves(value)])

    def arrays(self, element: Element) -> list[Any]:
        """The arrays of all parts."""
        if self.is_plain:
            return [_array(slot) for slot in element]
        return [
            _array(slot) if type(spec) is TensorSpec else part._array
            for spec, slot in zip(self.leaves, element, strict=True)
            for part in ([slot] if type(spec) is TensorSpec else spec._to_tensor_list(slot))
        ]

    def from_arrays(self, arrays: Sequence[Any]) -> Element:
        """The element that has these arrays as its parts."""
        if self.is_plain:
            return tuple(arrays)
        rest = iter(arrays)
        return tuple([
            next(rest) if type(spec) is TensorSpec
            else spec._from_tensor_list([wrap(next(rest)) for _ in spec._flat_tensor_specs])
            for spec in self.leaves
        ])  # fmt: skip

    # ---- batches -----------------------------------------------------------------------------

    def stacked(self, elements: Sequence[Element]) -> Element:
        """A batch of elements."""
        columns = zip(*elements, strict=True)
        return tuple([
            _stacked(column, at) if type(spec) is TensorSpec else _joined(spec, column)
            for at, (spec, column) in enumerate(zip(self.leaves, columns, strict=True))
        ])  # fmt: skip

    def rows(self, element: Element) -> list[Element]:
        """The elements of a batch."""
        columns = [
            _rows(slot, at) if type(spec) is TensorSpec else _taken_apart(spec, slot)
            for at, (spec, slot) in enumerate(zip(self.leaves, element, strict=True))
        ]
        sizes = {len(column) for column in columns if column is not None}
        if len(sizes) > 1:
            raise InvalidArgumentError(
                f"The components of a batch must have the same size along axis 0, got {sorted(sizes)}."
            )
        count = sizes.pop() if sizes else 0
        return list(zip(*[c if c is not None else [None] * count for c in columns], strict=True))


def _array(slot: Any) -> Any:
    return np.array(slot, object) if type(slot) in (bytes, str) else slot


def _leaf(spec: TypeSpec, slot: Any) -> Any:
    return wrap(_array(slot)) if type(spec) is TensorSpec else slot


def _slot(leaf: Any) -> Any:
    return leaf._array if isinstance(leaf, Tensor) else leaf


def _stacked(column: Sequence[Any], component: int) -> Any:
    first = column[0]
    if type(first) in (bytes, str) or first.dtype == object:
        return _stacked_strings(column, component)
    shape = first.shape
    for at, array in enumerate(column):
        if array.shape != shape:
            raise _of_other_shapes(component, shape, at, array.shape)
    if not shape:
        return np.array(column, first.dtype)
    if first.dtype.names or first.dtype.kind == "V" or 0 in shape:
        return np.stack(column)
    return np.concatenate(column).reshape(len(column), *shape)


def _of_other_shapes(component: int, first: Any, at: int, other: Any) -> Exception:
    return InvalidArgumentError(
        f"Cannot batch tensors with different shapes in component {component}. First element had "
        f"shape {_shown(first)} and element {at} had shape {_shown(other)}. Use padded_batch, or "
        "ragged_batch. [Op:IteratorGetNext]"
    )


def _shown(shape: Sequence[int]) -> str:
    return f"[{','.join(map(str, shape))}]"


def _stacked_strings(column: Sequence[Any], component: int) -> Any:
    arrays = [_array(slot) for slot in column]
    shape = arrays[0].shape
    whole = np.empty((len(arrays), *shape), object)
    for at, array in enumerate(arrays):
        if array.shape != shape:
            raise _of_other_shapes(component, shape, at, array.shape)
        whole[at] = array[()]
    return whole


def _joined(spec: TypeSpec, column: Sequence[Any]) -> Any:
    """A batch of values made of tensors."""
    if isinstance(spec, NoneTensorSpec):
        return None
    with activate((), None):
        kind = kind_of(spec)
        arrays = kind.arrays(spec, convert(len(column)))
        for i, value in enumerate(column):
            arrays = kind.write(spec, arrays, convert(i), value)
        return kind.stack(spec, arrays)


def _rows(slot: Any, component: int) -> list[Any]:
    if not slot.shape:
        raise InvalidArgumentError(
            f"Component {component} of an element is a scalar and cannot be unbatched."
        )
    return list(slot)


def _taken_apart(spec: TypeSpec, value: Any) -> list[Any] | None:
    """The values of a batch of values made of tensors."""
    if isinstance(spec, NoneTensorSpec):
        return None
    with activate((), None):
        kind = kind_of(spec)
        source = kind.read_from(value)
        count = int(kind.tensors(value)[0].shape[0])
        return [kind.element(spec, source, convert(i)) for i in range(count)]
