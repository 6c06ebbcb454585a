"""Non-maximum suppression of bounding boxes. Nothing here has a gradient.

Non-maximum suppression visits boxes by descending score, and keeps each unless it overlaps one that
was kept before.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable, nameable
from wengert.inference.shape_inference import form_of
from wengert.ops.arrays.creation import size
from wengert.ops.arrays.shaping import static
from wengert.ops.support.large_kernels import suppression_kernel
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.core.row import Attrs
    from wengert.values.typing import Array, IntLike, Namespace, TensorLike

Overlap = Callable[[int, list[int]], Any]


def _check(boxes: Array, scores: Array, who: str, batched: bool = False) -> None:
    have, per_box = boxes.shape, scores.shape
    if len(have) < 2 or not (batched or len(have) == 2):
        raise InvalidArgumentError(f"boxes must be 2-D: {shape_text(have)} [Op:{who}]")
    if who.endswith("Overlaps"):
        if have[0] != have[1]:
            raise InvalidArgumentError(f"overlaps must be square: {shape_text(have)} [Op:{who}]")
    elif have[-1] != 4:
        raise InvalidArgumentError(f"boxes must have 4 columns: {shape_text(have)} [Op:{who}]")
    if per_box != have[:-1]:
        raise InvalidArgumentError(
            f"scores has incompatible shape: {shape_text(per_box)} for boxes of {shape_text(have)} [Op:{who}]"
        )


# ---- non-maximum suppression ------------------------------------------------------------------


def _kept(
    boxes: Array, scores: Array, limit: int, most: float, least: float, sigma: float = 0.0
) -> list[tuple[Any, Any]]:
    """For each row of scores the indices of the boxes to keep, and their scores.

    The boxes are (sets, count, 4), with as many rows of scores to each set; or a matrix of overlaps.
    """
    found = suppression_kernel(boxes, scores, limit, most, least, sigma)
    if found is not None:
        return [(places[:n], final[:n]) for places, final, n in zip(*found, strict=True)]
    if boxes.ndim == 2:
        return [_kept_of((lambda i, others: boxes[i, others]), scores[0], limit, most, least)]
    each = len(scores) // len(boxes) if len(boxes) else 1
    return [
        _kept_of(_by_area(boxes[k // each]), row, limit, most, least, sigma)
        for k, row in enumerate(scores)
    ]


def _kept_of(
    overlap: Overlap, scores: Array, limit: int, most: float, least: float, sigma: float = 0.0
) -> tuple[list[int], list[float]]:
    """The same for one row.

    With a `sigma` (soft suppression) the score of a box decreases with its overlaps with boxes kept
    before, and it is queued again. Pairs that were compared are not compared again.
    """
    queue = [(-float(s), i, 0) for i, s in enumerate(scores) if s > least]
    heapq.heapify(queue)
    places: list[int] = []
    final: list[float] = []
    while queue and len(places) < limit:
        negative, i, seen = heapq.heappop(queue)
        shared = overlap(i, places[seen:])
        if sigma == 0 and np.any(shared > most):
            continue
        score = -negative
        if sigma > 0:
            score *= float(np.exp(-0.5 / sigma * np.square(shared)).prod())
        if score == -negative:
            places.append(i)
            final.append(score)
        elif score > least:
            heapq.heappush(queue, (-score, i, len(places)))
    return places, final


def _by_area(boxes: Array) -> Overlap:
    """The intersection over union of two boxes."""
    low = np.minimum(boxes[:, :2], boxes[:, 2:])
    high = np.maximum(boxes[:, :2], boxes[:, 2:])
    area = (high - low).prod(axis=1)

    def overlap(i: int, others: list[int]) -> Array:
        reach = np.minimum(high[i], high[others]) - np.maximum(low[i], low[others])
        both = np.maximum(reach, 0).prod(axis=1)
        together = area[i] + area[others] - both
        flat = (area[i] <= 0) | (area[others] <= 0)
        return np.where(flat, 0, both / np.where(flat, 1, together))

    return overlap


def _places_kernel(
    _: Namespace,
    boxes: Array,
    scores: Array,
    *,
    limit: int,
    iou_threshold: float,
    score_threshold: float,
) -> Array:
    _check(boxes, scores, "NonMaxSuppressionV3")
    ((places, _),) = _kept(boxes[None], scores[None], limit, iou_threshold, score_threshold)
    return np.array(places, np.int32)


def _scored_kernel(
    _: Namespace,
    boxes: Array,
    scores: Array,
    *,
    limit: int,
    iou_threshold: float,
    score_threshold: float,
    soft_nms_sigma: float,
) -> tuple[Array, Array]:
    _check(boxes, scores, "NonMaxSuppressionV5")
    thresholds = iou_threshold, score_threshold, soft_nms_sigma
    ((places, final),) = _kept(boxes[None], scores[None], limit, *thresholds)
    return np.array(places, np.int32), np.array(final, scores.dtype)


def _overlaps_kernel(
    _: Namespace,
    overlaps: Array,
    scores: Array,
    *,
    limit: int,
    overlap_threshold: float,
    score_threshold: float,
) -> Array:
    _check(overlaps, scores, "NonMaxSuppressionWithOverlaps")
    ((places, _),) = _kept(overlaps, scores[None], limit, overlap_threshold, score_threshold)
    return np.array(places, np.int32)


def _padded_kernel(
    _: Namespace,
    boxes: Array,
    scores: Array,
    *,
    limit: int,
    iou_threshold: float,
    score_threshold: float,
) -> tuple[Array, Array]:
    _check(boxes, scores, "NonMaxSuppressionV4", batched=True)
    *outer, size = scores.shape
    rows = math.prod(outer)
    places, count = np.zeros((rows, limit), np.int32), np.zeros(rows, np.int32)
    sets = boxes.reshape(rows, size, 4)
    kept = _kept(sets, scores.reshape(rows, size), limit, iou_threshold, score_threshold)
    for k, (found, _) in enumerate(kept):
        places[k, : len(found)] = found
        count[k] = len(found)
    return places.reshape(*outer, limit), count.reshape(outer)


def _padded_forms(xs: Sequence[Tensor], attrs: Attrs) -> list[Any]:
    shape, _ = form_of(xs[1])
    outer = None if shape is None else shape[:-1]
    kind = np.dtype(np.int32)
    return [(None if outer is None else (*outer, attrs["limit"]), kind), (outer, kind)]


# The number of boxes kept is known only at run time, so the forms of results are stated.
NMS: Row = op(
    "NonMaxSuppressionV3", _places_kernel, forms=lambda xs, attrs: [((None,), np.dtype(np.int32))]
)
NMS_SCORED: Row = op(
    "NonMaxSuppressionV5",
    _scored_kernel,
    many=True,
    forms=lambda xs, attrs: [((None,), np.dtype(np.int32)), ((None,), xs[1]._array.dtype)],
)
NMS_OVERLAPS: Row = op(
    "NonMaxSuppressionWithOverlaps",
    _overlaps_kernel,
    forms=lambda xs, attrs: [((None,), np.dtype(np.int32))],
)
NMS_PADDED: Row = op("NonMaxSuppressionV4", _padded_kernel, many=True, forms=_padded_forms)


def _thresholds(iou: float, score: float, row: Row) -> dict[str, float]:
    if not 0 <= float(iou) <= 1:
        raise InvalidArgumentError(f"iou_threshold must be in [0, 1], got {iou} [Op:{row.name}]")
    return {"iou_threshold": float(iou), "score_threshold": float(score)}


def _most(count: IntLike) -> int:
    """How many boxes may be chosen."""
    known = static(count)
    if known.ndim:
        raise InvalidArgumentError(
            f"max_output_size must be 0-D, got shape {shape_text(known.shape)} [Op:NonMaxSuppressionV3]"
        )
    return int(known)


@deferrable
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    iou_threshold: float = 0.5,
    score_threshold: float = -inf,
    name: str | None = None,
) -> Tensor:
    """The indices of the boxes to keep, the best first: of overlapping ones, only the best.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.7], 3).numpy().tolist()
    [1, 2]
    """
    pair, limit = [convert(boxes), convert(scores)], _most(max_output_size)
    attrs = {"limit": limit, **_thresholds(iou_threshold, score_threshold, NMS)}
    result: Tensor = apply(NMS, pair, attrs)
    return result


@deferrable
def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    iou_threshold: float = 0.5,
    score_threshold: float = -inf,
    soft_nms_sigma: float = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The indices and scores of the boxes to keep; a sigma lowers scores by overlaps (soft NMS).

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]]
    >>> places, scores = tf.image.non_max_suppression_with_scores(boxes, [0.5, 0.75], 2)
    >>> places.numpy().tolist(), scores.numpy().tolist()
    ([1], [0.75])
    """
    pair, limit = [convert(boxes), convert(scores)], _most(max_output_size)
    attrs = {
        "limit": limit,
        **_thresholds(iou_threshold, score_threshold, NMS_SCORED),
        "soft_nms_sigma": float(soft_nms_sigma),
    }
    return tuple(apply(NMS_SCORED, pair, attrs))


