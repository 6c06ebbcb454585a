"""Plans with values that may be dead: what one is needed for is not computed, and dead, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.execution.engine_registry import Runnable
from wengert.execution.plan import MERGE, SWITCH, Plan
from wengert.graph.operation import Operation
from wengert.host.fp_errors import quietly
from wengert.values.symbolic import SymbolicTensor

_DEAD: Final = object()


class PlanWithDeadValues(Runnable):
    """A plan that is carried out step by step, without what is dead."""

    def __init__(
        self,
        plan: Plan,
        function_of: Callable[[Operation], Callable[..., Any]],
        failed: Callable[[Operation, Exception, Sequence[Any]], Exception],
    ) -> None:
        self.plan = plan
        self._steps = [(op, function_of(op)) for op in plan.steps]
        self._failed = failed

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The fetches, for values of `plan.given`."""
        found = dict(zip(map(id, self.plan.given), values, strict=True)) | self.plan.known
        not_run: set[int] = set()
        quietly(self._run_all, found, not_run)
        return [_alive(x, found[id(x)]) for x in self.plan.fetches]

    def _run_all(self, found: dict[int, Any], not_run: set[int]) -> None:
        for op, function in self._steps:
            self._run(op, function, found, not_run)

    def _run(
        self,
        op: Operation,
        function: Callable[..., Any],
        found: dict[int, Any],
        not_run: set[int],
    ) -> None:
        inputs = [found[id(x)] for x in op.inputs]
        if op.row.name == MERGE:
            results = _arrived(inputs)
            dead = results[0] is _DEAD
        else:
            waits = any(id(c) in not_run for c in op.control_inputs)
            dead = waits or any(v is _DEAD for v in inputs)
            results = [_DEAD] * len(op.outputs) if dead else self._results(op, function, inputs)
        if dead:
            not_run.add(id(op))
        found.update({id(y): v for y, v in zip(op.outputs, results, strict=False)})

    def _results(
        self, op: Operation, function: Callable[..., Any], inputs: Sequence[Any]
    ) -> Sequence[Any]:
        if op.row.name == SWITCH:
            return [_DEAD, inputs[0]] if inputs[1] else [inputs[0], _DEAD]
        try:
            result = function(*inputs)
        except Exception as error:
            raise self._failed(op, error, inputs) from error
        return result if op.row.many else [result]


def _arrived(inputs: Sequence[Any]) -> Sequence[Any]:
    """The first value that is alive, and its place."""
    alive = ([v, np.int32(at)] for at, v in enumerate(inputs) if v is not _DEAD)
    return next(alive, [_DEAD, _DEAD])


def _alive(x: SymbolicTensor, value: Any) -> Any:
    if value is _DEAD:
        raise InvalidArgumentError(
            f"Retval[0] does not have value: {x.name} is on the way that a Switch did not take. A Merge "
            "of both ways has the value of the one that was taken.",
            x.op,
        )
    return value
