"""Derivatives without rules: complex steps, differences, and slopes to either side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.derivatives.outside import differences
from wengert.insight.check.coordinates import joined, largest
from wengert.insight.check.subject import Subject
from wengert.values.tensor import wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array

Vectors = Callable[..., list[Any]]  # from arrays to one vector in a list
_IMAGINARY: Final = 1e-30
_SIDES: Final = (1e-2, 1e-4, 1e-6)  # the first steps to one side
_LEVELS: Final = 7
_LADDER: Final = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11)  # relative to the input
_SHORT: Final = (10.0, 1e3)  # steps in which nothing smooth is seen, and what large numbers hide is
_STEEP: Final = 2.0**16  # roundings: a step at which only very steep functions move
_SHAKEN: Final = 4
SAFETY: Final = 10.0  # an estimate of an error may be wrong by so much


class Slope(NamedTuple):
    """The derivative of all results along a direction, and how wrong it may be."""

    values: Array
    errors: Array


def along(
    f: Vectors, xs: Sequence[Array], ts: Sequence[Array | None], noise: Array | None = None
) -> Slope:
    """Central differences, extrapolated; `noise` is how far the results jump about."""

    def rounded(*moved: Array) -> list[Array]:
        return f(*[m.astype(x.dtype) for m, x in zip(moved, xs, strict=True)])

    wide = [x.astype(np.float32) if x.dtype.kind == "V" else x for x in xs]
    grains = None if noise is None else [noise]
    found = differences.along(rounded, wide, ts, _first_step(xs), grains)
    return Slope(found.values[0], found.errors[0])


def _first_step(xs: Sequence[Array]) -> float | None:
    """In double precision several are tried; with fewer digits the step must be wide."""
    precision = precision_of(xs)
    return None if precision < 1e-15 else float(precision ** (1 / 3)) * 4


def _precision(x: Array) -> float:
    if x.dtype.kind not in "fcV":
        return 0.0
    return 2.0**-7 if x.dtype.kind == "V" else float(np.finfo(x.dtype).eps)


def precision_of(xs: Sequence[Array]) -> float:
    """The relative precision of the least precise of arrays, and of what is computed in between."""
    return max([_WITHIN.get(), *[_precision(x) for x in xs]])


_WITHIN: Final[ContextVar[float]] = ContextVar("precision within", default=0.0)


@contextmanager
def computed_with(dtypes: Iterable[Any]) -> Iterator[None]:
    """Inside, numbers are as precise as the least precise of these dtypes: a function may cast down and up again."""
    before = _WITHIN.set(max([0.0, *[_precision(np.empty(0, d)) for d in dtypes]]))
    try:
        yield
    finally:
        _WITHIN.reset(before)


def by_complex_step(
    subject: Subject, xs: Sequence[Array], ts: Sequence[Array | None]
) -> Array | None:
    """The derivative along a direction, exact if the function is analytic; None if it takes no such step."""
    if any(x.dtype != np.float64 for x in xs):
        return None
    at = [
        x + 1j * _IMAGINARY * (np.zeros_like(x) if t is None else t)
        for x, t in zip(xs, ts, strict=True)
    ]
    try:
        found = [np.array(y) for y in subject.call([wrap(a) for a in at])]
    except Exception:  # noqa: BLE001  # the function is not made for complex numbers
        return None
    if not found or any(y.dtype != np.complex128 for y in found):
        return None
    return np.concatenate([y.imag.reshape(-1) for y in found]) / _IMAGINARY


def _moved(xs: Sequence[Array], ts: Sequence[Array | None], step: float) -> list[Array]:
    """The inputs, moved along a direction."""
    pairs = zip(xs, ts, strict=True)
    return [x if t is None else (x + step * t).astype(x.dtype) for x, t in pairs]


def _size(xs: Sequence[Array], ts: Sequence[Array | None]) -> float:
    """The largest number that moves, or 1."""
    moving = [largest(x) for x, t in zip(xs, ts, strict=True) if t is not None]
    return max(moving, default=1.0) or 1.0


def is_some_slope(
    f: Vectors,
    xs: Sequence[Array],
    ts: Sequence[Array | None],
    claimed: Array,
    within: float,
    at: Array | None = None,
) -> bool:
    """Whether central differences with some step, however small, are what is claimed: where `at` is true."""
    size = _size(xs, ts)
    for share in _LADDER:
        if 1e-14 / share * largest(claimed) > within:  # rounding might be mistaken for it
            break
        wide, short = (_central(f, xs, ts, share * size / by) for by in (1, 2))
        with np.errstate(all="ignore"):
            gap = (4 * short - wide) / 3 - claimed
        if np.linalg.norm(gap if at is None else gap[at]) <= within:
            return True
    return False


def _central(f: Vectors, xs: Sequence[Array], ts: Sequence[Array | None], h: float) -> Array:
    ahead, behind = (f(*_moved(xs, ts, way))[0] for way in (h, -h))
    with np.errstate(all="ignore"):
        return np.asarray((ahead.astype(np.float64) - behind) / (2 * h))


def is_too_steep(f: Vectors, xs: Sequence[Array], ts: Sequence[Array | None], seen: Array) -> bool:
    """Whether a function moves so fast at a point that differences, with their wider steps, cannot have seen it."""
    size = _size(xs, ts)
    h = _STEEP * precision_of(xs) * size
    here = f(*xs)[0].astype(np.float64)
    there = f(*_moved(xs, ts, h))[0]
    moved = largest(there - here)
    return moved > 1e3 * precision_of(xs) * largest(here) and moved / h > 100 * largest(seen)


def slack(precision: float) -> float:
    """A relative difference that is nothing: a thousand roundings, and fewer where a thousand are half of all digits."""
    return float(min(2.0**10 * precision, precision**0.75))


class Reference:
    """The derivatives at one point, by the best way that the function allows there."""

    def __init__(
        self, subject: Subject, xs: Sequence[Array], noise: Array, rng: np.random.Generator
    ) -> None:
        self._subject = subject
        self._noise = noise
        self.xs = list(xs)
        self.is_exact = self._is_analytic(rng)

    def _is_analytic(self, rng: np.random.Generator) -> bool:
        """Whether the complex step gives what differences give, along a direction by chance."""
        ts = [rng.normal(size=x.shape) for x in self.xs]
        exact = by_complex_step(self._subject, self.xs, ts)
        if exact is None:
            return False
        seen = along(self._subject.flat, self.xs, ts, self._noise)
        if exact.shape != seen.values.shape:
            return False
        if SAFETY * largest(seen.errors) > 1e-3 * largest(seen.values) or not np.all(
            np.isfinite(seen.errors)
        ):
            # So ill-conditioned that a step must be very small; then few digits are seen.
            return is_some_slope(
                self._subject.flat, self.xs, ts, exact, 3e-2 * float(np.linalg.norm(exact))
            )
        allowed = SAFETY * seen.errors + 1e-6 * largest(seen.values)
        return bool(np.all(np.abs(exact - seen.values) <= allowed))

    def slope(self, ts: Sequence[Array | None], xs: Sequence[Array] | None = None) -> Slope:
        """The derivative along a direction, there or at a point beside it."""
        at = self.xs if xs is None else xs
        if self.is_exact:
            found = by_complex_step(self._subject, at, ts)
            if found is not None:
                return Slope(found, 4 * np.finfo(np.float64).eps * np.abs(found))
        return along(self._subject.flat, at, ts, self._noise)


# ---- rounding -----------------------------------------------------------------------------------


def rounding(
    f: Callable[[Sequence[Array]], Array], xs: Sequence[Array], rng: np.random.Generator
) -> Array:
    """By how much numbers change, at most, if the inputs are moved by a few roundings: a few times."""
    here = f(xs)
    worst = np.zeros(here.shape)
    for _ in range(_SHAKEN):
        moved = [
            (x * (1 + 4 * _precision(x) * rng.normal(size=x.shape))).astype(x.dtype) for x in xs
        ]
        with np.errstate(invalid="ignore"):
            worst = np.fmax(worst, np.abs(f(moved) - here))
    # Where a result is a difference of large numbers, rounding moves it by whole units or, a few times, not at all:
    # what it does to the others says how much it may.
    worst = np.nan_to_num(worst, posinf=0.0)
    return np.fmax(worst, largest(worst) / 4)


def noise_of_values(f: Vectors, xs: Sequence[Array], rng: np.random.Generator) -> Array:
    """How far results jump about: where inputs are moved by roundings, and along a line of short steps."""
    ts = [rng.normal(size=x.shape) for x in xs]
    size = max([largest(x) for x in xs]) or 1.0

    def moved(share: float) -> list[Array]:
        return [y.astype(np.float64) for y in f(*_moved(xs, ts, share))]

    with np.errstate(all="ignore"):
        jumps = [rounding(lambda at: f(*at)[0].astype(np.float64), xs, rng)]
        for share in _SHORT:
            jumps += differences.noise_of(moved, size * _short_step(share, precision_of(xs)))
    return np.asarray(np.max([np.nan_to_num(j, posinf=0.0) for j in jumps], axis=0))


def _short_step(share: float, precision: float) -> float:
    return float(min(share * precision**0.5, max(1e-3, 4 * precision)))


# ---- to one side --------------------------------------------------------------------------------


def sides(
    f: Vectors, xs: Sequence[Array], ts: Sequence[Array | None], noise: Array
) -> tuple[Slope, Slope]:
    """The slopes behind and ahead of a point, along a direction; `noise` is that of the results."""
    return _side(f, xs, ts, noise, -1.0), _side(f, xs, ts, noise, 1.0)


def _side(
    f: Vectors, xs: Sequence[Array], ts: Sequence[Array | None], noise: Array, sign: float
) -> Slope:
    """Differences to one side with steps that are halved, extrapolated to no step."""
    length = max([largest(t) for t in ts if t is not None], default=1.0)
    here = f(*xs)[0].astype(np.float64)
    best = Slope(np.zeros_like(here), np.full(here.shape, np.inf))
    for share in _SIDES:
        step = share * max(_size(xs, ts), 1.0) / max(length, 1e-300)
        best = _closest(best, _extrapolated(f, xs, ts, here, noise, sign * step))
    return best


def _extrapolated(
    f: Vectors,
    xs: Sequence[Array],
    ts: Sequence[Array | None],
    here: Array,
    noise: Array,
    step: float,
) -> Slope:
    before: list[Array] = []
    best = Slope(np.zeros_like(here), np.full(here.shape, np.inf))
    for level in range(_LEVELS):
        h = step / 2**level
        with np.errstate(all="ignore"):
            there = f(*_moved(xs, ts, h))[0].astype(np.float64)
            row = [(there - here) / h]
            unsure = (precision_of(xs) * (np.abs(there) + np.abs(here)) + noise) / abs(h)
            for order, old in enumerate(before, 1):
                factor = 2.0**order
                row.append((factor * row[-1] - old) / (factor - 1))
                error = np.maximum(np.abs(row[-1] - row[-2]), np.abs(row[-1] - old)) + unsure
                best = _closest(best, Slope(row[-1], np.where(np.isnan(error), np.inf, error)))
        before = row
    return best


def _closest(a: Slope, b: Slope) -> Slope:
    first = a.errors <= b.errors
    return Slope(np.where(first, a.values, b.values), np.minimum(a.errors, b.errors))


def bends_here(
    f: Vectors, xs: Sequence[Array], ts: Sequence[Array | None], scale: float, noise: Array
) -> bool:
    """Whether the slopes of two short steps differ: cheap, and no proof of a kink."""
    size = _size(xs, ts)
    h = max(1e-3, 30 * precision_of(xs) ** 0.5) * size
    here, ahead, behind = (f(*_moved(xs, ts, way))[0] for way in (0.0, h, -h))
    with np.errstate(all="ignore"):
        gap = np.abs(ahead.astype(np.float64) - 2 * here + behind) / h
    unsure = 8 * (precision_of(xs) * largest(here) + noise) / h
    return not bool(np.all(gap <= 1e-2 * scale + unsure))


# ---- Taylor -------------------------------------------------------------------------------------


def taylor_slope(
    f: Vectors, xs: Sequence[Array], ts: Sequence[Array], claimed: Array
) -> float | None:
    """The power of the step with which the error of the linear approximation falls: 2 for a derivative.

    There is no step to choose: of all pairs of steps that follow one another, those count whose errors
    stand well above rounding. None where no error does.
    """
    here = joined(f(*xs)).astype(np.float64)
    steps = 2.0 ** -np.arange(2, 26)
    errors = []
    for h in steps:
        with np.errstate(all="ignore"):
            there = f(*_moved(xs, ts, h))[0]
            errors.append(float(np.linalg.norm(there - here - h * claimed)))
    floor = (
        1e3
        * precision_of(xs)
        * max(float(np.linalg.norm(here)), float(np.linalg.norm(claimed)) * 2**-20)
    )
    powers = [float(np.log2(a / b)) for a, b in pairwise(errors) if b > floor and np.isfinite(a)]
    return float(np.median(powers[-4:])) if len(powers) >= 3 else None
