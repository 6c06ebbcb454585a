"""Bytes as characters: code points with the places where they begin, in many encodings."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from wengert.errors import InvalidArgumentError

if TYPE_CHECKING:
    from wengert.values.typing import Array

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


def text_in(text: bytes, encoding: str, treatment: Treatment) -> str:
    """The characters of a string."""
    found = _plain(text, codec(encoding), treatment[2])
    if found is None:
        found = "".join([chr(point) for point, _ in _characters(text, encoding, treatment)])
    return found


def texts_in(
    texts: Sequence[bytes], encoding: str, treatment: Treatment
) -> tuple[str, Array, Array]:
    """The characters of all strings, how many each has, and where each begins in its string."""
    name, controls = codec(encoding), treatment[2]
    found = [_plain(text, name, controls) if name in _WIDTHS else None for text in texts]
    places: dict[int, list[int]] = {}
    for row, text in enumerate(texts):
        if found[row] is None:
            pairs = list(_characters(text, encoding, treatment))
            found[row] = "".join([chr(point) for point, _ in pairs])
            places[row] = [at for _, at in pairs]
    lengths = np.fromiter(map(len, found), np.int64, len(found))  # type: ignore[arg-type]
    whole = "".join(found)  # type: ignore[arg-type]
    widths = _WIDTHS.get(name, np.ones_like)(points_of(whole)).astype(np.int64)
    ends, begins = np.cumsum(lengths), np.cumsum(widths) - widths
    first = ends - lengths
    begins -= np.repeat(np.append(begins, 0)[first], lengths)
    for row, those in places.items():
        begins[first[row] : ends[row]] = those
    return whole, lengths, begins


def points_of(text: str) -> Array:
    """The code points of a string."""
    return np.frombuffer(text.encode("utf-32-le"), "<i4").astype(np.int32, copy=False)


# How many bytes a code point takes, in the encodings where that is known.
_WIDTHS: Final[dict[str, Callable[[Array], Array]]] = {
    "utf-8": lambda p: 1 + (p > 0x7F) + (p > 0x7FF) + (p > 0xFFFF).astype(np.int64),
    "utf-16-be": lambda p: np.where(p > 0xFFFF, 4, 2),
    "utf-32-be": lambda p: np.full_like(p, 4),
    "ascii": np.ones_like,
    "iso8859-1": np.ones_like,
}


def _plain(text: bytes, name: str, controls: bool) -> str | None:
    """A string as Python decodes it; None if it has something to be treated, or marks."""
    if name in _MARKS:
        return None
    try:
        found = text.decode(name)
    except UnicodeDecodeError:
        return None
    return None if controls and _CONTROLS.search(found) else found


_CONTROLS: Final = re.compile(f"[\0-{chr(_CONTROL)}]")


def _characters(text: bytes, encoding: str, treatment: Treatment) -> Iterator[tuple[int, int]]:
    """The code points, each with the place of its first byte."""
    errors, replacement, controls = treatment
    name, begin = _of_marks(text, codec(encoding))
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


def texts_of(points: Array, splits: Array, encoding: str, treatment: Treatment) -> Iterator[bytes]:
    """Rows of code points as bytes."""
    errors, replacement, _ = treatment
    bad = (points < 0) | (points > LAST) | ((points >= 0xD800) & (points <= 0xDFFF))
    if bad.any():
        if errors == "strict":
            raise InvalidArgumentError("Code point is out of range for Unicode, or a noncharacter.")
        if errors == "replace":
            points = np.where(bad, replacement, points)
        else:
            points = points[~bad]
            splits = np.append(0, np.cumsum(~bad))[splits]
    whole = points.astype("<u4").tobytes().decode("utf-32-le")
    name = WRITTEN[encoding]
    for begin, end in pairwise(splits.tolist()):
        yield whole[begin:end].encode(name)


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
