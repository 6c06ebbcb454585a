"""tf.compat.v1.image: tf.image, with the functions and arguments of version 1."""

from __future__ import annotations

from typing import Any, Final

from wengert import image as _now
from wengert.compat.v1.functions.arguments import one_of as _one_of
from wengert.core.row import Row as _Row
from wengert.inference.public_functions import deferrable as _deferrable
from wengert.inference.stated_shapes import states as _states
from wengert.ops.arrays.shaping import as_shape as _as_shape
from wengert.ops.image import distorted_boxes as _boxes
from wengert.ops.image import resize as _resize
from wengert.ops.image.geometry import resize_to_fit as _fitted
from wengert.values.convert import convert as _convert
from wengert.values.shapes import Dims as _Dims
from wengert.values.tensor import Tensor
from wengert.values.tensor import dims as _dims


def __getattr__(name: str) -> Any:
    """A name that did not change between the versions."""
    return getattr(_now, name)


class ResizeMethod:
    """The numbers of the resize methods.

    >>> tf.compat.v1.image.ResizeMethod.BICUBIC
    2
    """

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_ROWS: Final[dict[Any, _Row]] = {
    0: _resize.BILINEAR,
    1: _resize.NEAREST,
    2: _resize.BICUBIC,
    3: _resize.AREA,
    "bilinear": _resize.BILINEAR,
    "nearest": _resize.NEAREST,
    "bicubic": _resize.BICUBIC,
    "area": _resize.AREA,
}


@_deferrable
def _direct(row: _Row, images: Any, size: Any, **how: bool) -> Tensor:
    """Resize a batch with the bare operation."""
    x = _convert(images)
    return _resize.resized(row, x, _as_shape(size), **{k: bool(v) for k, v in how.items()})


def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resize images by bilinear interpolation.

    >>> x = tf.constant([[[[0.0], [4.0]]]])
    >>> tf.compat.v1.image.resize_bilinear(x, [1, 4]).numpy().ravel().tolist()
    [0.0, 2.0, 4.0, 4.0]
    """
    how = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return _direct(_resize.BILINEAR, images, size, **how)


def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resize images by bicubic interpolation.

    >>> x = tf.constant([[[[0.0], [4.0]]]])
    >>> tf.compat.v1.image.resize_bicubic(x, [1, 4]).numpy().ravel().tolist()
    [0.0, 2.0, 4.0, 4.375]
    """
    how = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return _direct(_resize.BICUBIC, images, size, **how)


def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resize images by nearest-neighbour interpolation.

    >>> x = tf.constant([[[[0.0], [4.0]]]])
    >>> tf.compat.v1.image.resize_nearest_neighbor(x, [1, 4]).numpy().ravel().tolist()
    [0.0, 0.0, 4.0, 4.0]
    """
    how = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return _direct(_resize.NEAREST, images, size, **how)


def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """Resize images by averaging over the area that each pixel covers.

    >>> x = tf.constant([[[[0.0], [4.0], [6.0]]]])
    >>> print(tf.compat.v1.image.resize_area(x, [1, 2]).numpy().ravel().round(4))
    [1.3333 5.3333]
    """
    return _direct(_resize.AREA, images, size, align_corners=align_corners)


@_deferrable
@_states(_resize.stated_resize)
def resize(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resize images; those that have the size already are returned unchanged.

    >>> x = tf.constant([[[0.0], [4.0]]])
    >>> tf.compat.v1.image.resize(x, [1, 4]).numpy().ravel().tolist()
    [0.0, 2.0, 4.0, 4.0]
    """
    if method not in _ROWS:
        raise ValueError(f"Resize method is not implemented: {method}")
    row, aligned = _ROWS[method], bool(align_corners)
    how = {"align_corners": aligned}
    if row is not _resize.AREA:
        how["half_pixel_centers"] = False

    def change(x: Tensor, wanted: _Dims) -> Tensor:
        return x if _dims(x)[1:3] == wanted else _resize.resized(row, x, wanted, **how)

    return _resize.resize_with(images, size, preserve_aspect_ratio, change)


@_deferrable
def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """Resize the image, keeping its aspect ratio, and pad it with zeros to the target size.

    >>> f = tf.compat.v1.image.resize_image_with_pad
    >>> f(tf.constant([[[1.0], [1.0]]]), 2, 2).numpy().ravel().tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    return _fitted(
        image,
        target_height,
        target_width,
        lambda x, size: resize(x, size, method, align_corners=align_corners),
    )


@_deferrable
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """tf.image.crop_and_resize with the arguments of version 1.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> f = tf.compat.v1.image.crop_and_resize
    >>> f(image, [[0.0, 0.0, 1.0, 1.0]], box_ind=[0], crop_size=[1, 1]).numpy().ravel().tolist()
    [4.0]
    """
    which = _one_of("box_indices", box_indices, "box_ind", box_ind)
    return _now.crop_and_resize(image, boxes, which, crop_size, method, extrapolation_value)


@_deferrable
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """tf.image.extract_glimpse with the arguments of version 1.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> f = tf.compat.v1.image.extract_glimpse
    >>> f(image, [1, 1], [[0.0, 0.0]]).numpy().ravel().tolist()
    [4.0]
    """
    noise = "uniform" if uniform_noise else "gaussian"
    return _now.extract_glimpse(input, size, offsets, centered, normalized, noise)


@_deferrable
def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Tensor:
    """tf.image.draw_bounding_boxes with the arguments of version 1.

    >>> image, box = tf.zeros([1, 2, 2, 1]), [[[0.0, 0.0, 0.0, 1.0]]]
    >>> tf.compat.v1.image.draw_bounding_boxes(image, box).numpy().ravel().tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    return _now.draw_bounding_boxes(images, boxes, colors)


@_deferrable
def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """tf.image.extract_patches with the arguments of version 1.

    >>> image = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> ones = [1, 1, 1, 1]
    >>> f = tf.compat.v1.image.extract_image_patches
    >>> f(image, [1, 2, 2, 1], ones, ones, "VALID").numpy().ravel().tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    window = _one_of("sizes", sizes, "ksizes", ksizes)
    return _now.extract_patches(images, window, strides, rates, padding)


resize_images = resize
resize_image_with_crop_or_pad = _now.resize_with_crop_or_pad
transpose_image = _now.transpose


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any = None,
    seed2: Any = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> Any:
    """A random crop with enough of one of the boxes, by the two seeds of an operation.

    >>> boxes = [[[0.2, 0.2, 0.8, 0.8]]]
    >>> begin, size, box = tf.compat.v1.image.sample_distorted_bounding_box([9, 9, 3], boxes, 1, 2)
    >>> begin.shape, size.shape, box.shape
    (TensorShape([3]), TensorShape([3]), TensorShape([1, 1, 4]))
    """
    attrs = _boxes.checked_attrs(
        _boxes.STATEFUL.name,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )
    given = _boxes.inputs_of(image_size, bounding_boxes, min_object_covered)
    pair = (seed or 0, seed2 or 0) if seed or seed2 else (None, None)
    return _boxes.box_by_seeds(pair, given, attrs)
