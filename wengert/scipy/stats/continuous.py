"""The distributions of real numbers: a row for each."""

from __future__ import annotations

import math
from typing import Any, Final

from wengert.api.numpy.scipy_special import betaln, lgamma_step, log_ndtr, ndtr
from wengert.ops.math.arithmetic import xlog1py, xlogy
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import (
    abs_real,
    atan,
    cos,
    exp,
    expm1,
    log,
    log1p,
    sigmoid,
    sqrt,
    tan,
)
from wengert.ops.nn.activations import erf, log_sigmoid
from wengert.ops.special.bessel import bessel_i0, bessel_i0e
from wengert.ops.special.gamma import lgamma, ndtri
from wengert.ops.special.incomplete_gamma import betainc, igamma, igammac
from wengert.scipy.stats.distribution import Continuous, Function

_LOG_2: Final = math.log(2.0)
_LOG_PI: Final = math.log(math.pi)
_LOG_ROOT_2_PI: Final = math.log(2.0 * math.pi) / 2.0


def _positive(*shapes: Any) -> tuple[float, float]:
    return 0.0, math.inf


def _unit(*shapes: Any) -> tuple[float, float]:
    return 0.0, 1.0


def _mirrored(cdf: Function, ppf: Function, logcdf: Function | None = None) -> dict[str, Any]:
    """The functions of a distribution that is the same on both sides of zero: above z is what is below -z."""
    found: dict[str, Any] = {
        "cdf": cdf, "sf": lambda z: cdf(-z), "ppf": ppf, "isf": lambda q: -ppf(q)
    }  # fmt: skip
    if logcdf is not None:
        found |= {"logcdf": logcdf, "logsf": lambda z: logcdf(-z)}
    return found


# ---- with the normal distribution ---------------------------------------------------------------

norm = Continuous(
    "norm",
    logpdf=lambda z: z * z / -2.0 - _LOG_ROOT_2_PI,
    **_mirrored(ndtr, ndtri, log_ndtr),
)


def _log_erfc(x: Any, z: Any) -> Any:
    """The logarithm of erfc(x) of a positive number, z being the root of two times it."""
    is_small = x < 0.5
    return where(is_small, log1p(-erf(where(is_small, x, 0.0))), _LOG_2 + log_ndtr(-z))


halfnorm = Continuous(
    "halfnorm",
    logpdf=lambda z: z * z / -2.0 - _LOG_ROOT_2_PI + _LOG_2,
    cdf=lambda z: erf(z * 0.5**0.5),
    sf=lambda z: 2.0 * ndtr(-z),
    ppf=lambda q: -ndtri((1.0 - q) / 2.0),
    isf=lambda q: -ndtri(q / 2.0),
    logsf=lambda z: _log_erfc(z * 0.5**0.5, z),
    support=_positive,
)
lognorm = Continuous(
    "lognorm",
    "s",
    logpdf=lambda z, s: (log(z) / s) ** 2 / -2.0 - log(s) - log(z) - _LOG_ROOT_2_PI,
    cdf=lambda z, s: ndtr(log(z) / s),
    sf=lambda z, s: ndtr(-log(z) / s),
    ppf=lambda q, s: exp(s * ndtri(q)),
    isf=lambda q, s: exp(-s * ndtri(q)),
    logcdf=lambda z, s: log_ndtr(log(z) / s),
    logsf=lambda z, s: log_ndtr(-log(z) / s),
    support=_positive,
    is_open=True,
)


_FAR: Final = 1e15  # beyond it is no mass, and its square is finite in narrow floats, too


def _log_between(a: Any, b: Any) -> Any:
    """The logarithm of the normal distribution's mass between two numbers, in the tail where it is small."""
    a, b = where(a == -math.inf, -_FAR, a), where(b == math.inf, _FAR, b)  # their slope is zero
    is_right = a > 0.0
    low, high = where(is_right, -b, a), where(is_right, -a, b)
    return log_ndtr(high) + log1p(-exp(log_ndtr(low) - log_ndtr(high)))


def _log_share(a: Any, z: Any, b: Any, is_below: bool) -> Any:
    """The logarithm of the part of the mass between two numbers that is below a third one, or above it."""
    whole = _log_between(a, b)
    below, above = _log_between(a, z) - whole, _log_between(z, b) - whole
    share, rest = (below, above) if is_below else (above, below)
    is_most = share > -_LOG_2
    return where(is_most, log1p(-exp(where(is_most, rest, -1.0))), share)


def _truncated_quantile(q: Any, a: Any, b: Any) -> Any:
    is_right = a > 0.0
    low, high = where(is_right, -b, a), where(is_right, -a, b)
    share = where(is_right, 1.0 - q, q)
    z = ndtri(ndtr(low) + share * (ndtr(high) - ndtr(low)))
    return where(is_right, -z, z)


