"""Rows by their index: gathers, scatters, segments; sorting, and sums along an axis."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from wengert.insight.source.kernels import NotWritableError, Symbol
from wengert.insight.source.text import Text, call, index_of, infix, item, listed, method, prefix
from wengert.values import dtypes
from wengert.values.shapes import Dims


def _segments(ufunc: str, x: Symbol, ids: Symbol, count: Any, empty: Any) -> Text:
    flat = ids.text if ids.ndim == 1 else call("np.ravel", ids.text)
    rows = x.text
    if ids.ndim != 1:
        rows = method(x.text, "reshape", (int(np.prod(ids.shape)), *x.shape[ids.ndim :]))
    named = {} if empty == 0 else {"empty": empty}
    return call("_segments", Text(f"np.{ufunc}"), rows, flat, count, **named)


def _unsorted(
    ufunc: str, empty: Any, x: Symbol, ids: Symbol, *like: Symbol, num_segments: Any = None
) -> Text:
    """`like` has as many rows as there are segments, where only the run can tell."""
    count = call("len", like[0].text) if like else int(num_segments)
    if like and like[0].ndim == 0:
        raise NotWritableError("a number of segments that is computed")
    return _segments(ufunc, x, ids, count, _of_dtype(empty, x.dtype))


def _of_dtype(empty: Any, dtype: Any) -> Any:
    if not isinstance(empty, str):
        return empty
    return getattr(dtypes.of_numpy(dtype), empty)


def _sorted(ufunc: str, neutral: Any, empty: int, x: Symbol, ids: Symbol) -> Text:
    found = _segments(ufunc, x, ids, count_of_sorted(ids), _of_dtype(neutral, x.dtype))
    return found if neutral == empty else call("_nothing_as_zero", found, ids.text)


def count_of_sorted(ids: Symbol) -> Text:
    """How many segments there are: their numbers ascend."""
    return infix("+", item(ids.text, -1), Text("1"))


def _segment_mean(x: Symbol, ids: Symbol) -> Text:
    return call("_segment_means", x.text, ids.text)


def batched_gather_back(g: Symbol, i: Symbol, *, axis: int, batch_dims: int, shape: Dims) -> Text:
    """The gradient of that."""
    if axis != batch_dims or i.ndim - batch_dims != 1:
        raise NotWritableError("the gradient of such a gather")
    return call("_put_along", g.text, i.text, tuple(map(int, shape)))


def batched_gather(x: Symbol, i: Symbol, *, axis: int, batch_dims: int) -> Text:
    """A gather whose first axes are of a batch; what lies between them and the axis moves behind it."""
    if axis == batch_dims:
        return call("_rows_of_each", x.text, i.text, batch_dims)
    between = (*range(batch_dims, axis),)
    ends = tuple(range(i.ndim, i.ndim + len(between)))
    first = call("np.moveaxis", x.text, axis, batch_dims)
    return call("np.moveaxis", call("_rows_of_each", first, i.text, batch_dims), ends, between)


def gathered_nd(x: Symbol, i: Symbol, *, batch_dims: int) -> Text:
    """Rows at coordinates, each in its own part of a batch."""
    if not i.shape[-1]:
        return call("np.broadcast_to", x.text, (*i.shape[:-1], *x.shape[batch_dims:]))
    if not batch_dims:
        return item(x.text, places(i))
    return call("_rows_of_each_nd", x.text, i.text, batch_dims)


def scattered_nd(i: Symbol, x: Symbol, *, shape: Any, batch_dims: int) -> Text:
    """Rows added up at coordinates of an array of zeros."""
    whole = tuple(map(int, shape))
    if not i.shape[-1]:
        return call("np.sum", x.text, axis=tuple(range(i.ndim - 1)))
    if not batch_dims:
        return call("_scattered", x.text, places(i), whole)
    return call("_scattered_in_each", x.text, i.text, whole, batch_dims)


def places(i: Symbol) -> Text:
    """An index for each axis, of an array of indices."""
    return Text(f"tuple(np.moveaxis({i.text}, -1, 0))")


def changed(kind: str, by_coordinates: bool) -> Any:
    """A copy of an array, changed at rows or at coordinates."""

    def template(x: Symbol, i: Symbol, rows: Symbol) -> Text:
        if not i.shape[-1:] and by_coordinates:
            raise NotWritableError(f"Scatter{kind}")
        at = places(i) if by_coordinates else i.text
        if kind == "Update":
            return call("_with_updated", x.text, at, rows.text)
        if kind == "Add":
            return call("_with_added", x.text, at, rows.text)
        return call("_with_changed", Text(f"np.{_CHANGES[kind]}"), x.text, at, rows.text)

    return template


_CHANGES: Final = {
    "Sub": "subtract", "Mul": "multiply", "Div": "divide", "Min": "fmin", "Max": "fmax",
}  # fmt: skip


def _partitioned(x: Symbol, parts: Symbol, *, num_partitions: int) -> Text:
    which = parts.text
    return Text(f"[{item(x.text, Text(f'{which} == i'))} for i in range({int(num_partitions)})]")


def _stitched(*xs: Symbol) -> Text:
    half = len(xs) // 2
    indices, rows = (listed([v.text for v in part]) for part in (xs[:half], xs[half:]))
    return call("_stitched", indices, rows, xs[half].shape[xs[0].ndim :])


def _counted(values: Symbol, weights: Symbol, *, size: int, binary: bool) -> Text:
    named = {"binary": True} if binary else {}
    return call("_counted", values.text, weights.text, int(size), **named)


def _nth(x: Symbol, *, n: int, reverse: bool) -> Text:
    at = int(x.shape[-1] - 1 - n if reverse else n)
    return item(call("np.partition", x.text, at, axis=-1), (Ellipsis, at))


def _unique(count: int) -> Any:
    def template(x: Symbol, *, out_idx: Any) -> Text:
        made = call("_unique", x.text, np.dtype(out_idx.numpy_dtype))
        return made if count == 3 else item(made, slice(0, count))

    return template


def _mirrored(g: Symbol, *, paddings: Any, mode: Any, shape: Any) -> Text:
    text = g.text
    for axis, (pad, size) in enumerate(zip(paddings, shape, strict=True)):
        if tuple(pad) != (0, 0):
            text = call("_folded", text, axis, int(size), tuple(map(int, pad)), mode)
    return text


def _one_hot(i: Symbol, *, depth: int, axis: int, on: Any, off: Any) -> Text:
    hit = infix("==", item(i.text, (Ellipsis, None)), call("np.arange", int(depth)))
    text = call("np.where", hit, call(f"np.{on.dtype.name}", on), call(f"np.{on.dtype.name}", off))
    return text if axis in (-1, i.ndim) else call("np.moveaxis", text, -1, axis)


def _stable(name: str) -> Any:
    def template(x: Symbol, *, axis: Any, keepdims: bool = True) -> Text:
        named = {} if keepdims else {"keepdims": False}
        return call(name, x.text, tuple(axis), **named)

    return template


def _top(x: Symbol, *, k: int, largest: bool, index_type: Any) -> Text:
    key = x.text if not largest else prefix("-" if x.dtype.kind == "f" else "~", x.text)
    return call("_first", x.text, key, k, np.dtype(index_type.numpy_dtype))


def _scanned(
    name: str, neutral: int, x: Symbol, *, axis: int, exclusive: bool, reverse: bool
) -> Text:
    text = call("np.flip", x.text, axis) if reverse else x.text
    if name == "logaddexp":
        text = call("np.logaddexp.accumulate", text, axis=axis)
    else:
        text = call(f"np.{name}", text, axis=axis)
    if exclusive:
        text = call("_later", text, axis, -np.inf if name == "logaddexp" else neutral)
    return call("np.flip", text, axis) if reverse else text


def _recurrence(a: Symbol, b: Symbol, *, axis: int, reverse: bool) -> Text:
    return call("_recurrence", a.text, b.text, axis, reverse)


TEMPLATES: Final = {
    "UnsortedSegmentSum": partial(_unsorted, "add", 0),
    "UnsortedSegmentProd": partial(_unsorted, "multiply", 1),
    "UnsortedSegmentMax": partial(_unsorted, "maximum", "min"),
    "UnsortedSegmentMin": partial(_unsorted, "minimum", "max"),
    "SegmentSum": partial(_sorted, "add", 0, 0),
    "SegmentProd": partial(_sorted, "multiply", 1, 1),
    "SegmentMax": partial(_sorted, "maximum", "min", 0),
    "SegmentMin": partial(_sorted, "minimum", "max", 0),
    "SegmentMean": _segment_mean,
    "TopKV2": _top,
    "Cumsum": partial(_scanned, "cumsum", 0),
    "Cumprod": partial(_scanned, "cumprod", 1),
    "CumulativeLogsumexp": partial(_scanned, "logaddexp", 0),
    "LinearRecurrence": _recurrence,
    "DynamicPartition": _partitioned,
    "DynamicStitch": _stitched,
    "DenseBincount": _counted,
    "NthElement": _nth,
    "Unique": _unique(2),
    "UniqueWithCounts": _unique(3),
    "MirrorPadGrad": _mirrored,
    "OneHot": _one_hot,
    "IsotonicRegression": lambda x: call("_isotonic", x.text),
    "StableSoftmax": _stable("_stable_softmax"),
    "StableLogSoftmax": _stable("_stable_log_softmax"),
    "StableLogSumExp": _stable("_stable_log_sum_exp"),
    "TensorStridedSliceUpdate": lambda x, rows, *, key: call(
        "_with_updated", x.text, index_of(key), rows.text
    ),
    **{f"TensorScatter{k}": changed(k, True) for k in ("Min", "Max")},
    **{f"ResourceScatter{k}": changed(k, False) for k in ("Add", "Update", *_CHANGES)},
    **{f"ResourceScatterNd{k}": changed(k, True) for k in ("Add", "Sub", "Update")},
    "PermuteRows": lambda x, order: call(
        "np.take_along_axis", x.text, item(order.text, (Ellipsis, None)), axis=-2
    ),
    "ReverseSequence": lambda x, lengths, *, seq_axis, batch_axis: call(
        "_turned", x.text, lengths.text, seq_axis, batch_axis
    ),
}

HELPERS: Final = {
    "_with_changed": """
