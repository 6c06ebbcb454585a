"""The measurements as a picture: how many times as long as Wengert each contestant takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.native.table import contestants
from benchmarks.peers import find


def draw(measured: Mapping[str, Any], path: Path) -> bool:
    """Write the picture; False where matplotlib is not there."""
    if find("matplotlib") is None:
        return False
    from matplotlib.figure import Figure

    rows = measured["rows"]
    figure = Figure(figsize=(10, 1.5 + 0.5 * len(rows)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(1.0, color="black", linewidth=1, label="wengert")
    for name, marker in zip(contestants(rows)[1:], "osD^vP*X", strict=False):
        there = [i for i, row in enumerate(rows) if name in row["times"]]
        axes.plot([ratio(rows[i], name) for i in there], there, marker, label=name, alpha=0.8)
    axes.set_xscale("log")
    axes.set_xlabel("time, Wengert's being 1")
    axes.set_yticks(range(len(rows)), [row["workload"] for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="both", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=5, frameon=False)
    figure.savefig(path, dpi=150)
    return True


def ratio(row: Mapping[str, Any], name: str) -> float:
    times = row["times"]
    value: float = times[name]["median"] / times["wengert"]["median"]
    return value
