"""Special functions, which are SciPy's: a text that has one imports scipy.special."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from wengert.core.row import Row
from wengert.insight.source.kernels import NotWritableError, Symbol
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


def _first_order(name: str, first: Any) -> Any:
    def template(*xs: Symbol, order: Any) -> Text:
        if order != first:
            raise NotWritableError("a derivative of a higher order")
        return call(name, *[x.text for x in xs])

    return template


def _in_beta(a: Symbol, b: Symbol, x: Symbol, *, orders: tuple[int, int]) -> Text:
    if sum(orders) != 1:
        raise NotWritableError("a derivative of a higher order")
    return call("_incomplete_beta_in", Text("'a'" if orders[0] else "'b'"), a.text, b.text, x.text)


TEMPLATES: Final = {
    "Lgamma": _helped("_lgamma"),
    "Digamma": _helped("_digamma"),
    "Polygamma": _helped("_polygamma"),
    "PolygammaOfOrder": lambda x, *, order: _narrow(
        call("scipy.special.polygamma", order, _wide(x)), x
    ),
    "Zeta": _helped("_zeta"),
    "IgammaGradA": _first_order("_incomplete_gamma_in_a", 1),
    "BetaincGrad": _in_beta,
    "RandomGammaGrad": _helped("_gamma_sample_slope"),
    "SpenceSlope": lambda x, *, order: call("_spence_slope", x.text, order),
    "Complex": _helped("_complex"),
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
    "_complex": """
def _complex(x, y):
    shape, kind = np.broadcast_shapes(x.shape, y.shape), np.complex64
    z = np.empty(shape, np.result_type(x.dtype, kind))
    z.real, z.imag = x, y
    return z
""",
    "_where_inside": '''
def _where_inside(parts, xs, dtype):
    """Each function where its condition holds; NaN elsewhere."""
    y = np.full(xs[0].shape, np.nan)
    for condition, function in parts:
        if condition.any():
            y[condition] = function(*[x[condition] for x in xs])
    return y.astype(dtype)
''',
    "_incomplete_gamma_front": """
def _incomplete_gamma_front(a, x):
    size = np.exp(a * np.log(x) - x - scipy.special.gammaln(a + 1.0))
    return size, (np.log(x) - scipy.special.digamma(a + 1.0)) * size
""",
    "_lower_gamma_in_a": """
def _lower_gamma_in_a(a, x):
    front, slope = _incomplete_gamma_front(a, x)
    term, moved, k = np.ones_like(a), np.zeros_like(a), 0
    total, change = term, moved
    while k == 0 or np.any(
        np.maximum(np.abs(term), np.abs(moved)) > 1e-17 * np.abs(total)
    ):
        k += 1
        term = term * x / (a + k)
        moved = (moved * x - term) / (a + k)
        total, change = total + term, change + moved
    return front * change + slope * total
""",
    "_upper_gamma_in_a": '''
def _upper_gamma_in_a(a, x):
    """By the continued fraction of 1 - P: numbers, and their slopes in a."""
    front, slope = _incomplete_gamma_front(a, x)
    front, slope = a * front, a * slope + front
    one, none = np.ones_like(a), np.zeros_like(a)
    above, below = [one, none, none, none], [x + 1.0 - a, -one, one, none]
    ratio, k, last = _quotient(above, below), 0, 10_000
    while k < last:
        k += 1
        c, d = x + 2.0 * k + 1.0 - a, k * (a - k)
        above, below = (
            [c * p + d * q, c * dp - p + (d * dq + k * q), p, dp]
            for p, dp, q, dq in (above, below)
        )
        size = 1.0 / below[0]
        above, below = [v * size for v in above], [v * size for v in below]
        if k % 8 == 0:
            before, ratio = ratio, _quotient(above, below)
            if last == 10_000 and _have_settled(ratio, before):
                last = k + 32  # more would be noise
    return -(front * ratio[1] + slope * ratio[0])
''',
    "_quotient": """
def _quotient(above, below):
    ratio = above[0] / below[0]
    return ratio, (above[1] - ratio * below[1]) / below[0]
""",
    "_have_settled": """
