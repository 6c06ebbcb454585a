"""Bessel functions, which JAX lacks: by series, by integrals over periods, and by expansions.

An integral of a periodic analytic function by equal steps converges faster than any power of the
step, and so does one that decays like exp(-exp(t)) at both ends. All is computed in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.engines.xla.backend import jnp, lax
from wengert.engines.xla.versions import version

_EULER: Final = 0.5772156649015329


def _in_double(function: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda x: function(jnp.asarray(x).astype(np.float64)).astype(x.dtype)


def _summed(terms: int, term: Callable[[Any], Any], like: Any) -> Any:
    """The sum of term(k) over k = 0, 1, ..."""
    return lax.fori_loop(0, terms, lambda k, total: total + term(k), jnp.zeros_like(like))


def _expansion(order: int, x: Any, sign: float) -> tuple[Any, Any]:
    """Hankel's expansion for large x: the sums of the even and of the odd terms.

    Each term is the one before times sign (4 n^2 - (2k - 1)^2) / (8 k x). It is for x so large that
    the terms decrease below the rounding error before they grow again.
    """
    square = 4.0 * order * order
    even, odd, term = jnp.ones_like(x), jnp.zeros_like(x), jnp.ones_like(x)
    for k in range(1, 26):
        term = term * sign * (square - (2.0 * k - 1.0) ** 2) / (8.0 * k * x)
        if k % 2:
            odd = odd + (term if sign < 0 or k % 4 == 1 else -term)
        else:
            even = even + (term if sign < 0 or k % 4 == 0 else -term)
    return even, odd


def _far(order: int) -> float:
    """From where on the expansion serves."""
    return 30.0 + order * order


def _series(order: int, x: Any, sign: float, terms: int) -> Any:
    """The sum of sign^k (x / 2)^(n + 2k) / (k! (n + k)!)."""
    quarter = sign * x * x / 4.0
    first = (x / 2.0) ** order / math.factorial(order)

    def added(k: Any, sums: Any) -> Any:
        term, total = sums
        term = term * quarter / (k * (k + order))
        return term, total + term

    return lax.fori_loop(1, terms, added, (first, first))[1]


# ---- J ------------------------------------------------------------------------------------------


def _bessel_j(order: int, x: Any) -> Any:
    size, limit = jnp.abs(x), _far(order)
    near = jnp.minimum(size, limit)
    steps = int(2 * limit + order) + 60
    angles = (np.arange(steps) + 0.5) * (math.pi / steps)
    low = _summed(
        steps,
        lambda k: jnp.cos(order * jnp.asarray(angles)[k] - near * jnp.sin(jnp.asarray(angles)[k])),
        near,
    ) / steps  # fmt: skip
    low = jnp.where(size < 1.0, _series(order, jnp.minimum(size, 1.0), -1.0, 20), low)
    high = jnp.maximum(size, limit)
    even, odd = _expansion(order, high, 1.0)
    phase = high - (0.5 * order + 0.25) * math.pi
    far = jnp.sqrt(2.0 / (math.pi * high)) * (even * jnp.cos(phase) - odd * jnp.sin(phase))
    y = jnp.where(size <= limit, low, jnp.where(jnp.isinf(size), 0.0, far))
    y = jnp.where(jnp.isnan(x), x, y)
    return jnp.where(x < 0, -y, y) if order % 2 else y


version("BesselJ0")(_in_double(lambda x: _bessel_j(0, x)))
version("BesselJ1")(_in_double(lambda x: _bessel_j(1, x)))


@version("BesselJOfOrder")
def _j_of_order(x: Any, *, order: int) -> Any:
    return _in_double(lambda v: _bessel_j(order, v))(x)


# ---- I ------------------------------------------------------------------------------------------


def _scaled_bessel_i(order: int, x: Any) -> Any:
    """I(x) exp(-|x|): a series of positive terms, or the expansion."""
    size, limit = jnp.abs(x), _far(order)
    near = jnp.minimum(size, limit)
    total = _series(order, near, 1.0, int(limit) + 40)
    even, odd = _expansion(order, jnp.maximum(size, limit), -1.0)
    far = (even + odd) / jnp.sqrt(2.0 * math.pi * jnp.maximum(size, limit))
    y = jnp.where(size <= limit, total * jnp.exp(-near), jnp.where(jnp.isinf(size), 0.0, far))
    y = jnp.where(jnp.isnan(x), x, y)
    return jnp.where(x < 0, -y, y) if order % 2 else y


@version("BesselIeOfOrder")
def _ie_of_order(x: Any, *, order: int) -> Any:
    return _in_double(lambda v: _scaled_bessel_i(order, v))(x)


@version("BesselIOfOrder")
def _i_of_order(x: Any, *, order: int) -> Any:
    return _in_double(lambda v: _scaled_bessel_i(order, v) * jnp.exp(jnp.abs(v)))(x)


# ---- K ------------------------------------------------------------------------------------------

_STEPS: Final = 160
_TINY: Final = 1e-9  # below which the first term of the series is all


def _scaled_bessel_k(order: int, x: Any) -> Any:
    """K(x) exp(x), the integral of exp(x (1 - cosh t)) cosh(n t) over t from 0."""
    at = jnp.maximum(x, _TINY)
    step = jnp.arccosh(1.0 + 750.0 / at) / _STEPS

    def term(k: Any) -> Any:
        t = k * step
        # 1 - cosh t without cancellation
        value = jnp.exp(-2.0 * at * jnp.sinh(0.5 * t) ** 2) * jnp.cosh(order * t)
        return jnp.where(k == 0, 0.5 * value, value)

    y = _summed(_STEPS + 1, term, at) * step
    small = (-jnp.log(0.5 * x) - _EULER if order == 0 else 1.0 / x) * jnp.exp(x)
    y = jnp.where(x < _TINY, small, y)
    y = jnp.where(x == 0, np.inf, jnp.where(jnp.isinf(x), 0.0, y))
    return jnp.where((x < 0) | jnp.isnan(x), np.nan, y)


version("BesselK0e")(_in_double(lambda x: _scaled_bessel_k(0, x)))
version("BesselK1e")(_in_double(lambda x: _scaled_bessel_k(1, x)))
version("BesselK0")(_in_double(lambda x: _scaled_bessel_k(0, x) * jnp.exp(-x)))
version("BesselK1")(_in_double(lambda x: _scaled_bessel_k(1, x) * jnp.exp(-x)))
