"""scipy.ndimage: filters along the axes of images, and values between their elements."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.numpy import pairs
from wengert.api.numpy.promotion import as_tensor, in_floats, promoted_floats
from wengert.api.numpy.shapes import flip, moveaxis
from wengert.ops.arrays.gathering import gather, gather_nd
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import reshape
from wengert.ops.arrays.slicing import pad
from wengert.ops.math.comparison import logical_and, where
from wengert.ops.math.elementwise import cast, exp, floor, ones_like, zeros_like
from wengert.ops.nn.conv.dilated import convolution
from wengert.ops.reductions.reductions import reduce_sum
from wengert.scipy.arguments import as_in_scipy, no_such
from wengert.values.sizes import certainly
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.tensor import Tensor

# ---- what lies around an image ------------------------------------------------------------------

_OF_GRIDS: Final = {"grid-mirror": "reflect", "grid-wrap": "wrap", "grid-constant": "constant"}
_MODES: Final = ("reflect", "mirror", "nearest", "wrap", "constant")


def _place(i: Any, size: int, mode: str) -> Any:
    """Which element stands at a place that may lie outside: of numbers, or of tensors of whole numbers."""
    if mode == "nearest":
        return pairs.minimum(pairs.maximum(i, 0), size - 1)
    if mode == "wrap":
        return pairs.mod(i, size)
    if mode == "mirror":
        period = max(2 * size - 2, 1)
        i = pairs.mod(i, period)
        return pairs.minimum(i, period - i) if size > 1 else i
    i = pairs.mod(i, 2 * size)
    return pairs.minimum(i, 2 * size - 1 - i)


def _checked(mode: str) -> str:
    mode = _OF_GRIDS.get(mode, mode)
    if mode not in _MODES:
        raise RuntimeError("boundary mode not supported")
    return mode


def _around(x: Tensor, axis: int, before: int, after: int, mode: str, cval: float) -> Tensor:
    """The image with so many elements more at both ends of an axis."""
    if mode == "constant":
        paddings = [(before, after) if i == axis else (0, 0) for i in range(len(dims(x)))]
        return pad(x, paddings, constant_values=cval)
    size = dims(x)[axis]
    places = _place(as_tensor(np.arange(-before, size + after)), size, mode)
    return gather(x, places, axis=axis)


# ---- filters ------------------------------------------------------------------------------------


def _for_each(value: Any, count: int) -> list[Any]:
    """One for each axis: that of a list, or the same for all."""
    if isinstance(value, (list, tuple, np.ndarray)):
        if len(value) != count:
            raise RuntimeError("sequence argument must have length equal to input rank")
        return list(value)
    return [value] * count


@as_in_scipy
def correlate(
    input: Numeric,
    weights: Numeric,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """The sums of the elements around each, times weights; `mode` says what lies around the image.

    >>> from wengert.scipy.ndimage import correlate
    >>> correlate([1.0, 2.0, 3.0], [1.0, 0.0, -1.0]).numpy().tolist()
    [-1.0, -2.0, -1.0]
    """
    x, w = promoted_floats(input, weights)
    rank = len(dims(x))
    if len(dims(w)) != rank:
        raise ValueError("filter weights array has incorrect shape.")
    if rank > 3:
        raise NotImplementedError("Images have up to three axes here.")
    for axis, shift in enumerate(_for_each(origin, rank)):
        size = dims(w)[axis]
        before = size // 2 + shift
        if not 0 <= before < size:
            raise ValueError("invalid origin")
        x = _around(x, axis, before, size - 1 - before, _checked(mode), cval)
    return convolution(x[None, ..., None], w[..., None, None], padding="VALID")[0, ..., 0]


@as_in_scipy
def convolve(
    input: Numeric,
    weights: Numeric,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """The same with the weights turned around."""
    w = as_tensor(weights)
    given = _for_each(origin, len(dims(w)))
    turned = [-o - (int(n) % 2 == 0) for o, n in zip(given, dims(w), strict=True)]
    return correlate(input, flip(w), mode, cval, turned)  # type: ignore[no-any-return]


@as_in_scipy
def correlate1d(
    input: Numeric,
    weights: Numeric,
    axis: int = -1,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Tensor:
    """The sums of the elements around each along one axis, times weights."""
    x, w = promoted_floats(input, weights)
    moved = moveaxis(x, axis, -1)
    rows = reshape(moved, (-1, dims(moved)[-1]))
    found = correlate(rows, w[None], mode, cval, [0, origin])
    return moveaxis(reshape(found, dims(moved)), -1, axis)


@as_in_scipy
def convolve1d(
    input: Numeric,
    weights: Numeric,
    axis: int = -1,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Tensor:
    """The same with the weights turned around."""
    w = as_tensor(weights)
    turned = -origin - (int(dims(w)[0]) % 2 == 0)
    return correlate1d(input, flip(w), axis, mode, cval, turned)  # type: ignore[no-any-return]


def _gaussian(sigma: Tensor, order: int, radius: int) -> Tensor:
    """The weights of Gauss's curve, or of a derivative of it."""
    x = cast(np.arange(-radius, radius + 1), sigma.dtype)
    weights = exp(-0.5 * (x / sigma) ** 2)
    weights = weights / reduce_sum(weights)
    before, now = zeros_like(x), ones_like(x)  # Hermite's polynomials
    for n in range(order):
        before, now = now, x / sigma * now - float(n) * before
    return weights * now * (-1.0 / sigma) ** order


