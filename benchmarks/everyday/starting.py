"""The first minute of a process: import, the first gradient, the first compiled call, cold and warm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from typing import Any

from benchmarks.timing import interleaved

IMPORT, GRADIENT, COLD, WARM = (
    "import of the library",
    "the first gradient of a process",
    "the first compiled call of a network of three layers, nothing kept",
    "the same, kept by an earlier process",
)
BARS = {IMPORT: 0.10, GRADIENT: 0.020, COLD: 0.25, WARM: 0.06}  # seconds

# Each prints the seconds of what is asked for; numpy is there before, as in most programs.
_IMPORT = "import time, json, numpy; began = time.perf_counter(); import wengert as tf; "
_SAY = "; print(json.dumps(time.perf_counter() - began))"
_GRADIENT = """
x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(tf.sin(x) * x)
tape.gradient(y, x).numpy()
"""
_NETWORK = """
import numpy as np
x, labels = tf.constant(np.ones((32, 64), np.float32)), tf.range(32) % 10
weights = [tf.Variable(np.ones(s, np.float32)) for s in ((64, 48), (48, 48), (48, 10))]
began = time.perf_counter()
@tf.function(jit_compile=True)
def step():
    with tf.GradientTape() as tape:
        y = x
        for w in weights[:-1]:
            y = tf.nn.relu(y @ w)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, y @ weights[-1])
    for w, g in zip(weights, tape.gradient(losses, weights)):
        w.assign_sub(0.01 * g)
step()
"""
CODE = {
    IMPORT: _IMPORT.rstrip("; ") + _SAY,
    GRADIENT: f"{_IMPORT}began = time.perf_counter()\n{_GRADIENT}{_SAY[2:]}",
    COLD: f"{_IMPORT.rstrip('; ')}\n{_NETWORK}{_SAY[2:]}",
}


def measure(rounds: int) -> dict[str, Any]:
    """Seconds, by what is asked for."""
    with tempfile.TemporaryDirectory() as cache:
        seconds(CODE[COLD], cache)  # which fills it
        runs = {name: partial(seconds, CODE[name], cache) for name in (IMPORT, GRADIENT)}
        timed = interleaved(
            {**runs, COLD: cold, WARM: partial(seconds, CODE[COLD], cache)}, rounds, warm_up=1
        )
    return {name: timing._asdict() for name, timing in timed.items()}


def cold() -> float:
    with tempfile.TemporaryDirectory() as cache:
        return seconds(CODE[COLD], cache)


def seconds(code: str, cache: str) -> float:
    """What a new interpreter prints; the first run of all has written the bytecode."""
    env = {**os.environ, "WENGERT_CACHE_DIR": cache, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=env
    )
    return float(json.loads(done.stdout))
