"""The adjoint of a convolution in its image: what the windows give to the elements that they saw."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from wengert.ops.arrays.window_geometry import Windows, taps
from wengert.ops.nn.conv.kernels import LARGE_BYTES, correlate
from wengert.ops.support.large_kernels import matmul_kernel

if TYPE_CHECKING:
    from wengert.values.typing import Array

NARROW: Final = 4  # channels of an image, at most,
TIMES: Final = 8  # of which the windows have so many times as many


class _Phase(NamedTuple):
    """The positions of an axis with the same remainder when divided by the stride."""

    first: int
    taps: list[int]  # the positions of the filter that meet them, in the order of the windows
    rate: int
    before: int
    size: int


def _phases(at: Windows, i: int) -> Iterator[_Phase]:
    """Position q · stride + r meets window q - (t · rate - before - r) / stride."""
    stride, rate = at.stride[i], at.rate[i]
    for r in range(min(stride, at.size[i])):
        gaps = {t: t * rate - at.before[i] - r for t in range(at.kernel[i])}
        taps = [t for t in reversed(range(at.kernel[i])) if gaps[t] % stride == 0]
        furthest = gaps[taps[0]] // stride if taps else 0
        count = -(-(at.size[i] - r) // stride)
        yield _Phase(r, taps, rate // math.gcd(rate, stride), furthest, count)


def spread(g: Array, w: Array, at: Windows, channels: int) -> Array:
    """The gradient for the image (transposed convolution): a convolution per stride phase."""
    if channels <= NARROW and w.shape[-2] == channels and w.shape[-1] >= channels * TIMES:
        return _added_up(g, w, at)
    x = np.empty((len(g), *at.size, channels), g.dtype)
    turned = _turned(w, max(channels // w.shape[-2], 1) if w.shape[-2] else 1)
    for phases in itertools.product(*[_phases(at, i) for i in range(len(at.size))]):
        cuts = [slice(p.first, None, s) for p, s in zip(phases, at.stride, strict=True)]
        target = x[tuple([slice(None), *cuts])]
        if not all(p.taps for p in phases):
            target[...] = 0
            continue
        inner = turned[np.ix_(*[p.taps for p in phases])]
        here = Windows(
            at.out,
            tuple(len(p.taps) for p in phases),
            (1,) * len(phases),
            tuple(p.rate for p in phases),
            tuple(p.before for p in phases),
            tuple(p.size for p in phases),
        )
        _correlate_any(g, inner, here, target)
    return x


def _added_up(g: Array, w: Array, at: Windows) -> Array:
    """The same for few channels: one product gives what each window adds to its elements.

    A convolution would gather all channels of the windows for so few results: 28 x 28 x 1 from 32
    channels took 20 times as long.
    """
    *kernel, channels, made = w.shape
    factors, found = w.reshape(-1, made), np.zeros((channels, len(g), *at.size), g.dtype)
    each = max(LARGE_BYTES // max(len(factors) * math.prod(at.out) * g.itemsize, 1), 1)
    for begin in range(0, len(g), each):
        some = g[begin : begin + each]
        windows = some.reshape(-1, made).T
        added = matmul_kernel(factors, windows)
        shares = np.matmul(factors, windows) if added is None else added
        shares = shares.reshape(*kernel, channels, len(some), *at.out)
        for tap in taps(at):
            own = (slice(None), slice(begin, begin + each), *tap.size)
            seen = (*tap.at, slice(None), slice(None), *tap.out)
            found[own] += shares[seen]
    return np.ascontiguousarray(np.moveaxis(found, 0, -1))


def _correlate_any(g: Array, w: Array, at: Windows, target: Array) -> None:
    """Convolve into any target; several filters per channel are applied one by one."""
    channels, inner = target.shape[-1], w.shape[-2]
    if inner < 2 or g.shape[-1] // inner != channels:
        correlate(g, w, at, target)
        return
    parts = [
        correlate(g[..., m::inner], w[..., m : m + 1, :], at) for m in range(inner)
    ]  # a filter of its own for each channel, `inner` times
    target[...] = sum(parts[1:], parts[0])


def _turned(w: Array, groups: int) -> Array:
    """The matrix of each group transposed: (inner, groups · made) to (made, groups · inner)."""
    *kernel, inner, made = w.shape
    apart = w.reshape(*kernel, inner, groups, made // groups)
    return np.moveaxis(apart, -3, -1).swapaxes(-3, -2).reshape(
        *kernel, made // groups, groups * inner
    )  # fmt: skip
