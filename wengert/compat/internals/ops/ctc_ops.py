"""tensorflow.python.ops.ctc_ops: its names that are not public."""

from __future__ import annotations

from typing import Any

from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.gathering import gather_nd
from wengert.ops.math.comparison import where
from wengert.ops.nn.ctc import ctc_loss as ctc_loss_v2
from wengert.ops.reductions.sequences import sequence_mask
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values import dtypes
from wengert.values.convert import convert


def dense_labels_to_sparse(dense: Any, length: Any) -> SparseTensor:
    """Rows of labels of different lengths as a sparse tensor."""
    labels = convert(dense)
    there = sequence_mask(length, shape(labels)[1])
    places = where(there)
    return SparseTensor(places, gather_nd(labels, places), shape(labels, dtypes.int64))


def ctc_loss_dense(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int = 0,
    name: str | None = None,
) -> Any:
    """CTC loss of labels that are given as rows with their lengths."""
    return ctc_loss_v2(
        labels, logits, label_length, logit_length, logits_time_major, unique, blank_index
    )


__all__ = ["ctc_loss_v2"]
