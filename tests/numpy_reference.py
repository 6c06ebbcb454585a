"""Values of operations for which NumPy has no function, written for clarity, in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

Dims = tuple[int, ...]


def np_cumulative(accumulate: Callable[..., Any], neutral: float) -> Callable[..., Any]:
    def reference(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
        x = np.flip(x, axis) if reverse else x
        if exclusive:
            lead = np.full_like(np.take(x, [0], axis), neutral)
            x = np.concatenate([lead, np.delete(x, -1, axis)], axis)
        y = accumulate(x, axis=axis)
        return np.flip(y, axis) if reverse else y

    return reference


def np_recurrence(a: Any, b: Any, axis: int, reverse: bool) -> Any:
    h = np.zeros_like(b)
    at = range(b.shape[axis])
    before = np.zeros_like(np.take(b, 0, axis))
    for i in reversed(at) if reverse else at:
        before = np.take(a, i, axis) * before + np.take(b, i, axis)
        h[tuple([*[slice(None)] * axis, i])] = before
    return h


def np_shift(x: Any, axis: int, reverse: bool) -> Any:
    y = np.roll(x, -1 if reverse else 1, axis)
    y[tuple([*[slice(None)] * axis, -1 if reverse else 0])] = 0
    return y


def np_matmul(a: Any, b: Any, **flags: bool) -> Any:
    for side, x in (("a", a), ("b", b)):
        if flags.get(f"transpose_{side}") or flags.get(f"adjoint_{side}"):
            x = np.swapaxes(x, -1, -2)
        if flags.get(f"adjoint_{side}"):
            x = np.conj(x)
        a, b = (x, b) if side == "a" else (a, x)
    return np.matmul(a, b)


def np_gather(x: Any, i: Any, axis: int = 0, batch_dims: int = 0) -> Any:
    if batch_dims == 0:
        return np.take(x, i, axis)
    rows = [np_gather(p, q, axis - 1, batch_dims - 1) for p, q in zip(x, i, strict=True)]
    return np.stack(rows)


def np_gather_nd(x: Any, i: Any, batch_dims: int = 0) -> Any:
    if batch_dims == 0:
        if i.shape[-1] == 0:
            return np.broadcast_to(x, (*i.shape[:-1], *x.shape))
        return x[tuple(np.moveaxis(i, -1, 0))]
    return np.stack([np_gather_nd(p, q, batch_dims - 1) for p, q in zip(x, i, strict=True)])


def np_scatter_nd(i: Any, u: Any, shape: Dims) -> Any:
    out = np.zeros(shape, u.dtype)
    for at in np.ndindex(*i.shape[:-1]):
        out[tuple(i[at])] += u[at]
    return out


def np_scatter(change: Callable[..., Any]) -> Callable[..., Any]:
    """One update after the other, at rows or, where the index has a last axis for it, by place."""

    def reference(x: Any, i: Any, u: Any, nd: bool = False) -> Any:
        out = x.copy()
        for at in np.ndindex(*(i.shape[:-1] if nd else i.shape)):
            place = tuple(i[at]) if nd else i[at]
            out[place] = change(out[place], u[at] if u.shape else u)
        return out

    return reference


def np_unique(x: Any) -> Any:
    found = list(dict.fromkeys(x.tolist()))
    return [np.array(found, x.dtype), np.array([found.index(v) for v in x.tolist()])]


def np_segment_sum(x: Any, ids: Any, num_segments: int) -> Any:
    out = np.zeros((num_segments, *x.shape[ids.ndim :]), x.dtype)
    for at in np.ndindex(*ids.shape):
        if ids[at] >= 0:
            out[ids[at]] += x[at]
    return out


def np_one_hot(
    i: Any, depth: int, on_value: float = 1.0, off_value: float = 0.0, axis: int = -1
) -> Any:
    hit = i[..., None] == np.arange(depth)
    return np.moveaxis(np.where(hit, np.float32(on_value), np.float32(off_value)), -1, axis)


def np_slice_grad(g: Any, key: Any, shape: Dims) -> Any:
    out = np.zeros(shape, g.dtype)
    out[key] = g
    return out


def np_norm(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.sqrt(np.sum(np.abs(x) ** 2, axis=axis, keepdims=keepdims)).astype(x.dtype)


def np_sparse_loss(labels: Any, logits: Any) -> Any:
    logs = scipy.special.log_softmax(logits, -1)
    return -np.take_along_axis(logs, labels[..., None], -1)[..., 0]


def np_selu(x: Any) -> Any:
    return 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))


def np_split(x: Any, sizes: Any, axis: int) -> Any:
    return np.split(x, sizes if isinstance(sizes, int) else np.cumsum(sizes)[:-1], axis)


def np_any_norm(x: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False) -> Any:
    flat, over = (np.ravel(x), 0) if axis is None else (x, axis)
    return np.linalg.norm(flat, None if ord == "euclidean" else ord, over, keepdims)


def np_orthogonal_basis(x: Any) -> Any:
    """The columns made orthonormal one after another."""
    columns: list[Any] = []
    for column in x.T:
        rest = column - sum((np.dot(c, column) * c for c in columns), np.zeros(len(column)))
        columns.append(rest / np.linalg.norm(rest))
    return np.stack(columns, -1)
