"""From a plan to a program: scheduled, emitted, serialized."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Final, NamedTuple

from wengert.engines.native.frontend.lowering import lowering_of
from wengert.engines.native.program.modules import Ahead
from wengert.engines.native.program.program import Code, Program
from wengert.engines.native.program.program_writer import ProgramWriter
from wengert.engines.native.program.schedule import Schedule
from wengert.engines.native.program.segments import Segments
from wengert.engines.native.program.steps import Call
from wengert.engines.native.program.units import units_of
from wengert.engines.native.runtime.cache import digest_of, load_or_store
from wengert.engines.native.runtime.llvm import LoadedObject
from wengert.engines.native.runtime.pieces import joined
from wengert.engines.native.runtime.units import Text, load_or_compile, symbol_of
from wengert.execution.open_forms import has_open_form
from wengert.execution.plan import Plan
from wengert.values.open_size import named

_KIND: Final = "plan"  # of LLVM IR, in the cache


class Built(NamedTuple):
    """A program, and what it was built from."""

    program: Program | None  # None if every step would be NumPy's
    text: str  # the LLVM IR of its functions
    units: dict[str, Text]  # instead of that, if sizes are open: by their names
    segments: Segments
    memory: int  # bytes of its arena
    peak: int  # bytes of all that it allocates
    fullest: Call | None  # the call at which its arena has its size
    ahead: Ahead  # compiles them
    lacks_blas: bool  # whether it would be another one with our OpenBLAS

    def code(self) -> Code | None:
        """The machine code of its functions; None if there are none."""
        if self.units:
            return load_or_compile(self.units)
        text = self.text
        if not text:
            return None
        return LoadedObject(load_or_store(_KIND, text, lambda: joined(self.ahead.results())))


def build(plan: Plan, ahead: Ahead | None = None) -> Built:
    """The program of a plan; with open sizes its code is for all sizes."""
    ahead = ahead or Ahead()
    has_open = any(map(has_open_form, plan.given))
    with named() if has_open else nullcontext():
        schedule = Schedule(lowering_of(plan), plan.fetches)
        segments = Segments(schedule, ahead=None if has_open else ahead)
    units = in_units(segments) if has_open else {}
    text = "" if has_open else segments.text()
    names = tuple(units) or ((digest_of(_KIND, text),) if text else ())
    if not segments.are_native:
        return Built(None, "", units, segments, 0, 0, None, ahead, schedule.low.lacks_blas)
    writer = ProgramWriter(plan, schedule, segments, names)
    program, memory = writer.written(), int(writer.arena.size)
    peak = int(memory + writer.allocated)
    fullest, lacks_blas = writer.fullest, schedule.low.lacks_blas
    return Built(program, text, units, segments, memory, peak, fullest, ahead, lacks_blas)


def in_units(segments: Segments) -> dict[str, Text]:
    """Give the functions of the steps the names of units; what gives the texts of these."""
    calls = [call for call in segments.calls if call.name in segments.functions]
    units = units_of(segments.functions, dict.fromkeys([call.name for call in calls]))
    for call in calls:
        call.name = f"@{symbol_of(units[call.name][0])}"
    return dict(units.values())
