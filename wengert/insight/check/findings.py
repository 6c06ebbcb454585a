"""What is found: of each input, and of each aspect beside the numbers themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wengert.insight.check.coordinates import joined, largest
from wengert.insight.check.slopes import SAFETY, precision_of, slack

if TYPE_CHECKING:
    from wengert.values.typing import Array

INNOCENT = frozenset({"", "kink", "ill-conditioned"})  # kinds that are no fault


class InputFinding(NamedTuple):
    """What was found of one input."""

    number: int
    name: str
    label: str
    fault: str  # a kind, or '' if there is nothing to say
    words: tuple[str, ...]
    difference: float | None = None  # the largest one between rule and differences
    condition: float | None = None

    @property
    def right(self) -> bool:
        """Whether the gradient of this input is right."""
        return self.fault in INNOCENT

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return {**self._asdict(), "words": list(self.words), "right": self.right}


class Aspect(NamedTuple):
    """A property of the gradients, such as that forward mode agrees."""

    name: str
    status: str  # ok, WRONG, not tried, not possible
    words: str = ""
    fault: str = ""
    inputs: tuple[int, ...] = ()  # those that it was found of; none if all

    @property
    def right(self) -> bool:
        """Whether there is no fault."""
        return not self.fault


def fault_in(name: str, kind: str, words: str, inputs: Sequence[int] = ()) -> Aspect:
    """An aspect that is wrong."""
    return Aspect(name, "WRONG", words, kind, tuple(inputs))


def not_possible(name: str, error: Exception) -> Aspect:
    """An aspect that the function does not have, and says so by an error."""
    said = str(error).splitlines()[0] if str(error) else ""
    return Aspect(name, "not possible", f"{type(error).__name__}: {said}")


def apart(
    a: Sequence[Array],
    b: Sequence[Array],
    sizes: Sequence[float] | None = None,
    noise: Callable[[], Sequence[Array]] | None = None,
) -> list[float]:
    """By how much arrays differ, relative to the largest number of each; 0 where rounding explains it.

    `sizes` are those of the numbers that they are made of, where the arrays themselves may be what is left
    when these cancel. `noise` gives how large the differences are that roundings of the inputs make; it is
    asked only if they are needed.
    """
    least = [0.0] * len(a) if sizes is None else sizes
    gaps = [_gap(x, y, size) for x, y, size in zip(a, b, least, strict=True)]
    if noise is None or not any(gaps):
        return gaps
    return [_gap(x, y, size, n) for x, y, size, n in zip(a, b, least, noise(), strict=True)]


def _gap(x: Array, y: Array, size: float, noise: Array | None = None) -> float:
    if x.shape != y.shape:
        return float("inf")
    p, q = joined([x]).astype(np.float64), joined([y]).astype(np.float64)
    size = max(largest(p), largest(q), size, 1e-300)
    with np.errstate(invalid="ignore"):
        gap = np.where((p == q) | (np.isnan(p) & np.isnan(q)), 0.0, np.abs(p - q))
    rounded = 0.0 if noise is None else 2 * SAFETY * noise
    if np.all(gap <= slack(precision_of([x, y])) * size + rounded):
        return 0.0
    return largest(gap) / size or float("inf")


def differ(a: Sequence[Array], b: Sequence[Array]) -> bool:
    """Whether arrays differ by more than rounding."""
    return len(a) != len(b) or any(apart(a, b))
