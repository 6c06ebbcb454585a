"""The answer to "why is this gradient None, zero, or not a number?"."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from typing import Any, Final

from wengert.insight.explain.rewriting import Edit, Mend, edited, is_program
from wengert.insight.layout import INDENT, within_width
from wengert.insight.program_text import short
from wengert.insight.reports.blocks import Block, Code, Words
from wengert.insight.reports.report import Report

NOT_FINITE: Final = frozenset({
    "where", "norm", "sqrt", "pow", "log", "exp", "softmax", "division", "pole", "empty", "spectrum", "overflow",
})  # fmt: skip


class Explanation(Report):
    """Why a gradient is what it is: the `kind` of trouble, the `line` of the program, the `mend`.

    Its text says the same at length. `right` is true where there is no trouble.
    """

    def __init__(
        self,
        kind: str,
        title: str,
        line: str = "",
        mend: Mend | str = "",
        blocks: Sequence[Block] = (),
    ) -> None:
        mend = Mend(mend) if isinstance(mend, str) else mend
        if mend.edits and not is_program(_edited(line, mend.edits)):
            mend = Mend(mend.words)  # better none than lines that do not run
        if not mend.lines and mend.words.endswith(":"):  # a line would follow, and none is plain
            mend = mend._replace(words=f"{mend.words[:-1]}.")
        self.kind = kind
        self.title = title
        self.line = line
        self.mend = "\n".join([mend.words, *mend.lines])
        self.edits = list(mend.edits)  # how its lines go into the program, if that is plain
        self._blocks = [*blocks, Words(mend.words)] if mend.words else list(blocks)
        if mend.lines:
            indented = within_width("\n".join(INDENT + line for line in mend.lines))
            lines = tuple(line.removeprefix(INDENT) for line in indented.split("\n"))
            self._blocks.append(Code(lines, frozenset(range(len(lines)))))

    @property
    def right(self) -> bool:
        """Whether the gradient is neither None nor zero nor infinite nor NaN."""
        return self.kind == "right"

    def mended(self) -> str:
        """The text of the program with the lines of the mend in their places."""
        return _edited(self.line, self.edits)

    def note(self, words: str) -> None:
        """Say something more, at the end."""
        self._blocks = [*self._blocks, Words(words)]

    def blocks(self) -> list[Block]:
        """What it says below its title."""
        return self._blocks

    def to_dict(self) -> dict[str, Any]:
        """The kind, the line and the mend, as plain strings."""
        return {
            "kind": self.kind,
            "title": self.title,
            "line": self.line,
            "mend": self.mend,
            "text": str(self),
        }

    def __str__(self) -> str:
        text = super().__str__()
        return text if not self.line or short(self.line) in text else f"{text}\n\n  {self.line}"


def _edited(line: str, edits: Sequence[Edit]) -> str:
    """The program in which a line stands, with edits."""
    return edited("".join(linecache.getlines(line.rpartition(":")[0])), edits)
