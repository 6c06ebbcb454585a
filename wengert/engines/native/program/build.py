"""From a plan to a program: scheduled, emitted, serialized."""

from __future__ import annotations

from typing import Final, NamedTuple

from wengert.engines.native.frontend.lowering import lowering_of
from wengert.engines.native.program.program import Program
from wengert.engines.native.program.program_writer import ProgramWriter
from wengert.engines.native.program.schedule import Schedule
from wengert.engines.native.program.segments import Segments
from wengert.engines.native.program.steps import Call
from wengert.engines.native.runtime.cache import digest_of, load_or_store
from wengert.engines.native.runtime.llvm import compile_text
from wengert.execution.plan import Plan

_KIND: Final = "plan"  # of LLVM IR, in the cache


class Built(NamedTuple):
    """A program, and what it was built from."""

    program: Program | None  # None if every step would be NumPy's
    text: str  # the LLVM IR of its functions
    segments: Segments
    memory: int  # bytes of its arena
    peak: int  # bytes of all that it allocates
    fullest: Call | None  # the call at which its arena has its size
    lacks_blas: bool  # whether it would be another one with our OpenBLAS

    def code(self) -> bytes | None:
        """The machine code of its functions; None if there are none."""
        text = self.text
        return load_or_store(_KIND, text, lambda: compile_text(text)) if text else None


def build(plan: Plan) -> Built:
    """The program of a plan."""
    schedule = Schedule(lowering_of(plan), plan.fetches)
    segments = Segments(schedule)
    lacks_blas = schedule.low.lacks_blas
    if not segments.are_native:
        return Built(None, "", segments, 0, 0, None, lacks_blas)
    text = segments.text()
    writer = ProgramWriter(plan, schedule, segments, digest_of(_KIND, text) if text else "")
    program, memory = writer.written(), writer.arena.size
    peak = memory + writer.allocated
    return Built(program, text, segments, memory, peak, writer.fullest, lacks_blas)
