"""Messages of protocol buffers: fields with numbers, each a whole number, 4 or 8 bytes, or some bytes.

What a field means is said nowhere in the message: who reads it knows the numbers and their types.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from wengert.errors import DataLossError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # how a field is written
_SIZES: Final = {FIXED64: 8, FIXED32: 4}
_LONGEST: Final = 10  # bytes of a whole number
_ALL_BITS: Final = (1 << 64) - 1


def varint(value: int) -> bytes:
    """A whole number in as few bytes as it needs; a negative one as its 64 bits.

    >>> varint(300).hex(), len(varint(-1))
    ('ac02', 10)
    """
    value &= _ALL_BITS
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def zigzag(value: int) -> int:
    """A number of type sint32 or sint64 as it is written, small if it is near zero."""
    return (value << 1 ^ value >> 63) & _ALL_BITS


def unzigzag(value: int) -> int:
    """The number that `zigzag` wrote."""
    return value >> 1 ^ -(value & 1)


def signed(value: int) -> int:
    """A number of type int32 or int64, of what was read."""
    return value - (1 << 64) if value >> 63 else value


class Message:
    """A message that is being written, field by field.

    >>> Message().integer(1, 150).text(2, "testing").done().hex()
    '089601120774657374696e67'
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def done(self) -> bytes:
        """The message."""
        return b"".join(self._parts)

    def integer(self, field: int, value: int) -> Message:
        """A field of type int32, int64, uint32, uint64, bool, or an enumeration."""
        return self._field(field, VARINT, varint(int(value)))

    def float32(self, field: int, value: float) -> Message:
        """A field of type float."""
        return self._field(field, FIXED32, struct.pack("<f", value))

    def float64(self, field: int, value: float) -> Message:
        """A field of type double."""
        return self._field(field, FIXED64, struct.pack("<d", value))

    def fixed(self, field: int, value: int, size: int) -> Message:
        """A field of type fixed32 or fixed64, or of their signed kin, of so many bytes."""
        data = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        return self._field(field, {8: FIXED64, 4: FIXED32}[size], data)

    def data(self, field: int, value: bytes) -> Message:
        """A field of type bytes."""
        return self._field(field, BYTES, varint(len(value)), value)

    def text(self, field: int, value: str) -> Message:
        """A field of type string."""
        return self.data(field, value.encode())

    def message(self, field: int, value: Message) -> Message:
        """A field that is a message."""
        return self.data(field, value.done())

    def integers(self, field: int, values: Iterable[int]) -> Message:
        """A packed field of whole numbers."""
        return self.data(field, b"".join(varint(int(v)) for v in values))

    def array(self, field: int, values: object, dtype: str) -> Message:
        """A packed field of numbers of 4 or 8 bytes: of the dtype `<f4`, `<f8`, `<u4`, ..."""
        return self.data(field, np.asarray(values, dtype).tobytes())

    def _field(self, field: int, kind: int, *parts: bytes) -> Message:
        self._parts += [varint(field << 3 | kind), *parts]
        return self


