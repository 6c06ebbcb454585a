"""First calls: tracing, differentiating, compiling, in a new process.

Of the chain's gradient, and of a step of training for batches of twenty sizes. What is imported, and what the inputs take, is not in it. Warm means that another process has
filled Wengert's cache; the peers keep nothing between processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from benchmarks.native import batches, elementwise
from benchmarks.native.libraries import contestants
from benchmarks.native.workload import compare
from benchmarks.timing import Timing, interleaved

NAMES = (
    "first call of the chain, cold",
    "first call of the chain, warm",
    f"first calls of an MLP's step for {len(batches.SIZES)} batch sizes, cold",
)
PEERS = ("TensorFlow graph", "TensorFlow XLA", "JAX jit")
BARS = ({"JAX jit": 0.3}, {"JAX jit": 0.1}, {"JAX jit": 0.3})
# Who makes these calls, and what they give.
CALLS = {
    "chain": (contestants(elementwise.CHAIN), elementwise.chain_expected),
    "batches": (batches.CONTESTANTS, batches.expected),
}
ROUNDS = 5  # at most: a round starts a process for everybody


def measure(rounds: int) -> list[dict[str, Timing]]:
    """Seconds of Wengert and the peers that are there: with a cold cache, and with a warm one."""
    with tempfile.TemporaryDirectory() as cache:
        ours = {"cold": partial(cold, "chain"), "warm": partial(seconds, "chain", "wengert", cache)}
        timed = timed_of("chain", ours, rounds)
    peers = {name: timed[name] for name in PEERS if name in timed}
    return [
        {"wengert": timed["cold"], **peers},
        {"wengert": timed["warm"], **peers},
        timed_of("batches", {"wengert": partial(cold, "batches")}, rounds),
    ]


def timed_of(what: str, ours: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, Timing]:
    """Ours, and the peers that are there; the run that tells who is there fills the cache, too."""
    everybody = dict(ours)
    everybody.update({name: partial(seconds, what, name) for name in PEERS})
    there = {name: run for name, run in everybody.items() if run() is not None}
    return interleaved(there, min(rounds, ROUNDS), warm_up=0)


def cold(what: str) -> Any:
    """As on the first day: with an empty folder for the cache."""
    with tempfile.TemporaryDirectory() as cache:
        return seconds(what, "wengert", cache)


def seconds(what: str, name: str, cache: str = "") -> Any:
    """Of the first call in a process of its own; None where the library is not there.

    Modules are compiled to bytecode by the first of these processes, as pip does it for the peers.
    """
    code = f"from benchmarks.native import first_call; first_call.print_seconds({what!r}, {name!r})"
    given = {
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "JAX_ENABLE_COMPILATION_CACHE": "0",
        "WENGERT_CACHE_DIR": cache,
        "PYTHONDONTWRITEBYTECODE": "",
    }
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | given,
    )
    return json.loads(done.stdout.splitlines()[-1])


def print_seconds(what: str, name: str) -> None:
    makers, expected = CALLS[what]
    run = makers[name]()
    if run is None:
        print("null")
        return
    began = time.perf_counter()
    result = run.call()
    took = time.perf_counter() - began
    compare(run.arrays(result), expected(), name)
    print(took)
