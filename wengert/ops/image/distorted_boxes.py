"""Random crops that contain enough of a labelled object, as TensorFlow draws them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import nameable
from wengert.ops.random.philox import Philox, scrambled_state
from wengert.ops.random.samplers import Draws
from wengert.ops.random.seeds import Seeds, Stream, seeds_of, stream_by_seeds
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import Array, IntLike, Namespace, TensorLike

_ASPECTS: Final = (0.75, 1.33)  # width by height
_AREAS: Final = (0.05, 1.0)  # shares of the image
_ATTEMPTS: Final = 100
_SMALLEST: Final = 1.0  # areas below a pixel count for nothing


class Box(NamedTuple):
    """A rectangle of pixels."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self) -> float:
        """The number of pixels."""
        return float((self.right - self.left) * (self.bottom - self.top))

    def shared(self, other: Box) -> float:
        """The number of pixels that both have."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return float(max(width, 0) * max(height, 0))


def _height_and_width(
    width: int, height: int, areas: Sequence[float], aspect: np.float32, draws: Draws
) -> tuple[int, int] | None:
    """The sizes of a crop of this aspect; None if there is none whose area is right."""
    least, most = (np.float32(a) * np.float32(width) * np.float32(height) for a in areas)
    low, high = (int(np.rint(np.sqrt(area / aspect))) for area in (least, most))
    if np.rint(np.float32(high) * aspect) > width:
        high = int((width + 0.5 - 1e-7) / float(aspect))
    high = min(high, height)
    low = min(low, high)
    rows = low + (draws.below(high - low + 1) if low < high else 0)
    columns = int(np.rint(np.float32(rows) * aspect))
    for wrong, step in ((columns * rows < least, 1), (columns * rows > most, -1)):
        if wrong:  # by rounding alone
            rows += step
            columns = int(np.rint(np.float32(rows) * aspect))
    fits = least <= rows * columns <= most and 0 < columns <= width and 0 < rows <= height
    return (rows, columns) if fits else None


def _crop(
    width: int, height: int, areas: Sequence[float], aspect: np.float32, draws: Draws
) -> Box | None:
    if areas[1] <= 0 or aspect <= 0 or areas[0] > areas[1] or min(width, height) <= 0:
        return None
    sizes = _height_and_width(width, height, areas, aspect, draws)
    if sizes is None:
        return None
    rows, columns = sizes
    top = draws.below(height - rows) if rows < height else 0
    left = draws.below(width - columns) if columns < width else 0
    return Box(left, top, left + columns, top + rows)


def _covers(crop: Box, objects: Sequence[Box], least: float) -> bool:
    """Whether a crop has enough of one of the objects."""
    if crop.area < _SMALLEST:
        return False
    return any(
        np.float32(crop.shared(one) / one.area) >= np.float32(least)
        for one in objects
        if one.area >= _SMALLEST
    )


def _drawn(state: Philox, size: Array, boxes: Array, covered: Array, attrs: Attrs) -> list[Any]:
    """Where the crop begins, its size, and the crop as a box of shares of the image."""
    _check(size, boxes, float(covered), attrs)
    height, width = (int(n) for n in size[:2])
    whole, draws = Box(0, 0, width, height), Draws(state)
    objects = [_pixels(box, width, height) for box in boxes.reshape(-1, 4)] or [whole]
    low, high = (np.float32(a) for a in attrs["aspects"])
    found = whole
    for _ in range(attrs["attempts"]):
        aspect = np.float32(draws.single()) * (high - low) + low
        crop = _crop(width, height, attrs["areas"], aspect, draws)
        if crop is not None and _covers(crop, objects, float(covered)):
            found = crop
            break
    ends = np.array([found.top, found.left, found.bottom, found.right], np.float32)
    shares = ends / np.array([height, width, height, width], np.float32)
    return [
        np.array([found.top, found.left, 0], size.dtype),
        np.array([found.bottom - found.top, found.right - found.left, -1], size.dtype),
        shares.reshape(1, 1, 4),
    ]


def _pixels(box: Array, width: int, height: int) -> Box:
    top, left, bottom, right = (int(x) for x in box * np.float32([height, width, height, width]))
    return Box(left, top, right, bottom)


def _check(size: Array, boxes: Array, covered: float, attrs: Attrs) -> None:
    outside = boxes[(boxes < 0) | (boxes > 1)] if boxes.size else boxes
    nothing = not boxes.size and not attrs["whole"]
    complaints = [
        (size.ndim != 1, f"image_size must be 1-dimensional{shape_text(size.shape)}"),
        (size.shape != (3,), f"image_size must contain 3 elements{shape_text(size.shape)}"),
        (
            boxes.ndim != 3,
            "input boxes must be 3-dimensional [batch, num_boxes, coords]: "
            f"{shape_text(boxes.shape)}",
        ),
        (
            boxes.shape[-1:] != (4,),
            f"bounding boxes must have shape [4] or [*, 4], got {shape_text(boxes.shape)}",
        ),
        (covered < 0, f"Min object covered must be non-negative: {covered:g}"),
        (
            nothing,
            "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes "
            "if you wish to not provide any bounding boxes.",
        ),
        (
            outside.size,
            f"All bounding box coordinates must be in [0.0, 1.0]: {outside.flat[0] if outside.size else 0:g}",
        ),
    ]
    for wrong, message in complaints:
        if wrong:
            raise InvalidArgumentError(f"{message} [Op:{attrs['who']}]")


def checked_attrs(
    who: str,
    aspects: Sequence[float] | None,
    areas: Sequence[float] | None,
    attempts: int | None,
    whole: bool | None,
) -> dict[str, Any]:
    """The attributes of the operation."""
    shown = {"aspect": aspects or _ASPECTS, "area": areas or _AREAS}
    for name, values in shown.items():
        if len(values) != 2:
            raise InvalidArgumentError(
                f"{name.title()} range field must specify 2 dimensions [Op:{who}]"
            )
        if min(values) <= 0:
            raise InvalidArgumentError(
                f"{name.title()} range must be positive: [{values[0]:g}, {values[1]:g}] [Op:{who}]"
            )
    if max(shown["area"]) > 1:
        low, high = shown["area"]
        raise InvalidArgumentError(
            f"Area range must be less then or equal to 1.0: [{low:g}, {high:g}] [Op:{who}]"
        )
    count = _ATTEMPTS if attempts is None else int(attempts)
    if count <= 0:
        raise InvalidArgumentError(f"Max attempts must be non-negative: {count} [Op:{who}]")
    return {
        "who": who,
        "aspects": tuple(float(a) for a in shown["aspect"]),
        "areas": tuple(float(a) for a in shown["area"]),
        "attempts": count,
        "whole": bool(whole),
    }


def _forms(xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    size = next(x for x in xs if x._array.dtype.kind in "iu")._array
    return [((3,), size.dtype), ((3,), size.dtype), ((1, 1, 4), np.dtype(np.float32))]


def _stateful(_: Namespace, stream: Stream, *xs: Array, **attrs: Any) -> list[Any]:
    size, boxes, covered = xs
    return _drawn(stream.reserve(attrs["attempts"]), size, boxes, covered, attrs)


def _stateless(_: Namespace, *xs: Array, **attrs: Any) -> list[Any]:
    size, boxes, covered, seed = xs
    return _drawn(scrambled_state(*(int(n) for n in seed)), size, boxes, covered, attrs)


STATEFUL: Row = op(
    "SampleDistortedBoundingBoxV2", _stateful, many=True, stateful=True, forms=_forms
)
STATELESS: Row = op("StatelessSampleDistortedBoundingBox", _stateless, many=True, forms=_forms)


class DistortedBox(NamedTuple):
    """Where a crop begins, its size, and its box: arguments of tf.slice and tf.image.draw_bounding_boxes."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


