"""Strings of characters: taken apart, put together, from one encoding into another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import reshape
from wengert.ops.ragged.answers import answers, with_flat
from wengert.ops.ragged.conversions import from_tensor
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.strings.encodings import (
    LAST,
    WRITTEN,
    Treatment,
    checked_output,
    points_of,
    text_in,
    texts_in,
    texts_of,
    treatment_of,
)
from wengert.ops.strings.texts import OBJECT, each, text_of
from wengert.values.convert import convert
from wengert.values.dtypes import int32
from wengert.values.tensor import Tensor
from wengert.values.typed_calls import of_one

if TYPE_CHECKING:
    from wengert.core.row import Attrs
    from wengert.values.typing import Array, Namespace, TensorLike

_INT32: Final = np.dtype(np.int32)
_INT64: Final = np.dtype(np.int64)

# ---- rows ---------------------------------------------------------------------------------------

Made = Callable[[str, str], Any]


def _apart(name: str, dtype: Any, made: Made) -> Row:
    """An operation: what is made of every character, where it begins, and the ends of the strings."""

    def kernel(_: Namespace, x: Array, *, encoding: str, treatment: Treatment) -> list[Array]:
        whole, lengths, begins = texts_in(x.ravel().tolist(), encoding, treatment)
        values = np.empty(len(whole), dtype)
        values[:] = made(whole, encoding)
        return [values, begins, np.append(0, np.cumsum(lengths))]

    def forms(inputs: Sequence[Tensor], attrs: Attrs) -> list[Any]:
        count = inputs[0]._array.shape
        rows = count[0] + 1 if count is not None and isinstance(count[0], int) else None
        return [((None,), np.dtype(dtype)), ((None,), _INT64), ((rows,), _INT64)]

    return op(name, kernel, many=True, forms=forms, by_value=True)


def _strings(whole: str, encoding: str) -> list[bytes]:
    """Every character as a string: each is made once, however often it is there."""
    table = {character: character.encode(WRITTEN[encoding]) for character in set(whole)}
    return [table[character] for character in whole]


DECODE: Row = _apart("UnicodeDecodeWithOffsets", np.int32, lambda whole, _: points_of(whole))
SPLIT: Row = _apart("UnicodeSplitWithOffsets", object, _strings)


def _encode_kernel(
    _: Namespace, values: Array, splits: Array, *, encoding: str, treatment: Treatment
) -> Array:
    out = np.empty(len(splits) - 1, object)
    out[:] = list(texts_of(values, splits, encoding, treatment))
    return out


ENCODE: Row = op(
    "UnicodeEncode",
    _encode_kernel,
    shape=lambda values, splits, **_: (None if splits[0] is None else splits[0] - 1,),
    dtype=lambda *_, **__: OBJECT,
)
TRANSCODE: Row = op(
    "UnicodeTranscode",
    lambda _, x, *, encoding, output, treatment: each(
        x, lambda text: text_in(text, encoding, treatment).encode(WRITTEN[output])
    ),
    shape=lambda x, **_: x,
    dtype=lambda x, **_: OBJECT,
)


@cache
def _scripts() -> Array:
    """The script of every code point: a megabyte, three times as fast as a search in the ranges."""
    text = Path(__file__).with_name("scripts.txt").read_text("ascii")
    pairs = [entry.split() for entry in text.replace("\n", ",").strip(",").split(",")]
    begins = list(accumulate(int(gap, 16) for gap, _ in pairs))
    codes = np.array([int(code) for _, code in pairs], np.uint8)
    return np.repeat(codes, np.diff([*begins, LAST + 1]))


def _script_kernel(_: Namespace, x: Array) -> Array:
    known = (x >= 0) & (x <= LAST)
    return np.where(known, _scripts()[np.where(known, x, 0)], np.int32(-1)).astype(np.int32)


SCRIPT: Row = op("UnicodeScript", _script_kernel, shape=lambda x: x, dtype=lambda x: _INT32)

# ---- taken apart --------------------------------------------------------------------------------


def _taken_apart(row: Row, input: Any, attrs: Attrs) -> tuple[Any, Any]:
    """What is made of the characters, and where they begin: vectors for one string, or ragged."""
    if isinstance(input, RaggedTensor):
        values, begins = _taken_apart(row, input.flat_values, attrs)
        return input.with_flat_values(values), input.with_flat_values(begins)
    x = text_of(input)
    rank = x.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank > 1:
        return _taken_apart(row, from_tensor(x, ragged_rank=rank - 1), attrs)
    values, begins, splits = apply(row, (reshape(x, [-1]),), attrs)
    if rank == 0:
        return values, begins
    return RaggedTensor._of(values, splits), RaggedTensor._of(begins, splits)


def _attrs(encoding: str, errors: str, replacement: int, controls: bool = False) -> Attrs:
    return {"encoding": encoding, "treatment": treatment_of(errors, replacement, controls)}


@deferrable
def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Every character as a string.

    >>> [c.decode() for c in tf.strings.unicode_split("∂f", "UTF-8").numpy()]
    ['∂', 'f']
    """
    attrs = _attrs(checked_output(input_encoding), errors, replacement_char)
    return _taken_apart(SPLIT, input, attrs)[0]


