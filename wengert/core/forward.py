"""Forward mode: a recorder that carries a tangent beside each value.

An operation's forward rule is, in this order: its own (`joint_jvp` or `jvp`); the reverse rule, where the operation
is elementwise and the Jacobian therefore diagonal; the operation itself, where it is linear; and
otherwise the transpose of the reverse rule, obtained by differentiating that rule with respect to
the cotangent it was given. So every operation with a gradient has a forward rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar
from weakref import ref

from wengert.core.context import current_graph, listening, thread
from wengert.core.dispatch import apply
from wengert.core.recorder import Recorder
from wengert.core.reverse import joint_gradients, pull_through
from wengert.core.row import Attrs, Row
from wengert.errors import NoGradientError
from wengert.values.bound_ops import bound
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import dims
from wengert.values.value import Value


class Accumulator(Recorder):
    """Computes the tangent of every result from those of the inputs."""

    computes: ClassVar[bool] = True

    __slots__ = ("__weakref__", "_extendable", "_reached", "tangents")

    def __init__(self) -> None:
        # For operations that may add results later: how many there are now, and how to push
        # tangents.
        self._extendable: dict[int, tuple[int, Any]] = {}
        # By the id of the value; the weak reference removes the entry when the value is freed.
        self.tangents: dict[int, tuple[ref[Any], Any]] = {}
        # Values that were made of what it follows and do not depend on it, as the tangent 2 that another
        # accumulator has for 2 x, or a result of a call that needs another argument. Their derivative is 0 and
        # not None, and so is that of what follows.
        self._reached: dict[int, ref[Any]] = {}

    def watch(self, value: Any, tangent: Any) -> None:
        """Give a value a tangent, for as long as the value lives."""
        self.tangents[id(value)] = self._weakly(value, "tangents"), tangent

    def _weakly(self, value: Any, entries: str) -> ref[Any]:
        """A reference to a value, with which the entry of the value goes."""
        at, owner = id(value), ref(self)  # weak both ways: no cycle

        def forget(_: object) -> None:
            accumulator = owner()
            if accumulator is not None:
                getattr(accumulator, entries).pop(at, None)

        return ref(value, forget)

    def reaches(self, value: Any) -> bool:
        """Whether a value without a tangent was made of what has one."""
        return id(value) in self._reached

    def has_reached(self, values: Sequence[Any]) -> bool:
        """Whether one of the values has a tangent, or was made of what has one."""
        return any(id(x) in self._reached or self.tangent(x) is not None for x in values)

    def reach(self, inputs: Sequence[Any], results: Sequence[Any]) -> None:
        """Note results that depend on inputs, if in name only."""
        if self.has_reached(inputs):
            for y in results:
                dtype = getattr(y, "dtype", None) if isinstance(y, Value) else None
                if dtype is not None and dtype.is_differentiable:  # a list has none
                    self._reached[id(y)] = self._weakly(y, "_reached")

    def tangent(self, value: Any) -> Any:
        """The tangent of a value; None if it has none."""
        found = self.tangents.get(id(value))
        if found is not None:
            return found[1]
        if self._extendable and type(value) is SymbolicTensor:
            count, push = self._extendable.get(id(value.op), (0, None))
            if push is not None and value.value_index >= count:
                return self._of_later_result(value, push)
        return None

    def _of_later_result(self, value: SymbolicTensor, push: Any) -> Any:
        """The tangent of a result that was added after the operation was recorded."""
        ys = list(value.op.outputs)
        self._note(ys, push(ys))
        self._extendable[id(value.op)] = len(ys), push
        found = self.tangents.get(id(value))
        return None if found is None else found[1]

    def follows(self, values: Sequence[Any]) -> bool:
        """Whether one of the values has a tangent."""
        return any(self.tangent(v) is not None for v in values)

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        """Compute the tangents of the results of an operation."""
        if not row.differentiable:
            return
        tangents = [self.tangent(x) for x in inputs]
        results = result if row.many else [result]
        if all(t is None for t in tangents):
            if self._reached:
                self.reach(inputs, results)
            return
        pushed = self._pushed(row, tangents, inputs, attrs, result, len(results))
        self._note(results, pushed)
        if not row.fills and results and type(results[0]) is SymbolicTensor:

            def push(ys: list[Any]) -> Sequence[Any]:
                return self._pushed(row, tangents, inputs, attrs, ys, len(ys))

            self._extendable[id(results[0].op)] = len(results), push

    def _note(self, results: Sequence[Any], pushed: Sequence[Any]) -> None:
        for y, tangent in zip(results, pushed, strict=True):
            # No array: a value inside of the branch that was not chosen.
            if tangent is not None and y._array is not None and y.dtype.is_differentiable:
                self.watch(y, tangent)

    def _pushed(
        self, row: Row, ts: Sequence[Any], xs: Sequence[Any], attrs: Attrs, y: Any, count: int
    ) -> Sequence[Any]:
        for t in ts:
            if isinstance(t, MissingTangent):
                return [t] * count
        at = thread.context.recorders.index(self)
        try:
            around = thread.context.recorders[:at]
            with listening(*around):  # those before it see what it computes
                pushed = pushed_anywhere(row, ts, xs, attrs, y)
            for recorder in around:
                if isinstance(recorder, Accumulator):
                    recorder.reach(xs, pushed)
            return pushed
        except NoGradientError as error:
            return [MissingTangent(error.with_traceback(None))] * count


class MissingTangent:
    """Stands for the tangent of a value computed by an operation without a gradient.

    That is an error only if the tangent is asked for: the operation may stand inside a function
    with a gradient of its own.
    """

    __slots__ = ("error",)

    def __init__(self, error: NoGradientError) -> None:
        self.error = error


def pushed_anywhere(
    row: Row, ts: Sequence[Any], xs: Sequence[Any], attrs: Attrs, y: Any
) -> Sequence[Any]:
    """The tangents of an operation's results; in a graph, computed later if they must be."""
    graph = current_graph()
    if graph is None:
        return push_forward(row, ts, xs, attrs, y)
    asked = [v if v.dtype.is_differentiable else None for v in (y if row.many else [y])]
    pushed: Sequence[Any] = graph.call_like(push_forward, (row, ts, xs, attrs, y), asked)
    for t, one in zip(pushed, asked, strict=True):
        if type(t) is SymbolicTensor and type(one) is SymbolicTensor:
            t.adopt(dims(one))
    return pushed


