"""CTC loss (connectionist temporal classification): the likelihood of labels, over all alignments.

With a blank before, between and after the labels, an alignment is a walk through the states from
one of the first two to one of the last two; in each step it stays, advances by one, or skips a
blank between two different labels. The rows compute with log-probabilities; the same is written a
second time with our operations, for derivatives of higher order.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.reverse import pull_through
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.batched import merged
from wengert.ops.arrays.gathering import gather, unsorted_segment_sum
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import broadcast_to, expand_dims, static, transpose
from wengert.ops.arrays.slicing import pad
from wengert.ops.math.arithmetic import minimum
from wengert.ops.math.comparison import equal, where
from wengert.ops.math.elementwise import cast, ones_like, zeros_like
from wengert.ops.nn.activations import log_softmax
from wengert.ops.reductions.reductions import reduce_logsumexp
from wengert.ops.sparse.math import to_dense
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, IntLike, Namespace, TensorLike

NEVER = -1e30  # the logarithm of a probability of zero, finite so that differences are not NaN
LEAST = -700.0  # the logarithm of what adds nothing to one; exp takes ten times as long below

# ---- the states of an alignment ---------------------------------------------------------------


class States(NamedTuple):
    """For each example: each state's class, whether a skip leads to it, whether it is final, may stay."""

    classes: Any
    jumps: Any
    ends: Any
    stays: Any


def _states(labels: Array, lengths: Array, blank: int, merge: bool) -> States:
    batch, longest = labels.shape
    classes = np.full((batch, 2 * longest + 1), blank, np.int64)
    classes[:, 1::2] = labels
    jumps = np.zeros(classes.shape, bool)
    jumps[:, 3::2] = (labels[:, 1:] != labels[:, :-1]) | (not merge)
    place = np.arange(classes.shape[1])
    last = 2 * lengths[:, None]
    classes[place > last] = blank
    ends = (place == last) | (place == last - 1)
    return States(classes, jumps, ends, (classes == blank) | merge)


def _walk(scores: Array, begins: Array, jumps: Array, stays: Array) -> Array:
    """The log-probability of reaching each state at each time; scores are [time, state, batch]."""
    count, size, batch = scores.shape
    padded = np.full((count, size + 2, batch), NEVER)  # two states in front that are never reached
    padded[:1, 2:] = np.where(begins, scores[:1], NEVER)
    skip, stay = (np.where(allowed, 0.0, NEVER) for allowed in (jumps, stays))
    for before, reached, score in zip(padded, padded[1:, 2:], scores[1:], strict=False):
        ways = [before[2:] + stay, before[1:-1], before[:-2] + skip]
        likeliest = np.maximum(np.maximum(ways[0], ways[1]), ways[2])
        total = sum(np.exp(np.maximum(way - likeliest, LEAST)) for way in ways)
        np.add(likeliest, np.log(total), out=reached)
        reached += score
    return padded[:, 2:]


def _check_examples(batch: int, labels: Array, lengths: Array, frames: Array) -> None:
    """Refuse what is not one row of labels, one length and one number of frames an example."""
    shapes = {"labels": labels.shape, "label_length": lengths.shape, "logit_length": frames.shape}
    for name, shape in shapes.items():
        if shape[:1] != (batch,) or len(shape) != (2 if name == "labels" else 1):
            wanted = f"[{batch}, ...]" if name == "labels" else f"[{batch}]"
            raise InvalidArgumentError(
                f"Incompatible shapes: {name} of {batch} examples must be {wanted}, got "
                f"{shape_text(shape)} [Op:CTCLoss]"
            )


def _scores(log_p: Array, classes: Array) -> Array:
    count = log_p.shape[2]
    if classes.size and classes.max() >= count:
        raise InvalidArgumentError(
            f"label {classes.max()} is not in [0, {count}): there are {count} classes [Op:CTCLoss]"
        )
    scores = log_p[:, np.arange(log_p.shape[1]), classes].astype(np.float64)
    return np.maximum(scores, NEVER)


def _at_ends(reached: Array, frames: Array, ends: Array) -> Array:
    """The log-likelihood of each example: that of its final states at its last time."""
    last = reached[np.maximum(frames - 1, 0), :, np.arange(len(frames))].T
    final = np.where(ends & (frames > 0), last, NEVER)
    total = np.logaddexp.reduce(final, axis=0)
    return np.where(total <= NEVER / 2, -np.inf, total)


def _loss_kernel(
    _: Namespace,
    log_p: Array,
    labels: Array,
    lengths: Array,
    frames: Array,
    *,
    blank: int,
    merge: bool = True,
) -> Array:
    _check_examples(log_p.shape[1], labels, lengths, frames)
    classes, jumps, ends, stays = (x.T for x in _states(labels, lengths, blank, merge))
    begins = np.arange(len(classes))[:, None] < 2
    reached = _walk(_scores(log_p, classes), begins, jumps, stays)
    return -_at_ends(reached, frames, ends).astype(log_p.dtype)


