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

from benchmarks.timing import interleaved
from benchmarks.xla.programs import PROGRAMS, Program, Step

PAGE: Final = """# The XLA engine, measured

Written by `python -m benchmarks.xla --save`, with JAX {} on a processor. Each program is written once for Wengert,
with `tf.function(engine="xla")`, and once for JAX, with `jax.jit` and JAX's own gradients; both give the same
numbers. The first call traces, compiles and runs; a step is one more call, which waits for its number. Medians of runs in turn.

{}
"""
RESULTS: Final = Path(__file__).resolve().parent.parent / "results"
FIRST_CALLS, ROUNDS, AT_ONCE = 5, 15, 100
TOLERANCE = 1e-4  # of the first number


def first_call(make: Callable[[], Step]) -> tuple[float, float]:
    """Seconds of tracing and compiling and the first run, and the number it gives."""
    start = time.perf_counter()
    value = make()()
    return time.perf_counter() - start, float(value)


def steps(run: Step) -> Callable[[], float]:
    """Seconds of a step, of several in a row."""

    def seconds() -> float:
        start = time.perf_counter()
        for _ in range(AT_ONCE):
            run()
        return (time.perf_counter() - start) / AT_ONCE

    return seconds


def measured(program: Program, jax: Any) -> dict[str, float]:
    """Both programs: medians of first calls and of steps, in turn."""
    first: dict[str, list[float]] = {"ours": [], "jax": []}
    for _ in range(FIRST_CALLS):
        ours, a = first_call(program.ours)
        theirs, b = first_call(lambda: program.jaxs(jax))
        assert abs(a - b) <= TOLERANCE * max(abs(b), 1.0), (a, b)
        first["ours"].append(ours)
        first["jax"].append(theirs)
    timed = interleaved({"ours": steps(program.ours()), "jax": steps(program.jaxs(jax))}, ROUNDS)
    return {
        "first call": statistics.median(first["ours"]) * 1e3,
        "first call, JAX": statistics.median(first["jax"]) * 1e3,
        "step": timed["ours"].median * 1e3,
        "step, JAX": timed["jax"].median * 1e3,
    }


def table(results: dict[str, dict[str, float]]) -> str:
    lines = [
        "| program | first call, ms | JAX's | ratio | step, ms | JAX's | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, found in results.items():
        first, step = found["first call"], found["step"]
        lines.append(
            f"| {name} | {first:.0f} | {found['first call, JAX']:.0f} "
            f"| {first / found['first call, JAX']:.2f} | {step:.3f} | {found['step, JAX']:.3f} "
            f"| {step / found['step, JAX']:.2f} |"
        )
    return "\n".join(lines)


def main() -> int:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        jax = importlib.import_module("jax")
    except ImportError:
        print("JAX is not installed: pip install 'wengert[xla]'")
        return 1
    results = {name: measured(program, jax) for name, program in PROGRAMS.items()}
    print(table(results))
    if "--save" in sys.argv:
        text = json.dumps({"jax": jax.__version__, "programs": results}, indent=1)
        (RESULTS / "xla.json").write_text(text + "\n", "utf-8")
        (RESULTS / "xla.md").write_text(PAGE.format(jax.__version__, table(results)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
