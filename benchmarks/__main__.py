"""python -m benchmarks: measure, print tables, and write them to benchmarks/results/."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks import answers, chain, derivatives, graphs, importing, operations
from benchmarks.adbench import measuring as adbench
from benchmarks.everyday import measuring as everyday
from benchmarks.machine import about, machine
from benchmarks.native import measuring, plot, table
from benchmarks.scaling import measuring as scaling
from benchmarks.worker import Worker

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        choices=[*PARTS, "all"],
        default="eager",
        help="compiled gradients, Jacobians and the like, what an answer costs, ADBench's objectives, "
        "curves, or all of these?",
    )
    parser.add_argument(
        "part", nargs="?", default="", help="of names of native's or adbench's workloads"
    )
    parser.add_argument("--rounds", type=int, default=15, help="interleaved rounds")
    parser.add_argument("--long", type=int, default=1_000_000, help="operations in the long chain")
    parser.add_argument("--output", help="the folder of what is written, results/ otherwise")
    parser.add_argument("--no-write", action="store_true", help="print only")
    options = parser.parse_intermixed_args()
    for name in PARTS if options.what == "all" else [options.what]:
        PARTS[name](options)
    return 0


def eager(options: argparse.Namespace) -> None:
    """The library as it is without a compiler, graphs included."""
    measured: dict[str, Any] = {
        "machine": machine(),
        "chain": chain.measure(options.rounds, Worker),
        "long chain": chain.long_chain(options.long),
        "graphs": graphs.measure(options.rounds),
        "operations": operations.measure(options.rounds),
        "import": importing.measure(),
    }
    text = as_markdown(measured)
    print(text)
    if not options.no_write:
        write(measured, text, options, "measured")


def of_derivatives(options: argparse.Namespace) -> None:
    """Jacobians, Hessians, sparse ones, Taylor mode."""
    measured = {"machine": machine(), **derivatives.measure(options.rounds)}
    text = derivatives.as_markdown(measured)
    print(text)
    if not options.no_write:
        write(measured, text, options, "derivatives")


def of_answers(options: argparse.Namespace) -> None:
    """What answers cost those who ask, and those who do not."""
    measured = answers.measure(options.rounds)
    text = answers.as_markdown(measured)
    print(text)
    if not options.no_write:
        write({"machine": machine(), **measured}, text, options, "answers")


def of_adbench(options: argparse.Namespace) -> None:
    """Programs that are published elsewhere. A part of them is printed only."""
    measured = {"machine": machine(), **adbench.measure(options.rounds, options.part)}
    text = adbench.as_markdown(measured)
    print(text)
    if not options.no_write and not options.part:
        write(measured, text, options, "adbench")


def native(options: argparse.Namespace) -> None:
    """Compiled gradients. A part of them is not written over the whole unless it is asked for."""
    measured = measuring.measure(options.rounds, options.part)
    text = table.as_markdown(measured)
    print(text)
    if not options.no_write and not options.part:
        pictured(plot.draw, measured, write(measured, text, options, "native"))


def of_doubles(options: argparse.Namespace) -> None:
    """The same in float64."""
    measured = measuring.measure_doubles(options.rounds, options.part)
    text = table.as_markdown(measured, "Compiled gradients in float64")
    print(text)
    if not options.no_write and not options.part:
        write(measured, text, options, "float64")


def of_curves(options: argparse.Namespace) -> None:
    """What a gradient costs as it grows."""
    measured = scaling.measure()
    text = scaling.as_markdown(measured)
    print(text)
    if not options.no_write:
        pictured(scaling.draw, measured, write(measured, text, options, "scaling"))


def of_everyday(options: argparse.Namespace) -> None:
    """Eager steps, first calls, unknown sizes, memory."""
    measured = everyday.measure(options.rounds)
    text = everyday.as_markdown(measured)
    print(text)
    if not options.no_write:
        write(measured, text, options, "everyday")


def pictured(draw: Callable[..., bool], measured: dict[str, Any], path: Path) -> None:
    if not draw(measured, path.with_name(path.name + ".png")):
        print("No picture: matplotlib is not installed.", file=sys.stderr)


def write(measured: dict[str, Any], text: str, options: argparse.Namespace, name: str) -> Path:
    """Both forms; the path that they are named after."""
    path = Path(options.output or RESULTS) / name
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
            "Each library in a process of its own; medians of interleaved rounds. "
            + about(measured["machine"]),
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


PARTS: Final[Mapping[str, Callable[[argparse.Namespace], None]]] = {
    "eager": eager,
    "native": native,
    "float64": of_doubles,
    "derivatives": of_derivatives,
    "answers": of_answers,
    "adbench": of_adbench,
    "scaling": of_curves,
    "everyday": of_everyday,
}

if __name__ == "__main__":
    sys.exit(main())
