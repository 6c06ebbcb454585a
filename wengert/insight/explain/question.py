"""A question: which gradient, on which tape, asked where."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

from wengert.core.tape import LEAF, Tape
from wengert.insight.explain.history import History
from wengert.insight.journal import Exit, Journal, Step
from wengert.insight.program_text import Program, line_text, short
from wengert.insight.reports.blocks import Table
from wengert.values.tensor import dims
from wengert.values.value import Key


class Question(NamedTuple):
    """What is asked, and all that is known."""

    target: Any
    source: Any
    y: str  # the target, as the program calls it
    x: str  # the source
    history: History
    program: Program
    began: str = ""  # the line of the block
    tape: Tape | None = None
    before: tuple[Tape, ...] = ()  # tapes that were reset
    journal: Journal | None = None
    watches_variables: bool = True

    @property
    def exits(self) -> Sequence[Exit]:
        """Where values left for Python."""
        return () if self.journal is None else self.journal.exits

    @property
    def resets(self) -> Sequence[tuple[str, int]]:
        """Where the tape was reset, after how many operations."""
        return () if self.journal is None else self.journal.resets

    @property
    def title(self) -> str:
        """The derivative that is asked for."""
        return f"d {self.y} / d {self.x}"

    def is_followed(self, key: Key | None) -> bool:
        """Whether the tape knows a value; a graph knows them all."""
        return self.tape is None or key in self.tape.positions

    def is_watched(self, key: Key | None) -> bool:
        """Whether the tape was told to follow a value."""
        return self.tape is not None and self.tape.positions.get(key) == LEAF

    def name(self, value: Any) -> str:
        """What the program calls a value; empty if it has no name for it."""
        key = getattr(value, "_key", None)
        places = (self.program.frame.f_locals, self.program.frame.f_globals)
        for names in places:
            for name, other in list(names.items()):
                if other is value or (
                    key is not None
                    and type(other).__module__.startswith("wengert")
                    and getattr(other, "_key", None) is key
                ):
                    return str(name)
        return ""

    def within_block(self) -> tuple[int, int] | None:
        """The first and the last line of the block of the tape, where the program is at hand."""
        file, _, number = self.began.rpartition(":")
        if file != self.program.file or not number.isdigit():
            return None
        for block in self.program.blocks("GradientTape"):
            if block.lineno <= int(number) <= block.body[0].lineno:
                return block.lineno, block.end_lineno or block.lineno
        return None

    def indentation(self) -> str:
        """That of the lines of the block, for lines that are to be added."""
        block = self.within_block()
        if block is None:
            return ""
        for node in self.program.blocks("GradientTape"):
            if node.lineno == block[0]:
                return " " * node.body[0].col_offset
        return ""


def described(value: Any) -> str:
    """The dtype and shape of a value, shortly."""
    if not hasattr(value, "dtype") or not hasattr(value, "_array"):
        return type(value).__name__
    sizes = ", ".join("?" if not isinstance(n, int) else str(n) for n in dims(value))
    return f"{value.dtype.name}[{sizes}]" if sizes else f"{value.dtype.name}"


def chain(question: Question, numbers: list[int], broken: int, notes: dict[int, str]) -> Table:
    """Operations from the source to the target, with their lines; the break is cut out."""
    shown = numbers
    if len(numbers) > _MOST:
        at = numbers.index(broken) if broken in numbers else 0
        near = numbers[max(at - 3, 0) : at + 4]
        shown = sorted({*numbers[:2], *near, *numbers[-2:]})
    rows: list[tuple[str, ...]] = []
    last = -1
    for number in shown:
        step = question.history.steps[number]
        left_out = numbers.index(number) - last - 1
        if left_out:
            rows.append(("", f"... {left_out} operations", "", ""))
        last = numbers.index(number)
        mark = "✂ " if number == broken else ""
        note = notes.get(number, "")
        rows.append((short(step.line), line_text(step.line), f"{mark}{step.row.name}", note))
    return Table(("", "", "", ""), tuple(rows))


_MOST = 9


def read_names(text: str) -> list[str]:
    """The names that an expression reads, in the order in which they appear."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return []
    return [n.id for n in ast.walk(tree) if isinstance(n, ast.Name)]


def step_text(step: Step) -> str:
    """An operation and its line, for a sentence."""
    code = line_text(step.line)
    return f"{step.row.name} ({short(step.line)}{f', {code}' if code else ''})"
