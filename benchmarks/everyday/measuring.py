"""Measure what everybody meets, and say of each bar whether it holds."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from benchmarks.everyday import memory, sessions, starting, steps
from benchmarks.machine import about, machine
from benchmarks.native.table import number
from benchmarks.timing import Contestants, interleaved
from benchmarks.worker import Worker

# Of each row: the limit, as a share of a contestant, or in the row's unit where it names none.
Limit = tuple[str, float]
STEPS: Final[Mapping[str, Sequence[Limit]]] = {
    steps.TAPE: [("", 12e-6)],
    steps.PERCEPTRON: [("torch", 0.9)],
    steps.CONVOLUTIONS: [("torch", 0.9)],
    steps.UNKNOWN: [(steps.KNOWN, 1.15)],
    sessions.PERCEPTRON: [("tensorflow", 1.0)],
    sessions.SMALL: [("tensorflow", 1.0)],
    sessions.RECURRENT: [("tensorflow", 1.0)],
}
OF_TENSORFLOW: Final = (sessions.PERCEPTRON, sessions.SMALL, sessions.RECURRENT)
BUSY: Final[Mapping[str, Sequence[Limit]]] = {
    steps.PERCEPTRON: [("tensorflow", 1.0)],
    steps.CONVOLUTIONS: [("tensorflow", 1.0)],
}
LIBRARIES: Final = ("wengert", "tensorflow", "torch")
MEMORY: Final = 0.6  # of TensorFlow's XLA


def measure(rounds: int) -> dict[str, Any]:
    rows = [*timed_steps(rounds), *_firsts(starting.measure(min(rounds, 7))), *_memory()]
    return {"machine": machine(), "rounds": rounds, "rows": rows}


def timed_steps(rounds: int) -> Iterator[dict[str, Any]]:
    """Eager and compiled steps on a quiet machine, and on a busy one."""
    workers = {name: Worker(name, "benchmarks.everyday") for name in LIBRARIES}
    there = {name: w for name, w in workers.items() if w.installed}
    for name, limits in STEPS.items():
        if name == steps.UNKNOWN:
            found = _ours(there["wengert"], name, steps.KNOWN, rounds)
        else:
            those = _without_torch(there) if name in OF_TENSORFLOW else there
            _check(those, name)
            found = _timed(those, name, rounds)
        yield _row(name, "s", found, limits)
    with busy():
        for name, limits in BUSY.items():
            found = _timed(there, name, rounds)
            yield _row(f"{name}, while other programs use every core", "s", found, limits)
    for worker in workers.values():
        worker.close()


def _without_torch(there: Mapping[str, Worker]) -> Mapping[str, Worker]:
    return {who: worker for who, worker in there.items() if who != "torch"}


def _check(there: Mapping[str, Worker], name: str) -> None:
    """Raise unless the first step gives all of them the same."""
    sizes = {who: worker.ask(f"size: {name}") for who, worker in there.items()}
    if not all(math.isclose(size, sizes["wengert"], rel_tol=1e-3) for size in sizes.values()):
        raise ValueError(f"The libraries differ at {name}: {sizes}.")


def _timed(there: Mapping[str, Worker], name: str, rounds: int) -> dict[str, Any]:
    runs: Contestants = {who: partial(worker.seconds, name) for who, worker in there.items()}
    return {who: timing._asdict() for who, timing in interleaved(runs, rounds).items()}


def _ours(own: Worker, name: str, other: str, rounds: int) -> dict[str, Any]:
    """A program of ours beside another one of ours."""
    runs: Contestants = {"wengert": partial(own.seconds, name), other: partial(own.seconds, other)}
    return {who: timing._asdict() for who, timing in interleaved(runs, rounds).items()}


@contextmanager
def busy() -> Iterator[None]:
    """Other processes use every core."""
    code = "while True: sum(range(10**6))"
    others = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def _firsts(timed: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name, timing in timed.items():
        yield _row(name, "s", {"wengert": timing}, [("", starting.BARS[name])])


def _memory() -> Iterator[dict[str, Any]]:
    found = {}
    for who in ("wengert", "tensorflow", "jax"):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "benchmarks.everyday", f"memory: {who}"],
            check=True,
            capture_output=True,
            text=True,
        )
        value = float(done.stdout.split()[-1])
        if value >= 0:
            found[who] = {"median": value, "low": value, "high": value}
    yield _row(memory.WHAT, "MB", found, [("tensorflow", MEMORY)])


def _row(what: str, unit: str, found: Mapping[str, Any], limits: Sequence[Limit]) -> dict[str, Any]:
    bars = [_bar(found, beside, limit) for beside, limit in limits]
    return {"what": what, "unit": unit, "found": found, "bars": bars}


def _bar(found: Mapping[str, Any], beside: str, limit: float) -> dict[str, Any]:
    ours = found["wengert"]["median"]
    if beside and beside not in found:
        return {"beside": beside, "limit": limit, "value": None, "holds": None}
    value = ours / found[beside]["median"] if beside else ours
    return {"beside": beside, "limit": limit, "value": value, "holds": value <= limit}


# ---- the table ------------------------------------------------------------------------------------


def as_markdown(measured: Mapping[str, Any]) -> str:
    lines = [
        "## Every day",
        "",
        "Each library in a process of its own, eager unless it says compiled; medians of interleaved rounds "
        f"({measured['rounds']}; of new processes at most 7).",
        "",
        "| what | Wengert | TensorFlow | PyTorch | JAX | ratio | limit | holds |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_line(row) for row in measured["rows"]),
        "",
        about(measured["machine"]),
        "",
    ]
    return "\n".join(lines)


def _line(row: Mapping[str, Any]) -> str:
    found, unit = row["found"], row["unit"]
    shown = [
        _shown(found[who]["median"], unit) if who in found else ""
        for who in ("wengert", "tensorflow", "torch", "jax")
    ]
    bars = row["bars"]
    ratios = [number(b["value"]) if b["beside"] and b["value"] is not None else "" for b in bars]
    limits = [_limit(b, unit) for b in bars]
    holds = [{True: "yes", False: "no", None: "?"}[b["holds"]] for b in bars]
    return f"| {' | '.join([row['what'], *shown, '; '.join(ratios), '; '.join(limits), '; '.join(holds)])} |"


def _limit(bar: Mapping[str, Any], unit: str) -> str:
    names = {"torch": "PyTorch", "tensorflow": "TensorFlow", steps.KNOWN: "the known size"}
    if not bar["beside"]:
        return _shown(bar["limit"], unit)
    return f"{bar['limit']} of {names[bar['beside']]}"


def _shown(value: float, unit: str) -> str:
    if unit != "s":
        return f"{number(value)} {unit}"
    scale, word = next(
        (s, w) for s, w in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")) if value * s >= 1 or w == "µs"
    )
    return f"{number(value * scale)} {word}"
