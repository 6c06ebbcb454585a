"""Datasets of files with fields between commas."""

from __future__ import annotations

import collections
import csv
import io
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.data.dataset import Dataset
from wengert.data.methods.functions import interleave
from wengert.data.methods.sources import from_tensor_slices
from wengert.data.readers import _paths
from wengert.data.stages.fields import rows
from wengert.data.stages.files import _open
from wengert.io.gfile import glob
from wengert.io.texts import checked_columns, default_of, delimiter_of
from wengert.values.convert import convert
from wengert.values.dtypes import DType, float32, float64, int32, int64, string
from wengert.values.type_spec import TensorSpec


class CsvDataset(Dataset):
    r"""The records of files with fields between commas: an element has a scalar for each column.

    >>> import os, pathlib, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two.csv")
    >>> _ = pathlib.Path(path).write_text("1,dy\n2,dx\n")
    >>> list(tf.data.experimental.CsvDataset(path, [tf.int32, tf.string]).as_numpy_iterator())
    [(np.int32(1), b'dy'), (np.int32(2), b'dx')]
    """

    __slots__ = ()

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        if select_cols is not None and exclude_cols is not None:
            raise ValueError("Only one of `select_cols` and `exclude_cols` may be given.")
        defaults = [default_of(value) for value in record_defaults]
        attrs = {
            "header": bool(header),
            "delimiter": delimiter_of(field_delim),
            "quotes": bool(use_quote_delim),
            "na": na_value.encode(),
            "columns": checked_columns(select_cols, len(defaults)),
            "excluded": tuple(exclude_cols or ()),
        }
        inputs = [_paths(filenames), convert(compression_type or "", string), *defaults]
        specs = tuple(TensorSpec([], default.dtype) for default in defaults)
        super().__init__(apply(rows, inputs, attrs), specs)

    def __repr__(self) -> str:
        return f"<CsvDatasetV2 element_spec={self.element_spec!r}>"


# ---- files with names of columns ----------------------------------------------------------------


def files_of(pattern: Any, shuffle: bool) -> list[str]:
    """The paths that fit a pattern, or that are in a list."""
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    found = [path for one in patterns for path in glob(one)]
    if not found:
        raise ValueError(f"No files match `file_pattern` {pattern}.")
    return found if shuffle else sorted(found)


