"""Bytes as characters: code points with the places where they begin, in many encodings."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from wengert.errors import InvalidArgumentError

# Encodings that a string may be put into.
WRITTEN: Final = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
# Names that Python has under others.
_NAMES: Final = {**WRITTEN, "US ASCII": "ascii", "UTF-16BE": "utf-16-be", "UTF-32BE": "utf-32-be",
                 "UTF-16LE": "utf-16-le", "UTF-16-LE": "utf-16-le", "UTF-32-LE": "utf-32-le"}  # fmt: skip
_MARKS: Final = {
    "utf-16": ((codecs.BOM_UTF16_LE, "le"), (codecs.BOM_UTF16_BE, "be")),
    "utf-32": ((codecs.BOM_UTF32_LE, "le"), (codecs.BOM_UTF32_BE, "be")),
}
_CONTROL: Final = 0x1F  # the last of them
LAST: Final = 0x10FFFF
ERRORS: Final = ("strict", "replace", "ignore")


# What becomes of what is no character: strict, replace or ignore; by which character; and whether
# control characters are replaced, too.
Treatment = tuple[str, int, bool]


@lru_cache(64)
def codec(name: str) -> str:
    """Python's name of an encoding."""
    try:
        return codecs.lookup(_NAMES.get(name, name.replace(" ", "-"))).name
    except LookupError:
        raise InvalidArgumentError(
            f"Could not create converter for input encoding: {name}"
        ) from None


def characters(text: bytes, encoding: str, treatment: Treatment) -> Iterator[tuple[int, int]]:
    """The code points, each with the place of its first byte."""
    errors, replacement, controls = treatment
    name, begin = _of_marks(text, codec(encoding))
    if name == "utf-8" and text.isascii() and not controls:
        yield from zip(text, range(len(text)), strict=True)
        return
    for point, at in _found(text, name, begin):
        if point is None:
            if errors == "strict":
                raise InvalidArgumentError("Invalid formatting on input string")
        elif not (controls and point <= _CONTROL):
            yield point, at
            continue
        if errors != "ignore":
            yield replacement, at


def _of_marks(text: bytes, name: str) -> tuple[str, int]:
    """The encoding that marks at the beginning tell, and the place behind them."""
    for mark, kind in _MARKS.get(name, ()):
        if text.startswith(mark):
            return f"{name}-{kind}", len(mark)
    return (f"{name}-be" if name in _MARKS else name), 0


def _found(text: bytes, name: str, begin: int) -> Iterator[tuple[int | None, int]]:
    """Code points; None for bytes that are none."""
    while begin < len(text):
        piece, stop, after = text[begin:], len(text), len(text)
        try:
            found = piece.decode(name)
        except UnicodeDecodeError as error:
            found = piece[: error.start].decode(name)
            stop, after = begin + error.start, begin + error.end
        at = begin
        for character in found:
            yield ord(character), at
            at += len(character.encode(name))
        if after > stop:
            yield None, stop
        begin = after


def encoded(points: Any, encoding: str, treatment: Treatment) -> bytes:
    """Code points as bytes."""
    return "".join(_written(points, treatment)).encode(WRITTEN[encoding])


def _written(points: Any, treatment: Treatment) -> Iterator[str]:
    errors, replacement, _ = treatment
    for point in points:
        if 0 <= point <= LAST and not 0xD800 <= point <= 0xDFFF:
            yield chr(point)
        elif errors == "strict":
            raise InvalidArgumentError("Code point is out of range for Unicode, or a noncharacter.")
        elif errors == "replace":
            yield chr(replacement)


def treatment_of(errors: str, replacement: int, controls: bool = False) -> Treatment:
    """What the arguments of a function say."""
    if errors not in ERRORS:
        raise InvalidArgumentError(
            f"Value for attr 'errors' of \"{errors}\" is not in the list of allowed values: "
            '"strict", "replace", "ignore"'
        )
    if not 0 <= replacement <= LAST or 0xD800 <= replacement <= 0xDFFF:
        raise InvalidArgumentError("replacement_char out of unicode codepoint range")
    return errors, int(replacement), bool(controls)


def checked_output(encoding: str) -> str:
    """An encoding that strings may be put into."""
    if encoding not in WRITTEN:
        raise InvalidArgumentError(
            f"Value for attr 'output_encoding' of \"{encoding}\" is not in the list of allowed "
            'values: "UTF-8", "UTF-16-BE", "UTF-32-BE"'
        )
    return encoding
