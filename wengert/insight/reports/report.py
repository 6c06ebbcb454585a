"""The report: a title, and blocks one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wengert.insight.reports import page, terminal
from wengert.insight.reports.blocks import Block


class Report:
    """An answer: print it, look at it in a notebook, write it to a page, or read its attributes."""

    title: str = ""

    def blocks(self) -> Sequence[Block]:
        """What the report says, below its title."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The facts, as plain numbers, strings, lists and dictionaries."""
        raise NotImplementedError

    def __str__(self) -> str:
        return terminal.text_of(self.title, self.blocks(), terminal.width())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return page.part_of(self.title, self.blocks())

    def to_html(self, path: str | Path | None = None) -> str:
        """A page that needs nothing else, written to a file if one is named."""
        text = page.page_of(self.title, self.blocks())
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text
