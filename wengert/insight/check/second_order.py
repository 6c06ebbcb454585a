"""Whether the rule may be differentiated again: the gradient's own derivative beside differences of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.gradients.gradient_tape import GradientTape
from wengert.insight.check.coordinates import joined, largest, reals, split
from wengert.insight.check.findings import Aspect, fault_in, not_possible
from wengert.insight.check.slopes import (
    SAFETY,
    Slope,
    along,
    is_some_slope,
    is_too_steep,
    noise_of_values,
    precision_of,
    rounding,
    sides,
    slack,
)
from wengert.insight.check.subject import Pass, Subject, gradients_of, size_of
from wengert.insight.check.trial import at_kink
from wengert.values.bound_ops import bound
from wengert.values.tensor import wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array

_NAME = "second order"


class Curvature:
    """The gradient of <w, f>, as a function of the inputs, and its derivative along a direction."""

    def __init__(
        self,
        subject: Subject,
        xs: Sequence[Array],
        rng: np.random.Generator,
        symmetric: Collection[int] = (),
    ) -> None:
        self._subject = subject
        self._xs = list(xs)
        values = subject.values(xs)
        self._ws = split(rng.normal(size=joined(values).size), values)
        self._vs = [split(rng.normal(size=joined([x]).size), [x])[0] for x in xs]
        for i in symmetric:  # the gradient is one among symmetric matrices
            self._vs[i] = (self._vs[i] + np.swapaxes(self._vs[i], -1, -2)) / 2
        self._rng = rng
        self._scale = size_of(values, xs) / max(largest(joined(xs)), 1.0)

    def gradient(self, *arrays: Array) -> list[Array]:
        """The gradient as one vector, in a list, as differences want it."""
        passed = Pass(self._subject, arrays)
        pairs = zip(passed.pulled(self._ws), passed.held, strict=True)
        return [joined([np.zeros_like(x) if g is None else g for g, x in pairs])]

    def by_rules(self, arrays: Sequence[Array]) -> tuple[Array, bool]:
        """Reverse over reverse; and whether nothing at all came back."""
        xs = [wrap(np.array(a)) for a in arrays]
        ws = [wrap(np.array(w)) for w in self._ws]
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(xs)
            gradients = gradients_of(self._subject.call, xs, ws)
        vs = [wrap(np.array(v)) for v in self._vs]
        found: list[Any] = tape.gradient(gradients, xs, output_gradients=vs)
        filled = [
            np.zeros_like(a) if h is None else np.array(bound.to_dense(h))
            for h, a in zip(found, arrays, strict=True)
        ]
        return joined(filled), all(h is None for h in found)

    def wrong(self) -> tuple[Array, Array, Slope, bool]:
        """Where the second derivative is wrong; it, the differences, and whether there is none."""
        claimed, is_none = self.by_rules(self._xs)
        noise = noise_of_values(self.gradient, self._xs, self._rng)
        seen = along(self.gradient, self._xs, self._vs, noise)
        precision = precision_of(self._xs)
        allowed = SAFETY * seen.errors + slack(precision) * max(largest(seen.values), self._scale)
        with np.errstate(invalid="ignore"):
            gap = np.abs(claimed - seen.values)
            bad = ~(gap <= allowed) & np.isfinite(allowed)
        if bad.any():
            bends, _ = at_kink(claimed, *sides(self.gradient, self._xs, self._vs, noise), allowed)
            bad &= ~bends
        if bad.any():
            bad &= ~(gap <= allowed + 2 * SAFETY * self._noise())
        if bad.any():  # beside a pole the steps that are tried first are too wide
            within = 0.1 * float(np.linalg.norm(gap[bad]))
            steep = is_some_slope(self.gradient, self._xs, self._vs, claimed, within, bad)
            bad &= not (steep or is_too_steep(self.gradient, self._xs, self._vs, seen.values))
        return bad, claimed, seen, is_none

    def _noise(self) -> Array:
        """What roundings of the inputs do to the second derivative."""
        return rounding(lambda xs: self.by_rules(xs)[0], self._xs, self._rng)


def second_order(
    subject: Subject,
    points: Sequence[Sequence[Array]],
    rng: np.random.Generator,
    symmetric: Collection[int] = (),
) -> Aspect:
    """The second derivatives at some points. That they are symmetric is part of the comparison.

    The rules give the transpose of the gradient's Jacobian times v, the differences the Jacobian times v.
    """
    for xs in points:
        curvature = Curvature(subject, xs, rng, symmetric)
        try:
            bad, claimed, seen, is_none = curvature.wrong()
        except Exception as error:  # noqa: BLE001  # of a rule that cannot be differentiated
            return not_possible(_NAME, error)
        if bad.any():
            return fault_in(
                _NAME, "second-order", _words(bad, claimed, seen, is_none), _inputs_at(bad, xs)
            )
    return Aspect(_NAME, "ok")


def _words(bad: Array, claimed: Array, seen: Slope, is_none: bool) -> str:
    k = int(np.argmax(np.where(bad, np.abs(claimed - seen.values), -1.0)))
    if is_none or not claimed.any():
        return (
            f"{'None' if is_none else 'zero'}, and differences of the gradient give {seen.values[k]:.6g}: the rule is a "
            "constant for the tape. Write it with operations of tf, of the inputs themselves"
        )
    return (
        f"the derivative of the rule is {claimed[k]:.6g}, differences of the gradient {seen.values[k]:.6g} ± "
        f"{seen.errors[k]:.0e}: the rule uses something that is a constant for the tape"
    )


def _inputs_at(bad: Array, xs: Sequence[Array]) -> list[int]:
    ends = np.cumsum([reals(x).size for x in xs])
    return sorted({int(np.searchsorted(ends, k, "right")) for k in np.flatnonzero(bad)})
