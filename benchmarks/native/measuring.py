"""Measure the workloads: every contestant in a process of its own, in interleaved rounds."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks.machine import machine
from benchmarks.native import (
    elementwise,
    first_call,
    images,
    layers,
    loops,
    lstm,
    mlp,
    science,
    transformer,
)
from benchmarks.native.libraries import LIMITS
from benchmarks.native.workload import BEST, FLOAT_BY, Workload
from benchmarks.timing import Contestants, Timing, interleaved
from benchmarks.worker import Worker

WORKLOADS = [
    *elementwise.WORKLOADS,
    *mlp.WORKLOADS,
    *lstm.WORKLOADS,
    *loops.WORKLOADS,
    *layers.WORKLOADS,
    *transformer.WORKLOADS,
    *science.WORKLOADS,
    *images.WORKLOADS,
]
# Threads of OpenBLAS go on spinning after a product, for 120 ms: whoever comes next would pay.
QUIET = 0.25  # seconds
JAX = "JAX jit"


def measure(rounds: int, only: str = "") -> dict[str, Any]:
    """A row for every workload with this in its name, and what the machine is."""
    rows = rows_of([w for w in WORKLOADS if only in w.name], rounds)
    if any(only in name for name in first_call.NAMES):
        for row in first_rows(rounds):
            rows.append(row)
            report(row)
    return {"machine": machine(), "rounds": rounds, "rows": rows}


def measure_doubles(rounds: int, only: str = "") -> dict[str, Any]:
    """The same in float64, beside the peer that compiles for it as for float32."""
    os.environ[FLOAT_BY] = "float64"
    workloads = [
        w._replace(contestants={n: w.contestants[n] for n in ("wengert", JAX)}, bars={JAX: 1.0})
        for w in WORKLOADS
        if only in w.name
    ]
    return {"machine": machine(), "rounds": rounds, "rows": rows_of(workloads, rounds)}


def rows_of(workloads: Sequence[Workload], rounds: int) -> list[dict[str, Any]]:
    rows = []
    for workload in workloads:
        rows.append(row_of(workload, rounds))
        report(rows[-1])
    return rows


def row_of(workload: Workload, rounds: int) -> dict[str, Any]:
    workers = {
        name: Worker(f"{name}: {workload.name}", "benchmarks.native")
        for name in workload.contestants
    }
    there: Contestants = {
        name: partial(seconds, w, name) for name, w in workers.items() if w.installed
    }
    timed = interleaved(there, rounds)
    peaks = {name: workers[name].ask("peak") for name in there}
    for worker in workers.values():
        worker.close()
    missing = [name for name in workers if name not in there]
    found = row(workload.name, workload.unit, workload.scale, timed, workload.bars, missing)
    return {**found, "peaks": peaks}


def seconds(worker: Worker, name: str) -> float:
    time.sleep(QUIET)
    return worker.seconds(name)


def first_rows(rounds: int) -> list[dict[str, Any]]:
    return [
        row(name, "s", 1.0, timed, bars, [p for p in first_call.PEERS if p not in timed])
        for name, timed, bars in zip(
            first_call.NAMES, first_call.measure(rounds), first_call.BARS, strict=True
        )
    ]


def row(
    name: str,
    unit: str,
    scale: float,
    timed: Mapping[str, Timing],
    bars: Mapping[str, float],
    missing: list[str],
) -> dict[str, Any]:
    """What is written of a workload: times in its unit, and how we stand beside whom."""
    times = {n: {k: v * scale for k, v in t._asdict().items()} for n, t in timed.items()}
    return {
        "workload": name,
        "unit": unit,
        "times": times,
        "bars": [standing(times, beside, bar) for beside, bar in bars.items()],
        "missing": missing,
    }


def standing(times: Mapping[str, Any], beside: str, bar: float) -> dict[str, Any]:
    """Our share of the time of a peer, or of the best one; no share where it is not there."""
    if beside == BEST:
        peers = [n for n in times if n != "wengert" and n not in LIMITS]
        beside = min(peers, key=lambda n: times[n]["median"], default=BEST)
    if beside not in times:
        return {"beside": beside, "bar": bar, "ratio": None, "holds": None}
    ratio = times["wengert"]["median"] / times[beside]["median"]
    return {"beside": beside, "bar": bar, "ratio": ratio, "holds": ratio <= bar}


def report(row: Mapping[str, Any]) -> None:
    """A line of progress."""
    told = [f"{name} {t['median']:.3g}" for name, t in row["times"].items()]
    print(f"{row['workload']}, {row['unit']}: {', '.join(told)}", file=sys.stderr)
