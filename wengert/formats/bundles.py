"""Tensors by names in files: the bundle of which TensorFlow's checkpoints are made.

`prefix.index` is a table: a head, and for each tensor its dtype, shape, place and checksum. The files
`prefix.data-00000-of-00001` and so on hold the bytes. A tensor may be there in parts.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.errors import (
    DataLossError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    UnimplementedError,
    of_os_error,
)
from wengert.formats import large_files
from wengert.formats.crc32c import crc32c, masked
from wengert.formats.ordered_code import slice_key
from wengert.formats.tables import entries_of, table
from wengert.formats.tensors import shape_message
from wengert.formats.wire import Fields, Message, signed, varint
from wengert.host.files import Unfinished, alone_in, errors_of_files, kept_for_good, replaced
from wengert.values.dtypes import DType, as_dtype, of_numpy, resource, variant

Extents = tuple[
    tuple[int, int], ...
]  # beginning and length for each axis; 0 and -1 for a whole one
_WORD: Final = 4
_MOST: Final = 0xFFFFFFFF
_USUAL, _OTHER = (0, 1), (1, 2)  # files with bytes: the number, and of how many
# Fields of BundleHeaderProto, BundleEntryProto, TensorSliceProto.
_SHARDS, _ENDIAN, _VERSION = 1, 2, 3
_DTYPE, _SHAPE, _SHARD, _OFFSET, _SIZE, _CHECK, _SLICES = range(1, 8)
_EXTENT, _START, _LENGTH = 1, 1, 2


class Entry(NamedTuple):
    """A tensor in the index."""

    dtype: DType
    shape: tuple[int, ...]
    shard: int = 0
    offset: int = 0
    size: int = 0
    check: int = 0
    slices: tuple[Extents, ...] = ()


def shard_name(prefix: str, shard: int, count: int) -> str:
    """The file with the bytes of a part of the tensors."""
    return f"{prefix}.data-{shard:05d}-of-{count:05d}"


# ---- writing ------------------------------------------------------------------------------------


class BundleWriter:
    """Tensors that are written one after the other; they are there when `finish` returns.

    Until then what was there before stays whole. After an error nothing is left of them.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._folder = os.path.dirname(prefix)
        self._entries: dict[bytes, Entry] = {}
        self._at = 0
        with errors_of_files():
            Path(prefix).parent.mkdir(parents=True, exist_ok=True)
            self._file = Unfinished(shard_name(prefix, 0, 1))

    def __enter__(self) -> BundleWriter:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.finish()
        else:
            self.drop()

    def add(self, name: str, array: Any) -> None:
        """Write a tensor."""
        self._put(name.encode(), name, np.asarray(array))

    def add_slice(self, name: str, shape: Sequence[int], extents: Extents, array: Any) -> None:
        """Write a part of a tensor that has a shape as a whole."""
        array = np.asarray(array)
        before = self._entries.get(name.encode())
        slices = (*(before.slices if before is not None else ()), extents)
        whole = Entry(of_numpy(array.dtype), tuple(shape), slices=slices)
        self._entries[name.encode()] = whole
        self._put(slice_key(name, extents), name, array)

    def _put(self, key: bytes, name: str, array: Any) -> None:
        if key in self._entries:
            raise InvalidArgumentError(f"Two tensors of the checkpoint are called {name!r}.")
        dtype = of_numpy(array.dtype)
        if dtype.name in ("resource", "variant"):
            raise UnimplementedError(
                f"Tensor {name!r} is of dtype {dtype.name}, which no file can hold."
            )
        start = self._at
        check = self._strings(array) if dtype.name == "string" else self._bytes(array)
        size = self._at - start
        self._entries[key] = Entry(dtype, array.shape, 0, start, size, check)

    def _bytes(self, array: Any) -> int:
        data = _raw(array)
        self._write(data)
        return masked(crc32c(data))

    def _strings(self, array: Any) -> int:
        """The lengths, their checksum, the strings; the lengths enter the checksum as words."""
        texts = [t if isinstance(t, bytes) else str(t).encode() for t in array.reshape(-1).tolist()]
        lengths = [len(t) for t in texts]
        check = crc32c(b"".join(_length_word(n) for n in lengths))
        self._write(b"".join(varint(n) for n in lengths))
        word = masked(check).to_bytes(_WORD, "little")
        check = crc32c(word, check)
        self._write(word)
        joined = b"".join(texts)
        self._write(joined)
        return masked(crc32c(joined, check))

    def _write(self, data: Any) -> None:
        with errors_of_files(self._file.path):
            large_files.write(self._file.handle, data)
        self._at += len(data)

    def finish(self) -> None:
        """Give the files their names: the bytes first, the index last.

        The index says which file has the bytes. Where the one of that name is in use, the new bytes get
        another name first, so that replacing the index is all that replaces the tensors.
        """
        try:
            with errors_of_files(), alone_in(self._folder):
                used = _shards_in_use(self._prefix)
                at = _USUAL if _USUAL not in used else _OTHER
                self._file.finish(shard_name(self._prefix, *at))
                self._place_index(at)
                if at == _USUAL:
                    Path(shard_name(self._prefix, *_OTHER)).unlink(missing_ok=True)
                else:
                    self._move_to_usual_name()
        finally:
            self.drop()

    def _place_index(self, at: tuple[int, int]) -> None:
        kept_for_good(self._folder)
        replaced(f"{self._prefix}.index", self._index(*at))
        kept_for_good(self._folder)

    def _move_to_usual_name(self) -> None:
        """The bytes get the name that TensorFlow gives them, by a second index, where files have two names."""
        usual, other = shard_name(self._prefix, *_USUAL), shard_name(self._prefix, *_OTHER)
        with contextlib.suppress(OSError, OpError):
            Path(usual).unlink(missing_ok=True)  # what the index before last spoke of
            os.link(other, usual)
            self._place_index(_USUAL)
            os.unlink(other)

    def _index(self, shard: int, count: int) -> bytes:
        head = Message().integer(_SHARDS, count).message(_VERSION, Message().integer(1, 1))
        lines = [(b"", head.done())]
        for key in sorted(self._entries):
            entry = self._entries[key]
            lines.append(
                (key, _entry_message(entry if entry.slices else entry._replace(shard=shard)))
            )
        return table(lines)

    def drop(self) -> None:
        """Leave nothing behind, unless it is finished."""
        self._file.drop()


