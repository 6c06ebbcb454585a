"""How many iterations a loop has, if counters that depend on nothing given decide it: they are run ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.numpy_engine import NumpyPlan
from wengert.execution.plan import Plan
from wengert.ops.control.while_op import Loop

MOST_COUNTED: Final = 1 << 17  # iterations up to which a loop's counters are run ahead


def count_of(loop: Loop, initial: Sequence[Any], constants: Sequence[Any]) -> int | None:
    """The number of iterations, if it is known, and not too large."""
    condition: Any = loop.condition
    test = Plan(condition.outputs, condition.all_inputs)
    return _trips(loop, test, initial, constants, MOST_COUNTED)


def bound_of(loop: Loop, initial: Sequence[Any], constants: Sequence[Any], room: int) -> int | None:
    """How many iterations there are at most, if so many have room: a part of the condition, as of `maximum_iterations`."""
    condition: Any = loop.condition
    waiting, found = list(condition.outputs), []
    while waiting:
        x = waiting.pop()
        if x.op.row.name == "LogicalAnd":
            waiting += x.op.inputs
            test = None
        else:
            test = Plan([x], condition.all_inputs)
        count = None if test is None else _trips(loop, test, initial, constants, room)
        found += [] if count is None else [count]
    return min(found, default=None)


def _trips(
    loop: Loop, test: Plan, initial: Sequence[Any], constants: Sequence[Any], most: int
) -> int | None:
    """The number of iterations, if it is not too large, and what decides it by a test depends on nothing that is given."""
    condition: Any = loop.condition
    places = {id(x): i for i, x in enumerate(loop.carried)}
    fixed = {id(x): at for x, at in loop.same}
    if not _is_pure(test):
        return None
    n, used = len(loop.carried), _used(test)
    inputs = condition.all_inputs
    deciding = {i for i, x in enumerate(inputs[:n]) if id(x) in used}
    needed = {loop.condition_places[i] for i, x in enumerate(inputs[n:]) if id(x) in used}
    plans: dict[int, Plan] = {}
    while deciding - plans.keys():
        i = min(deciding - plans.keys())
        plans[i] = plan = Plan([loop.results[i]], loop.body.all_inputs)
        if not _is_pure(plan):
            return None
        for x in loop.body.all_inputs:
            if id(x) not in _used(plan):
                continue
            if id(x) in places:
                deciding.add(places[id(x)])
            elif id(x) in fixed:
                needed.add(fixed[id(x)])
            else:
                return None
    known = [initial[i] for i in deciding] + [constants[i] for i in needed]
    if not all(isinstance(v, (np.ndarray, np.generic)) for v in known):
        return None
    return _counted(loop, test, plans, initial, constants, most)


def _used(plan: Plan) -> set[int]:
    return {id(x) for op in plan.steps for x in op.inputs} | {id(x) for x in plan.fetches}


def _is_pure(plan: Plan) -> bool:
    return not plan.resources and not any(
        op.row.effects or op.row.stateful or op.row.users or op.row.graphs for op in plan.steps
    )


def _counted(
    loop: Loop,
    test: Plan,
    plans: dict[int, Plan],
    initial: Sequence[Any],
    constants: Sequence[Any],
    most: int,
) -> int | None:
    """Run the counters of a loop until it ends, or has run so often."""
    goes_on = NumpyPlan(test)
    following = {i: NumpyPlan(plan) for i, plan in plans.items()}
    n = len(loop.carried)
    places = {id(x): i for i, x in enumerate(loop.carried)}
    fixed = {id(x): at for x, at in loop.same}
    values = [v if i in plans else None for i, v in enumerate(initial)]
    more = [constants[at] for at in loop.condition_places]
    for count in range(most + 1):
        if not goes_on([*values, *more])[0]:
            return count
        given = [
            values[places[id(x)]] if id(x) in places else constants[fixed[id(x)]] if id(x) in fixed else None
            for x in loop.body.all_inputs
        ]  # fmt: skip
        new = {i: plan(given)[0] for i, plan in following.items()}
        values = [new.get(i) for i in range(n)]
    return None
