"""A report as text, as wide as the terminal; in colour where somebody looks at it."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from wengert.insight.reports.blocks import Block, Code, Heading, Table, Words

_WIDEST: Final = 110  # columns; longer lines are hard to read
_NARROWEST: Final = 40
_FEWEST: Final = 20  # of a column that is broken into lines
_BOLD, _GREEN, _PLAIN = "\x1b[1m", "\x1b[32m", "\x1b[0m"


def width() -> int:
    """How many columns a report may take."""
    return max(_NARROWEST, min(shutil.get_terminal_size((80, 24)).columns, _WIDEST))


def text_of(title: str, blocks: Sequence[Block], columns: int) -> str:
    """The title and the blocks, with empty lines between them."""
    painted = _is_watched()
    parts = [_painted(textwrap.fill(title, columns), _BOLD, painted)] if title else []
    parts += ["\n".join(_lines(block, columns, painted)) for block in blocks]
    return "\n\n".join(part for part in parts if part)


def _is_watched() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _painted(text: str, colour: str, painted: bool) -> str:
    return f"{colour}{text}{_PLAIN}" if painted else text


def _lines(block: Block, columns: int, painted: bool) -> Iterator[str]:
    if isinstance(block, Words):
        for paragraph in block.text.split("\n"):
            yield textwrap.fill(paragraph, columns, break_on_hyphens=False, break_long_words=False)
    elif isinstance(block, Heading):
        yield _painted(textwrap.fill(block.text, columns), _BOLD, painted)
    elif isinstance(block, Code):
        for number, line in enumerate(block.lines):
            is_added = number in block.added
            text = f"  {'+' if is_added else ' '} {line}".rstrip()
            yield _painted(text, _GREEN, painted and is_added)
    elif isinstance(block, Table):
        yield from _table(block, columns, painted)
    else:
        for line in block.text.split("\n"):
            yield textwrap.fill(line, columns, subsequent_indent="    ", break_on_hyphens=False)


def _table(block: Table, columns: int, painted: bool) -> Iterator[str]:
    """The columns beside one another; cells are broken into lines where there is no room.

    Where there is too little of it for the last column, its cells stand below those of their rows; where there is too
    little for the others, all do.
    """
    rows = [row for row in (block.header, *block.rows) if any(row)]
    if not rows:
        return
    count = len(block.header)
    widths = [max(len(row[at]) for row in rows) for at in range(count)]
    room = columns - 2 * count
    is_below = count > 1 and room - sum(widths[:-1]) < min(widths[-1], _FEWEST)
    shown = count - is_below
    widths = _narrowed(widths[:shown], columns - 2 * shown, block.right)
    if sum(widths) > columns - 2 * shown:
        yield from _stacked(block, columns)
        return
    for number, row in enumerate(rows):
        is_header = number == 0 and any(block.header)
        for line in _row(row[:shown], widths, block.right) if any(row[:shown]) else ():
            yield _painted(line, _BOLD, painted and is_header)
        if is_below and row[-1].strip():
            for line in _wrapped(row[-1], columns - 6):
                yield _painted(f"      {line}", _BOLD, painted and is_header)


def _stacked(block: Table, columns: int) -> Iterator[str]:
    """Each cell below the one before it, with the name of its column."""
    for first, *others in block.rows:
        yield from (f"  {line}" for line in _wrapped(first, columns - 2))
        for name, cell in zip(block.header[1:], others, strict=True):
            text = f"{name}: {cell.strip()}" if name else cell
            if cell.strip():
                yield from (f"      {line}" for line in _wrapped(text, columns - 6))


def _narrowed(widths: list[int], room: int, right: frozenset[int]) -> list[int]:
    """The widths with the widest columns of words made as narrow as it takes."""
    widths = list(widths)
    words = [at for at in range(len(widths)) if at not in right]
    while sum(widths) > room and words:
        widest = max(words, key=widths.__getitem__)
        if widths[widest] <= _FEWEST:
            break
        widths[widest] -= 1
    return widths


def _row(row: Sequence[str], widths: Sequence[int], right: frozenset[int]) -> Iterator[str]:
    folded = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
    for cells in itertools.zip_longest(*folded, fillvalue=""):
        placed = [
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        yield ("  " + "  ".join(placed)).rstrip()


def _wrapped(cell: str, width: int) -> list[str]:
    """The lines of a cell; one that fits stays as it is."""
    if len(cell) <= width:
        return [cell]
    return textwrap.wrap(cell.strip(), width, break_on_hyphens=False) or [""]
