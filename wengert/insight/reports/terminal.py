"""A report as text, as wide as the terminal; in colour where somebody looks at it."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from wengert.insight.reports.blocks import Block, Code, Heading, Table, Words

_WIDEST: Final = 110  # columns; longer lines are hard to read
_NARROWEST: Final = 40
_BOLD, _GREEN, _PLAIN = "\x1b[1m", "\x1b[32m", "\x1b[0m"


def width() -> int:
    """How many columns a report may take."""
    return max(_NARROWEST, min(shutil.get_terminal_size((100, 24)).columns, _WIDEST))


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
        yield block.text


def _table(block: Table, columns: int, painted: bool) -> Iterator[str]:
    """The columns beside one another; the last one is broken into lines where there is no room."""
    rows = [row for row in (block.header, *block.rows) if any(row)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(block.header))]
    before = sum(widths[:-1]) + 2 * (len(widths) - 1)
    last = max(columns - before - 2, 20)
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(w) if at in block.right else cell.ljust(w)
            for at, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        folded = textwrap.wrap(cells[-1].strip(), last, break_on_hyphens=False) or [""]
        if len(cells[-1]) <= last:
            folded = [cells[-1]]
        head = "  " + "  ".join([*cells[:-1], folded[0]]).rstrip()
        yield _painted(head, _BOLD, painted and number == 0 and any(block.header))
        for more in folded[1:]:
            yield " " * (before + 2) + more
