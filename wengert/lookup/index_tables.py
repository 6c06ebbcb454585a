"""Tables from the words of a list or a file to their numbers, and back."""

from __future__ import annotations

from typing import Any

from wengert.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIndex,
    TextFileInitializer,
)
from wengert.lookup.static import StaticHashTable
from wengert.lookup.vocabulary import FastHashSpec, HasherSpec, IdTableWithHashBuckets
from wengert.ops.arrays.creation import range_ as counted
from wengert.ops.arrays.creation import size
from wengert.ops.math.elementwise import cast
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, int64, string

_LINE, _NUMBER = TextFileIndex.WHOLE_LINE, TextFileIndex.LINE_NUMBER


class TextFileStringTableInitializer(TextFileInitializer):
    """From the numbers of lines to what stands in them."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = _NUMBER,
        value_column_index: int = _LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_string_table_init",
    ) -> None:
        super().__init__(
            filename,
            int64,
            key_column_index,
            string,
            value_column_index,
            vocab_size,
            delimiter,
            name,
        )


class TextFileIdTableInitializer(TextFileInitializer):
    """From what stands in lines to their numbers."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = _LINE,
        value_column_index: int = _NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_id_table_init",
        key_dtype: Any = string,
    ) -> None:
        super().__init__(
            filename, key_dtype, key_column_index, int64, value_column_index, vocab_size, delimiter,
            name,
        )  # fmt: skip


def index_table_from_tensor(
    vocabulary_list: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: Any = string,
    name: str | None = None,
) -> Any:
    """A table from the words of a list to their numbers."""
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` must be specified.")
    _check_buckets(num_oov_buckets, "`num_oov_buckets`")
    kind = as_dtype(dtype)
    if not kind.is_integer and kind is not string:
        raise TypeError("`dtype` must either be integer or string.")
    keys = convert(vocabulary_list)
    if keys.dtype.is_integer is not kind.is_integer:
        wanted = "integer" if kind.is_integer else "non-integer"
        raise ValueError(f"Invalid `dtype`: Expected {wanted}, got {keys.dtype}.")
    keys = cast(keys, int64) if kind.is_integer else keys
    numbers = counted(size(keys, int64), dtype=int64)
    table = StaticHashTable(KeyValueTensorInitializer(keys, numbers), default_value, name)
    return _with_buckets(table, num_oov_buckets, hasher_spec, kind, name)


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = string,
    name: str | None = None,
    key_column_index: int = _LINE,
    value_column_index: int = _NUMBER,
    delimiter: str = "\t",
) -> Any:
    """A table from the words of a file to the numbers of their lines."""
    _check_file(vocabulary_file)
    _check_buckets(num_oov_buckets, "num_oov_buckets")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(
            f"`vocab_size` must be greater than 0, got {vocab_size} for vocabulary_file: "
            f"{vocabulary_file}."
        )
    kind = as_dtype(key_dtype)
    if not kind.is_integer and kind is not string:
        raise TypeError("Dtype for `keys` should be either integer or string.")
    words = TextFileIdTableInitializer(
        vocabulary_file,
        key_column_index,
        value_column_index,
        vocab_size,
        delimiter,
        key_dtype=int64 if kind.is_integer else kind,
    )
    table = StaticHashTable(words, default_value, name)
    return _with_buckets(table, num_oov_buckets, hasher_spec, kind, name)


def _with_buckets(table: Any, buckets: int, spec: HasherSpec, kind: Any, name: str | None) -> Any:
    if not buckets and (not kind.is_integer or kind is int64):
        return table
    return IdTableWithHashBuckets(table, buckets, spec, name, kind)


def _check_buckets(buckets: int, called: str) -> None:
    if buckets < 0:
        raise ValueError(f"{called} must be greater or equal than 0, got {buckets}.")


def _check_file(vocabulary_file: Any) -> None:
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")


def index_to_string_table_from_tensor(
    vocabulary_list: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """A table from numbers to the words of a list."""
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` argument must be specified.")
    values = convert(vocabulary_list, string)
    numbers = counted(size(values, int64), dtype=int64)
    return StaticHashTable(KeyValueTensorInitializer(numbers, values), default_value, name)


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: str = "UNK",
    name: str | None = None,
    key_column_index: int = _NUMBER,
    value_column_index: int = _LINE,
    delimiter: str = "\t",
) -> Any:
    """A table from the numbers of lines to the words of a file."""
    _check_file(vocabulary_file)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    words = TextFileStringTableInitializer(
        vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter
    )
    return StaticHashTable(words, default_value, name)


def check_table_dtypes(table: Any, key_dtype: Any, value_dtype: Any) -> None:
    """Raise unless a table is of these dtypes."""
    for called, have, given in (
        ("key", table.key_dtype, key_dtype), ("value", table.value_dtype, value_dtype)
    ):  # fmt: skip
        if as_dtype(given).base_dtype != have:
            raise TypeError(
                f"Invalid {called} dtype for table, expected {have} but got {as_dtype(given)}."
            )
