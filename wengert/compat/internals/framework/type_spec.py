"""tensorflow.python.framework.type_spec: what is known of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.api.extension_types.batchable import ExtensionTypeBatchEncoder as TypeSpecBatchEncoder
from wengert.compat.internals.framework.type_spec_registry import get_name as get_name
from wengert.compat.internals.framework.type_spec_registry import lookup as lookup
from wengert.compat.internals.framework.type_spec_registry import register as register
from wengert.values.type_spec import TensorSpec
from wengert.values.type_spec import TypeSpec as BatchableTypeSpec
from wengert.values.type_spec import (
    register_type_spec_from_value_converter as register_type_spec_from_value_converter,
)

__all__ = [
    "BatchableTypeSpec",
    "BoundedTensorSpec",
    "TypeSpecBatchEncoder",
    "get_name",
    "lookup",
    "register",
    "register_type_spec_from_value_converter",
]


class BoundedTensorSpec(TensorSpec):
    """A spec of tensors whose elements lie between two bounds, both included."""

    __slots__ = ("_maximum", "_minimum")

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        self._minimum, self._maximum = self._bound(minimum), self._bound(maximum)

    def _bound(self, value: Any) -> Any:
        found = np.array(value, self.dtype.as_numpy_dtype)
        if self.shape.is_fully_defined():
            np.broadcast_to(found, tuple(self.shape))  # raises where they do not fit together
        found.setflags(write=False)
        return found

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> BoundedTensorSpec:
        """The same, by another name; a spec without bounds takes those of its dtype."""
        limits = spec.dtype.min, spec.dtype.max
        low, high = getattr(spec, "minimum", limits[0]), getattr(spec, "maximum", limits[1])
        return cls(spec.shape, spec.dtype, low, high, name or spec.name)

    @property
    def minimum(self) -> Any:
        """The lower bound."""
        return self._minimum

    @property
    def maximum(self) -> Any:
        """The upper bound."""
        return self._maximum

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, "
            f"minimum={self.minimum!r}, maximum={self.maximum!r})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundedTensorSpec) or not super().__eq__(other):
            return False
        pairs = ((self.minimum, other.minimum), (self.maximum, other.maximum))
        return all(np.array_equal(a, b) for a, b in pairs)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))
