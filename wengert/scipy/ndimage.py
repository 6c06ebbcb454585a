"""scipy.ndimage: filters along the axes of images, and values between their elements."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.numpy import pairs
from wengert.api.numpy.promotion import as_tensor, in_floats, named, promoted_floats
from wengert.api.numpy.shapes import flip, moveaxis
from wengert.ops.arrays.gathering import gather, gather_nd
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import reshape
from wengert.ops.arrays.slicing import pad
from wengert.ops.math.comparison import logical_and, where
from wengert.ops.math.complex import complex as as_complex
from wengert.ops.math.complex import conj, imag, real
from wengert.ops.math.elementwise import cast, exp, floor, is_finite, ones_like, zeros_like
from wengert.ops.nn.conv.dilated import convolution
from wengert.ops.reductions.reductions import reduce_sum
from wengert.scipy.arguments import as_in_scipy, no_such
from wengert.values.sizes import certainly
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.tensor import Tensor
    from wengert.values.typing import DTypeLike


class ShapeError(RuntimeError, ValueError):
    """Shapes that do not fit: SciPy says it as a RuntimeError; while sizes are guessed, others are tried then."""


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
    if not isinstance(mode, str):
        raise RuntimeError("A sequence of modes is not supported")
    mode = _OF_GRIDS.get(mode, mode)
    if mode not in _MODES:
        raise RuntimeError("boundary mode not supported")
    return mode


def _around(x: Tensor, axis: int, before: int, after: int, mode: str, cval: complex) -> Tensor:
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
            raise ShapeError("sequence argument must have length equal to input rank")
        return list(value)
    return [value] * count


def _along(axes: int | Sequence[int] | None, rank: int) -> list[int]:
    """The axes that are meant, which count from either end: all if none are named."""
    named = range(rank) if axes is None else [axes] if isinstance(axes, int) else list(axes)
    for axis in named:
        if not -rank <= axis < rank:
            raise ValueError(f"specified axis: {axis} is out of range")
    found = [axis % rank for axis in named]
    if len(set(found)) != len(found):
        raise ValueError("axes must be unique")
    return found


def _as_output(found: Tensor, output: DTypeLike | None) -> Tensor:
    """What was found, in the dtype that is asked for: there is no array here to be filled."""
    if isinstance(output, np.ndarray):
        raise NotImplementedError("output is a dtype here: a tensor is not written to.")
    return found if output is None else cast(found, named(output))


def _sums(x: Tensor, w: Tensor) -> Tensor:
    """Of each image the sums of weighted elements where all weights find one; of complex numbers by their parts."""
    if w.dtype.is_complex:
        (a, b), (c, d) = ((real(part), imag(part)) for part in (x, w))
        return as_complex(_sums(a, c) - _sums(b, d), _sums(a, d) + _sums(b, c))
    return convolution(x[..., None], w[..., None, None], padding="VALID")[..., 0]


@as_in_scipy
def correlate(
    input: Numeric,
    weights: Numeric,
    output: DTypeLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> Tensor:
    """The sums of the elements around each, times weights; `mode` says what lies around the image.

    >>> from wengert.scipy.ndimage import correlate
    >>> correlate([1.0, 2.0, 3.0], [1.0, 0.0, -1.0]).numpy().tolist()
    [-1.0, -2.0, -1.0]
    """
    x, w = promoted_floats(input, weights)
    rank, along = len(dims(x)), _along(axes, len(dims(x)))
    if len(dims(w)) != len(along):
        raise ShapeError(f"weights.ndim ({len(dims(w))}) must match len(axes) ({len(along)})")
    if len(along) > 3:
        raise NotImplementedError("Weights have up to three axes here.")
    w = conj(w)
    if not along or _is_empty(x):
        return _as_output(x if along else x * w, output)
    shifts = dict(zip(along, _for_each(origin, len(along)), strict=True))
    along.sort()  # the axes of the weights come in the order of those of the image
    for place, axis in enumerate(along):
        size = dims(w)[place]
        if certainly(size == 0):
            raise ShapeError("no filter weights given")
        before = size // 2 + shifts[axis]
        if not 0 <= before < size:
            raise ValueError(
                "Invalid origin; origin must satisfy -(weights.shape[k] // 2) <= origin[k] <= "
                "(weights.shape[k]-1) // 2"
            )
        x = _around(x, axis, before, size - 1 - before, _checked(mode), cval)
    if along == list(range(rank)):
        return _as_output(_sums(x[None], w)[0], output)
    behind = list(range(-len(along), 0))
    moved = moveaxis(x, along, behind)
    found = _sums(reshape(moved, (-1, *dims(moved)[-len(along) :])), w)
    shape = (*dims(moved)[: -len(along)], *dims(found)[1:])
    return _as_output(moveaxis(reshape(found, shape), behind, along), output)


def _is_empty(x: Tensor) -> bool:
    """Whether an image is known to have no elements."""
    return any(isinstance(size, int) and size == 0 for size in dims(x))


@as_in_scipy
def convolve(
    input: Numeric,
    weights: Numeric,
    output: DTypeLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> Tensor:
    """The same with the weights turned around."""
    w = in_floats(weights)
    given = _for_each(origin, len(dims(w)))
    turned = [-o - (int(n) % 2 == 0) for o, n in zip(given, dims(w), strict=True)]
    return correlate(input, conj(flip(w)), output, mode, cval, turned, axes=axes)  # type: ignore[no-any-return]


@as_in_scipy
def correlate1d(
    input: Numeric,
    weights: Numeric,
    axis: int = -1,
    output: DTypeLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> Tensor:
    """The sums of the elements around each along one axis, times weights."""
    return correlate(input, _line(weights), output, mode, cval, origin, axes=axis)  # type: ignore[no-any-return]


def _line(weights: Numeric) -> Tensor:
    """Weights along one axis, of which there is one at least."""
    w = in_floats(weights)
    if len(dims(w)) != 1 or certainly(dims(w)[0] == 0):
        raise ShapeError("no filter weights given")
    return w


@as_in_scipy
def convolve1d(
    input: Numeric,
    weights: Numeric,
    axis: int = -1,
    output: DTypeLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> Tensor:
    """The same with the weights turned around."""
    return convolve(input, _line(weights), output, mode, cval, origin, axes=axis)  # type: ignore[no-any-return]


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
    output: DTypeLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
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
    width = real(width)
    reach = int(truncate * float(width) + 0.5) if radius is None else radius
    if not isinstance(reach, (int, np.integer)) or reach < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    if isinstance(sigma, (int, float)) and sigma == 0:
        raise ZeroDivisionError("sigma is zero: gaussian_filter leaves such an axis as it is.")
    weights = flip(_gaussian(width, order, int(reach)))
    return correlate1d(x, weights, axis, output, mode, cval)  # type: ignore[no-any-return]


@as_in_scipy
def gaussian_filter(
    input: Numeric,
    sigma: Any,
    order: int | Sequence[int] = 0,
    output: DTypeLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
) -> Tensor:
    """The image blurred along all axes, or along these, or derivatives of it.

    >>> from wengert.scipy.ndimage import gaussian_filter
    >>> gaussian_filter([0.0, 0.0, 1.0, 0.0, 0.0], 0.5).numpy().round(3).tolist()
    [0.0, 0.106, 0.787, 0.106, 0.0]
    """
    x = in_floats(input)
    along = _along(axes, len(dims(x)))
    each = [_for_each(value, len(along)) for value in (sigma, order, mode, radius)]
    for axis, width, n, around, reach in zip(along, *each, strict=True):
        if isinstance(width, (int, float)) and width <= 1e-15:
            continue
        x = gaussian_filter1d(x, width, axis, n, None, around, cval, truncate, radius=reach)
    return _as_output(x, output)


@as_in_scipy
def uniform_filter1d(
    input: Numeric,
    size: int,
    axis: int = -1,
    output: DTypeLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> Tensor:
    """The means of the elements around each along one axis."""
    if size < 1:
        raise RuntimeError("incorrect filter size")
    x = in_floats(input)
    weights = cast(np.full(size, 1.0 / size), x.dtype)
    return correlate1d(x, weights, axis, output, mode, cval, origin)  # type: ignore[no-any-return]


@as_in_scipy
def uniform_filter(
    input: Numeric,
    size: int | Sequence[int] = 3,
    output: DTypeLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> Tensor:
    """The means of the elements around each."""
    x = in_floats(input)
    along = _along(axes, len(dims(x)))
    each = [_for_each(value, len(along)) for value in (size, mode, origin)]
    for axis, count, around, shift in zip(along, *each, strict=True):
        if count > 1:
            x = uniform_filter1d(x, count, axis, None, around, cval, shift)
    return _as_output(x, output)


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
    output: DTypeLike | None = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
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
    places = real(places)
    if not dims(x) or not dims(places):
        raise ShapeError("input and output rank must be > 0")
    if certainly(dims(places)[0] != len(dims(x))):
        raise ShapeError("invalid shape for coordinate array")
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
        total = total + cast(math.prod(share for _, share, _ in corner), value.dtype) * value
    return _as_output(total, output)


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
    is_in = logical_and(at >= 0.0, at <= float(last))
    # Nothing is between an image and a constant around it, nor at what is no number.
    if mode == "constant":
        at = where(is_in, at, zeros_like(at))
    low = floor(at + 0.5) if order == 0 else floor(at)
    ends = [(low, ones_like(at))] if order == 0 else [(low, 1.0 + low - at), (low + 1.0, at - low)]
    found = []
    for i, share in ends:
        is_there = is_in if mode == "constant" else logical_and(i >= 0.0, i <= float(last))
        place = _place(i, size, _BEYOND.get(mode, mode))
        # A place that is no number, or is infinite, has some element, and a share of it that is none.
        found.append((where(is_finite(place), place, zeros_like(place)), share, is_there))
    return found


def __getattr__(name: str) -> Any:
    raise no_such("ndimage", name)
