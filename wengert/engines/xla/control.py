"""Loops and branches: `lax.scan`, `lax.while_loop` and `lax.switch` over the plans of their bodies.

What a body may change besides its results (variables, generators, the flag of failed checks) is
carried along. A loop whose number of iterations is known when it is compiled, from counters that
depend on nothing given, is a scan, so what it emits has a length; others are while loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.numpy_engine import NumpyPlan
from wengert.engines.xla.backend import jax, jnp, lax
from wengert.engines.xla.rows import Rows, as_rows
from wengert.engines.xla.tracing import Trace, cannot
from wengert.engines.xla.versions import whole
from wengert.execution.plan import Plan, effects
from wengert.graph.operation import Operation
from wengert.ops.control.cond import Branches
from wengert.ops.control.while_op import Loop
from wengert.values.dtypes import VARIANT
from wengert.values.shapes import shape_text
from wengert.values.tensor import TensorList

MOST_COUNTED: Final = 1 << 17  # iterations up to which a loop's counters are run ahead


# ---- loops --------------------------------------------------------------------------------------


@whole("While")
def _while(trace: Trace, op: Operation, inputs: Sequence[Any]) -> list[Any]:
    loop: Loop = op.row.bodies
    return _Running(trace, op, loop, inputs).results()


class _Running:
    """A loop while it is traced."""

    def __init__(self, trace: Trace, op: Operation, loop: Loop, inputs: Sequence[Any]) -> None:
        n, s = len(loop.carried), len(loop.taken)
        self._trace, self._op, self._loop = trace, op, loop
        self._stacks = [as_rows(x) for x in inputs[n : n + s]]
        self._constants = inputs[n + s :]
        # The number of iterations of the loop that gave the stacks, if it is known only when it runs.
        lives = [x.live for x in self._stacks if isinstance(x, Rows)]
        self._live = next((live for live in lives if live is not None), None)
        self._fixed = [self._constants[at] for _, at in loop.same]
        used = trace.used
        pairs = zip(loop.emitted, op.outputs[n:], strict=True)
        self._emitted = [e for e, y in pairs if id(y) in used]
        inside = [e.inside for e in self._emitted]
        self._plan = Plan([*loop.results, *inside], loop.body.all_inputs, effects(loop.body))
        ours = [*loop.carried, *[t.inside for t in loop.taken], *[x for x, _ in loop.same]]
        at = {id(x): i for i, x in enumerate(ours)}
        self._order = [at[id(x)] for x in loop.body.all_inputs]
        self._depths: list[int] = []
        self._length = 0
        self._changed: set[int] = set()  # the places in the state of what an iteration changes
        self._initial = inputs[:n]
        self._carried = self._formed(list(inputs[:n]))

    def results(self) -> list[Any]:
        """The final carried values, and the stacks."""
        count = self._count()
        if count == 0:
            return [*self._carried, *[TensorList() for _ in self._loop.emitted]]
        carry = self._trace.state, self._carried
        stacks: Sequence[Any]
        if count is None and self._emitted:
            (state, carried), stacks = self._bounded(carry)
        elif count is None:
            # XLA counts a loop from a known 0 below 1 in steps of 2 as one of no iterations.
            hidden = lax.optimization_barrier(carry)
            state, carried = lax.while_loop(self._goes_on, lambda c: self._once(c, [])[0], hidden)
            stacks = []
        else:
            (state, carried), stacks = self._scanned(carry, count)
        self._trace.state = _but_for(self._trace.state, state, self._changed)
        return [*carried, *self._placed(stacks)]

    def _placed(self, stacks: Sequence[Any]) -> list[Any]:
        """The stacks that are used, and nothing for the others."""
        found = iter(zip(stacks, self._depths, strict=False))
        placed: list[Any] = []
        for e in self._loop.emitted:
            if any(e is one for one in self._emitted):
                placed.append(self._stack(*next(found)))
            else:
                placed.append(TensorList())
        return placed

    def _stack(self, array: Any, depth: int) -> Any:
        """What was emitted: of lists into which nothing was written, as many of them."""
        if depth:
            return Rows(array, depth, self._live)
        if self._live is None:
            return TensorList([array] * self._length)
        if len(array):
            raise cannot(self._op, _UNWRITTEN_LISTS)
        return Rows(jnp.zeros((self._length, 0)), 2, self._live)  # empty lists, as of no iterations

    def _bounded(self, carry: Any) -> Any:
        """As many iterations as there may be, of which those behind the end do nothing."""
        bound = _bound(self._loop, self._initial, self._constants)
        if bound is None or self._stacks:
            raise cannot(self._op, _UNBOUNDED)
        self._length = bound

        def once(held: Any, _: Any) -> Any:
            inner, count = held
            go = self._goes_on(inner)
            inner, arrays = self._once_if(go, inner, [])
            return (inner, count + go.astype(np.int32)), arrays

        (found, self._live), stacks = lax.scan(once, (carry, np.int32(0)), None, length=bound)
        return found, stacks

    def _once_if(self, go: Any, carry: Any, elements: Sequence[Any]) -> Any:
        """One iteration, or none."""
        forms = jax.eval_shape(self._once, carry, elements)[1]

        def not_at_all(carry: Any, _: Any) -> Any:
            state, carried = carry
            state = [jnp.asarray(v) for v in state]
            return (state, carried), jax.tree.map(lambda f: jnp.zeros(f.shape, f.dtype), forms)

        return lax.cond(go, self._once, not_at_all, carry, elements)

    def _scanned(self, carry: Any, count: int) -> Any:
        self._length = count
        if self._live is not None:
            return self._scanned_so_far(carry, count)
        taken, emitted = self._loop.taken, self._emitted
        backward = bool(taken or emitted) and all(t.backward for t in [*taken, *emitted])
        xs = [
            _turned(_rows_of(s), t.backward and not backward)
            for s, t in zip(self._stacks, taken, strict=True)
        ]
        found, stacks = lax.scan(self._once, carry, xs, length=count, reverse=backward)
        return found, [
            _turned(y, e.backward and not backward) for y, e in zip(stacks, emitted, strict=True)
        ]

    def _scanned_so_far(self, carry: Any, count: int) -> Any:
        """The same over the rows that are elements; the others are passed over."""
        taken, emitted = self._loop.taken, self._emitted
        live: Any = self._live
        backward = bool(taken or emitted) and all(t.backward for t in [*taken, *emitted])
        places = jnp.arange(count)
        back = jnp.clip(live - 1 - places, 0)  # the rows from the last element on

        def turned(rows: Any, stack: Any) -> Any:
            return rows[back] if stack.backward and not backward else rows

        xs = [turned(_rows_of(s), t) for s, t in zip(self._stacks, taken, strict=True)]
        given = places < live, xs
        found, stacks = lax.scan(
            lambda c, x: self._once_if(x[0], c, x[1]), carry, given, reverse=backward
        )
        return found, [turned(y, e) for y, e in zip(stacks, emitted, strict=True)]

    def _once(self, carry: Any, elements: Sequence[Any]) -> Any:
        """One iteration."""
        state, carried = carry
        with self._trace.entered(state):
            found = self._body(carried, elements)
            after = list(map(_as_carried, found[: len(carried)], carried))
            emitted = [as_rows(v) for v in found[len(carried) :]]
            if any(isinstance(v, Rows) and v.live is not None for v in [*after, *emitted]):
                raise cannot(self._op, _UNBOUNDED)
            self._depths = [_depth_of(v) for v in emitted]
            arrays = [_rows_of(v) if _depth_of(v) != 1 else jnp.asarray(v) for v in emitted]
            return (_state_after(self._trace, state, self._changed), after), arrays

    def _body(self, carried: Sequence[Any], elements: Sequence[Any]) -> list[Any]:
        rows = [_element(x, s) for x, s in zip(elements, self._stacks, strict=True)]
        given = [*carried, *rows, *self._fixed]
        return self._trace.body(self._plan, [given[i] for i in self._order])

    def _goes_on(self, carry: Any) -> Any:
        state, carried = carry
        condition: Any = self._loop.condition
        plan = Plan(condition.outputs, condition.all_inputs)
        with self._trace.entered(state):
            more = [self._constants[at] for at in self._loop.condition_places]
            (go,) = self._trace.body(plan, [*carried, *more])
        return jnp.reshape(jnp.asarray(go), ())

    # ---- how many iterations -------------------------------------------------------------------

    def _count(self) -> int | None:
        """The number of iterations; None if it is not known, or need not be."""
        if self._loop.condition is None:
            return len(self._stacks[0])
        if not self._emitted:
            return None
        test = Plan(self._loop.condition.outputs, self._loop.condition.all_inputs)
        return _trips(self._loop, test, self._initial, self._constants)

    # ---- what is carried -------------------------------------------------------------------------

    def _formed(self, carried: list[Any]) -> list[Any]:
        """The initial values as arrays; a list without elements takes the form that the body gives it."""
        pairs = zip(carried, self._loop.carried, strict=True)
        carried = [as_rows(_listed(v, x)) for v, x in pairs]
        blank = [i for i, v in enumerate(carried) if isinstance(v, TensorList)]
        if blank:
            forms = jax.eval_shape(lambda: self._lists_after(carried, blank))
            for i, form in zip(blank, forms, strict=True):
                if form is None:  # nothing is written into it
                    continue
                count = max(len(carried[i]), form.array.shape[0])
                shape = (count, *form.array.shape[1:])
                carried[i] = Rows(jnp.zeros(shape, form.array.dtype), form.depth)
        likes = self._loop.carried
        return [_array_like(v, x) for v, x in zip(carried, likes, strict=True)]

    def _lists_after(self, carried: Sequence[Any], blank: Sequence[int]) -> list[Any]:
        elements = [_rows_of(s)[0] for s in self._stacks]
        with self._trace.entered(self._trace.state):
            found = self._body(carried, elements)
        after = [as_rows(found[i]) for i in blank]
        return [v if isinstance(v, Rows) else None for v in after]


def _state_after(trace: Trace, before: Sequence[Any], changed: set[int]) -> list[Any]:
    """The state after a body, in the form that it had; what the body changed is noted."""
    after = trace.state
    changed.update(
        i for i, (new, old) in enumerate(zip(after, before, strict=True)) if new is not old
    )
    return list(map(_as_carried, after, before))


def _but_for(before: Sequence[Any], after: Sequence[Any], changed: set[int]) -> list[Any]:
    """The state before, but for what was changed: the rest need not be handed back."""
    return [after[i] if i in changed else old for i, old in enumerate(before)]


def _listed(value: Any, like: Any) -> Any:
    """A value, or an empty list where zero stands for a list that has no cotangent yet."""
    is_zero = like._array.dtype is VARIANT and not isinstance(value, (Rows, TensorList))
    return TensorList() if is_zero else value


def _array_like(value: Any, like: Any) -> Any:
    if isinstance(value, (Rows, TensorList)):
        return value
    return jnp.asarray(value, like._array.dtype)


def _depth_of(value: Any) -> int:
    """How deep the list of such values is, if they say so."""
    return value.depth + 1 if isinstance(value, Rows) else 0 if isinstance(value, TensorList) else 1


def _rows_of(values: Any) -> Any:
    """The array of rows; the list itself if nothing was written into it."""
    return values.array if isinstance(values, Rows) else values


def _turned(rows: Any, backward: bool) -> Any:
    return rows[::-1] if backward and not isinstance(rows, TensorList) else rows


def _element(row: Any, stack: Any) -> Any:
    """An element of a stack, from the row of this iteration."""
    if isinstance(stack, TensorList):
        return stack[0]
    return row if stack.depth == 1 else Rows(row, stack.depth - 1)


def _as_carried(new: Any, old: Any) -> Any:
    """A new value in the form of the old one."""
    new = as_rows(new)
    if isinstance(old, TensorList):
        return new
    if isinstance(old, Rows):
        if isinstance(new, TensorList):
            return Rows(jnp.zeros_like(old.array), old.depth)
        return Rows(new.array.astype(old.array.dtype), old.depth)
    return new if new is None or old is None else jnp.asarray(new, jnp.asarray(old).dtype)


_UNBOUNDED: Final = (
    "it keeps a value of each iteration, as a gradient needs, and how many there are depends on what is "
    "given. Loop over a tf.range of a known length, or give maximum_iterations, outside of other loops and branches"
)
_UNWRITTEN_LISTS: Final = (
    "it keeps lists without written elements of iterations, whose number depends on what is given"
)


def _bound(loop: Loop, initial: Sequence[Any], constants: Sequence[Any]) -> int | None:
    """How many iterations there are at most: one part of the condition, as `maximum_iterations` is, may say."""
    condition: Any = loop.condition
    waiting, found = list(condition.outputs), []
    while waiting:
        x = waiting.pop()
        if x.op.row.name == "LogicalAnd":
            waiting += x.op.inputs
            test = None
        else:
            test = Plan([x], condition.all_inputs)
        count = None if test is None else _trips(loop, test, initial, constants)
        found += [] if count is None else [count]
    return min(found, default=None)


def _trips(loop: Loop, test: Plan, initial: Sequence[Any], constants: Sequence[Any]) -> int | None:
    """The number of iterations, if what decides it by a test depends on nothing that is given."""
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
    return _counted(loop, test, plans, initial, constants)


def _used(plan: Plan) -> set[int]:
    return {id(x) for op in plan.steps for x in op.inputs} | {id(x) for x in plan.fetches}


def _is_pure(plan: Plan) -> bool:
    return not plan.resources and not any(
        op.row.effects or op.row.stateful or op.row.users or op.row.graphs for op in plan.steps
    )


def _counted(
    loop: Loop, test: Plan, plans: dict[int, Plan], initial: Sequence[Any], constants: Sequence[Any]
) -> int | None:
    """Run the counters of a loop until it ends."""
    goes_on = NumpyPlan(test)
    following = {i: NumpyPlan(plan) for i, plan in plans.items()}
    n = len(loop.carried)
    places = {id(x): i for i, x in enumerate(loop.carried)}
    fixed = {id(x): at for x, at in loop.same}
    values = [v if i in plans else None for i, v in enumerate(initial)]
    more = [constants[at] for at in loop.condition_places]
    for count in range(MOST_COUNTED):
        if not goes_on([*values, *more])[0]:
            return count
        given = [
            values[places[id(x)]] if id(x) in places else constants[fixed[id(x)]] if id(x) in fixed else None
            for x in loop.body.all_inputs
        ]  # fmt: skip
        new = {i: plan(given)[0] for i, plan in following.items()}
        values = [new.get(i) for i in range(n)]
    return None


# ---- branches -----------------------------------------------------------------------------------


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
            if any(isinstance(v, Rows) and v.live is not None for v in found):
                raise cannot(op, _UNBOUNDED)
            return [None if isinstance(v, TensorList) else v for v in found]

    tries = [jax.eval_shape(lambda b=b: tried(b)) for b in range(count)]
    columns = [[v for v in column if v is not None] for column in zip(*tries, strict=True)]
    alike = list(map(_alike, zip(*known, strict=True)))
    columns = [[] if a is not None else c for a, c in zip(alike, columns, strict=True)]
    _check_shapes(op, columns)
    forms = [next(iter(column), None) for column in columns]

    changed: set[int] = set()

    def branch(at: int) -> Any:
        def go(state: Any) -> Any:
            with trace.entered(state):
                found = run(at)
                results = [_in_form(v, f) for v, f in zip(found, forms, strict=True)]
                return _state_after(trace, state, changed), results

        return go

    i = jnp.reshape(jnp.asarray(index), ())
    chosen = jnp.where((i >= 0) & (i < count), i, count - 1)
    state, results = lax.switch(chosen, [branch(b) for b in range(count)], trace.state)
    trace.state = _but_for(trace.state, state, changed)
    found = [v if a is None else a for v, a in zip(results, alike, strict=True)]
    return [TensorList() if v is None else v for v in found]


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


def _in_form(value: Any, form: Any) -> Any:
    """A branch's result in the form that all branches give it."""
    if form is None:
        return None
    if isinstance(form, Rows):
        if isinstance(value, Rows):
            return value
        return Rows(jnp.zeros(form.array.shape, form.array.dtype), form.depth)
    if value is None:
        return jnp.zeros(form.shape, form.dtype)
    return jnp.asarray(value, form.dtype)


@whole("Assert")
def _assert(trace: Trace, op: Operation, inputs: Sequence[Any]) -> list[Any]:
    trace.check(~jnp.all(jnp.asarray(inputs[0])))
    return []
