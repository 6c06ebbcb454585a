"""Scalar code as an expression, with names for what it needs twice and for what is too long."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from wengert.engines.native.frontend.scalar import Code, number_of
from wengert.insight.source.nests.language import Language
from wengert.insight.source.text import Text

LONGEST: Final = 76  # characters of an expression
_SIMPLE: Final = re.compile(r"-?\w+(\.\w+)?(\[[^\]]*\])?|f32\([-\w.]+\)")

Bind = Callable[[str, Text], Text]  # a type and an expression: a name for its value


def expression(
    language: Language, code: Code, result: int, arguments: Sequence[Text], bind: Bind
) -> Text:
    """What the code computes of its arguments."""
    order = _needed(code, result)
    uses = Counter(a for value in order for a in code.instructions[value][2])
    texts: dict[int, Text] = {}
    for value in order:
        op, kind, args, extra = code.instructions[value]
        if op == "param":
            text = arguments[extra]
        elif op == "const":
            text = language.number(kind, number_of(kind, extra))
        else:
            given = code.kind(args[-1])
            xs = _short([(texts[a], code.kind(a)) for a in args], bind)
            text = language.operation(extra if op == "call" else op, kind, given, xs)
        if uses[value] > 1 and op != "const" and not _SIMPLE.fullmatch(text.text):
            text = bind(kind, text)
        texts[value] = text
    return texts[result]


def _needed(code: Code, result: int) -> list[int]:
    """The instructions behind a value, in their order."""
    found: set[int] = set()
    waiting = [result]
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting += code.instructions[value][2]
    return sorted(found)


def _short(xs: Sequence[tuple[Text, str]], bind: Bind) -> list[Text]:
    """Operands that together fit in a line."""
    found = [x for x, _ in xs]
    while sum(len(x.text) for x in found) > LONGEST:
        at = max(range(len(found)), key=lambda i: len(found[i].text))
        if _SIMPLE.fullmatch(found[at].text):
            break
        found[at] = bind(xs[at][1], found[at])
    return found
