"""What answers cost: those who do not ask, nothing; those who ask, little."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock

import wengert as tf
from benchmarks import chain
from benchmarks.importing import in_new_interpreter
from benchmarks.timing import Contestants, interleaved

# What is measured, and what it may be at most.
BARS = {
    "a chain, to one without answers": 1.01,
    "share of the import": 0.01,
    "None in 100,000 operations, s": 2.0,
    "NaN in 100,000 operations, s": 2.0,
    "anomaly, operations of 1 number": 2.0,
    "anomaly, operations of 2 numbers": 2.0,
    "anomaly, operations of 100 numbers": 2.0,
    "anomaly, operations of 10,000 numbers": 2.0,
}
LONG = 100_000
ROOMS = ("wengert.insight", "wengert.api.gradients.answers", "wengert.api.gradients.hooks",
         "wengert.values.exits", "wengert.overrides.anomaly")  # fmt: skip


def measure(rounds: int) -> dict[str, float]:
    """Each measure by its name in BARS."""
    return {
        "a chain, to one without answers": _unasked(10 * rounds),
        "share of the import": _of_import(rounds),
        "None in 100,000 operations, s": _explained(tf.stop_gradient, "stop-gradient"),
        "NaN in 100,000 operations, s": _explained(lambda h: h, "sqrt"),
        **{
            f"anomaly, operations of {_counted(n)}": _anomaly(n, rounds)
            for n in (1, 2, 100, 10_000)
        },
    }


def as_markdown(measured: dict[str, float]) -> str:
    """The table."""
    head = ["## What answers cost", "", "| measure | here | at most |", "| --- | --- | --- |"]
    rows = [f"| {name} | {measured[name]:.3f} | {bar} |" for name, bar in BARS.items()]
    return "\n".join([*head, *rows, ""])


def _unasked(rounds: int) -> float:
    """A chain as it is, to one whose tapes do not look whether the program asks."""
    tape = importlib.import_module("wengert.api.gradients.gradient_tape")
    blind = mock.patch.object(tape, "is_asked_in", return_value=False)

    def without() -> float:
        with blind:
            return chain.value_and_gradient(100)

    runs: Contestants = {"as it is": partial(chain.value_and_gradient, 100), "without": without}
    timed = interleaved(runs, rounds)
    return timed["as it is"].median / timed["without"].median


def _of_import(rounds: int) -> float:
    """The share of our import that the rooms of answers take."""
    shares = []
    for _ in range(rounds):
        report = in_new_interpreter("-X", "importtime", "-c", "import wengert").stderr
        lines = [line.split(":")[1].split("|") for line in report.splitlines()[1:]]
        times = {name.strip(): (int(own), int(whole)) for own, whole, name in lines}
        ours = sum(own for name, (own, _) in times.items() if name.startswith(ROOMS))
        shares.append(ours / times["wengert"][1])
    return sorted(shares)[len(shares) // 2]


def _explained(change: Callable[[Any], Any], kind: str) -> float:
    """Seconds for an answer about a long tape, which begins with a square root of zero."""
    x = tf.constant([1.0, 0.0])
    with tf.GradientTape(source_lines=True, persistent=True) as tape:
        tape.watch(x)
        h = tf.sqrt(x)
        for n in range(LONG // 2):
            h = h * 0.999 + 0.001
            h = change(h) if n == LONG // 4 else h
        y = tf.reduce_sum(h)
    began = time.perf_counter()
    answer = tape.explain(y, x)
    seconds = time.perf_counter() - began
    assert answer.kind == kind, answer
    return seconds


def _counted(n: int) -> str:
    return f"{n:,} number{'' if n == 1 else 's'}"


def _anomaly(n: int, rounds: int) -> float:
    x = tf.ones([n])

    def run() -> float:
        began = time.perf_counter()
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = x
            for _ in range(300):
                h = tf.sin(h * 1.0001)
            y = tf.reduce_sum(h)
        assert tape.gradient(y, x) is not None
        return time.perf_counter() - began

    def watched() -> float:
        with tf.debugging.anomaly():
            return run()

    timed = interleaved({"plain": run, "anomaly": watched}, 4 * rounds)
    return timed["anomaly"].median / timed["plain"].median
