"""Pooling kernels: windows over any axes of an array.

A maximum or a sum over a window is reduced along one axis after the other. Among equal maxima the
first one in the window counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.host.malloc import LARGE
from wengert.host.parallel import in_parts, without_buffers
from wengert.host.threads import processors
from wengert.ops.arrays.window_geometry import Tap, Windows, taps
from wengert.ops.support.large_kernels import (
    Often,
    max_pool_gradient_kernel,
    mean_pool_gradient_kernel,
    pooling_kernel,
)
from wengert.values.shapes import Dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, NumpyDType

IN_CACHE: Final = 1 << 16  # elements
AT_ONCE: Final = 1 << 19  # elements, where few operations pass over them
WORTH_SHARING: Final = 1 << 18  # elements from which on threads gain more than they cost


def one_axis_of(at: Windows, axis: int) -> Windows:
    """The windows along one axis only; the other axes of the array are unchanged."""
    ones = (1,) * len(at.size)

    def only(numbers: Dims, others: Dims) -> Dims:
        return (*others[:axis], numbers[axis], *others[axis + 1 :])

    size = (*at.out[:axis], *at.size[axis:])
    return Windows(
        size,
        only(at.kernel, ones),
        only(at.stride, ones),
        only(at.rate, ones),
        only(at.before, (0,) * len(at.size)),
        (*at.out[: axis + 1], *at.size[axis + 1 :]),
    )


def sliding_axes(at: Windows) -> list[int]:
    """The axes along which the window is larger than one element, or moves."""
    return [i for i, k in enumerate(at.kernel) if k > 1 or at.out[i] != at.size[i]]


def pooled(
    x: Array,
    at: Windows,
    join: Callable[..., Any],
    neutral: Array | int,
    finish: Callable[..., Any] | None = None,
) -> Array:
    """Reduce the elements of each window by a ufunc, axis by axis; finish(y, at) for each tile.

    On all processors, in few large tiles, as threads contend for the GIL between operations of 6
    us. Of a million float32, 3x3 with stride 1 took 1.0 ms in tiles of 1 << 17 elements, 0.7 in
    tiles of 1 << 18 and 0.5 in tiles of 1 << 19 (two processors, NumPy 2.4).
    """
    axes = sliding_axes(at)
    if not axes:
        return x.copy()

    def work(y: Array, x: Array, at: Windows) -> None:
        for axis, one in _axis_by_axis(at):
            part = y if axis == axes[-1] else np.empty(one.out, x.dtype)
            _join_along(part, x, one, axis, join, neutral)
            x = part
        if finish:
            finish(y, at)

    y = np.empty(at.out, x.dtype)
    over_images(work, at, y, x, most=AT_ONCE)
    return y


@lru_cache(maxsize=256)
def _axis_by_axis(at: Windows) -> tuple[tuple[int, Windows], ...]:
    return tuple((axis, one_axis_of(at, axis)) for axis in sliding_axes(at))


def over_images(
    work: Callable[..., Any], at: Windows, *arrays: Array, most: int = IN_CACHE
) -> None:
    """Call work(*arrays, at) on batches of images with at most so many elements, in parallel.

    It is for functions that make many passes over them. Windows must stay within an image.
    """
    images, most = at.size[0], most // max(math.prod(at.size[1:]), 1)
    if math.prod(at.size) < WORTH_SHARING:
        with without_buffers():
            work(*arrays, at)
        return
    step = max(min(most, -(-images // processors())), 1)

    def some(starts: Sequence[int]) -> None:
        for start in starts:
            cut = slice(start, min(start + step, images))
            n = cut.stop - start
            here = at._replace(size=(n, *at.size[1:]), out=(n, *at.out[1:]))
            work(*[a[cut] for a in arrays], here)

    with without_buffers():
        in_parts(some, range(0, images, step))


def _join_along(
    y: Array, x: Array, at: Windows, axis: int, join: Callable[..., Any], neutral: Array | int
) -> None:
    if not _is_thin(at, axis):
        _join_into(y, x, at, axis, join, neutral)
        return
    dense = _at_every_place(at, axis)
    full = np.empty(dense.out, x.dtype)
    _join_into(full, x, dense, axis, join, neutral)
    np.copyto(_in_blocks(y, axis), _in_blocks(full, axis)[_every(at.stride[axis], axis)])


def _every(stride: int, axis: int, first: int = 0) -> tuple[slice, ...]:
    return (*[slice(None)] * axis, slice(first, None, stride))


THIN: Final = 128  # bytes


def _is_thin(at: Windows, axis: int) -> bool:
    """Whether strides along an axis leave pieces so short that NumPy's loops are slow.

    Then all windows are computed, in long loops, and those at the strides are copied as blocks of
    bytes: 32 x 32 x 16 float32 with stride 2 in 6 us instead of 13.
    """
    return 1 < at.stride[axis] <= 3 and 0 < math.prod(at.out[axis + 1 :]) * 4 <= THIN


@lru_cache(maxsize=256)
def _at_every_place(at: Windows, axis: int) -> Windows:
    count = max((at.out[axis] - 1) * at.stride[axis] + 1, 0)
    return at._replace(stride=(1,) * len(at.size), out=(*at.out[:axis], count, *at.out[axis + 1 :]))


def _in_blocks(x: Array, axis: int) -> Array:
    """The array with the axes after one merged into single elements of so many bytes."""
    length = math.prod(x.shape[axis + 1 :])
    blocks = np.ascontiguousarray(x).reshape(*x.shape[: axis + 1], length)
    return blocks.view(f"V{length * x.itemsize}")[..., 0]


def _join_into(
    y: Array, x: Array, at: Windows, axis: int, join: Callable[..., Any], neutral: Array | int
) -> None:
    """Reduce along one axis: the first two positions at once, to avoid a copy, then the rest."""
    positions = list(taps(at))
    whole = next((tap for tap in positions if _covers(tap, at)), None)
    if whole is None:
        y.fill(neutral)
    else:
        positions.remove(whole)
        _first_two(x, y, whole, positions, axis, join)
    for tap in positions:
        part = y[tap.out]
        join(part, x[tap.size], out=part)


def _first_two(
    x: Array, y: Array, whole: Tap, positions: list[Tap], axis: int, join: Callable[..., Any]
) -> None:
    everything = x[whole.size]
    if not positions:
        y[...] = everything
        return
    second = positions.pop(0)
    low, high = second.out[axis].start, second.out[axis].stop
    join(everything[second.out], x[second.size], out=y[second.out])
    for rest in (slice(0, low), slice(high, None)):
        place = (*[slice(None)] * axis, rest)
        y[place] = everything[place]


def _covers(tap: Tap, at: Windows) -> bool:
    return all(s.stop - s.start == n for s, n in zip(tap.out, at.out, strict=True))


def lowest(dtype: NumpyDType) -> Any:
    """The smallest value of a dtype: minus infinity for floats."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else dtype.type(-np.inf)


