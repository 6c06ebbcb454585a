"""The forward Laplacian: each value carries its gradient and the sum of its second derivatives.

Of the second derivatives along d directions only the sum is wanted, and it is carried as one value:
only first derivatives are carried for each direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from wengert.core.batch import vectorize
from wengert.core.forward import push_forward
from wengert.core.row import Attrs, Row
from wengert.derivatives import structures
from wengert.derivatives.arguments import Arguments
from wengert.derivatives.mapping import for_each
from wengert.derivatives.results import differentiable_result
from wengert.derivatives.taylor_mode.carrying import Carrying, LoopOfGraphError
from wengert.derivatives.taylor_mode.mode import TaylorMode, nested_along
from wengert.derivatives.taylor_mode.series import scaled, total
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values.bound_ops import bound
from wengert.values.tensor import key_of


class _Second(NamedTuple):
    slopes: Any  # the derivatives along the directions, along a first axis
    sum: Any  # of the second derivatives along them; None is zero


class LaplacianMode(Carrying):
    """Computes the gradient and the Laplacian of every result from those of the inputs."""

    def __init__(self, directions: int) -> None:
        super().__init__()
        self._directions = directions

    def watch(self, value: Any, units: Any) -> None:
        """Differentiate by a value, given for each direction the part that moves the value."""
        self._carried[key_of(value)] = _Second(units, None)

    def laplacian(self, value: Any) -> Any:
        """The sum of the second derivatives of a value."""
        found: _Second | None = self.carried(value)
        return bound.zeros_like(value) if found is None or found.sum is None else found.sum

    def _is_closed(self, row: Row) -> bool:
        return bool(row.graphs) or row.users  # a user's rule may read values that are not inputs

    def _computed(
        self, row: Row, inputs: Sequence[Any], known: list[Any], attrs: Attrs, results: list[Any]
    ) -> list[_Second | None]:
        slopes, curved = self._along_each(row, inputs, known, attrs, results)
        pushed: Sequence[Any] = [None] * len(results)
        sums = [None if s is None else s.sum for s in known]
        if any(s is not None for s in sums):
            result = results if row.many else results[0]
            pushed = push_forward(row, sums, inputs, attrs, result)
        return [
            None if slope is None else _Second(slope, total((p, c)))
            for slope, c, p in zip(slopes, curved, pushed, strict=True)
        ]

    def _along_each(
        self, row: Row, inputs: Sequence[Any], known: list[Any], attrs: Attrs, results: list[Any]
    ) -> tuple[list[Any], list[Any]]:
        """The derivatives of the results along each direction, and what their curvature adds."""
        followed = [s is not None for s in known]

        def one(*slopes: Any) -> list[Any]:
            mode = TaylorMode(2)
            given = iter(slopes)
            for x, asked in zip(inputs, followed, strict=True):
                if asked:
                    mode.watch(x, [x, next(given)])
            series = mode.of_results(row, inputs, followed, attrs, results)
            return [*[s[1] for s in series], *[s[2] for s in series]]

        found = vectorize(one, self._directions, [s.slopes for s in known if s is not None])
        count = len(results)
        curved = [None if c is None else scaled(reduce_sum(c, 0), 2.0) for c in found[count:]]
        return found[:count], curved


def laplacian_of(given: Arguments, units: Sequence[Any], directions: int) -> Any:
    """The sum of the second derivatives of a function along some directions."""
    mode = LaplacianMode(directions)
    for x, unit in zip(given.leaves, units, strict=True):
        mode.watch(x, unit)
    try:
        with mode.active():
            value = given.call()
            results = [differentiable_result(y, "laplacian") for y in structures.flatten(value)]
    except LoopOfGraphError:
        return _one_after_the_other(given, units, directions)
    return structures.pack(value, [mode.laplacian(y) for y in results])


def _one_after_the_other(given: Arguments, units: Sequence[Any], directions: int) -> Any:
    """The same by nested forward mode along each direction."""
    values: list[Any] = []

    def one(*directions: Any) -> list[Any]:
        value, found = nested_along(given, directions, 2)
        values.append(value)
        return [series[2] for series in found]

    found = for_each(one, directions, units)
    return structures.pack(values[0], [scaled(reduce_sum(y, 0), 2.0) for y in found])