truncnorm = Continuous(
    "truncnorm",
    "a b",
    logpdf=lambda z, a, b: z * z / -2.0 - _LOG_ROOT_2_PI - _log_between(a, b),
    cdf=lambda z, a, b: exp(_log_between(a, z) - _log_between(a, b)),
    sf=lambda z, a, b: exp(_log_between(z, b) - _log_between(a, b)),
    ppf=_truncated_quantile,
    isf=lambda q, a, b: -_truncated_quantile(q, -b, -a),
    logcdf=lambda z, a, b: _log_share(a, z, b, is_below=True),
    logsf=lambda z, a, b: _log_share(a, z, b, is_below=False),
    support=lambda a, b: (a, b),
    wrong=lambda a, b: a >= b,
)

# ---- with the gamma function --------------------------------------------------------------------


def _log_gamma_density(z: Any, a: Any) -> Any:
    return xlogy(a - 1.0, z) - z - lgamma(a)


gamma = Continuous(
    "gamma",
    "a",
    logpdf=_log_gamma_density,
    cdf=lambda z, a: igamma(a, z),
    sf=lambda z, a: igammac(a, z),
    support=_positive,
)
chi2 = Continuous(
    "chi2",
    "df",
    logpdf=lambda z, df: _log_gamma_density(z / 2.0, df / 2.0) - _LOG_2,
    cdf=lambda z, df: igamma(df / 2.0, z / 2.0),
    sf=lambda z, df: igammac(df / 2.0, z / 2.0),
    support=_positive,
)
invgamma = Continuous(
    "invgamma",
    "a",
    logpdf=lambda z, a: -(a + 1.0) * log(z) - lgamma(a) - 1.0 / z,
    cdf=lambda z, a: igammac(a, 1.0 / z),
    sf=lambda z, a: igamma(a, 1.0 / z),
    support=_positive,
    is_open=True,
)
beta = Continuous(
    "beta",
    "a b",
    logpdf=lambda z, a, b: xlog1py(b - 1.0, -z) + xlogy(a - 1.0, z) - betaln(a, b),
    cdf=lambda z, a, b: betainc(a, b, z),
    sf=lambda z, a, b: betainc(b, a, 1.0 - z),
    support=_unit,
)


def _log_f_density(z: Any, m: Any, n: Any) -> Any:
    powers = xlogy(m / 2.0 - 1.0, z) - n / 2.0 * log1p(m * z / n)
    return powers + m / 2.0 * log(m / (n + m * z)) - betaln(m / 2.0, n / 2.0)


f = Continuous(
    "f",
    "dfn dfd",
    logpdf=_log_f_density,
    cdf=lambda z, m, n: betainc(m / 2.0, n / 2.0, m * z / (n + m * z)),
    sf=lambda z, m, n: betainc(n / 2.0, m / 2.0, n / (n + m * z)),
    support=_positive,
)


def _log_t_density(z: Any, df: Any) -> Any:
    is_normal = df == math.inf
    finite = where(is_normal, 1.0, df)
    powers = (finite + 1.0) / -2.0 * log1p(z * z / finite) - log(finite) / 2.0
    found = powers + lgamma_step(finite / 2.0, 0.5 + 0.0 * finite) - _LOG_PI / 2.0
    return where(is_normal, z * z / -2.0 - _LOG_ROOT_2_PI, found)


def _t_tail(size: Any, df: Any) -> Any:
    """The probability of more than a positive number; near zero along the tangent, which is exact there."""
    is_near, is_normal = size < 1e-9, df == math.inf
    far, finite = where(is_near, 1.0, size), where(is_normal, 1.0, df)
    share = finite / (finite + far * far)
    found = betainc(finite / 2.0, 0.5 + 0.0 * finite, share) / 2.0
    found = where(is_near, 0.5 - size * exp(_log_t_density(0.0 * size, finite)), found)
    return where(is_normal, ndtr(-size), found)


def _t_below(z: Any, df: Any) -> Any:
    tail = _t_tail(where(z < 0.0, -z, z), df)
    return where(z < 0.0, tail, 1.0 - tail)


t = Continuous("t", "df", logpdf=_log_t_density, cdf=_t_below, sf=lambda z, df: _t_below(-z, df))

# ---- with elementary functions ------------------------------------------------------------------

uniform = Continuous(
    "uniform",
    logpdf=lambda z: 0.0 * z,
    cdf=lambda z: z,
    sf=lambda z: 1.0 - z,
    ppf=lambda q: q,
    isf=lambda q: 1.0 - q,
    support=_unit,
)
expon = Continuous(
    "expon",
    logpdf=lambda z: -z,
    cdf=lambda z: -expm1(-z),
    sf=lambda z: exp(-z),
    ppf=lambda q: -log1p(-q),
    isf=lambda q: -log(q),
    logsf=lambda z: -z,
    support=_positive,
)


def _laplace_below(z: Any) -> Any:
    tail = exp(-abs_real(z)) / 2.0
    return where(z > 0.0, 1.0 - tail, tail)


def _log_laplace_below(z: Any) -> Any:
    """In the lower tail without the exponential, which vanishes there."""
    is_low = z < 0.0
    return where(is_low, z - _LOG_2, log1p(exp(-abs_real(z)) / -2.0))


def _laplace_quantile(q: Any) -> Any:
    return where(q > 0.5, -log(2.0 * (1.0 - q)), log(2.0 * q))


