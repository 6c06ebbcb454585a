"""How the examples print: what was computed beside what is expected."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table


class Line(NamedTuple):
    """One result of an example."""

    what: str
    computed: Any
    expected: Any

    @property
    def agrees(self) -> bool:
        return bool(np.allclose(self.computed, self.expected, rtol=2e-6, atol=1e-7, equal_nan=True))


def show(title: str, lines: Iterable[Line]) -> bool:
    """Print a table; returns whether all lines agree."""
    table = Table(title=title, title_justify="left", title_style="bold cyan")
    table.add_column("what", overflow="fold")
    table.add_column("computed", justify="right", style="bold")
    table.add_column("expected", justify="right", style="dim")
    table.add_column("")
    collected = list(lines)
    for line in collected:
        mark = "[green]✓[/]" if line.agrees else "[bold red]✗[/]"
        table.add_row(line.what, shown(line.computed), shown(line.expected), mark)
    Console().print(table)
    return all(line.agrees for line in collected)


def shown(value: Any) -> str:
    array = np.asarray(value, dtype=np.float64)
    return np.array2string(array, precision=8, suppress_small=False, separator=", ")
