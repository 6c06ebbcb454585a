"""Lines of at most 80 columns: a longer one is broken within its brackets, or at its operators."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

WIDTH: Final = 80
INDENT: Final = "    "
_SHORT: Final = 12  # characters of terms that share a line
_NUMBERS: Final = re.compile(r"(?!.*\w\()[-+\[\]().,\w ]*")  # and names, but no calls


class Style(NamedTuple):
    """How a language has its lines broken."""

    words: str  # those that begin a statement and want no brackets
    signs: tuple[tuple[str, ...], ...]  # those between operands, the loosest first
    brackets: bool  # whether what is broken at its operators stands in brackets
    ends_apart: bool  # whether a bracket closes on a line of its own, after a last comma


_ARITHMETIC: Final = ((" | ",), (" ^ ",), (" & ",), (" + ", " - "), (" * ", " / ", " @ ", " // ", " % "))  # fmt: skip
_COMPARISONS: Final = (" < ", " <= ", " > ", " >= ", " == ", " != ")
PYTHON: Final = Style(
    r"return |if |elif |while |with |for [^()]*? in ",
    (
        (" for ",), (" if ", " else "), (" or ",), (" and ",), (*_COMPARISONS, " in "),
        *_ARITHMETIC, (" ** ",),
    ),
    brackets=True,
    ends_apart=True,
)  # fmt: skip
C: Final = Style(
    "return ",
    ((" ? ", " : "), (" || ",), (" && ",), _COMPARISONS, *_ARITHMETIC),
    brackets=False,
    ends_apart=False,
)


def within_width(text: str, style: Style = PYTHON) -> str:
    """A text of whole lines with those that are too long broken into several, as far as they can be."""
    return "\n".join(
        part
        for line in text.split("\n")
        for part in ([line] if len(line) <= WIDTH else _broken(line, style))
    )


def _broken(line: str, style: Style) -> list[str]:
    body, margin = line.lstrip(), _margin(line)
    if body.startswith("# "):
        return [margin + _cut(body, WIDTH - len(margin))]
    if body.startswith("/* ") and margin:
        return [margin + _cut(body[:-3], WIDTH - len(margin) - 3) + " */"]
    if body.startswith("/* "):
        return _paragraphs(body, "   ")
    if body.startswith('"""'):
        return [margin + text if text else "" for text in [*_paragraphs(body[:-3], ""), '"""']]
    return _of_statement(margin, body, style)


