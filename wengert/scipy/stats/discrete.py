"""The distributions of whole numbers: a row for each."""

from __future__ import annotations

import math
from typing import Any

from wengert.api.numpy.scipy_special import betaln, lgamma_step
from wengert.ops.math.arithmetic import xlog1py, xlogy
from wengert.ops.math.elementwise import exp, expm1, log, log1p
from wengert.ops.special.gamma import lgamma
from wengert.ops.special.incomplete_gamma import betainc, igamma, igammac
from wengert.scipy.stats.distribution import Discrete


def _is_no_share(p: Any) -> Any:
    return (p < 0.0) | (p > 1.0)


def _log_choices(n: Any, k: Any) -> Any:
    """The logarithm of the number of ways to choose k of n."""
    return -log(n + 1.0) - betaln(n - k + 1.0, k + 1.0)


def _log_beta_quotient(k: Any, n: Any, a: Any, b: Any) -> Any:
    """The logarithm of B(k + a, n - k + b) / B(a, b)."""
    return lgamma_step(a, k) + lgamma_step(b, n - k) - lgamma_step(a + b, n)


bernoulli = Discrete(
    "bernoulli",
    "p",
    logpmf=lambda k, p: xlogy(k, p) + xlog1py(1.0 - k, -p),
    cdf=lambda k, p: 1.0 - p + 0.0 * k,
    sf=lambda k, p: p + 0.0 * k,
    support=lambda p: (0.0, 1.0),
    wrong=_is_no_share,
)
binom = Discrete(
    "binom",
    "n p",
    logpmf=lambda k, n, p: _log_choices(n, k) + xlogy(k, p) + xlog1py(n - k, -p),
    cdf=lambda k, n, p: betainc(n - k, k + 1.0, 1.0 - p),
    sf=lambda k, n, p: betainc(k + 1.0, n - k, p),
    support=lambda n, p: (0.0, n),
    wrong=lambda n, p: (n < 0.0) | _is_no_share(p),
)
betabinom = Discrete(
    "betabinom",
    "n a b",
    logpmf=lambda k, n, a, b: _log_choices(n, k) + _log_beta_quotient(k, n, a, b),
    support=lambda n, a, b: (0.0, n),
    wrong=lambda n, a, b: (n < 0.0) | (a <= 0.0) | (b <= 0.0),
)
geom = Discrete(
    "geom",
    "p",
    logpmf=lambda k, p: xlog1py(k - 1.0, -p) + log(p),
    cdf=lambda k, p: -expm1(k * log1p(-p)),
    sf=lambda k, p: exp(k * log1p(-p)),
    logsf=lambda k, p: k * log1p(-p),
    support=lambda p: (1.0, math.inf),
    wrong=lambda p: (p <= 0.0) | (p > 1.0),
)
nbinom = Discrete(
    "nbinom",
    "n p",
    logpmf=lambda k, n, p: n * log(p) + xlog1py(k, -p) - betaln(n, k + 1.0) - log(n + k),
    cdf=lambda k, n, p: betainc(n, k + 1.0, p),
    sf=lambda k, n, p: betainc(k + 1.0, n, 1.0 - p),
    wrong=lambda n, p: (n <= 0.0) | (p <= 0.0) | (p > 1.0),
)
poisson = Discrete(
    "poisson",
    "mu",
    logpmf=lambda k, mu: xlogy(k, mu) - lgamma(k + 1.0) - mu,
    cdf=lambda k, mu: igammac(k + 1.0, mu),
    sf=lambda k, mu: igamma(k + 1.0, mu),
    wrong=lambda mu: mu < 0.0,
)
randint = Discrete(
    "randint",
    "low high",
    logpmf=lambda k, low, high: -log(high - low) + 0.0 * k,
    cdf=lambda k, low, high: (k - low + 1.0) / (high - low),
    sf=lambda k, low, high: (high - k - 1.0) / (high - low),
    support=lambda low, high: (low, high - 1.0),
    wrong=lambda low, high: high <= low,
)