def _occupied_kernel(
    _: Namespace,
    log_p: Array,
    labels: Array,
    lengths: Array,
    frames: Array,
    *,
    blank: int,
    merge: bool = True,
) -> Array:
    """The probability of each class at each time under the alignments: minus the loss's gradient.

    The backward pass is the forward pass on reversed states and times, and goes beside it.
    """
    classes, jumps, ends, stays = (x.T for x in _states(labels, lengths, blank, merge))
    scores = _scores(log_p, classes)
    count, size, batch = scores.shape
    rows, place = np.arange(batch), np.arange(size)[:, None]
    mirror = (2 * lengths - place) % size  # of each state, in an example
    # Where a skip leads to backwards, one begins forwards.
    skips = np.where(place < 2, False, np.roll(jumps, -2, 0)[mirror, rows])
    beside = partial(np.concatenate, axis=-1)
    both = _walk(
        beside([scores, _turned(scores, frames, lengths)]),
        beside([np.broadcast_to(place < 2, ends.shape), ends[mirror, rows]]),
        beside([jumps, skips]),
        beside([stays, stays[mirror, rows]]),
    )
    there, back = both[..., :batch], _turned(both[..., batch:], frames, lengths)
    total = _at_ends(there, frames, ends)
    is_possible = np.isfinite(total)
    back += there - scores
    back -= np.where(is_possible, total, 0.0)
    weight = np.exp(np.where(is_possible & (back > LEAST), back, -np.inf))
    at = (np.arange(count)[:, None, None] * batch + rows) * log_p.shape[2] + classes
    out = np.bincount(at.ravel(), weight.ravel(), log_p.size)
    return out.reshape(log_p.shape).astype(log_p.dtype)


def _turned(x: Array, frames: Array, lengths: Array) -> Array:
    """The times and states that an example has in reverse; x is [time, state, batch]."""
    turned = np.full_like(x, NEVER)
    for k, (times, states) in enumerate(zip(frames, 2 * lengths + 1, strict=True)):
        turned[:times, :states, k] = x[:times, :states, k][::-1, ::-1]
    return turned


# ---- the same with our operations, for higher orders ------------------------------------------


STATES: Row = op(
    "CTCStates",
    lambda _, labels, lengths, *, blank, merge=True: list(_states(labels, lengths, blank, merge)),
    batch=merged("CTCStates", (0, 0), (0, 0, 0, 0)),
    many=True,
)


def _in_operations(
    log_p: Tensor, labels: Tensor, lengths: Tensor, frames: Tensor, attrs: Attrs
) -> Tensor:
    classes, jumps, ends, stays = apply(STATES, (labels, lengths), attrs)
    count, size = dims(log_p)[0], dims(classes)
    scores = gather(log_p, broadcast_to(classes, (count, *size)), axis=2, batch_dims=2)
    start = broadcast_to(convert(np.arange(size[1]) < 2), size)
    last = expand_dims(frames, 1)
    reached = where(start, scores[0], NEVER)
    result = where(equal(last, 1), reached, NEVER)
    for t in range(1, count):
        one = pad(reached[:, :-1], [[0, 0], [1, 0]], constant_values=NEVER)
        jumped = where(jumps[:, 2:], reached[:, :-2], NEVER)
        two = pad(jumped, [[0, 0], [2, 0]], constant_values=NEVER)
        stayed = where(stays, reached, NEVER)
        reached = reduce_logsumexp(stack([stayed, one, two]), 0) + scores[t]
        result = where(equal(last, t + 1), reached, result)
    return -reduce_logsumexp(where(ends, result, NEVER), 1)


def _occupied_rule(
    g: Tensor,
    y: Tensor | None,
    log_p: Tensor,
    labels: Tensor,
    lengths: Tensor,
    frames: Tensor,
    **attrs: Any,
) -> Tensor:
    """The derivative of minus the gradient of the loss, along g."""

    def slope(p: Tensor) -> list[Any]:
        loss = lambda q: [_in_operations(q, labels, lengths, frames, attrs)]  # noqa: E731
        ones = zeros_like(p[0, :, 0]) + 1.0
        return [-gradient for gradient in pull_through(loss, [p], [ones])]

    result: Tensor = pull_through(slope, [log_p], [g])[0]
    return result


def _examples(log_p: Any, *others: Any) -> Any:
    """The number of examples, which any of the inputs may know."""
    known = (size for xs in (log_p[1:2], *others) for size in xs[:1] if isinstance(size, int))
    return next(known, log_p[1])


