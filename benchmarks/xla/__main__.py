"""python -m benchmarks.xla [--save]: milliseconds, ours and JAX's, on the processor."""

from __future__ import annotations

import importlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from benchmarks.timing import interleaved_rounds
from benchmarks.xla.programs import PROGRAMS, Program, Step
from wengert.core.table import TABLE, complete
from wengert.engines.xla import coverage

PAGE: Final = """# The XLA engine, measured

Written by `python -m benchmarks.xla --save`, with JAX {} on a processor. Each program is written once for Wengert,
with `tf.function(engine="xla")`, and once for JAX, with `jax.jit` and JAX's own gradients; both give the same
numbers. The first call traces, compiles and runs; "tracing adds" is what ours takes longer than JAX's outside of XLA's compiler,
of JAX's first call. A step is one more call, which waits for its number. Runs in turn: the least of first calls, medians of steps and of
the ratios of rounds.

{}

{}
"""
RESULTS: Final = Path(__file__).resolve().parent.parent / "results"
FIRST_CALLS, ROUNDS, AT_ONCE = 5, 75, 20
TOLERANCE = 1e-4  # of the first number
MOST_TRACING, MOST_STEP = 0.2, 1.1  # of JAX's first call; of JAX's step
LEAST_ROWS = 0.95  # of the rows with a gradient


COMPILED: list[float] = []  # seconds in XLA's compiler


def note_compiler(jax: Any) -> None:
    """Note the seconds that XLA's compiler takes from here on."""

    def note(event: str, seconds: float, **_: Any) -> None:
        if event.endswith("backend_compile_duration"):
            COMPILED.append(seconds)

    jax.monitoring.register_event_duration_secs_listener(note)


def first_call(make: Callable[[], Step]) -> tuple[float, float, float]:
    """Seconds of tracing, compiling and the first run, those outside of XLA's compiler, and the number it gives."""
    COMPILED.clear()
    start = time.perf_counter()
    value = make()()
    seconds = time.perf_counter() - start
    return seconds, seconds - sum(COMPILED), float(value)


def steps(run: Step) -> Callable[[], float]:
    """Seconds of a step, of several in a row."""

    def seconds() -> float:
        start = time.perf_counter()
        for _ in range(AT_ONCE):
            run()
        return (time.perf_counter() - start) / AT_ONCE

    return seconds


def measured(program: Program, jax: Any) -> dict[str, float]:
    """Both programs: the least of first calls, medians of steps, in turn."""
    first: dict[str, list[float]] = {"ours": [], "jax": [], "ours, outside": [], "jax, outside": []}
    for _ in range(FIRST_CALLS):
        *ours, a = first_call(program.ours)
        *theirs, b = first_call(lambda: program.jaxs(jax))
        assert abs(a - b) <= TOLERANCE * max(abs(b), 1.0), (a, b)
        for name, found in (("ours", ours), ("jax", theirs)):
            first[name].append(found[0])
            first[f"{name}, outside"].append(found[1])
    least = {name: min(found) for name, found in first.items()}
    rounds = interleaved_rounds(
        {"ours": steps(program.ours()), "jax": steps(program.jaxs(jax))}, ROUNDS
    )
    ratios = [a / b for a, b in zip(rounds["ours"], rounds["jax"], strict=True)]
    return {
        "first call": least["ours"] * 1e3,
        "first call, JAX": least["jax"] * 1e3,
        "tracing adds": (least["ours, outside"] - least["jax, outside"]) / least["jax"],
        "step": statistics.median(rounds["ours"]) * 1e3,
        "step, JAX": statistics.median(rounds["jax"]) * 1e3,
        "step, ratio": statistics.median(ratios),
    }


def table(results: dict[str, dict[str, float]]) -> str:
    lines = [
        "| program | first call, ms | JAX's | ratio | tracing adds | step, ms | JAX's | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, found in results.items():
        first = found["first call"]
        lines.append(
            f"| {name} | {first:.0f} | {found['first call, JAX']:.0f} "
            f"| {first / found['first call, JAX']:.2f} | {found['tracing adds']:.1%} | {found['step']:.3f} | {found['step, JAX']:.3f} "
            f"| {found['step, ratio']:.2f} |"
        )
    return "\n".join(lines)


def share_of_rows() -> float:
    """Of the rows with a gradient those that XLA computes without calling NumPy back."""
    complete()
    rows = [r for r in TABLE.values() if r.differentiable and not r.declared.startswith("<")]
    return sum(coverage.how(row).startswith("compiled") for row in rows) / len(rows)


def bars(results: dict[str, dict[str, float]], share: float) -> str:
    """What is promised, and whether it holds."""
    tracing = max(found["tracing adds"] for found in results.values())
    step = max(found["step, ratio"] for found in results.values())
    lines = [
        ("tracing adds at most 20% of JAX's first call", f"{tracing:.1%}", tracing <= MOST_TRACING),
        ("a step takes at most 1.1 of JAX's", f"{step:.2f}", step <= MOST_STEP),
        (
            "95% of the rows with a gradient need no callback",
            f"{share:.1%}",
            share >= LEAST_ROWS,
        ),
    ]
    rows = [f"| {what} | {found} | {'yes' if holds else 'no'} |" for what, found, holds in lines]
    return "\n".join(["| bar | the worst | holds |", "| --- | --- | --- |", *rows])


def main() -> int:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        jax = importlib.import_module("jax")
    except ImportError:
        print("JAX is not installed: pip install 'wengert[xla]'")
        return 1
    note_compiler(jax)
    results = {name: measured(program, jax) for name, program in PROGRAMS.items()}
    share = share_of_rows()
    tables = table(results), bars(results, share)
    print(*tables, sep="\n\n")
    if "--save" in sys.argv:
        found = {"jax": jax.__version__, "programs": results, "rows without a callback": share}
        (RESULTS / "xla.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        (RESULTS / "xla.md").write_text(PAGE.format(jax.__version__, *tables), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
