"""Kinks: which operations have another derivative at them on demand, and a count of those met.

A tie is a place where pieces of a function meet: 0 for relu, equal arguments of a maximum, equal
elements of a reduction. The operations declare theirs in `ops/kinks.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from wengert.core.row import Row

# From a row, one of the conventions and the user's line to a row with that derivative at kinks.
WithKinks = Callable[[Row, str, str], Row]

_KINKS: Final[dict[str, WithKinks]] = {}
# What declares the kinks, which few programs ask for.
_LATER: Final[list[Callable[[], object]]] = []


def declare_kinks(name: str, with_kinks: WithKinks) -> None:
    """Enter what the kinks of a type of operation are."""
    _KINKS[name] = with_kinks


def kinks_declared_later(declare: Callable[[], object]) -> None:
    """The function is called when somebody asks for kinks."""
    _LATER.append(declare)


def kinks_of(name: str) -> WithKinks | None:
    """The kinks of a type of operation, if it has any."""
    for declare in _LATER:
        declare()
    _LATER.clear()
    return _KINKS.get(name)


class Ties:
    """How many ties were met: each as often as a derivative that is not zero passed it.

    `by_operation` has the number for each type of operation.
    """

    def __init__(self) -> None:
        self.count = 0
        self.by_operation: dict[str, int] = {}

    def met(self, kind: str, count: int) -> None:
        """So many more, at one operation."""
        self.count += count
        self.by_operation[kind] = self.by_operation.get(kind, 0) + count

    def __repr__(self) -> str:
        return f"<{self.count} ties: {self.by_operation}>"


class _Counting(threading.local):
    """Who counts the ties that are met in this thread."""

    now: tuple[Ties, ...] = ()


_counting: Final = _Counting()


@contextmanager
def counted_by(ties: Ties) -> Iterator[None]:
    """What is met inside is counted here, too."""
    before = _counting.now
    _counting.now = (*before, ties)
    try:
        yield
    finally:
        _counting.now = before


def count_ties(kind: str, count: int) -> None:
    """Ties were met: tell those who count."""
    for ties in _counting.now:
        ties.met(kind, count)
