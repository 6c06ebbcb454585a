"""Divided differences of a function at given points, also where points coincide or nearly do.

f[a, b] = (f(a) - f(b)) / (a - b), and f'(a) where b = a; f[a, b, c] = (f[b, c] - f[a, b]) / (c - a), and
so on. Where points are so close that the difference has lost its digits, it is the mean of the
derivative of that order over the simplex that they span (Hermite and Genocchi), by Gauss's quadrature.
The errors of both are estimated, and the better one is taken.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.derivatives.forward import jvp
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape
from wengert.ops.math.elementwise import ones_like
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values.convert import convert

if TYPE_CHECKING:
    from wengert.values.typing import Array

_NODES: Final = 8  # along each axis of the quadrature, and two fewer for its error
_CLOSE: Final = 0.1  # relative gaps for which quadrature is tried in any case
_GOOD: Final = 100  # units in the last place that are good enough for a difference


def divided_differences(f: Callable[[Any], Any], points: Array, order: int) -> Any:
    """The divided differences of all tuples of order + 1 points, as a tensor of one axis.

    Args:
        f: An elementwise function in our operations, of a vector.
        points: A vector of real numbers in ascending order.
        order: How many differences are taken of one another.

    Returns:
        `len(points) ** (order + 1)` numbers, a linear function of values and derivatives of f, through
        which gradients flow to what f closes over.
    """
    values = f(convert(points))
    errors = np.abs(np.asarray(values)) * np.finfo(points.dtype).eps
    for level in range(1, order + 1):
        values, errors = _next(f, points, level, values, errors)
    return values


def _next(
    f: Callable[[Any], Any], points: Array, level: int, lower: Any, errors: Array
) -> tuple[Any, Array]:
    """The differences of one order from those of the order below, and the errors of both."""
    count = len(points)
    tuples = np.array(
        list(itertools.combinations_with_replacement(range(count), level + 1)), np.int64
    )
    place = count ** np.arange(level)[::-1]
    first, last = tuples[:, :-1] @ place, tuples[:, 1:] @ place
    gap = points[tuples[:, -1]] - points[tuples[:, 0]]
    safe = np.where(gap > 0, gap, 1).astype(points.dtype)
    values = (gather(lower, last) - gather(lower, first)) / convert(safe)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (errors[first] + errors[last]) / gap
    found = np.where(gap > 0, found, np.inf)
    good = _GOOD * np.finfo(points.dtype).eps * np.abs(np.asarray(values))
    # A function that is zero says nothing of its derivative by what it closes over.
    close = gap <= _CLOSE * np.max(np.abs(points[tuples]), axis=1, initial=0.0)
    near = np.flatnonzero(~(found <= good) | close)
    if near.size:
        means, of_means = _means(f, points[tuples[near]], level)
        with np.errstate(invalid="ignore"):
            better = (of_means <= found[near]) | (gap[near] == 0)
        chosen = np.arange(len(tuples))
        chosen[near[better]] = len(tuples) + np.flatnonzero(better)
        values = gather(concat([values, means], 0), chosen)
        found[near[better]] = of_means[better]
    spread = _positions(tuples, count)
    return gather(values, spread), found[spread]


def _positions(tuples: Array, count: int) -> Array:
    """For each tuple of indices, where the sorted one is in the list."""
    width = tuples.shape[1]
    place = count ** np.arange(width)[::-1]
    position = np.zeros(count**width, np.int64)
    position[tuples @ place] = np.arange(len(tuples))
    everyone = np.indices((count,) * width).reshape(width, -1)
    found: Array = position[place @ np.sort(everyone, axis=0)]
    return found


def _means(f: Callable[[Any], Any], corners: Array, level: int) -> tuple[Any, Array]:
    """The derivative of f of that order, as a mean over simplices with such corners; and the error."""
    derivative = nth_derivative(f, level)
    fine = _mean(derivative, corners, level, _NODES)
    coarse = np.asarray(_mean(derivative, corners, level, _NODES - 2))
    exact = np.asarray(fine)
    with np.errstate(invalid="ignore"):
        error = np.abs(exact - coarse) + np.finfo(corners.dtype).eps * np.abs(exact)
    return fine, np.where(np.isnan(error), np.inf, error)


def _mean(derivative: Callable[[Any], Any], corners: Array, level: int, nodes: int) -> Any:
    at, weights = _simplex(level, nodes)
    inside = corners[:, :1] + np.diff(corners, axis=1) @ at
    values = derivative(convert(inside.ravel().astype(corners.dtype)))
    table = reshape(values, inside.shape)
    return reduce_sum(table * convert(weights.astype(corners.dtype)), -1)


@functools.cache
def _simplex(level: int, nodes: int) -> tuple[Array, Array]:
    """Nodes 1 >= t1 >= t2 >= ... >= 0, as columns, and their weights, which add up to 1 / level!."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    x, w = (x + 1) / 2, w / 2
    shares = np.array(list(itertools.product(x, repeat=level))).T
    weights = np.array([math.prod(ws) for ws in itertools.product(w, repeat=level)])
    for axis in range(level):
        weights = weights * shares[axis] ** (level - 1 - axis)
    return np.cumprod(shares, axis=0), weights


def nth_derivative(f: Callable[[Any], Any], order: int) -> Callable[[Any], Any]:
    """The derivative of an elementwise function, by forward mode within forward mode."""
    return f if order == 0 else nth_derivative(functools.partial(_slope, f), order - 1)


def _slope(f: Callable[[Any], Any], x: Any) -> Any:
    return jvp(f, (x,), (ones_like(x),))[1]