def _with_changed(ufunc, x, places, rows):
    y = x.copy()
    ufunc.at(y, places, rows)
    return y
""",
    "_rows_of_each_nd": """
def _rows_of_each_nd(x, i, batch):
    each = np.ix_(*[np.arange(n) for n in i.shape[:-1]])
    return x[(*each[:batch], *np.moveaxis(i, -1, 0))]
""",
    "_scattered_in_each": """
def _scattered_in_each(rows, i, shape, batch):
    each = np.ix_(*[np.arange(n) for n in i.shape[:-1]])
    return _scattered(rows, (*each[:batch], *np.moveaxis(i, -1, 0)), shape)
""",
    "_stitched": """
def _stitched(indices, rows, shape):
    count = max(np.max(i, initial=-1) for i in indices) + 1
    whole = np.zeros((count, *shape), rows[0].dtype)
    for i, part in zip(indices, rows):
        whole[i] = part
    return whole
""",
    "_counted": """
def _counted(values, weights, size, binary=False):
    rows = values.reshape(-1, values.shape[-1])
    whole = np.zeros((len(rows), size), weights.dtype)
    at = np.nonzero(rows < size)[0], rows[rows < size]
    weights = np.broadcast_to(weights, values.shape).reshape(rows.shape)
    if binary:
        whole[at] = 1
    else:
        np.add.at(whole, at, weights[rows < size])
    return whole[0] if values.ndim < 2 else whole