FEWEST: Final = 4  # channels of smaller images for which there is a kernel
_often: Final = Often(1 << 18)


def _is_worth_code(x: Array) -> bool:
    """Whether a kernel pays that gives NumPy's bits."""
    return x.size >= LARGE or (x.shape[-1] >= FEWEST and _often(x.size))


def maxima(x: Array, at: Windows) -> Array:
    """The maximum over each window (max pooling)."""
    found = pooling_kernel(x, at, "max") if _is_worth_code(x) else None
    if found is not None:
        return found
    return pooled(x, at, np.maximum, lowest(x.dtype))


# ---- sums -------------------------------------------------------------------------------------


def means(x: Array, at: Windows) -> Array:
    """The mean over each window, not counting padding (average pooling)."""
    if not sliding_axes(at):
        return x.copy()
    number = _counts_of_an_image(at, x.dtype)
    found = pooling_kernel(x, at, "sum", number) if x.size >= LARGE else None
    if found is not None:
        return found
    return pooled(x, at, np.add, 0, lambda y, here: np.divide(y, number, out=y))


def spread_means(g: Array, at: Windows) -> Array:
    """The gradient of `means`: each window's cotangent is spread over its elements."""
    axes = sliding_axes(at)
    if not axes:
        return g.copy()
    number = _counts_of_an_image(at, g.dtype)
    found = mean_pool_gradient_kernel(g, at, number) if g.size >= LARGE else None
    if found is not None:
        return found

    def work(x: Array, g: Array, at: Windows) -> None:
        g = np.divide(g, number)
        for axis, one in reversed(_axis_by_axis(at)):
            part = x if axis == axes[0] else np.empty(one.size, g.dtype)
            _spread_along(part, g, one, axis)
            g = part

    x = np.empty(at.size, g.dtype)
    over_images(work, at, x, g, most=AT_ONCE)
    return x


def _spread_along(x: Array, g: Array, at: Windows, axis: int) -> None:
    """The adjoint along one axis: windows over the cotangents, dilated by the stride."""
    stride, kernel, rate = at.stride[axis], at.kernel[axis], at.rate[axis]
    whole = at.size[axis] == at.out[axis] * kernel
    if stride == kernel and rate == 1 and whole and not at.before[axis]:
        blocks = _in_blocks(x, axis)
        for t in range(kernel):
            np.copyto(blocks[_every(kernel, axis, t)], _in_blocks(g, axis))
        return
    back = _turned(at, axis)
    if stride > 1:
        apart = np.zeros(back.size, g.dtype)
        np.copyto(_in_blocks(apart, axis)[_every(stride, axis)], _in_blocks(g, axis))
        g = apart
    _join_into(x, g, back, axis, np.add, 0)


