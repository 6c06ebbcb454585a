"""A loop whose gradient keeps few of its states, and recomputes the others as rarely as possible.

Without this the tape keeps what every step computed. With s states kept, the loop is cut where
binomial checkpointing (revolve) says: the steps up to there are one operation, whose gradient is a
loop of that many steps under the same rule; after it the loop goes on with s - 1 states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from wengert.core.context import also_listening, announce, current_graph, listening, thread
from wengert.core.forward import Accumulator
from wengert.core.recorder import Recorder
from wengert.core.reverse import conjugate, pull_through
from wengert.core.row import Attrs, Row
from wengert.derivatives import structures
from wengert.derivatives.arguments import check_function, plain_int
from wengert.derivatives.closures import Reads
from wengert.derivatives.trail import Trail
from wengert.host.memory_size import bytes_of
from wengert.ops.arrays.identity import identity
from wengert.values.convert import convert
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import dims

Step = Callable[[Any], Any]


def checkpointed_loop(f: Step, x: Any, n: int, budget: int | str | None = None) -> Any:
    """f(f(... f(x))), n times, whose gradient keeps few states and computes the others again.

    Args:
        f: One step: from a state to the next, which is nested alike and has the same shapes. What it
            closes over has gradients, too; in a function or a graph, where it closes over tensors of
            that, nothing is dropped. It must give the same for the same state each time.
        x: The first state. Integers in it, such as a counter, have no gradient.
        n: How many steps.
        budget: How many states are kept, or how much memory they may take, such as "200MB". By
            default about the square root of 2 n, with which no step is computed more than three times.

    Returns:
        The last state. With s states kept, its gradient computes r n - C(s + r, r - 1) steps again,
        where r is the least number with C(s + r, s) >= n, and each step once on the tape.

    Raises:
        ValueError: The number of steps is negative, or the budget is smaller than one state.

    >>> x = tf.constant(0.5)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.checkpointed_loop(lambda x: 3.2 * x * (1.0 - x), x, n=20, budget=3)
    >>> round(float(tape.gradient(y, x)), 4)
    0.0
    """
    check_function(f, "checkpointed_loop")
    n, budget = plain_int(n), plain_int(budget)
    if type(n) is not int or n < 0:
        raise ValueError(f"n of tf.checkpointed_loop must be a non-negative integer, got {n!r}.")
    leaves = [convert(leaf) for leaf in structures.flatten(x)]
    states = _states(budget, leaves, n)
    step = _Step(f, x)
    return structures.pack(x, step.carried_out(leaves, n, states))


def _states(budget: int | str | None, leaves: Sequence[Any], n: int) -> int:
    """How many states are kept."""
    if budget is None:
        return max(1, math.isqrt(2 * n))
    if isinstance(budget, str):
        one = sum(int(math.prod(dims(leaf))) * int(leaf.dtype.size) for leaf in leaves)
        states = bytes_of(budget, "budget of tf.checkpointed_loop") // max(one, 1)
        if states < 1:
            raise ValueError(
                f"The budget {budget!r} of tf.checkpointed_loop is smaller than one state, of {one} bytes."
            )
        return min(states, max(n, 1))
    if type(budget) is not int or budget < 1:
        raise ValueError(
            "budget of tf.checkpointed_loop must be a positive number of states, or a string such "
            f"as '200MB', got {budget!r}."
        )
    return budget


class _Step:
    """One step of the loop, on the leaves of a state."""

    def __init__(self, f: Step, like: Any) -> None:
        self._f = f
        self._like = like

    def __call__(self, leaves: Sequence[Any]) -> list[Any]:
        state = self._f(structures.pack(self._like, leaves))
        found = structures.flatten_like(self._like, state, "The states of tf.checkpointed_loop")
        results = [_result(y, x) for x, y in zip(leaves, found, strict=True)]
        for x, y in zip(leaves, results, strict=True):
            if (dims(x), x.dtype) != (dims(y), y.dtype):
                raise ValueError(
                    "A step of tf.checkpointed_loop must keep shapes and dtypes, got "
                    f"{y.dtype.name}{list(dims(y))} after {x.dtype.name}{list(dims(x))}."
                )
        return results

    def carried_out(self, leaves: Sequence[Any], n: int, states: int) -> list[Any]:
        """Run n steps so that their gradient can be computed with that many states kept."""
        current = list(leaves)
        interpreter = thread.context.interpreter
        if isinstance(interpreter, Trail) or (interpreter is None and not thread.context.recorders):
            return self.plainly(current, n)  # a trail follows the single operations
        while n > 1:
            some = first_part(n, states)
            current = self._as_one(current, some, states)
            n, states = n - some, states - 1
        return self(current) if n else current

    def plainly(self, leaves: Sequence[Any], n: int) -> list[Any]:
        """Run n steps, one after the other."""
        current = list(leaves)
        for _ in range(n):
            current = self(current)
        return current

    def _as_one(self, leaves: Sequence[Any], n: int, states: int) -> list[Any]:
        """Run n steps as one operation of the state and of all values that the step closes over."""
        own = [identity(x) for x in leaves]  # distinct from values that the step may close over
        reads = _ReadsOfSteps(thread.context.recorders, own)
        with listening(reads):
            results = self.plainly(own, n)
        if reads.found and current_graph() is not None:
            return self.plainly(leaves, n)  # a rule within a graph would read values of that graph
        inputs = [*leaves, *reads.found.values()]
        found: list[Any] = announce(_row(self, n, states), inputs, {}, list(map(identity, results)))
        return found


def _result(y: Any, x: Any) -> Any:
    """A part of the next state; integers, such as a counter, travel along without a gradient."""
    if y is None:
        raise TypeError("A step of tf.checkpointed_loop must return the next state, got None.")
    return convert(y, hint=x.dtype)


class _ReadsOfSteps(Reads):
    """Besides followed values, notes those of a graph, whose gradient may be asked for later."""

    def __init__(self, outer: Sequence[Recorder], leaves: Sequence[Any]) -> None:
        super().__init__(outer)
        self._made = {id(x): x for x in leaves}

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        """Note the inputs that the steps themselves did not make."""
        super().record(row, [x for x in inputs if id(x) not in self._made], attrs, result)
        for y in result if row.many else [result]:
            self._made[id(y)] = y

    def follows(self, values: Sequence[Any]) -> bool:
        """Whether one of the values is followed, or one of a graph."""
        symbolic = any(type(x) is SymbolicTensor and x.dtype.is_differentiable for x in values)
        return symbolic or super().follows(values)


def _repetitions(n: int, states: int) -> int:
    """How often a step is recomputed at most, if that many states are kept."""
    repeated = 0
    while math.comb(states + repeated, states) < n:
        repeated += 1
    return repeated


def first_part(n: int, states: int) -> int:
    """After how many of n steps to keep the next state, so that the fewest steps are recomputed."""
    if states == 1:
        return n - 1
    repeated = _repetitions(n, states)
    most = math.comb(states + repeated - 1, states)
    return min(most, n - math.comb(states + repeated - 2, states - 1))


def computed_again(n: int, states: int) -> int:
    """The least number of steps computed besides those on the tape."""
    repeated = _repetitions(n, states)
    return repeated * n - math.comb(states + repeated, states + 1) if n > 1 else 0


# ---- the operation ------------------------------------------------------------------------------


def _row(step: _Step, n: int, states: int) -> Row:
    """Some steps as one operation, whose gradient is that of a loop with that many states."""

    def joint(gs: Any, ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
        own, reads = [identity(x) for x in xs[: len(ys)]], xs[len(ys) :]
        pulled = iter(
            pull_through(
                lambda: step.carried_out(own, n, states),
                [],
                [conjugate(g) for g in gs],
                [x for x in (*own, *reads) if x.dtype.is_differentiable],
            )
        )
        return [conjugate(next(pulled)) if x.dtype.is_differentiable else None for x in xs]

    def joint_jvp(ts: Any, ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
        own, accumulator = [identity(x) for x in xs[: len(ys)]], Accumulator()
        for x, t in zip((*own, *xs[len(ys) :]), ts, strict=True):
            if t is not None:
                accumulator.watch(x, t)
        with also_listening(accumulator):
            results = step.plainly(own, n)
        return [accumulator.tangent(y) for y in results]

    return Row(
        "CheckpointedSteps",
        lambda _, *arrays: list(arrays),
        joint=joint,
        joint_jvp=joint_jvp,
        many=True,
        users=True,
    )
