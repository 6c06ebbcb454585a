"""Writes the tables of measurements into README.md, docs/ and benchmarks/results/, from the results of one run each.

python tools/measured.py

A table stands between two comments, `<!-- measured: NAME -->` and `<!-- /measured -->`; everything
between them is written here. The numbers are those of benchmarks/results/*.json, which `make bench`
writes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
RESULTS: Final = ROOT / "benchmarks" / "results"
sys.path.insert(0, str(ROOT))

from benchmarks import __main__ as eager  # noqa: E402
from benchmarks import derivatives  # noqa: E402
from benchmarks.everyday import measuring as everyday  # noqa: E402
from benchmarks.native import table  # noqa: E402
from benchmarks.native.libraries import LIMITS  # noqa: E402
from benchmarks.native.table import number  # noqa: E402
from benchmarks.scaling import measuring as scaling  # noqa: E402

BLOCK: Final = re.compile(r"(<!-- measured: ([\w ]+) -->\n).*?(<!-- /measured -->)", re.S)

# The workloads that README shows as a reader would call them, by the beginning of their names in the results.
WORDS: Final = {
    "log(1 + exp(x))": "log(1 + exp(x)) of 10 million floats, value and gradient",
    "chain of": "a chain of 1,000 operations on 8 floats, value and gradient",
    "call of a tiny gradient": "a call of a tiny gradient",
    "step of an MLP": "a training step of a perceptron, 784-512-512-10, batch 128",
    "LSTM": "gradient of an LSTM, 100 steps",
    "softmax cross-entropy": "softmax cross-entropy 4096 x 1000, value and gradient",
    "attention": "attention 8 x 128 x 512, value and gradient",
    "layer normalisation": "layer normalisation 4096 x 1024, value and gradient",
    "step of a transformer": "a training step of a transformer: 6 layers, width 256, 16 x 256",
    "network for Burgers": "a step of a network for Burgers' equation, 1,000 points",
    "20 leaps": "20 leaps of Hamiltonian Monte Carlo",
    "first two stages of ResNet-18": "a training step of ResNet-18's first two stages, batch 8",
    "first call of the chain, cold": "first call of that chain: trace, differentiate, compile",
    "first call of the chain, warm": "the same in a second process",
}
CHAIN: Final = 1000  # operations in the chain, whose time the results have for each of them


def results(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def compiled() -> str:
    """Compiled functions beside the best of the others."""
    lines = ["| | Wengert | best peer |", "| --- | --- | --- |"]
    for row in results("native")["rows"]:
        names = [text for name, text in WORDS.items() if row["workload"].startswith(name)]
        lines += [f"| {text} | {_time(row, 'wengert')} | {_best_peer(row)} |" for text in names]
    return "\n".join(lines) + "\n"


def _best_peer(row: Mapping[str, Any]) -> str:
    peers = [n for n in row["times"] if n != "wengert" and n not in LIMITS]
    best = min(peers, key=lambda n: row["times"][n]["median"])
    limits = [f"{n}: {_time(row, n)}" for n in row["times"] if n == "C"]
    by_hand = f" ({limits[0].replace('C:', 'C with OpenMP:')})" if limits else ""
    return f"{_time(row, best)}, {best.removesuffix(' jit').split(',')[0]}{by_hand}"


def _time(row: Mapping[str, Any], who: str) -> str:
    value, unit = row["times"][who]["median"], row["unit"]
    if unit == "µs per operation":
        value, unit = value * CHAIN, "µs"
    return f"{number(value)} {unit}"


def chain() -> str:
    """What an operation costs in eager mode."""
    times = results("measured")["chain"]
    names = {"Wengert": "wengert", "TensorFlow": "tensorflow", "JAX without jit": "jax (no jit)",
             "PyTorch": "torch", "HIPS autograd": "autograd", "NumPy alone": "numpy"}  # fmt: skip
    lines = [f"| µs per operation | {' | '.join(names)} |", f"| --- |{' --- |' * len(names)}"]
    for words, kind in (("value and gradient", "both"), ("without a tape", "forward")):
        row = [number(times[kind][n]["median"]) for n in names.values()]
        row[-1] = row[-1] if kind == "forward" else ""
        lines.append(f"| {words} | {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


TABLES: Final[dict[str, Callable[[], str]]] = {"compiled": compiled, "chain": chain}


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def filled(text: str) -> str:
    """A page with its tables as the results are."""
    return BLOCK.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], text)


def written() -> dict[Path, str]:
    """What each file should say."""
    found = {page: filled(page.read_text("utf-8")) for page in pages()}
    found[RESULTS / "native.md"] = table.as_markdown(results("native"))
    found[RESULTS / "derivatives.md"] = derivatives.as_markdown(results("derivatives"))
    found[RESULTS / "measured.md"] = eager.as_markdown(results("measured"))
    found[RESULTS / "everyday.md"] = everyday.as_markdown(results("everyday"))
    found[RESULTS / "scaling.md"] = scaling.as_markdown(results("scaling"))
    return found


def main() -> None:
    for path, text in written().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