@lru_cache(maxsize=256)
def _turned(at: Windows, axis: int) -> Windows:
    count = max((at.out[axis] - 1) * at.stride[axis] + 1, 0)
    before = (at.kernel[axis] - 1) * at.rate[axis] - at.before[axis]

    def put(numbers: Dims, number: int) -> Dims:
        return (*numbers[:axis], number, *numbers[axis + 1 :])

    return at._replace(
        size=put(at.out, count),
        out=at.size,
        stride=put(at.stride, 1),
        before=put(at.before, before),
    )


def _counts_of_an_image(at: Windows, dtype: NumpyDType) -> Array:
    """The counts in a shape that makes long loops: one number, or one for each element."""
    image = at._replace(size=(1, *at.size[1:]), out=(1, *at.out[1:]))
    return _counted(image, dtype) if math.prod(image.out) <= WORTH_SHARING else counts(at, dtype)


@lru_cache(maxsize=16)
def _counted(at: Windows, dtype: NumpyDType) -> Array:
    number = counts(at, dtype)
    if number.size and (number == number.flat[0]).all():
        return number.reshape(-1)[0]
    return np.ascontiguousarray(np.broadcast_to(number, at.out))


def counts(at: Windows, dtype: NumpyDType) -> Array:
    """The number of elements in each window, not counting padding; with ones for broadcasting."""
    total = np.ones((1,) * len(at.size), dtype)
    for axis in sliding_axes(at):
        size, stride, before = at.size[axis], at.stride[axis], at.before[axis]
        start = np.arange(at.out[axis]) * stride - before
        inside = np.minimum(start + at.kernel[axis], size) - np.maximum(start, 0)
        shape = [-1 if i == axis else 1 for i in range(len(at.size))]
        total = total * np.maximum(inside, 1).astype(dtype).reshape(shape)
    return total


# ---- where the maxima are ---------------------------------------------------------------------


class Firsts:
    """Finds the first maximum of each window, one window position at a time."""

    def __init__(self, y: Array) -> None:
        self._y = y
        self._free = np.ones(y.shape, bool)
        self._nan = y.dtype.kind in "fV" and bool(np.isnan(y).any())

    def at(self, tap: Tap, x: Array) -> Array:
        """Where the element at a window position is the first maximum of its window."""
        y, free = self._y[tap.out], self._free[tap.out]
        hit = x == y
        if self._nan:
            hit |= (x != x) & (y != y)
        hit &= free
        free ^= hit
        return hit


def routed_back(x: Array, y: Array, g: Array, at: Windows) -> Array:
    """The gradient of max pooling: each window's cotangent goes to its first maximum."""
    found = max_pool_gradient_kernel(x, y, g, at) if _is_worth_code(x) else None
    if found is not None:
        return found
    back = np.zeros(x.shape, g.dtype)
    over_images(_route, at, back, x, y, g)
    return back


def _route(back: Array, x: Array, y: Array, g: Array, at: Windows) -> None:
    firsts, nothing = Firsts(y), g.dtype.type(0)
    for tap in taps(at):
        given = np.where(firsts.at(tap, x[tap.size]), g[tap.out], nothing)
        part = back[tap.size]
        np.add(part, given, out=part)


def pick_at_maxima(x: Array, y: Array, u: Array, at: Windows) -> Array:
    """For each window, the element of `u` at the first maximum of x."""
    out = np.zeros(y.shape, u.dtype)
    over_images(_pick, at, out, x, y, u)
    return out


def _pick(out: Array, x: Array, y: Array, u: Array, at: Windows) -> None:
    firsts = Firsts(y)
    for tap in taps(at):
        np.copyto(out[tap.out], u[tap.size], where=firsts.at(tap, x[tap.size]))


def places(x: Array, y: Array, at: Windows, with_batch: bool) -> Array:
    """The index of the first maximum of each window, in the flattened image or batch."""
    found = np.zeros(y.shape, np.int64)
    numbers = np.arange(x.size if with_batch else math.prod(x.shape[1:]))
    numbers = np.broadcast_to(
        numbers.reshape(x.shape if with_batch else (1, *x.shape[1:])), x.shape
    )
    firsts = Firsts(y)
    for tap in taps(at):
        np.copyto(found[tap.out], numbers[tap.size], where=firsts.at(tap, x[tap.size]))
    return found
