"""The answer to "why is this gradient None, zero, or not a number?"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.insight.explain.rewriting import Edit
from wengert.insight.program_text import short
from wengert.insight.reports.blocks import Block, Code, Words
from wengert.insight.reports.report import Report


class Explanation(Report):
    """Why a gradient is what it is: the `kind` of trouble, the `line` of the program, the `mend`.

    Its text says the same at length. `right` is true where there is no trouble.
    """

    def __init__(
        self,
        kind: str,
        title: str,
        line: str = "",
        mend: str = "",
        blocks: Sequence[Block] = (),
        added: Sequence[str] = (),
        edit: Edit | None = None,
    ) -> None:
        self.kind = kind
        self.title = title
        self.line = line
        self.mend = mend
        self.added = list(added)  # lines of a program that end the trouble
        self.edit = edit  # how they go into the program, if that is plain
        self._blocks = list(blocks)

    @property
    def right(self) -> bool:
        """Whether the gradient is neither None nor zero nor infinite nor NaN."""
        return self.kind == "right"

    def blocks(self) -> list[Block]:
        """What it says below its title."""
        found = list(self._blocks)
        if self.mend:
            found.append(Words(self.mend))
        if self.added:
            found.append(Code(tuple(self.added), frozenset(range(len(self.added)))))
        return found

    def to_dict(self) -> dict[str, Any]:
        """The kind, the line and the mend, as plain strings."""
        return {
            "kind": self.kind,
            "title": self.title,
            "line": self.line,
            "mend": self.mend,
            "added": self.added,
            "text": str(self),
        }

    def __str__(self) -> str:
        text = super().__str__()
        return text if not self.line or short(self.line) in text else f"{text}\n\n  {self.line}"
