"""A number that goes wrong while a first derivative is computed: the operation whose rule makes it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.insight.explain.arrays import finite, slope
from wengert.insight.explain.culprit import Culprit
from wengert.insight.explain.history import keys_of
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import called, expressions
from wengert.insight.journal import Step
from wengert.insight.program_text import line_text

_DERIVATIVES: Final = frozenset({
    "gradient", "gradients", "jacobian", "batch_jacobian", "grad", "value_and_grad", "vjp", "jvp", "hvp",
    "hessian", "hessians", "hessian_diag", "laplacian", "linearize", "per_example_gradients",
})  # fmt: skip


def in_rule_of(q: Question, culprit: Culprit) -> Culprit | None:
    """The operation of the program whose rule a derivative carries out there, and is infinite itself."""
    line = culprit.step.line
    if not culprit.forward or not any(map(_is_derivative, expressions(line_text(line)))):
        return None
    found = None
    read = set(keys_of(culprit.step.inputs))  # by the rule, which is several operations of one line
    for number in range(culprit.number - 1, -1, -1):
        step = q.history.steps[number]
        made = read.intersection(keys_of(step.results))
        if made or not read.isdisjoint(keys_of(step.inputs)):
            found = _with_infinite_slope(number, step, culprit) or found
        if found is not None and found.step.line != line:
            return found
        if made and step.line == line:
            read.update(keys_of(step.inputs))
    return found


def _is_derivative(node: Any) -> bool:
    return called(node) in _DERIVATIVES


def _with_infinite_slope(number: int, step: Step, culprit: Culprit) -> Culprit | None:
    for key in keys_of(step.inputs) if step.row.differentiable else ():
        of_ones = slope(step, key)
        if of_ones is None or finite(of_ones).all():
            continue
        at = np.unravel_index(int(np.argmin(finite(of_ones))), of_ones.shape)
        is_zero = bool(np.isnan(culprit.made)) and not np.isnan(of_ones[at])
        came = np.zeros(()) if is_zero else None  # zero times infinity alone is NaN
        return Culprit(number, step, False, at, came, culprit.made, key)
    return None
