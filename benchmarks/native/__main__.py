"""One contestant of one workload, in this process: its result is checked, then it is timed.

`python -m benchmarks.native "NAME: WORKLOAD"` by hand shows why a contestant failed.
"""

from __future__ import annotations

import sys

from benchmarks.native.measuring import WORKLOADS
from benchmarks.native.workload import check
from benchmarks.worker import serve_runs


def serve(who: str) -> None:
    """Time a contestant, given as `name: workload`."""
    name, _, named = who.partition(": ")
    workload = next(w for w in WORKLOADS if w.name == named)
    run = workload.contestants[name]()
    if run is not None:
        check(run, workload.expected(), who)
    serve_runs(None if run is None else {name: run.call})


if __name__ == "__main__":
    serve(sys.argv[1])