laplace = Continuous(
    "laplace",
    logpdf=lambda z: -abs_real(z) - _LOG_2,
    **_mirrored(_laplace_below, _laplace_quantile, _log_laplace_below),
)
logistic = Continuous(
    "logistic",
    logpdf=lambda z: log_sigmoid(z) + log_sigmoid(-z),
    cdf=sigmoid,
    sf=lambda z: sigmoid(-z),
    ppf=lambda q: log(q) - log1p(-q),
    isf=lambda q: log1p(-q) - log(q),
    logcdf=log_sigmoid,
    logsf=lambda z: log_sigmoid(-z),
)


def _arc_below(z: Any) -> Any:
    """The distribution function of Cauchy; far below as the small number that it is."""
    is_low = z < -1.0
    return where(is_low, atan(-1.0 / where(is_low, z, -1.0)), atan(z) + math.pi / 2.0) / math.pi


def _arc_quantile(q: Any) -> Any:
    """The inverse of that: by the tail, in which all digits are those of a small number."""
    is_high = q > 0.5
    size = 1.0 / tan(math.pi * where(is_high, 1.0 - q, q))
    return where(is_high, size, -size)


def _half_arc_quantile(q: Any, rest: Any = None) -> Any:
    """The same of sizes; `rest` is what is above."""
    rest = 1.0 - q if rest is None else rest
    is_high = q > 0.5
    size = tan(math.pi / 2.0 * where(is_high, rest, q))
    return where(is_high, 1.0 / size, size)


cauchy = Continuous(
    "cauchy",
    logpdf=lambda z: -_LOG_PI - log1p(z * z),
    **_mirrored(_arc_below, _arc_quantile),
)
halfcauchy = Continuous(
    "halfcauchy",
    logpdf=lambda z: _LOG_2 - _LOG_PI - log1p(z * z),
    cdf=lambda z: atan(z) * (2.0 / math.pi),
    sf=lambda z: 2.0 * _arc_below(-z),
    ppf=_half_arc_quantile,
    isf=lambda q: _half_arc_quantile(1.0 - q, q),
    support=_positive,
)


def _steep(z: Any) -> Any:
    """exp(z), but finite, which makes no difference to what decays by it."""
    return exp(where(z > 80.0, 80.0, z))


gumbel_r = Continuous(
    "gumbel_r",
    logpdf=lambda z: -z - exp(-z),
    cdf=lambda z: exp(-_steep(-z)),
    sf=lambda z: -expm1(-_steep(-z)),
    ppf=lambda q: -log(-log(q)),
    isf=lambda q: -log(-log1p(-q)),
    logcdf=lambda z: -exp(-z),
)
gumbel_l = Continuous(
    "gumbel_l",
    logpdf=lambda z: z - exp(z),
    cdf=lambda z: -expm1(-_steep(z)),
    sf=lambda z: exp(-_steep(z)),
    ppf=lambda q: log(-log1p(-q)),
    isf=lambda q: log(-log(q)),
    logsf=lambda z: -exp(z),
)
rayleigh = Continuous(
    "rayleigh",
    logpdf=lambda z: log(z) - z * z / 2.0,
    cdf=lambda z: -expm1(z * z / -2.0),
    sf=lambda z: exp(z * z / -2.0),
    ppf=lambda q: sqrt(-2.0 * log1p(-q)),
    isf=lambda q: sqrt(-2.0 * log(q)),
    logsf=lambda z: z * z / -2.0,
    support=_positive,
)
pareto = Continuous(
    "pareto",
    "b",
    logpdf=lambda z, b: log(b) - (b + 1.0) * log(z),
    cdf=lambda z, b: -expm1(-b * log(z)),
    sf=lambda z, b: exp(-b * log(z)),
    ppf=lambda q, b: exp(-log1p(-q) / b),
    isf=lambda q, b: exp(-log(q) / b),
    logsf=lambda z, b: -b * log(z),
    support=lambda *shapes: (1.0, math.inf),
)
weibull_min = Continuous(
    "weibull_min",
    "c",
    logpdf=lambda z, c: log(c) + xlogy(c - 1.0, z) - z**c,
    cdf=lambda z, c: -expm1(-(z**c)),
    sf=lambda z, c: exp(-(z**c)),
    ppf=lambda q, c: (-log1p(-q)) ** (1.0 / c),
    isf=lambda q, c: (-log(q)) ** (1.0 / c),
    logsf=lambda z, c: -(z**c),
    support=_positive,
)


def _log_i0(kappa: Any) -> Any:
    """The logarithm of the Bessel function, which has a slope at zero, unlike the scaled one, that has a corner."""
    is_small = kappa < 1.0
    large = where(is_small, 1.0, kappa)
    scaled = log(bessel_i0e(large)) + large
    return where(is_small, log(bessel_i0(where(is_small, kappa, 0.0))), scaled)


vonmises = Continuous(
    "vonmises",
    "kappa",
    wrong=lambda kappa: kappa < 0.0,
    logpdf=lambda z, kappa: kappa * cos(z) - _log_i0(kappa) - 2.0 * _LOG_ROOT_2_PI,
)
