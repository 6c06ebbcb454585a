"""wengert ops: the table of operations."""

from __future__ import annotations

import argparse
import difflib
import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import wengert  # noqa: F401  # declares the operations
from wengert.cli import formula
from wengert.cli.output import as_json, pairs, report_failure, table
from wengert.core.row import Row
from wengert.core.table import TABLE, complete
from wengert.engines.native import coverage


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "ops",
        help=purpose,
        description="List the operations: which rules they have, what computes them in compiled functions, and "
        "how many test cases cover them. With a name, print all that its row declares.",
        epilog="example: wengert ops Relu",
    )
    parser.add_argument("name", nargs="?", help="one operation, by its type name")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--markdown", action="store_true", help="print the page docs/operations.md")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    complete()
    name = _named(options.name) if options.name else None
    if options.name and name is None:
        near = difflib.get_close_matches(options.name, TABLE, n=3, cutoff=0.4)
        hint = f" Near it: {', '.join(near)}." if near else ""
        return report_failure(f"there is no operation '{options.name}'.{hint}")
    rows = [TABLE[name]] if name else [TABLE[n] for n in sorted(TABLE)]
    if options.json:
        as_json([explain(row) if name else describe(row) for row in rows])
    elif options.markdown:
        print(page(rows), end="")
    elif name:
        said = explain(rows[0])
        pairs({key: word + MEANINGS.get((key, word), "") for key, word in said.items() if word})
    else:
        table([describe(row) for row in rows])
    return 0


def _named(name: str) -> str | None:
    """The operation of a name, ignoring case; None if there is none."""
    if name in TABLE:
        return name
    return next((n for n in TABLE if n.lower() == name.lower()), None)


INTRODUCTION = """# Operations

Every operation, by the file that declares it. This page is written by
`wengert ops --markdown`, and a test compares it with the table.

*Reverse* says whether there is a rule for gradients. *Forward*: `diagonal` and `linear` operations
need no rule of their own, `transposed` ones push tangents through the transposed reverse rule. *Batched*
says what `tf.vectorized_map` does: `aligned` operations run on all examples at once, others by a rule, or on
one example after the other. *Native* says what computes it in compiled functions: a `loop` that is fused with its
neighbours, a `product` of matrices, or a call of `NumPy`.
"""


def page(rows: Sequence[Row]) -> str:
    """The table as a page of the documentation."""
    families: dict[str, list[Row]] = {}
    for row in rows:
        if not row.users:
            place = row.declared.replace("\\", "/").rpartition("/wengert/")[2]
            families.setdefault(place.partition(":")[0], []).append(row)
    lines = [INTRODUCTION]
    for file in sorted(families):
        lines += [f"## wengert/{file}", "", "| operation | reverse | forward | batched | native |"]
        lines += ["| --- | --- | --- | --- | --- |", *map(_line, families[file]), ""]
    return "\n".join(lines)


def _line(row: Row) -> str:
    said = describe(row)
    words = (said[column] for column in ("reverse", "forward", "batched", "native"))
    return f"| {row.name} | {' | '.join(words)} |"


def describe(row: Row) -> dict[str, str]:
    """The row in words."""
    return {
        "operation": row.name,
        "reverse": "rule" if row.differentiable else "none",
        "forward": forward_rule(row),
        "batched": batching_rule(row),
        "native": coverage.how(row),
        "tested": _tested(row),
    }


def explain(row: Row) -> dict[str, str]:
    """Everything that a row declares."""
    said = {**describe(row), "declared": row.declared}
    if row.elementwise and not row.many:
        said["computes"] = formula.formula(row)
        for letter, written in zip(formula.LETTERS, formula.derivatives(row), strict=False):
            said[f"gradient of {letter}"] = written
        said["domain"] = formula.domain(row)
    return said


MEANINGS: Final = {
    (
        "forward",
        "diagonal",
    ): ": each element depends on one, so the reverse rule is the forward rule",
    ("forward", "linear"): ": the tangent goes through the operation itself",
    ("forward", "transposed"): ": tangents go through the transposed reverse rule",
    ("batched", "aligned"): ": all examples at once, by broadcasting",
    ("batched", "one by one"): ": one example after the other",
    ("native", "loop"): ": part of a fused loop in compiled functions",
    ("native", "product"): ": OpenBLAS in compiled functions",
    ("native", "NumPy"): ": a call of NumPy also in compiled functions",
}


def _tested(row: Row) -> str:
    """The number of cases in the tests' table; operations of graphs are tested by programs."""
    cases = _cases().get(row.name, 0)
    if row.only_in_graphs:
        return "in graphs"
    return f"{cases} cases" if cases else "no"


@functools.cache
def _cases() -> dict[str, int]:
    counts: dict[str, int] = json.loads(Path(__file__).with_name("tested.json").read_text("utf-8"))
    return counts


def forward_rule(row: Row) -> str:
    """How a row gets its forward rule, in a word."""
    if not row.differentiable:
        return "none"
    if row.jvp is not None or row.joint_jvp is not None:
        return "rule"
    if row.elementwise:
        return "diagonal"
    return "linear" if row.linear else "transposed"


def batching_rule(row: Row) -> str:
    """How a row runs on a batch, in a word."""
    if row.batch is not None:
        return "rule"
    return "aligned" if row.elementwise else "one by one"
