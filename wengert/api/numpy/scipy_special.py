"""SciPy's special functions on tensors, by the names that they have there.

They are elementwise functions as NumPy's are, so NumPy asks the tensor. Those of several elements, as
`scipy.special.logsumexp`, take arrays, and ask nobody: `wengert.scipy.special` has those.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from wengert.api.numpy.elementwise import cbrt, exp2
from wengert.api.numpy.promotion import in_floats, promoted_floats
from wengert.inference.public_functions import deferrable
from wengert.ops.math import arithmetic, elementwise
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import abs_real, zeros_like
from wengert.ops.nn import activations
from wengert.ops.special import bessel, gamma, incomplete_gamma
from wengert.ops.support.static_value import get_static_value
from wengert.values import dtypes

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor

# Where ten terms of the asymptotic series have all digits: of wide floats, and of others.
_SERIES_BELOW: Final = {dtypes.float64: -20.0}
_NARROW_SERIES_BELOW: Final = -10.0

_OF_ONE: Final[dict[str, Callable[..., Any]]] = {
    "gammaln": gamma.lgamma,
    "loggamma": gamma.lgamma,
    "psi": gamma.digamma,
    "digamma": gamma.digamma,
    "gamma": lambda x: _sign_of_gamma(x) * elementwise.exp(gamma.lgamma(x)),
    "erf": activations.erf,
    "erfc": gamma.erfc,
    "erfinv": gamma.erfinv,
    "erfcinv": gamma.erfcinv,
    "ndtr": lambda x: ndtr(x),
    "log_ndtr": lambda x: log_ndtr(x),
    "ndtri": gamma.ndtri,
    "expit": elementwise.sigmoid,
    "log_expit": activations.log_sigmoid,
    "logit": lambda x: elementwise.log(x) - elementwise.log1p(-x),
    "i0": bessel.bessel_i0,
    "i0e": bessel.bessel_i0e,
    "i1": bessel.bessel_i1,
    "i1e": bessel.bessel_i1e,
    "j0": bessel.bessel_j0,
    "j1": bessel.bessel_j1,
    "k0": bessel.bessel_k0,
    "k0e": bessel.bessel_k0e,
    "k1": bessel.bessel_k1,
    "k1e": bessel.bessel_k1e,
    "y0": bessel.bessel_y0,
    "y1": bessel.bessel_y1,
    "exp2": exp2,
    "cbrt": cbrt,
    "expm1": elementwise.expm1,
    "log1p": elementwise.log1p,
    "dawsn": gamma.dawsn,
    "expi": gamma.expint,
    "spence": gamma.spence,
    "entr": lambda x: where(x < 0.0, -math.inf, -arithmetic.xlogy(x, abs_real(x))),
    "rgamma": lambda x: _sign_of_gamma(x) * elementwise.exp(-gamma.lgamma(x)),
}
_OF_SEVERAL: Final[dict[str, Callable[..., Any]]] = {
    "xlogy": arithmetic.xlogy,
    "xlog1py": arithmetic.xlog1py,
    "betaln": lambda a, b: betaln(a, b),
    "beta": lambda a, b: _sign_of_beta(a, b) * elementwise.exp(betaln(a, b)),
    "huber": lambda delta, r: _huber(delta, elementwise.abs_real(r)),
    "pseudo_huber": lambda delta, r: delta * (elementwise.sqrt(delta * delta + r * r) - delta),
    "betainc": incomplete_gamma.betainc,
    "gammainc": incomplete_gamma.igamma,
    "gammaincc": incomplete_gamma.igammac,
    "poch": lambda z, m: (
        _sign_of_gamma(z) * _sign_of_gamma(z + m) * elementwise.exp(lgamma_step(z, m))
    ),
    "rel_entr": lambda x, y: _rel_entr(x, y),
    "kl_div": lambda x, y: _rel_entr(x, y) - x + y,
}


def ndtr(x: Tensor) -> Tensor:
    """The normal distribution function."""
    return gamma.erfc(x * -(0.5**0.5)) / 2.0


# Of log gamma beyond x (log x - 1) and what else Stirling's formula has, in odd powers of 1/x.
_STIRLING: Final = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_STIRLING_FROM: Final = 10.0  # where these are enough


def _beyond_stirling(x: Tensor) -> Tensor:
    square, total = 1.0 / (x * x), zeros_like(x)
    for coefficient in reversed(_STIRLING):
        total = total * square + coefficient
    return total / x


def lgamma_step(x: Tensor, step: Tensor) -> Tensor:
    """lgamma(x + step) - lgamma(x) of positive numbers, which of large x is a small difference of large numbers."""
    is_large = (x >= _STIRLING_FROM) & (step >= 0.0)
    known = get_static_value(is_large)
    if known is not None and not known.any():
        return gamma.lgamma(x + step) - gamma.lgamma(x)
    large, further = where(is_large, x, _STIRLING_FROM), where(is_large, step, 0.0)
    end = large + further
    found = (large - 0.5) * elementwise.log1p(further / large) + further * (
        elementwise.log(end) - 1.0
    )
    found = found + _beyond_stirling(end) - _beyond_stirling(large)
    x, step = where(is_large, 1.0, x), where(is_large, 0.0, step)
    return where(is_large, found, gamma.lgamma(x + step) - gamma.lgamma(x))


def betaln(a: Tensor, b: Tensor) -> Tensor:
    """The logarithm of the beta function, exact also of large numbers."""
    is_first = a > b
    return gamma.lgamma(where(is_first, b, a)) - lgamma_step(
        where(is_first, a, b), where(is_first, b, a)
    )


def _sign_of_gamma(x: Tensor) -> Tensor:
    """Below zero it changes from one whole number to the next."""
    return 1.0 - 2.0 * (elementwise.floor(where(x < 0.0, x, 0.0)) % 2.0)


def _sign_of_beta(a: Tensor, b: Tensor) -> Tensor:
    return _sign_of_gamma(a) * _sign_of_gamma(b) * _sign_of_gamma(a + b)


def _rel_entr(x: Tensor, y: Tensor) -> Tensor:
    is_outside = (x < 0.0) | (y < 0.0)
    ratio = where(is_outside, 1.0, x / where(is_outside, 1.0, y))
    return where(is_outside, math.inf, arithmetic.xlogy(where(is_outside, 0.0, x), ratio))


def _huber(delta: Tensor, size: Tensor) -> Tensor:
    return where(size <= delta, size * size / 2.0, delta * (size - delta / 2.0))


def log_ndtr(x: Tensor) -> Tensor:
    """The logarithm of the normal distribution function, also where that is too small for a float."""
    bound = _SERIES_BELOW.get(x.dtype, _NARROW_SERIES_BELOW)
    is_low, is_high = x < bound, x > 1.0
    low, middle = where(is_low, x, bound), where(is_low | is_high, 0.0, x)
    high = where(is_high, x, 1.0)
    total: Any = 0.0
    inverse = 1.0 / (low * low)
    for k in range(19, 0, -2):  # 1 - 1/x² + 3/x⁴ - 15/x⁶ ...
        total = -k * inverse * (1.0 + total)
    by_series = low * low / -2.0 - elementwise.log(-low) + elementwise.log1p(total)
    by_series = by_series - math.log(2.0 * math.pi) / 2.0
    plain = elementwise.log(ndtr(middle))
    return where(is_low, by_series, where(is_high, elementwise.log1p(-ndtr(-high)), plain))


@functools.cache
def functions() -> dict[str, Callable[..., Any]]:
    """These functions of tensors, arrays and numbers by their names."""
    ones = {name: deferrable(lambda x, f=f: f(in_floats(x))) for name, f in _OF_ONE.items()}
    several = {
        name: deferrable(lambda *xs, f=f: f(*promoted_floats(*xs)))
        for name, f in _OF_SEVERAL.items()
    }
    found = ones | several
    for name, function in found.items():
        function.__name__ = function.__qualname__ = name
    return found


def of_scipy(ufunc: Any) -> Callable[..., Any] | None:
    """The function of ours that stands for one of SciPy's."""
    return _table().get(ufunc) if "scipy.special" in sys.modules else None


@functools.cache
def _table() -> dict[Any, Callable[..., Any]]:
    theirs = sys.modules["scipy.special"]
    return {getattr(theirs, name): f for name, f in functions().items() if hasattr(theirs, name)}
