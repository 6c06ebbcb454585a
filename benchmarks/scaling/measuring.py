"""Measure the curves: each contestant at each point in a process of its own, in turn."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.machine import about, machine
from benchmarks.peers import find
from benchmarks.scaling.curves import CURVES, WHO, Curve

# Who takes longer for a point, to compile or to run, is not asked for the larger ones.
PATIENCE = 60  # seconds

Points = dict[str, float]  # seconds, by the point


def measure() -> dict[str, Any]:
    """Seconds of every contestant at every point, by curve."""
    return {"machine": machine(), "curves": {name: measured(name) for name in CURVES}}


def measured(name: str) -> dict[str, Points]:
    curve = CURVES[name]
    found: dict[str, Points] = {}
    there = list(WHO)
    for point in curve.points:
        if curve.threads and point > (os.cpu_count() or 1):
            break
        for who in list(there):
            seconds = timed(who, name, curve, point)
            if seconds is None:
                there.remove(who)
            else:
                found.setdefault(who, {})[str(point)] = seconds
        print(name, point, found, file=sys.stderr)
    return found


def timed(who: str, name: str, curve: Curve, point: int) -> float | None:
    """Seconds; None where the library is missing, fails, or takes too long."""
    at_once = partial(bound_to, point) if curve.threads else None
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "benchmarks.scaling", f"{who}: {name}: {point}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "WENGERT_CACHE_DIR": ""},
        preexec_fn=at_once,
    ) as process:
        try:
            said, _ = process.communicate(f"{who}\n{who}\n{who}\n", timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return None
    lines = said.split()
    return min(map(float, lines[1:])) if lines[:1] == ["ready"] and len(lines) == 4 else None


def bound_to(count: int) -> None:
    """Let this process have so many processors: all libraries make no more threads then."""
    os.sched_setaffinity(0, range(count))


# ---- the page -----------------------------------------------------------------------------------


def as_markdown(found: Mapping[str, Any]) -> str:
    lines = ["## What a gradient costs as it grows", "", "![curves](scaling.png)", ""]
    lines += [
        f"Each figure is the best of three medians, in a process of its own, after its result was "
        f"compared with the known one. Where there is none, the library took longer than {PATIENCE} "
        "seconds for the point before, with all that it compiles.",
        "",
    ]
    for name, times in found["curves"].items():
        curve = CURVES[name]
        lines += [
            f"### {curve.title[0].upper()}{curve.title[1:]}, seconds",
            "",
            f"| {' | '.join([curve.axis, *times])} |",
            f"| {' | '.join('---' for _ in range(len(times) + 1))} |",
        ]
        for point in dict.fromkeys(p for each in times.values() for p in each):
            cells = [f"{each[point]:.2g}" if point in each else "" for each in times.values()]
            lines.append(f"| {' | '.join([f'{int(point):,}', *cells])} |")
        lines.append("")
    return "\n".join([*lines, about(found["machine"]), ""])


def draw(found: Mapping[str, Any], path: Path) -> bool:
    """Write the picture; False where matplotlib is not there."""
    if find("matplotlib") is None:
        return False
    from matplotlib.figure import Figure

    curves = found["curves"]
    figure = Figure(figsize=(11, 8), layout="constrained")
    for axes, (name, times) in zip(figure.subplots(2, 2).flat, curves.items(), strict=True):
        for who, marker in zip(WHO, "osD^vP", strict=True):
            points = times.get(who, {})
            width = 2.5 if who == "wengert" else 1
            axes.plot([int(p) for p in points], list(points.values()), marker=marker,
                      linewidth=width, markersize=4, label=who)  # fmt: skip
        axes.set_xscale("log", base=2 if CURVES[name].threads else 10)
        axes.set_yscale("log")
        axes.set_title(CURVES[name].title, fontsize=10)
        axes.set_xlabel(CURVES[name].axis)
        axes.set_ylabel("seconds")
        axes.grid(alpha=0.3)
    handles = figure.axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=6, frameon=False)
    figure.savefig(path, dpi=120)
    return True
