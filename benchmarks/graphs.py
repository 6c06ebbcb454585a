"""The chain of multiply-adds as a graph: run by a session, as a traced function, differentiated.

The same program runs on Wengert and on TensorFlow, whose API it is written in.
"""

from __future__ import annotations

import importlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import chain
from benchmarks.peers import steps
from benchmarks.timing import interleaved
from benchmarks.worker import Worker, serve_runs

LIBRARIES = ("wengert", "tensorflow")
WHAT = ("session", "function", "building")

# At most this many µs for each operation, and at most this share of TensorFlow's time.
BARS = {"session": 0.8, "function": 0.8}
SHARES = {"session": 1.0, "function": 1.0, "building": 0.2}

LAYERS = 50  # of the elementwise chain whose memory is measured
FLOATS = 10_000_000


def measure(rounds: int) -> dict[str, Any]:
    """Microseconds per operation of both libraries, each in its own process; peak memory in MB."""
    workers = {name: Worker(name, "benchmarks.graphs") for name in LIBRARIES}
    there = {name: w for name, w in workers.items() if w.installed}
    timed = {
        what: interleaved({n: partial(w.seconds, what) for n, w in there.items()}, rounds)
        for what in WHAT
    }
    for worker in workers.values():
        worker.close()
    return {
        what: {n: t.median / chain.OPERATIONS * 1e6 for n, t in timings.items()}
        for what, timings in timed.items()
    } | {"memory": {name: memory(name) for name in there}}


def memory(library: str) -> float:
    """Megabytes that value and gradient of a deep chain on many floats add to the process."""
    code = f"from benchmarks import graphs; graphs.print_memory('{library}')"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], check=True, capture_output=True, text=True
    )
    return float(json.loads(done.stdout.splitlines()[-1]))


def print_memory(library: str) -> None:
    """Run in a process of its own: the peak of a process is never forgotten."""
    tf = importlib.import_module(library)
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [FLOATS])
        y = x
        for layer in range(LAYERS):
            y = tf.sin(y) if layer % 2 else tf.tanh(y)
        y = tf.reduce_sum(y)
        fetches = [y, *_gradients(tf)(y, x)]
        value = np.linspace(-1, 1, FLOATS, dtype=np.float32)
        with tf.compat.v1.Session() as session:
            before = _peak()
            total, gradient = session.run(fetches, {x: value})
    assert abs(total) < 1e-3 * FLOATS
    assert gradient.shape == (FLOATS,)
    print(_peak() - before)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _gradients(tf: Any) -> Callable[..., Any]:
    gradients: Callable[..., Any] = tf.compat.v1.gradients
    return gradients


def runs(library: str) -> dict[str, Callable[[], Any]] | None:
    """What is timed, after the results have been compared with known ones."""
    try:
        tf = importlib.import_module(library)
    except ImportError:
        return None
    made = {"session": _session(tf), "function": _function(tf)}
    for run in made.values():
        for got, want in zip(run(), chain.expected(), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-3, err_msg=library)
    # Wengert's gradient graph beside all of TensorFlow's tracing, which has it inside.
    return made | {"building": partial(_build, tf)}


def _placeholders(tf: Any) -> list[Any]:
    return [tf.compat.v1.placeholder(tf.float32, [8]) for _ in range(3)]


def _session(tf: Any) -> Callable[[], Any]:
    with tf.Graph().as_default():
        xs = _placeholders(tf)
        y = steps(xs[0], xs[1], xs[2], chain.MULTIPLY_ADDS)
        fetches = [y, *_gradients(tf)(y, xs[0])]
        session = tf.compat.v1.Session()
    feeds = dict(zip(xs, chain.inputs(), strict=True))
    return lambda: session.run(fetches, feeds)


def _function(tf: Any) -> Callable[[], Any]:
    @tf.function
    def both(x: Any, a: Any, b: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = steps(x, a, b, chain.MULTIPLY_ADDS)
        return y, tape.gradient(y, x)

    args = [tf.constant(v) for v in chain.inputs()]
    return lambda: both(*args)


def _build(tf: Any) -> float:
    """Seconds for the graph of the gradient, the graph of the value being there."""
    with tf.Graph().as_default():
        xs = _placeholders(tf)
        y = steps(xs[0], xs[1], xs[2], chain.MULTIPLY_ADDS)
        began = time.perf_counter()
        _gradients(tf)(y, xs[0])
        return time.perf_counter() - began


def as_table(measured: dict[str, Any]) -> list[str]:
    """The measurements as lines of Markdown."""
    lines = [
        "## The same chain as a graph, µs per operation; memory of "
        f"{LAYERS} layers on {FLOATS:,} floats, MB",
        "",
        "| what | Wengert | TensorFlow | ratio | limit |",
        "| --- | --- | --- | --- | --- |",
    ]
    for what in (*WHAT, "memory"):
        ours, theirs = (measured[what].get(name) for name in LIBRARIES)
        share = "" if theirs is None else f"{ours / theirs:.2f}"
        bar = f"{SHARES.get(what, 1.0)} of TensorFlow's"
        if what in BARS:
            bar = f"{BARS[what]} µs and {bar}"
        beside = "" if theirs is None else f"{theirs:.2f}"
        lines.append(f"| {what} | {ours:.2f} | {beside} | {share} | {bar} |")
    return [*lines, ""]


if __name__ == "__main__":
    serve_runs(runs(sys.argv[1]))
