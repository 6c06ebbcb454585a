"""What a rule gives at zero, at large and small numbers, at infinity, where the function itself has a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from wengert.insight.check.coordinates import joined
from wengert.insight.check.slopes import SAFETY, along
from wengert.insight.check.subject import Pass, Subject

if TYPE_CHECKING:
    from wengert.values.typing import Array

_VALUES: Final = {
    "0": 0.0, "-0.0": -0.0, "1e-30": 1e-30, "1e30": 1e30, "-1e30": -1e30, "1000": 1e3, "-1000": -1e3,
    "inf": np.inf, "-inf": -np.inf, "nan": np.nan,
}  # fmt: skip


def at_special_values(subject: Subject) -> list[str]:
    """What is to be noted. None of it is a fault: there are functions that are meant so."""
    return [
        note for i, x in enumerate(subject.inputs) if x.array.size for note in _of_input(subject, i)
    ]


def _of_input(subject: Subject, i: int) -> Iterator[str]:
    for name, value in _VALUES.items():
        xs = [np.full_like(x, value) if n == i else x for n, x in enumerate(subject.arrays)]
        try:
            said = _at(subject, xs, i)
        except Exception:  # noqa: BLE001  # the function refuses the number, which is an answer
            continue
        if said:
            yield f"Where {subject.inputs[i].name} is {name}: {said}."


def _at(subject: Subject, xs: list[Array], i: int) -> str:
    """In words, if the result is finite and has a slope, and the gradient is not finite."""
    passed = Pass(subject, xs)
    found = passed.pulled([np.ones_like(y) for y in passed.values])[i]
    if found is None or not np.all(np.isfinite(joined(passed.values))):
        return ""
    is_nan = bool(np.isnan(joined([found])).any())
    if not np.all(np.isfinite(xs[i])):  # no slope can be seen there, and a limit is no NaN
        return "the result is finite, and the gradient is NaN" if is_nan else ""
    slope = None if np.all(np.isfinite(joined([found]))) else _sure_slope(subject, xs, i)
    if slope is None:
        return ""
    what = "NaN" if is_nan else "infinite"
    return f"the result is finite with the slope {slope:.6g}, and the gradient is {what}"


def _sure_slope(subject: Subject, xs: list[Array], i: int) -> float | None:
    """The sum of the slopes where all elements of an input move alike; None if it is not seen well."""
    ts: list[Array | None] = [np.ones_like(x) if n == i else None for n, x in enumerate(xs)]
    seen = along(subject.flat, xs, ts)
    near = 1e-3 * np.maximum(np.abs(seen.values), 1e-3)
    sure = np.isfinite(seen.errors) & (SAFETY * seen.errors <= near)
    return float(np.sum(seen.values)) if sure.all() else None
