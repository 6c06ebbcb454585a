"""crop_and_resize: boxes cut out of images and resized, differentiable in images and boxes.

A sample at a position (y, x) is a weighted sum of the four pixels around it: weights 1 - p and p
along each axis, where p is the fractional part of the position. The derivative along an axis has
the weights -1 and 1 there, and the second derivative is zero. So one row serves all orders: the
order of the derivative along each axis is an attribute, as it is of the row of its transpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError, OutOfRangeError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.batched import own_ranges, run_merged
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import as_shape
from wengert.ops.image.resize import as_floats
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.batch_rules import batch_all
from wengert.ops.support.scipy_lazy import scipy_sparse
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

Taps = tuple[list[Any], list[Any], Any]


def _shares(count: int) -> Array:
    """The relative position of each sample between the two sides of the box."""
    return np.linspace(0.0, 1.0, count) if count > 1 else np.array([0.5])


def _taps(boxes: Array, axis: int, count: int, size: int, method: str, order: int) -> Taps:
    """Along an axis (boxes, count): pixels and their weights, and which samples are inside."""
    share = _shares(count).astype(boxes.dtype)
    low, high = boxes[:, axis, None], boxes[:, axis + 2, None]
    at = (low * (1 - share) + high * share) * (size - 1)
    inside = (at >= 0) & (at <= size - 1)
    at = np.where(inside, at, 0)
    if method == "nearest":
        return [np.floor(at + 0.5).astype(np.intp)], [np.ones_like(at)], inside
    first, last = np.floor(at).astype(np.intp), np.ceil(at).astype(np.intp)
    part, one = at - first, np.ones_like(at)
    shares = {0: [1 - part, part], 1: [-one, one]}
    return [first, last], shares.get(order, [0 * one, 0 * one]), inside


def _sampling(
    boxes: Array, which: Array, shape: Dims, crop: Dims, method: str, order: Dims
) -> tuple[Any, Any]:
    """A sparse matrix from all pixels to all samples; and which samples are inside.

    Its transpose is the adjoint, five times as fast as a scatter-add of pixels.
    """
    n, h, w, _ = shape
    rows, tall, in_y = _taps(boxes, 0, crop[0], h, method, order[0])
    columns, wide, in_x = _taps(boxes, 1, crop[1], w, method, order[1])
    first = which[:, None, None].astype(np.intp) * h
    pixels, weights = [], []
    for r, p in zip(rows, tall, strict=True):
        for c, q in zip(columns, wide, strict=True):
            pixels.append((first + r[:, :, None]) * w + c[:, None, :])
            weights.append(p[:, :, None] * q[:, None, :])
    found = np.stack(pixels, axis=-1)
    count = len(boxes) * crop[0] * crop[1]
    ends = np.arange(count + 1) * found.shape[-1]
    matrix = scipy_sparse().csr_matrix(
        (np.stack(weights, axis=-1).ravel(), found.ravel(), ends), shape=(count, n * h * w)
    )
    return matrix, (in_y[:, :, None] & in_x[:, None, :])[..., None]


def _crop_kernel(
    xp: Namespace,
    image: Array,
    boxes: Array,
    which: Array,
    *,
    crop_size: Dims,
    method: str,
    extrapolation_value: float,
    order: Dims,
) -> Array:
    check_which(which, len(image))
    matrix, inside = _sampling(boxes, which, image.shape, crop_size, method, order)
    depth = image.shape[3]
    crops = (matrix @ image.reshape(-1, depth)).reshape(len(boxes), *crop_size, depth)
    beyond = extrapolation_value if order == (0, 0) else 0.0
    return xp.where(inside, crops, beyond).astype(image.dtype, copy=False)


def check_which(which: Array, count: int) -> None:
    """Raise unless all box indices are in [0, count)."""
    if which.size and (which.min() < 0 or which.max() >= count):
        raise OutOfRangeError(
            f"box_index has values outside [0, batch_size): they go from {which.min()} to "
            f"{which.max()}, and there are {count} images [Op:CropAndResize]"
        )


def _back_kernel(
    xp: Namespace, g: Array, boxes: Array, which: Array, *, shape: Dims, method: str, order: Dims
) -> Array:
    check_which(which, shape[0])
    matrix, inside = _sampling(boxes, which, shape, g.shape[1:3], method, order)
    rows = xp.where(inside, g, 0).reshape(-1, shape[3])
    return (matrix.T @ rows).reshape(shape).astype(g.dtype, copy=False)


def _crop_rule(
    g: Tensor, y: Tensor | None, image: Tensor, boxes: Tensor, which: Tensor, **how: Any
) -> Tensor:
    attrs = {"shape": dims(image), "method": how["method"], "order": how["order"]}
    result: Tensor = apply(CROP_GRAD_IMAGE, (g, boxes, which), attrs)
    return result


def _boxes_rule(
    g: Tensor, image: Tensor, boxes: Tensor, which: Tensor, crop: Dims, order: Dims
) -> Tensor:
    """The derivative along each axis, and from positions to the sides of boxes.

    For method "nearest" it is that of bilinear interpolation, as in TensorFlow.
    """
    sides = []
    for axis in (0, 1):
        more = (order[0] + 1, order[1]) if axis == 0 else (order[0], order[1] + 1)
        slope = _cropped(image, boxes, which, crop, "bilinear", 0.0, more)
        moved = reduce_sum(g * slope, (2 - axis, 3))
        share, reach = _shares(crop[axis]), dims(image)[1 + axis] - 1
        for part in (1 - share, share):
            weight = convert((part * reach).astype(g.dtype.numpy_dtype))
            sides.append(reduce_sum(moved * weight, 1))
    return stack([sides[0], sides[2], sides[1], sides[3]], 1)


def _batched_crop(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
    """Boxes of all examples, in the images of all, or in those that they share."""
    image, boxes, which = xs
    if batched[0]:
        which = own_ranges(batch_all(batched, size, xs)[2], dims(image)[1], size)
    own = (batched[0], batched[1], batched[0] or batched[2])
    axes = (0 if batched[0] else None, 0, 0)
    result: Tensor = run_merged(CROP, own, size, (image, boxes, which), attrs, axes)
    return result


def _batched_crop_grad(
    batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs
) -> Tensor:
    g, boxes, which = batch_all(batched, size, xs)
    count, *image = attrs["shape"]
    given = (g, boxes, own_ranges(which, count, size))
    wider = attrs | {"shape": (size * count, *image)}
    every = (True, True, True)
    result: Tensor = run_merged(CROP_GRAD_IMAGE, every, size, given, wider, axes=(0, 0, 0))
    return result


CROP: Row = op(
    "CropAndResize",
    _crop_kernel,
    vjp=(
        _crop_rule,
        lambda g, y, image, boxes, which, *, crop_size, method, extrapolation_value, order: (
            _boxes_rule(g, image, boxes, which, crop_size, order)
        ),
        None,
    ),
    shape=lambda image, boxes, which, *, crop_size, **_: (boxes[0], *crop_size, image[3]),
    batch=_batched_crop,
    saves="x",
)
CROP_GRAD_IMAGE: Row = op(
    "CropAndResizeGradImage",
    _back_kernel,
    vjp=(
        lambda h, y, g, boxes, which, *, shape, method, order: _cropped(
            h, boxes, which, dims(g)[1:3], method, 0.0, order
        ),
        lambda h, y, g, boxes, which, *, shape, method, order: _boxes_rule(
            g, h, boxes, which, dims(g)[1:3], order
        ),
        None,
    ),
    shape=lambda g, boxes, which, *, shape, **_: shape,
    batch=_batched_crop_grad,
    saves="x",
)


def _cropped(
    image: Tensor, boxes: Tensor, which: Tensor, crop: Dims, method: str, beyond: float, order: Dims
) -> Tensor:
    attrs = {
        "crop_size": crop,
        "method": method,
        "extrapolation_value": beyond,
        "order": order,
    }
    result: Tensor = apply(CROP, (image, boxes, which), attrs)
    return result


@deferrable
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: TensorLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Crop boxes from images, and resize them all to one height and width.

    A box is y1, x1, y2, x2, from 0 at the centre of the first pixel to 1 at that of the last;
    `box_indices` holds the index of each box's image. Samples outside of the image get
    `extrapolation_value`. Gradients flow to the image and to the boxes.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.crop_and_resize(image, [[0.0, 0.0, 0.5, 0.5]], [0], [2, 2]).numpy().ravel().tolist()
    [0.0, 1.0, 3.0, 4.0]
    """
    if np.ndim(crop_size) > 1 or getattr(crop_size, "shape", (1,)) == ():
        raise InvalidArgumentError(
            f"crop_size must be 1-D: {crop_size}: Shape must be rank 1 but is rank "
            f"{np.ndim(crop_size)} [Op:CropAndResize]"
        )
    x, crop = as_floats(convert(image)), as_shape(crop_size)
    corners = cast(convert(boxes), x.dtype)
    which = cast(convert(box_indices, dtypes.int32) if isinstance(box_indices, (list, tuple))
                 else convert(box_indices), dtypes.int32)  # fmt: skip
    _check(dims(x), dims(corners), dims(which), crop)
    if method not in ("bilinear", "nearest"):
        raise InvalidArgumentError(
            f"Value for attr 'method' of \"{method}\" is not in the list of allowed values: "
            '"bilinear", "nearest" [Op:CropAndResize]'
        )
    result: Tensor = _cropped(x, corners, which, crop, method, float(extrapolation_value), (0, 0))
    return result


def _check(image: Dims, boxes: Dims, which: Dims, crop: Dims) -> None:
    who = "[Op:CropAndResize]"
    if len(image) != 4:
        raise InvalidArgumentError(f"input image must be 4-D, not {shape_text(image)} {who}")
    if len(boxes) != 2 or boxes[1] != 4:
        raise InvalidArgumentError(
            f"boxes must be 2-D with 4 columns, not {shape_text(boxes)} {who}"
        )
    if which != boxes[:1]:
        raise InvalidArgumentError(
            f"box_index has incompatible shape {shape_text(which)}: there are {boxes[0]} boxes {who}"
        )
    if len(crop) != 2:
        raise InvalidArgumentError(f"crop_size must have two elements, got {list(crop)} {who}")
    if min(crop) < 1:
        raise InvalidArgumentError(f"crop dimensions must be positive, got {list(crop)} {who}")
