"""Measures the objectives: everybody in a fresh process, in interleaved rounds."""

from __future__ import annotations

import os
import sys
import tempfile
from functools import partial
from typing import Any

from benchmarks.adbench.contestants import CONTESTANTS, PACKAGES
from benchmarks.adbench.given import SIZES
from benchmarks.timing import interleaved
from benchmarks.worker import Worker

# Our share of the time of others: of a call, and of the first call.
PEERS = ("TensorFlow XLA", "JAX jit")
BARS = [
    ("wengert", ("C++",), "call", 1.5),
    ("wengert", PEERS, "call", 1.0),
    ("wengert", ("wengert graph",), "call", 1.0),
    ("wengert", ("wengert graph",), "first", 3.0),
    ("wengert eager", ("TensorFlow eager",), "call", 0.2),
    ("wengert eager", ("PyTorch",), "call", 0.7),
]
# Where a first call takes more than five minutes.
LEFT_OUT = {
    ("TensorFlow XLA", "mixture by rows, d 10, K 200"),
    ("JAX jit", "mixture by rows, d 10, K 200"),
    ("TensorFlow XLA", "mixture by rows, d 64, K 25"),
    ("JAX jit", "mixture by rows, d 64, K 25"),
    ("TensorFlow XLA", "language model"),
    ("JAX jit", "language model"),
}


def measure(rounds: int, only: str = "") -> dict[str, Any]:
    """For each objective the seconds of everybody's first and later calls."""
    found = {}
    for name in SIZES:
        if only in name:
            found[name] = row(name, rounds)
            print(name, {who: t["call"] for who, t in found[name].items()}, file=sys.stderr)
    return {"rounds": rounds, "rows": found}


def row(name: str, rounds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as cache:
        os.environ["WENGERT_CACHE_DIR"] = cache
        workers = {}
        for who in CONTESTANTS:
            if (who, name) not in LEFT_OUT:
                os.environ["WENGERT_CACHE_DIR"] = os.path.join(cache, who.replace(" ", "_"))
                workers[who] = Worker(f"{who}: {name}", "benchmarks.adbench", python_of(who))
        there = {who: w for who, w in workers.items() if w.installed}
        compare(name, there)
        first = {who: w.seconds("first") for who, w in there.items()}
        timed = interleaved({who: partial(w.seconds, "call") for who, w in there.items()}, rounds)
        for worker in workers.values():
            worker.close()
    return {
        who: {"call": t.median, "low": t.low, "high": t.high, "first": first[who]}
        for who, t in timed.items()
    }


def python_of(who: str) -> str:
    """The Python that has a contestant's package, if an environment variable says which."""
    package = PACKAGES.get(who, who.split()[0])
    return os.environ.get(f"BENCH_PYTHON_{package.upper()}", sys.executable)


def compare(name: str, workers: dict[str, Worker]) -> None:
    sums = {who: float(w.ask("size: call")) for who, w in workers.items()}
    want = sums["wengert eager"]
    for who, got in sums.items():
        if abs(got - want) > 1e-8 * abs(want):
            raise AssertionError(f"{name}: {who} gives {got}, and Wengert {want}.")


def as_markdown(measured: dict[str, Any]) -> str:
    lines = ["# ADBench's objectives", "", *_explained(), *measured.get("notes", [])]
    for what, unit, scale in (("call", "ms", 1e3), ("first", "s", 1.0)):
        title = "Value and derivative" if what == "call" else "The first call"
        lines += [f"## {title}, {unit}", "", f"| objective | {' | '.join(CONTESTANTS)} |"]
        lines.append(f"| --- {'| --- ' * len(CONTESTANTS)}|")
        for name, times in measured["rows"].items():
            cells = [_cell(times.get(w, {}).get(what), scale) for w in CONTESTANTS]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        lines.append("")
    lines += [
        "## Bars",
        "",
        "| objective | who | beside | what | ratio | bar |  |",
        "| --- " * 7 + "|",
    ]
    for name, times in measured["rows"].items():
        lines += [line for bar in BARS for line in _standing(name, times, *bar)]
    return "\n".join([*lines, ""])


def _cell(seconds: float | None, scale: float) -> str:
    return "" if seconds is None else f"{seconds * scale:.3g}"


def _explained() -> list[str]:
    return [
        "Medians of interleaved rounds; each contestant has a process of its own, and Wengert an empty cache.",
        "`wengert` is compiled, C++ a gradient derived by hand that runs on one core. An empty cell of a call:",
        "the package lacks it, or compiles for minutes (a loop over 1,000 rows, under XLA); of a first call: it",
        "was not measured.",
        "",
    ]


def _standing(
    name: str, times: dict[str, Any], who: str, beside: tuple[str, ...], what: str, bar: float
) -> list[str]:
    there = [p for p in beside if times.get(p, {}).get(what) is not None]
    if not there or times[who][what] is None:
        return []
    best = min(there, key=lambda p: times[p][what])
    ratio = times[who][what] / times[best][what]
    mark = "✓" if ratio <= bar else "✗"
    return [f"| {name} | {who} | {best} | {what} | {ratio:.2f} | {bar} | {mark} |"]
