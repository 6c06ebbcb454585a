"""Lists of loops and of tf.TensorArray: Python's while their indices are known, else rows of an array.

An element of rows that was not written is zero.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.engines.xla.backend import jnp
from wengert.engines.xla.rows import Rows, as_rows, is_list, is_uneven
from wengert.engines.xla.traced import NeedsNumbersError, refuse_if
from wengert.engines.xla.tracing import is_known
from wengert.engines.xla.versions import version
from wengert.values.tensor import TensorList


def _blank(count: int, item: Any) -> Rows:
    """Rows for elements like one of them."""
    if isinstance(item, Rows):
        return Rows(jnp.zeros((count, *item.array.shape), item.array.dtype), item.depth + 1)
    return Rows(jnp.zeros((count, *np.shape(item)), item.dtype))


def _array(item: Any) -> Any:
    return item.array if isinstance(item, Rows) else jnp.asarray(item)


@version("TensorListReserve")
def _reserve(size: Any) -> Any:
    if not is_known(size):
        raise NeedsNumbersError("the number of elements is not known when it is compiled")
    return TensorList([None] * int(size))


@version("TensorListGetItem")
def _get(values: Any, index: Any, *, dtype: Any, shape: Any) -> Any:
    if isinstance(values, TensorList) and is_known(index) and 0 <= int(index) < len(values):
        found = values[int(index)]
        return jnp.zeros(shape, dtype) if found is None else found
    rows = as_rows(values)
    refuse_if((jnp.asarray(index) < 0) | (jnp.asarray(index) >= len(values)))
    if isinstance(rows, TensorList):
        return jnp.zeros(shape, dtype)
    return rows.row(index)


@version("TensorListGetItemLike")
def _get_like(values: Any, index: Any, like: Any) -> Any:
    if is_uneven(values) and is_known(index) and 0 <= int(index) < len(values):
        found = values[int(index)]
        return jnp.zeros_like(like) if found is None else found
    rows = as_rows(values)
    if isinstance(rows, TensorList) or not len(rows):
        return Rows(jnp.zeros_like(like.array), like.depth) if isinstance(like, Rows) else jnp.zeros_like(like)  # fmt: skip
    found = rows.array[index]
    inside = jnp.asarray(index) < len(rows)
    found = jnp.where(inside, found, jnp.zeros_like(found))
    return found if rows.depth == 1 else Rows(found, rows.depth - 1)


@version("TensorListSetItem")
def _set(values: Any, index: Any, item: Any) -> Any:
    if isinstance(values, TensorList) and is_known(index):
        at = int(index)
        longer = TensorList([*values, *[None] * (at + 1 - len(values))])
        longer[at] = item
        return longer
    rows = as_rows(values)
    if isinstance(rows, TensorList):
        rows = _blank(len(values), item)
    refuse_if((jnp.asarray(index) < 0) | (jnp.asarray(index) >= len(rows)))
    return Rows(rows.array.at[index].set(_array(item)), rows.depth)


@version("TensorListClearItem")
def _clear(values: Any, index: Any) -> Any:
    if isinstance(values, TensorList) and is_known(index):
        return TensorList([None if i == int(index) else v for i, v in enumerate(values)])
    rows = as_rows(values)
    if isinstance(rows, TensorList):
        return rows
    return Rows(rows.array.at[index].set(0), rows.depth)


@version("TensorListOnlyItem")
def _only(values: Any, index: Any, item: Any) -> Any:
    if isinstance(values, TensorList) and is_known(index):
        return TensorList([item if i == int(index) else None for i in range(len(values))])
    rows = _blank(len(values), item)
    return Rows(rows.array.at[index].set(_array(item)), rows.depth)


@version("TensorListAdd")
def _add(a: Any, b: Any) -> Any:
    if isinstance(a, TensorList) and isinstance(b, TensorList):
        return TensorList([_sum(x, y) for x, y in itertools.zip_longest(a, b)])
    a, b = as_rows(a), as_rows(b)
    if not isinstance(a, Rows) or not isinstance(b, Rows):
        return a if isinstance(a, Rows) else b
    size = max(len(a), len(b))
    live = b.live if a.live is None else a.live
    return Rows(_padded(a.array, size) + _padded(b.array, size), a.depth, live)


def _sum(x: Any, y: Any) -> Any:
    """The sum of elements, either of which may not be there."""
    if x is None or y is None:
        return y if x is None else x
    return _add(x, y) if is_list(x) else x + y


def _padded(array: Any, size: int) -> Any:
    missing = size - len(array)
    return jnp.pad(array, [(0, missing), *[(0, 0)] * (array.ndim - 1)]) if missing else array


@version("TensorListStack")
def _stack(values: Any, *, dtype: Any, shape: Any, count: int | None) -> Any:
    rows = as_rows(values)
    if isinstance(rows, TensorList):
        return jnp.zeros((len(values), *[s or 0 for s in shape or ()]), dtype)
    return rows.array


@version("TensorListStackLike")
def _stack_like(values: Any, like: Any) -> Any:
    rows = as_rows(values)
    if isinstance(rows, TensorList):
        return jnp.zeros_like(like)
    return _padded(rows.array, len(like))[: len(like)]


@version("TensorListConcatV2")
def _concat(values: Any, *, dtype: Any, shape: Any) -> Any:
    if isinstance(values, TensorList) and all(v is not None for v in values) and len(values):
        return jnp.concatenate(values)
    stacked = _stack(values, dtype=dtype, shape=shape, count=None)
    return stacked.reshape(-1, *stacked.shape[2:])


@version("TensorListConcatLike")
def _concat_like(values: Any, like: Any, joined: Any) -> Any:
    if isinstance(values, TensorList):
        return _joined(values, like) if isinstance(like, TensorList) else jnp.zeros_like(joined)
    return values.array.reshape(-1, *values.array.shape[2:])


def _joined(values: TensorList, like: Sequence[Any]) -> Any:
    padded = [*values, *[None] * (len(like) - len(values))]
    pairs = zip(padded, like, strict=True)
    return jnp.concatenate([jnp.zeros_like(v) if g is None else g for g, v in pairs])


@version("TensorListSplit")
def _split(joined: Any, like: Any) -> Any:
    if isinstance(like, Rows):
        return Rows(joined.reshape(like.array.shape), like.depth)
    ends = np.cumsum([len(v) for v in like], dtype=int).tolist()
    return TensorList([joined[e - len(v) : e] for v, e in zip(like, ends, strict=True)])


@version("TensorListFromTensor")
def _unstack(x: Any) -> Any:
    return Rows(x)


@version("TensorListZerosLike", "ZerosLike")
def _zeros(values: Any) -> Any:
    """The zeros of a gradient may be those of a list."""
    if isinstance(values, Rows):
        return Rows(jnp.zeros_like(values.array), values.depth, values.live)
    if isinstance(values, TensorList):
        return TensorList([None] * len(values))
    return jnp.zeros_like(values)


@version("TensorListLength")
def _length(values: Any) -> Any:
    live = getattr(values, "live", None)
    return np.int32(len(values)) if live is None else live


# ---- examples of a batch ----------------------------------------------------------------------
# Elements of the examples have the batch axis in front: it stands behind those of the lists.


@version("TensorListJoinExamples")
def _join_examples(*lists: Any) -> Any:
    if all(isinstance(values, TensorList) for values in lists):
        columns = itertools.zip_longest(*lists)
        return TensorList([_joined_elements(column) for column in columns])
    found = [as_rows(values) for values in lists]
    there = next((rows for rows in found if isinstance(rows, Rows)), None)
    size = max(map(len, found))
    if there is None:
        return TensorList([None] * size)
    like = _padded(there.array, size)
    parts = [_padded(r.array, size) if isinstance(r, Rows) else jnp.zeros_like(like) for r in found]
    return Rows(jnp.stack(parts, there.depth), there.depth, there.live)


def _joined_elements(elements: Sequence[Any]) -> Any:
    """Elements of the same place in the lists of several examples."""
    there = next((v for v in elements if v is not None), None)
    if there is None:
        return None
    if any(map(is_list, elements)):
        return _join_examples(*[TensorList() if v is None else v for v in elements])
    return jnp.stack([jnp.zeros_like(there) if v is None else v for v in elements])


def _each(values: TensorList, change: Callable[[Any], Any]) -> TensorList:
    """What a function makes of the elements of a list that are there."""
    return TensorList([None if v is None else change(v) for v in values])


@version("TensorListPartExamples")
def _part_examples(values: Any, *, num: int) -> list[Any]:
    if is_uneven(values):
        return [_each(values, lambda v, i=i: v[i]) for i in range(num)]  # type: ignore[misc]
    rows = as_rows(values)
    if isinstance(rows, TensorList):
        return [rows] * num
    return [
        Rows(jnp.take(rows.array, i, axis=rows.depth), rows.depth, rows.live) for i in range(num)
    ]


@version("TensorListRepeatExample")
def _repeat_example(values: Any, *, num: int) -> Any:
    if is_uneven(values):
        return _each(values, lambda v: jnp.repeat(v[None], num, axis=0))
    rows = as_rows(values)
    if isinstance(rows, TensorList):
        return rows
    repeated = jnp.repeat(jnp.expand_dims(rows.array, rows.depth), num, axis=rows.depth)
    return Rows(repeated, rows.depth, rows.live)


@version("TensorListSumExamples")
def _sum_examples(values: Any, *, num: int) -> Any:
    if is_uneven(values):
        return _each(values, lambda v: v.sum(0))
    rows = as_rows(values)
    return (
        rows
        if isinstance(rows, TensorList)
        else Rows(rows.array.sum(rows.depth), rows.depth, rows.live)
    )
