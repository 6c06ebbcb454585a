"""A library in a process of its own: its steps to be timed, or "memory: library"."""

from __future__ import annotations

import sys

from benchmarks.everyday.memory import megabytes
from benchmarks.everyday.steps import runs
from benchmarks.worker import serve_runs


def main(what: str) -> None:
    kind, _, library = what.partition(": ")
    if kind == "memory":
        found = megabytes(library)
        print(-1 if found is None else found)
        return
    made = runs(what)
    serve_runs(None if made is None else dict(made))


if __name__ == "__main__":
    main(sys.argv[1])
