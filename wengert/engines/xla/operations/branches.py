"""Branches: `lax.switch` over the plans of their bodies, which carry along what they may change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.engines.xla.backend import jax, jnp, lax
from wengert.engines.xla.operations.bodies import but_for, state_after
from wengert.engines.xla.rows import Rows, Unwritten, as_rows, zeros_in_form
from wengert.engines.xla.tracing import Trace, cannot
from wengert.engines.xla.versions import whole
from wengert.execution.plan import Plan, effects
from wengert.graph.operation import Operation
from wengert.ops.control.cond import Branches
from wengert.values.shapes import shape_text
from wengert.values.tensor import TensorList


@whole("If", "Case")
def _branches(trace: Trace, op: Operation, inputs: Sequence[Any]) -> list[Any]:
    choice: Branches = op.row.bodies
    index, *values = inputs
    plans = [
        Plan(body.results, body.graph.all_inputs, effects(body.graph)) for body in choice.bodies
    ]

    def run(branch: int) -> list[Any]:
        given = [values[at] for at in choice.places[branch]]
        found = trace.body(plans[branch], given)
        more = [found[at] if b == branch else None for b, at in choice.more]
        return [as_rows(v) for v in [*found[: choice.count], *more]]

    if isinstance(index, (np.ndarray, np.generic)) and not choice.more:
        return run(choice.chosen(int(index)))
    return _switched(trace, op, run, len(plans), index)


def _switched(trace: Trace, op: Operation, run: Any, count: int, index: Any) -> list[Any]:
    """One of the branches, chosen when it runs; what the others would have handed out is zero."""
    known: list[Any] = []

    def tried(branch: int) -> Any:
        with trace.entered(trace.state):
            found = run(branch)
            known.append(found)
            return [None if _is_blank(v) else v for v in found]

    tries = [jax.eval_shape(lambda b=b: tried(b)) for b in range(count)]
    columns = [[v for v in column if v is not None] for column in zip(*tries, strict=True)]
    alike = list(map(_alike, zip(*known, strict=True)))
    columns = [[] if a is not None else c for a, c in zip(alike, columns, strict=True)]
    _check_shapes(op, columns)
    forms = list(map(_joint_form, columns))

    changed: set[int] = set()

    def branch(at: int) -> Any:
        def go(state: Any) -> Any:
            with trace.entered(state):
                found = run(at)
                results = [_in_form(v, f) for v, f in zip(found, forms, strict=True)]
                return state_after(trace, state, changed), results

        return go

    i = jnp.reshape(jnp.asarray(index), ())
    chosen = jnp.where((i >= 0) & (i < count), i, count - 1)
    state, results = lax.switch(chosen, [branch(b) for b in range(count)], trace.state)
    trace.state = but_for(trace.state, state, changed)
    found = [v if a is None else a for v, a in zip(results, alike, strict=True)]
    pairs = zip(found, zip(*known, strict=True), strict=True)
    return [next(filter(_is_blank, column)) if v is None else v for v, column in pairs]


def _is_blank(value: Any) -> bool:
    """Whether it is a list into which nothing was written, and that says no more than its length."""
    return isinstance(value, TensorList) and not isinstance(value, Unwritten)


def _alike(column: Sequence[Any]) -> Any:
    """What all branches give, as sizes mostly are, if it is known; else None."""
    if not all(isinstance(v, (np.ndarray, np.generic)) for v in column):
        return None
    forms = {(v.dtype, v.shape, v.tobytes()) for v in column}
    return column[0] if len(forms) == 1 else None


def _check_shapes(op: Operation, columns: Sequence[Sequence[Any]]) -> None:
    """Raise if the branches give values of several shapes."""
    for column in columns:
        shapes = {v.shape for v in column if not isinstance(v, Rows)}
        if len(shapes) > 1:
            found = " and ".join(map(shape_text, sorted(shapes)))
            raise cannot(op, f"its branches give values of several shapes, {found}")


def _joint_form(column: Sequence[Any]) -> Any:
    """The form of what several branches give; of lists, with the numbers of elements that any of them says."""
    first = next(iter(column), None)
    if not isinstance(first, Rows):
        return first
    lives = zip(*[rows.lives for rows in column], strict=True)
    known = [next((v for v in depth if v is not None), None) for depth in lives]
    return Rows(first.array, first.depth, known)


def _in_form(value: Any, form: Any) -> Any:
    """A branch's result in the form that all branches give it."""
    if form is None:
        return None
    if isinstance(form, Rows):
        return value.in_form_of(form) if isinstance(value, Rows) else zeros_in_form(form)
    if isinstance(form, Unwritten):
        return value if isinstance(value, Unwritten) else zeros_in_form(form)
    return zeros_in_form(form) if value is None else jnp.asarray(value, form.dtype)
