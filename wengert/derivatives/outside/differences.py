"""Derivatives of black-box functions of arrays: complex steps, and finite differences.

A central difference is computed with steps that are halved, and extrapolated to no step (Richardson). What
the extrapolations disagree by is the estimate of the error; the best of them is taken, and where all
are bad, other steps are tried.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.exceptions import ComplexWarning

from wengert.errors import InvalidArgumentError

if TYPE_CHECKING:
    from wengert.values.typing import Array

Function = Callable[..., Sequence[Any]]  # from arrays to a list of arrays

_LEVELS: Final = 4
_STEPS: Final = (1e-2, 1e-4, 1e-6)  # relative to the argument or to one, whichever is larger
_CLOSER: Final = 1e-2  # than the first step: what noise is measured with
_FINE: Final = 1e-7  # a relative error with which no other steps are tried
_IMAGINARY: Final = 1e-30


class Estimate(NamedTuple):
    """A derivative of each result, and how wrong it may be."""

    values: list[Array]
    errors: list[Array]


def along(
    f: Function,
    xs: Sequence[Array],
    ts: Sequence[Any],
    step: float | None,
    grains: Sequence[Array] | None = None,
) -> Estimate:
    """The derivative along tangents, by central differences; None is a tangent of zeros.

    `grains` is how far results jump about at least, where that is known.
    """
    length = max([float(np.max(np.abs(t), initial=0.0)) for t in ts if t is not None], default=0.0)
    if not length:
        zeros = [np.zeros(np.shape(y)) for y in f(*xs)]
        return Estimate(zeros, [z.copy() for z in zeros])
    moving = [np.abs(x)[np.asarray(t) != 0] for x, t in zip(xs, ts, strict=True) if t is not None]
    own = max([float(np.max(part, initial=0.0)) for part in moving], default=0.0)
    steps = [share * max(own, 1.0) for share in (_STEPS if step is None else (step,))]
    if step is None and 0 < own < 1:  # what is small may be at the edge of the domain
        steps += [share * own for share in _STEPS]

    def moved(share: float) -> list[Array]:
        at = [x if t is None else x + share * t for x, t in zip(xs, ts, strict=True)]
        return [np.asarray(y) for y in f(*at)]

    best: Estimate | None = None
    for width in steps:
        found = _extrapolated(moved, width / length, grains)
        best = found if best is None else _refined(best, found)
        if all(map(_is_fine, best.values, best.errors)):
            break
    assert best is not None
    return best


def _extrapolated(
    moved: Callable[[float], list[Array]], step: float, least: Sequence[Array] | None
) -> Estimate:
    """Richardson's extrapolation of central differences, with the error of the best entry."""
    best: Estimate | None = None
    above: list[list[Array]] = []
    grains = noise_of(moved, step * _CLOSER)
    if least is not None:
        grains = [np.fmax(grain, known) for grain, known in zip(grains, least, strict=True)]
    for level in range(_LEVELS):
        width = step / 2**level
        with np.errstate(all="ignore"):
            ahead, behind = moved(width), moved(-width)
            row = [[(a - b) / (2 * width) for a, b in zip(ahead, behind, strict=True)]]
            noise = [
                np.fmax(grain, _precision(a) * (np.abs(a) + np.abs(b)) / 2) / width
                for a, b, grain in zip(ahead, behind, grains, strict=True)
            ]
            for order, before in enumerate(above, 1):
                factor = 4.0**order
                row.append(
                    [(factor * p - q) / (factor - 1) for p, q in zip(row[-1], before, strict=True)]
                )
                errors = [
                    np.maximum(np.abs(new - p), np.abs(new - q)) + n
                    for new, p, q, n in zip(row[-1], row[-2], before, noise, strict=True)
                ]
                found = Estimate(row[-1], [np.where(np.isnan(e), np.inf, e) for e in errors])
                best = found if best is None else _better(best, found)
        above = row
    assert best is not None
    return best


