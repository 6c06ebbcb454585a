"""A program that compares every row under XLA with NumPy: values and gradients, as JSON.

It is a program of its own, since JAX has threads, which a process that forks must not have. Its
argument is a share, "0/2" or "1/2"; it prints what it found of each row.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

# Compiled code runs once here.
os.environ["XLA_FLAGS"] = "--xla_backend_optimization_level=0"

import numpy as np
from numeric import assert_same, like, tensors
from optable import CASES
from samples import Case

import wengert as tf
from wengert.core.table import TABLE, complete
from wengert.engines.xla import program, tracing
from wengert.errors import UnimplementedError
from wengert.inference.deferred_calls import DeferredCall

CALLED: set[str] = set()
FOR_VALUES: set[str] = set()
REFUSED: set[str] = set()
KNOWN: set[str] = set()
TOLERANCE = 1e-9  # in float64, relative to the largest element


def watched() -> None:
    """Note the rows that are called back, of what is known, that ask for values, that are refused."""
    called, asked, refusal = tracing.Trace.called, program.XlaPlan._asked_by, tracing.cannot
    known = tracing.Trace._known

    def noting_known(self: Any, op: Any, *rest: Any) -> Any:
        KNOWN.add(op.row.name)
        return known(self, op, *rest)

    def noting_call(self: Any, op: Any, *rest: Any) -> Any:
        CALLED.add(op.row.name)
        return called(self, op, *rest)

    def noting_values(self: Any, op: Any, *rest: Any) -> Any:
        found = asked(self, op, *rest)
        if found - self._known and not isinstance(op.row.inline, DeferredCall):
            FOR_VALUES.add(op.row.name)
        return found

    def noting_refusal(op: Any, *rest: Any) -> Any:
        if not isinstance(op.row.inline, DeferredCall):
            REFUSED.add(op.row.name)
        return refusal(op, *rest)

    for owner, name, noting in (
        (tracing.Trace, "called", noting_call),
        (tracing.Trace, "_known", noting_known),
        (program.XlaPlan, "_asked_by", noting_values),
        (tracing, "cannot", noting_refusal),
    ):
        setattr(owner, name, noting)


def results(case: Case, engine: str) -> list[Any]:
    """The values and the gradients of a case."""
    xs = tensors(case.inputs())
    f = tf.function(case.call, engine=engine)
    if not case.varied or case.line.constant:
        return [np.asarray(y) for y in tf.nest.flatten(f(*xs))]
    at = [xs[i] for i in case.varied]
    with tf.GradientTape() as tape:
        tape.watch(at)
        ys = tf.nest.flatten(f(*xs))
    moving = [y for y in ys if y.dtype.is_floating or y.dtype.is_complex]
    seeds = tensors(like(case.rng(9), [np.asarray(y) for y in moving]))
    gs = tape.gradient(moving, at, output_gradients=seeds)
    found = [tf.zeros([]) if g is None else tf.convert_to_tensor(g) for g in gs]
    return [np.asarray(v) for v in [*ys, *found]]


def compared(case: Case) -> str:
    """In a word, or the difference."""
    want = results(case, "numpy")
    try:
        got = results(case, "xla")
    except UnimplementedError as error:
        return "refused" if "XLA" in str(error) else repr(error)
    try:
        assert_same(got, want, TOLERANCE)
    except AssertionError as error:
        return " ".join(str(error).split())[:500]
    return "same"


def chosen() -> list[Case]:
    """The first case of each row that can be compared."""
    first: dict[str, Case] = {}
    for case in CASES:
        if not case.is_stateful and case.line.type in TABLE and case.line.type != "ReadVariableOp":
            first.setdefault(case.line.type, case)
    return list(first.values())


def main(share: str) -> None:
    complete()
    watched()
    part, count = map(int, share.split("/"))
    found: dict[str, Any] = {case.name: compared(case) for case in chosen()[part::count]}
    # Without inputs a case is computed before it is compiled.
    rows = {case.name: case.line.type for case in chosen() if case.shapes}
    print(json.dumps({
        "cases": found,
        "rows": sorted({rows[name] for name in found if name in rows}),
        "called": sorted(CALLED),
        "for values": sorted(FOR_VALUES),
        "refused": sorted(REFUSED),
        "known": sorted(KNOWN),
    }))  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])