def _cut(text: str, width: int) -> str:
    """The first words of a comment: the rest is in the program that it comes from."""
    at = text.rfind(" ", 0, width - 3)
    return text[: at if at > width // 2 else width - 4] + " ..."


def _paragraphs(words: str, margin: str) -> list[str]:
    """What is said of the whole program: the first sentence, and the others below it."""
    first, _, others = words.partition(". ")
    joined = re.sub(r"(?<=\d), (?=\d)", ",\0", others)  # no line ends within a shape
    room = WIDTH - len(INDENT) - len(margin)
    lines = textwrap.wrap(joined, room, break_on_hyphens=False, break_long_words=False)
    return [f"{first}.", "", *[margin + line.replace("\0", " ") for line in lines]]


def _of_statement(margin: str, body: str, style: Style) -> list[str]:
    before, text, after = _statement(body, style)
    if style.brackets and not before and len(_operands(text, style)) > 1:
        text = f"({text})"
    lines = _laid(margin, before, text, after, style)
    sign = re.search(r" [-+*/]?= $", before)
    if sign is None or _fit(lines):
        return lines
    target = before[: sign.start()]
    whole = _laid(margin, "", target, sign.group() + text + after, style)
    if _fit(whole):
        return whole
    *first, last = above = _laid(margin, "", target, sign.group().rstrip(), style)
    joined = [*first, *_laid(_margin(last), last.lstrip() + " ", text, after, style)]
    if style.brackets or _fit(joined):
        return joined
    return [*above, *_laid(margin + INDENT, "", text, after, style)]


def _fit(lines: Sequence[str]) -> bool:
    return max(map(len, lines)) <= WIDTH


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _statement(body: str, style: Style) -> tuple[str, str, str]:
    """What comes before the expression of a statement, the expression, and what ends it."""
    after = re.search(r"(:| \{|;)?$", body)
    end = after.group() if after else ""
    body = body[: len(body) - len(end)]
    word = re.match(style.words, body)
    if word:
        return word.group(), body[word.end() :], end
    for i, depth in _outside_of_texts(body):
        if depth == 0 and body[i] == " " and (sign := re.match(r" [-+*/]?= ", body[i:])):
            return body[: i + sign.end()], body[i + sign.end() :], end
    return "", body, end


# ---- expressions ------------------------------------------------------------------------------


def _laid(margin: str, before: str, text: str, after: str, style: Style) -> list[str]:
    """An expression with what stands before and after it, in as many lines as it needs."""
    whole = margin + before + text + after
    if len(whole) <= WIDTH:
        return [whole]
    if style.brackets and len(_parts(text)) > 1:
        text = f"({text})"
    operands = _operands(text, style)
    group = _widest_group(text)
    if len(operands) < 2 or _is_mostly(group, before, operands):
        named = re.match(r"\w+=(?!=)", text)
        if named and style.brackets:
            return _laid(margin, before + named.group(), text[named.end() :], after, style)
        return _within_brackets(margin, before, text, after, group, style) if group else [whole]
    if not before:  # an argument, or an element
        return _in_rows(margin, operands, after, style)
    inner = margin + INDENT
    if style.brackets:
        return [f"{margin}{before}(", *_in_rows(inner, operands, "", style), f"{margin}){after}"]
    if before.endswith("= "):
        return [margin + before.rstrip(), *_in_rows(inner, operands, after, style)]
    return _in_rows(margin, [before + operands[0], *operands[1:]], after, style)


def _is_mostly(group: tuple[int, int] | None, before: str, operands: Sequence[str]) -> bool:
    """Whether an expression ends with brackets that hold most of it, as `0.5 * np.sum(...)` does."""
    if group is None or len(operands) != 2:
        return False
    begin, end = group
    return end == sum(map(len, operands)) and len(before) + begin <= WIDTH // 3


def _in_rows(margin: str, operands: Sequence[str], after: str, style: Style) -> list[str]:
    """Operands on a line, or each with the operator before it on lines of their own."""
    if len(margin + "".join(operands) + after) <= WIDTH:
        return [margin + "".join(operands) + after]
    if len(operands) > 2 and max(map(len, operands)) <= _SHORT:
        return [margin + line for line in _filled([*operands[:-1], operands[-1] + after], margin)]
    lines: list[str] = []
    for number, operand in enumerate(operands):
        sign = re.match(r" \S+ ", operand) if number else None
        before = sign.group().lstrip() if sign else ""
        text = operand[sign.end() :] if sign else operand
        end = after if number == len(operands) - 1 else ""
        is_clause = before in ("for ", "in ")  # cannot stand in brackets
        lines += (
            [margin + before + text + end] if is_clause else _laid(margin, before, text, end, style)
        )
    return lines


def _within_brackets(
    margin: str, before: str, text: str, after: str, group: tuple[int, int], style: Style
) -> list[str]:
    begin, end = group
    inner, rest = text[begin + 1 : end - 1], text[end - 1 :] + after
    head, deeper = margin + before + text[: begin + 1], margin + INDENT
    parts = _parts(inner)
    if style.ends_apart:
        elements = _elements(deeper, inner, parts, "," if len(parts) > 1 else "", style)
        return [head, *elements, *_laid(margin, rest[0], rest[1:], "", style)]
    return [head, *_elements(deeper, inner, parts, rest, style)]


def _elements(margin: str, inner: str, parts: Sequence[str], end: str, style: Style) -> list[str]:
    """What brackets hold: on a line if there is room, numbers as many as fit, others one below the other."""
    if len(margin + inner + end.lstrip(",")) <= WIDTH:
        return [margin + inner + end.lstrip(",")]
    ends = [*[","] * (len(parts) - 1), end]
    ended = [part + e for part, e in zip(parts, ends, strict=True)]
    if len(parts) > 2 and _NUMBERS.fullmatch(inner) and len(margin + max(ended, key=len)) <= WIDTH:
        return [margin + line for line in _filled(ended, margin)]
    return [
        line
        for part, e in zip(parts, ends, strict=True)
        for line in _laid(margin, "", part, e, style)
    ]


def _filled(parts: Iterable[str], margin: str) -> list[str]:
    """As many on a line as there is room for."""
    lines: list[str] = []
    for part in map(str.strip, parts):
        if lines and len(margin + lines[-1]) + 1 + len(part) <= WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return lines


# ---- where a text has which brackets --------------------------------------------------------------


_TOKENS: Final = re.compile(r"'[^']*'|\"[^\"]*\"|[\[({]|[\])}]|[, ]")


def _outside_of_texts(text: str) -> Iterator[tuple[int, int]]:
    """The places of brackets, commas and spaces, and in how many brackets they are."""
    depth = 0
    for token in _TOKENS.finditer(text):
        sign = token.group()
        if sign in "])}":
            depth -= 1
        if len(sign) == 1:
            yield token.start(), depth
        if sign in "[({":
            depth += 1


def _parts(text: str) -> list[str]:
    """What stands between the commas; what one `for` makes is one part."""
    if any(depth == 0 and text.startswith(" for ", i) for i, depth in _outside_of_texts(text)):
        return [text]
    places = [i for i, depth in _outside_of_texts(text) if depth == 0 and text[i] == ","]
    ends = [-1, *places, len(text)]
    found = [text[a + 1 : b].strip() for a, b in pairwise(ends)]
    return [part for part in found if part]


def _operands(text: str, style: Style) -> list[str]:
    """A text in parts, before its loosest operators."""
    spaces = [i for i, depth in _outside_of_texts(text) if depth == 0 and text[i] == " "]
    for signs in style.signs:
        places = [i for i in spaces if text.startswith(signs, i)]
        if places:
            ends = [0, *places, len(text)]
            return [text[a:b] for a, b in pairwise(ends)]
    return [text]


def _widest_group(text: str) -> tuple[int, int] | None:
    """The outermost brackets that hold the most: from the one that opens to behind the one that closes."""
    ends = [i for i, depth in _outside_of_texts(text) if depth == 0 and text[i] in "[](){}"]
    groups = [(a, b + 1) for a, b in zip(ends[::2], ends[1::2], strict=False) if b > a + 1]
    return max(groups, key=lambda g: g[1] - g[0], default=None)
