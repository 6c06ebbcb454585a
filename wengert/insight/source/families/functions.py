"""Special functions, which are SciPy's: a text that has one imports scipy.special."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from wengert.core.row import Row
from wengert.insight.source.kernels import Symbol
from wengert.insight.source.text import Text, call, item, method


def special(name: str, *xs: Symbol) -> Text:
    """A function of SciPy in float64, as the kernels call it."""
    return _narrow(call(f"scipy.special.{name}", *[_wide(x) for x in xs]), xs[0])


def of_scipy(row: Row) -> Callable[..., Text] | None:
    """The template of an operation whose kernel is a function of SciPy's."""
    kernel = row.kernel
    return partial(special, kernel.__name__) if kernel.__module__ == "scipy.special" else None


def _wide(x: Symbol) -> Text:
    is_wide = x.dtype == np.float64
    return x.text if is_wide else call("np.float64", x.text)


def _narrow(text: Text, x: Symbol) -> Text:
    """As NumPy's scalar where there are no axes: that has `astype`, too."""
    return text if x.dtype == np.float64 else method(text, "astype", x.dtype)


def _fresnel(at: int) -> Any:
    return lambda x: _narrow(item(call("scipy.special.fresnel", _wide(x)), at), x)


def _helped(name: str) -> Any:
    def template(*xs: Symbol, **attrs: Any) -> Text:
        return call(name, *[x.text for x in xs], **attrs)

    return template


TEMPLATES: Final = {
    "Lgamma": _helped("_lgamma"),
    "Digamma": _helped("_digamma"),
    "Polygamma": _helped("_polygamma"),
    "PolygammaOfOrder": lambda x, *, order: _narrow(
        call("scipy.special.polygamma", order, _wide(x)), x
    ),
    "Zeta": _helped("_zeta"),
    "Erf": lambda x: call("scipy.special.erf", x.text),
    "Erfc": lambda x: call("scipy.special.erfc", x.text),
    "FresnelCos": _fresnel(1),
    "FresnelSin": _fresnel(0),
    "BesselIOfOrder": lambda x, *, order: _ordered("iv", order, x),
    "BesselIeOfOrder": lambda x, *, order: _ordered("ive", order, x),
    "BesselJOfOrder": lambda x, *, order: _ordered("jv", order, x),
}


def _ordered(name: str, order: int, x: Symbol) -> Text:
    return _narrow(call(f"scipy.special.{name}", order, _wide(x)), x)


HELPERS: Final = {
    "_lgamma": '''
def _lgamma(x):
    """SciPy's, but by a series near its zeros, 1 and 2: few digits hold there."""
    wide = np.float64(x)
    y = np.array(scipy.special.gammaln(wide))
    for zero in (1.0, 2.0):
        near = np.abs(wide - zero) < 0.25
        z = wide[near] - zero
        total = np.zeros_like(z)
        for k in range(19, 1, -1):
            total = (total + (-1) ** k * scipy.special.zetac(float(k)) / k) * z
        total = (total + (1.0 - 0.5772156649015329)) * z
        y[near] = total - (np.log1p(z) if zero == 1.0 else 0.0)
    return y.astype(x.dtype)
''',
    "_digamma": '''
def _digamma(x):
    """SciPy's, but NaN at 0, and by reflection beside the other poles."""
    wide = np.float64(x)
    y = np.array(scipy.special.digamma(wide))
    beside = wide - np.round(wide)
    near = (wide < 0) & (np.abs(beside) < 0.05) & (beside != 0)
    y[near] = scipy.special.digamma(1.0 - wide[near]) - np.pi / np.tan(np.pi * beside[near])
    return np.where(wide == 0, np.nan, y).astype(x.dtype)
''',
    "_polygamma": """
def _polygamma(order, x):
    order, wide = np.float64(order), np.float64(x)
    sign = np.where(order % 2 == 0, -1.0, 1.0)
    high = sign * scipy.special.gamma(order + 1.0) * scipy.special.zeta(order + 1.0, wide)
    y = np.where(order == 0, scipy.special.digamma(wide), high)
    return np.where((order >= 0) & (order == np.floor(order)), y, np.nan).astype(x.dtype)
""",
    "_zeta": """
def _zeta(x, q):
    y = scipy.special.zeta(np.float64(x), np.float64(q)).astype(x.dtype)
    return np.where(np.isnan(x + q), x + q, y)
""",
}
