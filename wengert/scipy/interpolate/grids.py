"""Values between those of a grid."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.numpy.promotion import in_floats, promoted_floats
from wengert.api.numpy.shapes import broadcast_arrays
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import gather_nd
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import reshape
from wengert.ops.arrays.slicing import reverse
from wengert.ops.math import comparison as compare
from wengert.ops.math.arithmetic import multiply
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_any
from wengert.scipy.interpolate.places import (
    beside,
    holds,
    is_one,
    is_outside,
    ordered,
    within,
)
from wengert.values.sizes import certainly
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric


class RegularGridInterpolator:
    """The values between those of a grid, of any number of axes: of the corners around, or the nearest one.

    >>> from wengert.scipy.interpolate import RegularGridInterpolator
    >>> heights = RegularGridInterpolator(([0.0, 1.0], [0.0, 2.0]), [[0.0, 2.0], [1.0, 3.0]])
    >>> heights([[0.5, 1.0], [1.0, 0.5]]).numpy().tolist()
    [1.5, 1.5]
    """

    def __init__(
        self,
        points: Sequence[Numeric],
        values: Numeric,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: float | None = math.nan,
    ) -> None:
        self.values, *grid = promoted_floats(values, *points)
        self.values = _on_grid(self.values, *grid)
        for i, given in enumerate(points):
            falls = _falls(grid[i], given)
            if falls is False:
                continue
            line, turned = reverse(grid[i], [0]), reverse(self.values, [i])
            grid[i] = line if falls is True else where(falls, line, grid[i])
            self.values = turned if falls is True else where(falls, turned, self.values)
        self.grid = tuple(grid)
        self.method, self.bounds_error, self.fill_value = _method(method), bounds_error, fill_value

    def __call__(self, xi: Any, method: str | None = None) -> Tensor:
        """The values at places, whose coordinates are in the last axis, or in a tuple."""
        places = _stacked(xi) if isinstance(xi, tuple) else _rows(xi, len(self.grid))
        at, values, *grid = promoted_floats(places, self.values, *self.grid)
        how = _method(method or self.method), self.bounds_error, self.fill_value
        return _between(at, values, grid, *how)


def _stacked(xi: Any) -> Any:
    """Places whose coordinates are in the last axis: those of a tuple are in its parts."""
    return stack(broadcast_arrays(*xi), -1) if isinstance(xi, tuple) else xi


@deferrable
def _rows(xi: Numeric, count: int) -> Tensor:
    """Places in rows: a list of numbers is one of a grid of several axes, and as many of a grid of one."""
    at = in_floats(xi)
    if len(dims(at)) != 1:
        return identity(at)  # type: ignore[no-any-return]
    return reshape(at, (-1, 1) if count == 1 else (1, -1))


def _falls(line: Tensor, given: Any) -> Any:
    """Whether the points of a grid fall; where only a run can tell, a tensor."""
    if isinstance(given, np.ndarray):
        return bool(given.size and given.real[-1] < given.real[0])
    falls = reduce_any(ordered(line)[-1:] < ordered(line)[:1])
    return bool(falls) if type(falls) is Tensor else falls


@deferrable
def _on_grid(values: Tensor, *grid: Tensor) -> Tensor:
    """The values, if they fit the lines of a grid, and these rise."""
    sizes = dims(values)
    if len(grid) > len(sizes):
        raise ValueError(
            f"There are {len(grid)} point arrays, but `values` has {len(sizes)} dimensions"
        )
    for i, line in enumerate(grid):
        if certainly(dims(line)[0] != sizes[i]):
            raise ValueError(
                f"There are {dims(line)[0]} points and {sizes[i]} values on dimension {i}"
            )
        way = ordered(line[1:]) - ordered(line[:-1])
        if holds(way <= 0.0) and holds(way >= 0.0):
            raise ValueError(
                f"The points in dimension {i} must be strictly ascending or descending"
            )
    fitting: Tensor = identity(values)
    return fitting


@deferrable
def _between(
    at: Tensor,
    values: Tensor,
    grid: Sequence[Tensor],
    method: str,
    bounds_error: bool,
    fill_value: float | None,
) -> Tensor:
    """The values at places, whose coordinates are in the last axis."""
    is_nowhere = compare.not_equal(at, at)
    count, behind = len(grid), len(dims(values)) - len(grid)
    if certainly(dims(at)[-1] != count):
        raise ValueError(
            f"The requested sample points xi have dimension {dims(at)[-1]}, but this "
            f"RegularGridInterpolator has dimension {count}"
        )
    lines = [at[..., i] for i in range(count)]
    outside = [is_outside(line, x) for line, x in zip(grid, lines, strict=True)]
    for i, one in enumerate(outside if bounds_error else []):
        if holds(compare.logical_or(one, is_nowhere[..., i])):
            raise ValueError(f"One of the requested xi is out of bounds in dimension {i}")
    found = (_of_corners if method == "linear" else _of_nearest)(values, grid, lines)
    # Nothing is nearest to a place that is no number; between others such a place has shares of none, either.
    if method == "nearest" or any(map(is_one, grid)):
        found = where(beside(reduce_any(is_nowhere, -1), behind), math.nan, found)
    if fill_value is None:
        return found
    any_outside = functools.reduce(compare.logical_or, outside)
    return where(beside(any_outside, behind), cast(fill_value, found.dtype), found)


def _method(name: str) -> str:
    if name not in ("linear", "nearest"):
        raise ValueError(f"Method {name!r} is not defined: it is 'linear' or 'nearest'.")
    return name


def _of_corners(values: Tensor, grid: Sequence[Tensor], lines: Sequence[Tensor]) -> Tensor:
    """The values at the corners around each place, by how near they are."""
    around = [within(line, at) for line, at in zip(grid, lines, strict=True)]
    total: Any = 0.0
    for corner in itertools.product(*((0,) if is_one(line) else (0, 1) for line in grid)):
        index = stack([i + side for (i, _), side in zip(around, corner, strict=True)], -1)
        shares = [w if side else 1.0 - w for (_, w), side in zip(around, corner, strict=True)]
        share = functools.reduce(multiply, shares)
        total = total + beside(share, len(dims(values)) - len(grid)) * gather_nd(values, index)
    return total  # type: ignore[no-any-return]


def _of_nearest(values: Tensor, grid: Sequence[Tensor], lines: Sequence[Tensor]) -> Tensor:
    around = [within(line, at) for line, at in zip(grid, lines, strict=True)]
    return gather_nd(values, stack([i + cast(ordered(w) > 0.5, i.dtype) for i, w in around], -1))


def interpn(
    points: Sequence[Numeric],
    values: Numeric,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: float | None = math.nan,
) -> Tensor:
    """The values between those of a grid: see `RegularGridInterpolator`."""
    found = RegularGridInterpolator(points, values, method, bounds_error, fill_value)
    return found(_stacked(xi))