def push_forward(
    row: Row, ts: Sequence[Any], xs: Sequence[Any], attrs: Attrs, y: Any
) -> Sequence[Any]:
    """The tangents of an operation's results."""
    if row.joint_jvp is not None:
        return row.joint_jvp(ts, y if row.many else [y], xs, attrs)
    if row.jvp is not None:
        pushed = _sum_of_rules(row, row.jvp, ts, xs, attrs, y)
    elif row.elementwise and row.vjp is not None:  # an override has a joint rule
        pushed = _sum_of_rules(row, row.vjp, ts, xs, attrs, y)
    elif row.linear == "jointly":
        filled = [_or_zeros(t, x) for t, x in zip(ts, xs, strict=True)]
        pushed = apply(row, filled, attrs)
    elif row.linear:
        pushed = _multilinear(row, ts, xs, attrs)
    else:
        return _transposed(row, ts, xs, attrs, y)
    return pushed if row.many else [pushed]


def _or_zeros(t: Any, x: Any) -> Any:
    if t is not None or not x.dtype.is_differentiable:
        return x if t is None else t
    return bound.zeros_like(x)


def _sum_of_rules(
    row: Row, rules: Any, ts: Sequence[Any], xs: Sequence[Any], attrs: Attrs, y: Any
) -> Any:
    total: Any = None
    for i, t in enumerate(ts):
        rule = None if t is None else rules[i]
        term = None if rule is None else rule(t, y, *xs, **attrs)
        if term is not None:
            total = term if total is None else _plus(row, total, term)
    if total is not None and not row.many and dims(total) != dims(y):
        total = bound.broadcast_to(total, dims(y))
    return [None] * len(y) if total is None and row.many else total


def _multilinear(row: Row, ts: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> Any:
    """The product rule: the operation with one input at a time replaced by its tangent."""
    total: Any = None
    for i, t in enumerate(ts):
        if t is not None and (row.linear == "each" or i in row.linear):
            term = apply(row, [*xs[:i], t, *xs[i + 1 :]], attrs)
            total = term if total is None else _plus(row, total, term)
    return total


def _plus(row: Row, a: Any, b: Any) -> Any:
    if row.many:
        return [bound.add(p, q) for p, q in zip(a, b, strict=True)]
    return bound.add(a, b)


def _transposed(
    row: Row, ts: Sequence[Any], xs: Sequence[Any], attrs: Attrs, y: Any
) -> Sequence[Any]:
    """The reverse rule is a linear map of its cotangent; transposed, it maps tangents forward."""
    ys = y if row.many else [y]
    zeros = [bound.zeros_like(v) if v.dtype.is_differentiable else None for v in ys]

    def pulled(*gs: Any) -> list[Any]:
        given = iter(gs)
        filled = [None if zero is None else next(given) for zero in zeros]
        return _gradients(row, ts, xs, attrs, y, filled)

    pushed = iter(pull_through(pulled, [zero for zero in zeros if zero is not None], ts))
    tangents = [None if zero is None else next(pushed) for zero in zeros]
    return [
        zero if t is None else bound.to_dense(t) for t, zero in zip(tangents, zeros, strict=True)
    ]


def _gradients(
    row: Row,
    ts: Sequence[Any],
    xs: Sequence[Any],
    attrs: Attrs,
    y: Any,
    gs: Sequence[Any],
) -> list[Any]:
    g: Any = list(gs) if row.many else gs[0]
    if row.joint is not None:
        pulled = joint_gradients(row, attrs, xs, y, g)
    else:
        rules: Any = row.vjp
        wanted = [rules[i] if t is not None else None for i, t in enumerate(ts)]
        pulled = [None if rule is None else rule(g, y, *xs, **attrs) for rule in wanted]
    return [bound.to_dense(p) if isinstance(p, IndexedSlices) else p for p in pulled]
