"""Texts in other forms: base64, compressed, fields between commas."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import DataLossError, InvalidArgumentError
from wengert.formats.csv import one_record
from wengert.ops.strings.texts import each, numbers, text_of
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, float32, float64, int32, int64, of_numpy, string
from wengert.values.tensor import Tensor
from wengert.values.typed_calls import of_one

_OBJECT: Final = np.dtype(object)


def _of_each(name: str, function: Any) -> Row:
    return Row(
        name,
        lambda _, x, **attrs: each(x, lambda text: function(text, **attrs)),
        shape=lambda x, **_: x,
        dtype=lambda x, **_: _OBJECT,
        stateful=True,
    )


# ---- base64 -------------------------------------------------------------------------------------


def _encoded(text: bytes, pad: bool) -> bytes:
    found = base64.urlsafe_b64encode(text)
    return found if pad else found.rstrip(b"=")


def _decoded(text: bytes) -> bytes:
    bare = text.rstrip(b"=")
    if len(text) - len(bare) > 2 or (text != bare and len(text) % 4):
        raise InvalidArgumentError("Base64 string has invalid padding. [Op:DecodeBase64]")
    if len(bare) % 4 == 1:
        raise InvalidArgumentError("Base64 string length cannot be 1 modulo 4 [Op:DecodeBase64]")
    if not re.fullmatch(rb"[A-Za-z0-9_-]*", bare):
        raise InvalidArgumentError("Invalid character found in base64. [Op:DecodeBase64]")
    try:
        return base64.urlsafe_b64decode(bare + b"=" * (-len(bare) % 4))
    except binascii.Error as error:
        raise InvalidArgumentError(f"{error} [Op:DecodeBase64]") from None


ENCODE_BASE64: Final = _of_each("EncodeBase64", _encoded)
DECODE_BASE64: Final = _of_each("DecodeBase64", _decoded)


@of_one
def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in base64, with letters that may stand in addresses.

    >>> tf.io.encode_base64("tape").numpy()
    b'dGFwZQ'
    """
    return apply(ENCODE_BASE64, [text_of(input)], {"pad": bool(pad)}, name)  # type: ignore[no-any-return]


@of_one
def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """Strings from base64.

    >>> tf.io.decode_base64("dGFwZQ").numpy()
    b'tape'
    """
    return apply(DECODE_BASE64, [text_of(input)], {}, name)  # type: ignore[no-any-return]


# ---- compressed ---------------------------------------------------------------------------------

_WINDOWS: Final = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS | 16}


def _expanded(text: bytes, codec: str) -> bytes:
    if not codec:
        return text
    try:
        return zlib.decompress(text, _WINDOWS[codec])
    except zlib.error as error:
        raise DataLossError(f"{codec} data are damaged: {error} [Op:DecodeCompressed]") from None


DECODE_COMPRESSED: Final = _of_each("DecodeCompressed", _expanded)


