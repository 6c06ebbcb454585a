"""The kinks of operations, and their rows with another derivative there.

The mean is that of the derivatives of the pieces that meet at a kink, each counted once: 1/2 for relu
at 0, a share of 1/n for each of n equal elements of a maximum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.forward import push_forward
from wengert.core.row import Attrs, Row
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.gathering import rows_of_segments, unsorted_segment_sum
from wengert.ops.arrays.shaping import expand_dims
from wengert.ops.arrays.tensor_scatter import shares
from wengert.ops.math.comparison import (
    equal,
    greater,
    less_equal,
    logical_and,
    logical_or,
    not_equal,
    where,
)
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.batch_rules import batch_all
from wengert.overrides.kinks import count_ties, declare_kinks
from wengert.values.bound_ops import bound
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.shapes import Dims
    from wengert.values.typing import Array, Namespace


class Kink(NamedTuple):
    """Where an operation has kinks, and the mean of the derivatives there."""

    ties: Callable[..., Tensor]  # (y, *xs, **attrs): whether each element of the result is one
    # The mean for each input of an elementwise operation; without any the rule gives it already.
    means: Callable[..., Sequence[Tensor | float]] | None = None
    # The mean of others, as rules from a cotangent and from a tangent.
    pull: Callable[..., Tensor] | None = None
    push: Callable[..., Tensor] | None = None


def has_kinks(name: str, kink: Kink) -> None:
    """Declare the kinks of an operation."""
    declare_kinks(name, lambda row, how, place: with_kinks(row, kink, how, place))


# ---- rows -------------------------------------------------------------------------------------


def with_kinks(row: Row, kink: Kink, how: str, place: str) -> Row:
    """The row with the derivative of a convention at its kinks: tensorflow, mean, zero, raise."""
    if row.vjp is None or row.gradient_type:  # somebody gave it another derivative altogether
        return row
    rules = _Rules(row, kink, how, place)
    return row.replace(
        vjp=None, jvp=None, joint=rules.joint, joint_jvp=rules.joint_jvp, saves="xy", linear=(),
        sums_back=False,
    )  # fmt: skip


class _Rules:
    """The rules of a row by one of the conventions."""

    def __init__(self, row: Row, kink: Kink, how: str, place: str) -> None:
        self._row, self._kink = row, kink
        self._zero, self._mean = how == "zero", how == "mean"
        self._attrs = {"kind": row.name, "place": place, "raises": how == "raise"}

    def joint(self, gs: Any, ys: Any, xs: Any, attrs: Attrs) -> list[Any]:
        """The cotangents of the inputs."""
        (g,), (y,), kink = gs, ys, self._kink
        tie = kink.ties(y, *xs, **attrs)
        g = self._noted(g, logical_and(tie, not_equal(g, zeros_like(g))))
        if self._mean and kink.pull is not None:
            return [kink.pull(g, y, *xs, **attrs)]
        if self._zero:
            g = where(tie, zeros_like(g), g)
        rules: Any = self._row.vjp
        pulled = [None if r is None else r(g, y, *xs, **attrs) for r in rules]
        if self._mean and kink.means is not None:
            means = kink.means(y, *xs, **attrs)
            pulled = [where(tie, g * m, p) for m, p in zip(means, pulled, strict=True)]
        if not self._row.elementwise:
            return pulled
        return [bound.sum_to(p, dims(x)) for p, x in zip(pulled, xs, strict=True)]

    def joint_jvp(self, ts: Any, ys: Any, xs: Any, attrs: Attrs) -> list[Any]:
        """The tangent of the result."""
        (y,), kink = ys, self._kink
        tie = kink.ties(y, *xs, **attrs)
        (pushed,) = push_forward(self._row, ts, xs, attrs, y)
        if pushed is None:
            return [None]
        if self._zero:
            pushed = where(tie, zeros_like(pushed), pushed)
        if self._mean and kink.push is not None:
            pushed = kink.push(ts[0], y, *xs, **attrs)
        if self._mean and kink.means is not None:
            means = zip(kink.means(y, *xs, **attrs), ts, strict=True)
            first, *rest = [t * m for m, t in means if t is not None]
            pushed = where(tie, sum(rest, first), pushed)
        return [self._noted(pushed, self._left(tie, ts))]

    def _left(self, tie: Tensor, ts: Sequence[Any]) -> Tensor:
        """The ties that a direction leads out of; where that is not plain to see, all."""
        if not self._row.elementwise:
            return tie
        first, *rest = [not_equal(t, zeros_like(t)) for t in ts if t is not None]
        for one in rest:
            first = logical_or(first, one)
        return logical_and(tie, first)

    def _noted(self, g: Tensor, tie: Tensor) -> Tensor:
        result: Tensor = apply(_MET, (g, tie), self._attrs)
        return result


def _met_kernel(
    _: Namespace, g: Array, tie: Array, *, kind: str, place: str, raises: bool
) -> Array:
    count = int(np.count_nonzero(tie))
    if count:
        count_ties(kind, count)
    if count and raises:
        raise InvalidArgumentError(
            f"{kind}, called at {place}, has no derivative at {count} "
            f"place{'s' * (count != 1)}, where pieces of it meet, and kinks='raise'. Keep away from "
            "there, or choose kinks='tensorflow', 'mean' or 'zero'."
        )
    return g


def _met_by_examples(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    return apply(_MET, batch_all(batched, size, xs), attrs)


# Hands on a cotangent or a tangent, and notes the ties that it meets. It is not declared as elementwise:
# graphs would try it on ones, to see what dtype it has.
_MET: Final[Row] = Row(
    "TiesMet",
    _met_kernel,
    vjp=(lambda gg, z, g, tie, **attrs: gg, None),
    jvp=(lambda t, z, g, tie, **attrs: t, None),
    shape=lambda g, tie, **attrs: g,
    dtype=lambda g, tie, **attrs: g,
    batch=_met_by_examples,
    saves="",
)

# ---- elementwise operations -------------------------------------------------------------------

_SELU_SLOPES: Final = 1.0507009873554805, 1.0507009873554805 * 1.6732632423543772


def _at(*points: float) -> Callable[..., Tensor]:
    """One input, which is one of some numbers."""

    def ties(y: Tensor, x: Tensor, **attrs: object) -> Tensor:
        found = equal(x, zeros_like(x) + points[0])
        for point in points[1:]:
            found = logical_or(found, equal(x, zeros_like(x) + point))
        return found

    return ties


def _all(*means: float) -> Callable[..., Sequence[float]]:
    """The same mean at every kink, for each input."""
    return lambda y, *xs, **attrs: means


def _bounds_met(x: Tensor, low: Tensor, high: Tensor) -> tuple[Tensor, Tensor]:
    """Where a value lies on the bounds; if they are swapped, nowhere."""
    right = less_equal(low, high)
    return logical_and(right, equal(x, low)), logical_and(right, equal(x, high))


def _clip_means(y: Tensor, x: Tensor, low: Tensor, high: Tensor) -> Sequence[Tensor]:
    at_low, at_high = [cast(met, x.dtype) for met in _bounds_met(x, low, high)]
    share = 1.0 / (1.0 + at_low + at_high)
    return share, at_low * share, at_high * share


has_kinks("Abs", Kink(_at(0.0), _all(0.0)))
# Its own rule makes zeros of nothing, and a graph would run nothing that notes the ties.
_OF_SIGN: Final = Kink(_at(0.0), _all(0.0))
declare_kinks(
    "Sign",
    lambda row, how, place: with_kinks(
        row.replace(vjp=(lambda g, y, x: where(equal(y, zeros_like(y) + 2.0), g, zeros_like(g)),)),
        _OF_SIGN,
        how,
        place,
    ),
)
has_kinks("Relu", Kink(_at(0.0), _all(0.5)))
has_kinks("Relu6", Kink(_at(0.0, 6.0), _all(0.5)))
has_kinks("Selu", Kink(_at(0.0), _all(sum(_SELU_SLOPES) / 2)))
has_kinks("LeakyRelu", Kink(_at(0.0), lambda y, x, *, alpha: ((1.0 + alpha) / 2,)))
for _name in ("Maximum", "Minimum"):
    has_kinks(_name, Kink(lambda z, x, y: equal(x, y), _all(0.5, 0.5)))
has_kinks(
    "ClipByValue",
    Kink(lambda y, x, low, high: logical_or(*_bounds_met(x, low, high)), _clip_means),
)

# ---- extremes of several elements, among which the rules share already ------------------------


def _more_than_one(count: Tensor) -> Tensor:
    return greater(count, zeros_like(count) + 1.0)


def _reduced(y: Tensor, x: Tensor, *, axis: Dims, keepdims: bool) -> Tensor:
    extreme = y
    for i in () if keepdims else sorted(axis):
        extreme = expand_dims(extreme, i)
    return _more_than_one(reduce_sum(cast(equal(x, extreme), x.dtype), axis, keepdims))


def _by_segment(y: Tensor, x: Tensor, ids: Tensor, **attrs: object) -> Tensor:
    chosen = cast(equal(x, rows_of_segments(y, ids)), x.dtype)
    return _more_than_one(unsorted_segment_sum(chosen, ids, dims(y)[0]))


for _name in ("Max", "Min"):
    has_kinks(_name, Kink(_reduced))
    has_kinks(
        f"TensorScatter{_name}", Kink(lambda y, x, i, u: _more_than_one(shares(y, x, i, u)[2]))
    )
    has_kinks(f"Segment{_name}", Kink(_by_segment))
    has_kinks(f"UnsortedSegment{_name}", Kink(_by_segment))
