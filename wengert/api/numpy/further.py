"""Functions of NumPy's that tf.experimental.numpy lacks, on tensors, with NumPy's arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.numpy import (
    elementwise,
    indexing,
    joining,
    pairs,
    reductions,
    running,
    shapes,
    statistics,
)
from wengert.api.numpy.products import matmul
from wengert.api.numpy.promotion import as_tensor, in_floats, promoted_floats
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import creation, gathering, shaping
from wengert.ops.math import comparison
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.reductions import sorting
from wengert.ops.reductions.reductions import normal_axes
from wengert.ops.special.bessel import bessel_i0
from wengert.values.dtypes import as_dtype
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric

# ---- of each element --------------------------------------------------------------------------


@deferrable
def nan_to_num(
    x: Numeric, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Tensor:
    tensor = in_floats(x)
    limits = np.finfo(tensor.dtype.numpy_dtype)
    for condition, value in (
        (elementwise.isnan(tensor), nan),
        (elementwise.isposinf(tensor), limits.max if posinf is None else posinf),
        (elementwise.isneginf(tensor), limits.min if neginf is None else neginf),
    ):
        tensor = where(condition, zeros_like(tensor) + as_tensor(value, tensor.dtype), tensor)
    return tensor


def _numbers_first(choose: Callable[..., Any]) -> Callable[..., Any]:
    """The greater or smaller of two, the other one where one is not a number."""

    def function(x1: Numeric, x2: Numeric) -> Tensor:
        a, b = promoted_floats(x1, x2)
        found: Tensor = choose(a, b)
        return where(elementwise.isnan(a), b, where(elementwise.isnan(b), a, found))

    return deferrable(function)


fmax = _numbers_first(pairs.maximum)
fmin = _numbers_first(pairs.minimum)


@deferrable
def copysign(x1: Numeric, x2: Numeric) -> Tensor:
    a, b = promoted_floats(x1, x2)
    size = elementwise.abs(a)
    return where(elementwise.signbit(b), -size, size)


@deferrable
def fmod(x1: Numeric, x2: Numeric) -> Tensor:
    """The remainder with the sign of what is divided."""
    a, b = promoted_floats(x1, x2)
    return copysign(pairs.remainder(elementwise.abs(a), elementwise.abs(b)), a)


@deferrable
def modf(x: Numeric) -> tuple[Tensor, Tensor]:
    tensor = in_floats(x)
    whole = trunc(tensor)
    return tensor - whole, whole


@deferrable
def float_power(x1: Numeric, x2: Numeric) -> Tensor:
    wide = np.result_type(as_tensor(x1).dtype.numpy_dtype, as_tensor(x2).dtype.numpy_dtype, float)
    found: Tensor = pairs.power(as_tensor(x1, as_dtype(wide)), as_tensor(x2, as_dtype(wide)))
    return found


@deferrable
def ldexp(x1: Numeric, x2: Numeric) -> Tensor:
    tensor = in_floats(x1)
    return tensor * 2.0 ** cast(as_tensor(x2), tensor.dtype)


@deferrable
def interp(x: Numeric, xp: Numeric, fp: Numeric, left: Any = None, right: Any = None) -> Tensor:
    """Straight lines between points, by the two on both sides."""
    at, places, heights = promoted_floats(x, xp, fp)
    flat = shaping.reshape(at, (-1,))
    count = dims(places)[0]
    after = cast(sorting.searchsorted(places, flat, side="right"), "int64")
    after = pairs.minimum(pairs.maximum(after, 1), count - 1)
    x0, x1 = (gathering.gather_densely(places, after - 1), gathering.gather_densely(places, after))
    y0, y1 = (gathering.gather_densely(heights, after - 1), gathering.gather_densely(heights, after))  # fmt: skip
    found = y0 + (y1 - y0) * ((flat - x0) / (x1 - x0))
    low = heights[0] if left is None else as_tensor(left, at.dtype)
    high = heights[-1] if right is None else as_tensor(right, at.dtype)
    found = where(flat < places[0], low + zeros_like(flat), found)
    found = where(flat > places[-1], high + zeros_like(flat), found)
    return shaping.reshape(found, creation.shape(at))


@deferrable
def i0(x: Numeric) -> Tensor:
    found: Tensor = bessel_i0(in_floats(x))
    return found


# ---- sums and orders --------------------------------------------------------------------------


@deferrable
def trapezoid(y: Numeric, x: Numeric | None = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    heights = in_floats(y)
    at = normal_axes(axis, len(dims(heights)), "Trapezoid")[0]
    middle = (_part(heights, at, 1, None) + _part(heights, at, None, -1)) / 2.0
    if x is None:
        return reductions.sum(pairs.multiply(middle, dx), at)
    widths = as_tensor(x)
    if len(dims(widths)) == 1:
        widths = running.diff(widths)
        widths = shaping.reshape(widths, [-1, *[1] * (len(dims(heights)) - 1 - at)])
    else:
        widths = running.diff(widths, axis=at)
    return reductions.sum(pairs.multiply(middle, widths), at)


@deferrable
def diff(a: Numeric, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    tensor = as_tensor(a)
    at = normal_axes(axis, len(dims(tensor)), "Diff")[0]
    parts = [_slab(prepend, tensor, at), tensor, _slab(append, tensor, at)]
    there = [x for x in parts if x is not None]
    return running.diff(joining.concatenate(there, at) if len(there) > 1 else tensor, n, at)


def _slab(value: Any, like: Tensor, axis: int) -> Tensor | None:
    """What lies before or behind a tensor along an axis: a number is one there, and repeated along the others."""
    if value is None or np.ndim(value):
        return None if value is None else as_tensor(value)
    sizes = [1 if k == axis else size for k, size in enumerate(dims(like))]
    return shapes.broadcast_to(value, sizes)


def _cumulated(run: Callable[..., Tensor], begin: float) -> Callable[..., Any]:
    """Sums or products that run along an axis, of which a vector has one."""

    def function(
        x: Numeric, axis: int | None = None, dtype: Any = None, include_initial: bool = False
    ) -> Tensor:
        tensor = as_tensor(x)
        if axis is None and len(dims(tensor)) > 1:
            raise ValueError(
                "For arrays which have more than one dimension ``axis`` argument is required."
            )
        at = normal_axes(0 if axis is None else axis, len(dims(tensor)), "Cumsum")[0]
        found = run(tensor, at, dtype)
        if not include_initial:
            return found
        return joining.concatenate([_slab(as_tensor(begin, found.dtype), found, at), found], at)

    return deferrable(function)


cumulative_sum = _cumulated(running.cumsum, 0)
cumulative_prod = _cumulated(running.cumprod, 1)


@deferrable
def nancumsum(a: Numeric, axis: int | None = None, dtype: Any = None) -> Tensor:
    tensor = in_floats(a)
    safe = where(elementwise.isnan(tensor), zeros_like(tensor), tensor)
    return running.cumsum(safe, axis, dtype)


@deferrable
def unwrap(
    p: Numeric, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> Tensor:
    """With whole periods added, so that neighbours differ by half of one at most."""
    tensor = in_floats(p)
    at = normal_axes(axis, len(dims(tensor)), "Unwrap")[0]
    steps = running.diff(tensor, axis=at)
    half = period / 2
    near = pairs.remainder(steps + half, period) - half
    is_edge = pairs.logical_and(pairs.equal(near, -half), pairs.greater(steps, 0))
    near = where(is_edge, -near, near)
    added = near - steps
    least = half if discont is None else max(discont, half)
    added = where(elementwise.abs(steps) < least, zeros_like(added), added)
    begin = _slab(as_tensor(0, added.dtype), added, at)
    return tensor + joining.concatenate([begin, running.cumsum(added, at)], at)


@deferrable
def gradient(f: Numeric, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Central differences inside, differences to one side at the ends; steps are numbers, or all places."""
    tensor = in_floats(f)
    axes = normal_axes(axis, len(dims(tensor)), "Gradient")
    steps = list(varargs) * len(axes) if len(varargs) == 1 else list(varargs) or [1.0] * len(axes)
    if len(steps) != len(axes):
        raise TypeError(f"np.gradient takes one step, or {len(axes)}, one for each axis.")
    if edge_order not in (1, 2):
        raise ValueError(f"np.gradient has edge_order 1 and 2, not {edge_order!r}.")
    found = [_slopes(tensor, at, step, edge_order) for at, step in zip(axes, steps, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _slopes(x: Tensor, at: int, step: Any, edge_order: int) -> Tensor:
    """By three points inside, and by the two or three nearest ones at the ends."""
    widths = _widths(x, at, step)
    before, after = _part(widths, at, None, -1), _part(widths, at, 1, None)
    rises = _part(x, at, 1, None) - _part(x, at, None, -1)
    slopes = rises / widths
    # The slope at a point that lies between two others, by the parabola through them.
    left, right = _part(slopes, at, None, -1), _part(slopes, at, 1, None)
    inside = (after * left + before * right) / (before + after)
    first, last = _part(slopes, at, None, 1), _part(slopes, at, -1, None)
    if edge_order == 2:
        first = 2.0 * first - _part(inside, at, None, 1)
        last = 2.0 * last - _part(inside, at, -1, None)
    found: Tensor = joining.concatenate([first, inside, last], at)
    return found


def _widths(x: Tensor, at: int, step: Any) -> Tensor:
    """The distances between neighbours along an axis."""
    count = dims(x)[at]
    places = as_tensor(step, x.dtype)
    if dims(places) and dims(places) != (count,):
        raise ValueError(
            f"np.gradient needs the places of all {count} elements of an axis, not {dims(places)[0]}."
        )
    widths = running.diff(places) if dims(places) else shapes.broadcast_to(places, [count - 1])
    return shaping.reshape(widths, [*[1] * at, -1, *[1] * (len(dims(x)) - 1 - at)])


def _part(x: Tensor, at: int, start: int | None, stop: int | None) -> Tensor:
    """The elements from start to stop along an axis."""
    return x[tuple([slice(None)] * at + [slice(start, stop)])]


@deferrable
def convolve(a: Numeric, v: Numeric, mode: str = "full") -> Tensor:
    """The sum of one signal, shifted, times each element of the other."""
    signal, kernel = promoted_floats(a, v)
    if dims(kernel)[0] > dims(signal)[0]:
        signal, kernel = kernel, signal
    n, m = dims(signal)[0], dims(kernel)[0]
    padded = shapes.pad(signal, [[m - 1, m - 1]], "constant")
    places = np.arange(n + m - 1)[:, None] + np.arange(m)[::-1][None]
    full = matmul(gathering.gather_densely(padded, as_tensor(places)), kernel)
    cuts = {"full": (0, n + m - 1), "same": ((m - 1) // 2, (m - 1) // 2 + n), "valid": (m - 1, n)}
    if mode not in cuts:
        raise ValueError(f"mode {mode!r} is not one of full, same and valid.")
    return full[slice(*cuts[mode])]


@deferrable
def correlate(a: Numeric, v: Numeric, mode: str = "valid") -> Tensor:
    return convolve(a, shapes.flip(elementwise.conj(as_tensor(v))), mode)


@deferrable
def pad(array: Numeric, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Tensor:
    if mode not in _ALONG:
        return shapes.pad(array, pad_width, "constant" if mode == "empty" else mode, **kwargs)
    found = as_tensor(array)
    named, default = ("end_values", 0) if mode == "linear_ramp" else ("stat_length", None)
    rank = len(dims(found))
    options = np.broadcast_to(np.asarray(kwargs.pop(named, default)), (rank, 2))
    if kwargs:
        raise TypeError(f"pad with mode {mode} does not take {', '.join(sorted(kwargs))}.")
    widths = np.broadcast_to(np.asarray(pad_width), (rank, 2))
    for at, (width, option) in enumerate(zip(widths, options, strict=True)):
        # From the first element inwards, and from the last one.
        before, behind = (
            _ALONG[mode](line, at, int(count), value)
            for line, count, value in zip(
                (found, shapes.flip(found, at)), width, option, strict=True
            )
        )
        parts = [shapes.flip(before, at), found, behind]
        found = joining.concatenate([cast(part, found.dtype) for part in parts], at)
    return found


def _of_nearest(reduce: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """What lies behind a line: one number for some of its elements, the nearest ones."""

    def behind(line: Tensor, at: int, count: int, most: int | None) -> Tensor:
        found = reduce(_part(line, at, None, most), axis=at, keepdims=True)
        if line.dtype.is_integer and found.dtype.is_floating:
            found = elementwise.around(found)
        return shapes.repeat(found, count, at)

    return behind


def _ramp(line: Tensor, at: int, count: int, end: Any) -> Tensor:
    """What lies behind a line: a straight one to a number."""
    ways = (count - 1 - np.arange(count)) / max(count, 1)
    way = as_tensor(ways.reshape([-1, *[1] * (len(dims(line)) - 1 - at)]))
    begin = _part(line, at, None, 1)
    if not line.dtype.is_integer:
        return end + (begin - end) * cast(way, line.dtype)  # type: ignore[no-any-return]
    return elementwise.floor(end + cast(begin - end, way.dtype) * way)  # type: ignore[no-any-return]


# Modes of np.pad whose numbers are computed from those of the array.
_ALONG: Final[dict[str, Callable[..., Tensor]]] = {
    "linear_ramp": _ramp,
    "maximum": _of_nearest(reductions.max),
    "mean": _of_nearest(reductions.mean),
    "median": _of_nearest(statistics.median),
    "minimum": _of_nearest(reductions.min),
}


# ---- several in one ---------------------------------------------------------------------------


@deferrable
def column_stack(tup: Sequence[Any]) -> Tensor:
    parts = [as_tensor(a) for a in tup]
    columns = [p if len(dims(p)) > 1 else shaping.reshape(p, (-1, 1)) for p in parts]
    return joining.concatenate(columns, 1)


@deferrable
def block(arrays: Any) -> Tensor:
    """Nested lists: the innermost along the last axis, those around along the ones before."""
    deep, part = 0, arrays
    while isinstance(part, list):
        deep, part = deep + 1, part[0]
    rank = max(deep, _highest(arrays))
    return _block(arrays, rank, deep)


def _highest(arrays: Any) -> int:
    if isinstance(arrays, list):
        return max(_highest(a) for a in arrays)
    return len(dims(as_tensor(arrays)))


def _block(arrays: Any, rank: int, deep: int) -> Tensor:
    if not isinstance(arrays, list):
        tensor = as_tensor(arrays)
        return shaping.reshape(tensor, [1] * (rank - len(dims(tensor))) + list(dims(tensor)))
    return joining.concatenate([_block(a, rank, deep - 1) for a in arrays], -deep)


@deferrable
def array_split(ary: Numeric, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    if not isinstance(indices_or_sections, int):
        return joining.split(ary, indices_or_sections, axis)
    tensor = as_tensor(ary)
    parts = np.array_split(np.arange(dims(tensor)[axis]), indices_or_sections)
    return joining.split(tensor, np.cumsum([len(p) for p in parts])[:-1], axis)


@deferrable
def ediff1d(ary: Numeric) -> Tensor:
    return running.diff(shapes.ravel(ary))


@deferrable
def extract(condition: Numeric, arr: Numeric) -> Tensor:
    return indexing.compress(shapes.ravel(condition), arr)


def shape(a: Numeric) -> tuple[Any, ...]:
    return tuple(as_tensor(a).shape)


def ndim(a: Numeric) -> int:
    return len(dims(as_tensor(a)))


@deferrable
def piecewise(x: Numeric, condlist: Any, funclist: Any) -> Tensor:
    """Each function where its condition holds; it is given all elements."""
    tensor = as_tensor(x)
    conditions = [as_tensor(c) for c in (condlist if isinstance(condlist, list) else [condlist])]
    values = [f(tensor) if callable(f) else f for f in funclist]
    default = values[len(conditions)] if len(values) > len(conditions) else 0
    return indexing.select(conditions, values[: len(conditions)], default)


@deferrable
def vecdot(x1: Numeric, x2: Numeric) -> Tensor:
    a, b = promoted_floats(x1, x2)
    return reductions.sum(elementwise.conj(a) * b, -1)


@deferrable
def astype(x: Numeric, dtype: Any) -> Tensor:
    return cast(as_tensor(x), dtype)


@deferrable
def trunc(x: Numeric) -> Tensor:
    return elementwise.fix(x)  # type: ignore[no-any-return]


@deferrable
def array_equiv(a1: Numeric, a2: Numeric) -> Tensor:
    a, b = promoted_floats(a1, a2)
    return reductions.all(comparison.equal(a, b))