def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Any:
    r"""Batches of the columns of files, by their names; with a label, pairs of columns and label.

    >>> import os, pathlib, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two.csv")
    >>> _ = pathlib.Path(path).write_text("x,y\n1,2.5\n2,3.5\n")
    >>> data = tf.data.experimental.make_csv_dataset(
    ...     path, batch_size=2, label_name="y", num_epochs=1, shuffle=False)
    >>> for columns, y in data:
    ...     print(columns["x"].numpy(), y.numpy())
    [1 2] [2.5 3.5]
    """
    paths = files_of(file_pattern, shuffle)
    looks = _Looks(field_delim, use_quote_delim, na_value, header, compression_type or "", encoding)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = looks.names(paths)
    if len(column_names) != len(set(column_names)):
        raise ValueError("Cannot have duplicate column names.")
    columns = None
    if select_columns is not None:
        columns = _numbers(select_columns, column_names)
    if column_defaults is None:
        wanted = range(len(column_names)) if columns is None else columns
        column_defaults = looks.defaults(
            paths, list(wanted), len(column_names), num_rows_for_inference
        )
    if columns is not None:
        column_names = [column_names[i] for i in columns]
    if label_name is not None and label_name not in column_names:
        raise ValueError(f"`label_name` {label_name} must be one of the columns.")

    def of_file(path: Any) -> Any:
        found: Any = CsvDataset(
            path, column_defaults, compression_type, None, header, field_delim, use_quote_delim, na_value, columns
        )  # fmt: skip
        return found.ignore_errors() if ignore_errors else found

    def named(*values: Any) -> Any:
        features = collections.OrderedDict(zip(column_names, values, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    return batched(
        paths, of_file, shuffle, shuffle_buffer_size, shuffle_seed, num_epochs, batch_size,
        num_parallel_reads or 1, num_epochs is None,
        lambda data: data.map(named),
        1 if prefetch_buffer_size is None else prefetch_buffer_size,
    )  # fmt: skip


def batched(
    paths: list[str],
    of_file: Callable[[Any], Any],
    shuffle: bool,
    buffer: int,
    seed: int | None,
    epochs: int | None,
    size: int,
    readers: int,
    drop: bool,
    finish: Callable[[Any], Any],
    ahead: int,
) -> Any:
    """The elements of files in batches: in turn, shuffled, repeated."""
    names = from_tensor_slices(np.array(paths, object))
    if shuffle:
        names = names.shuffle(len(paths), seed)
    data = interleave(names, of_file, cycle_length=readers)
    if shuffle:
        data = data.shuffle(buffer, seed)
    if epochs != 1:
        data = data.repeat(epochs)
    found = finish(data.batch(size, drop_remainder=drop))
    return found.prefetch(ahead) if ahead else found


def _numbers(chosen: Sequence[Any], names: Sequence[str]) -> list[int]:
    found = [c if isinstance(c, int) else _number(c, names) for c in chosen]
    if found and (max(found) >= len(names) or min(found) < 0):
        raise ValueError(f"A column of {chosen} is not one of the {len(names)} columns.")
    return sorted(found)


def _number(name: Any, names: Sequence[str]) -> int:
    if name not in names:
        raise ValueError(f"Value '{name}' specified in `select_columns` is not one of the columns.")
    return list(names).index(name)


class _Looks:
    """How the files look, to find out what is in them."""

    def __init__(
        self, delimiter: str, quotes: bool, na: str, header: bool, codec: str, encoding: str
    ) -> None:
        self._dialect: dict[str, Any] = {
            "delimiter": delimiter,
            "quoting": csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        }
        self._na, self._header, self._codec, self._encoding = na, header, codec, encoding

    def _rows(self, path: str) -> Iterator[list[str]]:
        with _open(path, self._codec) as file:
            text = io.TextIOWrapper(file, self._encoding, newline="")
            yield from csv.reader(text, **self._dialect)

    def names(self, paths: list[str]) -> list[str]:
        """The names of the columns, which are the same in all files."""
        found = [next(self._rows(path), None) for path in paths]
        if None in found:
            raise ValueError("Received empty header row: a file is empty.")
        if any(names != found[0] for names in found):
            raise ValueError(
                "All input CSV files should have the same column names in the header row."
            )
        return found[0] or []

    def defaults(
        self, paths: list[str], columns: list[int], count: int, rows: int | None
    ) -> list[Any]:
        """A default for each column, of a dtype that holds what is in it."""
        kinds: list[DType | None] = [None] * len(columns)
        for number, row in enumerate(self._samples(paths)):
            if rows is not None and number >= rows:
                break
            if len(row) != count:
                raise ValueError(
                    "Problem inferring types: CSV row has different number of fields than expected: "
                    f"expected {count}, got {len(row)}."
                )
            kinds = [self._wider(row[c], kind) for c, kind in zip(columns, kinds, strict=True)]
        return [
            convert([""] if kind is string else [0], kind or int32) for kind in kinds
        ]  # fmt: skip

    def _samples(self, paths: list[str]) -> Iterator[list[str]]:
        for path in paths:
            found = self._rows(path)
            if self._header:
                next(found, None)
            yield from found

    def _wider(self, text: str, before: DType | None) -> DType | None:
        """The first dtype from the one before on that holds a text."""
        if text in ("", self._na):
            return before
        order = [int32, int64, float32, float64, string]
        first = 0 if before is None else order.index(before)
        return next(kind for kind in order[first:] if _fits(text, kind))


def _fits(text: str, kind: DType) -> bool:
    if kind is string:
        return True
    try:
        value = int(text) if kind.is_integer else float(text)
    except ValueError:
        return False
    if kind.is_integer:
        return bool(kind.min <= value <= kind.max)
    return not math.isinf(value) and float(kind.min) <= value <= float(kind.max)
