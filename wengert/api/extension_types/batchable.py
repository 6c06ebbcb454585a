"""Extension types of which several values can be one batch: for map_fn and vectorized_map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from wengert.api.extension_types.extension_type import ExtensionType, ExtensionTypeSpec
from wengert.api.extension_types.fields import ImmutableDict
from wengert.values.shapes import TensorShape
from wengert.values.type_spec import TypeSpec


class ExtensionTypeBatchEncoder:
    """How values of a type become one batch: each field is batched by itself.

    A subclass, as the attribute `__batch_encoder__` of a type, changes how.
    """

    def batch(self, spec: TypeSpec, batch_size: int | None) -> TypeSpec:
        """The spec of a batch of values of a spec."""
        return _changed(spec, lambda s: s._batch(batch_size), [batch_size])

    def unbatch(self, spec: TypeSpec) -> TypeSpec:
        """The spec of one value of a batch."""
        return _changed(spec, lambda s: s._unbatch(), None)

    def encode(self, spec: TypeSpec, value: object, minimum_rank: int = 0) -> Any:
        """The tensors that are batched, nested, for one value or a batch of them."""
        return spec._to_components(value)

    def decode(self, spec: TypeSpec, encoded_value: object) -> Any:
        """The value of the tensors that `encode` gave, or of a slice or a stack of them."""
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec: TypeSpec) -> object:
        """The specs of what `encode` gives."""
        return spec._component_specs


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The type spec of an extension type that can be batched."""

    def _batch(self, batch_size: int | None) -> TypeSpec:
        found: TypeSpec = self.value_type.__batch_encoder__.batch(self, batch_size)
        return found

    def _unbatch(self) -> TypeSpec:
        found: TypeSpec = self.value_type.__batch_encoder__.unbatch(self)
        return found


class BatchableExtensionType(ExtensionType):
    """An extension type whose values can be batched, so that functions map over them.

    >>> class Vertex(tf.experimental.BatchableExtensionType):
    ...     position: tf.Tensor
    ...     mass: tf.Tensor
    >>> all_of_them = Vertex([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0])
    >>> tf.map_fn(lambda v: v.mass * v.position, all_of_them, fn_output_signature=tf.float32).numpy()
    array([[1., 2.],
           [6., 8.]], dtype=float32)
    """

    _tf_extension_type_do_not_transform_this_class = True
    _spec_kind: ClassVar[Any] = BatchableExtensionTypeSpec
    Spec: ClassVar[Any] = BatchableExtensionTypeSpec
    __batch_encoder__: ClassVar[Any] = ExtensionTypeBatchEncoder()


def _changed(
    spec: TypeSpec, change: Callable[[TypeSpec], TypeSpec], front: list[int | None] | None
) -> TypeSpec:
    """A spec whose inner specs are changed, and whose shapes lose an axis or gain those in front."""

    def of(value: Any) -> Any:
        if isinstance(value, TypeSpec):
            return change(value)
        if isinstance(value, TensorShape):
            return value[1:] if front is None else TensorShape(front).concatenate(value)
        if isinstance(value, ImmutableDict):
            return ImmutableDict({k: of(v) for k, v in value.items()})
        return tuple(map(of, value)) if isinstance(value, tuple) else value

    return spec._deserialize(tuple((name, of(v)) for name, v in spec._serialize()))
