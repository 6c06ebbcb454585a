"""The measurements as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.machine import about
from benchmarks.native.first_call import ROUNDS
from benchmarks.native.libraries import LIMITS, NEEDS


def as_markdown(measured: Mapping[str, Any], title: str = "Compiled gradients") -> str:
    rows = measured["rows"]
    names = contestants(rows)
    head = ["workload", *names, "ratio", "limit", "holds", "interquartile ranges"]
    lines = [
        f"## {title}",
        "",
        "Each library in a process of its own, its results compared with known ones first; medians "
        f"of interleaved rounds ({measured['rounds']}; of first calls at most {ROUNDS}). "
        f"By hand, and no peers: {', '.join(LIMITS)}.",
        "",
        f"| {' | '.join(head)} |",
        f"| {' | '.join('---' for _ in head)} |",
        *(f"| {' | '.join(cells(row, names))} |" for row in rows),
        "",
        *missing(rows),
        *memory(rows, names),
        about(measured["machine"]),
        "",
    ]
    return "\n".join(lines)


def contestants(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Everybody who took part, in the order of the first appearance."""
    return list(dict.fromkeys(name for row in rows for name in row["times"]))


def cells(row: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    times, bars = row["times"], row["bars"]
    medians = [number(times[n]["median"]) if n in times else "" for n in names]
    ratios = [f"{b['ratio']:.2f}" if b["ratio"] is not None else "?" for b in bars]
    holds = [{True: "yes", False: "no", None: "?"}[b["holds"]] for b in bars]
    spreads = [spread(n, times[n]) for n in ("wengert", *beside(row)) if n in times]
    return [
        f"{row['workload']}, {row['unit']}",
        *medians,
        "; ".join(ratios),
        "; ".join(f"{b['bar']} of {b['beside']}" for b in bars),
        "; ".join(holds),
        "; ".join(spreads),
    ]


def beside(row: Mapping[str, Any]) -> list[str]:
    return [bar["beside"] for bar in row["bars"]]


def spread(name: str, time: Mapping[str, float]) -> str:
    return f"{name} {number(time['low'])} to {number(time['high'])}"


def number(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def memory(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    """The largest memory of each process: the library, and what the workload takes."""
    there = [row for row in rows if "peaks" in row]
    if not there:
        return []
    lines = [
        f"| {' | '.join(['peak memory of the process, MB', *names])} |",
        f"| {' | '.join('---' for _ in range(len(names) + 1))} |",
    ]
    for row in there:
        peaks = [f"{row['peaks'][n]:.0f}" if n in row["peaks"] else "" for n in names]
        lines.append(f"| {' | '.join([row['workload'], *peaks])} |")
    return [*lines, ""]


def missing(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Who could not take part, and for want of what."""
    names = dict.fromkeys(name for row in rows for name in row["missing"])
    if not names:
        return []
    return [f"Not here: {', '.join(f'{n} (needs {NEEDS[n]})' for n in names)}.", ""]