@deferrable
def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Every character as a string, and the place of its first byte.

    >>> tf.strings.unicode_split_with_offsets("∂f", "UTF-8")[1].numpy().tolist()
    [0, 3]
    """
    attrs = _attrs(checked_output(input_encoding), errors, replacement_char)
    return _taken_apart(SPLIT, input, attrs)


@deferrable
def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of the characters.

    >>> tf.strings.unicode_decode("∂f", "UTF-8").numpy().tolist()
    [8706, 102]
    """
    attrs = _attrs(input_encoding, errors, replacement_char, replace_control_characters)
    return _taken_apart(DECODE, input, attrs)[0]


@deferrable
def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of the characters, and the places of their first bytes.

    >>> points, places = tf.strings.unicode_decode_with_offsets(["∂f", "y"], "UTF-8")
    >>> points.to_list(), places.to_list()
    ([[8706, 102], [121]], [[0, 3], [0]])
    """
    attrs = _attrs(input_encoding, errors, replacement_char, replace_control_characters)
    return _taken_apart(DECODE, input, attrs)


# ---- put together -------------------------------------------------------------------------------


@deferrable
def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """The strings of code points, which are along the last axis.

    >>> tf.strings.unicode_encode([8706, 102], "UTF-8").numpy().decode()
    '∂f'
    """
    points = convert(input, hint=int32)
    rank = points.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank == 0:
        raise ValueError("input_tensor's rank must be at least 1")
    attrs = _attrs(checked_output(output_encoding), errors, replacement_char)
    if rank == 1:
        splits = convert(np.array([0], np.int64))
        whole = RaggedTensor.from_row_starts(points, splits, validate=False)
        return reshape(_encoded(whole, attrs), [])
    if rank == 2:
        return _encoded(from_tensor(points, ragged_rank=1), attrs)
    rows = from_tensor(points, ragged_rank=rank - 1)
    return _encoded(rows, attrs).to_tensor()


def _encoded(rows: RaggedTensor, attrs: Attrs) -> Any:
    if rows.ragged_rank > 1:
        return rows.with_values(_encoded(rows.values, attrs))
    return apply(ENCODE, (rows.values, rows.row_splits), attrs)


@answers(unicode_encode)
def _encode_ragged(
    input: RaggedTensor,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    attrs = _attrs(checked_output(output_encoding), errors, replacement_char)
    if len(input.flat_values.shape) > 1:
        input = with_flat(input, lambda flat: from_tensor(flat))
    return _encoded(input, attrs)


@of_one
@deferrable
def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""Strings in another encoding.

    >>> tf.strings.unicode_transcode("∂f", "UTF-8", "UTF-16-BE").numpy()
    b'"\x02\x00f'
    """
    attrs = _attrs(input_encoding, errors, replacement_char, replace_control_characters)
    attrs["output"] = checked_output(output_encoding)
    return apply(TRANSCODE, (text_of(input),), attrs)  # type: ignore[no-any-return]


@of_one
@deferrable
def unicode_script(input: TensorLike, name: str | None = None) -> Tensor:
    """The script to which each code point belongs, by the numbers of the ICU; -1 for none.

    >>> tf.strings.unicode_script([97, 8706, 1078]).numpy().tolist()
    [25, 0, 8]
    """
    return apply(SCRIPT, (convert(input, int32),))  # type: ignore[no-any-return]