@deferrable
def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    overlap_threshold: float = 0.5,
    score_threshold: float = -inf,
    name: str | None = None,
) -> Tensor:
    """non_max_suppression with a matrix of the overlaps of all pairs.

    >>> overlaps = [[1.0, 0.8], [0.8, 1.0]]
    >>> tf.image.non_max_suppression_overlaps(overlaps, [0.5, 0.9], 2).numpy().tolist()
    [1]
    """
    pair, limit = [convert(overlaps), convert(scores)], _most(max_output_size)
    attrs = {
        "limit": limit,
        "overlap_threshold": float(overlap_threshold),
        "score_threshold": float(score_threshold),
    }
    result: Tensor = apply(NMS_OVERLAPS, pair, attrs)
    return result


@deferrable
def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    iou_threshold: float = 0.5,
    score_threshold: float = -inf,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """non_max_suppression padded with zeros to the maximum size, and the number of valid indices.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]]
    >>> f = tf.image.non_max_suppression_padded
    >>> [y.numpy().tolist() for y in f(boxes, [0.5, 0.9], 3, pad_to_max_output_size=True)]
    [[1, 0, 0], 1]
    """
    pair, limit = [convert(boxes), convert(scores)], _most(max_output_size)
    if not pad_to_max_output_size:
        if (pair[0].shape.rank or 2) > 2:
            raise ValueError(
                f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for "
                "batched input"
            )
        kept = non_max_suppression(pair[0], pair[1], limit, iou_threshold, score_threshold)
        return kept, size(kept)
    attrs = {"limit": limit, **_thresholds(iou_threshold, score_threshold, NMS_PADDED)}
    return tuple(apply(NMS_PADDED, pair, attrs))


