"""tf.compare: the ways to differentiate side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from wengert.derivatives.arguments import check_function
from wengert.insight.compare import ways
from wengert.insight.compare.composition import Composition
from wengert.insight.compare.ways import Counted, Difference, Symbolic, Way
from wengert.insight.reports.blocks import Block, Heading, Picture, Table, Words, terms
from wengert.insight.reports.curves import Curve, log_log
from wengert.insight.reports.report import Report
from wengert.values.value import Value

_LEAST: Final = 1e-17  # what an error of zero is drawn as
_LONGEST: Final = 400  # letters of a formula that is shown
Points = list[tuple[float, float]]


class Comparison(Report):
    """Derivatives of one function at one number, in all ways: print it, or look at it as a page.

    `ways` holds the rows, `reference` the derivative to fifty digits ('' without mpmath), `curves` the
    errors of differences over their steps, `formula` the derivative that SymPy finds ('' without it).
    """

    def __init__(
        self,
        name: str,
        x: float,
        found: Sequence[Way],
        reference: tuple[str, str],
        curves: dict[str, Points],
        symbolic: Symbolic | None,
    ) -> None:
        self.title = f"The derivative of {name} at {x:g}, in all ways"
        self.x = x
        self.ways = list(found)
        self.reference, self._why = reference
        self.curves = curves
        self.formula = "" if symbolic is None else _shown(symbolic)
        self._symbolic = symbolic

    def error(self, way: Way) -> float | None:
        """The error of a way, as a share of the reference; None where one of them is missing."""
        if way.value is None or not self.reference or not math.isfinite(way.value):
            return None
        return ways.relative_error(way.value, self.reference)

    def blocks(self) -> list[Block]:
        """The reference, the table, the errors over the step, the formula."""
        truth = f"To fifty digits it is {self.reference} (mpmath)."
        return [
            Words(truth if self.reference else f"There is no reference: {self._why}."),
            self._table(),
            *self._over_steps(),
            *self._swelling(),
        ]

    def _table(self) -> Table:
        header = ("way", "derivative", "error", "evaluations", "time", "")
        rows = [
            (
                way.name,
                "" if way.value is None else f"{way.value:.16g}",
                "" if (error := self.error(way)) is None else f"{error:.1e}",
                "" if way.evaluations is None else str(way.evaluations),
                "" if way.seconds is None else _span(way.seconds),
                way.note,
            )
            for way in self.ways
        ]
        return Table(header, tuple(rows), frozenset((1, 2, 3, 4)))

    def _over_steps(self) -> list[Block]:
        if not any(self.curves.values()):
            return []
        drawn = [
            Curve(name, tuple((h, max(error, _LEAST)) for h, error in points))
            for name, points in self.curves.items()
        ]
        words = (
            "With a large step a difference is not yet the derivative; with a small one its digits "
            "cancel. In between lies the best that it can do."
        )
        text = "\n".join(_in_text(name, points) for name, points in self.curves.items())
        svg = log_log(drawn, "step h", "relative error")
        return [Heading("Differences over their step"), Words(words), Picture(svg, text)]

    def _swelling(self) -> list[Block]:
        if self._symbolic is None:
            return []
        before = ways.operations_in(self._symbolic.function)
        after = ways.operations_in(self._symbolic.derivative)
        words = f"The function is a formula of {before} operations, its derivative one of {after}"
        words += f", found in {_span(self._symbolic.seconds)}."
        shown = [terms(self.formula)] if self.formula else []
        return [Heading("The formula"), Words(words), *shown]

    def to_dict(self) -> dict[str, Any]:
        """The numbers."""
        return {
            "x": self.x,
            "reference": self.reference,
            "ways": [{**way._asdict(), "error": self.error(way)} for way in self.ways],
            "curves": {name: [list(p) for p in points] for name, points in self.curves.items()},
            "formula": self.formula,
        }


def compare(f: Callable[[Any], Any], x: float) -> Comparison:
    """A function of one number differentiated in all ways, side by side.

    By forward and central differences, over all steps; by a complex step; symbolically, with SymPy; in
    forward and in reverse mode. Each with its error against fifty digits (mpmath), how often it
    evaluates the function, and the time. Print the result, or `to_html("page.html")`. SymPy and
    mpmath come with `pip install wengert[insight]`; without them their rows say so.

    >>> found = tf.compare(lambda x: tf.sin(x) * x, 0.5)
    >>> [way.name for way in found.ways][:2]
    ['forward difference', 'central difference']
    >>> [way.value for way in found.ways if way.name == "reverse mode"]
    [0.918216819549...]
    """
    check_function(f, "compare")
    at = _number(x)
    counted = Counted(f)
    _check_result(counted, at)
    composition = cache(lambda: Composition(f))
    exact = ways.reference(composition, at)
    curves = _curves(counted, at, exact[0])
    symbolic, formulas = ways.symbolic_way(composition, at)
    differences = [_difference(counted, d, at, curves.get(d.name, [])) for d in ways.DIFFERENCES]
    found = [
        *differences,
        _if_analytic(ways.timed(counted, "complex step", ways.complex_step(at)), differences[-1]),
        symbolic,
        ways.timed(counted, "forward mode", ways.forward_mode(at)),
        ways.timed(counted, "reverse mode", ways.reverse_mode(at)),
    ]
    return Comparison(_name_of(f), at, found, exact, curves, formulas)


def _if_analytic(step: ways.Way, difference: ways.Way) -> ways.Way:
    """The complex step, unless a difference along the real line shows that it says something else."""
    if step.value is None or difference.value is None:
        return step
    if abs(step.value - difference.value) <= 1e-3 * (1.0 + abs(difference.value)):
        return step
    note = "the function is not analytic: along the real line it has another derivative"
    return ways.Way(step.name, None, note=note)


def _number(x: Any) -> float:
    array = np.asarray(x._array if isinstance(x, Value) else x)
    if (
        array.size != 1
        or array.dtype.kind not in "fiuV"
        or not np.isfinite(float(array.ravel()[0]))
    ):
        raise ValueError(
            f"tf.compare differentiates at one finite real number, got {x!r}. For a function of many "
            "numbers, vary one and keep the others."
        )
    return float(array.ravel()[0])


def _check_result(f: Counted, x: float) -> None:
    y = f(np.float64(x))
    if y.shape.num_elements() != 1 or not y.dtype.is_floating:
        raise ValueError(
            f"tf.compare takes a function that returns one real number; at {x:g} it returned "
            f"{y.dtype.name}{list(y.shape)}. Reduce it, for example with tf.reduce_sum."
        )


def _curves(f: Counted, x: float, exact: str) -> dict[str, Points]:
    if not exact:
        return {}
    return {d.name: ways.curve(f, d, x, exact) for d in ways.DIFFERENCES}


def _difference(f: Counted, difference: Difference, x: float, points: Points) -> Way:
    h = difference.usual_step(x)
    note = f"h = {h:.1e}"
    if points:
        best, least = min(points, key=lambda p: p[1])
        note += f"; at best {least:.1e}, h = {best:.1e}"
    return ways.timed(f, difference.name, difference.derivative(x, h), note)


def _name_of(f: Callable[..., Any]) -> str:
    name = getattr(f, "__name__", "")
    return name if name.isidentifier() else "the function"


def _span(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def _shown(symbolic: Symbolic) -> str:
    if ways.operations_in(symbolic.derivative) > _LONGEST:
        return ""
    text = str(symbolic.derivative)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _in_text(name: str, points: Points) -> str:
    """The curve in numbers, for a terminal: every second decade."""
    some = [f"{h:.0e}: {error:.0e}" for h, error in points[1::4]]
    return f"{name:<20} {'  '.join(some)}"
