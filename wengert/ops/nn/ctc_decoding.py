"""CTC greedy decoding: the most likely class of each step, as a sequence of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import FailedPreconditionError, InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.shaping import expand_dims, static
from wengert.ops.math.comparison import less, where
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.reductions.reductions import reduce_max, reduce_sum
from wengert.ops.sparse.tensor import SparseTensor, gives, placeholder_sparse
from wengert.ops.support.declare import in_single
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, NumpyDType, TensorLike


def _decode_kernel(
    _: Namespace, scores: Array, lengths: Array, *, blank: int, merge: bool
) -> list[Any]:
    """Labels as a sparse matrix: coordinates, values, shape."""
    check_lengths("CTCGreedyDecoder", scores.shape, lengths)
    best = scores.argmax(axis=2)
    rows = []
    for b, length in enumerate(lengths.tolist()):
        path = best[: max(length, 0), b]
        kept = path != blank
        if merge:
            kept[1:] &= path[1:] != path[:-1]
        rows.append(path[kept])
    indices = [(b, i) for b, row in enumerate(rows) for i in range(len(row))]
    longest = max(map(len, rows), default=0)
    return [
        np.array(indices, np.int64).reshape(-1, 2),
        np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int64),
        np.array([len(rows), longest], np.int64),
    ]


def check_lengths(name: str, shape: tuple[int, ...], lengths: Array) -> None:
    """Refuse lengths that are not one for each example, or reach beyond the scores."""
    steps, batch = shape[:2]
    if lengths.ndim != 1:
        raise InvalidArgumentError(
            f"sequence_length is not a vector, got {shape_text(lengths.shape)} [Op:{name}]"
        )
    if lengths.shape != (batch,):
        raise FailedPreconditionError(
            f"len(sequence_length) != batch_size.  len(sequence_length):  {lengths.size} "
            f"batch_size: {batch} [Op:{name}]"
        )
    for at in np.flatnonzero(lengths > steps)[:1].tolist():
        raise FailedPreconditionError(
            f"sequence_length({at}) <= {steps}, got {lengths[at]} [Op:{name}]"
        )


GREEDY: Row = op(
    "CTCGreedyDecoder",
    _decode_kernel,
    many=True,
    forms=lambda xs, attrs: path_forms(1),
)


def path_forms(count: int) -> list[Any]:
    """Shapes and dtypes of the parts of sparse paths: indices of all, values of all, shapes of all."""
    long = np.dtype(np.int64)
    pieces = [((None, 2), long), ((None,), long), ((2,), long)]
    return [form for form in pieces for _ in range(count)]


def _foreseen(dtype: NumpyDType, args: Any) -> tuple[Any, list[Any]]:
    labels, _ = placeholder_sparse(np.dtype(np.int64))
    return ([labels], 0), [*path_forms(1), ((None, 1), dtype)]


@deferrable
@gives(_foreseen)
def ctc_greedy_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    merge_repeated: bool = True,
    blank_index: Any = None,
) -> tuple[list[SparseTensor], Tensor]:
    """Greedy (best path) decoding: the likeliest class per step without blanks, and its score.

    >>> logits = tf.constant([[[0.0, 9.0, 0.0]], [[0.0, 9.0, 0.0]], [[0.0, 0.0, 9.0]]])
    >>> (decoded,), score = tf.nn.ctc_greedy_decoder(logits, [3])  # the last class is the blank
    >>> decoded.values.numpy().tolist(), score.numpy().tolist()
    ([1], [[-27.0]])
    """
    scores, lengths = in_single(inputs, np.float64), convert(sequence_length, dtypes.int32)
    if len(dims(scores)) != 3:
        raise InvalidArgumentError(
            "inputs is not a 3-Tensor: its axes are [time, batch, class], got "
            f"{shape_text(dims(scores))} [Op:CTCGreedyDecoder]"
        )
    classes = dims(scores)[2]
    blank = classes - 1 if blank_index is None else int(static(blank_index))
    if not -classes <= blank < classes:
        raise InvalidArgumentError(
            f"blank_index expected to be between {-classes} and {classes - 1} but was {blank} "
            "[Op:CTCGreedyDecoder]"
        )
    attrs = {"blank": blank % classes, "merge": bool(merge_repeated)}
    decoded = SparseTensor._of(*apply(GREEDY, (scores, lengths), attrs))  # it checks the lengths
    return [decoded], _score(scores, lengths)


def _score(scores: Tensor, lengths: Tensor) -> Tensor:
    best = reduce_max(scores, 2)
    within = less(cast(expand_dims(range_(dims(scores)[0]), 1), dtypes.int32), lengths)
    total: Tensor = -reduce_sum(where(within, best, zeros_like(best)), 0)
    return expand_dims(total, 1)