""",
    "_unique": """
def _unique(x, dtype):
    values, first, place, counts = np.unique(
        x,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        axis=None if x.ndim < 2 else 0,
    )
    order = np.argsort(first)
    rank = np.argsort(order)[place.ravel()].astype(dtype)
    return values[order], rank, counts[order].astype(dtype)
""",
    "_folded": """
def _folded(g, axis, size, pads, mode):
    mirrored = np.pad(np.arange(size), pads, mode=mode)
    g = np.moveaxis(g, axis, 0)
    y = np.zeros((size, *g.shape[1:]), g.dtype)
    np.add.at(y, mirrored, g)
    return np.moveaxis(y, 0, axis)
""",
    "_isotonic": """
def _isotonic(x):
    fits, pools = np.zeros(x.shape), np.zeros(x.shape, np.int32)
    for k, row in enumerate(x.astype(np.float64)):
        means, sizes = [], []
        for mean in row.tolist():
            size = 1
            while means and means[-1] <= mean:
                total = means.pop() * sizes[-1] + mean * size
                size += sizes.pop()
                mean = total / size
            means.append(mean)
            sizes.append(size)
        fits[k] = np.repeat(means, sizes)
        pools[k] = np.repeat(np.arange(len(sizes)), sizes)
    return fits.astype(x.dtype), pools
