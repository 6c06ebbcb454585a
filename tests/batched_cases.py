"""Cases of the table of samples as batches: which inputs are batched, and what a batch must give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numeric import arrays, outcomes, tensors
from optable import CASES
from samples import Case

import wengert as tf

DRAWS = 3


def named(pairs: list[Any]) -> Any:
    """A parametrisation over cases together with something else."""
    return pytest.mark.parametrize(
        ("case", "kind"), [pytest.param(c, k, id=f"{c.name}-{k}") for c, k in pairs]
    )


def stacked(columns: list[list[Any]]) -> list[Any]:
    """For each position the stack of what the examples have there."""
    return [np.stack(column) for column in zip(*columns, strict=True)]


def examples(case: Case, shared: int | None = None) -> list[list[Any]]:
    """Drawn inputs; the one at `shared` is the same in all."""
    drawn = [case.inputs(k) for k in range(DRAWS)]
    return [[drawn[0][i] if i == shared else x for i, x in enumerate(xs)] for xs in drawn]


def batch_choices() -> list[Any]:
    """Cases with all inputs batched, and with each of several inputs shared by all examples."""
    made: list[Any] = []
    for case in CASES:
        count = len(case.shapes)
        if not count or case.is_stateful:
            continue
        made.append((case, "all"))
        made.extend((case, i) for i in range(count) if count > 1)
    return made


def shared_of(kind: Any) -> int | None:
    return None if kind == "all" else kind


def mapped(case: Case, kind: Any) -> tuple[Callable[[Any], list[Any]], list[Any], list[Any]]:
    """A function of one example, the batch of its arguments, and the stacked results."""
    shared = shared_of(kind)
    rows = examples(case, shared)
    want = stacked([arrays(outcomes(case.call, tensors(xs))) for xs in rows])
    constant = tf.constant(rows[0][shared]) if shared is not None else None

    def one(parts: Any) -> list[Any]:
        given = list(parts)
        if shared is not None:
            given.insert(shared, constant)
        return outcomes(case.call, given)

    return one, [x for i, x in enumerate(stacked(rows)) if i != shared], want
