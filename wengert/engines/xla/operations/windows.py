"""Convolutions, pooling and other functions of sliding windows, by XLA's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wengert.engines.xla.backend import jnp, lax
from wengert.engines.xla.traced import Traced, bare
from wengert.engines.xla.versions import helper
from wengert.ops.arrays.window_geometry import Tap, Windows
from wengert.ops.nn.conv import kernels as conv
from wengert.ops.nn.conv.spreading import spread
from wengert.ops.nn.pool import kernels as pool
from wengert.values.shapes import Dims

# ---- convolutions -------------------------------------------------------------------------------


def _reach(at: Windows) -> list[int]:
    """The size of the windows, with what their dilation leaves out."""
    return [(k - 1) * rate + 1 for k, rate in zip(at.kernel, at.rate, strict=True)]


def _span(at: Windows) -> list[int]:
    """From the beginning of the first window to that of the last, inclusive."""
    return [(n - 1) * stride + 1 for n, stride in zip(at.out, at.stride, strict=True)]


def _padding(at: Windows) -> list[tuple[int, int]]:
    """Before and behind the image, so that there are as many windows as there should be."""
    parts = zip(at.before, _span(at), _reach(at), at.size, strict=True)
    return [(front, span + reach - 1 - size - front) for front, span, reach, size in parts]


def _numbers(spatial: int) -> tuple[str, str, str]:
    letters = "DHW"[3 - spatial :]
    return f"N{letters}C", f"{letters}IO", f"N{letters}C"


@helper(conv.correlate)
def _correlate(x: Any, w: Any, at: Windows, y: Any = None) -> Any:
    x, w = bare(x), bare(w)
    if not x.size or not w.size:
        return Traced(jnp.zeros((x.shape[0], *at.out, w.shape[-1]), x.dtype))
    return Traced(
        lax.conv_general_dilated(
            x, w, at.stride, _padding(at), rhs_dilation=at.rate,
            dimension_numbers=_numbers(len(at.out)),
            feature_group_count=x.shape[-1] // w.shape[-2],
        )
    )  # fmt: skip


@helper(spread)
def _spread(g: Any, w: Any, at: Windows, channels: int) -> Any:
    """The transposed convolution: windows with their strides between them, and the filter turned."""
    g, w = bare(g), bare(w)
    if not g.size or not w.size:
        return Traced(jnp.zeros((g.shape[0], *at.size, channels), g.dtype))
    *kernel, inner, made = w.shape
    groups, space = channels // inner, len(kernel)
    apart = jnp.flip(w, range(space)).reshape(*kernel, inner, groups, made // groups)
    turned = jnp.swapaxes(apart, -1, -3).reshape(*kernel, made // groups, channels)
    parts = zip(at.before, _span(at), _reach(at), at.size, strict=True)
    padding = [(r - 1 - front, size + front - span) for front, span, r, size in parts]
    return Traced(
        lax.conv_general_dilated(
            g, turned, (1,) * space, padding, lhs_dilation=at.stride, rhs_dilation=at.rate,
            dimension_numbers=_numbers(space), feature_group_count=groups,
        )
    )  # fmt: skip


@helper(conv.compare)
def _compare(x: Any, g: Any, at: Windows, shape: Dims) -> Any:
    """The gradient of the filter: images and channels change places, and the windows filter them."""
    x, g = bare(x), bare(g)
    *kernel, inner, _ = shape
    if not x.size or not g.size or not inner:
        return Traced(jnp.zeros(shape, x.dtype))
    found = lax.conv_general_dilated(
        jnp.swapaxes(x, 0, -1), jnp.moveaxis(g, 0, -2), at.rate, _padding(at),
        rhs_dilation=at.stride, dimension_numbers=_numbers(len(kernel)),
        batch_group_count=x.shape[-1] // inner,
    )  # fmt: skip
    return Traced(jnp.moveaxis(found, 0, -2))


# ---- pooling ------------------------------------------------------------------------------------


@helper(pool.pooled)
def _pooled(
    x: Any, at: Windows, join: Any, neutral: Any, finish: Callable[..., Any] | None = None
) -> Any:
    x = bare(x)
    start = np.array(neutral, x.dtype)[()]
    function = lax.max if join.__name__ == "maximum" else lax.add
    y = Traced(lax.reduce_window(x, start, function, at.kernel, at.stride, _padding(at)))
    if finish is not None:
        finish(y, at)
    return y


@helper(pool.spread_means)
def _spread_means(g: Any, at: Windows) -> Any:
    """Each window's share, summed over the windows that an element is in."""
    g = bare(g)
    number = np.broadcast_to(pool.counts(at, g.dtype), at.out)
    parts = zip(at.before, _span(at), at.kernel, at.size, strict=True)
    padding = [(k - 1 - front, size + front - span) for front, span, k, size in parts]
    zero, ones = np.zeros((), g.dtype)[()], (1,) * len(at.size)
    return Traced(lax.reduce_window(g / number, zero, lax.add, at.kernel, ones, padding, at.stride))


@helper(pool.over_images)
def _over_images(work: Callable[..., Any], at: Windows, *arrays: Any, most: int = 0) -> None:
    work(*arrays, at)


@helper(pool.Firsts)
class _Firsts:
    """The first maximum of each window; a NaN is the maximum where there is one."""

    def __init__(self, y: Any) -> None:
        self._y = bare(y)
        self._free = jnp.ones(self._y.shape, bool)

    def at(self, tap: Tap, x: Any) -> Any:
        """Where the element at a window position is the first maximum of its window."""
        x, y, free = bare(x), self._y[tap.out], self._free[tap.out]
        hit = ((x == y) | ((x != x) & (y != y))) & free
        self._free = self._free.at[tap.out].set(free ^ hit)
        return Traced(hit)
