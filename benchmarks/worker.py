"""One library in a process of its own: what it is told on standard input it runs, timed.

So no library pays for another's threads, allocator, or garbage-collector callbacks.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import chain
from benchmarks.machine import peak_megabytes
from benchmarks.peers import LIBRARIES


class Worker:
    """The other end of such a process."""

    def __init__(
        self, library: str, module: str = "benchmarks.worker", python: str = sys.executable
    ) -> None:
        self.library = library
        self._process = subprocess.Popen(
            [python, "-W", "ignore", "-m", module, library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONUNBUFFERED": "1"},
        )
        self.installed = self._read() == "ready"

    def seconds(self, what: str) -> float:
        return float(self.ask(what))

    def ask(self, what: str) -> Any:
        """What it answers to a line, as JSON."""
        assert self._process.stdin is not None
        self._process.stdin.write(what + "\n")
        self._process.stdin.flush()
        return json.loads(self._read())

    def close(self) -> None:
        self._process.communicate()

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line:
            raise RuntimeError(f"the process that measures {self.library} ended")
        return line


def serve(library: str) -> None:
    """Check the results against known ones, then time what is asked for."""
    made = LIBRARIES[library](*chain.inputs(), chain.MULTIPLY_ADDS)
    if made is not None:
        for got, want in zip(made.both(), chain.expected(), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-3, err_msg=library)
    serve_runs(None if made is None else made._asdict())


def serve_runs(runs: dict[str, Callable[[], object]] | None) -> None:
    """Time what is asked for by name; None says that the library is missing."""
    if runs is None:
        print("missing")
        return
    print("ready")
    for line in sys.stdin:
        what, _, name = line.strip().partition(": ")
        if what == "names":
            print(json.dumps(sorted(runs)))
        elif what == "peak":
            print(peak_megabytes())
        elif what == "size":
            print(size(runs[name]()))
        else:
            print(statistics.median(several(runs[line.strip()])))


def size(result: Any) -> float:
    """The sum of all absolute values of a result, to compare those of two libraries."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)):
        return sum(map(size, result))
    return float(np.abs(np.asarray(result, np.float64)).sum())


def several(run: Callable[[], object], at_least: float = 0.1) -> list[float]:
    """Seconds of runs that take a tenth of a second together.

    A single run of a few milliseconds, after the processor's caches have served another process,
    measures the caches. A run that returns a number has timed itself.
    """
    seconds: list[float] = []
    while sum(seconds) < at_least:
        began = time.perf_counter()
        result = run()
        took = time.perf_counter() - began
        seconds.append(result if isinstance(result, float) else took)
    return seconds


if __name__ == "__main__":
    serve(sys.argv[1])
