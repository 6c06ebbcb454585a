"""Elements from the lines of files with fields between commas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np

from wengert.data.elements import Element
from wengert.data.pipeline import UNKNOWN, Pipeline, stage
from wengert.data.stages.files import _names, _open, _text
from wengert.errors import InvalidArgumentError
from wengert.formats.csv import one_record
from wengert.io.texts import values_of


@stage("CSVDatasetV2")
def rows(
    paths: Any,
    codec: Any,
    *defaults: Any,
    header: bool,
    delimiter: bytes,
    quotes: bool,
    na: bytes,
    columns: Sequence[int],
    excluded: Sequence[int],
) -> Pipeline:
    names, kind = _names(paths), _text(codec)
    plain = [np.asarray(default) for default in defaults]

    def start() -> Iterator[Element]:
        for name in names:
            with _open(name, kind) as file:
                records = records_in(file, quotes)
                if header and next(records, None) is None:
                    raise InvalidArgumentError(f"Can't read header of empty file {name}")
                for at, record in enumerate(records):
                    yield tuple(_values(record, at, name))

    def _values(record: bytes, at: int, name: str) -> list[Any]:
        try:
            fields = one_record(record, delimiter, quotes)
            left = [f for i, f in enumerate(fields) if i not in excluded] if excluded else fields
            return values_of(left, plain, na, columns, at)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(f"{error.message} [{name}]") from None

    return Pipeline(start, UNKNOWN)


def records_in(file: IO[bytes], quotes: bool) -> Iterator[bytes]:
    """The records of a file: lines, or several where a quoted field goes on."""
    whole = b""
    for line in file:
        whole += line
        if quotes and whole.count(b'"') % 2:
            continue
        yield whole.removesuffix(b"\n").removesuffix(b"\r")
        whole = b""
    if whole:
        yield whole
