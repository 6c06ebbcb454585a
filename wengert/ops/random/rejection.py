"""Rejection sampling: gamma, Poisson, binomial.

Each sample has a generator of its own, a fixed number of blocks after that of the sample before it,
so that it does not depend on the others. The loops run over draws; each iteration handles all
samples that have not been accepted yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.ops.random.distributions import normal_of, uniform_of
from wengert.ops.random.philox import CONSTANTS, Philox, blocks
from wengert.ops.support.large_kernels import binomial_kernel, poisson_kernel
from wengert.ops.support.scipy_lazy import scipy_special
from wengert.values.dtypes import float64

if TYPE_CHECKING:
    from wengert.values.typing import Array

RESERVED: Final = 256  # blocks for each sample
_RESERVED_FOR_GAPS: Final = 42  # and for a binomial sample by `_by_gaps`


class Lanes:
    """The generators of many samples."""

    def __init__(self, state: Philox, count: int, apart: int = RESERVED) -> None:
        self.state = state
        self.offsets = np.arange(count, dtype=np.uint64) * np.uint64(apart)

    def blocks(self, which: Array) -> Array:
        """The next block of each of these generators, which advances them."""
        taken = blocks(self.state, self.offsets[which])
        self.offsets[which] += np.uint64(1)
        return taken


class Pairs:
    """Doubles, two from each block; the second is returned first."""

    def __init__(self, lanes: Lanes, make: Callable[..., Any]) -> None:
        self.lanes = lanes
        self.make = make
        self.values = np.empty((len(lanes.offsets), 2))
        self.left = np.zeros(len(lanes.offsets), np.int64)

    def take(self, which: Array) -> Array:
        """The next double of each of these generators."""
        empty = which[self.left[which] == 0]
        if empty.size:
            self.values[empty] = self.make(self.lanes.blocks(empty), float64)
            self.left[empty] = 2
        self.left[which] -= 1
        return self.values[which, self.left[which]]


def gamma(state: Philox, count: int, alpha: Array) -> Array:
    """Gamma samples, `count` for each alpha.

    Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). For alpha below 1
    it draws with alpha + 1 and multiplies by a uniform sample to the power of 1 / alpha.
    """
    a = np.repeat(alpha.reshape(-1).astype(np.float64), count)
    lanes = Lanes(state, a.size)
    uniforms, normals = Pairs(lanes, uniform_of), Pairs(lanes, normal_of)
    result = np.full(a.size, np.nan)
    plain = np.flatnonzero(a == 1.0)  # an exponential sample
    result[plain] = -np.log1p(-uniforms.take(plain))
    d = a + np.where(a < 1.0, 2 / 3, -1 / 3)
    c = 1 / 3 / np.sqrt(d)
    waiting = np.flatnonzero((a > 0.0) & (a < np.inf) & (a != 1.0))
    while waiting.size:
        x = normals.take(waiting)
        v = 1 + c[waiting] * x
        tried = v > 0
        at, x, v = waiting[tried], x[tried], v[tried] * v[tried] * v[tried]
        u = uniforms.take(at)
        good = (u < 1 - 0.0331 * (x * x) * (x * x)) | (
            np.log(u) < 0.5 * x * x + d[at] * (1 - v + np.log(v))
        )
        result[at[good]] = d[at[good]] * v[good]
        waiting = np.setdiff1d(waiting, at[good], assume_unique=True)
    small = np.flatnonzero((a > 0.0) & (a < 1.0))
    result[small] *= uniforms.take(small) ** (1 / a[small])
    return result.reshape(alpha.size, count).T.reshape(count, *alpha.shape)


def poisson(state: Philox, count: int, rate: Array) -> Array:
    """Poisson samples, `count` for each rate."""
    rates = rate.reshape(-1).astype(np.float64)
    is_large = rates.size * count >= _MANY
    result = poisson_kernel(CONSTANTS, state, rates, count, RESERVED) if is_large else None
    if result is None:
        result = _poisson(state, np.repeat(rates, count))
    return result.reshape(rate.size, count).T.reshape(count, *rate.shape)


_MANY: Final = 1 << 6  # samples


def _poisson(state: Philox, r: Array) -> Array:
    """A sample for each rate, by NumPy."""
    uniforms = Pairs(Lanes(state, r.size), uniform_of)
    result = np.full(r.size, np.nan)
    _by_waiting(uniforms, result, r, np.flatnonzero(r < 10))
    _by_hat(uniforms, result, r, np.flatnonzero((r >= 10) & (r < np.inf)))
    return result


def _by_waiting(uniforms: Pairs, result: Array, rate: Array, waiting: Array) -> None:
    """Knuth: count exponential waiting times that fit into 1, as a product of uniform samples."""
    product, limit, passed = np.ones(len(rate)), np.exp(-rate), 0.0
    while waiting.size:
        product[waiting] *= uniforms.take(waiting)
        over = product[waiting] <= limit[waiting]
        result[waiting[over]] = passed
        waiting, passed = waiting[~over], passed + 1


def _by_hat(uniforms: Pairs, result: Array, rate: Array, waiting: Array) -> None:
    """Hörmann, "The transformed rejection method for generating Poisson random variables" (1993)."""
    log_gamma = scipy_special().gammaln if waiting.size else None
    b = 0.931 + 2.53 * np.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    while waiting.size:
        assert log_gamma is not None
        u, v = uniforms.take(waiting) - 0.5, uniforms.take(waiting)
        p, q, r = a[waiting], b[waiting], rate[waiting]
        us = 0.5 - np.abs(u)
        k = np.floor((2 * p / us + q) * u + r + 0.43)
        inner = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (q - 2))
        outer = (k < 0) | ((us < 0.013) & (v > us))
        s = np.log(v * inverse_alpha[waiting] / (p / (us * us) + q))
        t = -r + k * np.log(r) - log_gamma(np.maximum(k, 0) + 1)
        good = inner | (~outer & (s <= t))
        result[waiting[good]] = k[good]
        waiting = waiting[~good]


def binomial(state: Philox, count: int, trials: Array, chance: Array) -> Array:
    """Binomial samples, `count` for each pair of trials and chance (arrays of one shape)."""
    n, given = trials.reshape(-1).astype(np.float64), chance.reshape(-1)
    p = np.where(given > 0.5, 1 - given, given).astype(np.float64)
    result = None
    if n.size * count >= _MANY:
        apart = (_RESERVED_FOR_GAPS, RESERVED)
        result = binomial_kernel(CONSTANTS, state, n, p, _tail(np.arange(10.0)), count, apart)
    n, given = np.repeat(n, count), np.repeat(given, count)
    if result is None:
        result = _binomial(state, n, np.repeat(p, count))
    result = np.where(given > 0.5, n - result, result)
    result[np.isnan(n) | np.isnan(given)] = np.nan
    return result.reshape(trials.size, count).T.reshape(count, *trials.shape)


def _binomial(state: Philox, n: Array, p: Array) -> Array:
    """A sample for each pair, by NumPy."""
    result = np.zeros(n.size)
    drawn = (n > 0) & (n < np.inf) & (p > 0)
    many = n * p >= 10
    near, far = (Lanes(state, n.size, apart) for apart in (_RESERVED_FOR_GAPS, RESERVED))
    _by_gaps(Pairs(near, uniform_of), result, n, p, np.flatnonzero(drawn & ~many))
    _by_binomial_hat(Pairs(far, uniform_of), result, n, p, np.flatnonzero(drawn & many))
    return result


def _by_gaps(uniforms: Pairs, result: Array, n: Array, p: Array, waiting: Array) -> None:
    """The gaps between successes are geometric; count the successes within `n` trials."""
    passed, found = np.zeros(len(n)), 0.0
    while waiting.size:
        gap = np.ceil(np.log(uniforms.take(waiting)) / np.log1p(-p[waiting]))
        passed[waiting] += gap
        over = passed[waiting] > n[waiting]
        result[waiting[over]] = found
        waiting, found = waiting[~over], found + 1


def _by_binomial_hat(
    uniforms: Pairs, result: Array, trials: Array, chance: Array, waiting: Array
) -> None:
    """Hörmann, "The generation of binomial random variates" (1993), the method BTRS."""
    while waiting.size:
        n, p = trials[waiting], chance[waiting]
        spread = np.sqrt(n * p * (1 - p))
        b = 1.15 + 2.53 * spread
        a = -0.0873 + 0.0248 * b + 0.01 * p
        u, v = uniforms.take(waiting) - 0.5, uniforms.take(waiting)
        us = 0.5 - np.abs(u)
        k = np.floor((2 * a / us + b) * u + n * p + 0.5)
        inner = (us >= 0.07) & (v <= 0.92 - 4.2 / b)
        possible = (k >= 0) & (k <= n)
        s = np.log(v * (2.83 + 5.1 / b) * spread / (a / (us * us) + b))
        good = inner | (possible & (s <= _log_ratio(n, p, np.clip(k, 0, n))))
        result[waiting[good]] = k[good]
        waiting = waiting[~good]


def _log_ratio(n: Array, p: Array, k: Array) -> Array:
    """The logarithm of the probability of k over that of the likeliest number."""
    m = np.floor((n + 1) * p)
    r = p / (1 - p)
    return (
        (m + 0.5) * np.log((m + 1) / (r * (n - m + 1)))
        + (n + 1) * np.log((n - m + 1) / (n - k + 1))
        + (k + 0.5) * np.log(r * (n - k + 1) / (k + 1))
        + _tail(m)
        + _tail(n - m)
        - _tail(k)
        - _tail(n - k)
    )


def _tail(k: Array) -> Array:
    """The error of Stirling's formula for log(k!): exact below 10, by its series above."""
    log_gamma = scipy_special().gammaln
    q = (k + 1) ** 2
    series = (1 / 12 - (1 / 360 - 1 / 1260 / q) / q) / (k + 1)
    leading = 0.5 * np.log(2 * np.pi) + (k + 0.5) * np.log(k + 1) - (k + 1)
    return np.where(k <= 9, log_gamma(k + 1) - leading, series)
