"""tensorflow.python.training.optimizer: what optimizers of programs import beside the class."""

from __future__ import annotations

from typing import Any

from wengert.train.dense_or_rows import merge_rows
from wengert.values.indexed_slices import IndexedSlices


def _deduplicate_indexed_slices(values: Any, indices: Any) -> tuple[Any, Any]:
    """Rows with the same index as one, their sum; and the indices."""
    merged = merge_rows(IndexedSlices(values, indices))
    return merged.values, merged.indices


def _var_key(var: Any) -> Any:
    """What slots are kept by."""
    return (var.op.graph, var.op.name) if var.graph is not None else var._unique_id
