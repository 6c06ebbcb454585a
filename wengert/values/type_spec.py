"""Type specs: what is known of a value before there is one.

A spec says how a value is taken apart into tensors and made of them again. It is nested like the
value, so that `tf.nest` walks both alike: a spec's parts are the specs of the value's tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from wengert.values import nest
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, float32
from wengert.values.shapes import TensorShape, is_as_general
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.typing import DTypeLike, ShapeLike
    from wengert.values.value import Value

Spec = TypeVar("Spec", bound="TypeSpec")


class TypeSpec(Composite):
    """The kind of a value, as far as it is known: for tensors and for values made of tensors.

    A subclass for a type of its own defines `value_type`, `_serialize`, `_component_specs`,
    `_to_components` and `_from_components`.

    >>> tf.type_spec_from_value(tf.constant([1.0, 2.0]))
    TensorSpec(shape=(2,), dtype=tf.float32, name=None)
    """

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        raise NotImplementedError(f"{type(self).__name__}.value_type")

    def _serialize(self) -> Any:
        """What tells it from other specs of its class: the arguments of its constructor."""
        raise NotImplementedError(f"{type(self).__name__}._serialize")

    @classmethod
    def _deserialize(cls: type[Spec], serialization: Any) -> Spec:
        return cls(*serialization)

    @property
    def _component_specs(self) -> Any:
        """The specs of the components of a value, nested as `_to_components` nests them."""
        raise NotImplementedError(f"{type(self).__name__}._component_specs")

    def _to_components(self, value: Any) -> Any:
        """The tensors of a value, nested."""
        raise NotImplementedError(f"{type(self).__name__}._to_components")

    def _from_components(self, components: Any) -> Any:
        """A value made of components."""
        raise NotImplementedError(f"{type(self).__name__}._from_components")

    # ---- a value in tensors ------------------------------------------------------------------

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return nest.flatten(self._component_specs, expand_composites=True)

    def _to_tensor_list(self, value: Any) -> list[Any]:
        return nest.flatten(self._to_components(value), expand_composites=True)

    def _from_tensor_list(self, tensor_list: Sequence[Any]) -> Any:
        return self._from_compatible_tensor_list(tensor_list)

    def _from_compatible_tensor_list(self, tensor_list: Sequence[Any]) -> Any:
        packed = nest.pack_sequence_as(self._component_specs, tensor_list, expand_composites=True)
        return self._from_components(packed)

    def _parts(self) -> list[Any]:
        return self._flat_tensor_specs

    def _with_parts(self, tensors: Iterator[Any]) -> Any:
        return self._from_tensor_list([next(tensors) for _ in self._flat_tensor_specs])

    @property
    def _type_spec(self) -> TypeSpec:
        return self

    def _batch(self, batch_size: int | None) -> TypeSpec:
        """The spec of a batch of values."""
        raise NotImplementedError(f"{type(self).__name__}._batch")

    def _unbatch(self) -> TypeSpec:
        """The spec of one value of a batch."""
        raise NotImplementedError(f"{type(self).__name__}._unbatch")

    # ---- against other specs -----------------------------------------------------------------

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether some value fits both this spec and the other, or whether this value fits."""
        try:
            other = spec_of(spec_or_value)
        except TypeError:
            return False
        return type(self) is type(other) and _agree(
            self._serialize(), other._serialize(), lambda a, b: bool(a.is_compatible_with(b))
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value of this spec is one of the other."""
        return type(self) is type(other) and _agree(
            other._serialize(), self._serialize(), _is_as_general
        )

    def takes(self, other: Any) -> bool:
        """Whether every value of another spec may be passed here."""
        return isinstance(other, TypeSpec) and bool(other.is_subtype_of(self))

    def most_specific_common_supertype(self: Spec, others: Sequence[Any]) -> Spec | None:
        """The most specific spec that takes what this one and the others take; None if none does."""
        found = self._serialize()
        try:
            for other in others:
                if type(other) is not type(self):
                    return None
                found = _in_common(found, other._serialize())
        except _NothingInCommonError:
            return None
        return self._deserialize(found)

    def most_specific_compatible_type(self: Spec, other: Any) -> Spec:
        """The same for two specs; a ValueError if nothing takes both."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self!r} and {other!r}.")
        return found

    # What libraries' specs call by its private name, to compare what they serialize.
    def __make_cmp_key(self, value: Any) -> Any:
        return _frozen(value)

    @staticmethod
    def __is_compatible(a: Any, b: Any) -> bool:
        return _agree(a, b, lambda one, other: bool(one.is_compatible_with(other)))

    def _with_tensor_ranks_only(self: Spec) -> Spec:
        """The same with no size known, only the ranks."""
        return self._deserialize(_ranks_only(self._serialize()))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return bool(_frozen(self._serialize()) == _frozen(other._serialize()))

    def __hash__(self) -> int:
        return hash((type(self), _frozen(self._serialize())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"

    def __reduce__(self) -> Any:
        return type(self)._deserialize, (self._serialize(),)


class ShapedSpec(TypeSpec):
    """The spec of values that have a shape and a dtype."""

    __slots__ = ("_dtype", "_shape")
    _dtype: DType
    _shape: TensorShape

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self._dtype

    @property
    def rank(self) -> int | None:
        """The number of axes; None if it is not known."""
        return self._shape.rank


class DenseSpec(ShapedSpec):
    """The spec of values with a shape, a dtype and perhaps a name: the base of TensorSpec."""

    __slots__ = ("_name",)

    def __init__(
        self, shape: ShapeLike | None, dtype: DTypeLike = float32, name: str | None = None
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def name(self) -> str | None:
        """The name of the argument; None if it has none."""
        return self._name

    def _serialize(self) -> Any:
        return self._shape, self._dtype, self._name


class TensorSpec(DenseSpec):
    """The shape and dtype of a tensor that a function expects.

    >>> tf.TensorSpec([None, 2], tf.float32)
    TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
    """

    __slots__ = ()
    expands: ClassVar[bool] = False  # a leaf, as a tensor is

    @property
    def value_type(self) -> Any:
        """tf.Tensor."""
        return Tensor

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """The same shape and dtype, by another name if one is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Value, name: str | None = None) -> TensorSpec:
        """The spec of a tensor: its shape and its dtype."""
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Whether a tensor may be passed where this spec is expected."""
        found = getattr(spec_or_tensor, "dtype", None)
        if not isinstance(spec_or_tensor, (Tensor, TensorSpec)) and not hasattr(
            found, "is_numeric"
        ):
            return super().is_compatible_with(spec_or_tensor)
        return self._dtype is found and self._shape.is_compatible_with(spec_or_tensor.shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this spec is one of the other."""
        return isinstance(other, TensorSpec) and other.takes(self)

    def takes(self, other: Any) -> bool:
        """Whether every tensor of another spec may be passed here."""
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other._dtype
            and is_as_general(self._shape, other._shape)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorSpec | None:
        """The most specific spec that takes what this one and the others take; None if none does."""
        shape = self._shape
        for other in others:
            if not isinstance(other, TensorSpec) or other._dtype is not self._dtype:
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
        return TensorSpec(shape, self._dtype)

    @property
    def _component_specs(self) -> Any:
        return self

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return [self]

    def _to_components(self, value: Any) -> Any:
        return convert(value, self._dtype)

    def _from_components(self, components: Any) -> Any:
        return components

    def _to_tensor_list(self, value: Any) -> list[Any]:
        return [self._to_components(value)]

    def _from_tensor_list(self, tensor_list: Sequence[Any]) -> Any:
        (tensor,) = tensor_list
        return tensor

    def _batch(self, batch_size: int | None) -> TensorSpec:
        return TensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> TensorSpec:
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return TensorSpec(self._shape[1:], self._dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return self._dtype is other._dtype and self._shape == other._shape

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class NoneTensorSpec(TypeSpec):
    """The spec of None."""

    @property
    def value_type(self) -> Any:
        """The class of None."""
        return type(None)

    def _serialize(self) -> Any:
        return ()

    @property
    def _component_specs(self) -> Any:
        return []

    def _to_components(self, value: Any) -> Any:
        return []

    def _from_components(self, components: Any) -> Any:
        return None

    def __repr__(self) -> str:
        return "NoneTensorSpec()"


class PartsSpec(TypeSpec):
    """The spec of a composite value that has none of its own: the value, with specs as its parts."""

    __slots__ = ("_like", "_specs")

    def __init__(self, like: Any, specs: Sequence[TensorSpec]) -> None:
        self._like, self._specs = like, list(specs)

    @classmethod
    def of(cls, value: Composite) -> PartsSpec:
        """The spec of a value; it does not hold the value's tensors."""
        if type(value)._parts is Composite._parts:
            raise NotImplementedError(
                f"{type(value).__name__} must define `_type_spec`, or `_parts` and `_with_parts`."
            )
        specs = [TensorSpec(part.shape, part.dtype) for part in value._parts()]
        return cls(value._outlined(iter(specs)), specs)

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        return type(self._like)

    def _serialize(self) -> Any:
        return type(self._like), self._like._trace_key(), tuple(self._specs)

    @property
    def _component_specs(self) -> Any:
        return self._specs

    def _to_components(self, value: Any) -> Any:
        return value._parts()

    def _from_components(self, components: Any) -> Any:
        return self._like._with_parts(iter(components))

    def most_specific_common_supertype(self, others: Sequence[Any]) -> PartsSpec | None:
        """The spec with what the parts have in common."""
        found: Any = self._serialize()
        try:
            for other in others:
                found = _in_common(found, other._serialize())
        except (_NothingInCommonError, AttributeError):
            return None
        return PartsSpec(self._like, found[-1])

    def __repr__(self) -> str:
        return f"{type(self._like).__name__}({', '.join(map(repr, self._specs))})"

    def __reduce__(self) -> Any:
        return PartsSpec, (self._like, self._specs)


# ---- the spec of a value ------------------------------------------------------------------------

# How the spec of a value is found, by its type, for those that do not say it themselves.
_FINDERS: list[tuple[Any, Callable[[Any], Any]]] = []


def register_type_spec_from_value_converter(
    type_object: Any, converter_fn: Callable[[Any], Any], allow_subclass: bool = False
) -> None:
    """Say how the spec of a value of a type is found."""

    def of_this_type(value: Any) -> Any:
        fits = isinstance(value, type_object) if allow_subclass else type(value) is type_object
        return converter_fn(value) if fits else None

    _FINDERS.insert(0, (type_object, of_this_type))


def spec_of(value: Any) -> TypeSpec:
    """The spec of a value, or the value itself if it is one; a TypeError if it can have none."""
    if isinstance(value, TypeSpec):
        return value
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, Composite):
        return value._type_spec
    for _, find in _FINDERS:
        found = find(value)
        if found is not None:
            return found  # type: ignore[no-any-return]
    raise TypeError(f"Could not build a TypeSpec for {value!r} of type {type(value).__name__}.")


def type_spec_from_value(value: Any) -> TypeSpec:
    """The spec of a value: of a tensor, of a value made of tensors, of what becomes a tensor.

    >>> tf.type_spec_from_value(tf.ragged.constant([[1, 2], [3]]))
    RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
    """
    if value is None:
        return NoneTensorSpec()
    try:
        return spec_of(value)
    except TypeError:
        if isinstance(
            value, (list, tuple, int, float, complex, str, bytes, np.ndarray, np.generic)
        ):
            return spec_of(convert(value))
        raise


# ---- what serialized specs have in common -------------------------------------------------------


class _NothingInCommonError(Exception):
    pass


def _is_nested(value: Any) -> bool:
    return isinstance(value, (list, tuple, Mapping)) and not isinstance(value, TensorShape)


def _pairs(a: Any, b: Any) -> list[tuple[Any, Any]] | None:
    """The parts of two nested values in pairs; None if they are not nested alike."""
    if isinstance(a, Mapping):
        if not isinstance(b, Mapping) or set(a) != set(b):
            return None
        return [(a[k], b[k]) for k in a]
    if not isinstance(b, (list, tuple)) or len(a) != len(b):
        return None
    return list(zip(a, b, strict=True))


def _agree(a: Any, b: Any, of_leaves: Callable[[Any, Any], bool]) -> bool:
    """Whether two serialized specs agree: shapes and specs as they do, all else by equality."""
    if _is_nested(a):
        pairs = _pairs(a, b)
        return pairs is not None and all(_agree(p, q, of_leaves) for p, q in pairs)
    if isinstance(a, TensorShape):
        return isinstance(b, TensorShape) and of_leaves(a, b)
    if isinstance(a, TypeSpec):
        return isinstance(b, TypeSpec) and of_leaves(a, b)
    return bool(a == b)


def _is_as_general(a: Any, b: Any) -> bool:
    if isinstance(a, TensorShape):
        return is_as_general(a, b)
    return bool(b.is_subtype_of(a))


def _in_common(a: Any, b: Any) -> Any:
    if _is_nested(a):
        pairs = _pairs(a, b)
        if pairs is None:
            raise _NothingInCommonError
        found = [_in_common(p, q) for p, q in pairs]
        return dict(zip(a, found, strict=True)) if isinstance(a, Mapping) else _as_before(a, found)
    if isinstance(a, TensorShape) and isinstance(b, TensorShape):
        return a.most_specific_compatible_shape(b)
    if isinstance(a, TypeSpec):
        found_spec = a.most_specific_common_supertype([b])
        if found_spec is None:
            raise _NothingInCommonError
        return found_spec
    if a != b:
        raise _NothingInCommonError
    return a


def _ranks_only(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _ranks_only(v) for k, v in value.items()}
    if _is_nested(value):
        return _as_before(value, [_ranks_only(v) for v in value])
    if isinstance(value, TensorShape):
        return TensorShape(None if value.rank is None else [None] * value.rank)
    return value._with_tensor_ranks_only() if isinstance(value, TypeSpec) else value


def _as_before(before: Any, parts: list[Any]) -> Any:
    if hasattr(before, "_fields"):
        return type(before)(*parts)
    return type(before)(parts)


def _frozen(value: Any) -> Any:
    """A serialized spec in a form that can be hashed."""
    if isinstance(value, Mapping):
        return tuple((k, _frozen(v)) for k, v in value.items())
    if _is_nested(value):
        return type(value), tuple(map(_frozen, value))
    if isinstance(value, np.ndarray):
        return value.tobytes(), value.shape
    if isinstance(value, (bool, int, float)):
        return type(value), value
    return value
