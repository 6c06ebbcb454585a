"""A chain of multiply-adds on 8 floats: what an operation costs when the arithmetic is free."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import wengert as tf
from benchmarks.peers import LIBRARIES, Chain, steps
from benchmarks.timing import Timing, interleaved

MULTIPLY_ADDS = 1_000
OPERATIONS = 2 * MULTIPLY_ADDS

# At most this many µs here, and at most this share of each peer's time.
BARS = {"both": 3.0, "forward": 0.6}
SHARES = {"torch": 0.55, "tensorflow": 0.2, "autograd": 0.3}


def inputs() -> tuple[Any, Any, Any]:
    x = np.linspace(0.1, 1.0, 8, dtype=np.float32)
    return x, np.full(8, 0.999, np.float32), np.full(8, 1e-3, np.float32)


def expected() -> tuple[Any, Any]:
    x, a, b = (v.astype(np.float64) for v in inputs())
    return steps(x, a, b, MULTIPLY_ADDS), a**MULTIPLY_ADDS


def measure(rounds: int, start: Callable[[str], Any]) -> dict[str, Any]:
    """Microseconds per operation, of every library that is there, each in its own process."""
    workers = {name: start(name) for name in LIBRARIES}
    there = {name: w for name, w in workers.items() if w.installed}
    result = {
        what: interleaved({n: partial(w.seconds, what) for n, w in there.items()}, rounds)
        for what in Chain._fields
    }
    for worker in workers.values():
        worker.close()
    return {
        "operations": OPERATIONS,
        **{
            what: {n: _per_operation(t) for n, t in timed.items()} for what, timed in result.items()
        },
        "missing": [n for n in LIBRARIES if n not in there],
    }


def _per_operation(timing: Timing) -> dict[str, float]:
    return {k: v / OPERATIONS * 1e6 for k, v in timing._asdict().items()}


def value_and_gradient(multiply_adds: int) -> float:
    """Seconds for value and gradient of a chain of some length."""
    x, a, b = (tf.constant(v) for v in inputs())
    began = time.perf_counter()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = steps(x, a, b, multiply_adds)
    gradient = tape.gradient(y, x)
    seconds = time.perf_counter() - began
    np.testing.assert_allclose(gradient, a.numpy().astype(float) ** multiply_adds, atol=1e-3)
    return seconds


def long_chain(operations: int = 1_000_000, rounds: int = 3) -> dict[str, float]:
    """Time per operation of a very long chain beside that of a short one, interleaved."""
    short, long = [], []
    for _ in range(rounds):
        short.append(min(value_and_gradient(MULTIPLY_ADDS) for _ in range(20)) / OPERATIONS)
        gc.collect()
        long.append(value_and_gradient(operations // 2) / operations)
    ratio = sorted(after / before for before, after in zip(short, long, strict=True))
    return {
        "operations": operations,
        "short": sorted(short)[rounds // 2] * 1e6,
        "long": sorted(long)[rounds // 2] * 1e6,
        "ratio": ratio[rounds // 2],
        "bytes per operation": bytes_per_operation(),
    }


def bytes_per_operation(multiply_adds: int = 10_000) -> float:
    """What the tape holds for each recorded operation, with the arrays that the rules will read."""
    x, a, b = (tf.constant(v) for v in inputs())
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = steps(x, a, b, multiply_adds)
        held = tracemalloc.get_traced_memory()[0] - before
        assert tape.gradient(y, x) is not None
    finally:
        tracemalloc.stop()
    return held / (2 * multiply_adds)
