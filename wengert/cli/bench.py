"""wengert bench: compares our times with those of other installed libraries."""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wengert.cli.output import as_json, heading, progress, report_failure, table

# The benchmarks are next to the package in a checkout, and inside of it in an installation.
_PLACES = (Path(__file__).parents[2], Path(__file__).parents[1] / "bench")
CHAIN = "chain, eager"


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "bench",
        help=purpose,
        description="Time value and gradient of some workloads, in Wengert and in each of "
        "TensorFlow, JAX, PyTorch and HIPS autograd that is installed. A ratio below 1 means "
        "that Wengert is faster. Each library runs in its own process, taking turns, and the "
        "results are compared first.",
        epilog="example: wengert bench mlp --rounds 5",
    )
    parser.add_argument(
        "name", nargs="?", default="", help="part of a workload's name; all by default"
    )
    parser.add_argument("--list", action="store_true", help="print the names and exit")
    parser.add_argument(
        "--rounds", type=int, default=3, help="rounds for each library, 3 by default"
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="measure every table and curve, which takes an hour or two, and write them to files",
    )
    parser.add_argument(
        "--output", default="wengert-bench", metavar="FOLDER",
        help="where --all writes them, wengert-bench by default",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    place = next((p for p in _PLACES if (p / "benchmarks" / "worker.py").exists()), None)
    if place is None:
        return report_failure("the benchmarks are not part of this installation.")
    with _found_in(place):
        return _compare(options)


def _compare(options: argparse.Namespace) -> int:
    if options.all:
        command = [sys.executable, "-m", "benchmarks", "all", "--rounds", str(options.rounds)]
        return subprocess.run([*command, "--output", options.output], check=False).returncode
    names = [n for n in _names() if options.name.lower() in n.lower()]
    if not names:
        return report_failure(
            f"no workload has '{options.name}' in its name. There are:\n  " + "\n  ".join(_names())
        )
    if options.list:
        print(*names, sep="\n")
        return 0
    if options.rounds < 1:
        return report_failure("--rounds must be 1 or more.")
    rows = []
    for name in progress(names, len(names), "measuring"):
        rows += _measured(name, options.rounds)
    if options.json:
        as_json(rows)
    else:
        _print(rows)
    return 0


@contextmanager
def _found_in(place: Path) -> Iterator[None]:
    """Let this process and those that it measures find the benchmarks, and this library."""
    usual = os.environ.get("PYTHONPATH")
    paths = filter(None, [str(place), str(_PLACES[0]), usual])
    sys.path.insert(0, str(place))
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    try:
        yield
    finally:
        sys.path.remove(str(place))
        if usual is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = usual


def _names() -> list[str]:
    measuring = importlib.import_module("benchmarks.native.measuring")
    first_call = importlib.import_module("benchmarks.native.first_call")
    return [CHAIN, *(w.name for w in measuring.WORKLOADS), *first_call.NAMES]


def _measured(name: str, rounds: int) -> list[dict[str, Any]]:
    """A row for each workload of the name: its description, and the seconds of each library."""
    measuring = importlib.import_module("benchmarks.native.measuring")
    if name == CHAIN:
        chain = importlib.import_module("benchmarks.chain")
        worker = importlib.import_module("benchmarks.worker")
        found = chain.measure(rounds, worker.Worker)["both"]
        return [_row(f"{CHAIN}, µs an operation", found)]
    for workload in measuring.WORKLOADS:
        if workload.name == name:
            row = measuring.row_of(workload, rounds)
            return [_row(f"{name}, {row['unit']}", row["times"])]
    rows = measuring.first_rows(rounds)
    return [_row(f"{name}, {r['unit']}", r["times"]) for r in rows if r["workload"] == name]


def _row(name: str, times: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    medians = {library: time["median"] for library, time in times.items()}
    ours = medians.pop("wengert")
    ratios = {library: ours / t for library, t in medians.items()}
    return {"workload": name, "wengert": ours, "others": medians, "ratios": ratios}


def _print(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        heading(f"{row['workload']}: {row['wengert']:.3g}")
        lines = [
            {"beside": name, "time": f"{row['others'][name]:.3g}", "ratio": f"{ratio:.2f}"}
            for name, ratio in sorted(row["ratios"].items(), key=lambda item: item[1])
        ]
        if lines:
            table(lines)
        else:
            print("No other library is installed: pip install 'wengert[bench]'.")
        print()
