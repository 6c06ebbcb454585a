"""Sparse and ragged values: rows that lie apart, and where they are."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from wengert.insight.source.families.rows import count_of_sorted
from wengert.insight.source.kernels import Symbol
from wengert.insight.source.text import Text, call, item
from wengert.values.shapes import Dims


def _dense(values: Symbol, indices: Symbol, *, shape: Dims, validate: bool) -> Text:
    return call("_dense", values.text, indices.text, tuple(map(int, shape)))


def _product(values: Symbol, indices: Symbol, b: Symbol, *, rows: int) -> Text:
    shape = (int(rows), b.shape[0])
    return call("_sparse_product", values.text, indices.text, b.text, shape)


def _laid_out(x: Symbol, ids: Symbol, *, count: int) -> Text:
    return call("_laid_out", x.text, ids.text, int(count))


def _taken_up(laid: Symbol, ids: Symbol, *, count: int) -> Text:
    return call("_taken_up", laid.text, ids.text, int(count))


def _groups(indices: Symbol) -> Text:
    return call("_groups", indices.text)


def _segments(scale: str, x: Symbol, i: Symbol, ids: Symbol, *, num_segments: int | None) -> Text:
    count: Any = count_of_sorted(ids) if num_segments is None else int(num_segments)
    total = call("_segments", Text("np.add"), item(x.text, i.text), ids.text, count)
    return total if not scale else call(scale, total, ids.text)


def _slice(cut: Any) -> Text:
    return call("slice", *cut)


TEMPLATES: Final = {
    "SparseToDense": _dense,
    "SparseTensorDenseMatMul": _product,
    "SegmentRows": _laid_out,
    "SegmentRowsBack": _taken_up,
    "SparseGroups": _groups,
    "RaggedRowIds": lambda splits: call("_row_ids", splits.text),
    "RaggedCut": lambda splits, *, cut: call("_ragged_cut", splits.text, _slice(cut)),
    "RaggedRows": lambda splits, rows: call("_ragged_rows", splits.text, rows.text),
    "SparseSegmentSum": partial(_segments, ""),
    "SparseSegmentMean": partial(_segments, "_by_size"),
    "SparseSegmentSqrtN": partial(_segments, "_by_root_of_size"),
}

HELPERS: Final = {
    "_dense": """
def _dense(values, indices, shape):
    whole = np.zeros(shape, values.dtype)
    whole[tuple(indices.T)] = values
    return whole
""",
    "_sparse_product": """
def _sparse_product(values, indices, b, shape):
    a = scipy.sparse.csr_matrix((values, tuple(indices.T)), shape=shape)
    return np.asarray(a @ b).astype(b.dtype)
""",
    "_place_in_segment": """
def _place_in_segment(ids, count):
    order = np.argsort(ids, kind="stable")
    starts = np.searchsorted(ids[order], np.arange(count))
    place = np.zeros(ids.size, int)
    place[order] = np.arange(ids.size) - starts[np.maximum(ids[order], 0)]
    return place
""",
    "_laid_out": """
def _laid_out(x, ids, count):
    flat = ids.ravel()
    place, kept = _place_in_segment(flat, count), flat >= 0
    rows = x.reshape(ids.size, *x.shape[ids.ndim :])
    size = np.max(place[kept] + 1, initial=0)
    laid = np.zeros((count, size, *rows.shape[1:]), rows.dtype)
    laid[flat[kept], place[kept]] = rows[kept]
    return laid
""",
    "_taken_up": """
def _taken_up(laid, ids, count):
    flat = ids.ravel()
    place, kept = _place_in_segment(flat, count), flat >= 0
    rows = np.zeros((ids.size, *laid.shape[2:]), laid.dtype)
    rows[kept] = laid[flat[kept], place[kept]]
    return rows.reshape(*ids.shape, *laid.shape[2:])
""",
    "_groups": """
def _groups(indices):
    unique, place = np.unique(indices, axis=0, return_inverse=True)
    return unique, place.reshape(-1)
""",
    "_ragged_rows": """
def _ragged_rows(splits, rows):
    parts = [np.arange(splits[r], splits[r + 1]) for r in rows]
    return _with_ends(parts, splits.dtype)
""",
    "_with_ends": """
def _with_ends(parts, dtype):
    ends = np.cumsum([0, *map(len, parts)])
    places = np.concatenate([np.zeros(0, int), *parts])
    return places.astype(dtype), ends.astype(dtype)
""",
    "_ragged_cut": """
def _ragged_cut(splits, cut):
    parts = [np.arange(a, b)[cut] for a, b in zip(splits, splits[1:])]
    return _with_ends(parts, splits.dtype)
""",
    "_row_ids": """
def _row_ids(splits):
    return np.repeat(
        np.arange(len(splits) - 1, dtype=splits.dtype), np.diff(splits)
    )
""",
    "_by_size": """
def _by_size(total, ids):
    sizes = np.maximum(np.bincount(ids, minlength=len(total)), 1)
    sizes = sizes.reshape(-1, *[1] * (total.ndim - 1))
    return total / sizes.astype(total.real.dtype)
""",
    "_by_root_of_size": """
def _by_root_of_size(total, ids):
    sizes = np.sqrt(np.maximum(np.bincount(ids, minlength=len(total)), 1))
    sizes = sizes.reshape(-1, *[1] * (total.ndim - 1))
    return total / sizes.astype(total.real.dtype)
""",
}
