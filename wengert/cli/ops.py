"""wengert ops: the table of operations."""

from __future__ import annotations

import argparse
import fnmatch
import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import wengert  # noqa: F401  # declares the operations
from wengert.cli import formula, program
from wengert.cli.output import as_json, paged, pairs, report_no_operation, table
from wengert.cli.used_rows import functions_of, used_by
from wengert.core.row import Row
from wengert.core.table import TABLE, complete
from wengert.engines.native import coverage
from wengert.engines.xla import coverage as xla_coverage


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "ops",
        help=purpose,
        description="List the operations: which rules they have, what computes them in compiled functions, and "
        "how many test cases cover them. With a name, print all that its row declares.",
        epilog="examples: wengert ops Relu; wengert ops tf.math.log; wengert ops 'Sparse*' --without batched",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="an operation, a pattern, or a function that uses operations",
    )
    parser.add_argument(
        "--without",
        choices=sorted(_ABSENT),
        help="only those that lack a rule, or that NumPy computes",
    )
    parser.add_argument("--file", default="", help="only those declared in a file of such a path")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--markdown", action="store_true", help="print the page docs/operations.md")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    complete()
    wanted: list[str] = []
    for name in options.names:
        found = _named(name)
        if not found:
            return report_no_operation(name)
        wanted += found
    rows = [TABLE[n] for n in dict.fromkeys(wanted or sorted(TABLE)) if _is_asked(n, options)]
    one_by_one = bool(options.names) and not any(map(_is_pattern, options.names))
    if options.json:
        as_json([explain(row) if one_by_one else describe(row) for row in rows])
    elif options.markdown:
        print(page(rows), end="")
    elif one_by_one:
        _told(rows)
    elif rows:
        with paged(len(rows)):
            table([describe(row) for row in rows])
    return 0


def _told(rows: Sequence[Row]) -> None:
    for i, row in enumerate(rows):
        if i:
            print()
        said = explain(row)
        pairs({key: word + MEANINGS.get((key, word), "") for key, word in said.items() if word})


# What `--without` asks for: a column, and what stands in it then.
_ABSENT: Final = {
    "gradient": ("reverse", "none"),
    "forward": ("forward", "none"),
    "batched": ("batched", "one by one"),
    "native": ("native", "NumPy"),
    "xla": ("xla", "none"),
}


def _is_asked(name: str, options: argparse.Namespace) -> bool:
    row = TABLE[name]
    if options.file not in row.declared.replace("\\", "/"):
        return False
    if options.without is None:
        return True
    column, word = _ABSENT[options.without]
    return describe(row)[column] == word


def _is_pattern(name: str) -> bool:
    return any(letter in name for letter in "*?[")


def _named(name: str) -> list[str]:
    """The operations of a name, ignoring case, of a pattern, or those that a public function uses."""
    if _is_pattern(name):
        return sorted(fnmatch.filter(TABLE, name))
    if name in TABLE:
        return [name]
    same = [n for n in TABLE if n.lower() == name.lower()]
    return same or used_by(name)


INTRODUCTION = """# Operations

Every operation, by the file that declares it. This page is written by
`wengert ops --markdown`, and a test compares it with the table.

*Reverse* says whether there is a rule for gradients. *Forward*: `diagonal` and `linear` operations
need no rule of their own, `transposed` ones push tangents through the transposed reverse rule. *Batched*
says what `tf.vectorized_map` does: `aligned` operations run on all examples at once, others by a rule, or on
one example after the other. *Native* says what computes it in compiled functions: a `loop` that is fused with its
neighbours, a `product` of matrices, a `routine`, which is a compiled function of its own (of matrices, where they are
small), or a call of `NumPy`; `product or` something else: a product where windows are single pixels
or images small; `loop or` something else: a loop where images are small. Large ones are gone over in `tiles`, with which what
follows is fused, or by a kernel that NumPy's step calls.
*XLA* says how the engine "xla" does it: `compiled`,
`compiled for values` where a size depends on them, so they must be known or small integers that are given, `callback`
of NumPy, or not at all.
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
        lines += [
            f"## wengert/{file}",
            "",
            "| operation | reverse | forward | batched | native | XLA |",
        ]
        lines += ["| --- | --- | --- | --- | --- | --- |", *map(_line, families[file]), ""]
    return "\n".join(lines)


def _line(row: Row) -> str:
    said = describe(row)
    words = (said[column] for column in ("reverse", "forward", "batched", "native", "xla"))
    return f"| {row.name} | {' | '.join(words)} |"


def describe(row: Row) -> dict[str, str]:
    """The row in words."""
    return {
        "operation": row.name,
        "reverse": "rule" if row.differentiable else "none",
        "forward": forward_rule(row),
        "batched": batching_rule(row),
        "native": coverage.how(row),
        "xla": xla_coverage.how(row),
        "tested": _tested(row),
    }


def explain(row: Row) -> dict[str, str]:
    """Everything that a row declares."""
    said = {**describe(row), "functions": ", ".join(functions_of(row)), "declared": row.declared}
    if row.elementwise and not row.many:
        said["computes"] = formula.formula(row)
        for letter, written in zip(formula.LETTERS, formula.derivatives(row), strict=False):
            said[f"gradient of {letter}"] = written
        said["domain"] = formula.domain(row)
    elif row.differentiable:
        said |= {f"gradient of {x}": text for x, text in program.gradients(row).items()}
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
    ("xla", "compiled"): ' by the engine "xla"',
    ("xla", "compiled for values"): ": sizes depend on them, so small integers that are given",
    ("xla", "callback"): ": NumPy, called from compiled code",
    ("xla", "none"): ': the engine "xla" refuses it by name',
    ("native", "loop"): ": part of a fused loop in compiled functions",
    ("native", "routine"): ": a compiled function of its own in compiled functions",
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