def _shards_in_use(prefix: str) -> set[tuple[int, int]]:
    """The files of which the index speaks that is there: their numbers, and how many it says there are."""
    try:
        reader = BundleReader(prefix)
    except OpError:
        return set()
    return {(entry.shard, reader.shards) for entry in reader.entries.values() if not entry.slices}


def _raw(array: Any) -> memoryview:
    return memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8))


def _length_word(length: int) -> bytes:
    return length.to_bytes(_WORD if length <= _MOST else 2 * _WORD, "little")


def _entry_message(entry: Entry) -> bytes:
    made = Message().integer(_DTYPE, entry.dtype.as_datatype_enum)
    made.message(_SHAPE, shape_message(entry.shape))
    for field, value in ((_SHARD, entry.shard), (_OFFSET, entry.offset), (_SIZE, entry.size)):
        if value:
            made.integer(field, value)
    if not entry.slices:
        made.fixed(_CHECK, entry.check, _WORD)
    for extents in entry.slices:
        made.message(_SLICES, _slice_message(extents))
    return made.done()


def _slice_message(extents: Extents) -> Message:
    made = Message()
    for start, length in extents:
        axis = Message()
        if start:
            axis.integer(_START, start)
        if length >= 0:
            axis.integer(_LENGTH, length)
        made.message(_EXTENT, axis)
    return made


# ---- reading ------------------------------------------------------------------------------------


