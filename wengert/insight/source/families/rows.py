"""Rows by their index: gathers, scatters, segments; sorting, and sums along an axis."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from wengert.insight.source.kernels import NotWritableError, Symbol
from wengert.insight.source.text import Text, call, infix, item, method, prefix
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
    found = _segments(ufunc, x, ids, _count(ids), _of_dtype(neutral, x.dtype))
    return found if neutral == empty else call("_nothing_as_zero", found, ids.text)


def _count(ids: Symbol) -> Text:
    return infix("+", item(ids.text, -1), Text("1"))


def _segment_mean(x: Symbol, ids: Symbol) -> Text:
    return call("_segment_means", x.text, ids.text)


def batched_gather_back(g: Symbol, i: Symbol, *, axis: int, batch_dims: int, shape: Dims) -> Text:
    """The gradient of that."""
    if axis != batch_dims or i.ndim - batch_dims != 1:
        raise NotWritableError("the gradient of such a gather")
    return call("_put_along", g.text, i.text, tuple(map(int, shape)))


def batched_gather(x: Symbol, i: Symbol, *, axis: int, batch_dims: int) -> Text:
    """A gather whose first axes are of a batch, and the next is gathered."""
    if axis != batch_dims:
        raise NotWritableError("such a gather")
    return call("_rows_of_each", x.text, i.text, batch_dims)


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
    "PermuteRows": lambda x, order: call(
        "np.take_along_axis", x.text, item(order.text, (Ellipsis, None)), axis=-2
    ),
    "ReverseSequence": lambda x, lengths, *, seq_axis, batch_axis: call(
        "_turned", x.text, lengths.text, seq_axis, batch_axis
    ),
}

HELPERS: Final = {
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
