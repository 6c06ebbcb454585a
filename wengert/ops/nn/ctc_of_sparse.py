"""CTC loss as version 1 has it: sparse labels, the last class as blank, and labels that do not fit.

Labels are made ready outside of the loss: in each row they end before the first that is the blank
or beyond, and runs of equal ones may become one.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import is_replaced
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import static, transpose
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.nn.activations import LOG_SOFTMAX, log_softmax
from wengert.ops.nn.ctc import CTC_LOSS, CTC_OCCUPIED
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.symbolic import AnyShape
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike


def _refused(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"{text} [Op:CTCLoss]")


def _check_times(steps: int, batch: int, frames: Array) -> None:
    if frames.shape != (batch,):
        raise _refused(
            f"len(sequence_length) != batch_size.  len(sequence_length):  {frames.size} "
            f"batch_size: {batch}"
        )
    for at in np.flatnonzero(frames > steps)[:1].tolist():
        raise _refused(f"sequence_length({at}) <= {steps}, got {frames[at]}")
    for at in np.flatnonzero(frames < 0)[:1].tolist():
        raise _refused(f"seq_len({at}) < 0, got {frames[at]}")


def _ready(row: list[int], at: int, blank: int, collapse: bool) -> list[int]:
    """The labels of a row: up to the first that stands for none."""
    if not row:
        raise _refused(f"Labels length is zero in batch {at}")
    if min(row) < 0:
        raise _refused(f"All labels must be nonnegative integers, batch: {at} labels: {row}")
    found = list(itertools.takewhile(lambda label: label < blank, row))
    if any(label < blank for label in row[len(found) :]):
        raise _refused(
            f"Saw a non-null label (index >= num_classes - 1) following a null label, batch: {at} "
            f"num_classes: {blank + 1} labels: {row}"
        )
    return [label for label, _ in itertools.groupby(found)] if collapse else found


def _kernel(
    _: Namespace,
    scores: Array,
    indices: Array,
    labels: Array,
    frames: Array,
    *,
    collapse: bool,
    ignore: bool,
) -> list[Array]:
    """Rows of labels, their lengths, and which of them fit into the time there is."""
    steps, batch, classes = scores.shape
    if not steps:
        raise _refused("Max time or first dimension of input cannot be 0.")
    _check_times(steps, batch, frames)
    given: list[list[int]] = [[] for _ in range(batch)]
    for (at, _place), label in zip(indices.tolist(), labels.tolist(), strict=True):
        if not 0 <= at < batch:
            raise _refused(f"labels of example {at}, but batch_size: {batch}")
        given[at].append(label)
    rows = [_ready(row, at, classes - 1, collapse) for at, row in enumerate(given)]
    lengths = np.array([len(row) for row in rows], np.int64)
    fits = lengths <= frames
    for at in np.flatnonzero(~fits)[: 0 if ignore else 1].tolist():
        raise _refused(
            f"Not enough time for target transition sequence (required: {lengths[at]}, "
            f"available: {frames[at]}). ignore_longer_outputs_than_inputs=True gives such examples "
            "the loss zero."
        )
    dense = np.full((batch, max(map(len, rows), default=0)), classes - 1, np.int64)
    for row, there in zip(rows, dense, strict=True):
        there[: len(row)] = row
    return [dense, lengths, fits]


def _forms(xs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    shape, long = xs[0]._array.shape, np.dtype(np.int64)
    batch = None if isinstance(shape, AnyShape) else shape[1]
    return [((batch, None), long), ((batch,), long), ((batch,), np.dtype(bool))]


LABELS: Row = op("CTCLabels", _kernel, many=True, forms=_forms)


def _whole_kernel(
    _: Namespace,
    scores: Array,
    indices: Array,
    labels: Array,
    frames: Array,
    *,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    ignore_longer_outputs_than_inputs: bool,
) -> list[Array]:
    """The losses, and their derivatives by the scores."""
    collapse, ignore = preprocess_collapse_repeated, ignore_longer_outputs_than_inputs
    rows, lengths, fits = _kernel(
        np, scores, indices, labels, frames, collapse=collapse, ignore=ignore
    )
    log_p = LOG_SOFTMAX.kernel(np, scores, axis=2)
    how = {"blank": scores.shape[2] - 1, "merge": ctc_merge_repeated}
    loss = CTC_LOSS.kernel(np, log_p, rows, lengths, frames, **how)
    occupied = CTC_OCCUPIED.kernel(np, log_p, rows, lengths, frames, **how)
    there = occupied.sum(axis=2, keepdims=True)  # nothing after the end of an example
    slope = (np.exp(log_p) * there - occupied) * fits[:, None]
    return [np.where(fits, loss, 0).astype(loss.dtype), slope.astype(scores.dtype)]


# As TensorFlow has it, for those who replace its gradient: of scores, and with a slope.
WHOLE: Final = Row(
    CTC_LOSS.name,
    _whole_kernel,
    vjp=(lambda gs, ys, *xs, **_: gs[0][:, None] * ys[1], None, None, None),
    shape=lambda x, *others, **_: [x[1:2], x],
    many=True,
)


@deferrable
def sparse_ctc_loss(
    labels: SparseTensor,
    inputs: TensorLike,
    sequence_length: TensorLike,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
) -> Tensor:
    """The loss of labels in a sparse tensor; the last class is the blank."""
    scores = convert(inputs)
    if not time_major:
        scores = transpose(scores, (1, 0, 2))
    if len(dims(scores)) != 3:
        raise _refused("inputs is not a 3-Tensor: its axes are [time, batch, class]")
    frames = convert(sequence_length, dtypes.int32)
    if is_replaced(WHOLE.name):
        attrs = {
            "preprocess_collapse_repeated": bool(preprocess_collapse_repeated),
            "ctc_merge_repeated": bool(ctc_merge_repeated),
            "ignore_longer_outputs_than_inputs": bool(ignore_longer_outputs_than_inputs),
        }
        made: list[Tensor] = apply(WHOLE, (scores, labels.indices, labels.values, frames), attrs)
        return made[0]
    how = {
        "collapse": bool(preprocess_collapse_repeated),
        "ignore": bool(ignore_longer_outputs_than_inputs),
    }
    rows, lengths, fits = apply(LABELS, (scores, labels.indices, labels.values, frames), how)
    blank: dict[str, Any] = {"blank": int(static(dims(scores)[2])) - 1}
    merge = {} if ctc_merge_repeated else {"merge": False}
    loss = apply(CTC_LOSS, (log_softmax(scores), rows, lengths, frames), blank | merge)
    found: Tensor = where(fits, loss, zeros_like(loss))
    return found
