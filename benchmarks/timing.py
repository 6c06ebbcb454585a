"""Honest timing: rounds in which every contestant runs once, and the median over the rounds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Final, NamedTuple

Contestants = dict[str, Callable[[], float]]  # each run returns the seconds it took
_PAUSE: Final = 0.05  # seconds: threads of products wait for the next one, busily, for up to 20 ms


class Timing(NamedTuple):
    """Seconds: the median, and the middle half of the rounds."""

    median: float
    low: float
    high: float


def interleaved(contestants: Contestants, rounds: int, warm_up: int = 2) -> dict[str, Timing]:
    """Time all contestants in turn, so that a slow moment of the machine is shared."""
    found = interleaved_rounds(contestants, rounds, warm_up)
    return {name: summary(values) for name, values in found.items()}


def interleaved_rounds(
    contestants: Contestants, rounds: int, warm_up: int = 2
) -> dict[str, list[float]]:
    """The same round by round: the seconds of all contestants."""
    for run in contestants.values():
        for _ in range(warm_up):
            run()
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            time.sleep(_PAUSE)
            seconds[name].append(run())
    return seconds


def summary(values: list[float]) -> Timing:
    quarters = statistics.quantiles(values, n=4) if len(values) > 1 else [values[0]] * 3
    return Timing(statistics.median(values), quarters[0], quarters[2])
