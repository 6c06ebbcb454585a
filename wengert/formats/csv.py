"""Lines with fields between commas, as RFC 4180 has them: a quoted field may hold commas and ends of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from wengert.errors import InvalidArgumentError

_QUOTE = b'"'


def records_of(data: bytes, delimiter: bytes = b",", quotes: bool = True) -> Iterator[list[bytes]]:
    r"""The fields of each record.

    >>> list(records_of(b'a,"b,c"\n1,2\n'))
    [[b'a', b'b,c'], [b'1', b'2']]
    """
    at = 0
    while at < len(data):
        fields: list[bytes] = []
        more = True
        while more:
            field, at, more = _field(data, at, delimiter, quotes)
            fields.append(field)
        yield fields


def one_record(data: bytes, delimiter: bytes = b",", quotes: bool = True) -> list[bytes]:
    """The fields of a text that is one record; none of one that is empty."""
    if data and b"\n" not in data and b"\r" not in data and not (quotes and _QUOTE in data):
        return data.split(delimiter)
    found = list(records_of(data, delimiter, quotes))
    if len(found) > 1 or data[-1:] in (b"\n", b"\r"):
        raise InvalidArgumentError("Unquoted fields cannot have quotes/CRLFs inside")
    return found[0] if found else []


@cache
def _stops(delimiter: bytes, quotes: bool) -> re.Pattern[bytes]:
    """What ends a field, or must not be in it."""
    return re.compile(b"[" + re.escape(delimiter) + b"\n" + (_QUOTE if quotes else b"") + b"]")


def _field(data: bytes, at: int, delimiter: bytes, quotes: bool) -> tuple[bytes, int, bool]:
    """A field, where the next begins, and whether there is another in the record."""
    if quotes and data[at : at + 1] == _QUOTE:
        return _quoted(data, at + 1, delimiter)
    stop = _stops(delimiter, quotes).search(data, at)
    end = stop.start() if stop else len(data)
    if quotes and data[end : end + 1] == _QUOTE:
        raise InvalidArgumentError("Unquoted fields cannot have quotes inside")
    field = data[at:end]
    more = data[end : end + 1] == delimiter
    return (field if more else field.removesuffix(b"\r")), end + 1, more


def _quoted(data: bytes, at: int, delimiter: bytes) -> tuple[bytes, int, bool]:
    parts = []
    while True:
        end = data.find(_QUOTE, at)
        if end < 0:
            raise InvalidArgumentError("Reached end of file without closing quoted field in record")
        parts.append(data[at:end])
        at = end + 1
        if data[at : at + 1] != _QUOTE:
            break
        parts.append(_QUOTE)
        at += 1
    field, after = b"".join(parts), data[at : at + 1]
    if after == delimiter:
        return field, at + 1, True
    if data[at : at + 2] == b"\r\n":
        return field, at + 2, False
    if after in (b"\n", b""):
        return field, at + 1, False
    raise InvalidArgumentError("Quote inside a string has to be escaped by another quote")
