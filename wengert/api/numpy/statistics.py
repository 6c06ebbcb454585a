"""NumPy's statistics on tensors: order, quantiles, histograms, spreads, also of what is a number alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.numpy import creation, elementwise, indexing, joining, pairs, reductions, shapes
from wengert.api.numpy.products import matmul, outer
from wengert.api.numpy.promotion import as_tensor, in_floats
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import gathering, shaping
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, ones_like, zeros_like
from wengert.ops.reductions import sorting
from wengert.ops.reductions.reductions import normal_axes
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric

# ---- order ------------------------------------------------------------------------------------


@deferrable
def partition(a: Numeric, kth: Any, axis: int | None = -1) -> Tensor:
    """Sorted: one of the ways to have the smaller ones before, and the greater ones behind, each kth."""
    return indexing.sort(a, axis)


@deferrable
def argpartition(a: Numeric, kth: Any, axis: int | None = -1) -> Tensor:
    return indexing.argsort(a, axis)


@deferrable
def searchsorted(a: Numeric, v: Numeric, side: str = "left", sorter: Any = None) -> Tensor:
    ordered, values = as_tensor(a), as_tensor(v)
    if sorter is not None:
        ordered = gathering.gather_densely(ordered, as_tensor(sorter))
    found = sorting.searchsorted(ordered, shaping.reshape(values, (-1,)), side=side)
    return shaping.reshape(cast(found, "int64"), dims(values))


@deferrable
def digitize(x: Numeric, bins: Numeric, right: bool = False) -> Tensor:
    """Into which bin each element falls; the edges rise or fall."""
    edges = np.asarray(bins)
    side = "left" if right else "right"
    if len(edges) and edges[0] > edges[-1]:
        return len(edges) - searchsorted(edges[::-1], x, side)
    return searchsorted(edges, x, side)


# ---- quantiles --------------------------------------------------------------------------------

# How far along the line, in elements, a share of it lies: Hyndman and Fan's alpha and beta.
_CONTINUOUS: Final = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_ROUNDED: Final[dict[str, Callable[[Any], Any]]] = {
    "linear": lambda way: way,
    "lower": elementwise.floor,
    "higher": elementwise.ceil,
    "nearest": elementwise.around,
    "midpoint": lambda way: (elementwise.floor(way) + elementwise.ceil(way)) / 2.0,
}


def _way(share: Tensor, count: Any, method: str) -> Tensor:
    """How many elements, of so many in their order, lie before a share of them."""
    if method in _ROUNDED:
        found: Tensor = _ROUNDED[method](share * (count - 1))
        return found
    if method not in _CONTINUOUS:
        known = ", ".join([*_ROUNDED, *_CONTINUOUS])
        raise TypeError(f"np.quantile of a tensor has no method {method!r}. There are {known}.")
    alpha, beta = _CONTINUOUS[method]
    way = share * count + (alpha + share * (1.0 - alpha - beta)) - 1.0
    return pairs.minimum(pairs.maximum(way, 0.0), count - 1)  # type: ignore[no-any-return]


def _quantiles(counts_all: bool) -> Callable[..., Any]:
    """Quantiles, of all elements or of what is a number."""

    def function(
        a: Numeric, q: Numeric, axis: Any = None, method: str = "linear", keepdims: bool = False
    ) -> Tensor:
        tensor, shares = in_floats(a), as_tensor(q)
        rank = len(dims(tensor))
        axes = normal_axes(axis, rank, "Quantile")
        rest = [i for i in range(rank) if i not in axes]
        sizes = [dims(tensor)[i] for i in rest]
        lines = shaping.reshape(shaping.transpose(tensor, [*axes, *rest]), [-1, *sizes])
        flat = shaping.reshape(cast(shares, "float64"), [-1, *[1] * len(rest)])
        between = _of_all if counts_all else _of_numbers
        found = between(lines, flat, method)
        kept = [1 if i in axes else dims(tensor)[i] for i in range(rank)] if keepdims else sizes
        return shaping.reshape(found, [*dims(shares), *kept])

    return deferrable(function)


def _of_all(lines: Tensor, shares: Tensor, method: str) -> Tensor:
    """Quantiles along the first axis; not a number where there is one that is none."""
    count = dims(lines)[0]
    pick = lambda x, places: gathering.gather_densely(x, shaping.reshape(places, (-1,)))  # noqa: E731
    found = _between(sorting.sort(lines, 0), shares, count, method, pick)
    return _where_missing(reductions.any(elementwise.isnan(lines), 0), found)


def _of_numbers(lines: Tensor, shares: Tensor, method: str) -> Tensor:
    """Quantiles along the first axis of what is a number; each line may have another count."""
    missing = elementwise.isnan(lines)
    there = where(missing, zeros_like(lines), ones_like(lines))
    count = cast(reductions.sum(there, 0), "float64")
    ordered = sorting.sort(where(missing, zeros_like(lines) + math.inf, lines), 0)
    pick = lambda x, places: indexing.take_along_axis(x, places, 0)  # noqa: E731
    found = _between(ordered, shares, count, method, pick)
    return _where_missing(reductions.all(missing, 0), found)


def _between(ordered: Tensor, shares: Tensor, count: Any, method: str, pick: Any) -> Tensor:
    """Between the two elements that are next to a share of the way."""
    way = pairs.maximum(_way(shares, count, method), 0.0)
    below = elementwise.floor(way)
    above = pairs.maximum(pairs.minimum(below + 1.0, count - 1), 0.0)
    weight = cast(way - below, ordered.dtype)
    low, high = (pick(ordered, cast(places, "int64")) for places in (below, above))
    return low + (high - low) * weight  # type: ignore[no-any-return]


def _where_missing(missing: Tensor, found: Tensor) -> Tensor:
    return where(missing, zeros_like(found) + math.nan, found)


quantile, nanquantile = _quantiles(counts_all=True), _quantiles(counts_all=False)


def _percentiles(quantiles: Callable[..., Any]) -> Callable[..., Any]:
    def function(
        a: Numeric, q: Numeric, axis: Any = None, method: str = "linear", keepdims: bool = False
    ) -> Tensor:
        shares = cast(as_tensor(q), "float64") / 100.0
        return quantiles(a, shares, axis, method, keepdims)  # type: ignore[no-any-return]

    return deferrable(function)


percentile, nanpercentile = _percentiles(quantile), _percentiles(nanquantile)


def _medians(quantiles: Callable[..., Any]) -> Callable[..., Any]:
    def function(a: Numeric, axis: Any = None, keepdims: bool = False) -> Tensor:
        return quantiles(a, 0.5, axis, "linear", keepdims)  # type: ignore[no-any-return]

    return deferrable(function)


median, nanmedian = _medians(quantile), _medians(nanquantile)


# ---- histograms -------------------------------------------------------------------------------


@deferrable
def histogram(
    a: Numeric, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Tensor, Tensor]:
    """How many elements fall into each bin, or the sum of their weights; and the edges of the bins."""
    values = shapes.ravel(in_floats(a))
    edges = _edges(values, bins, range)
    if weights is None:
        each = cast(ones_like(values), "int64")
    else:
        each = shapes.ravel(as_tensor(weights))
    count = dims(edges)[0] - 1
    place = searchsorted(edges, values, "right") - 1
    place = where(pairs.equal(values, edges[-1]), zeros_like(place) + (count - 1), place)
    place = where(pairs.less(place, count), place, zeros_like(place) - 1)  # outside: in no segment
    found = gathering.unsorted_segment_sum(each, place, count)
    if not density:
        return found, edges
    share = cast(found, edges.dtype) if weights is None else found
    return share / (edges[1:] - edges[:-1]) / reductions.sum(share), edges


def _edges(values: Tensor, bins: Any, ends: Any) -> Tensor:
    if isinstance(bins, str):
        raise TypeError(
            "np.histogram of a tensor takes a number of bins, or their edges. "
            f"np.histogram_bin_edges of its numbers finds edges by {bins!r}."
        )
    if np.ndim(bins):
        return in_floats(bins)
    if ends is not None:
        low, high = (as_tensor(end, values.dtype) for end in ends)
    elif not dims(values)[0]:
        low, high = as_tensor(0.0, values.dtype), as_tensor(1.0, values.dtype)
    else:
        low, high = reductions.min(values), reductions.max(values)
    is_point = pairs.equal(low, high)
    low, high = where(is_point, low - 0.5, low), where(is_point, high + 0.5, high)
    return creation.linspace(low, high, int(bins) + 1)  # type: ignore[no-any-return]


@deferrable
def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Tensor:
    """How often each number occurs, or the sum of its weights."""
    places = np.asarray(x)
    count = max(int(minlength), int(places.max(initial=-1)) + 1)
    each = np.ones(places.shape, int) if weights is None else weights
    return gathering.unsorted_segment_sum(as_tensor(each), as_tensor(places), count)


# ---- spreads ----------------------------------------------------------------------------------


@deferrable
def std(a: Numeric, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False) -> Tensor:  # fmt: skip
    return elementwise.sqrt(reductions.var(a, axis, dtype, None, ddof, keepdims))  # type: ignore[no-any-return]


@deferrable
def cov(m: Numeric, y: Numeric | None = None, rowvar: bool = True, bias: bool = False, ddof: Any = None) -> Tensor:  # fmt: skip
    rows = shapes.atleast_2d(in_floats(m))
    rows = rows if rowvar or len(dims(as_tensor(m))) < 2 else shaping.transpose(rows)
    if y is not None:
        more = shapes.atleast_2d(in_floats(y))
        rows = joining.concatenate([rows, more if rowvar else shaping.transpose(more)], 0)
    less = (0 if bias else 1) if ddof is None else ddof
    centred = rows - reductions.mean(rows, 1, keepdims=True)
    turned = shaping.transpose(elementwise.conj(centred))
    return shaping.squeeze(matmul(centred, turned) / (dims(rows)[1] - less))


@deferrable
def corrcoef(x: Numeric, y: Numeric | None = None, rowvar: bool = True) -> Tensor:
    found = cov(x, y, rowvar)
    if not dims(found):
        return found / found
    spread = elementwise.sqrt(elementwise.real(indexing.diagonal(found)))
    return pairs.divide(found, outer(spread, spread))  # type: ignore[no-any-return]


# ---- of what is a number ------------------------------------------------------------------------


def _filled(reduce: Callable[..., Any], instead: float) -> Callable[..., Any]:
    """An extreme of what is a number; nan where nothing is."""

    def function(a: Numeric, axis: Any = None, keepdims: bool = False) -> Tensor:
        tensor = in_floats(a)
        missing = elementwise.isnan(tensor)
        found: Tensor = reduce(where(missing, zeros_like(tensor) + instead, tensor), axis, keepdims=bool(keepdims))  # fmt: skip
        return _where_missing(reductions.all(missing, axis, bool(keepdims)), found)

    return deferrable(function)


nanmax = _filled(reductions.max, -math.inf)
nanmin = _filled(reductions.min, math.inf)


@deferrable
def nanvar(a: Numeric, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Tensor:
    tensor = in_floats(a)
    there = elementwise.logical_not(elementwise.isnan(tensor))
    safe = where(there, tensor, zeros_like(tensor))
    count = reductions.sum(cast(there, tensor.dtype), axis, keepdims=True)
    middle = reductions.sum(safe, axis, keepdims=True) / count
    squares = where(there, (safe - middle) * (safe - middle), zeros_like(safe))
    total = reductions.sum(squares, axis, keepdims=bool(keepdims))
    count = reductions.sum(cast(there, tensor.dtype), axis, keepdims=bool(keepdims))
    return total / (count - ddof)


@deferrable
def nanstd(a: Numeric, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Tensor:
    return elementwise.sqrt(nanvar(a, axis, ddof, keepdims))  # type: ignore[no-any-return]
