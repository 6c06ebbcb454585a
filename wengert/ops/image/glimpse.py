"""extract_glimpse: windows of images around points, filled with noise outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.gathering import gather_nd
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import as_shape, broadcast_to, expand_dims, reshape
from wengert.ops.image.resize import as_floats
from wengert.ops.math.arithmetic import clip_by_value
from wengert.ops.math.comparison import greater_equal, less, logical_and, where
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.random.stateful import normal, uniform
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import TensorLike


def _starts(offsets: Tensor, have: Dims, size: Dims, centered: bool, normalized: bool) -> Tensor:
    """The upper left corners of the windows, in integer pixels."""
    whole, window = (np.array(s, np.float32) for s in (have, size))
    if normalized:
        offsets = offsets * convert(whole)
        if centered:
            offsets = offsets / 2.0 + convert((whole - window) / np.float32(2))
    elif centered:
        offsets = offsets + convert(whole / np.float32(2))
    return cast(offsets, dtypes.int32)


def _noise(kind: str, x: Tensor) -> Tensor:
    if kind == "zero":
        return zeros_like(x)
    if kind == "uniform":
        return uniform(dims(x), dtype=x.dtype)
    if kind == "gaussian":
        return normal(dims(x), dtype=x.dtype)
    raise InvalidArgumentError(
        f"noise must be 'uniform', 'gaussian' or 'zero', not '{kind}' [Op:ExtractGlimpseV2]"
    )


@deferrable
def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """A window of each image around a point (y, x), whose coordinates run from -1 to 1.

    Without `centered` they run from 0 to 1, and give the upper left corner; without `normalized`
    they are in pixels. Outside of the image there is noise. The gradient flows to the images.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.extract_glimpse(image, [1, 1], [[0.0, 0.0]]).numpy().ravel().tolist()
    [4.0]
    """
    x, at, window = as_floats(convert(input)), convert(offsets), as_shape(size)
    shape = dims(x)
    if len(shape) != 4:
        raise InvalidArgumentError(
            f"input must be 4-dimensional (batch_size, height, width, depth), not {shape_text(shape)} "
            "[Op:ExtractGlimpseV2]"
        )
    if dims(at) != (shape[0], 2):
        raise InvalidArgumentError(
            f"offset should be of shape [{shape[0]},2], not {shape_text(dims(at))} [Op:ExtractGlimpseV2]"
        )
    starts = _starts(cast(at, dtypes.float32), shape[1:3], window, bool(centered), bool(normalized))
    return _windows(x, starts, window, noise)


def _windows(x: Tensor, starts: Tensor, window: Dims, noise: str) -> Tensor:
    count, *have, _ = dims(x)
    places, inside = [], []
    for axis in (0, 1):
        line = expand_dims(starts[:, axis], 1) + range_(window[axis])
        known = logical_and(greater_equal(line, 0), less(line, have[axis]))
        spread = (count, window[0], 1) if axis == 0 else (count, 1, window[1])
        places.append(broadcast_to(reshape(clip_by_value(line, 0, have[axis] - 1), spread),
                                   (count, *window)))  # fmt: skip
        inside.append(reshape(known, (*spread, 1)))
    seen = gather_nd(x, stack(places, -1), 1)
    return where(logical_and(inside[0], inside[1]), seen, _noise(noise, seen))
