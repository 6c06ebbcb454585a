"""Output of commands: colour on terminals, plain text into pipes; errors; progress."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from wengert.core.table import TABLE
from wengert.host.spelling import words_near

Item = TypeVar("Item")
WRONG_USE = 2  # the exit code for usage errors, as in Python's own commands


def to_screen() -> Console:
    """The console of results. rich omits colour for NO_COLOR and pipes; lines are never wrapped."""
    return Console(soft_wrap=True, highlight=False)


def to_errors() -> Console:
    """The console of standard error."""
    return Console(stderr=True, soft_wrap=True, highlight=False)


def report_failure(message: str) -> int:
    """Print an error message; returns the exit code."""
    to_errors().print(Text.assemble(("wengert: ", "bold red"), message))
    return WRONG_USE


def report_no_operation(name: str) -> int:
    """Print that there is no operation of a name, and what is near; returns the exit code."""
    near = words_near(name.rpartition(".")[2], TABLE, likeness=0.4)
    hint = f" Near it: {', '.join(near)}." if near else ""
    return report_failure(f"there is no operation '{name}'.{hint}")


def as_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, indent=2))


def heading(text: str) -> None:
    """Print a heading."""
    to_screen().print(Text(text, "bold"))


def pairs(entries: Mapping[str, Any], indent: str = "") -> None:
    """Print names and values, aligned."""
    console = to_screen()
    width = max(map(len, entries))
    for key, value in entries.items():
        head = Text.assemble(indent, (key.ljust(width), "cyan"), "  ")
        for line in _folded(str(value), console, len(head)):
            console.print(head + Text(line))
            head = Text(" " * len(head))


def _folded(text: str, console: Console, indent: int) -> list[str]:
    """The lines of a value, between words, on a terminal; one line into a pipe."""
    if not console.is_terminal or len(text) + indent <= console.width:
        return [text]
    return textwrap.wrap(text, max(console.width - indent, 20), break_long_words=False) or [text]


def table(rows: Sequence[Mapping[str, str]]) -> None:
    """Print rows with the same columns, aligned; the first column is their subject.

    On a terminal the last columns are left out if the line is too narrow for them.
    """
    console = to_screen()
    columns = list(rows[0])
    if console.is_terminal:
        columns = _fitting(columns, rows, console.width)
    widths = [max(len(c), *(len(row[c]) for row in rows)) for c in columns]
    cells = [c.ljust(w) for c, w in zip(columns, widths, strict=True)]
    console.print(Text("  ".join(cells).rstrip(), "bold"))
    for row in rows:
        first, *rest = [row[c].ljust(w) for c, w in zip(columns, widths, strict=True)]
        line = Text.assemble((first, "cyan"), *(f"  {cell}" for cell in rest))
        line.rstrip()
        console.print(line)


def _fitting(columns: list[str], rows: Sequence[Mapping[str, str]], width: int) -> list[str]:
    fitting: list[str] = []
    used = 0
    for column in columns:
        used += max(len(column), *(len(row[column]) for row in rows)) + 2 * bool(fitting)
        if fitting and used > width:
            break
        fitting.append(column)
    return fitting


def paged(lines: int) -> AbstractContextManager[object]:
    """What is printed inside goes through a pager, if it is longer than the terminal."""
    console = to_screen()
    is_long = console.is_terminal and lines + 2 > console.height
    return console.pager(styles=True) if is_long else nullcontext()


def progress(items: Iterable[Item], total: int, of: str) -> Iterator[Item]:
    """The items, with a progress bar on the terminal; nothing is printed into a pipe."""
    if not sys.stderr.isatty():
        yield from items
        return
    columns = TextColumn(of), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=to_errors(), transient=True) as bar:
        task = bar.add_task(of, total=total)
        for item in items:
            yield item
            bar.advance(task)
