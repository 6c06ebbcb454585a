"""A plan that is cut where Python gives a value whose shape nobody stated: XLA compiles what comes before, and what comes after."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from wengert.engines.numpy_engine import NumpyPlan
from wengert.engines.xla.rows import fetched_list, is_list
from wengert.execution.plan import Plan
from wengert.graph.operation import Operation
from wengert.values.on_device import Settings


class Parts:
    """A plan before an operation, the operation, which is run as it stands, and the rest."""

    def __init__(self, plan: Plan, op: Operation, compiled: Callable[[Plan], Any]) -> None:
        at = next(i for i, step in enumerate(plan.steps) if step is op)
        before, after = plan.steps[:at], plan.steps[at + 1 :]
        wanted = [*[x for step in [op, *after] for x in step.inputs], *plan.fetches]
        needed = {id(x) for x in wanted}
        made = [y for step in before for y in step.outputs if id(y) in needed]
        self._first = compiled(_part(plan, before, plan.feeds, made)) if before else None
        self._between = NumpyPlan(_part(plan, [op], [*plan.feeds, *made], op.outputs))
        self._rest = compiled(_part(plan, after, [*plan.feeds, *made, *op.outputs], plan.fetches))
        self._feeds = len(plan.feeds)

    def __call__(self, values: Sequence[Any]) -> Sequence[Any]:
        """The fetches, as the last part gives them."""
        fed, resources = list(values[: self._feeds]), values[self._feeds :]
        if self._first is not None:
            fed += map(_handed_on, self._first.results(values))
        found = self._between([*map(_fetched, fed), *resources])
        results: Sequence[Any] = self._rest.results([*fed, *found, *resources])
        return results


def _part(plan: Plan, steps: Sequence[Any], feeds: Sequence[Any], fetches: Sequence[Any]) -> Plan:
    """Some steps of a plan, as a plan that is given what others made."""
    part = copy.copy(plan)
    part.steps, part.feeds, part.fetches = list(steps), list(feeds), list(fetches)
    return part


def _handed_on(value: Any) -> Any:
    """A result of one part as the next one takes it: lists come back as they are."""
    return fetched_list(value) if is_list(value) else value


def _fetched(value: Any) -> Any:
    return value if is_list(value) or not hasattr(value, "dtype") else Settings.fetch(value)