def _have_settled(now, before):
    size = np.abs(now[0])
    near = (np.abs(u - v) <= 1e-13 * (np.abs(u) + size) for u, v in zip(now, before))
    return all(np.all(n) for n in near)
""",
    "_incomplete_gamma_in_a": """
def _incomplete_gamma_in_a(a, x):
    dtype, xs = a.dtype, np.broadcast_arrays(np.float64(a), np.float64(x))
    a, x = xs
    end = (a > 0) & ((x == 0) | (x == np.inf))
    inner = (a > 0) & (x > 0) & (x < np.inf)
    low = x <= np.maximum(a + 1.0, 5.0)
    parts = [
        (end, lambda a, x: np.zeros_like(a)),
        (inner & low, _lower_gamma_in_a),
        (inner & ~low, _upper_gamma_in_a),
    ]
    return _where_inside(parts, xs, dtype)
""",
    "_beta_series_in": '''
def _beta_series_in(which, a, b, x, y):
    """For x below the mean; y is 1 - x."""
    own, log = (a, np.log(x)) if which == "a" else (b, np.log(y))
    psi, by_a = scipy.special.digamma, which == "a"
    front = np.exp(
        a * np.log(x) + b * np.log(y) - scipy.special.betaln(a, b)
    )
    slope = (psi(a + b) - psi(own) + log) * front
    front, slope = front / a, (slope - by_a * front / a) / a
    term, moved, k = np.ones_like(a), np.zeros_like(a), 0
    total, change = term, moved
    while k == 0 or np.any(
        np.maximum(np.abs(term), np.abs(moved)) > 1e-17 * np.abs(total)
    ):
        k += 1
        factor = (a + b + (k - 1)) * x
        term, moved = factor * term / (a + k), factor * moved + x * term
        moved = (moved - by_a * term) / (a + k)
        total, change = total + term, change + moved
    return front * change + slope * total
''',
    "_incomplete_beta_in": """
def _incomplete_beta_in(which, a, b, x):
    dtype = a.dtype
    xs = np.broadcast_arrays(np.float64(a), np.float64(b), np.float64(x))
    a, b, x = xs
    valid, low = (a > 0) & (b > 0), x <= (a + 1.0) / (a + b + 2.0)
    inner, other = valid & (x > 0) & (x < 1), {"a": "b", "b": "a"}[which]
    parts = [
        (valid & ((x == 0) | (x == 1)), lambda a, b, x: np.zeros_like(a)),
        (inner & low, lambda a, b, x: _beta_series_in(which, a, b, x, 1.0 - x)),
        (
            inner & ~low,
            lambda a, b, x: -_beta_series_in(other, b, a, 1.0 - x, x),
        ),
    ]
    return _where_inside(parts, xs, dtype)
""",
    "_gamma_sample_slope": """
def _gamma_sample_slope(alpha, sample):
    a, x = np.broadcast_arrays(np.float64(alpha), np.float64(sample))
    term, slope = np.ones(a.shape), np.zeros(a.shape)
    total, moved, n = term, slope, 0
    while np.any(term > 1e-17 * total):
        n += 1
        term, slope = term * (x / (a + n)), slope + 1 / (a + n)
        total, moved = total + term, moved + term * slope
    series = (np.log(x) - scipy.special.digamma(a + 1)) * total - moved
    return (-series * x / a).astype(sample.dtype)
""",
    "_spence_slope": """
def _spence_slope(x, order):
    u = np.float64(x) - 1.0
    far = np.where(np.abs(u) < 0.3, 1.0, u)
    value = np.log1p(far) / far
    for n in range(1, order + 1):
        value = (value - 1.0 / (n * (1.0 + far) ** n)) / far
    near, power, choose = np.zeros_like(u), np.ones_like(u), 1.0
    small = np.where(np.abs(u) < 0.3, u, 0.0)
    for k in range(40 + 8 * order):
        near = near + choose * power / (order + k + 1)
        power, choose = power * -small, choose * (order + k + 1) / (k + 1)
    return np.where(np.abs(u) < 0.3, near, value).astype(x.dtype)
""",
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
