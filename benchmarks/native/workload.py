"""What is measured: a computation, who computes it, what is known of the result, and the bars."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.peers import find

Array = Any
# The type of all numbers: a process is told so in its environment.
FLOAT_BY: Final = "WENGERT_BENCHMARKS_FLOAT"
FLOAT: Final = np.dtype(os.environ.get(FLOAT_BY, "float32")).type
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
    """The same pseudo-random numbers for every library."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(FLOAT) for shape in shapes]


def find_jax() -> Any:
    """JAX, computing with the numbers of the workloads; None if it is not installed."""
    jax = find("jax")
    if jax is not None and FLOAT is np.float64:
        jax.config.update("jax_enable_x64", True)
    return jax


def whole(high: int, count: int) -> Array:
    """The same pseudo-random labels for every library."""
    return np.random.default_rng(1).integers(0, high, count).astype(np.int32)


def doubles(arrays: Sequence[Array]) -> list[Array]:
    """In float64, for the reference; whole numbers as they are."""
    return [v.astype(np.float64) if v.dtype == FLOAT else v for v in arrays]
