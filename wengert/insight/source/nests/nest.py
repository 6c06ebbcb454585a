"""Nests of loops: what they do in each round, and which two can be one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from wengert.insight.source.nests.index import Index, Term
from wengert.insight.source.nests.language import Language
from wengert.insight.source.text import Text

INDENT: Final = "    "


class Array:
    """Numbers in memory under a name: an argument, a result, a table, or for a while."""

    def __init__(self, name: str, kind: str, shape: Sequence[int], role: str) -> None:
        self.name = name
        self.kind = kind
        self.shape = tuple(shape)
        self.role = role  # "given", "result", "table", "local"


class Remark:
    """The line of the program to which what follows belongs."""

    def __init__(self, text: str) -> None:
        self.text = text


class Store:
    """An assignment to an element of an array."""

    def __init__(self, array: Array, place: str, value: str) -> None:
        self.array = array
        self.place = place
        self.value = value


class Block:
    """Lines under a head: a branch, or a loop that is no loop over an array."""

    def __init__(self, head: str, lines: Sequence[Line], is_last: bool = True) -> None:
        self.head = head
        self.lines = list(lines)
        self.is_last = is_last  # no other branch follows


class Nest:
    """Loops within each other, without those that run once."""

    def __init__(self, sizes: Sequence[int], letters: Sequence[str], depth: int = 0) -> None:
        counted = [n for n in sizes if n != 1]
        self.names = list(letters[depth : depth + len(counted)])
        self.counts = counted
        self.depth = depth + len(counted)
        names = iter(self.names)
        self.index = [
            Index() if n == 1 else Index.of(Term(Text(next(names)), max(n, 1))) for n in sizes
        ]
        self.remarks: list[Remark] = []
        self.before: list[str] = []  # lines that must precede the loops
        self.lines: list[Line] = []
        self.totals: set[str] = set()  # variables that are complete after the last round
        self.reads: dict[str, set[str]] = {}  # arrays, and which of their elements
        self.writes: dict[str, set[str]] = {}

    def note(self, inner: Nest) -> None:
        """What a loop within reads and writes, this one does."""
        for mine, its in ((self.reads, inner.reads), (self.writes, inner.writes)):
            for name, places in its.items():
                mine.setdefault(name, set()).update(places)

    def takes(self, other: Nest) -> bool:
        """Whether what another nest does may be done in the same rounds, after what this one does.

        What one writes and the other reads or writes must be the same element in each round.
        """
        if not self.counts or self.counts != other.counts:
            return False
        if self.totals and self.totals & words_in(other.lines):
            return False
        for name in {*self.writes, *other.writes}:
            if name in (*self.reads, *self.writes) and name in (*other.reads, *other.writes):
                places = set[str]().union(
                    *[part.get(name, ()) for n in (self, other) for part in (n.reads, n.writes)]
                )
                if len(places) > 1:
                    return False
        return True

    def take(self, other: Nest) -> None:
        """Do what another nest does, too."""
        self.before += other.before
        self.totals |= other.totals
        self.lines += [*other.remarks, *other.lines]
        self.note(other)

    def written(self, language: Language) -> list[str]:
        """The lines."""
        head = [language.comment(r.text) for r in self.remarks] + self.before
        margin = ""
        for name, count in zip(self.names, self.counts, strict=True):
            head.append(margin + language.loop(name, "0", str(count)))
            margin += INDENT
        body = [margin + line for line in written(self.lines, language)]
        tail = []
        for depth in reversed(range(len(self.names))):
            tail += [INDENT * depth + line for line in language.ended()]
        return [*head, *body, *tail]

    def scalar(self, array: Array, place: str, language: Language) -> None:
        """An array of which each round needs its own element alone is a variable of the round."""
        element = re.compile(rf"(?<!\w){re.escape(place)}")
        self.lines = _with_variable(self.lines, array, element, language)


Line: TypeAlias = "str | Remark | Store | Nest | Block"


def _with_variable(
    lines: Iterable[Line],
    array: Array,
    element: re.Pattern[str],
    language: Language,
) -> list[Line]:
    found: list[Line] = []
    for line in lines:
        if isinstance(line, Nest):
            line.before = [element.sub(array.name, b) for b in line.before]
            line.lines = _with_variable(line.lines, array, element, language)
            found.append(line)
        elif isinstance(line, Store):
            value = element.sub(array.name, line.value)
            if line.array is array:
                found.append(language.defined(array.kind, array.name, value))
            else:
                found.append(Store(line.array, line.place, value))
        else:
            found.append(element.sub(array.name, line) if isinstance(line, str) else line)
    return found


def written(lines: Iterable[Line], language: Language) -> list[str]:
    """Lines, with the loops that stand between them."""
    found: list[str] = []
    for line in lines:
        if isinstance(line, str):
            found.append(line)
        elif isinstance(line, Remark):
            found.append(language.comment(line.text))
        elif isinstance(line, Store):
            found.append(f"{line.place} = {line.value}{language.end}")
        elif isinstance(line, Block):
            found.append(line.head)
            found += [
                INDENT + inner for inner in written(line.lines, language) or language.nothing()
            ]
            found += language.ended() if line.is_last else []
        else:
            found += line.written(language)
    return found


def words_in(lines: Iterable[Line]) -> set[str]:
    """The names in lines."""
    found: set[str] = set()
    for line in lines:
        if isinstance(line, str):
            found.update(re.findall(r"\w+", line))
        elif isinstance(line, Store):
            found.update(re.findall(r"\w+", f"{line.place} {line.value}"))
        elif not isinstance(line, Remark):
            found |= words_in(line.lines)
    return found


def nests_in(lines: Iterable[Line]) -> list[Nest]:
    """The outermost nests, also those in blocks."""
    found = []
    for line in lines:
        if isinstance(line, Nest):
            found.append(line)
        elif isinstance(line, Block):
            found += nests_in(line.lines)
    return found
