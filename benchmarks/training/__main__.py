"""python -m benchmarks.training [--save]: a step of `wengert train cifar10` beside TensorFlow's graph, and a whole run."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks.machine import about, machine
from benchmarks.timing import interleaved_rounds
from benchmarks.training.worker import FIRST, LAYERS
from benchmarks.worker import Worker

RESULTS: Final = Path(__file__).resolve().parent.parent / "results"
ROUNDS, STEPS = 21, 300
MOST_STEP = 0.9  # of TensorFlow's
MOST_SECONDS, LEAST_RIGHT = 180.0, 0.85  # of a run; of its test
PAGE: Final = """# Training, measured

Written by `python -m benchmarks.training --save`. {}

A step of `wengert train cifar10` with 128 pictures beside the same network in TensorFlow's graph, with its fused Adam, from equal
weights, each in a process of its own, in turn; the first losses are equal. The ratio is the median of those of {} rounds. When it began,
{:.1f} other programs wanted the processor.

| step | Wengert, ms | TensorFlow, ms | ratio | bar | holds |
| --- | --- | --- | --- | --- | --- |
{}

`wengert train cifar10 --steps {}`, on the made-up textures, its start and its tests included:

| | found | bar | holds |
| --- | --- | --- | --- |
| share that is right, of pictures that it did not see | {:.1%} | {:.0%} | {} |
| seconds | {:.0f} | {:.0f} | {} |
"""


def steps() -> list[dict[str, Any]]:
    """Medians of both, and of their ratio, for each step."""
    workers = {
        name: Worker(name, "benchmarks.training.worker") for name in ("wengert", "tensorflow")
    }
    if not all(worker.installed for worker in workers.values()):
        raise SystemExit("TensorFlow is not installed: pip install 'wengert[bench]'")
    found = []
    for what in LAYERS:
        first = [w.ask(f"size: {FIRST}, {what}") for w in workers.values()]
        assert math.isclose(*first, rel_tol=1e-3), (what, first)
        rounds = interleaved_rounds(
            {name: partial(worker.seconds, what) for name, worker in workers.items()}, ROUNDS
        )
        pairs = zip(rounds["wengert"], rounds["tensorflow"], strict=True)
        row = {name: statistics.median(seconds) for name, seconds in rounds.items()}
        found.append({"step": what, **row, "ratio": statistics.median([a / b for a, b in pairs])})
    for worker in workers.values():
        worker.close()
    return found


def run() -> dict[str, float]:
    """A whole run by the command: seconds, and what its last test says."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "wengert", "train", "cifar10", "--plain"]
        began = time.perf_counter()
        subprocess.run(
            [*command, "--steps", str(STEPS), "--out", f"{folder}/run"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        seconds = time.perf_counter() - began
        last = Path(folder, "run", "tests.csv").read_text("utf-8").splitlines()[-1]
    return {"seconds": seconds, "right": float(last.split(",")[2])}


def page(measured: dict[str, Any]) -> str:
    rows = [
        f"| {row['step']} | {row['wengert'] * 1e3:.0f} | {row['tensorflow'] * 1e3:.0f} | {row['ratio']:.2f} "
        f"| {MOST_STEP} | {_said(row['ratio'] <= MOST_STEP)} |"
        for row in measured["steps"]
    ]
    right, seconds = measured["run"]["right"], measured["run"]["seconds"]
    return PAGE.format(
        about(measured["machine"]), ROUNDS, measured["load"], "\n".join(rows), STEPS,
        right, LEAST_RIGHT, _said(right > LEAST_RIGHT),
        seconds, MOST_SECONDS, _said(seconds < MOST_SECONDS),
    )  # fmt: skip


def _said(holds: bool) -> str:
    return "yes" if holds else "no"


def main() -> int:
    load = os.getloadavg()[0]
    measured = {"machine": machine(), "load": load, "steps": steps(), "run": run()}
    text = page(measured)
    print(text)
    if "--save" in sys.argv:
        (RESULTS / "training.json").write_text(json.dumps(measured, indent=1) + "\n", "utf-8")
        (RESULTS / "training.md").write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
