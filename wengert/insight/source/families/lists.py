"""Lists of arrays, which loops write and read: those of TensorArrays, `map_fn` and `scan`."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np

from wengert.insight.source.kernels import NotWritableError, Symbol
from wengert.insight.source.text import Text, call, infix, item


def _helped(name: str) -> Any:
    def template(*xs: Symbol) -> Text:
        return call(name, *[_plain(x) for x in xs])

    return template


def _plain(index: Symbol) -> Text:
    """An index as a number of Python's, if it is one."""
    found = re.fullmatch(r"np\.int(?:32|64)\((\d+)\)", index.text.text)
    return Text(found[1]) if found else index.text


def _stacked(values: Symbol, *, dtype: Any, shape: Any, **_: Any) -> Text:
    if shape is None or None in shape:
        raise NotWritableError("a list of arrays of unknown sizes")
    return call("_stacked", values.text, tuple(map(int, shape)), np.dtype(dtype))


def _stacked_like(values: Symbol, like: Symbol) -> Text:
    return call("_stacked", values.text, tuple(map(int, like.shape[1:])), like.dtype, like.shape[0])


TEMPLATES: Final = {
    "TensorListReserve": lambda size: infix("*", Text("[None]"), _plain(size)),
    "TensorListZerosLike": lambda values: infix("*", Text("[None]"), call("len", values.text)),
    "TensorListFromTensor": lambda x: call("list", x.text),
    "TensorListLength": lambda values: call("np.int32", call("len", values.text)),
    "TensorListGetItem": lambda values, index, **_: item(values.text, _plain(index)),
    "TensorListGetItemLike": _helped("_item_like"),
    "TensorListSetItem": _helped("_with_item"),
    "TensorListClearItem": lambda values, index: call(
        "_with_item", values.text, _plain(index), Text("None")
    ),
    "TensorListOnlyItem": _helped("_only_item"),
    "TensorListAdd": _helped("_sums_of_items"),
    "TensorListStack": _stacked,
    "TensorListStackLike": _stacked_like,
    "TensorListConcatV2": lambda values, **_: call("np.concatenate", values.text),
    "TensorListSplit": _helped("_split_like"),
    "TensorListConcatLike": lambda values, like, joined: call(
        "_joined_like", values.text, like.text
    ),
}

HELPERS: Final = {
    "_item_like": """
def _item_like(values, i, like):
    found = values[i] if i < len(values) else None
    return np.zeros_like(like) if found is None else found
""",
    "_with_item": """
def _with_item(values, i, item):
    values = [*values, *[None] * (i + 1 - len(values))]
    values[i] = item
    return values
""",
    "_only_item": """
def _only_item(values, i, item):
    return [item if at == i else None for at in range(len(values))]
""",
    "_sums_of_items": """
def _sums_of_items(a, b):
    a = [*a, *[None] * (len(b) - len(a))]
    b = [*b, *[None] * (len(a) - len(b))]
    return [
        q if p is None else p if q is None else p + q for p, q in zip(a, b)
    ]
""",
    "_stacked": """
def _stacked(values, shape, dtype, count=None):
    count = len(values) if count is None else count
    values = [*values, *[None] * (count - len(values))]
    whole = np.zeros((count, *shape), dtype)
    for i, value in enumerate(values):
        if value is not None:
            whole[i] = value
    return whole
""",
    "_split_like": """
def _split_like(joined, like):
    return np.split(joined, np.cumsum([len(v) for v in like])[:-1])
""",
    "_joined_like": """
def _joined_like(values, like):
    values = [*values, *[None] * (len(like) - len(values))]
    return np.concatenate(
        [np.zeros_like(v) if g is None else g for g, v in zip(values, like)]
    )
""",
}
