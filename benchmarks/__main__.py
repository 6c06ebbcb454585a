"""python -m benchmarks: measure, print tables, and write them to benchmarks/results/."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import answers, chain, derivatives, graphs, importing, operations
from benchmarks.adbench import measuring as adbench
from benchmarks.native import measuring, plot, table
from benchmarks.worker import Worker

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        choices=["eager", "native", "derivatives", "answers", "adbench"],
        default="eager",
        help="compiled gradients, Jacobians and the like, what an answer costs, or ADBench's objectives?",
    )
    parser.add_argument(
        "part", nargs="?", default="", help="of names of native's or adbench's workloads"
    )
    parser.add_argument("--rounds", type=int, default=15, help="interleaved rounds")
    parser.add_argument("--long", type=int, default=1_000_000, help="operations in the long chain")
    parser.add_argument("--output", help="name of the files in results/, or a path")
    parser.add_argument("--no-write", action="store_true", help="print only")
    options = parser.parse_intermixed_args()
    if options.what == "native":
        native(options)
    elif options.what == "derivatives":
        of_derivatives(options)
    elif options.what == "answers":
        of_answers(options)
    elif options.what == "adbench":
        of_adbench(options)
    else:
        eager(options)
    return 0


def eager(options: argparse.Namespace) -> None:
    """The library as it is without a compiler, graphs included."""
    measured: dict[str, Any] = {
        "machine": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "processor": platform.machine(),
        },
        "chain": chain.measure(options.rounds, Worker),
        "long chain": chain.long_chain(options.long),
        "graphs": graphs.measure(options.rounds),
        "operations": operations.measure(options.rounds),
        "import": importing.measure(),
    }
    text = as_markdown(measured)
    print(text)
    if not options.no_write:
        write(measured, text, options.output or "latest")


def of_derivatives(options: argparse.Namespace) -> None:
    """Jacobians, Hessians, sparse ones, Taylor mode."""
    measured = {"machine": measuring.machine(), **derivatives.measure(options.rounds)}
    text = derivatives.as_markdown(measured)
    print(text)
    if not options.no_write:
        write(measured, text, options.output or "derivatives")


def of_answers(options: argparse.Namespace) -> None:
    """What answers cost those who ask, and those who do not."""
    measured = answers.measure(options.rounds)
    text = answers.as_markdown(measured)
    print(text)
    if not options.no_write:
        write({"machine": measuring.machine(), **measured}, text, options.output or "answers")


def of_adbench(options: argparse.Namespace) -> None:
    """Programs that are published elsewhere. A part of them is printed only."""
    measured = {"machine": measuring.machine(), **adbench.measure(options.rounds, options.part)}
    text = adbench.as_markdown(measured)
    print(text)
    if not options.no_write and not options.part:
        write(measured, text, options.output or "adbench")


def native(options: argparse.Namespace) -> None:
    """Compiled gradients. A part of them is not written over the whole unless it is asked for."""
    measured = measuring.measure(options.rounds, options.part)
    text = table.as_markdown(measured)
    print(text)
    if options.no_write or (options.part and not options.output):
        return
    path = write(measured, text, options.output or "native")
    if not plot.draw(measured, path.with_name(path.name + ".png")):
        print("No picture: matplotlib is not installed.", file=sys.stderr)


def write(measured: dict[str, Any], text: str, name: str) -> Path:
    """Both forms; the path that they are named after."""
    path = RESULTS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name(path.name + ".json").write_text(json.dumps(measured, indent=2) + "\n")
    path.with_name(path.name + ".md").write_text(text)
    return path


def as_markdown(measured: dict[str, Any]) -> str:
    return "\n".join(
        [
            *_chain_table(measured["chain"]),
            *_long_table(measured["long chain"]),
            *graphs.as_table(measured["graphs"]),
            *operations.as_table(measured["operations"]),
            *_import_table(measured["import"]),
            f"Python {measured['machine']['python']}, NumPy {measured['machine']['numpy']}, "
            f"{measured['machine']['processor']}; each library in a process of its own; medians of "
            "interleaved rounds.",
            "",
        ]
    )


def _chain_table(measured: dict[str, Any]) -> list[str]:
    lines = [
        f"## {chain.MULTIPLY_ADDS:,} multiply-adds on 8 float32, µs per operation",
        "",
        "| library | value and gradient | interquartile range | ratio | limit | no tape |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    ours = measured["both"]["wengert"]["median"]
    for name, t in measured["both"].items():
        share = "" if name == "wengert" else f"{ours / t['median']:.2f}"
        bar = f"{chain.BARS['both']} µs" if name == "wengert" else chain.SHARES.get(name, "")
        forward = measured["forward"][name]["median"]
        forward_bar = f" (limit {chain.BARS['forward']})" if name == "wengert" else ""
        lines.append(
            f"| {name} | {t['median']:.2f} | {t['low']:.2f} to {t['high']:.2f} | {share} | {bar} "
            f"| {forward:.2f}{forward_bar} |"
        )
    if measured["missing"]:
        lines += ["", f"Not installed here: {', '.join(measured['missing'])}."]
    return [*lines, ""]


def _long_table(measured: dict[str, Any]) -> list[str]:
    return [
        f"## {measured['operations']:,} operations on one tape",
        "",
        f"{measured['long']:.2f} µs per operation, {measured['ratio']:.2f} times that of the short "
        f"chain in the same run (limit 1.5); {measured['bytes per operation']:.0f} bytes held per "
        "recorded operation.",
        "",
    ]


def _import_table(measured: dict[str, float]) -> list[str]:
    lines = [
        f"## Import, seconds (limit for Wengert: {importing.BAR})",
        "",
        "| module | seconds |",
        "| --- | --- |",
    ]
    return [*lines, *(f"| {name} | {t:.3f} |" for name, t in measured.items()), ""]


if __name__ == "__main__":
    sys.exit(main())
