"""How long `import wengert` takes, beside NumPy alone and the peers."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from functools import partial

from benchmarks.timing import interleaved

BAR = 0.10  # seconds
MODULES = ("wengert", "numpy", "tensorflow", "torch", "jax", "autograd")


def measure(rounds: int = 5) -> dict[str, float]:
    """Seconds to import each module in a new interpreter, without the interpreter's own start."""
    there = [m for m in MODULES if importlib.util.find_spec(m) is not None]
    runs = {m: partial(_run, f"import {m}") for m in there}
    timings = interleaved({"": partial(_run, "pass"), **runs}, rounds, warm_up=1)
    return {m: timings[m].median - timings[""].median for m in there}


def _run(code: str) -> float:
    """Seconds that a new interpreter takes for a line of code."""
    began = time.perf_counter()
    in_new_interpreter("-c", code)
    return time.perf_counter() - began


def in_new_interpreter(*args: str) -> subprocess.CompletedProcess[str]:
    """Run it as after a normal installation: with the bytecode written, which the first run does."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(
        [sys.executable, *args], check=True, capture_output=True, text=True, env=env
    )
