"""tensorflow.python.ops.ctc_ops: its names that are not public."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.gathering import gather, gather_nd, one_hot
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import expand_dims
from wengert.ops.control.map import scan
from wengert.ops.math.comparison import where
from wengert.ops.nn.ctc import ctc_loss as ctc_loss_v2
from wengert.ops.reductions.reductions import reduce_logsumexp
from wengert.ops.reductions.sequences import sequence_mask
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values import dtypes, nest
from wengert.values.convert import convert

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import TensorLike


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


def _scan(
    fn: Callable[..., Any],
    elems: Any,
    initial: Any,
    reverse: bool = False,
    inclusive: bool = False,
    final_only: bool = False,
) -> Any:
    """What accumulates over elements, from the front or the back; `inclusive` with where it starts."""
    start = nest.map_structure(convert, initial)
    found = scan(fn, nest.map_structure(convert, elems), start, reverse=reverse)
    if final_only:
        return nest.map_structure(lambda rows: rows[0 if reverse else -1], found)
    if not inclusive:
        return found

    def with_start(one: Tensor, rows: Tensor) -> Tensor:
        first = expand_dims(one, 0)
        return concat([rows, first] if reverse else [first, rows], 0)

    return nest.map_structure(with_start, start, found)


def _sum_states(idx: TensorLike, states: TensorLike) -> Tensor:
    """The log probabilities of the states of each unique label, summed."""
    known = convert(states)
    chosen = one_hot(idx, shape(known)[2], on_value=0.0, off_value=-np.inf, axis=1)
    return reduce_logsumexp(expand_dims(known, 2) + chosen, -1)


def _state_to_olabel(labels: TensorLike, num_labels: int, states: Tensor) -> Tensor:
    """The log probabilities of labels, from those of the states; the first is that of the blank."""
    own = convert(labels)
    count = shape(own)[1] + 1
    chosen = one_hot(own - 1, num_labels - 1, on_value=0.0, off_value=-np.inf)
    of_labels = expand_dims(states[:, :, 1:count], 3) + expand_dims(chosen, 0)
    blank = reduce_logsumexp(states[:, :, count:], 2, keepdims=True)
    return concat([blank, reduce_logsumexp(of_labels, 2)], -1)


def _state_to_olabel_unique(
    labels: TensorLike, num_labels: int, states: Tensor, unique: tuple[Tensor, Tensor]
) -> Tensor:
    """The same, with the unique labels and their indices, as ctc_unique_labels gives them."""
    values, places = unique
    return _state_to_olabel(gather(values, places, batch_dims=1), num_labels, states)


__all__ = ["ctc_loss_v2"]