# ---- several classes --------------------------------------------------------------------------


def _combined_kernel(
    _: Namespace,
    boxes: Array,
    scores: Array,
    *,
    per_class: int,
    total: int,
    iou_threshold: float,
    score_threshold: float,
    pad_per_class: bool,
    clip_boxes: bool,
) -> tuple[Array, Array, Array, Array]:
    if boxes.ndim != 4 or scores.ndim != 3 or boxes.shape[2] not in (1, scores.shape[2]):
        raise InvalidArgumentError(
            "boxes must be 4-D and scores 3-D, with one box or one for each class: "
            f"{shape_text(boxes.shape)} and {shape_text(scores.shape)} [Op:CombinedNonMaxSuppression]"
        )
    n, size, classes = scores.shape
    total = min(total, per_class * classes) if pad_per_class else total
    found = np.zeros((n, total, 4), boxes.dtype)
    best, which = (np.zeros((n, total), scores.dtype) for _ in range(2))
    count = np.zeros(n, np.int32)
    sets = boxes.transpose(0, 2, 1, 3).reshape(n * boxes.shape[2], size, 4)
    rows = scores.transpose(0, 2, 1).reshape(n * classes, size)
    kept = _kept(sets, rows, per_class, iou_threshold, score_threshold)
    for k in range(n):
        everything = [
            (-float(v), c, int(i))
            for c, own in enumerate(kept[k * classes : (k + 1) * classes])
            for i, v in zip(*own, strict=True)
        ]
        for j, (v, c, i) in enumerate(sorted(everything)[:total]):
            best[k, j], which[k, j] = -v, c
            found[k, j] = boxes[k, i, c if boxes.shape[2] > 1 else 0]
        count[k] = min(len(everything), total)
    return np.clip(found, 0, 1) if clip_boxes else found, best, which, count


def _combined_forms(xs: Sequence[Tensor], attrs: Attrs) -> list[Any]:
    shape, kind = form_of(xs[1])
    n, classes = (None, None) if shape is None else (shape[0], shape[2])
    total = attrs["total"]
    if attrs["pad_per_class"]:
        total = None if classes is None else min(total, attrs["per_class"] * classes)
    each = ((n, total), kind)
    return [((n, total, 4), xs[0]._array.dtype), each, each, ((n,), np.dtype(np.int32))]


COMBINED: Row = op("CombinedNonMaxSuppression", _combined_kernel, many=True, forms=_combined_forms)


@nameable
def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: IntLike,
    max_total_size: IntLike,
    iou_threshold: float = 0.5,
    score_threshold: float = -inf,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Non-maximum suppression per class, then the best boxes of all classes together.

    Returns boxes, scores, classes and the number of valid detections.

    >>> boxes = tf.constant([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 0.9]]]])
    >>> f = tf.image.combined_non_max_suppression
    >>> kept = f(boxes, [[[0.5], [0.75]]], 2, 2)
    >>> kept[1].numpy().tolist(), kept[3].numpy().tolist()
    ([[0.75, 0.0]], [1])
    """
    pair = [convert(boxes), convert(scores)]
    attrs = {
        "per_class": _most(max_output_size_per_class),
        "total": int(static(max_total_size)),
        "pad_per_class": bool(pad_per_class),
        **_thresholds(iou_threshold, score_threshold, COMBINED),
        "clip_boxes": bool(clip_boxes),
    }
    return tuple(apply(COMBINED, pair, attrs))
