"""Bounding boxes drawn into images, which has no gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.math.elementwise import cast
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

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
