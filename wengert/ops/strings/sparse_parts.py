"""Strings taken apart into sparse tensors, as version 1 has it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from wengert.core.row import Row
from wengert.ops.ragged.conversions import to_sparse
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.strings.parts import SPLIT, _row, _taken_apart, separator, split
from wengert.values.convert import convert
from wengert.values.dtypes import string


def _pieces(text: bytes, delimiters: bytes, skip_empty: bool) -> list[bytes]:
    if not text:
        return []
    if not delimiters:
        return [text[i : i + 1] for i in range(len(text))]
    found = re.split(b"[" + re.escape(delimiters) + b"]", text)
    return [piece for piece in found if piece or not skip_empty]


STRING_SPLIT: Row = _row("StringSplit", _pieces)


def _as(rows: Any, kind: str) -> Any:
    if kind == "RaggedTensor":
        return rows
    if kind != "SparseTensor":
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    return to_sparse(rows)


def string_split(
    source: Any,
    sep: str | None = None,
    skip_empty: bool = True,
    delimiter: str = " ",
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """The parts of strings between any of several characters, as a sparse tensor.

    >>> found = tf.compat.v1.string_split(["hello world", "a b c"])
    >>> found.values.numpy().tolist(), found.dense_shape.numpy().tolist()
    ([b'hello', b'world', b'a', b'b', b'c'], [2, 3])
    """
    marks = delimiter if sep is None else sep
    text = marks if isinstance(marks, bytes) else np.asarray(convert(marks, string)).item()
    x = convert(source, string)
    if x.shape.rank not in (1, None):
        raise ValueError(f"source must have rank 1, got {x.shape}.")
    attrs = {"delimiters": text, "skip_empty": bool(skip_empty)}
    return _as(_taken_apart(STRING_SPLIT, x, **attrs), result_type)


def split_v1(
    input: Any = None,
    sep: str | None = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """tf.strings.split, whose result is sparse unless a ragged one is asked for.

    >>> tf.compat.v1.strings.split(["a b", "c"]).dense_shape.numpy().tolist()
    [2, 2]
    """
    given = source if input is None else input
    if given is None or (input is not None and source is not None):
        raise ValueError("One of `input` and `source` must be given.")
    if isinstance(given, RaggedTensor):
        return _as(split(given, sep, maxsplit), result_type)
    x = convert(given, string)
    if x.shape.rank == 0:
        x = convert([x], string)
    return _as(_taken_apart(SPLIT, x, sep=separator(sep), maxsplit=maxsplit), result_type)
