"""What every gradient has, whatever its numbers are: it is the same each time, and linear in the cotangent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from wengert.insight.check.coordinates import joined, largest, reals, split
from wengert.insight.check.findings import Aspect, differ, fault_in, not_possible
from wengert.insight.check.slopes import SAFETY, precision_of, rounding, slack
from wengert.insight.check.subject import Pass, Subject, pushed, size_of
from wengert.insight.check.trial import Trial

if TYPE_CHECKING:
    from wengert.values.typing import Array

_LARGE = 1e3  # a rule that cuts off large cotangents is not linear


def untouched(passes: Sequence[Pass]) -> Aspect:
    """Nobody writes into the inputs or the cotangents."""
    written = sorted({i for p in passes for i in p.changed()})
    if written:
        return fault_in(
            "inputs left alone",
            "mutates",
            "the numbers of an input were changed in their place",
            written,
        )
    if any(p.wrote_to_cotangents for p in passes):
        return fault_in(
            "inputs left alone", "mutates", "the rule writes into the cotangent that it is given"
        )
    return Aspect("inputs left alone", "ok")


def steady(subject: Subject, xs: Sequence[Array], rng: np.random.Generator) -> list[Aspect]:
    """The same inputs give the same results and the same gradients, and are left as they are."""
    first, second = Pass(subject, xs), Pass(subject, xs)
    name = "the same each time"
    ws = split(rng.normal(size=joined(first.values).size), first.values)
    if differ(first.values, second.values):
        return [
            untouched([first, second]),
            fault_in(
                name,
                "state",
                f"{subject.name} gives another result each time: nothing else can be said of it",
            ),
        ]
    found = [_filled(p, ws) for p in (first, first, second, first)]
    found.append(
        _filled(Pass(subject, xs), ws)
    )  # the function may have changed what the rule reads
    left_alone = untouched([first, second])
    if any(differ(found[0], again) for again in found[1:]):
        return [
            left_alone,
            fault_in(
                name, "state", "the rule gives another gradient each time: it depends on a state"
            ),
        ]
    return [left_alone, Aspect(name, "ok")]


def _filled(passed: Pass, ws: Sequence[Array]) -> list[Array]:
    """Gradients, with zeros for None."""
    pairs = zip(passed.pulled(ws), passed.held, strict=True)
    return [np.zeros_like(x) if g is None else g for g, x in pairs]


def linear(trial: Trial, rng: np.random.Generator) -> Aspect:
    """The gradient is linear in the cotangent: a sum gives the sum, a thousand times gives a thousand times."""
    name = "linear in the cotangent"
    values = trial.values
    one, two = (rng.normal(size=joined(values).size) for _ in range(2))
    a, b = 0.5, -1.75
    p, q, both, large = (
        _filled(trial.passed, split(w, values)) for w in (one, two, a * one + b * two, _LARGE * one)
    )
    summed = [a * x + b * y for x, y in zip(p, q, strict=True)]
    scaled = [x / _LARGE for x in large]
    sizes = [size_of(values, [x]) for x in trial.xs]
    strays = [
        i
        for i, (want, got, small, far) in enumerate(zip(summed, both, p, scaled, strict=True))
        if _strays(want, got, (a * small, b * q[i]), sizes[i])
        or _strays(small, far, (small,), sizes[i])
    ]
    if strays:
        noise = _rounding_of_gradients(trial, one, rng), _rounding_of_gradients(trial, two, rng)
        strays = [
            i
            for i in strays
            if _strays(
                summed[i], both[i], (a * p[i], b * q[i]), sizes[i], noise[0][i] + noise[1][i]
            )
            or _strays(p[i], scaled[i], (p[i],), sizes[i], noise[0][i])
        ]
    if strays:
        return fault_in(
            name, "not-linear", "the rule is not linear in dy, and a gradient always is", strays
        )
    return Aspect(name, "ok")


def _rounding_of_gradients(trial: Trial, w: Array, rng: np.random.Generator) -> list[Array]:
    """What roundings of the inputs do to each gradient."""
    ws = split(w, trial.values)
    found = rounding(lambda xs: joined(_filled(Pass(trial.subject, xs), ws)), trial.xs, rng)
    ends = np.cumsum([reals(x).size for x in trial.xs])
    return list(np.split(found, ends[:-1]))


def _strays(
    want: Array, got: Array, parts: Sequence[Array], size: float, noise: Array | float = 0.0
) -> bool:
    """Whether two arrays differ by more than roundings of what was added up, or of what cancelled before."""
    size = max([size, *map(largest, parts)])
    gap = np.abs(reals(want).astype(np.float64) - reals(got))
    allowed = 8 * slack(precision_of([want])) * size + 2 * SAFETY * noise
    return bool(np.any(np.isfinite(gap) & (gap > allowed)))


# ---- forward mode -------------------------------------------------------------------------------


def forward(trial: Trial, rng: np.random.Generator, wrong: Sequence[int]) -> Aspect:
    """Forward mode is adjoint to reverse mode: <w, J v> = <J' w, v>, without any differences."""
    name = "forward mode"
    strays, nones = [], []
    for i, x in enumerate(trial.xs):
        v = rng.normal(size=joined([x]).size)
        try:
            tangents = _only(trial.xs, i, split(v, [x])[0])
            found = pushed(trial.subject, trial.xs, tangents)
        except Exception as error:  # noqa: BLE001  # the user's rule, or ours that has none
            return not_possible(name, error)
        if all(t is None for t in found) and i not in wrong:
            nones.append(i)
        if _forward_strays(trial, i, v, found):
            strays.append(i)
    if not strays:
        return Aspect(name, "WRONG", "for the same reason") if wrong else Aspect(name, "ok")
    if set(strays) <= set(wrong):
        return Aspect(name, "ok", "it is right where reverse mode is not")
    none = "is None" if set(strays) <= set(nones) else "disagrees with reverse mode"
    return fault_in(
        name,
        "forward",
        f"it {none}, and reverse mode is right",
        [i for i in strays if i not in wrong],
    )


def _only(xs: Sequence[Array], i: int, t: Array) -> list[Array]:
    return [t if n == i else np.zeros_like(x) for n, x in enumerate(xs)]


def _forward_strays(trial: Trial, i: int, v: Array, found: Sequence[Array | None]) -> bool:
    filled = [
        np.zeros_like(y) if t is None else t for t, y in zip(found, trial.values, strict=True)
    ]
    if [t.shape for t in filled] != [y.shape for y in trial.values]:
        return True
    got = trial.cotangents @ joined(filled)
    want = trial.gradient_matrix(i) @ v
    with np.errstate(invalid="ignore"):
        gap = np.where(np.isfinite(want), np.abs(got - want), 0.0)
    size = np.abs(trial.cotangents) @ np.abs(joined(filled)) + np.abs(
        trial.gradient_matrix(i)
    ) @ np.abs(v)
    least = size_of(trial.values, [trial.xs[i]]) * largest(v)
    allowed = slack(trial.precision) * max(largest(size), least, 1e-300)
    if np.all(gap <= allowed):
        return False
    noise = trial.rounding_noise(i, v[None, :])[:, 0]
    return bool(np.any(gap > allowed + 2 * SAFETY * noise))
