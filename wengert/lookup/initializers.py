"""Where the contents of tables come from: tensors, or the lines of a file."""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from wengert.api.session.modes import init_scope
from wengert.core.context import current_graph
from wengert.errors import InvalidArgumentError, NotFoundError
from wengert.formats.lines import lines_of
from wengert.lookup.contents import Contents
from wengert.lookup.kinds import OfKeysAndValues
from wengert.lookup.rows import FILL, changed, changing
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype, int64, string
from wengert.values.known_places import known_as

_TABLE_INITIALIZERS: Final = "table_initializer"  # the collection of a graph
_ASSETS: Final = "asset_filepaths"


def in_collection(operation: Any) -> Any:
    """An operation that fills a table, which tables_initializer runs."""
    graph = current_graph()
    if graph is not None and operation is not None:
        graph.add_to_collection(_TABLE_INITIALIZERS, operation)
    return operation


class TableInitializerBase(OfKeysAndValues):
    """What fills a table."""

    def initialize(self, table: Any) -> Any:
        """Fill a table; in a graph, the operation that does."""
        raise NotImplementedError

    def _check(self, table: Any) -> None:
        for which in ("key", "value"):
            own, wanted = getattr(self, f"_{which}_dtype"), getattr(table, f"{which}_dtype")
            if own is not wanted:
                raise TypeError(
                    f"Invalid {which} dtype for table, expected {own} but got {wanted}."
                )


class KeyValueTensorInitializer(TableInitializerBase):
    """Keys and their values as tensors.

    >>> words = tf.lookup.KeyValueTensorInitializer(["tape", "graph"], [1, 2])
    >>> table = tf.lookup.StaticHashTable(words, default_value=-1)
    >>> table.lookup(tf.constant(["graph", "loop"])).numpy().tolist()
    [2, -1]
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        with init_scope():
            self._keys, self._values = _pair(keys, values, key_dtype, value_dtype)
        self._name = name or "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Any:
        """Fill a table; in a graph, the operation that does."""
        self._check(table)
        keys, values = self._keys, self._values
        return in_collection(changed(FILL, [table.resource_handle, keys, values], self._name))


def _pair(keys: Any, values: Any, key_dtype: Any, value_dtype: Any) -> tuple[Any, Any]:
    return (
        convert(keys, None if key_dtype is None else as_dtype(key_dtype)),
        convert(values, None if value_dtype is None else as_dtype(value_dtype)),
    )


class TextFileIndex:
    """What of a line of a file is meant, where it is not the column of a number."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
    r"""Keys and values from the lines of a file.

    >>> import os, pathlib, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
    >>> _ = pathlib.Path(path).write_text("tape\ngraph\n")
    >>> words = tf.lookup.TextFileInitializer(
    ...     path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
    ...     tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
    >>> tf.lookup.StaticHashTable(words, -1).lookup(tf.constant(["graph"])).numpy().tolist()
    [1]
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        if isinstance(filename, os.PathLike):
            filename = os.fspath(filename)
        if isinstance(filename, (str, bytes)) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        _check_index("key", key_index, self._key_dtype)
        _check_index("value", value_index, self._value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be positive, got {vocab_size}.")
        self._attrs = {
            "key_index": key_index,
            "value_index": value_index,
            "count": -1 if vocab_size is None else int(vocab_size),
            "delimiter": delimiter,
            "offset": int(value_index_offset),
        }
        with init_scope():
            self._filename = convert(filename, string)
        self._name = name or "text_file_init"

    def initialize(self, table: Any) -> Any:
        """Fill a table; in a graph, the operation that does."""
        self._check(table)
        inputs = [table.resource_handle, self._filename]
        operation = changed(FILL_FROM_FILE, inputs, self._name, **self._attrs)
        graph = current_graph()
        if graph is not None:
            graph.add_to_collection(_ASSETS, self._filename)
        return in_collection(operation)


def _check_index(which: str, index: int, dtype: DType) -> None:
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"`{which}_index` should be >= -2, received: {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype is not int64:
        raise ValueError(
            f"`{which}_dtype` must be int64 if `{which}_index` is {index}, received: {dtype}"
        )
    if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype is not string:
        raise ValueError(
            f"`{which}_dtype` should be either integer or string for `{which}_index` {index}, "
            f"received: {dtype}"
        )


# ---- lines --------------------------------------------------------------------------------------


def _fill_from_file(
    table: Contents,
    filename: Any,
    *,
    key_index: int,
    value_index: int,
    count: int,
    delimiter: str,
    offset: int,
) -> None:
    path = filename.item()
    name = path.decode() if isinstance(path, bytes) else str(path)
    try:
        lines = lines_of(name)
        lines = lines if count < 0 else _first(lines, count, name)
    except FileNotFoundError:
        raise NotFoundError(f"{name}; No such file or directory") from None
    pairs = [
        tuple([
            _entry(line, i, index, delimiter, dtype, name, offset if at else 0)
            for at, (index, dtype) in enumerate(
                ((key_index, table.form.key_dtype), (value_index, table.form.value_dtype)))
        ])
        for i, line in enumerate(lines)
    ]  # fmt: skip
    keys, values = ([p[0] for p in pairs], [p[1] for p in pairs])
    table.fill(_column(keys, table.form.key_dtype), _column(values, table.form.value_dtype))


def _first(lines: list[bytes], count: int, name: str) -> list[bytes]:
    if len(lines) < count:
        raise InvalidArgumentError(
            f"Invalid vocab_size in {name}: expected {count} but got {len(lines)}"
        )
    return lines[:count]


def _column(values: list[Any], dtype: Any) -> Any:
    made = np.empty(len(values), dtype)
    made[:] = values
    return made


def _entry(
    line: bytes, number: int, index: int, delimiter: str, dtype: Any, name: str, offset: int
) -> Any:
    """What of a line is the key or the value."""
    if index == TextFileIndex.LINE_NUMBER:
        return number + offset
    text = line
    if index != TextFileIndex.WHOLE_LINE:
        parts = line.split(delimiter.encode())
        if index >= len(parts):
            raise InvalidArgumentError(
                f"Invalid number of columns in {name} line {number} "
                f"({line.decode('utf-8', 'replace')}) : expected at least {index + 1} got {len(parts)}"
            )
        text = parts[index]
    if dtype.kind == "O":
        return text
    try:
        return dtype.type(text.decode().strip())
    except ValueError:
        raise InvalidArgumentError(
            f"Field {text.decode('utf-8', 'replace')} in line {number} is not a valid {dtype.name}."
        ) from None


FILL_FROM_FILE: Final = changing("InitializeTableFromTextFileV2", _fill_from_file)

known_as(TableInitializerBase, "ops.lookup_ops.TableInitializerBase")
