"""What a tape holds: by operation, and by source line where these were noted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from wengert.api.gradients.budget_tape import BudgetTape
from wengert.core.row import Attrs, Row
from wengert.core.tape import WIDTH, Tape, inputs_of
from wengert.host.memory_size import written
from wengert.host.user_frames import callers_place
from wengert.values.tensor import Tensor, key_of


class TapeWithLines(Tape):
    """A tape that notes for each operation the line of the program."""

    __slots__ = ("lines",)

    def __init__(self, watches_variables: bool = False) -> None:
        super().__init__(watches_variables)
        self.lines: dict[int, str] = {}  # by the position of the record

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        """Note an operation, and its line."""
        at = len(self.records)
        super().record(row, inputs, attrs, result)
        if len(self.records) > at:
            self.lines[at] = callers_place()


class Entry(NamedTuple):
    """Memory of one kind: values of an operation, or of a line of the program."""

    bytes: int
    values: int
    operation: str
    line: str


class MemoryReport:
    """What a tape holds; the entries are sorted by their bytes."""

    def __init__(self, entries: Sequence[Entry], has_lines: bool) -> None:
        self.entries = sorted(entries, key=lambda e: -e.bytes)
        self.total = sum(e.bytes for e in entries)
        self._has_lines = has_lines

    def __repr__(self) -> str:
        rows = [("held", "values", "operation", "line")]
        rows += [(written(e.bytes), str(e.values), e.operation, e.line) for e in self.entries]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                [row[0].rjust(widths[0]), row[1].rjust(widths[1]), row[2].ljust(widths[2]), row[3]]
            ).rstrip()
            for row in rows
        ]
        lines.append(f"{written(self.total)} in all")
        if not self._has_lines:
            lines.append("With GradientTape(source_lines=True) the lines of the program are noted.")
        return "\n".join(lines)


def report_of(tape: Tape) -> MemoryReport:
    """What a tape holds. Memory that several values share is counted once, where it was first held."""
    lines = tape.lines if isinstance(tape, TapeWithLines) else {}
    kinds: dict[tuple[str, str], list[int]] = {}
    seen: set[int] = set()
    made_by = _made_by(tape)
    for value in _held(tape):
        memory = _memory(value)
        if memory is None or id(memory) in seen:
            continue
        seen.add(id(memory))
        operation, at = made_by.get(key_of(value), ("given from outside", -1))
        kinds.setdefault((operation, lines.get(at, "")), []).append(memory.nbytes)
    entries = [Entry(sum(sizes), len(sizes), *kind) for kind, sizes in kinds.items()]
    return MemoryReport(entries, bool(lines))


def _made_by(tape: Tape) -> dict[Any, tuple[str, int]]:
    """The operation and the position of the record of each value that was computed on the tape."""
    found = {}
    for number, (row, _, out) in enumerate(tape.operations()):
        for key in out:
            found[key] = row.name, number * WIDTH
    return found


def _held(tape: Tape) -> Iterator[Tensor]:
    """The tensors that the tape keeps alive."""
    if isinstance(tape, BudgetTape):
        yield from tape.held()
    for at in range(0, len(tape.records), WIDTH):
        _, _, key_a, key_b, a, b, _, result = tape.records[at : at + WIDTH]
        _, inputs = inputs_of(key_a, key_b, a, b)
        results = result if isinstance(result, (list, tuple)) else [result]
        yield from [v for v in (*results, *inputs) if isinstance(v, Tensor)]


def _memory(value: Tensor) -> Any:
    """The array that owns the memory of a value; None in a graph, where it has none."""
    array = value._array
    while getattr(array, "base", None) is not None and hasattr(array.base, "nbytes"):
        array = array.base
    return array if hasattr(array, "nbytes") else None
