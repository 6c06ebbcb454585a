"""Loops and branches: `lax.scan`, `lax.while_loop` and `lax.switch` over the plans of their bodies.

What a body may change besides its results (variables, generators, the flag of failed checks) is
carried along. A loop whose number of iterations is known when it is compiled, from counters that
depend on nothing given, is a scan; others are while loops. What those emit, as gradients need it, is
written into the first rows of arrays with room for more (rooms.py), and how many there are goes with them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from wengert.engines.numpy_engine import NumpyPlan
from wengert.engines.xla.backend import jax, jnp, lax
from wengert.engines.xla.rows import (
    Rows,
    Unwritten,
    as_rows,
    as_stack,
    blank_rows,
    is_list,
    parts_of,
    zeros_in_form,
)
from wengert.engines.xla.tracing import Trace, cannot
from wengert.engines.xla.versions import whole
from wengert.execution.plan import Plan, effects
from wengert.graph.operation import Operation
from wengert.ops.control.cond import Branches
from wengert.ops.control.while_op import Loop, Stack
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
        lives = [getattr(x, "live", None) for x in self._stacks]
        self._live = next((live for live in lives if live is not None), None)
        self._fixed = [self._constants[at] for _, at in loop.same]
        used = trace.used
        pairs = zip(loop.emitted, op.outputs[n:], strict=True)
        self._emitted = [e for e, y in pairs if id(y) in used]
        # Stacks that are taken and emitted from the last row to the first.
        stacks = [*loop.taken, *self._emitted]
        self._backward = bool(stacks) and all(t.backward for t in stacks)
        inside = [e.inside for e in self._emitted]
        self._plan = Plan([*loop.results, *inside], loop.body.all_inputs, effects(loop.body))
        ours = [*loop.carried, *[t.inside for t in loop.taken], *[x for x, _ in loop.same]]
        at = {id(x): i for i, x in enumerate(ours)}
        self._order = [at[id(x)] for x in loop.body.all_inputs]
        self._length = 0  # of the stacks
        self._changed: set[int] = set()  # the places in the state of what an iteration changes
        self._initial = inputs[:n]
        self._carried = self._formed(list(inputs[:n]))

    def results(self) -> list[Any]:
        """The final carried values, and the stacks."""
        count = self._count()
        if count == 0:
            return [*self._carried, *[TensorList() for _ in self._loop.emitted]]
        xs = list(map(parts_of, self._stacks))
        if count is None:
            stacks = self._until()
        elif self._live is None:
            stacks = self._scanned(xs, count)
        else:
            stacks = self._along(xs, count)
        return [*self._carried, *self._placed(stacks)]

    def _placed(self, stacks: Sequence[Any]) -> list[Any]:
        """The stacks that are used, and nothing for the others."""
        found = iter(stacks)
        return [
            self._stack(next(found)) if any(e is one for one in self._emitted) else TensorList()
            for e in self._loop.emitted
        ]

    def _stack(self, emitted: Any) -> Any:
        """What was emitted: of lists into which nothing was written, as many of them."""
        if isinstance(emitted, TensorList):
            return Unwritten(emitted, self._length, self._live)
        return as_stack(emitted, self._live)

    # ---- so many iterations ------------------------------------------------------------------------

    def _scanned(self, xs: Sequence[Any], count: int) -> list[Any]:
        """As many as are known; the stacks that they emit."""
        self._length = count
        carry = self._trace.state, self._carried
        parts = self._turned(xs, self._loop.taken)
        carry, emitted = lax.scan(self._once, carry, parts, length=count, reverse=self._backward)
        self._leave(carry)
        return self._turned(emitted, self._emitted)

    def _along(self, xs: Sequence[Any], room: int) -> list[Any]:
        """As many as the stacks turn out to have elements."""
        self._length = room
        live = jnp.asarray(self._live, np.int32)
        parts = self._turned(xs, self._loop.taken)
        place = (lambda at: live - 1 - at) if self._backward else (lambda at: at)
        forms = self._forms_of_rows(parts)
        _, emitted = self._while(forms, lambda at, _: at < live, parts, place)
        return self._turned(emitted, self._emitted)

    def _until(self) -> list[Any]:
        """While the condition holds. What there is no room for is counted."""
        forms = self._forms_of_rows(())
        room = self._trace.rooms.room(self._op, _bytes(forms))
        bound = _bound(self._loop, self._initial, self._constants, room) if self._emitted else None
        self._length = room if bound is None else bound
        count, emitted = self._while(forms, lambda _, carry: self._goes_on(carry))
        if self._emitted and self._length != bound:
            self._trace.check_room(self._op, count, self._length)
        self._live = jnp.minimum(count, self._length)
        return self._turned(emitted, self._emitted)

    def _turned(self, parts: Sequence[Any], stacks: Sequence[Stack]) -> list[Any]:
        """Rows in the order of iterations, or back, unless all are taken from the last to the first."""
        if self._backward:
            return list(parts)
        order: Any = slice(None, None, -1)
        if self._live is not None:  # from the last element on
            order = jnp.clip(self._live - 1 - jnp.arange(self._length), 0)
        return [
            jax.tree.map(lambda part: part[order], p) if s.backward else p
            for p, s in zip(parts, stacks, strict=True)
        ]

    def _while(
        self,
        forms: Any,
        goes_on: Callable[[Any, Any], Any],
        xs: Sequence[Any] = (),
        place: Callable[[Any], Any] = lambda at: at,
    ) -> tuple[Any, list[Any]]:
        """Iterations that take a row each, and emit one into a place; how many there were, and the rows."""

        def once(held: Any) -> Any:
            count, carry, stacks = held
            at = place(count)
            carry, rows = self._once(carry, _rows_at(xs, at))
            put = partial(lax.dynamic_update_index_in_dim, index=at, axis=0)
            return count + 1, carry, jax.tree.map(put, stacks, rows)

        carry = self._trace.state, self._carried
        stacks = jax.tree.map(lambda f: jnp.zeros((self._length, *f.shape), f.dtype), forms)
        # XLA counts a loop from a known 0 below 1 in steps of 2 as one of no iterations.
        held = lax.optimization_barrier((np.int32(0), carry, stacks))
        count, carry, stacks = lax.while_loop(lambda h: goes_on(h[0], h[1]), once, held)
        self._leave(carry)
        return count, stacks

    def _forms_of_rows(self, xs: Sequence[Any]) -> Any:
        """The forms of what an iteration emits."""
        if not self._emitted:
            return []
        carry = self._trace.state, self._carried
        return jax.eval_shape(self._once, carry, _rows_at(xs, 0))[1]

    def _leave(self, carry: Any) -> None:
        """Take over what the last iteration left."""
        state, self._carried = carry
        self._trace.state = _but_for(self._trace.state, state, self._changed)

    # ---- one iteration -----------------------------------------------------------------------------

    def _once(self, carry: Any, elements: Sequence[Any]) -> Any:
        """What it carries on, and what it emits."""
        state, carried = carry
        with self._trace.entered(state):
            found = self._body(carried, elements)
            after = list(map(_as_carried, found[: len(carried)], carried))
            emitted = [_as_emitted(as_rows(v)) for v in found[len(carried) :]]
            return (_state_after(self._trace, state, self._changed), after), emitted

    def _body(self, carried: Sequence[Any], elements: Sequence[Any]) -> list[Any]:
        given = [*carried, *elements, *self._fixed]
        return self._trace.body(self._plan, [given[i] for i in self._order])

    def _goes_on(self, carry: Any) -> Any:
        state, carried = carry
        condition: Any = self._loop.condition
        plan = Plan(condition.outputs, condition.all_inputs)
        with self._trace.entered(state):
            more = [self._constants[at] for at in self._loop.condition_places]
            (go,) = self._trace.body(plan, [*carried, *more])
            return jnp.reshape(jnp.asarray(go), ()) & ~jnp.asarray(self._trace.lost)

    # ---- how many iterations -------------------------------------------------------------------

    def _count(self) -> int | None:
        """The number of iterations; None if it is not known, or need not be."""
        if self._loop.condition is None:
            return len(self._stacks[0])
        if not self._emitted:
            return None
        test = Plan(self._loop.condition.outputs, self._loop.condition.all_inputs)
        return _trips(self._loop, test, self._initial, self._constants, MOST_COUNTED)

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
                carried[i] = blank_rows(form, max(len(carried[i]), form.array.shape[0]))
        likes = self._loop.carried
        return [_array_like(v, x) for v, x in zip(carried, likes, strict=True)]

    def _lists_after(self, carried: Sequence[Any], blank: Sequence[int]) -> list[Any]:
        elements = _rows_at(list(map(parts_of, self._stacks)), 0)
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


def _bytes(forms: Any) -> int:
    return sum(math.prod(f.shape) * f.dtype.itemsize for f in jax.tree.leaves(forms))


def _rows_at(parts: Any, at: Any) -> Any:
    return jax.tree.map(lambda p: lax.dynamic_index_in_dim(p, at, keepdims=False), parts)


def _as_emitted(value: Any) -> Any:
    return value if is_list(value) else jnp.asarray(value)


def _as_carried(new: Any, old: Any) -> Any:
    """A new value in the form of the old one."""
    new = as_rows(new)
    if isinstance(old, TensorList):
        return new
    if isinstance(old, Rows):
        return zeros_in_form(old) if isinstance(new, TensorList) else new.in_form_of(old)
    return new if new is None or old is None else jnp.asarray(new, jnp.asarray(old).dtype)


def _bound(loop: Loop, initial: Sequence[Any], constants: Sequence[Any], room: int) -> int | None:
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
                return _state_after(trace, state, changed), results

        return go

    i = jnp.reshape(jnp.asarray(index), ())
    chosen = jnp.where((i >= 0) & (i < count), i, count - 1)
    state, results = lax.switch(chosen, [branch(b) for b in range(count)], trace.state)
    trace.state = _but_for(trace.state, state, changed)
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


@whole("Assert")
def _assert(trace: Trace, op: Operation, inputs: Sequence[Any]) -> list[Any]:
    trace.check(~jnp.all(jnp.asarray(inputs[0])))
    return []
