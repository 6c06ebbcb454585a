"""Raw operations that are gradients of others: these, pulled back on a tape of their own."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.core.reverse import pull_through
from wengert.ops.arrays.creation import shape
from wengert.ops.image.crop import crop_and_resize
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.values.convert import convert
from wengert.values.dtypes import float32


def _raw(name: str) -> Any:
    return getattr(importlib.import_module("wengert.raw_ops"), name)


def _batch_norm(
    y_backprop: Any, x: Any, scale: Any, reserve_space_1: Any, reserve_space_2: Any, epsilon: float,
    data_format: str, is_training: bool, reserve_space_3: Any = None,
) -> list[Any]:  # fmt: skip
    """The gradients of a normalized batch in it, the scale and the offset; two results hold nothing."""
    scale = convert(scale)
    fixed = (np.zeros([0], np.float32),) * 2 if is_training else (reserve_space_1, reserve_space_2)

    def normalized(x: Any, scale: Any, offset: Any) -> list[Any]:
        name = "FusedBatchNormV3"
        return [_raw(name)(x=x, scale=scale, offset=offset, mean=fixed[0], variance=fixed[1],
                           epsilon=epsilon, data_format=data_format, is_training=is_training)[0]]  # fmt: skip

    given = [convert(x), scale, zeros_like(scale)]
    found = pull_through(normalized, given, [convert(y_backprop)])
    nothing = convert(np.zeros([0], np.float32))
    return [*found, nothing, nothing]


def _resized(name: str) -> Callable[..., Any]:
    def gradient(grads: Any, original_image: Any, **switches: bool) -> Any:
        """The gradient of a resized picture in the one before."""
        grads, image = convert(grads), convert(original_image)
        size = shape(grads)[1:3]

        def resized(image: Any) -> list[Any]:
            return [_raw(name)(images=image, size=size, **switches)]

        return pull_through(resized, [image], [grads])[0]

    return gradient


def _crops(grads: Any, image: Any, boxes: Any, box_ind: Any, method: str, wanted: int) -> Any:
    grads = convert(grads)
    size = shape(grads)[1:3]

    def cropped(image: Any, boxes: Any) -> list[Any]:
        return [crop_and_resize(image, boxes, box_ind, size, method)]

    given = [cast(convert(image), float32), convert(boxes)]
    return pull_through(cropped, given, [grads])[wanted]


def _crops_image(grads: Any, boxes: Any, box_ind: Any, image_size: Any, **given: Any) -> Any:
    blank = importlib.import_module("wengert").zeros(image_size, float32)
    return cast(_crops(grads, blank, boxes, box_ind, given["method"], 0), given["T"])


def _crops_boxes(grads: Any, image: Any, boxes: Any, box_ind: Any, method: str) -> Any:
    return _crops(grads, image, boxes, box_ind, method, 1)


WRITTEN: Final[dict[str, Callable[..., Any]]] = {
    "CropAndResizeGradBoxes": _crops_boxes,
    "CropAndResizeGradImage": _crops_image,
    "FusedBatchNormGrad": _batch_norm,
    "FusedBatchNormGradV2": _batch_norm,
    "FusedBatchNormGradV3": _batch_norm,
    "ResizeBicubicGrad": _resized("ResizeBicubic"),
    "ResizeBilinearGrad": _resized("ResizeBilinear"),
}
