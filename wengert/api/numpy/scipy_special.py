"""SciPy's special functions on tensors: those that tf.math has, by the names that they have there.

They are elementwise functions as NumPy's are, so NumPy asks the tensor. Those of several elements, as
`scipy.special.logsumexp`, take arrays, and ask nobody.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, Final

from wengert.api.numpy.promotion import in_floats, promoted_floats
from wengert.inference.public_functions import deferrable
from wengert.ops.math import arithmetic, elementwise
from wengert.ops.nn import activations
from wengert.ops.special import bessel, gamma, incomplete_gamma

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
    "ndtr": lambda x: gamma.erfc(x * -(0.5**0.5)) / 2.0,
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
    "expm1": elementwise.expm1,
    "log1p": elementwise.log1p,
    "entr": lambda x: -arithmetic.xlogy(x, x),
}
_OF_SEVERAL: Final[dict[str, Callable[..., Any]]] = {
    "xlogy": arithmetic.xlogy,
    "xlog1py": arithmetic.xlog1py,
    "betaln": lambda a, b: gamma.lgamma(a) + gamma.lgamma(b) - gamma.lgamma(a + b),
    "betainc": incomplete_gamma.betainc,
    "gammainc": incomplete_gamma.igamma,
    "gammaincc": incomplete_gamma.igammac,
    "rel_entr": lambda x, y: arithmetic.xlogy(x, x / y),
    "kl_div": lambda x, y: arithmetic.xlogy(x, x / y) - x + y,
}


def _sign_of_gamma(x: Any) -> Any:
    """Below zero it changes from one whole number to the next."""
    is_odd = elementwise.floor(x) % 2.0 * elementwise.cast(x < 0.0, x.dtype)
    return 1.0 - 2.0 * is_odd


def of_scipy(ufunc: Any) -> Callable[..., Any] | None:
    """The function of ours that stands for one of SciPy's."""
    return _table().get(ufunc) if "scipy.special" in sys.modules else None


@functools.cache
def _table() -> dict[Any, Callable[..., Any]]:
    found = {name: deferrable(lambda x, f=f: f(in_floats(x))) for name, f in _OF_ONE.items()}
    for name, f in _OF_SEVERAL.items():
        found[name] = deferrable(lambda *xs, f=f: f(*promoted_floats(*xs)))
    theirs = sys.modules["scipy.special"]
    return {getattr(theirs, name): function for name, function in found.items()}