@of_one
def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Strings that were compressed by "ZLIB" or "GZIP".

    >>> tf.io.decode_compressed(zlib.compress(b"tape"), "ZLIB").numpy()
    b'tape'
    """
    if compression_type and compression_type not in _WINDOWS:
        raise InvalidArgumentError(
            "Only ZLIB, GZIP or NONE are supported compressions, got "
            f"{compression_type!r} [Op:DecodeCompressed]"
        )
    return apply(DECODE_COMPRESSED, [text_of(bytes)], {"codec": compression_type}, name)  # type: ignore[no-any-return]


# ---- fields between commas ----------------------------------------------------------------------

_KINDS: Final = (float32, float64, int32, int64, string)


def field_value(text: bytes, dtype: Any, at: int, record: int) -> Any:
    """The value that a field says."""
    if dtype.kind == "O":
        return text
    try:
        said = text.decode().strip()
        if "_" in said:
            raise ValueError(said)
        if dtype.kind == "f":
            return dtype.type(float(said))
        found = int(said)
        if not np.iinfo(dtype).min <= found <= np.iinfo(dtype).max:
            raise ValueError(said)
        return dtype.type(found)
    except ValueError:
        raise InvalidArgumentError(
            f"Field {at} in record {record} is not a valid {of_numpy(dtype).spoken}: "
            f"{text.decode('utf-8', 'replace')}"
        ) from None


def values_of(
    fields: list[bytes], defaults: Sequence[Any], na: bytes, columns: Sequence[int], record: int
) -> list[Any]:
    """The values of the fields of a record, with the defaults where there is none."""
    if not columns and len(fields) != len(defaults):
        raise InvalidArgumentError(
            f"Expect {len(defaults)} fields but have {len(fields)} in record {record}"
        )
    if columns and len(fields) <= columns[-1]:
        raise InvalidArgumentError(
            f"Expect at least {columns[-1] + 1} fields but have {len(fields)} in record {record}"
        )
    chosen = [fields[i] for i in columns] if columns else fields
    found = []
    for at, (text, default) in enumerate(zip(chosen, defaults, strict=True)):
        if text not in (b"", na):
            found.append(field_value(text, default.dtype, at, record))
        elif default.size:
            found.append(default.reshape(-1)[0])
        else:
            raise InvalidArgumentError(f"Field {at} is required but missing in record {record}!")
    return found


def _columns(
    records: Sequence[bytes],
    delimiter: bytes,
    quotes: bool,
    defaults: Sequence[Any],
    na: bytes,
    columns: Sequence[int],
) -> list[Any] | None:
    """The columns of records, each at once; None if something is wrong, which an error says of one record."""
    try:
        fields = [one_record(text, delimiter, quotes) for text in records]
    except InvalidArgumentError:
        return None
    wanted, sizes = columns or range(len(defaults)), set(map(len, fields))
    if sizes and (min(sizes) <= columns[-1] if columns else sizes != {len(defaults)}):
        return None
    made = []
    for at, default in zip(wanted, defaults, strict=True):
        column = _column([row[at] for row in fields], default, na)
        if column is None:
            return None
        made.append(column)
    return made


def _column(texts: list[bytes], default: Any, na: bytes) -> Any:
    """The values of a column; None if one is missing, or is no number."""
    said = [text for text in texts if text not in (b"", na)]
    found = said if default.dtype.kind == "O" else numbers(said, default.dtype)
    if found is None or (len(said) < len(texts) and not default.size):
        return None
    column = np.empty(len(texts), default.dtype)
    if len(said) == len(texts):
        column[:] = found
    else:
        column[:] = default.reshape(-1)[0]
        column[[text not in (b"", na) for text in texts]] = found
    return column


def _csv_kernel(
    _: Any, records: Any, *defaults: Any, delimiter: bytes, quotes: bool, na: bytes, columns: Any
) -> list[Any]:
    plain = [np.asarray(default) for default in defaults]
    texts = records.ravel().tolist()
    whole = _columns(texts, delimiter, quotes, plain, na, columns)
    if whole is not None:
        return [column.reshape(records.shape) for column in whole]
    rows = [
        values_of(one_record(text, delimiter, quotes), plain, na, columns, at)
        for at, text in enumerate(texts)
    ]
    made = []
    for at, default in enumerate(plain):
        column = np.empty(len(rows), default.dtype)
        column[:] = [row[at] for row in rows]
        made.append(column.reshape(records.shape))
    return made


DECODE_CSV: Final = Row(
    "DecodeCSV",
    _csv_kernel,
    forms=lambda xs, attrs: [(xs[0]._array.shape, x._array.dtype) for x in xs[1:]],
    many=True,
    stateful=True,
)


def checked_columns(columns: Any, count: int) -> tuple[int, ...]:
    """The numbers of the columns that are wanted, in order."""
    if columns is None:
        return ()
    found = tuple(int(c) for c in columns)
    if any(b <= a for a, b in pairwise(found)):
        raise ValueError("select_cols is not strictly increasing.")
    if found and found[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if len(found) != count:
        raise ValueError("Length of select_cols and record_defaults do not match.")
    return found


def default_of(value: Any) -> Tensor:
    """A default value of a column, or the dtype of one that must be there."""
    try:
        dtype = as_dtype(value) if not isinstance(value, (list, str, bytes, int, float)) else None
    except TypeError:
        dtype = None
    found = convert(value) if dtype is None else convert(np.empty(0, dtype.numpy_dtype))
    if found.dtype not in _KINDS:
        raise InvalidArgumentError(
            f"Value for attr 'OUT_TYPE' of {found.dtype.spoken} is not in the list of allowed values: "
            "float, double, int32, int64, string [Op:DecodeCSV]"
        )
    return found


def delimiter_of(text: Any) -> bytes:
    """The sign between fields."""
    found = text.encode() if isinstance(text, str) else text
    if len(found) != 1 or found in b'\n\r"':
        raise InvalidArgumentError(
            f"field_delim should be only 1 char, got {text!r} [Op:DecodeCSV]"
        )
    return found


def decode_csv(
    records: Any,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[Tensor]:
    """The columns of records with fields between commas.

    >>> names, sizes = tf.io.decode_csv(["tape,3", "graph,"], [tf.constant([], tf.string), 0])
    >>> names.numpy().tolist(), sizes.numpy().tolist()
    ([b'tape', b'graph'], [3, 0])
    """
    defaults = [default_of(value) for value in record_defaults]
    for default in defaults:
        if (default.shape.rank or 0) > 1 or (default.shape.num_elements() or 0) > 1:
            raise ValueError(
                "Each record default should be a scalar or a vector of at most one value."
            )
    attrs = {
        "delimiter": delimiter_of(field_delim),
        "quotes": bool(use_quote_delim),
        "na": na_value.encode(),
        "columns": checked_columns(select_cols, len(defaults)),
    }
    return list(apply(DECODE_CSV, [text_of(records, "records"), *defaults], attrs, name))
