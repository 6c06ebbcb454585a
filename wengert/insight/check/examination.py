"""One check, from the first call to the report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from wengert.insight.check.coordinates import ELEMENTS, joined, largest, place_in, split
from wengert.insight.check.findings import Aspect, InputFinding
from wengert.insight.check.fits import product_in_words
from wengert.insight.check.form import name_form
from wengert.insight.check.naming import Evidence, Named, good, name_fault
from wengert.insight.check.properties import forward, linear, steady
from wengert.insight.check.report import CheckReport
from wengert.insight.check.second_order import second_order
from wengert.insight.check.slopes import SAFETY, computed_with, taylor_slope
from wengert.insight.check.special_values import at_special_values
from wengert.insight.check.subject import OF_FORM, Pass, Subject
from wengert.insight.check.trial import UNCLEAR, Block, Trial
from wengert.insight.check.ways import batched, in_function

if TYPE_CHECKING:
    from wengert.values.typing import Array

NEAR: Final = 3  # points near the one that was given
_MOVES: Final = (0.1, 1e-2, 1e-3)  # relative; the widest at which the function has a value
MODES: Final = ("forward", "batch", "function", "compiled")
_WHOLE: Final = 300  # elements of Jacobians that are computed to name a fault
_FAR: Final = (-1.0, 4.0, 0.25)  # times the inputs: where else a rule may be right


class Examination:
    """What is found out about a function near a point."""

    def __init__(self, subject: Subject, order: int, modes: Sequence[str], special: bool) -> None:
        self.subject = subject
        self._order = order
        self._modes = modes
        self._special = special
        self._rng = np.random.default_rng(0)  # the same points each time: a report can be repeated
        self._trials: list[Trial] = []
        self.aspects: list[Aspect] = []
        self._symmetric: list[int] = []  # inputs of which one triangle is read

    def report(self) -> CheckReport:
        """Look at everything, and say it."""
        with computed_with(self.subject.dtypes_within()):
            return self._reported(time.perf_counter())

    def _reported(self, began: float) -> CheckReport:
        try:
            findings = self._findings()
        except OF_FORM as error:
            self._trials = []
            named, hit = name_form(error, self.subject)
            findings = [self._of_form(i, named, i in hit) for i in range(len(self.subject.inputs))]
        self._look_beside(findings)
        return CheckReport(
            self.subject.called_at, findings, self.aspects, self._notes(time.perf_counter() - began)
        )

    # ---- the numbers -------------------------------------------------------------------------

    def _findings(self) -> list[InputFinding]:
        self._keeps_dtypes()
        self.aspects += steady(self.subject, self.subject.arrays, self._rng)
        if any(a.fault for a in self.aspects):
            return [
                self._finding(i, "", ("not looked at",)) for i in range(len(self.subject.inputs))
            ]
        self._trials = [
            Trial(self.subject, xs, self._rng, is_given=n == 0)
            for n, xs in enumerate(self._points())
        ]
        self.aspects.append(linear(self._trials[0], self._rng))
        for trial in self._trials:
            trial.compare()
        return [self._judged(i) for i in range(len(self.subject.inputs))]

    def _of_form(self, i: int, named: Named, is_hit: bool) -> InputFinding:
        return self._finding(
            i, *((named.kind, (named.words,)) if is_hit else ("", ("not looked at",)))
        )

    def _keeps_dtypes(self) -> None:
        """In the precision that was given the tape holds the gradients against the inputs, too."""
        if self.subject.is_widened and self.subject.takes_given:
            passed = Pass(self.subject, [x.array for x in self.subject.inputs])
            passed.pulled([np.ones_like(y) for y in passed.values])

    def _points(self) -> list[list[Array]]:
        near = [self._near() for _ in range(NEAR)]
        return [self.subject.arrays, *[xs for xs in near if xs is not None]]

    def _near(self) -> list[Array] | None:
        """A point near the given one, where the function has values."""
        for share in _MOVES:
            moved = [self._moved(x, share) for x in self.subject.arrays]
            if self._has_values(moved):
                return moved
        return None

    def _moved(self, x: Array, share: float) -> Array:
        """Each number by a share of itself; zeros by one of the others."""
        size = np.abs(x) + (x == 0) * (float(np.mean(np.abs(x))) or 1.0 if x.size else 1.0)
        way = self._rng.uniform(-1, 1, x.shape)
        if x.dtype.kind == "c":
            way = way + 1j * self._rng.uniform(-1, 1, x.shape)
        return np.asarray(x + share * size * way).astype(x.dtype)

    def _has_values(self, xs: Sequence[Array]) -> bool:
        """Whether the results are finite where they were at the given point."""
        try:
            found = joined(self.subject.values(xs))
        except Exception:  # noqa: BLE001  # the function's own: it refuses the point
            return False
        here = joined(
            self._trials[0].values if self._trials else self.subject.values(self.subject.arrays)
        )
        return found.shape == here.shape and bool(np.all(np.isfinite(found) | ~np.isfinite(here)))

    def _finding(
        self,
        i: int,
        fault: str,
        words: Sequence[str],
        difference: float | None = None,
        condition: float | None = None,
    ) -> InputFinding:
        x = self.subject.inputs[i]
        return InputFinding(i, x.name, x.label, fault, tuple(words), difference, condition)

    def _judged(self, i: int) -> InputFinding:
        blocks = [t.blocks[i] for t in self._trials]
        difference = max(b.difference for b in blocks)
        wrong = next((k for k, b in enumerate(blocks) if b.is_wrong), None)
        if wrong is not None and all(_is_symmetrized(b, self.subject.arrays[i]) for b in blocks):
            self._symmetric.append(i)
            name = self.subject.inputs[i].name
            said = (
                f"one triangle of {name} is read, and the gradient is that among symmetric matrices"
            )
            return self._finding(i, "", (said,), 0.0)
        if wrong is not None:
            named = self._named(i, blocks)
            words = [self._example(i, wrong), named.words, self._as_product(i)]
            return self._finding(i, named.kind, [w for w in words if w], difference)
        if blocks[0].kinks.any():
            return self._finding(i, "kink", (self._at_kink(i),), difference)
        if any(b.explained.any() for b in blocks):
            condition = max(t.condition(i) for t in self._trials)
            seen = f"as far as rounding lets it be seen: ill-conditioned, condition about {condition:.1g}"
            return self._finding(i, "ill-conditioned", (seen,), difference, condition)
        return self._finding(i, "", (_largest(blocks, difference),), difference)

    def _named(self, i: int, blocks: Sequence[Block]) -> Named:
        unsteady = next((a for a in self.aspects if a.fault == "not-linear"), None)
        if unsteady is not None:
            return Named("not-linear", unsteady.words)
        pairs = [(b, t.xs[i]) for b, t in zip(blocks, self._trials, strict=True)]
        pairs = self._whole(i) or [
            (b, x) for b, x in pairs if good(b).any() or b.is_none or b.is_wrong
        ]
        name = self.subject.inputs[i].name
        seen, at = [b for b, _ in pairs], [x for _, x in pairs]
        return name_fault(
            Evidence(
                name, seen, at, self._trials[0].values,
                lambda: self._farther(i), lambda: self._turned(i),
            )
        )  # fmt: skip

    def _as_product(self, i: int) -> str:
        names = {x.name: a for x, a in zip(self.subject.inputs, self.subject.arrays, strict=True)}
        return product_in_words(self._trials[0], i, names, self._rng)

    def _whole(self, i: int) -> list[tuple[Block, Array]]:
        """The whole Jacobian in place of a sample, where it is not too large: a fault is named by it."""
        first = self._trials[0]
        sizes = [joined([first.xs[i]]).size, joined(first.values).size]
        if not ELEMENTS < max(sizes) <= _WHOLE or not first.blocks[i].is_wrong:
            return []
        trial = Trial(self.subject, first.xs, self._rng, _WHOLE)
        return [(trial.compare()[i], first.xs[i])]

    def _farther(self, i: int) -> list[tuple[Block, Array]]:
        """The input at other points, by which a fault for some numbers only is known."""
        found = []
        for factor in _FAR:
            xs = [x * factor if n == i else x for n, x in enumerate(self.subject.arrays)]
            if self._has_values(xs):
                trial = Trial(self.subject, xs, self._rng)
                found.append((trial.compare()[i], xs[i]))
        return found

    def _turned(self, i: int) -> list[tuple[Block, Array]]:
        """The input with its numbers in other places: a fault stays with the numbers, or with the places."""
        found = []
        for by in (1, self.subject.arrays[i].size // 2):
            xs = [np.roll(x, by) if n == i else x for n, x in enumerate(self.subject.arrays)]
            if self._has_values(xs):
                found.append((Trial(self.subject, xs, self._rng, _WHOLE).compare()[i], xs[i]))
        return found

    # ---- words -------------------------------------------------------------------------------

    def _example(self, i: int, at: int) -> str:
        """One number that is wrong, the one with the largest difference."""
        trial, b = self._trials[at], self._trials[at].blocks[i]
        with np.errstate(invalid="ignore"):
            gap = np.nan_to_num(np.abs(b.rule - b.seen), nan=np.inf)
        of_units = b.wrong & (np.arange(gap.shape[1]) < len(b.units))
        shown = of_units if of_units.any() else b.wrong  # an element rather than a direction
        row, column = np.unravel_index(int(np.argmax(np.where(shown, gap, -1.0))), gap.shape)
        below = self._input_place(i, int(column), b)
        above = self._result_place(trial, int(row))
        return f"d {above} / d {below}: rule {b.rule[row, column]:.6g}, differences {b.seen[row, column]:.6g} ± {b.errors[row, column]:.0e}"

    def _input_place(self, i: int, column: int, b: Block) -> str:
        x = self.subject.inputs[i]
        if column < len(b.units):
            return x.name + place_in(self.subject.arrays[i], b.units[column])
        return f"{x.name} (along a direction)"

    def _result_place(self, trial: Trial, row: int) -> str:
        if row >= len(trial.rows):
            return "<w, output>"
        number = trial.rows[row]
        for k, y in enumerate(trial.values):
            size = joined([y]).size
            if number < size:
                return f"output{k if len(trial.values) > 1 else ''}{place_in(y, number)}"
            number -= size
        return "output"

    def _at_kink(self, i: int) -> str:
        b = self._trials[0].blocks[i]
        column = int(np.argmax(b.kinks.any(0)))
        is_number = np.isfinite(b.rule[:, column][b.kinks[:, column]]).all()
        gives = (
            "a slope of one side, or one between"
            if is_number
            else "no number, as there is no slope"
        )
        return f"at {self._input_place(i, column, b)} there is a kink: the rule gives {gives}"

    # ---- beside the numbers ------------------------------------------------------------------

    def _look_beside(self, findings: Sequence[InputFinding]) -> None:
        """Forward mode, batches, functions, second order."""
        wrong = [x.number for x in findings if not x.right]
        if not self._trials or any(a.fault == "not-linear" for a in self.aspects):
            words = "something more basic is wrong"
            self.aspects.append(Aspect("forward mode, batches, functions", "not tried", words))
            return
        points = [t.xs for t in self._trials]
        if "forward" in self._modes:
            self.aspects.append(forward(self._trials[0], self._rng, wrong))
        if "batch" in self._modes:
            self.aspects.append(batched(self.subject, points, self._rng))
        for mode in ("function", "compiled"):
            if mode in self._modes:
                self.aspects.append(
                    in_function(self.subject, points[0], self._rng, mode == "compiled")
                )
        if self._order > 1:
            self.aspects.append(self._second(wrong))

    def _second(self, wrong: Sequence[int]) -> Aspect:
        if wrong:
            return Aspect("second order", "not tried", "first order is wrong")
        sound = [t.xs for t in self._trials if all(np.isfinite(b.rule).all() for b in t.blocks)]
        if not sound:
            return Aspect("second order", "not tried", "the gradient is no number at these points")
        return second_order(self.subject, sound[:2], self._rng, self._symmetric)

    def _notes(self, seconds: float) -> list[str]:
        notes = []
        if self.subject.is_widened:
            notes.append(
                "Inputs of lower precision were looked at in float64, which the function allows."
            )
        elif self.subject.why_narrow:
            notes.append(
                f"Looked at in the precision that was given, as the function does not allow float64 ({self.subject.why_narrow}): "
                "what differs by less than rounding makes cannot be seen."
            )
        if not self._trials:
            return notes
        if self._special:
            notes += at_special_values(self.subject)
        slope = self._taylor()
        if slope is not None:
            notes.append(
                f"Along a random direction the error of the linear approximation falls as h^{slope:.2f}; "
                "with a right gradient, and away from kinks, it is h^2."
            )
        points = (
            "the given point alone"
            if len(self._trials) == 1
            else f"the given point and {len(self._trials) - 1} near it"
        )
        directions = " + ".join(str(b.rule.shape[1]) for b in self._trials[0].blocks)
        way = "complex steps" if self._trials[0].reference.is_exact else "differences"
        notes.append(
            f"Tried at {points}, along {directions} direction{'' if directions == '1' else 's'}, by {way}, "
            f"in {seconds:.2f} s."
        )
        return notes

    def _taylor(self) -> float | None:
        trial = self._trials[0]
        if len(trial.rows) != len(trial.cotangents):
            return None
        ts = [split(self._rng.normal(size=joined([x]).size), [x])[0] for x in trial.xs]
        claimed = sum(trial.gradient_matrix(i) @ joined([t]) for i, t in enumerate(ts))
        return taylor_slope(self.subject.flat, trial.xs, ts, np.asarray(claimed))


def _largest(blocks: Sequence[Block], difference: float) -> str:
    slope = max(largest(b.seen) for b in blocks)
    if all(b.is_none for b in blocks) and not slope:
        return "None, and the result does not depend on it"
    if not any(np.isfinite(b.errors).any() for b in blocks):
        return "the slopes are not known here: nothing can be said"
    small = not slope or difference < UNCLEAR * slope
    return f"largest difference {difference:.0e}" + (
        "" if small else f", the largest slope {slope:.2g}"
    )


def _is_symmetrized(b: Block, x: Array) -> bool:
    """Whether a rule shares the slope by one triangle of a symmetric matrix with the other, as TensorFlow's do."""
    shape = x.shape
    if (
        x.ndim < 2
        or shape[-1] != shape[-2]
        or b.rule.shape[1] != len(b.units)
        or x.dtype.kind == "c"
    ):
        return False
    if not np.array_equal(x, np.swapaxes(x, -1, -2)) or not np.isfinite(b.errors).all():
        return False
    full = b.seen.reshape(-1, *shape)
    shared = ((full + np.swapaxes(full, -1, -2)) / 2).reshape(b.seen.shape)
    allowed = SAFETY * largest(b.errors) + 1e-6 * b.scale
    return bool(largest(b.rule - shared) <= allowed and largest(b.seen - shared) > allowed)