CTC_LOSS: Row = op(
    "CTCLoss",
    _loss_kernel,
    vjp=(
        lambda g, y, log_p, labels, lengths, frames, **attrs: (
            -apply(CTC_OCCUPIED, (log_p, labels, lengths, frames), attrs)
            * g[:, None]  # one number per example
        ),
        None,
        None,
        None,
    ),
    shape=lambda *shapes, **_: (_examples(*shapes),),
    batch=merged("CTCLoss", (1, 0, 0, 0)),
    saves="x",
)
CTC_OCCUPIED: Row = op(
    "CTCLossOccupancy",
    _occupied_kernel,
    vjp=(_occupied_rule, None, None, None),
    shape=lambda log_p, *others, **_: log_p,
    batch=merged("CTCLossOccupancy", (1, 0, 0, 0), 1),
    saves="x",
)

# ---- public functions -------------------------------------------------------------------------


@deferrable
def ctc_loss(
    labels: TensorLike,
    logits: TensorLike,
    label_length: TensorLike | None,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: IntLike | None = None,
    name: str | None = None,
) -> Tensor:
    """CTC loss: the negative log-likelihood of labels, over all their alignments with the logits.

    >>> logits = tf.zeros([2, 1, 2])  # two steps, one example; class 0 is the blank
    >>> tf.nn.ctc_loss([[1]], logits, [1], [2], blank_index=0).numpy().round(4)
    array([0.2877], dtype=float32)
    """
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError(
                "Argument `blank_index` must be provided when labels is a SparseTensor."
            )
        labels, label_length = _as_rows(labels)
    scores = convert(logits)
    if not logits_time_major:
        scores = transpose(scores, (1, 0, 2))
    if len(dims(scores)) != 3:
        raise InvalidArgumentError(
            f"logits must have the axes [time, batch, class], got {shape_text(dims(scores))} [Op:CTCLoss]"
        )
    blank = 0 if blank_index is None else int(static(blank_index))
    blank = blank + dims(scores)[2] if blank < 0 else blank
    numbers = [cast(convert(part), dtypes.int64) for part in (labels, label_length, logit_length)]
    numbers[2] = minimum(numbers[2], cast(dims(scores)[0], dtypes.int64))
    result: Tensor = apply(CTC_LOSS, (log_softmax(scores), *numbers), {"blank": blank})
    return result


def _as_rows(labels: SparseTensor) -> tuple[Tensor, Tensor]:
    """Sparse labels as rows padded with zeros, and the number of labels in each row."""
    rows, batch = labels.indices[:, 0], labels.dims[0]
    lengths = unsorted_segment_sum(ones_like(cast(rows, dtypes.int32)), rows, batch)
    return to_dense(labels), lengths


@deferrable
def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The unique labels of each row, padded with zeros, and the index of each label among them.

    >>> unique, places = tf.nn.ctc_unique_labels([[3, 4, 4, 3]])
    >>> unique.numpy().tolist(), places.numpy().tolist()
    ([[3, 4, 0, 0]], [[0, 1, 1, 0]])
    """
    unique, places = apply(UNIQUE_LABELS, (convert(labels),))
    return unique, places


def _unique_labels_kernel(_: Namespace, labels: Array) -> list[Array]:
    if labels.ndim != 2:
        raise InvalidArgumentError(
            f"labels must be a matrix, got {shape_text(labels.shape)} [Op:CTCUniqueLabels]"
        )
    unique, places = np.zeros(labels.shape, np.int64), np.zeros(labels.shape, np.int32)
    for row, found, place in zip(labels, unique, places, strict=True):
        known: dict[int, int] = {}
        for i, label in enumerate(row.tolist()):
            place[i] = known.setdefault(label, len(known))
        found[: len(known)] = list(known)
    return [unique, places]


UNIQUE_LABELS: Row = op("CTCUniqueLabels", _unique_labels_kernel, many=True)


@deferrable
def collapse_repeated(
    labels: TensorLike, seq_length: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Merge runs of equal labels, pad with zeros; also return the number of remaining labels.

    >>> labels, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1]], [5])
    >>> labels.numpy().tolist(), lengths.numpy().tolist()
    ([[1, 2, 1]], [3])
    """
    shorter, lengths = apply(COLLAPSE, (convert(labels), convert(seq_length)))
    return shorter, lengths


def _collapse_kernel(_: Namespace, labels: Array, lengths: Array) -> list[Array]:
    inside = np.arange(labels.shape[1]) < lengths[:, None]
    first = np.ones(labels.shape, bool)
    first[:, 1:] = labels[:, 1:] != labels[:, :-1]
    kept = first & inside
    left = kept.sum(1).astype(lengths.dtype)
    out = np.zeros((len(labels), int(left.max(initial=0))), labels.dtype)
    for row, chosen, found in zip(labels, kept, out, strict=True):
        found[: chosen.sum()] = row[chosen]
    return [out, left]


COLLAPSE: Row = op("CollapseRepeated", _collapse_kernel, many=True, by_value=True)