class Fields:
    """A message that is read: its fields by their numbers, each in the order of the message.

    >>> read = Fields(bytes.fromhex("089601120774657374696e67"))
    >>> read.integer(1), read.text(2), read.integers(3)
    (150, 'testing', [])
    """

    def __init__(self, data: bytes | memoryview) -> None:
        self._found: dict[int, list[tuple[int, int | memoryview]]] = {}
        for field, kind, value in fields_of(data):
            self._found.setdefault(field, []).append((kind, value))

    def __contains__(self, field: int) -> bool:
        return field in self._found

    def numbers(self) -> list[int]:
        """The numbers of the fields that are there."""
        return list(self._found)

    def integers(self, field: int) -> list[int]:
        """A repeated field of whole numbers, packed or not; of negative ones use `signed`."""
        found: list[int] = []
        for kind, value in self._found.get(field, []):
            if kind == VARINT and isinstance(value, int):
                found.append(value)
            elif kind == BYTES and isinstance(value, memoryview):
                found += _varints(value)
            else:
                raise _damaged(f"field {field} is no whole number")
        return found

    def integer(self, field: int, default: int = 0) -> int:
        """A whole number; the last one counts, as everywhere where a field should stand once."""
        return next(reversed(self.integers(field)), default)

    def all_data(self, field: int) -> list[memoryview]:
        """A repeated field of bytes, or of messages."""
        values = [v for kind, v in self._found.get(field, []) if kind == BYTES]
        if len(values) != len(self._found.get(field, [])):
            raise _damaged(f"field {field} has no bytes")
        return [v for v in values if isinstance(v, memoryview)]

    def data(self, field: int) -> memoryview:
        """The bytes of a field; none if it is missing."""
        return next(reversed(self.all_data(field)), memoryview(b""))

    def texts(self, field: int) -> list[str]:
        """A repeated field of type string."""
        return [_text(v, field) for v in self.all_data(field)]

    def text(self, field: int) -> str:
        """A field of type string."""
        return _text(self.data(field), field)

    def messages(self, field: int) -> list[Fields]:
        """A repeated field of messages."""
        return [Fields(v) for v in self.all_data(field)]

    def message(self, field: int) -> Fields:
        """A field that is a message; an empty one if it is missing."""
        return Fields(self.data(field))

    def array(self, field: int, dtype: str) -> np.ndarray:
        """A repeated field of numbers of 4 or 8 bytes, packed or not."""
        size = np.dtype(dtype).itemsize
        parts = []
        for kind, value in self._found.get(field, []):
            if not isinstance(value, memoryview) or len(value) % size:
                raise _damaged(f"field {field} does not hold numbers of {size} bytes")
            if kind != BYTES and _SIZES[kind] != size:
                raise _damaged(f"field {field} holds a number of {_SIZES[kind]} bytes, not {size}")
            parts.append(value)
        return np.frombuffer(b"".join(parts), dtype)

    def float32(self, field: int) -> float:
        """A field of type float."""
        return next(iter(self.array(field, "<f4")[::-1].tolist()), 0.0)

    def float64(self, field: int) -> float:
        """A field of type double."""
        return next(iter(self.array(field, "<f8")[::-1].tolist()), 0.0)


def fields_of(data: bytes | memoryview) -> Iterator[tuple[int, int, int | memoryview]]:
    """Number, kind and value of each field of a message, in order; bytes are not copied."""
    view = memoryview(data).cast("B")
    at = 0
    while at < len(view):
        head, at = _varint(view, at)
        field, kind = head >> 3, head & 7
        if not field:
            raise _damaged("a field has the number 0")
        if kind == VARINT:
            value, at = _varint(view, at)
            yield field, kind, value
            continue
        if kind == BYTES:
            size, at = _varint(view, at)
        elif kind in _SIZES:
            size = _SIZES[kind]
        else:
            raise _damaged(f"field {field} is of the unknown kind {kind}")
        if at + size > len(view):
            raise _damaged(f"field {field} ends {at + size - len(view)} bytes behind the end")
        yield field, kind, view[at : at + size]
        at += size


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for count in range(_LONGEST):
        if at >= len(view):
            raise _damaged("a number goes on behind the end")
        byte = view[at]
        at += 1
        value |= (byte & 127) << 7 * count
        if byte < 128:
            return value & _ALL_BITS, at
    raise _damaged(f"a number is longer than {_LONGEST} bytes")


def _varints(view: memoryview) -> Iterator[int]:
    at = 0
    while at < len(view):
        value, at = _varint(view, at)
        yield value


def _text(data: memoryview, field: int) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as error:
        raise _damaged(f"field {field} is no text") from error


def _damaged(what: str) -> DataLossError:
    return DataLossError(f"The message is damaged: {what}.")
