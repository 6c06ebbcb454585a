"""What tables, and what fills them, have in common."""

from __future__ import annotations

from typing import Any

from wengert.values.dtypes import DType, as_dtype


class OfKeysAndValues:
    """Something with a dtype of keys and a dtype of values; a checkpoint may hold it."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    def _trackable_children(self, save_type: str = "checkpoint", **_: Any) -> dict[str, Any]:
        return {}
