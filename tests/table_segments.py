"""Lines of the table of samples: indices, segments, scattering, sorting, counting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from samples import (
    Dims,
    Line,
    Rng,
    anywhere,
    distinct,
    integers,
    internal,
    line,
    stepped,
)

import wengert as tf
from wengert.ops.arrays.raw_bytes import decode_raw
from wengert.ops.reductions.order_statistic import nth_element

WHOLE = "int32 int64"
MOVES = "int32 uint8 bool"


# ---- references -------------------------------------------------------------------------------


def np_segments(
    reduce: Callable[..., Any], empty: Any, divide: Callable[[int], float] | None = None
) -> Callable[..., Any]:
    """A loop over segments, each reduced by itself."""

    def reference(x: Any, ids: Any, num_segments: int | None = None) -> Any:
        count = int(ids.max()) + 1 if num_segments is None else num_segments
        rest = x.shape[ids.ndim :]
        rows = [x[ids == k] for k in range(count)]
        return np.array([
            (reduce(r, axis=0) / divide(len(r)) if divide else reduce(r, axis=0))
            if len(r)
            else np.full(rest, empty(x.dtype), x.dtype)
            for r in rows
        ]).reshape(count, *rest)  # fmt: skip

    return reference


def zero(dtype: Any) -> Any:
    return 0


def one(dtype: Any) -> Any:
    return 1


def lowest(dtype: Any) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else np.finfo(dtype).min


def highest(dtype: Any) -> Any:
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.finfo(dtype).max


def np_rows(x: Any, ids: Any, count: int) -> Any:
    place: dict[int, int] = {}
    at = []
    for k in ids.ravel():
        at.append(place.setdefault(k, 0))
        place[k] += 1
    size = max([n for k, n in place.items() if k >= 0], default=0)
    out = np.zeros((count, size, *x.shape[ids.ndim :]), x.dtype)
    for row, k, j in zip(x.reshape(ids.size, *x.shape[ids.ndim :]), ids.ravel(), at, strict=True):
        if k >= 0:
            out[k, j] = row
    return out


def np_scatter_nd_into(change: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def reference(x: Any, i: Any, u: Any) -> Any:
        out = x.copy()
        for at in np.ndindex(i.shape[:-1]):
            place = tuple(i[at])
            out[place] = change(out[place], u[at])
        return out

    return reference


def np_top(x: Any, k: int) -> Any:
    order = np.argsort(-x, -1, kind="stable")[..., :k]
    return [np.take_along_axis(x, order, -1), order]


def np_sorted(x: Any, axis: int = -1, direction: str = "ASCENDING") -> Any:
    y = np.sort(x, axis)
    return y if direction == "ASCENDING" else np.flip(y, axis)


def np_reverse_sequence(x: Any, n: Any, seq_axis: int, batch_axis: int) -> Any:
    moved = np.moveaxis(x, (batch_axis, seq_axis), (0, 1)).copy()
    for row, size in zip(moved, n, strict=True):
        row[:size] = row[:size][::-1].copy()
    return np.moveaxis(moved, (0, 1), (batch_axis, seq_axis))


def np_stitch(i: Any, j: Any, x: Any, y: Any) -> Any:
    out = np.zeros((max(i.max(), j.max()) + 1, *x.shape[i.ndim :]), x.dtype)
    out[i] = x
    out[j] = y
    return out


def np_bincount(values: Any, weights: Any) -> Any:
    return np.bincount(values, weights, minlength=4)


def np_histogram(x: Any) -> Any:
    return np.histogram(np.clip(x, -2, 2), 4, (-2.0, 2.0))[0]


# ---- domains ----------------------------------------------------------------------------------


def growing(rng: Rng, shape: Dims) -> Any:
    """Sorted segments: always four, of which number 1 may be empty."""
    size = shape[0]
    free = rng.integers(0, 4, max(size - 3, 0))
    return np.sort(np.concatenate([[0, 2, 3], free])).astype(np.int32)


def permutation(rng: Rng, shape: Dims) -> Any:
    return rng.permutation(shape[0]).astype(np.int32)


def rising(rng: Rng, shape: Dims) -> Any:
    return np.sort(rng.uniform(-2, 2, shape), -1)


def both_parts(rng: Rng, shape: Dims) -> Any:
    """As many rows for each part in every draw."""
    return rng.permutation(np.arange(int(np.prod(shape))) % 2).reshape(shape).astype(np.int32)


SORTED: Sequence[Sequence[Dims]] = [[(5,), (5,)], [(6, 2), (6,)]]
UNSORTED: Sequence[Sequence[Dims]] = [[(5,), (5,)], [(4, 2), (4,)], [(2, 3, 2), (2, 3)]]
FOUR = [{"num_segments": 4}]
INTO: Sequence[Sequence[Dims]] = [
    [(3, 2), (2, 1), (2, 2)],
    [(3, 2), (4, 2), (4,)],
    [(4,), (2, 3, 1), (2, 3)],
]
COORDINATES = integers(0, 2)

SEGMENTS = [
    *(line(type, call, np_segments(reduce, empty), domain, growing, shapes=SORTED,
           complex=is_complex, dtypes=WHOLE)
      for type, call, reduce, empty, domain, is_complex in [
          ("SegmentSum", tf.math.segment_sum, np.sum, zero, anywhere, True),
          ("SegmentProd", tf.math.segment_prod, np.prod, one, anywhere, True),
          ("SegmentMax", tf.math.segment_max, np.max, zero, distinct, False),
          ("SegmentMin", tf.math.segment_min, np.min, zero, distinct, False)]),
    line("SegmentMean", tf.math.segment_mean, np_segments(np.mean, zero), anywhere, growing,
         shapes=SORTED, complex=True),
    *(line(type, call, np_segments(reduce, empty), domain, integers(-1, 3), shapes=UNSORTED,
           attrs=FOUR, complex=is_complex, dtypes=WHOLE, small=type.endswith("d"))
      for type, call, reduce, empty, domain, is_complex in [
          ("UnsortedSegmentProd", tf.math.unsorted_segment_prod, np.prod, one, anywhere, True),
          ("UnsortedSegmentMax", tf.math.unsorted_segment_max, np.max, lowest, distinct, False),
          ("UnsortedSegmentMin", tf.math.unsorted_segment_min, np.min, highest, distinct,
           False)]),
    line("[unsorted_segment_mean]", tf.math.unsorted_segment_mean, np_segments(np.mean, zero),
         anywhere, integers(-1, 3), shapes=UNSORTED, attrs=FOUR, complex=True),
    line("[unsorted_segment_sqrt_n]", tf.math.unsorted_segment_sqrt_n,
         np_segments(np.sum, zero, np.sqrt), anywhere, integers(-1, 3), shapes=UNSORTED, attrs=FOUR,
         complex=True),
    line("SegmentRows", internal("SegmentRows"), np_rows, anywhere, both_parts,
         shapes=[[(4,), (4,)], [(2, 3, 2), (2, 3)]], attrs=[{"count": 3}], complex=True),
    line("SegmentRowsBack", internal("SegmentRowsBack"), None, anywhere, both_parts,
         shapes=[[(3, 3, 2), (6,)]], attrs=[{"count": 3}], complex=True),
]  # fmt: skip

INTO_TENSORS = [
    *(line(f"TensorScatter{kind}", call, np_scatter_nd_into(change), domain, COORDINATES, values,  # type: ignore[arg-type]
           shapes=INTO, complex=is_complex, dtypes=WHOLE)
      for kind, call, change, domain, values, is_complex in [
          ("Add", tf.tensor_scatter_nd_add, np.add, anywhere, anywhere, True),
          ("Sub", tf.tensor_scatter_nd_sub, np.subtract, anywhere, anywhere, True),
          ("Update", tf.tensor_scatter_nd_update, lambda x, u: u, anywhere, anywhere, True),
          ("Max", tf.tensor_scatter_nd_max, np.maximum, stepped(0.1), distinct, False),
          ("Min", tf.tensor_scatter_nd_min, np.minimum, stepped(0.1), distinct, False)]),
    line("TensorStridedSliceUpdate",
         lambda x, v: tf.tensor_strided_slice_update(x, [0, 2], [3, -9], [2, -1], v, end_mask=2),
         lambda x, v: np.concatenate([v[:1, ::-1], x[1:2], v[1:, ::-1]]), anywhere, anywhere,
         shapes=[[(3, 3), (2, 3)]], complex=True, dtypes=WHOLE),
]  # fmt: skip

ORDER = [
    line("TopKV2", tf.math.top_k, np_top, distinct, shapes=[[(5,)], [(2, 4)]],
         attrs=[{"k": 1}, {"k": 3}], dtypes=WHOLE),
    line("[sort]", tf.sort, np_sorted, distinct, shapes=[[(4, 3)]], dtypes=WHOLE,
         attrs=[{}, {"axis": 0}, {"direction": "DESCENDING"}]),
    line("[argsort]", tf.argsort, lambda x, axis=-1: np.argsort(x, axis, kind="stable"), distinct,
         shapes=[[(4, 3)]], attrs=[{}, {"axis": 0}], constant=True, dtypes=WHOLE),
    line("[approx_max_k]", lambda x: tf.math.approx_max_k(x, 2, reduction_dimension=0).values,
         lambda x: np.sort(x, 0)[::-1][:2], distinct, shapes=[[(4, 3)]]),
    line("LowerBound", tf.searchsorted, np.searchsorted, rising, anywhere, shapes=[[(5,), (3,)]],
         constant=True),
    line("UpperBound", partial(tf.searchsorted, side="right"),
         partial(np.searchsorted, side="right"), rising, anywhere, shapes=[[(5,), (3,)]],
         constant=True),
    line("InTopKV2", lambda p, t: tf.math.in_top_k(t, tf.cast(p, tf.float32), 2),
         lambda p, t: np.array([t[i] in np.argsort(-p[i])[:2] for i in range(len(t))]), distinct,
         integers(0, 3), shapes=[[(4, 3), (4,)]], constant=True),
    line("Unique", tf.unique, None, distinct, shapes=[[(5,)]]),
    line("UniqueWithCounts", tf.unique_with_counts, None, distinct, shapes=[[(5,)]]),
]  # fmt: skip

DEALING = [
    line("DynamicPartition", lambda x, p: tf.dynamic_partition(x, p, 2),
         lambda x, p: [x[p == 0], x[p == 1]], anywhere, both_parts,
         shapes=[[(4, 2), (4,)], [(2, 3), (2, 3)]], complex=True, dtypes=MOVES),
    line("DynamicStitch", lambda p, x, y: tf.dynamic_stitch([p[:3], p[2:]], [x, y]),
         lambda p, x, y: np_stitch(p[:3], p[2:], x, y), permutation, anywhere, anywhere,
         shapes=[[(5,), (3, 2), (3, 2)]], complex=True, dtypes=MOVES),
    line("ReverseSequence", tf.reverse_sequence, np_reverse_sequence, anywhere, integers(0, 4),
         shapes=[[(3, 3, 2), (3,)]], complex=True, dtypes=MOVES,
         attrs=[{"seq_axis": 1, "batch_axis": 0}, {"seq_axis": 0, "batch_axis": 1}]),
    line("[repeat]", lambda x, axis: tf.repeat(x, [2, 0, 1], axis),
         lambda x, axis: np.repeat(x, [2, 0, 1], axis), shapes=[[(3, 3)]],
         attrs=[{"axis": 0}, {"axis": -1}], complex=True, dtypes=MOVES),
    line("InvertPermutation", tf.math.invert_permutation, np.argsort, permutation, shapes=[[(4,)]]),
    line("UnravelIndex", lambda i: tf.unravel_index(i, [2, 3]),
         lambda i: np.array(np.unravel_index(i, (2, 3))), integers(0, 6), shapes=[[(4,)]]),
    line("BroadcastArgs", lambda x: tf.broadcast_dynamic_shape([2, 1], x),
         lambda x: np.array([2, 3]), integers(3, 4), shapes=[[(1,)]]),
    line("Bitcast", lambda x: tf.bitcast(x, tf.int64), lambda x: x.view(np.int64), small=False,
         constant=True),
    line("[polyval]", lambda x, y: tf.math.polyval([x, 2.0, 1.0], y),
         lambda x, y: x * y * y + 2 * y + 1, anywhere, anywhere),
]  # fmt: skip

COUNTS = [
    line("DenseBincount", lambda v, w: tf.math.bincount(v, w, minlength=4, maxlength=4),
         np_bincount, integers(0, 4), anywhere, shapes=[[(5,), (5,)]], dtypes=WHOLE),
    line("[confusion_matrix]", lambda t, p, w: tf.math.confusion_matrix(t, p, 3, w, w.dtype),
         None, integers(0, 3), integers(0, 3), anywhere, shapes=[[(4,)] * 3]),
    line("[histogram_fixed_width]",
         lambda x: tf.histogram_fixed_width(x, tf.constant([-2.0, 2.0], x.dtype), 4), np_histogram,
         shapes=[[(6,)]], constant=True),
    line("HistogramBin",
         lambda x: tf.histogram_fixed_width_bins(x, tf.constant([-2.0, 2.0], x.dtype), 4),
         lambda x: np.clip((x + 2.0) // 1.0, 0, 3).astype(np.int32), shapes=[[(6,)]], constant=True),
    line("[sequence_mask]", lambda n: tf.sequence_mask(n, 4), lambda n: np.arange(4) < n[:, None],
         integers(0, 5), shapes=[[(3,)]]),
    line("NthElement", lambda x: nth_element(x, 1), lambda x: np.sort(x)[..., 1], distinct, shapes=[[(5,)], [(2, 4)]]),
    line("NthElement", lambda x: nth_element(x, 0, reverse=True), lambda x: x.max(-1), distinct, shapes=[[(2, 4)]]),
    line("AsString", tf.as_string, lambda x: np.vectorize(lambda v: b"%f" % v, [object])(x), shapes=[[(2, 3)]],
         constant=True, small=False),
    line("DecodeRaw", lambda x: decode_raw(tf.as_string(x, precision=1, width=8), tf.uint8),
         lambda x: np.array([list(b"%8.1f" % v) for v in x.ravel()], np.uint8).reshape(*x.shape, 8), shapes=[[(2, 3)]],
         constant=True, small=False),
    line("LeftShift", tf.bitwise.left_shift, np.left_shift, integers(-5, 5), integers(0, 5)),
    line("RightShift", tf.bitwise.right_shift, np.right_shift, integers(-99, 99), integers(0, 5)),
]  # fmt: skip

LINES: Sequence[Line] = [*SEGMENTS, *INTO_TENSORS, *ORDER, *DEALING, *COUNTS]
