"""A contestant at a point of a curve, "name: curve: point", in a process of its own."""

from __future__ import annotations

import sys
import time

from benchmarks.native.workload import check
from benchmarks.scaling.curves import CURVES
from benchmarks.worker import serve_runs


def serve(what: str) -> None:
    """Check what a contestant computes at a point; then time it, or say what its first call took."""
    who, name, at = what.split(": ")
    curve, point = CURVES[name], int(at)
    run = curve.contestants(point)[who]()
    if run is None:
        serve_runs(None)
        return
    began = time.perf_counter()
    run.call()
    first = time.perf_counter() - began
    check(run, curve.answer(point), who)
    serve_runs({who: (lambda: first) if curve.first else run.call})


if __name__ == "__main__":
    serve(sys.argv[1])