def inputs_of(image_size: TensorLike, boxes: TensorLike, covered: TensorLike) -> list[Tensor]:
    """The inputs of the operation."""
    return [convert(image_size), convert(boxes, dtypes.float32), convert(covered, dtypes.float32)]


@nameable
def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: IntLike | None = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBox:
    """A random crop with enough of one of the boxes: its beginning and size for tf.slice, and its box.

    >>> boxes = [[[0.2, 0.2, 0.8, 0.8]]]
    >>> begin, size, box = tf.image.sample_distorted_bounding_box([100, 120, 3], boxes, seed=1)
    >>> tf.slice(tf.zeros([100, 120, 3]), begin, size).shape.rank, box.shape
    (3, TensorShape([1, 1, 4]))
    """
    attrs = checked_attrs(
        STATEFUL.name, aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes
    )
    given = inputs_of(image_size, bounding_boxes, min_object_covered)
    pair = seeds_of(seed) if seed else (None, None)
    return box_by_seeds(pair, given, attrs)


def box_by_seeds(pair: Seeds, given: Sequence[Tensor], attrs: dict[str, Any]) -> DistortedBox:
    """A box drawn by the two seeds of an operation."""
    stream = stream_by_seeds(pair, (STATEFUL.name, *attrs.items()))
    return DistortedBox(*apply(STATEFUL, (stream, *given), attrs))


@nameable
def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBox:
    """The same as a function of a seed of two numbers.

    >>> boxes = [[[0.2, 0.2, 0.8, 0.8]]]
    >>> found = tf.image.stateless_sample_distorted_bounding_box([100, 120, 3], boxes, seed=(2, 2))
    >>> found.begin.numpy().tolist(), found.size.numpy().tolist()
    ([7, 27, 0], [61, 80, -1])
    """
    attrs = checked_attrs(
        STATELESS.name, aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes
    )
    given = inputs_of(image_size, bounding_boxes, min_object_covered)
    return DistortedBox(*apply(STATELESS, (*given, convert(seed)), attrs))
