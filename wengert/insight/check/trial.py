"""One point: the Jacobian by the rules beside the one by differences, and where they disagree.

Both are taken in coordinates: a row for each cotangent, a column for each direction. For few elements these
are the units, and the matrices are the Jacobians themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from wengert.insight.check.coordinates import ELEMENTS, basis, count, joined, largest, reals, split
from wengert.insight.check.slopes import (
    SAFETY,
    Reference,
    Slope,
    bends_here,
    is_some_slope,
    is_too_steep,
    noise_of_values,
    precision_of,
    rounding,
    sides,
    slack,
)
from wengert.insight.check.subject import Pass, Subject, size_of

if TYPE_CHECKING:
    from wengert.values.typing import Array

_SMALLEST: Final = 1e-300
_PROBED: Final = 3  # columns; if none of them is a kink, no others are looked at
_SAME: Final = 0.1  # of what the rule and the differences differ by
_DIGITS: Final = 1e-4  # relative: with so many a slope is seen well
UNCLEAR: Final = 1e-6  # a relative error that wants to be explained


class Block(NamedTuple):
    """What was found of one input at one point; the matrices have a row for each cotangent."""

    rule: Array
    seen: Array
    errors: Array
    wrong: Array  # where the rule is not what it should be
    kinks: Array  # where the slopes to both sides differ
    explained: Array  # where rounding explains what they differ by
    units: list[int]  # the elements that the first columns belong to
    is_none: bool
    cotangents: Array

    @property
    def is_wrong(self) -> bool:
        """Whether there is a fault."""
        return bool(self.wrong.any())

    @property
    def difference(self) -> float:
        """The largest one, where the errors are known and there is no kink."""
        return largest((self.rule - self.seen)[np.isfinite(self.errors) & ~self.kinks])

    @property
    def scale(self) -> float:
        """The largest element."""
        return max(largest(self.seen), 1e-300)


class Trial:
    """The rules and the differences at a point."""

    def __init__(
        self,
        subject: Subject,
        xs: Sequence[Array],
        rng: np.random.Generator,
        most: int = ELEMENTS,
        is_given: bool = False,
    ) -> None:
        self.subject = subject
        self._is_given = is_given
        self._most = most  # elements of an input or of the results that are taken one by one
        self.xs = [np.array(x) for x in xs]
        self.passed = Pass(subject, xs)
        self.values = self.passed.values
        self._rng = rng
        self.cotangents, self.rows = basis(count(self.values), rng, most)
        self.pulled = self._gradients(self.passed)
        self.blocks: list[Block] = []

    def compare(self) -> list[Block]:
        """For each input the rule beside the differences."""
        self.reference = Reference(self.subject, self.xs, self.noise, self._rng)
        self.blocks = [self._block(i) for i in range(len(self.xs))]
        return self.blocks

    def _gradients(self, passed: Pass) -> list[list[Array | None]]:
        """For each cotangent the gradients, as vectors of reals."""
        rows = [passed.pulled(split(w, passed.values)) for w in self.cotangents]
        return [[None if g is None else reals(g).astype(np.float64) for g in row] for row in rows]

    def _matrix(self, pulled: Sequence[Sequence[Array | None]], i: int) -> Array:
        size = count([self.xs[i]])
        rows = [np.zeros(size) if row[i] is None else row[i] for row in pulled]
        return np.array(rows, np.float64).reshape(len(rows), size)

    def gradient_matrix(self, i: int) -> Array:
        """The gradients of an input as rows, one for each cotangent."""
        return self._matrix(self.pulled, i)

    def _along(self, i: int, directions: Array, units: Sequence[int]) -> Array:
        """The gradients along directions; by single elements as they are, as 0 times NaN would be NaN."""
        matrix = self.gradient_matrix(i)
        rule = matrix @ directions.T
        rule[:, : len(units)] = matrix[:, list(units)]
        return rule

    def tangents(self, i: int, vector: Array) -> list[Array | None]:
        """A direction of one input alone."""
        ts: list[Array | None] = [None] * len(self.xs)
        wide = self.xs[i].astype(np.complex128 if self.xs[i].dtype.kind == "c" else np.float64)
        (ts[i],) = split(vector, [wide])
        return ts

    def _block(self, i: int) -> Block:
        directions, units = basis(count([self.xs[i]]), self._rng, self._most)
        slopes = [self.reference.slope(self.tangents(i, v)) for v in directions]
        rule = self._along(i, directions, units)
        seen = self._columns([s.values for s in slopes])
        errors = self._columns([s.errors for s in slopes], np.abs)
        seen = np.where(np.isfinite(errors), seen, 0.0)
        scale = max(largest(seen), size_of(self.values, [self.xs[i]]))
        allowed = SAFETY * errors + slack(self.precision) * scale
        wrong = _beyond(rule, seen, allowed)
        unclear = np.isfinite(errors) & (
            SAFETY * errors > self.unclear * max(largest(seen), 1e-300)
        )
        unclear &= largest(seen) > self.unclear * scale
        suspects = wrong.any(0) | unclear.any(0) | self._bent(i, directions, scale)
        wrong, kinks, sure = self._without_kinks(i, directions, suspects, rule, wrong, allowed)
        explained = self._cleared(i, directions, rule, unclear & ~wrong & ~kinks)
        if wrong.any():
            noise = self.rounding_noise(i, directions)
            rounded = wrong & ~sure & ~_beyond(rule, seen, allowed + 2 * SAFETY * noise)
            wrong &= ~rounded
            doubted, steep = self._without_steep(i, directions, rule, seen, wrong & ~sure)
            wrong = doubted | (wrong & sure)
            explained |= rounded | self._cleared(i, directions, rule, steep)
        nothing = bool(self.pulled) and all(row[i] is None for row in self.pulled)
        return Block(rule, seen, errors, wrong, kinks, explained, units, nothing, self.cotangents)

    @property
    def precision(self) -> float:
        """The relative precision of inputs and results."""
        return precision_of([*self.xs, *self.values])

    @property
    def unclear(self) -> float:
        """A relative error that wants to be explained, in the precision that there is."""
        return max(UNCLEAR, 100 * float(self.precision ** (2 / 3)))  # as good as differences are

    def _columns(
        self, vectors: Sequence[Array], of: Callable[[Array], Array] = np.asarray
    ) -> Array:
        if not vectors:
            return np.zeros((len(self.cotangents), 0))
        with np.errstate(invalid="ignore"):
            # By units: 0 times an error that is infinite is not wanted here.
            if len(self.rows) == len(self.cotangents):
                return np.stack(vectors, -1)
            return of(self.cotangents) @ np.stack(vectors, -1)

    # ---- kinks -------------------------------------------------------------------------------

    def _bent(self, i: int, directions: Array, scale: float) -> Array:
        """Which directions may meet a kink at the point that was given; elsewhere none is expected."""
        if not self._is_given:
            return np.zeros(len(directions), bool)
        f, size = self.subject.flat, max(scale, 1e-300)
        return np.array(
            [bends_here(f, self.xs, self.tangents(i, v), size, self.noise) for v in directions],
            bool,
        )

    def _without_kinks(
        self, i: int, directions: Array, suspects: Array, rule: Array, wrong: Array, allowed: Array
    ) -> tuple[Array, Array, Array]:
        """What stays wrong where the slopes to both sides are known, where these differ, and what is wrong even so."""
        wrong, kinks = wrong.copy(), np.zeros_like(wrong)
        sure = kinks.copy()
        for number, k in enumerate(np.flatnonzero(suspects)):
            if number == _PROBED and not kinks.any():
                break
            behind, ahead = self._sides(self.tangents(i, directions[k]))
            bends, lies = at_kink(rule[:, k], behind, ahead, allowed[:, k])
            kinks[:, k] = bends
            wrong[:, k] &= ~(bends & lies)
            sure[:, k] = wrong[:, k] & bends
        return wrong, kinks & ~wrong, sure

    def _without_steep(
        self, i: int, directions: Array, rule: Array, seen: Array, wrong: Array
    ) -> tuple[Array, Array]:
        """What stays wrong where differences with some small step are what the rule says.

        Beside a pole the steps that are tried first are too wide, and their errors are unknown.
        """
        wrong, steep = wrong.copy(), np.zeros_like(wrong)
        for number, k in enumerate(np.flatnonzero(wrong.any(0))):
            if number == _PROBED and not steep.any():
                break
            at = wrong[:, k]
            within = _SAME * float(np.linalg.norm((rule - seen)[at, k]))
            ts = self.tangents(i, directions[k])
            if self._is_some_slope(ts, rule[:, k], within, at) or (
                not self.reference.is_exact
                and is_too_steep(self._weighted, self.xs, ts, seen[:, k])
            ):
                steep[:, k], wrong[:, k] = at, False
        return wrong, steep

    def _cleared(self, i: int, directions: Array, rule: Array, unclear: Array) -> Array:
        """What stays unclear where no small step gives a good part of the digits."""
        unclear = unclear.copy()
        for number, k in enumerate(np.flatnonzero(unclear.any(0))):
            at = unclear[:, k]
            within = _DIGITS * float(np.linalg.norm(rule[:, k]))
            if self._is_some_slope(self.tangents(i, directions[k]), rule[:, k], within, at):
                unclear[:, k] = False
            elif number == _PROBED:
                break
        return unclear

    def _is_some_slope(
        self, ts: list[Array | None], claimed: Array, within: float, at: Array
    ) -> bool:
        known = bool(np.isfinite(within))
        return known and is_some_slope(self._weighted, self.xs, ts, claimed, within, at)

    def _weighted(self, *xs: Array) -> list[Array]:
        return [self.cotangents @ self.subject.flat(*xs)[0]]

    def _sides(self, ts: list[Array | None]) -> tuple[Slope, Slope]:
        made = [self._column(s) for s in sides(self.subject.flat, self.xs, ts, self.noise)]
        return made[0], made[1]

    def _column(self, slope: Slope) -> Slope:
        return Slope(
            self._columns([slope.values])[:, 0], self._columns([slope.errors], np.abs)[:, 0]
        )

    # ---- rounding ----------------------------------------------------------------------------

    @cached_property
    def noise(self) -> Array:
        """What roundings of the inputs do to the results."""
        return noise_of_values(self.subject.flat, self.xs, self._rng)

    def rounding_noise(self, i: int, directions: Array) -> Array:
        """What roundings of the inputs do to the rule, and to the differences where these are exact."""
        rule = rounding(
            lambda xs: self._matrix(self._gradients(Pass(self.subject, xs)), i) @ directions.T,
            self.xs,
            self._rng,
        )
        if not self.reference.is_exact:
            return rule
        ts = [self.tangents(i, v) for v in directions]
        seen = rounding(
            lambda xs: self._columns([self.reference.slope(t, xs).values for t in ts]),
            self.xs,
            self._rng,
        )
        return np.asarray(np.fmax(rule, seen))

    # ---- conditions --------------------------------------------------------------------------

    def condition(self, i: int) -> float:
        """By how much a relative error of an input is magnified in the results: by slopes, and by trying."""
        seen, y = self.blocks[i].seen, joined(self.values)
        bottom = max(float(np.linalg.norm(y)), 1e-300)
        x = float(np.linalg.norm(joined([self.xs[i]])))
        moved = rounding(
            lambda xs: self.subject.flat(*xs)[0].astype(np.float64), self.xs, self._rng
        )
        tried = float(np.linalg.norm(moved)) / (4 * self.precision * bottom)
        return max(float(np.linalg.norm(seen)) * x / bottom, tried)


def _beyond(rule: Array, seen: Array, allowed: Array) -> Array:
    """Where two numbers differ by more than is allowed; where that is not known they do not."""
    with np.errstate(invalid="ignore"):
        # What is smaller than this has fewer digits than numbers usually have, or none.
        return np.asarray(~(np.abs(rule - seen) <= allowed + _SMALLEST) & np.isfinite(allowed))


def at_kink(rule: Array, behind: Slope, ahead: Slope, allowed: Array) -> tuple[Array, Array]:
    """Where two slopes differ, and where a rule is one of them or between them."""
    with np.errstate(invalid="ignore"):
        error = SAFETY * (np.minimum(behind.errors, 1e300) + np.minimum(ahead.errors, 1e300))
        known = np.isfinite(behind.errors) & np.isfinite(ahead.errors)
        gap = np.abs(behind.values - ahead.values)
        size = np.maximum(np.abs(behind.values), np.abs(ahead.values))
        bends = known & (gap > error + 1e-6 * size)
        one = [
            np.isfinite(s.errors) & (np.abs(rule - s.values) <= SAFETY * s.errors + 1e-6 * size)
            for s in (behind, ahead)
        ]
        low = np.minimum(behind.values, ahead.values) - error - 1e-9 * size
        high = np.maximum(behind.values, ahead.values) + error + 1e-9 * size
        # Where the function jumps there is a slope to one side alone.
        clear = [s.errors <= 1e-3 * np.abs(s.values) + 1e-9 * size for s in (behind, ahead)]
        jumps = clear[0] != clear[1]
        lies = one[0] | one[1] | (known & (rule >= low) & (rule <= high))
        lies |= ~np.isfinite(rule)  # a norm at zero: there is no slope, and NaN says so
    return np.asarray(bends | jumps), np.asarray(lies)
