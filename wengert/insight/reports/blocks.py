"""What a report is made of."""

from __future__ import annotations

import textwrap
from typing import Final, NamedTuple


class Words(NamedTuple):
    """A paragraph."""

    text: str


class Heading(NamedTuple):
    """What the blocks after it are about."""

    text: str


class Code(NamedTuple):
    """Lines of a program; those that are to be added are marked by their number in `added`."""

    lines: tuple[str, ...]
    added: frozenset[int] = frozenset()


class Table(NamedTuple):
    """Rows of cells below a header; `right` are the columns whose cells stand at the right."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()


class Picture(NamedTuple):
    """A drawing, as SVG, and what a terminal shows in its place."""

    svg: str
    text: str = ""


_WIDEST: Final = 76  # of a formula, which stands indented


def terms(text: str) -> Code:
    """A formula of any length: its lines end between terms."""
    return Code(tuple(textwrap.wrap(text, _WIDEST, break_on_hyphens=False, break_long_words=False)))


Block = Words | Heading | Code | Table | Picture