def noise_of(moved: Callable[[float], list[Array]], step: float) -> list[Array]:
    """How far results jump about, by high differences, in which nothing smooth is left.

    (Hamming; Moré and Wild, Estimating computational noise.)
    """
    with np.errstate(all="ignore"):
        rows = zip(*[moved((k - 3) * step) for k in range(7)], strict=True)
        fourth = [np.diff(np.stack(row), 4, axis=0) for row in rows]
        return [3 * np.sqrt(np.mean(np.abs(d) ** 2, axis=0) * 24**2 / 40320) for d in fourth]


def _precision(y: Array) -> float:
    return float(np.finfo(y.dtype).eps) if y.dtype.kind in "fc" else 0.0


def _better(a: Estimate, b: Estimate) -> Estimate:
    """Element by element the one with the smaller error."""
    chosen = [p <= q for p, q in zip(a.errors, b.errors, strict=True)]
    return Estimate(
        [np.where(c, p, q) for c, p, q in zip(chosen, a.values, b.values, strict=True)],
        [np.minimum(p, q) for p, q in zip(a.errors, b.errors, strict=True)],
    )


def _refined(a: Estimate, b: Estimate) -> Estimate:
    """The better one, unless the second, of smaller steps, contradicts the first.

    Then all that it saw was how the results are rounded.
    """
    errors = []
    for p, q, of_p, of_q in zip(a.values, b.values, a.errors, b.errors, strict=True):
        with np.errstate(invalid="ignore"):
            against = np.abs(p - q) > 10 * (of_p + of_q)
        errors.append(np.where(against, np.inf, of_q))
    return _better(a, Estimate(b.values, errors))


def _is_fine(value: Array, error: Array) -> bool:
    scale = float(np.max(np.abs(value), initial=0.0, where=np.isfinite(value)))
    return bool(np.all(error <= _FINE * max(scale, 1e-300)))


# ---- complex steps ------------------------------------------------------------------------------


def along_imaginary(f: Function, xs: Sequence[Array], ts: Sequence[Any], who: str) -> list[Array]:
    """The derivative along tangents by a complex step: exact, for analytic functions."""
    at = [x if t is None else x + 1j * _IMAGINARY * t for x, t in zip(xs, ts, strict=True)]
    if all(t is None for t in ts):
        return [np.zeros(np.shape(y)) for y in f(*xs)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ComplexWarning)
            found = [np.asarray(y) for y in f(*at)]
    except (TypeError, ValueError, ComplexWarning) as error:
        raise InvalidArgumentError(
            f'{who} refuses complex numbers ({error}), which fallback="complex" gives it. Use '
            'fallback="differences", or give a vjp or a jvp.'
        ) from error
    for y in found:
        if y.dtype.kind == "f":
            raise InvalidArgumentError(
                f"{who} gives real results for complex numbers: it drops the imaginary part, in which "
                'fallback="complex" reads the derivative. Use fallback="differences", or give a vjp '
                "or a jvp."
            )
    return [np.imag(y) / _IMAGINARY for y in found]


# ---- Jacobians ----------------------------------------------------------------------------------


def columns(
    xs: Sequence[Array], at: int, one: Callable[[list[Any]], list[list[Array]]]
) -> list[list[Array]]:
    """What a function of tangents gives for the unit vectors of one argument, as Jacobians.

    Args:
        xs: The arguments.
        at: Which of them moves.
        one: From tangents to lists of arrays, each shaped as the results.

    Returns:
        The same lists, of arrays whose last axes are those of the argument.
    """
    x = xs[at]
    made = []
    for unit in np.eye(x.size):
        ts: list[Any] = [None] * len(xs)
        ts[at] = unit.reshape(x.shape)
        made.append(one(ts))
    if not made:
        made = [one([None] * len(xs))]
        return [[np.zeros((*np.shape(y), *x.shape)) for y in part] for part in made[0]]
    return [
        [
            np.stack(same, -1).reshape((*same[0].shape, *x.shape))
            for same in zip(*parts, strict=True)
        ]
        for parts in zip(*made, strict=True)
    ]
