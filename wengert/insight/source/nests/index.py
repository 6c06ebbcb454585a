"""Where in an array an element stands, as a sum of multiples of what loops count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from wengert.insight.source.text import ATOM, LEVELS, Text


class Term(NamedTuple):
    """What a loop counts, or a whole number from an array: at least 0, and less than a limit."""

    text: Text
    limit: int


class Index:
    """A constant, and terms with factors."""

    def __init__(self, constant: int = 0, factors: Mapping[Term, int] | None = None) -> None:
        self.constant = constant
        self.factors = {t: f for t, f in (factors or {}).items() if f}

    @staticmethod
    def of(term: Term) -> Index:
        """The term itself."""
        return Index(0, {term: 1})

    def __add__(self, other: Index) -> Index:
        factors = dict(self.factors)
        for term, factor in other.factors.items():
            factors[term] = factors.get(term, 0) + factor
        return Index(self.constant + other.constant, factors)

    def times(self, number: int) -> Index:
        """A multiple."""
        return Index(
            self.constant * number,
            {t: f * number for t, f in self.factors.items()} if number else {},
        )

    def ends(self) -> tuple[int, int]:
        """The smallest and the largest value."""
        reach = [f * (t.limit - 1) for t, f in self.factors.items()]
        return (
            self.constant + sum(min(r, 0) for r in reach),
            self.constant + sum(max(r, 0) for r in reach),
        )

    def divided(self, number: int, sign: str) -> tuple[Index, Index]:
        """The quotient and the remainder; where they are no sums, as the quotient and the remainder."""
        whole = {t: f for t, f in self.factors.items() if f % number == 0}
        rest = Index(self.constant, {t: f for t, f in self.factors.items() if f % number})
        low, high = rest.ends()
        if low // number == high // number:
            at = low // number
            quotient = Index(at, {t: f // number for t, f in whole.items()})
            return quotient, rest + Index(-at * number)
        low, high = self.ends()
        quotient = Index.of(Term(_operation(self.text(), sign, number), high // number + 1))
        remainder = Index.of(Term(_operation(rest.text(), "%", number), number))
        return quotient, remainder if rest.ends()[0] >= 0 else Index.of(
            Term(_operation(self.text(), "%", number), number)
        )

    def text(self) -> Text:
        """The sum."""
        parts = sorted(self.factors.items(), key=lambda p: (p[1] < 0, -abs(p[1])))
        if not parts:
            return Text(str(self.constant), ATOM if self.constant >= 0 else 80)
        text = ""
        if self.constant and parts[0][1] < 0:
            text = str(self.constant)
        for term, factor in parts:
            one = _multiple(term.text, abs(factor))
            text += f" {'-' if factor < 0 else '+'} {one}" if text else f"{'-' * (factor < 0)}{one}"
        if self.constant and parts[0][1] > 0:
            text += f" {'-' if self.constant < 0 else '+'} {abs(self.constant)}"
        is_one = len(parts) == 1 and not self.constant
        level = LEVELS["+"]
        if is_one and parts[0][1] == 1:
            level = parts[0][0].text.level
        elif is_one and parts[0][1] > 0:
            level = LEVELS["*"]
        return Text(text, level)


def summed(parts: Iterable[Index]) -> Index:
    """The sum of several."""
    total = Index()
    for part in parts:
        total = total + part
    return total


def _multiple(text: Text, factor: int) -> str:
    if factor == 1:
        return text.text if text.level > LEVELS["+"] else f"({text})"
    return f"{factor} * {text if text.level > LEVELS['*'] else f'({text})'}"


def _operation(text: Text, sign: str, number: int) -> Text:
    inner = text.text if text.level > LEVELS["*"] else f"({text})"
    return Text(f"{inner} {sign} {number}", LEVELS["*"])
