"""Loops: `lax.scan` and `lax.while_loop` over the plans of their bodies.

What a body may change besides its results (variables, generators, the flag of failed checks) is
carried along. A loop whose number of iterations is known when it is compiled is a scan; others are
while loops. What those emit, as gradients need it, is written into the first rows of arrays with room
for more (rooms.py), and how many there are goes with them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from wengert.engines.xla.backend import jax, jnp, lax
from wengert.engines.xla.operations.bodies import as_carried, but_for, state_after
from wengert.engines.xla.operations.iterations import bound_of, count_of
from wengert.engines.xla.rows import (
    Rows,
    Unwritten,
    as_rows,
    as_stack,
    blank_rows,
    is_list,
    parts_of,
)
from wengert.engines.xla.tracing import Trace
from wengert.engines.xla.versions import whole
from wengert.execution.plan import Plan, effects
from wengert.graph.operation import Operation
from wengert.ops.control.while_op import Loop, Stack
from wengert.values.dtypes import VARIANT
from wengert.values.tensor import TensorList


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
        bound = (
            bound_of(self._loop, self._initial, self._constants, room) if self._emitted else None
        )
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
        self._trace.state = but_for(self._trace.state, state, self._changed)

    # ---- one iteration -----------------------------------------------------------------------------

    def _once(self, carry: Any, elements: Sequence[Any]) -> Any:
        """What it carries on, and what it emits."""
        state, carried = carry
        with self._trace.entered(state):
            found = self._body(carried, elements)
            after = list(map(as_carried, found[: len(carried)], carried))
            emitted = [_as_emitted(as_rows(v)) for v in found[len(carried) :]]
            return (state_after(self._trace, state, self._changed), after), emitted

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
        given = self._loop, self._initial, self._constants
        count = count_of(*given)
        # Where not even a limit is known, it is only told whether the loop ends before it begins.
        return bound_of(*given, 0) if count is None else count

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
