"""How long `import wengert` takes, beside NumPy alone and the peers."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

from benchmarks.timing import interleaved

BAR = 0.15  # seconds
MODULES = ("wengert", "numpy", "tensorflow", "torch", "jax", "autograd")


def measure(rounds: int = 5) -> dict[str, float]:
    """Seconds to import each module in a new interpreter, without the interpreter's own start."""
    there = [m for m in MODULES if importlib.util.find_spec(m) is not None]
    runs = {m: lambda m=m: _run(f"import {m}") for m in there}
    timings = interleaved({"": lambda: _run("pass"), **runs}, rounds, warm_up=1)
    return {m: timings[m].median - timings[""].median for m in there}


def _run(code: str) -> None:
    # As after a normal installation: with the bytecode written, which the warm-up does.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=env)
