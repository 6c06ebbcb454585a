"""tensorflow.python.framework.tensor: tensors, and what is known of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.values.dtypes import as_dtype
from wengert.values.type_spec import TensorSpec


class BoundedTensorSpec(TensorSpec):
    """The shape and dtype of a tensor, with the least and the largest number of each element."""

    __slots__ = ("_maximum", "_minimum")

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    def _bound(self, which: str, value: Any) -> Any:
        if value is None:
            raise ValueError(f"`{which}` can not be None.")
        found = np.array(value, self.dtype.as_numpy_dtype)
        try:
            np.broadcast_shapes(found.shape, tuple(n or 1 for n in self.shape.as_list()))
        except ValueError:
            raise ValueError(
                f"`{which}` {found.tolist()} is not compatible with shape {self.shape}. It must "
                "broadcast to it."
            ) from None
        found.setflags(write=False)
        return found

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> BoundedTensorSpec:
        """The same, by another name; a spec without bounds takes those of its dtype."""
        dtype = as_dtype(spec.dtype)
        low, high = getattr(spec, "minimum", dtype.min), getattr(spec, "maximum", dtype.max)
        return cls(spec.shape, dtype, low, high, name or spec.name)

    def _serialize(self) -> Any:
        return self.shape, self.dtype, self._minimum, self._maximum, self.name

    @property
    def minimum(self) -> Any:
        """The least numbers."""
        return self._minimum

    @property
    def maximum(self) -> Any:
        """The largest numbers."""
        return self._maximum

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundedTensorSpec)
            and super().__eq__(other)
            and np.array_equal(self._minimum, other._minimum)
            and np.array_equal(self._maximum, other._maximum)
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))
