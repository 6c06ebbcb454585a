"""Elements from files, and elements that are kept in files."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np

from wengert.data.elements import Element, Layout
from wengert.data.pipeline import UNKNOWN, Pipeline, resumed, stage
from wengert.errors import DataLossError, InvalidArgumentError, NotFoundError
from wengert.formats.compressed import opened
from wengert.formats.lines import lines_in
from wengert.formats.records import named_records, record
from wengert.formats.tensors import tensor_in, tensor_message
from wengert.formats.wire import Fields, Message
from wengert.host.files import Unfinished, errors_of_files

_PART = 1  # the field of each tensor of an element


# ---- elements in files --------------------------------------------------------------------------


def element_bytes(layout: Layout, element: Element) -> bytes:
    """An element as a message."""
    message = Message()
    for array in layout.arrays(element):
        message.message(_PART, tensor_message(np.asarray(array)))
    return message.done()


def element_from(layout: Layout, data: bytes) -> Element:
    """The element that `element_bytes` wrote."""
    arrays = [tensor_in(part) for part in Fields(data).messages(_PART)]
    if len(arrays) != len(layout.parts):
        raise DataLossError(
            f"An element of a file has {len(arrays)} tensors, where {layout.spec} is expected."
        )
    for array, part in zip(arrays, layout.parts, strict=True):
        if array.dtype != part.dtype.numpy_dtype or not part.shape.is_compatible_with(array.shape):
            raise InvalidArgumentError(
                f"An element of a file has a tensor of dtype {array.dtype} and shape {array.shape}, "
                f"where {part} is expected."
            )
    return layout.from_arrays(arrays)


def write_elements(path: str, layout: Layout, elements: Iterable[Element], codec: str = "") -> int:
    """Write elements to a file, which is there when it is whole; returns their number."""
    unfinished = f"{path}.{os.getpid()}.unfinished"
    count = 0
    try:
        with opened(unfinished, "wb", codec) as file:
            for element in elements:
                file.write(record(element_bytes(layout, element)))
                count += 1
        os.replace(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)
    return count


def read_elements(
    path: str, layout: Layout, codec: str = "", count: int | None = None
) -> Iterator[Element]:
    """The elements that `write_elements` wrote; so many, where their number is known."""
    seen = 0
    with _open(path, codec) as file:
        for data in named_records(file, path):
            try:
                element = element_from(layout, data)
            except DataLossError as error:
                raise DataLossError(f"{path}, record {seen}: {error.message}") from None
            seen += 1
            yield element
    if count not in (None, seen):
        raise DataLossError(f"{path} ends after record {seen} of {count}.")


@stage("CacheDatasetOfFile")
def cache(source: Pipeline, path: Any, *, layout: Layout) -> Pipeline:
    name = _text(path)
    whole = f"{name}.data"

    def start() -> Iterator[Element]:
        return read_elements(whole, layout) if os.path.exists(whole) else keeping()

    def keeping() -> Iterator[Element]:
        with errors_of_files(whole):
            os.makedirs(os.path.dirname(whole) or ".", exist_ok=True)
        file, elements = Unfinished(whole), iter(source)

        def step() -> Element:
            for element in elements:
                file.write(record(element_bytes(layout, element)))
                return element
            file.finish()
            raise StopIteration

        return resumed(step)

    return Pipeline(start, source.count, [source])


def _text(value: Any) -> str:
    found = np.asarray(value, object).item()
    return found.decode() if isinstance(found, bytes) else str(found)


# ---- files of others ----------------------------------------------------------------------------


def _names(paths: Any) -> list[str]:
    return [_text(p) for p in np.reshape(np.asarray(paths, object), -1)]


def _open(path: str, codec: str) -> IO[bytes]:
    try:
        return opened(path, "rb", codec)
    except FileNotFoundError:
        raise NotFoundError(f"{path}; No such file or directory [Op:IteratorGetNext]") from None


@stage("TFRecordDatasetV2")
def records(paths: Any, codec: Any) -> Pipeline:
    names, kind = _names(paths), _text(codec)

    def start() -> Iterator[Element]:
        for name in names:
            with _open(name, kind) as file:
                for data in named_records(file, name):
                    yield (data,)

    return Pipeline(start, UNKNOWN)


@stage("TextLineDataset")
def lines(paths: Any, codec: Any) -> Pipeline:
    names, kind = _names(paths), _text(codec)

    def start() -> Iterator[Element]:
        for name in names:
            with _open(name, kind) as file:
                for line in lines_in(file):
                    yield (line.removesuffix(b"\n"),)

    return Pipeline(start, UNKNOWN)


@stage("FixedLengthRecordDatasetV2")
def pieces(paths: Any, size: Any, head: Any, foot: Any, codec: Any) -> Pipeline:
    names, kind = _names(paths), _text(codec)
    length, before, after = int(size), int(head), int(foot)

    def start() -> Iterator[Element]:
        for name in names:
            with _open(name, kind) as file:
                data = file.read()[before:]
            data = data[: len(data) - after]
            if len(data) % length:
                raise InvalidArgumentError(
                    f"Excess bytes in the file {name}: {len(data)} bytes of data are no multiple of "
                    f"the record's {length}. [Op:IteratorGetNext]"
                )
            yield from ((data[i : i + length],) for i in range(0, len(data), length))

    return Pipeline(start, UNKNOWN)


@stage("LoadDataset")
def load(paths: Any, counts: Any, *, layout: Layout, codec: str) -> Pipeline:
    names, numbers = _names(paths), np.reshape(counts, -1).tolist()

    def start() -> Iterator[Element]:
        parts = zip(names, numbers, strict=True)
        return itertools.chain.from_iterable(
            read_elements(name, layout, codec, count) for name, count in parts
        )

    return Pipeline(start, sum(numbers))
