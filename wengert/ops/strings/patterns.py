r"""Regular expressions as TensorFlow writes them, those of RE2, in Python's terms.

Python has no `[[:alpha:]]`, `\pL`, `\z` and `\Q...\E`; its `$` fits before a last line break, too, and after
a match it finds the empty one behind. A pattern is one of characters, not of bytes.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from wengert.errors import InvalidArgumentError

_POSIX: Final = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ", "upper": "A-Z", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_PIECES: Final = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|$)"
    r"|\\(?P<not_category>[pP])(?:\{(?P<long>\^?\w+)\}|(?P<short>\w))"
    r"|\\x\{(?P<point>[0-9A-Fa-f]+)\}"
    r"|\[:(?P<not_posix>\^?)(?P<posix>[a-z]+):\]"
    r"|(?P<escape>\\.)"
    r"|(?P<open>\[\^?\]?)"
    r"|(?P<close>\])"
    r"|(?P<end>\$)"
    r"|(?P<flags>\(\?[a-zA-Z]*m)",
    re.DOTALL,
)


@lru_cache(256)
def compiled(pattern: bytes) -> re.Pattern[str]:
    """A pattern that fits texts as RE2's does."""
    text = pattern.decode("utf-8", "surrogateescape")
    try:
        return re.compile(_translated(text), re.ASCII)
    except (re.error, KeyError) as error:
        raise InvalidArgumentError(f"Invalid pattern: {text}, error: {error}") from None


def _translated(text: str) -> str:
    inside = many_lines = False
    parts, at = [], 0
    for match in _PIECES.finditer(text):
        if inside and match["open"]:
            continue  # a bracket among the characters of a class
        parts.append(text[at : match.start()])
        at = match.end()
        many_lines = many_lines or bool(match["flags"])
        parts.append(_piece(match, inside, many_lines))
        inside = bool(match["open"]) or (inside and not match["close"])
    return "".join([*parts, text[at:]])


def _piece(match: re.Match[str], inside: bool, many_lines: bool) -> str:
    if match["quoted"] is not None:
        return re.escape(match["quoted"])
    if match["not_category"]:
        name = match["long"] or match["short"]
        other = (match["not_category"] == "P") != name.startswith("^")
        return _of_category(name.lstrip("^"), inside, other)
    if match["point"]:
        return f"\\U{int(match['point'], 16):08x}"
    if match["posix"]:
        return _posix(match, inside)
    if match["escape"] == r"\z":
        return r"\Z"
    if match["escape"] == r"\C":
        return r"(?s:.)"
    if match["end"] and not inside and not many_lines:
        return r"\Z"
    return match[0]


def _posix(match: re.Match[str], inside: bool) -> str:
    if not inside:
        return match[0]
    name = match["posix"]
    if name not in _POSIX:
        raise KeyError(f"invalid character class range: [:{name}:]")
    if not match["not_posix"]:
        return _POSIX[name]
    held = re.compile(f"[{_POSIX[name]}]")
    others = "".join(re.escape(chr(i)) for i in range(128) if not held.match(chr(i)))
    return others + "\\u0080-\\U0010ffff"


def _of_category(name: str, inside: bool, other: bool) -> str:
    """The characters of a category of Unicode, or the others, for a class of characters."""
    ranges = _ranges(name, other)
    if not ranges:
        raise KeyError(f"invalid character class range: \\p{{{name}}}")
    return ranges if inside else f"[{ranges}]"


@cache
def _ranges(name: str, other: bool) -> str:
    points = [
        i
        for i in range(sys.maxunicode + 1)
        if unicodedata.category(chr(i)).startswith(name) is not other
    ]
    if len(points) > sys.maxunicode:
        return ""  # there is no such category
    return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in _runs(points))


def _runs(points: list[int]) -> Iterator[tuple[int, int]]:
    first = last = points[0] if points else -1
    for point in points[1:]:
        if point != last + 1:
            yield first, last
            first = point
        last = point
    if points:
        yield first, last


# ---- what takes the place of a match ------------------------------------------------------------


@lru_cache(256)
def rewriting(rewrite: bytes, groups: int) -> tuple[str | int, ...] | None:
    """The pieces of a text, with the numbers of the groups that are to be put in.

    None if there is no such group; an escape that means nothing ends it, as in TensorFlow.
    """
    text = rewrite.decode("utf-8", "surrogateescape")
    parts: list[str | int] = []
    for plain, escape in re.findall(r"([^\\]*)(\\.?)?", text, re.DOTALL):
        parts.append(plain)
        sign = escape[1:]
        if sign.isdigit() and sign.isascii():
            if int(sign) > groups:
                return None
            parts.append(int(sign))
        elif sign == "\\":
            parts.append("\\")
        elif escape:
            break
    return tuple(parts)


def substitution(
    pattern: re.Pattern[str], parts: tuple[str | int, ...], all_: bool
) -> Callable[[bytes], bytes]:
    """What replaces the matches in a text; by Python's own loop where that finds the same ones."""
    if not _never_empty(pattern):
        return lambda text: replaced(text, pattern, parts, all_)
    template = "".join(
        [part.replace("\\", r"\\") if isinstance(part, str) else rf"\g<{part}>" for part in parts]
    )
    change, count = pattern.sub, 0 if all_ else 1

    def changed(text: bytes) -> bytes:
        try:
            return change(template, text.decode(), count).encode()
        except UnicodeError:  # an error handler takes a third of the time
            whole = text.decode("utf-8", "surrogateescape")
            return change(template, whole, count).encode("utf-8", "surrogateescape")

    return changed


@lru_cache(256)
def _never_empty(pattern: re.Pattern[str]) -> bool:
    """Whether every match has a character, as far as Python's parser tells."""
    parser = vars(re).get("_parser") or vars(re).get("sre_parse")  # before Python 3.11
    return parser is not None and parser.parse(pattern.pattern, pattern.flags).getwidth()[0] > 0


def full_matches(texts: Sequence[bytes], pattern: re.Pattern[str]) -> list[bool]:
    """Whether a pattern fits the whole of each text."""
    fits = pattern.fullmatch
    try:
        return [fits(text.decode()) is not None for text in texts]
    except UnicodeDecodeError:
        wholes = [text.decode("utf-8", "surrogateescape") for text in texts]
        return [fits(whole) is not None for whole in wholes]


def replaced(
    text: bytes, pattern: re.Pattern[str], parts: tuple[str | int, ...], all_: bool
) -> bytes:
    """A text with another one where a pattern fits."""
    whole = text.decode("utf-8", "surrogateescape")
    found, at, last = [], 0, -1
    for match in pattern.finditer(whole):
        if match.end() == match.start() == last:
            continue
        last = match.end()
        found.append(whole[at : match.start()])
        found += [part if isinstance(part, str) else match[part] or "" for part in parts]
        at = last
        if not all_:
            break
    return "".join([*found, whole[at:]]).encode("utf-8", "surrogateescape")
