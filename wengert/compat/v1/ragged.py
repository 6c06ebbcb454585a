"""tf.compat.v1.ragged: tf.ragged, and the values and placeholders of version 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert import ragged as _now
from wengert.api.session.placeholders import placeholder as dense_placeholder
from wengert.core.context import activate
from wengert.ops.ragged.factories import constant
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.ragged.tensor import RaggedTensorValue as RaggedTensorValue
from wengert.values.dtypes import as_dtype, int64


def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:
    """A ragged value from a nested list, with arrays; an array where nothing is ragged."""
    kind = None if dtype is None else as_dtype(dtype)
    with activate((), None):  # numbers, in a graph, too
        return _value_of(pylist, kind, ragged_rank, inner_shape, as_dtype(row_splits_dtype))


def _value_of(pylist: Any, kind: Any, ragged_rank: Any, inner_shape: Any, of_splits: Any) -> Any:
    made = constant(pylist, kind, ragged_rank, inner_shape, None, of_splits)
    if not isinstance(made, RaggedTensor):
        return np.asarray(made)
    found: Any = made.flat_values.numpy()
    for splits in reversed(made.nested_row_splits):
        found = RaggedTensorValue(found, splits.numpy())
    return found


def placeholder(
    dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None
) -> Any:
    """A ragged tensor whose value is fed when the graph runs."""
    known = None if value_shape is None else [None, *value_shape]
    found: Any = dense_placeholder(dtype, [None] if known is None else known)
    for _ in range(ragged_rank):
        splits = dense_placeholder(int64, [None])
        found = RaggedTensor.from_row_splits(found, splits, validate=False)
    return found


def __getattr__(name: str) -> Any:
    """A name that did not change between the versions."""
    return getattr(_now, name)
