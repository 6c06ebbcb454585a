"""Bounding boxes: non-maximum suppression, and drawing. Nothing here has a gradient.

Non-maximum suppression visits boxes by descending score, and keeps each unless it overlaps one that
was kept before.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable, nameable
from wengert.inference.shape_inference import form_of
from wengert.ops.arrays.creation import size
from wengert.ops.arrays.shaping import static
from wengert.ops.math.elementwise import cast
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.tensor import Tensor, dims

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
    scores: Array, overlap: Overlap, limit: int, most: float, least: float, sigma: float = 0.0
) -> tuple[list[int], list[float]]:
    """The indices of the boxes to keep, and their scores.

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
    places = _kept(scores, _by_area(boxes), limit, iou_threshold, score_threshold)[0]
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
    places, final = _kept(
        scores, _by_area(boxes), limit, iou_threshold, score_threshold, soft_nms_sigma
    )
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
    places = _kept(
        scores, lambda i, others: overlaps[i, others], limit, overlap_threshold, score_threshold
    )[0]
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
    outer = scores.shape[:-1]
    places, count = np.zeros((*outer, limit), np.int32), np.zeros(outer, np.int32)
    for at in np.ndindex(outer):
        found = _kept(scores[at], _by_area(boxes[at]), limit, iou_threshold, score_threshold)[0]
        places[at][: len(found)] = found
        count[at] = len(found)
    return places, count


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


@nameable
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


@nameable
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


@nameable
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


@nameable
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
    n, _, classes = scores.shape
    total = min(total, per_class * classes) if pad_per_class else total
    found = np.zeros((n, total, 4), boxes.dtype)
    best, which = (np.zeros((n, total), scores.dtype) for _ in range(2))
    count = np.zeros(n, np.int32)
    for k in range(n):
        everything = []
        for c in range(classes):
            own = boxes[k, :, c if boxes.shape[2] > 1 else 0]
            places, values = _kept(
                scores[k, :, c], _by_area(own), per_class, iou_threshold, score_threshold
            )
            everything += [(-v, c, i) for i, v in zip(places, values, strict=True)]
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


# ---- drawing ----------------------------------------------------------------------------------

COLOURS: Final = (
    (1, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0.5, 0, 0.5, 1), (0.5, 0.5, 0, 1),
    (0.5, 0, 0, 1), (0, 0, 0.5, 1), (0, 1, 1, 1), (1, 0, 1, 1),
)  # fmt: skip


def _draw_kernel(_: Namespace, images: Array, boxes: Array, colours: Array) -> Array:
    out = images.copy()
    for image, own in zip(out, boxes, strict=True):
        for k, box in enumerate(own):
            colour = colours[k % len(colours)][: image.shape[-1]]
            _draw(image, box, np.ones_like(colour) if image.shape[-1] == 1 else colour)
    return out


def _draw(image: Array, box: Array, colour: Array) -> None:
    """Draw the four sides, clipped to the image."""
    height, width = image.shape[:2]
    top, left, bottom, right = np.trunc(
        box * np.array([height - 1, width - 1] * 2, box.dtype)
    ).astype(int)
    if top > bottom or left > right or bottom < 0 or right < 0:
        return
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    for row in (top, bottom):
        if 0 <= row < height:
            image[row, columns] = colour
    for column in (left, right):
        if 0 <= column < width:
            image[rows, column] = colour


DRAW: Row = op("DrawBoundingBoxesV2", _draw_kernel, shape=lambda images, boxes, colours: images)


@deferrable
def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, colors: TensorLike | None, name: str | None = None
) -> Tensor:
    """Draw the outlines of boxes, given as y1, x1, y2, x2 from 0 to 1, onto images.

    The boxes of an image cycle through the colours; None means ten default colours.

    >>> image, box = tf.zeros([1, 3, 3, 1]), [[[0.0, 0.0, 1.0, 1.0]]]
    >>> tf.image.draw_bounding_boxes(image, box, [[1.0]]).numpy()[0, :, :, 0].tolist()
    [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
    """
    x, corners = convert(images), cast(convert(boxes), dtypes.float32)
    palette = convert(np.array(COLOURS, np.float32)) if colors is None else convert(colors)
    _check_drawing(dims(x), dims(corners), dims(palette))
    result: Tensor = apply(DRAW, (x, corners, cast(palette, x.dtype)))
    return result


def _check_drawing(images: Dims, boxes: Dims, colours: Dims) -> None:
    who = "[Op:DrawBoundingBoxesV2]"
    if len(images) != 4:
        raise InvalidArgumentError(
            f"The rank of the images should be 4: {shape_text(images)} {who}"
        )
    if len(boxes) != 3 or boxes[0] != images[0] or boxes[2] != 4:
        raise InvalidArgumentError(
            f"The size of boxes must be (batch, boxes, 4): {shape_text(boxes)} {who}"
        )
    if len(colours) != 2 or colours[1] < images[3]:
        raise InvalidArgumentError(
            f"colors must be 2-D matrix with a column for each channel: {shape_text(colours)} {who}"
        )
