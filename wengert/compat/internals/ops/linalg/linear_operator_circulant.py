"""tensorflow.python.ops.linalg.linear_operator_circulant: transforms by depth, and a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.compat.internals.ops.linalg.linear_operator_util import convert_nonref_to_tensor
from wengert.ops.arrays.shaping import as_shape
from wengert.ops.math.complex import complex as from_parts
from wengert.ops.math.elementwise import exp, zeros_like
from wengert.ops.signal.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from wengert.values.convert import convert

_FFT_OP = {1: fft, 2: fft2d, 3: fft3d}
_IFFT_OP = {1: ifft, 2: ifft2d, 3: ifft3d}


def _to_complex(x: Any) -> Any:
    """The complex tensor of a real one."""
    x = convert(x)
    return x if x.dtype.is_complex else from_parts(x, zeros_like(x))


def exponential_power_convolution_kernel(
    grid_shape: Any,
    length_scale: Any,
    power: Any = None,
    divisor: Any = None,
    zero_inflation: Any = None,
) -> Any:
    """A kernel on a torus that falls with the distance from its first element.

    Along each axis distances are in units of the axis, the shorter way round; the kernel is
    exp(-sum((distance / length_scale)**power) / divisor), and zero inflation takes a part of
    all elements but the first.
    """
    scale = convert_nonref_to_tensor(length_scale)
    kind = scale.dtype
    power = convert(2.0, kind) if power is None else convert(power, kind)
    divisor = power if divisor is None else convert(divisor, kind)
    shape = as_shape(grid_shape)
    total = sum(
        (_distances(shape, axis, kind) / scale[axis]) ** power for axis in range(len(shape))
    )
    kernel = exp(-total / divisor)
    if zero_inflation is None:
        return kernel
    first = np.zeros(shape)
    first[(0,) * len(shape)] = 1.0
    kept = 1.0 - convert(zero_inflation, kind)
    return kernel * (convert(first, kind) + convert(1.0 - first, kind) * kept)


def _distances(shape: Any, axis: int, kind: Any) -> Any:
    size = shape[axis]
    steps = np.minimum(np.arange(size), size - np.arange(size)) / max(size - 1, 1)
    return convert(steps.reshape([-1] + [1] * (len(shape) - axis - 1)), kind)