""",
    "_from_top": """
def _from_top(x, axis):
    top = np.max(x, axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, np.zeros_like(top))
    away = x - top
    is_top = away == 0
    below = np.where(is_top, np.zeros_like(x), np.exp(away))
    count = np.sum(is_top, axis, keepdims=True, dtype=x.dtype)
    rest = np.sum(below, axis, keepdims=True) + (count - x.dtype.type(1))
    return top, away, rest
""",
    "_stable_softmax": """
def _stable_softmax(x, axis):
    y = np.exp(_from_top(x, axis)[1])
    return y / np.sum(y, axis, keepdims=True)
""",
    "_stable_log_softmax": """
def _stable_log_softmax(x, axis):
    top, away, rest = _from_top(x, axis)
    return away - np.log1p(rest)
""",
    "_stable_log_sum_exp": """
def _stable_log_sum_exp(x, axis, keepdims=True):
    top, away, rest = _from_top(x, axis)
    y = top + np.log1p(rest)
    return y if keepdims else np.squeeze(y, axis)
""",
    "_segments": """
def _segments(ufunc, rows, ids, count, empty=0):
    whole = np.full((count, *rows.shape[1:]), empty, rows.dtype)
    ufunc.at(whole, ids[ids >= 0], rows[ids >= 0])
    return whole
""",
    "_nothing_as_zero": """
def _nothing_as_zero(y, ids):
    y[np.bincount(ids, minlength=len(y)) == 0] = 0
    return y
""",
    "_segment_means": """
def _segment_means(rows, ids):
    total = _segments(np.add, rows, ids, ids[-1] + 1)
    sizes = np.maximum(np.bincount(ids, minlength=len(total)), 1).astype(rows.real.dtype)
    return total / sizes.reshape(-1, *[1] * (total.ndim - 1))
""",
    "_rows_of_each": """
def _rows_of_each(x, i, batch):
    each = np.ix_(*[np.arange(n) for n in i.shape])
    return x[(*each[:batch], i)]
""",
    "_put_along": """
def _put_along(g, i, shape):
    whole = np.zeros(shape, g.dtype)
    each = np.ix_(*[np.arange(n) for n in i.shape])
    np.add.at(whole, (*each[:-1], i), g)
    return whole
""",
    "_first": """
def _first(x, key, count, dtype):
    places = np.argsort(key, axis=-1, kind="stable")[..., :count]
    return np.take_along_axis(x, places, -1), places.astype(dtype)
""",
    "_later": """
def _later(y, axis, first):
    y = np.roll(y, 1, axis)
    y[(*[slice(None)] * axis, slice(0, 1))] = first
    return y
""",
    "_turned": """
def _turned(x, lengths, seq_axis, batch_axis):
    y = np.moveaxis(x, (batch_axis, seq_axis), (0, 1)).copy()
    for each, n in zip(y, lengths):
        each[:n] = each[:n][::-1].copy()
    return np.moveaxis(y, (0, 1), (batch_axis, seq_axis))
""",
    "_recurrence": """
def _recurrence(a, b, axis, reverse):
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    h = np.zeros_like(b)
    state = np.zeros_like(b[0])
    for i in reversed(range(len(b))) if reverse else range(len(b)):
        state = h[i] = a[i] * state + b[i]
    return np.moveaxis(h, 0, axis)
""",
}