@as_in_scipy
def gaussian_filter1d(
    input: Numeric,
    sigma: Numeric,
    axis: int = -1,
    order: int = 0,
    mode: str = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> Tensor:
    """The image blurred along one axis, or its derivative. It has a derivative by `sigma`, too.

    In a function that is traced for a `sigma` without a value, `radius` says how far the weights reach.
    """
    if order < 0:
        raise ValueError("order must be non-negative")
    x, width = promoted_floats(input, sigma)
    reach = int(truncate * float(width) + 0.5) if radius is None else radius
    weights = flip(_gaussian(width, order, reach))
    return correlate1d(x, weights, axis, mode, cval)  # type: ignore[no-any-return]


@as_in_scipy
def gaussian_filter(
    input: Numeric,
    sigma: Any,
    order: int | Sequence[int] = 0,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
) -> Tensor:
    """The image blurred along all axes, or along these, or derivatives of it.

    >>> from wengert.scipy.ndimage import gaussian_filter
    >>> gaussian_filter([0.0, 0.0, 1.0, 0.0, 0.0], 0.5).numpy().round(3).tolist()
    [0.0, 0.106, 0.787, 0.106, 0.0]
    """
    x = in_floats(input)
    along = list(range(len(dims(x)))) if axes is None else list(axes)
    each = [_for_each(value, len(along)) for value in (sigma, order, mode, radius)]
    for axis, width, n, around, reach in zip(along, *each, strict=True):
        if isinstance(width, (int, float)) and width <= 1e-15:
            continue
        x = gaussian_filter1d(x, width, axis, n, around, cval, truncate, radius=reach)
    return x


@as_in_scipy
def uniform_filter1d(
    input: Numeric,
    size: int,
    axis: int = -1,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Tensor:
    """The means of the elements around each along one axis."""
    x = in_floats(input)
    weights = cast(np.full(size, 1.0 / size), x.dtype)
    return correlate1d(x, weights, axis, mode, cval, origin)  # type: ignore[no-any-return]


@as_in_scipy
def uniform_filter(
    input: Numeric,
    size: int | Sequence[int] = 3,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """The means of the elements around each."""
    x = in_floats(input)
    each = [_for_each(value, len(dims(x))) for value in (size, mode, origin)]
    for axis, (count, around, shift) in enumerate(zip(*each, strict=True)):
        if count > 1:
            x = uniform_filter1d(x, count, axis, around, cval, shift)
    return x


# ---- between the elements -----------------------------------------------------------------------

# How the elements beyond the ends are found here; those of a constant are replaced afterwards.
_BEYOND: Final = {
    "constant": "nearest",
    "grid-constant": "nearest",
    "grid-mirror": "reflect",
    "grid-wrap": "wrap",
    "wrap": "nearest",
}


@as_in_scipy
def map_coordinates(
    input: Numeric,
    coordinates: Any,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
) -> Tensor:
    """The values at places between the elements: of the nearest one (`order` 0), or of those around (1).

    >>> from wengert.scipy.ndimage import map_coordinates
    >>> map_coordinates([[1.0, 2.0], [3.0, 4.0]], [[0.5, 1.0], [0.5, 0.25]], order=1).numpy().tolist()
    [2.5, 3.25]
    """
    if order not in (0, 1):
        raise NotImplementedError(
            f"map_coordinates has order 0 and 1 here, not {order}: write order=1."
        )
    x, places = promoted_floats(input, coordinates)
    if certainly(dims(places)[0] != len(dims(x))):
        raise ValueError("invalid shape for coordinate array")
    lines = [places[i] for i in range(len(dims(x)))]
    if mode not in (*_MODES, *_OF_GRIDS):
        raise RuntimeError("boundary mode not supported")
    sizes = dims(x)
    taps = [_taps(at, n, order, mode) for at, n in zip(lines, sizes, strict=True)]
    total: Any = 0.0
    for corner in itertools.product(*taps):
        index = stack([cast(i, "int64") for i, _, _ in corner], -1)
        value = gather_nd(x, index)
        if mode in ("constant", "grid-constant"):
            inside = functools.reduce(logical_and, [is_there for _, _, is_there in corner])
            value = where(inside, value, cval)
        total = total + math.prod(share for _, share, _ in corner) * value
    return total  # type: ignore[no-any-return]


def _wrapped(at: Tensor, last: float) -> Tensor:
    """A place within an image that begins again at its last element, which place it keeps from either side."""
    up = at + last * (floor(-at / last) + 1.0)
    down = at - last * floor(at / last)
    return where(at < 0.0, up, where(at > last, down, at))


def _taps(at: Tensor, size: int, order: int, mode: str) -> list[tuple[Tensor, Tensor, Tensor]]:
    """The elements before and after a place: which, what share they have, and whether they are in the image."""
    last = size - 1
    if mode == "nearest":
        at = pairs.minimum(pairs.maximum(at, 0.0), float(last))
    elif mode == "wrap":  # the first and the last element are the same, then
        at = _wrapped(at, float(last)) if last else zeros_like(at)
    low = floor(at + 0.5) if order == 0 else floor(at)
    ends = [(low, ones_like(at))] if order == 0 else [(low, 1.0 + low - at), (low + 1.0, at - low)]
    found = []
    for i, share in ends:
        looked_at = (
            at if mode == "constant" else i
        )  # nothing is between an image and what is around it
        is_there = logical_and(looked_at >= 0.0, looked_at <= float(last))
        found.append((_place(i, size, _BEYOND.get(mode, mode)), share, is_there))
    return found


def __getattr__(name: str) -> Any:
    raise no_such("ndimage", name)
