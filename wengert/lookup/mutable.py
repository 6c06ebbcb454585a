"""Tables that change while a program runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.lookup.contents import Form, plain
from wengert.lookup.rows import IMPORT, INSERT, REMOVE, changed
from wengert.lookup.static import HashTableBase, checked_keys, of_entries
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.known_places import known_as


class _Changing(HashTableBase):
    def insert(self, keys: Any, values: Any, name: str | None = None) -> Any:
        """Add entries, or replace their values; in a graph, the operation that does."""
        given = convert(keys, self._key_dtype)
        return changed(
            INSERT, [self._handle, given, convert(values, self._value_dtype)], name
        )  # fmt: skip

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> Any:
        """The same as `insert`."""
        return self.insert(keys, values, name)

    def remove(self, keys: Any, name: str | None = None) -> Any:
        """Take out entries; in a graph, the operation that does."""
        found = checked_keys(keys, self._key_dtype)
        return changed(REMOVE, [self._handle, found], name)

    erase = remove

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Any:
        """The values of keys; for those that are not there the default value, or one given for each."""
        default = self._default_value
        if dynamic_default_values is not None:
            default = convert(dynamic_default_values, self._value_dtype)
        found = checked_keys(keys, self._key_dtype)
        return of_entries(lambda each: self._found(each, default, name), found)

    # ---- for checkpoints ---------------------------------------------------------------------

    def kept(self) -> Any:
        """What it holds, to be put back."""
        return [np.asarray(x) for x in self.export()]

    def put_back(self, kept: Any) -> None:
        """Hold again what it held."""
        changed(IMPORT, [self._handle, *[convert(x) for x in kept]], None)

    _saved_under: Sequence[str] = ("table",)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        keys, values = self.export()
        return {"keys": keys, "values": values}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        self.put_back([restored_tensors["keys"], restored_tensors["values"]])


class MutableHashTable(_Changing):
    """A table that changes.

    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a", "b"], [1, 2])
    >>> table.remove(tf.constant(["a"]))
    >>> table.lookup(tf.constant(["a", "b"])).numpy().tolist()
    [-1, 2]
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        keys, values = as_dtype(key_dtype), as_dtype(value_dtype)
        self._default_value = convert(default_value, values)
        shape = tuple(self._default_value.shape)
        kind = "MutableHashTableOfTensorsV2" if shape else "MutableHashTableV2"
        form = Form(kind, keys.numpy_dtype, values.numpy_dtype, value_shape=shape)
        super().__init__(form, keys, values, name)


class DenseHashTable(_Changing):
    """A table that changes, whose keys may be vectors; two keys are reserved.

    >>> table = tf.lookup.experimental.DenseHashTable(
    ...     tf.string, tf.int64, default_value=-1, empty_key="", deleted_key="$")
    >>> table.insert(["a", "b"], [1, 2])
    >>> table[tf.constant(["b", "c"])].numpy().tolist()
    [2, -1]
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        keys, values = as_dtype(key_dtype), as_dtype(value_dtype)
        self._default_value = convert(default_value, values)
        empty, deleted = (np.asarray(convert(key, keys)) for key in (empty_key, deleted_key))
        if empty.shape != deleted.shape:
            raise InvalidArgumentError(
                "Empty and deleted keys must have same shape, got shapes: "
                f"{list(empty.shape)} and {list(deleted.shape)}"
            )
        if np.array_equal(empty, deleted):
            raise InvalidArgumentError("Empty and deleted keys cannot be equal")
        form = Form(
            "MutableDenseHashTableV2",
            keys.numpy_dtype,
            values.numpy_dtype,
            empty.shape,
            tuple(self._default_value.shape),
            reserved=(*plain(empty, empty.shape), *plain(deleted, empty.shape)),
        )
        super().__init__(form, keys, values, name)
        self._reserved = empty, deleted

    # Not as TensorFlow, which keeps the empty places between the keys as well: that can be read.
    _saved_under = ("entries", "table")

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        keys, values = (np.asarray(restored_tensors[name]) for name in ("keys", "values"))
        keys = keys.reshape(len(keys), *self._reserved[0].shape)
        values = values.reshape(len(values), *self._default_value.shape)
        axes = tuple(range(1, keys.ndim))
        there = [np.any(keys != reserved, axis=axes) for reserved in self._reserved]
        kept = there[0] & there[1]
        self.put_back([keys[kept], values[kept]])


known_as(MutableHashTable, "ops.lookup_ops.MutableHashTable")
known_as(DenseHashTable, "ops.lookup_ops.DenseHashTable")
