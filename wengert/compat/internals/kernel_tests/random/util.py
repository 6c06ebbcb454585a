"""tensorflow.python.kernel_tests.random.util: statistics of random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import wengert as tf


def test_moment_matching(
    samples: Any, number_moments: int, dist: Any, stride: int = 0
) -> list[Any]:
    """By how many standard deviations each moment of samples is off; `dist` is one of SciPy's.

    With a stride, the k-th moment is that of every (1 + (k - 1) * stride)-th sample.
    """
    precision = np.finfo(samples.dtype)

    def score(k: int) -> Any:
        step = 1 + (k - 1) * stride
        taken = samples.flat[::step] if samples.ndim == 2 else samples[::step]
        exact = dist.moment(k)
        variance = (dist.moment(2 * k) - exact**2) / len(taken) + k * precision.eps  # and rounding
        if not np.all(variance > 0):
            raise AssertionError(f"moment {k} of the distribution has variance {variance}")
        off = np.mean(taken**k, axis=0) - exact
        return np.abs(off) / np.sqrt(np.maximum(variance, precision.tiny))

    return [score(k) for k in range(1, number_moments + 1)]


test_moment_matching.__test__ = False  # type: ignore[attr-defined]  # a helper, for pytest


def chi_squared(x: Any, bins: int) -> Any:
    """Pearson's statistic of numbers that should be uniform between 0 and 1."""
    counts = np.histogram(x, bins, (0, 1))[0]
    even = np.size(x) / bins
    return ((counts - even) ** 2).sum() / even


def normal_cdf(x: Any) -> Any:
    """The standard normal distribution's probability below each number."""
    return np.vectorize(math.erfc, otypes=[float])(-np.asarray(x) / math.sqrt(2)) / 2


def anderson_darling(x: Any) -> Any:
    """Anderson's and Darling's statistic of numbers that should be standard normal."""
    p = normal_cdf(np.sort(np.ravel(x)))
    odd = np.arange(1, 2 * p.size, 2)
    return -p.size - np.mean(odd * (np.log(p) + np.log(1 - p)[::-1]))


def test_truncated_normal(
    assert_equal: Callable[..., Any],
    assert_all_close: Callable[..., Any],
    n: int,
    y: Any,
    means: Any = None,
    stddevs: Any = None,
    minvals: Any = None,
    maxvals: Any = None,
    mean_atol: float = 5e-4,
    median_atol: float = 8e-4,
    variance_rtol: float = 1e-3,
) -> None:
    """Assert that n samples are those of a normal distribution cut off at two bounds.

    By their mean, median and variance; by default it is a standard one, cut off at two deviations.
    """
    given = zip((means, stddevs, minvals, maxvals), (0.0, 1.0, -2.0, 2.0), strict=True)
    mean, deviation, low, high = (default if x is None else x for x, default in given)
    assert_equal(np.count_nonzero(y >= low), n)
    assert_equal(np.count_nonzero(y <= high), n)
    ends = (np.array([low, high], float) - mean) / deviation
    below = normal_cdf(ends)
    density = np.exp(-(ends**2) / 2) / math.sqrt(2 * math.pi) / (below[1] - below[0])
    shift = density[0] - density[1]
    y = np.asarray(y, float)
    assert_all_close(y.mean(), mean + deviation * shift, atol=mean_atol)
    middle = float(tf.math.ndtri(tf.constant(below.mean())))
    assert_all_close(np.median(y), mean + deviation * middle, atol=median_atol)
    finite = np.where(np.isfinite(ends), ends, 0.0)
    narrowed = 1 + finite[0] * density[0] - finite[1] * density[1] - shift**2
    assert_all_close(y.var(), deviation**2 * narrowed, rtol=variance_rtol)


test_truncated_normal.__test__ = False  # type: ignore[attr-defined]