class BundleReader:
    """The tensors of a bundle."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        path = Path(f"{prefix}.index")
        try:
            lines = dict(entries_of(path.read_bytes()))
        except FileNotFoundError:
            raise NotFoundError(
                f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
                f"{prefix}"
            ) from None
        except DataLossError as error:
            raise DataLossError(f"{path}: {error}") from error
        with errors_of_files(), _of(str(path)):
            self.shards = self._head(lines.pop(b"", b""))
            self.entries = {key: _entry_of(Fields(data)) for key, data in lines.items()}

    def _head(self, data: bytes) -> int:
        head = Fields(data)
        if head.integer(_ENDIAN):
            raise UnimplementedError("It was written with the other order of bytes.")
        if head.message(_VERSION).integer(2) > 1:  # the oldest reader that may read it
            raise UnimplementedError(
                "It is of a newer version of the format: only TensorFlow's own reads it."
            )
        return head.integer(_SHARDS)

    def fault(self) -> str | None:
        """What the sizes of the files say is wrong: one is missing or cut short."""
        ends: dict[int, int] = {}
        for entry in self.entries.values():
            if not entry.slices:
                ends[entry.shard] = max(ends.get(entry.shard, 0), entry.offset + entry.size)
        for shard, end in ends.items():
            path = Path(shard_name(self.prefix, shard, self.shards))
            if not path.exists():
                return f"{path} is missing."
            if path.stat().st_size < end:
                return f"{path} is cut short: it has {path.stat().st_size} bytes of {end}."
        return None

    def names(self) -> list[str]:
        """The names of the tensors, in order."""
        return [key.decode() for key in self.entries if not key.startswith(b"\0")]

    def __contains__(self, name: str) -> bool:
        return name.encode() in self.entries

    def entry(self, name: str) -> Entry:
        """What the index says of a tensor."""
        found = self.entries.get(name.encode())
        if found is None:
            raise NotFoundError(f"Key {name} not found in checkpoint {self.prefix}")
        return found

    def tensor(self, name: str) -> Any:
        """The array of a tensor."""
        entry = self.entry(name)
        if not entry.slices:
            return self._read(name, entry)
        whole = np.empty(entry.shape, entry.dtype.numpy_dtype)
        for extents in entry.slices:
            part = self.entries.get(slice_key(name, extents))
            if part is None:
                raise DataLossError(
                    f"Tensor {name!r} of {self.prefix}: the part {extents} is missing."
                )
            whole[_places(extents)] = self._read(name, part)
        return whole

    def part(self, name: str, extents: Extents) -> Any:
        """A part of a tensor, in whatever parts it was written."""
        entry = self.entries.get(slice_key(name, extents))
        return self._read(name, entry) if entry is not None else self.tensor(name)[_places(extents)]

    def _read(self, name: str, entry: Entry) -> Any:
        path = shard_name(self.prefix, entry.shard, self.shards)
        if entry.dtype in (variant, resource):
            raise UnimplementedError(f"Tensor {name!r} of {path} is of dtype {entry.dtype.name}.")
        data = self._bytes(name, entry, path)
        size = int(np.prod(entry.shape, dtype=np.int64))
        if entry.dtype.name == "string":
            return _strings(data, size, entry, lambda: _damaged(name, path)).reshape(entry.shape)
        if masked(crc32c(data)) != entry.check:
            raise _damaged(name, path)
        kind = entry.dtype.numpy_dtype
        if len(data) != size * kind.itemsize:
            raise _damaged(name, path)
        return data.view(kind).reshape(entry.shape)

    def _bytes(self, name: str, entry: Entry, path: str) -> Any:
        try:
            data = large_files.read(path, entry.offset, entry.size)
        except FileNotFoundError:
            raise DataLossError(
                f"Tensor {name!r} of checkpoint {self.prefix}: the file {path} is missing."
            ) from None
        except OSError as error:
            raise of_os_error(error) from error
        if len(data) < entry.size:
            raise DataLossError(
                f"Tensor {name!r} of checkpoint {self.prefix}: {path} is cut short; {entry.size} bytes "
                f"from {entry.offset} on were wanted, {len(data)} are there."
            )
        return data


@contextlib.contextmanager
def _of(path: str) -> Iterator[None]:
    """Errors that say of which file they speak."""
    try:
        yield
    except OpError as error:
        raise type(error)(f"{path}: {error}") from error


def _damaged(name: str, path: str) -> DataLossError:
    return DataLossError(
        f"Tensor {name!r}: checksum does not match, its data in {path} are damaged."
    )


def _entry_of(fields: Fields) -> Entry:
    shape = [signed(dim.integer(1)) for dim in fields.message(_SHAPE).messages(2)]
    check = fields.array(_CHECK, "<u4")
    return Entry(
        _dtype(fields.integer(_DTYPE)),
        tuple(shape),
        fields.integer(_SHARD),
        fields.integer(_OFFSET),
        fields.integer(_SIZE),
        int(check[-1]) if len(check) else 0,
        tuple(_extents(part) for part in fields.messages(_SLICES)),
    )


def _dtype(number: int) -> DType:
    return next((d for d in (variant, resource) if d.as_datatype_enum == number), None) or as_dtype(
        number
    )


def _extents(fields: Fields) -> Extents:
    return tuple(
        [
            (signed(axis.integer(_START)), signed(axis.integer(_LENGTH)) if _LENGTH in axis else -1)
            for axis in fields.messages(_EXTENT)
        ]
    )


def _places(extents: Extents) -> tuple[slice, ...]:
    return tuple([slice(s, None if n < 0 else s + n) for s, n in extents])


def _strings(data: Any, count: int, entry: Entry, damaged: Callable[[], Exception]) -> Any:
    found = np.empty(count, object)
    raw = data.tobytes()
    lengths, at = _lengths(raw, count, damaged)
    word = raw[at : at + _WORD]
    check = crc32c(b"".join(_length_word(n) for n in lengths))
    rest = raw[at + _WORD :]
    right = masked(check).to_bytes(_WORD, "little") == word
    if not right or masked(crc32c(rest, crc32c(word, check))) != entry.check:
        raise damaged()
    at = 0
    for n, length in enumerate(lengths):
        found[n] = rest[at : at + length]
        at += length
    return found


def _lengths(raw: bytes, count: int, damaged: Callable[[], Exception]) -> tuple[list[int], int]:
    found, at = [], 0
    for _ in range(count):
        value = shift = 0
        while True:
            if at >= len(raw):
                raise damaged()
            byte = raw[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        found.append(value)
    return found, at
