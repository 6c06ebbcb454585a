"""One contestant and one objective in a process of its own: the first call, then whatever is asked."""

from __future__ import annotations

import sys
import time

from benchmarks.adbench.contestants import CONTESTANTS
from benchmarks.worker import serve_runs


def main() -> None:
    who, _, name = sys.argv[1].partition(": ")
    call = CONTESTANTS[who](name)
    if call is None:
        serve_runs(None)
        return
    began = time.perf_counter()
    call()
    first = time.perf_counter() - began
    serve_runs({"first": lambda: first, "call": call})


if __name__ == "__main__":
    main()
