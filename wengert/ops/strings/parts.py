"""Strings taken apart: words, bytes, characters. What has several strings becomes ragged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import reshape
from wengert.ops.ragged.answers import answers, with_flat
from wengert.ops.ragged.conversions import from_tensor
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.strings import texts
from wengert.ops.strings.texts import OBJECT, text_of
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.core.row import Attrs
    from wengert.values.typing import Array, Namespace, TensorLike

Parts = Callable[..., Sequence[Any]]


def _row(name: str, parts: Parts, dtype: Any = OBJECT) -> Row:
    """An operation: the parts of all strings, one after another, and where those of each begin."""

    def kernel(_: Namespace, x: Array, **attrs: Any) -> list[Array]:
        found = [parts(text, **attrs) for text in x.ravel()]
        values = np.empty(sum(map(len, found)), dtype)
        values[:] = [part for row in found for part in row]
        return [values, np.cumsum([0, *map(len, found)], dtype=np.int64)]

    def forms(inputs: Sequence[Tensor], attrs: Attrs) -> list[Any]:
        return [((None,), np.dtype(dtype)), ((None,), np.dtype(np.int64))]

    return op(name, kernel, many=True, forms=forms, by_value=True)


def _taken_apart(row: Row, input: Any, **attrs: Any) -> Any:
    """A vector for one string; for more, a ragged tensor with one dimension more."""
    if isinstance(input, RaggedTensor):
        return with_flat(input, lambda flat: _taken_apart(row, flat, **attrs))
    x = text_of(input)
    rank = x.shape.rank
    if rank is not None and rank > 1:
        rows = from_tensor(x, ragged_rank=rank - 1)
        return with_flat(rows, lambda flat: _taken_apart(row, flat, **attrs))
    values, splits = apply(row, (reshape(x, [-1]),), attrs)
    return values if rank == 0 else RaggedTensor._of(values, splits)


def _words(text: bytes, sep: str, maxsplit: int) -> list[bytes]:
    return text.split(sep.encode() or None, maxsplit) if maxsplit else [text]


def _bytes(text: bytes) -> list[bytes]:
    return [text[i : i + 1] for i in range(len(text))]


SPLIT: Row = _row("StringSplitV2", _words)
BYTES_SPLIT: Row = _row("StringBytesSplit", _bytes)


@deferrable
def split(
    input: TensorLike, sep: str | None = None, maxsplit: int = -1, name: str | None = None
) -> Any:
    """The parts between separators, by default between blanks.

    >>> tf.strings.split("value and gradient").numpy().tolist()
    [b'value', b'and', b'gradient']
    >>> tf.strings.split(["a,b", "c"], sep=",").to_list()
    [[b'a', b'b'], [b'c']]
    """
    return _taken_apart(SPLIT, input, sep=separator(sep), maxsplit=maxsplit)


def separator(sep: Any) -> Any:
    """What parts are separated by, blanks if it is empty; there is one for all texts."""
    if isinstance(sep, (list, tuple)):
        raise InvalidArgumentError(
            f"sep must be a scalar, got shape: [{len(sep)}] [Op:StringSplitV2]"
        )
    return sep or ""


@deferrable
def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """Every byte as a string.

    >>> tf.strings.bytes_split("tape").numpy().tolist()
    [b't', b'a', b'p', b'e']
    """
    return _taken_apart(BYTES_SPLIT, input)


# ---- ragged tensors of strings -----------------------------------------------------------------


@answers(texts.join)
def _join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> Any:
    """Place by place: ragged operands have the same rows, others stand for every place."""
    like = next(x for x in inputs if isinstance(x, RaggedTensor))
    flat = [x.flat_values if isinstance(x, RaggedTensor) else x for x in inputs]
    return with_flat(like, lambda _: texts.join(flat, separator))


@answers(texts.reduce_join)
def _reduce_join(
    inputs: RaggedTensor, axis: Any = None, keepdims: bool = False, separator: str = "", name: Any = None
) -> Any:  # fmt: skip
    rows = [texts.reduce_join(row, None, False, separator) for row in _rows_of(inputs)]
    if axis is None:
        return texts.reduce_join(rows, None, keepdims, separator)
    if axis not in (1, -1) or inputs.shape.rank != 2:
        raise NotImplementedError("reduce_join of a ragged tensor joins its rows: axis=1 or all.")
    return texts.reduce_join(rows, (), False, separator)


def _rows_of(value: RaggedTensor) -> list[Any]:
    return [value[i] for i in range(int(value.nrows()))]
