"""What is measured: a computation, who computes it, what is known of the result, and the bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = Any
BEST = "the best peer"
TOLERANCE = 1e-3  # of the largest number of an array: float32, sums of up to ten million terms


class Run(NamedTuple):
    """A call that is ready to be timed, and how its result is read as arrays."""

    call: Callable[[], Any]
    arrays: Callable[[Any], Sequence[Array]] = tuple


Contestant = Callable[[], Run | None]  # None: a library or a compiler is not there


class Workload(NamedTuple):
    """Who computes what, and the share of the time of each of these that we may take."""

    name: str
    contestants: Mapping[str, Contestant]
    expected: Callable[[], Sequence[Array]]
    bars: Mapping[str, float]
    unit: str = "ms"
    scale: float = 1e3  # units in a second


class Program(NamedTuple):
    """A value written for each library, and the inputs in which its gradient is asked for."""

    inputs: Callable[[], Sequence[Array]]
    taped: Callable[..., Any]  # taped(tf, *inputs): TensorFlow's API, Wengert's too
    jax: Callable[..., Any]  # jax(jax, *inputs)
    torch: Callable[..., Any]  # torch(torch, *inputs)
    gradients: Sequence[int] = (0,)


def check(run: Run, expected: Sequence[Array], who: str) -> None:
    """One call, compared with what is known."""
    compare(run.arrays(run.call()), expected, who)


def compare(results: Sequence[Array], expected: Sequence[Array], who: str) -> None:
    of_all = max(float(np.abs(want).max()) for want in expected)
    for got, want in zip(results, expected, strict=True):
        # An array that is zero but for rounding is small beside the others.
        largest = max(float(np.abs(want).max()), TOLERANCE * of_all)
        np.testing.assert_allclose(got, want, rtol=0, atol=TOLERANCE * largest, err_msg=who)


def normal(*shapes: tuple[int, ...], seed: int = 0) -> list[Array]:
    """The same pseudo-random float32 for every library."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def whole(high: int, count: int) -> Array:
    """The same pseudo-random labels for every library."""
    return np.random.default_rng(1).integers(0, high, count).astype(np.int32)


def doubles(arrays: Sequence[Array]) -> list[Array]:
    """In float64, for the reference; whole numbers as they are."""
    return [v.astype(np.float64) if v.dtype == np.float32 else v for v in arrays]
