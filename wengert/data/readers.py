"""Datasets of files: records, lines, pieces of a fixed length."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.data.dataset import Dataset
from wengert.data.elements import is_structure
from wengert.data.methods.functions import interleave
from wengert.data.methods.made import made, number
from wengert.data.methods.sources import from_tensor_slices
from wengert.data.stages import files
from wengert.values.convert import convert
from wengert.values.dtypes import string
from wengert.values.type_spec import TensorSpec

_OF_TEXT = TensorSpec([], string)


def _paths(filenames: Any) -> Any:
    if isinstance(filenames, os.PathLike):
        return convert(os.fspath(filenames), string)
    if isinstance(filenames, (list, tuple)) and not is_structure(filenames):
        return convert(
            [os.fspath(f) if isinstance(f, os.PathLike) else f for f in filenames], string
        )
    found = convert(filenames)
    if found.dtype is not string:
        raise TypeError(
            f"The `filenames` argument must contain `tf.string` elements. Got {found.dtype.name!r} "
            "elements."
        )
    return found


class _OfFiles(Dataset):
    """A dataset that reads files; a dataset of their names is read as it comes."""

    __slots__ = ()

    def __init__(self, row: Row, filenames: Any, parallel: Any, codec: Any, *inputs: Any) -> None:
        rest = [*inputs, convert(codec or "", string)]
        if isinstance(filenames, Dataset) or parallel is not None:
            names = (
                filenames
                if isinstance(filenames, Dataset)
                else from_tensor_slices(np.reshape(np.asarray(_paths(filenames)), -1))
            )
            found = interleave(
                names,
                lambda name: made(row, [name, *rest], {}, _OF_TEXT, ""),
                cycle_length=1 if parallel is None else parallel,
                num_parallel_calls=parallel,
            )
            variant = found._variant_tensor
        else:
            variant = apply(row, [_paths(filenames), *rest])
        super().__init__(variant, _OF_TEXT)


class TFRecordDataset(_OfFiles):
    """The records of TFRecord files, as strings.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """

    __slots__ = ()

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(files.records, filenames, num_parallel_reads, compression_type)

    def __repr__(self) -> str:
        return f"<TFRecordDatasetV2 element_spec={self.element_spec!r}>"


class TextLineDataset(_OfFiles):
    r"""The lines of text files, as strings without their ends.

    >>> import os, pathlib, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "lines.txt")
    >>> _ = pathlib.Path(path).write_text("first\nsecond\n")
    >>> list(tf.data.TextLineDataset(path).as_numpy_iterator())
    [b'first', b'second']
    """

    __slots__ = ()

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(files.lines, filenames, num_parallel_reads, compression_type)

    def __repr__(self) -> str:
        return f"<TextLineDatasetV2 element_spec={self.element_spec!r}>"


class FixedLengthRecordDataset(_OfFiles):
    """The bytes of files in pieces of one length, as strings."""

    __slots__ = ()

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        sizes = [number(record_bytes), number(header_bytes or 0), number(footer_bytes or 0)]
        super().__init__(files.pieces, filenames, num_parallel_reads, compression_type, *sizes)


__all__: Sequence[str] = ("FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset")
