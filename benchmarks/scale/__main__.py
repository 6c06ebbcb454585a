"""Measure a training step on 1, 2 and 4 devices and processes, and what the all-reduce of its gradients takes.

Every number is the least of the medians of some rounds, in which all contestants have their turn, as others may use
the machine. Compute is what each process takes for its part without the others, all at once; of devices, the step on one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
ROUNDS: Final = 3
COUNTS: Final = (1, 2, 4)


def measured(kind: str, count: int) -> dict[str, float]:
    """One run of the worker."""
    worker = str(ROOT / "benchmarks" / "scale" / "worker.py")
    launch = [sys.executable, "-m", "wengert", "launch", "--plain", "-n", str(count), worker, kind]
    command = launch if kind == "processes" else [sys.executable, worker, kind, str(count)]
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    out = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True
    ).stdout
    line = next(line for line in out.splitlines() if line.startswith("{"))
    found: dict[str, float] = json.loads(line)
    return found


def main() -> None:
    """Measure, and print the table with the model beside it."""
    contestants = [(kind, count) for kind in ("devices", "processes") for count in COUNTS]
    runs: dict[tuple[str, int], list[dict[str, float]]] = {c: [] for c in contestants}
    for _ in range(ROUNDS):
        for contestant in contestants:
            runs[contestant].append(measured(*contestant))
    best = {
        c: {name: min(run[name] for run in found) for name in found[0]} for c, found in runs.items()
    }
    print(f"{os.cpu_count()} cores; gradients of {best['devices', 1]['bytes'] / 1e6:.1f} MB\n")
    print("| | compute | all-reduce | model: their sum | step, measured | measured / model |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (kind, count), found in best.items():
        compute = found["own"] or best[kind, 1]["step"]
        model = compute + found["reduce"]
        parts = (compute, found["reduce"], model, found["step"])
        shown = " | ".join(f"{part:.1f} ms" for part in parts)
        print(f"| {count} {kind} | {shown} | {found['step'] / model:.2f} |")


if __name__ == "__main__":
    main()
