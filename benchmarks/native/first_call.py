"""The first call of the chain's gradient: tracing, differentiating, compiling, in a new process.

What is imported, and what the inputs take, is not in it. Warm means that another process has
filled Wengert's cache; the peers keep nothing between processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.native import elementwise
from benchmarks.native.libraries import contestants
from benchmarks.native.workload import compare
from benchmarks.timing import Timing, interleaved

NAMES = ("first call of the chain, cold", "first call of the chain, warm")
PEERS = ("TensorFlow graph", "TensorFlow XLA", "JAX jit")
BARS = ({"JAX jit": 0.3}, {"JAX jit": 0.1})
ROUNDS = 5  # at most: a round starts a process for everybody


def measure(rounds: int) -> list[dict[str, Timing]]:
    """Seconds of Wengert and the peers that are there: with a cold cache, and with a warm one."""
    with tempfile.TemporaryDirectory() as cache:
        everybody: dict[str, Callable[[], Any]] = {"cold": cold}
        everybody["warm"] = partial(seconds, "wengert", cache)
        everybody |= {name: partial(seconds, name) for name in PEERS}
        # The run that tells who is there fills the cache too.
        there = {name: run for name, run in everybody.items() if run() is not None}
        timed = interleaved(there, min(rounds, ROUNDS), warm_up=0)
    peers = {name: timed[name] for name in PEERS if name in timed}
    return [{"wengert": timed[which], **peers} for which in ("cold", "warm")]


def cold() -> Any:
    """As on the first day: with an empty folder for the cache."""
    with tempfile.TemporaryDirectory() as cache:
        return seconds("wengert", cache)


def seconds(name: str, cache: str = "") -> Any:
    """Of the first call in a process of its own; None where the library is not there.

    Modules are compiled to bytecode by the first of these processes, as pip does it for the peers.
    """
    code = f"from benchmarks.native import first_call; first_call.print_seconds({name!r})"
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


def print_seconds(name: str) -> None:
    run = contestants(elementwise.CHAIN)[name]()
    if run is None:
        print("null")
        return
    began = time.perf_counter()
    result = run.call()
    took = time.perf_counter() - began
    compare(run.arrays(result), elementwise.chain_expected(), name)
    print(took)
