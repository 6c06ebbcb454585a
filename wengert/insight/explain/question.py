"""A question: which gradient, on which tape, asked where."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Sequence, Set
from types import CodeType
from typing import Any, Final, NamedTuple

from wengert.core.tape import LEAF, Tape
from wengert.host.syntax import expression
from wengert.insight.explain.history import History
from wengert.insight.explain.rewriting import (
    Edit,
    Mend,
    called,
    called_with,
    instead_of,
    new_name,
    rewritings,
)
from wengert.insight.journal import Exit, Journal, Step
from wengert.insight.name_flow import names_of
from wengert.insight.program_text import Program, line_text, names_in, short
from wengert.insight.reports.blocks import Table
from wengert.overrides.override import Overrides
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import dims
from wengert.values.value import Key

Between = tuple[Set[int], Set[Key]]


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
    rules: Overrides | None = None  # overrides of this gradient, and its conventions
    seed: Any = None  # the weights of the target; all ones if None
    tape_name: str = "tape"  # what the program calls the tape

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
        return self.program.name_of(value)

    def names_of_dtype(self, dtype: str) -> set[str]:
        """What the program calls values of a dtype."""
        named = self.program.values.items()
        return {n for n, v in named if getattr(getattr(v, "dtype", None), "name", "") == dtype}

    def line_of(self, value: Any) -> str:
        """The line that computed a value; empty if that was elsewhere."""
        number = self.history.made_by.get(getattr(value, "_key", None), -1)
        return "" if number < 0 else self.history.steps[number].line

    def between(self) -> Between:
        """The operations that lead from the source to the target, and the values on the way."""
        down, made = self.history.down({self.source._key})
        up, used = self.history.up({self.target._key})
        return made & used, down & up

    def steps_after(self) -> list[Step]:
        """The operations that depend on the source."""
        _, made = self.history.down({self.source._key})
        return [self.history.steps[n] for n in sorted(made)]

    def way_to(self, value: Any) -> list[int]:
        """The operations that lead from the source to a value."""
        _, made = self.history.down({self.source._key})
        _, used = self.history.up({value._key})
        return sorted(made & used)

    # ---- the program -----------------------------------------------------------------------------

    def place_of_name(self, name: str) -> str:
        """The line that gave a name its value; empty if there is none."""
        found = self.program.assignments(name)
        before = [a for a in found if a.line <= self.program.frame.f_lineno] or found
        return self.program.place(before[-1].line) if before else ""

    def block(self) -> ast.With | None:
        """The block of the tape, where the program is at hand."""
        file, _, number = self.began.rpartition(":")
        if file == self.program.file and number.isdigit():
            for block in self.program.blocks(""):  # the name GradientTape may be another
                if block.lineno <= int(number) <= block.body[0].lineno:
                    return block
        return None

    def reads(self, value: ast.expr, before: int) -> set[str]:
        """The names that an expression reads, and those that these were made from."""
        return self.program.assigned.read_by(value, before)

    @property
    def owner(self) -> str:
        """The name by which the program reaches the source: `w` of `w[0]` and of `self.w`."""
        return re.split(r"[\[(]", self.x)[0].rpartition(".")[2]

    def may_come_from(self, place: str) -> bool:
        """Whether a line may have a part in the target: no, where the text says that it has none."""
        file, _, number = place.rpartition(":")
        try:
            wanted = names_of(expression(self.y))
        except SyntaxError:
            return True
        flow, values = self.program.flow, self.program.values
        if file != self.program.file or not any(map(flow.is_given, wanted)):
            return True
        written = flow.written_at(int(number))
        behind = flow.behind(wanted, values)
        codes = [getattr(values.get(name), "__code__", None) for name in behind]
        is_within = any(c is not None and _has_line(c, place) for c in codes)
        return written is None or is_within or not written.isdisjoint(behind)

    # ---- lines that end the trouble ----------------------------------------------------------------

    def first_in_block(self, words: str, line: str) -> Mend:
        """A line to add at the beginning of the block."""
        block = self.block()
        if block is None:
            return Mend(words, (line,))
        return Mend(words, (line,), (Edit(block.body[0].lineno, (line,), False),))

    def deleting(self, place: str, words: str) -> Mend:
        """A line to take out."""
        number = place.rpartition(":")[2]
        return Mend(words, (), (instead_of(place),) if number.isdigit() else ())

    def asking_for(self, words: str, name: str) -> Mend:
        """To ask for another source, where the gradient is asked for."""
        line = f"{self._asks}({self.y}, {name})"
        return self._asking(words, f"{name})", line, (*self._calls, ".explain("))

    @property
    def _asks(self) -> str:
        """What takes a gradient: of a graph, or of a tape."""
        in_graph = isinstance(self.target, SymbolicTensor)
        return "tf.gradients" if in_graph else f"{self.tape_name}.gradient"

    @property
    def _calls(self) -> tuple[str, ...]:
        in_graph = isinstance(self.target, SymbolicTensor)
        return ("gradients(", "explain_gradient(") if in_graph else ("gradient(",)

    def asking_for_zeros(self, words: str) -> Mend:
        """To ask for zeros where nothing leads from the source to the target."""
        if self.program.asked_by_optimizer()[0] == self.y:
            return Mend(
                f"Use {self.x} where {self.y} is computed, or leave it out of what is minimized by: var_list."
            )
        new = f"{self.x}, unconnected_gradients='zero')"
        return self._asking(words, new, f"{self._asks}({self.y}, {new}", self._calls)

    def _asking(self, words: str, new: str, line: str, calls: Sequence[str]) -> Mend:
        calls_of = "|".join(map(re.escape, calls))
        asked = re.compile(rf"((?:{calls_of})[^;]*?){re.escape(self.x)}\)")
        edits = []
        for number, text in enumerate(linecache.getlines(self.program.file), 1):
            changed, count = asked.subn(lambda m: m[1] + new, text.rstrip("\n"))
            if count:
                edits.append(Edit(number, (changed,)))
        return Mend(words, (line,), tuple(edits))

    def moved_into(self, block: ast.With, name: str) -> Mend:
        """The lines after the block that compute a name, at the end of the block."""
        end = block.end_lineno or block.lineno
        wanted, lines = {name}, []
        for a in sorted(self.program.assigned.in_order, key=lambda a: -a.line):
            if end < a.line < self.program.frame.f_lineno and a.name in wanted:
                wanted |= set(names_in(a.value))
                lines.append(a.line)
        texts = tuple([line_text(self.program.place(at)) for at in sorted(set(lines))])
        like = block.body[-1].lineno
        edits = [instead_of(self.program.place(at)) for at in set(lines)]
        edits.append(Edit(end + 1, texts, False, like))
        return Mend("Move it into the block:", texts, tuple(edits))

    def written_into(self, block: ast.With) -> Mend:
        """The target, which is computed where it is asked for, as a name that the block gives a value."""
        asks = self.program.place(self.program.frame.f_lineno)
        name = new_name(asks, "loss")
        line = f"{name} = {self.y}"

        def change(node: ast.expr) -> ast.expr | None:
            if not isinstance(node, ast.Call) or called(node) != "explain" or not node.args:
                return None
            if ast.unparse(node.args[0]) != self.y:
                return None
            return called_with(node, expression(name))

        end = block.end_lineno or block.lineno
        changed = [instead_of(asks, (new,)) for new in rewritings(asks, change)[:1]]
        added = Edit(end + 1, (line,), False, block.body[-1].lineno)
        return Mend("Move it into the block:", (line,), (added, *changed) if changed else ())

    def moved_down_into(self, block: ast.With, line: int) -> Mend:
        """A line before the block, in the block after what is watched."""
        first = next((s for s in block.body if ".watch(" not in ast.unparse(s)), block.body[-1])
        text = line_text(self.program.place(line))
        edits = (instead_of(self.program.place(line)), Edit(first.lineno, (text,), False))
        return Mend("Move it into the block, after what is watched:", (text,), edits)

    def outside_of_block(self, place: str, of: str) -> Mend:
        """A line without the `with` around it."""
        words = f"Let the tape record at {short(place)}."
        number = int(place.rpartition(":")[2])
        blocks = self.program.blocks(of) if place.startswith(self.program.file) else []
        around = [b for b in blocks if b.lineno <= number <= (b.end_lineno or b.lineno)]
        if not around:
            return Mend(words)
        head = around[-1].lineno
        lines = range(around[-1].body[0].lineno, (around[-1].end_lineno or head) + 1)
        texts = [linecache.getline(self.program.file, at).strip() for at in lines]
        edits = [Edit(at, (text,), like=head) for at, text in zip(lines, texts, strict=True)]
        return Mend(words, tuple(texts), (Edit(head, ()), *edits))


def _has_line(code: CodeType, place: str) -> bool:
    """Whether a function has a line of a file."""
    lines = [line for *_, line in code.co_lines() if line]
    file, _, number = place.rpartition(":")
    return code.co_filename == file and min(lines) <= int(number) <= max(lines)


def described(value: Any) -> str:
    """The dtype and shape of a value, shortly."""
    if not hasattr(value, "dtype") or not hasattr(value, "_array"):
        return type(value).__name__
    sizes = ", ".join("?" if not isinstance(n, int) else str(n) for n in dims(value))
    return f"{value.dtype.name}[{sizes}]" if sizes else f"{value.dtype.name}"


def chain(question: Question, numbers: list[int], broken: int, notes: dict[int, str]) -> Table:
    """Operations from the source to the target, with their lines; the break is cut out."""
    numbers = [n for n in numbers if question.history.steps[n].row.name != "ReadVariableOp"]
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
        code = line_text(step.line)
        code = code if len(code) <= _LONGEST else f"{code[: _LONGEST - 3]}..."
        rows.append((short(step.line), code, f"{mark}{step.row.name}", note))
    return Table(("", "", "", ""), tuple(rows))


_MOST: Final = 9  # operations that are shown
_LONGEST: Final = 60  # characters of a line


def step_text(step: Step) -> str:
    """An operation and its line, for a sentence."""
    code = line_text(step.line)
    return f"{step.row.name} ({short(step.line)}{f', {code}' if code else ''})"
