"""Lists of loops and of tf.TensorArray: Python's while their indices are known, else rows of an array.

An element of rows that was not written is zero.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.engines.xla.asked import NeedsNumbersError, refuse_if
from wengert.engines.xla.backend import jax, jnp
from wengert.engines.xla.rows import Rows, as_rows, as_stack, is_list, is_uneven, padded, parts_of
from wengert.engines.xla.tracing import is_known
from wengert.engines.xla.versions import version
from wengert.values.tensor import TensorList


def _blank(count: int, item: Any) -> Rows:
    """Rows for elements like one of them."""
    parts = jax.tree.map(lambda part: jnp.zeros((count, *np.shape(part)), part.dtype), item)
    return as_stack(parts)


def _written(rows: Rows, index: Any, item: Any) -> Rows:
    """The rows with another element at a place, if there are any."""
    if not len(rows):
        return rows
    if isinstance(item, Rows):
        item = item.in_form_of(rows.row(index))
    put = jax.tree.map(lambda part, new: part.at[index].set(new), parts_of(rows), item)
    return as_stack(put, rows.live)


def _no_row(rows: Rows) -> Any:
    """What is read where there are no rows, in a branch or a loop that is not run."""
    return jax.tree.map(lambda part: jnp.zeros(part.shape[1:], part.dtype), parts_of(rows))


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
    return rows.row(index) if len(rows) else _no_row(rows)


@version("TensorListGetItemLike")
def _get_like(values: Any, index: Any, like: Any) -> Any:
    if is_uneven(values) and is_known(index) and 0 <= int(index) < len(values):
        found = values[int(index)]
        return jnp.zeros_like(like) if found is None else found
    rows = as_rows(values)
    if isinstance(rows, TensorList) or not len(rows):
        return _zeros(like)
    inside = jnp.asarray(index) < len(rows)
    return jax.tree.map(lambda part: jnp.where(inside, part, 0), rows.row(index))


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
    return _written(rows, index, item)


@version("TensorListClearItem")
def _clear(values: Any, index: Any) -> Any:
    if isinstance(values, TensorList) and is_known(index):
        return TensorList([None if i == int(index) else v for i, v in enumerate(values)])
    rows = as_rows(values)
    if isinstance(rows, TensorList) or not len(rows):
        return rows
    return rows.of(rows.array.at[index].set(0))


@version("TensorListOnlyItem")
def _only(values: Any, index: Any, item: Any) -> Any:
    if isinstance(values, TensorList) and is_known(index):
        return TensorList([item if i == int(index) else None for i in range(len(values))])
    rows = _written(_blank(len(values), item), index, item)
    return Rows(rows.array, rows.depth, (getattr(values, "live", None), *rows.lives[1:]))


@version("TensorListAdd")
def _add(a: Any, b: Any) -> Any:
    if isinstance(a, TensorList) and isinstance(b, TensorList):
        return TensorList([_sum(x, y) for x, y in itertools.zip_longest(a, b)])
    a, b = as_rows(a), as_rows(b)
    if not isinstance(a, Rows) or not isinstance(b, Rows):
        return a if isinstance(a, Rows) else b
    size = max(len(a), len(b))
    total = padded(a.array, [size]) + padded(b.array, [size])
    return Rows(total, a.depth, _most([a, b], size))


def _most(lists: Sequence[Rows], size: int) -> list[Any]:
    """The numbers of elements of a list that has the elements of several."""
    columns = [
        [v for v in column if v is not None]
        for column in zip(*[r.lives for r in lists], strict=True)
    ]
    even = [[padded(v, [size]) if np.ndim(v) else v for v in column] for column in columns]
    return [functools.reduce(jnp.maximum, column) if column else None for column in even]


def _sum(x: Any, y: Any) -> Any:
    """The sum of elements, either of which may not be there."""
    if x is None or y is None:
        return y if x is None else x
    return _add(x, y) if is_list(x) else x + y


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
    return padded(rows.array, [len(like)])[: len(like)]


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
    longer = [*values, *[None] * (len(like) - len(values))]
    pairs = zip(longer, like, strict=True)
    return jnp.concatenate([jnp.zeros_like(v) if g is None else g for g, v in pairs])


@version("TensorListSplit")
def _split(joined: Any, like: Any) -> Any:
    if isinstance(like, Rows):
        return like.of(joined.reshape(like.array.shape))
    ends = np.cumsum([len(v) for v in like], dtype=int).tolist()
    return TensorList([joined[e - len(v) : e] for v, e in zip(like, ends, strict=True)])


@version("TensorListFromTensor")
def _unstack(x: Any) -> Any:
    return Rows(x)


@version("TensorListZerosLike", "ZerosLike")
def _zeros(values: Any) -> Any:
    """The zeros of a gradient may be those of a list."""
    if isinstance(values, Rows):
        return values.of(jnp.zeros_like(values.array))
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
    there = [rows for rows in found if isinstance(rows, Rows)]
    size = max(map(len, found))
    if not there:
        return TensorList([None] * size)
    like = padded(there[0].array, [size])
    parts = [
        padded(r.array, [size]) if isinstance(r, Rows) else jnp.zeros_like(like) for r in found
    ]
    depth = there[0].depth
    return Rows(jnp.stack(parts, depth), depth, _most(there, size))


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
    return [rows.of(jnp.take(rows.array, i, axis=rows.depth)) for i in range(num)]


@version("TensorListRepeatExample")
def _repeat_example(values: Any, *, num: int) -> Any:
    if is_uneven(values):
        return _each(values, lambda v: jnp.repeat(v[None], num, axis=0))
    rows = as_rows(values)
    if isinstance(rows, TensorList):
        return rows
    repeated = jnp.repeat(jnp.expand_dims(rows.array, rows.depth), num, axis=rows.depth)
    return rows.of(repeated)


@version("TensorListSumExamples")
def _sum_examples(values: Any, *, num: int) -> Any:
    if is_uneven(values):
        return _each(values, lambda v: v.sum(0))
    rows = as_rows(values)
    return rows if isinstance(rows, TensorList) else rows.of(rows.array.sum(rows.depth))
