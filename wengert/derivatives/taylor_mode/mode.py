"""The pass: each value carries the series of what it is along a line.

An operation needs no rule of its own: all its derivatives follow from the first, which it has. If
y' = P(x, x', y), then coefficient k + 1 of y is coefficient k of P over k + 1; and P consists of
operations, whose series are known by the same means.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from wengert.core.forward import push_forward
from wengert.core.row import Attrs, Row
from wengert.derivatives import structures
from wengert.derivatives.arguments import Arguments, check_function, plain_int
from wengert.derivatives.forward import jvp
from wengert.derivatives.results import differentiable_result, seeds_for
from wengert.derivatives.taylor_mode.carrying import Carrying, LoopOfGraphError
from wengert.derivatives.taylor_mode.rules import RULES, of_linear
from wengert.derivatives.taylor_mode.series import Series, derivative, filled, spread
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.joining import stack
from wengert.ops.math.arithmetic import multiply
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims, key_of
from wengert.values.value import Key


class TaylorMode(Carrying):
    """Computes the series of every result from those of the inputs, up to a power of t."""

    def __init__(self, order: int, around: TaylorMode | None = None) -> None:
        super().__init__()
        self.order = order
        self._around = around  # whose values have series, too

    def watch(self, value: Any, series: Series) -> None:
        """Give a value a series, whose first coefficient is the value."""
        known = series[: self.order + 1]
        self._carried[key_of(value)] = [*known, *[None] * (self.order + 1 - len(known))]

    def series(self, value: Any) -> Series:
        """The series of a value."""
        found: Series | None = self.carried(value)
        return [value, *[None] * self.order] if found is None else found

    def _find(self, key: Key) -> Any:
        found = super()._find(key)
        if found is None and self._around is not None:
            found = self._around._find(key)
            return found[: self.order + 1] if isinstance(found, list) else found
        return found

    def _computed(
        self, row: Row, inputs: Sequence[Any], known: list[Any], attrs: Attrs, results: list[Any]
    ) -> Sequence[Any]:
        return self.of_results(row, inputs, [c is not None for c in known], attrs, results)

    def of_results(
        self,
        row: Row,
        inputs: Sequence[Any],
        followed: Sequence[bool],
        attrs: Attrs,
        results: list[Any],
    ) -> list[Series]:
        """The series of the results of one operation."""
        if not self.order:
            return [[y] for y in results]
        xs = [self.series(x) for x in inputs]
        rule = None if row.users else RULES.get(row.name)
        if rule is not None:
            (y,) = results
            series = rule(y, *xs, **attrs)
            if series is not None:
                return [[y, *spread(series[1:], y)]]
        if row.linear and not row.users:
            each = of_linear(row, xs, followed, attrs)
            if each is not None:
                return _by_result(each, results, row.many)
        return self._by_derivative(row, inputs, followed, attrs, results)

    def _by_derivative(
        self,
        row: Row,
        inputs: Sequence[Any],
        followed: Sequence[bool],
        attrs: Attrs,
        results: list[Any],
    ) -> list[Series]:
        """Order after order, or all at once where the derivative does not read the result."""
        found: list[Series] = [[y] for y in results]
        reads = row.saves_y or row.vjp is None
        for known in range(1, self.order + 1) if reads else [self.order]:
            rates = self._rates(row, inputs, followed, attrs, results, found, known - 1)
            for series, rate in zip(found, rates, strict=True):
                fresh = rate[len(series) - 1 :]
                first = len(series)
                series += [
                    None if c is None else multiply(c, 1.0 / (first + i))
                    for i, c in enumerate(fresh)
                ]
        return [[y, *spread(series[1:], y)] for y, series in zip(results, found, strict=True)]

    def _rates(
        self,
        row: Row,
        inputs: Sequence[Any],
        followed: Sequence[bool],
        attrs: Attrs,
        results: list[Any],
        known: Sequence[Series],
        order: int,
    ) -> list[Series]:
        """The series of the derivatives of the results by t, up to an order."""
        inner = TaylorMode(order, around=self)
        tangents: list[Any] = []
        for x, asked in zip(inputs, followed, strict=True):
            if not asked:
                tangents.append(None)
                continue
            series = self.series(x)
            rise = derivative(series)
            tangents.append(identity(filled(rise[0], x)))  # a tensor with a series of its own
            inner.watch(x, series)
            inner.watch(tangents[-1], [tangents[-1], *rise[1:]])
        for y, series in zip(results, known, strict=True):
            if y.dtype.is_differentiable:
                inner.watch(y, series)
        with inner.active():
            result = results if row.many else results[0]
            pushed = push_forward(row, tangents, inputs, attrs, result)
            pushed = [None if p is None else bound.to_dense(p) for p in pushed]
        return [[None] * (order + 1) if p is None else inner.series(p) for p in pushed]


def _by_result(each: Sequence[Any], results: Sequence[Any], many: bool) -> list[Series]:
    """For each result its series, of the results for each power of t."""
    if not many:
        return [[results[0], *each]]
    return [[y, *[None if c is None else c[at] for c in each]] for at, y in enumerate(results)]


# ---- the public function ------------------------------------------------------------------------


def taylor(f: Callable[..., Any], x: Any, direction: Any, order: int) -> Any:
    """The derivatives of f(x + t v) by t at zero, from the value itself up to an order, in one pass.

    Args:
        f: A function of one argument, which may be nested.
        x: The point.
        direction: v, nested as the argument is.
        order: Up to which order.

    Returns:
        For each result a tensor with the derivatives along a first axis: entry k is the k-th
        derivative. (The Taylor coefficient is that, divided by k!.)

    Raises:
        ValueError: The order is not a non-negative integer, or the direction is nested or shaped otherwise.

    >>> tf.taylor(tf.exp, 0.0, 2.0, order=4).numpy().tolist()
    [1.0, 2.0, 4.0, 8.0, 16.0]
    >>> tf.taylor(lambda x: x[0] * x[1], tf.constant([3.0, 5.0]), tf.constant([1.0, 1.0]), 2).numpy().tolist()
    [15.0, 8.0, 2.0]
    """
    check_function(f, "taylor")
    order = plain_int(order)
    if type(order) is not int or order < 0:
        raise ValueError(f"The order of tf.taylor must be a non-negative integer, got {order!r}.")
    given = Arguments(f, (x,), {}, who="taylor")
    directions = given.flatten(direction, "The direction and the argument of tf.taylor")
    seeds = seeds_for(given.leaves, directions)
    for x, v in zip(given.leaves, seeds, strict=True):
        _check_direction(x, v)
    value, found = series_along(given, seeds, order)
    stacked = [stack(_unscaled(series)) for series in found]
    return structures.pack(value, stacked)


def _check_direction(x: Any, v: Any) -> None:
    """A direction that would be broadcast is refused: sums of its coefficients would be too small."""
    differ = is_certain(dims(x)) and is_certain(dims(v)) and dims(x) != dims(v)
    if differ or x.dtype is not v.dtype:
        raise ValueError(
            "The direction of tf.taylor must have the dtype and shape of the argument, "
            f"{x.dtype.name}{list(dims(x))}, got {v.dtype.name}{list(dims(v))}."
        )


def series_along(
    given: Arguments, directions: Sequence[Any], order: int, who: str = "taylor"
) -> tuple[Any, list[Series]]:
    """The value of a function, and for each result its series along a line."""
    mode = TaylorMode(order)
    for x, v in zip(given.leaves, directions, strict=True):
        mode.watch(x, [x, v][: order + 1])
    try:
        with mode.active():
            value = given.call()
            results = [differentiable_result(y, who) for y in structures.flatten(value)]
    except LoopOfGraphError:
        return nested_along(given, directions, order)
    return value, [mode.series(y) for y in results]


def nested_along(
    given: Arguments, directions: Sequence[Any], order: int
) -> tuple[Any, list[Series]]:
    """The same by forward mode within forward mode, twice the work for each order."""
    if not order:
        value = given.call()
        return value, [[convert(y)] for y in structures.flatten(value)]
    values: list[Any] = []

    def derivatives(*leaves: Any) -> list[Any]:
        value, series = nested_along(given.with_leaves(leaves), directions, order - 1)
        values.append(value)
        return [filled(c, y[0]) for y in series for c in y]

    known, tangents = jvp(derivatives, given.leaves, directions)
    found = []
    for at in range(0, len(known), order):
        last = multiply(tangents[at + order - 1], 1.0 / order)
        found.append([*known[at : at + order], last])
    return structures.pack(values[0], [series[0] for series in found]), found


def _unscaled(series: Series) -> list[Any]:
    y = series[0]
    return [
        y,
        *[multiply(filled(c, y), float(math.factorial(k))) for k, c in enumerate(series) if k],
    ]
