"""Special functions of one variable: gamma, error functions, integrals; polygamma and zeta.

Kernels are SciPy's. A rule calls the next function of its family, so derivatives of every order are
exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.host.parallel import in_blocks
from wengert.ops.math.elementwise import cos, exp, sin
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.declare import REAL, Unary, binary, unary
from wengert.ops.support.half_precision import widen
from wengert.ops.support.scipy_lazy import scipy_special
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.ops.support.parameter_names import BinaryOfAX, BinaryOfXQ
    from wengert.values.typing import Array, Namespace, TensorLike


def scipys(name: str) -> Callable[..., Any]:
    """A kernel that calls a function of SciPy in float64, as some are inaccurate in float32."""

    def kernel(_: Namespace, *xs: Array) -> Array:
        y = _shared(getattr(scipy_special(), name), [x.astype(np.float64, copy=False) for x in xs])
        return np.asarray(y).astype(xs[0].dtype, copy=False)

    kernel.__module__, kernel.__name__ = "scipy.special", name  # which tf.source reads
    return kernel


_MANY: Final = 1 << 12  # elements, each of which takes 20 ns at least


def _shared(function: Callable[..., Array], xs: Sequence[Array]) -> Array:
    """A function of float64, with a piece of the arrays on each processor, where there are many elements."""
    first = xs[0]
    is_small = type(first) is not np.ndarray or first.size < _MANY
    if is_small or any(x.shape != first.shape or not x.flags.c_contiguous for x in xs):
        return function(*xs)
    flat, out = [x.reshape(-1) for x in xs], np.empty(first.size)
    in_blocks(lambda rows: function(*[x[rows] for x in flat], out=out[rows]), out, _MANY)
    return out.reshape(first.shape)


# ---- gamma ------------------------------------------------------------------------------------

# log gamma(2 + z) is (1 - gamma) z + the sum of (-1)^k (zeta(k) - 1) z^k / k over k = 2, 3, ...
_EULER: Final = 0.5772156649015329
_NEAR: Final = 0.25  # so that each term is an 8th of the one before


def _lgamma_near_two(z: Array) -> Array:
    special, total = scipy_special(), np.zeros_like(z)
    for k in range(19, 1, -1):
        total = (total + (-1) ** k * special.zetac(float(k)) / k) * z
    return (total + (1.0 - _EULER)) * z


def _lgamma_kernel(_: Namespace, x: Array) -> Array:
    """SciPy's function, except near its zeros, 1 and 2, where it is inaccurate, and for subnormal numbers."""
    wide = np.asarray(x).astype(np.float64)
    y = np.array(scipy_special().gammaln(np.where(wide == -np.inf, np.inf, wide)))
    for zero in (1.0, 2.0):
        near = np.abs(wide - zero) < _NEAR
        if np.any(near):
            z = wide[near] - zero
            y[near] = _lgamma_near_two(z) - (np.log1p(z) if zero == 1.0 else 0.0)
    subnormal = (np.abs(wide) < np.finfo(np.float64).tiny) & (wide != 0)
    if np.any(subnormal):
        y[subnormal] = -np.log(np.abs(wide[subnormal]))
    return y.astype(x.dtype, copy=False)


lgamma: Unary = unary(
    "Lgamma",
    "math.lgamma",
    "The logarithm of the absolute value of the gamma function.",
    ("[1.0, 5.0]", "[0.     3.1781]"),
    kernel=_lgamma_kernel,
    vjp=lambda g, y, x: g * digamma(x),
    saves="x",
    takes=REAL,
)


_BESIDE_A_POLE: Final = 0.05


def _digamma_kernel(_: Namespace, x: Array) -> Array:
    """SciPy's function, except NaN at poles, where the limits differ, as in TensorFlow."""
    wide = np.asarray(x).astype(np.float64)
    y = np.array(scipy_special().digamma(wide))
    beside = wide - np.round(wide)
    near = (wide < 0) & (np.abs(beside) < _BESIDE_A_POLE) & (beside != 0)
    if np.any(near):  # by reflection, as SciPy's takes the tangent of a rounded pi x
        tangent = np.tan(np.pi * beside[near])
        y[near] = scipy_special().digamma(1.0 - wide[near]) - np.pi / tangent
    return np.where(wide == 0, np.nan, y).astype(x.dtype, copy=False)


digamma: Unary = unary(
    "Digamma",
    "math.digamma",
    "The derivative of lgamma.",
    ("[1.0, 2.0]", "[-0.5772  0.4228]"),
    kernel=_digamma_kernel,
    vjp=lambda g, y, x: g * digamma_derivative(1, x),
    saves="x",
    takes=REAL,
)


def _trigamma_kernel(_: Namespace, x: Array, *, order: int) -> Array:
    return np.asarray(scipy_special().polygamma(order, x.astype(np.float64))).astype(
        x.dtype, copy=False
    )


# The derivatives of digamma, of a static order.
TRIGAMMA: Row = op(
    "PolygammaOfOrder",
    _trigamma_kernel,
    vjp=(lambda g, y, x, *, order: g * digamma_derivative(order + 1, x),),
    elementwise=True,
    saves="x",
)


def digamma_derivative(order: int, x: Tensor) -> Tensor:
    """The derivative of digamma of an order; for order 0, digamma itself."""
    return apply(TRIGAMMA, (x,), {"order": order}) if order else digamma(x)


polygamma: BinaryOfAX = binary(
    "Polygamma",
    "math.polygamma",
    "The derivative of digamma of order `a`, an integer, at `x`.",
    ("1.0, [1.0, 2.0]", "[1.6449 0.6449]"),
    parameters=("a", "x"),
    kernel=lambda xp, a, x: _polygamma_kernel(xp, a, x),
    vjp=(None, lambda g, y, a, x: g * polygamma(a + 1.0, x)),
    saves="x",
    takes=REAL,
)


def _polygamma_kernel(_: Namespace, a: Array, x: Array) -> Array:
    special, wide = scipy_special(), x.astype(np.float64)
    order = a.astype(np.float64)
    sign = np.where(order % 2 == 0, -1.0, 1.0)
    high = sign * special.gamma(order + 1.0) * special.zeta(order + 1.0, wide)
    y = np.where(order == 0, special.digamma(wide), high)
    proper = (order >= 0) & (order == np.floor(order))
    return np.where(proper, y, np.nan).astype(x.dtype)


zeta: BinaryOfXQ = binary(
    "Zeta",
    "math.zeta",
    "The Hurwitz zeta function: the sum of (q + n)^-x over n = 0, 1, ...",
    ("[2.0, 4.0], 1.0", "[1.6449 1.0823]"),
    parameters=("x", "q"),
    kernel=lambda xp, x, q: xp.where(xp.isnan(x + q), x + q, scipys("zeta")(xp, x, q)),
    vjp=(None, lambda g, y, x, q: g * -x * zeta(x + 1.0, q)),
    saves="x",
    takes=REAL,
)


def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the beta function of the last axis.

    >>> print(tf.math.lbeta([1.0, 2.0, 3.0]).numpy().round(4))
    -4.0943
    """
    whole = reduce_sum(x, -1)
    return reduce_sum(lgamma(x), -1) - lgamma(whole)


# ---- error functions --------------------------------------------------------------------------

TWO_OVER_ROOT_PI: Final = 1.1283791670955126
ROOT_PI_OVER_TWO: Final = 0.886226925452758
ROOT_TWO_PI: Final = 2.5066282746310002


def _erfc_kernel(_: Namespace, x: Array) -> Array:
    return scipy_special().erfc(widen(x)).astype(x.dtype, copy=False)


erfc: Unary = unary(
    "Erfc",
    "math.erfc",
    "1 - erf(x), accurate for large x.",
    ("[0.0, 1.0]", "[1.     0.1573]"),
    kernel=_erfc_kernel,
    vjp=lambda g, y, x: g * (-TWO_OVER_ROOT_PI * exp(-x * x)),
    saves="x",
    takes=REAL,
    slow=True,
)
erfinv: Unary = unary(
    "Erfinv",
    "math.erfinv",
    "The number whose erf is x.",
    ("[0.0, 0.5]", "[0.     0.4769]"),
    kernel=scipys("erfinv"),
    vjp=lambda g, y, x: g * (ROOT_PI_OVER_TWO * exp(y * y)),
    saves="y",
    takes=REAL,
)
ndtri: Unary = unary(
    "Ndtri",
    "math.ndtri",
    "The quantile of the standard normal distribution.",
    ("[0.5, 0.8]", "[0.     0.8416]"),
    kernel=scipys("ndtri"),
    vjp=lambda g, y, x: g * (ROOT_TWO_PI * exp(y * y * 0.5)),
    saves="y",
    takes=REAL,
)
erfcinv: Unary = unary(
    "Erfcinv",
    "math.erfcinv",
    "The number whose erfc is x.",
    ("[1.5, 0.5]", "[-0.4769  0.4769]"),
    kernel=scipys("erfcinv"),
    vjp=lambda g, y, x: g * (-ROOT_PI_OVER_TWO * exp(y * y)),
    saves="y",
    takes=REAL,
)

# ---- integrals --------------------------------------------------------------------------------

_expi = scipys("expi")


def _expint(_: Namespace, x: Array) -> Array:
    """SciPy's; before 1.15 it has NaN at infinity."""
    return np.where(x == np.inf, x, _expi(np, x))


_expint.__module__, _expint.__name__ = _expi.__module__, _expi.__name__

expint: Unary = unary(
    "Expint",
    "math.special.expint",
    "The exponential integral Ei(x): the integral of exp(t) / t up to x.",
    ("[1.0, 2.0]", "[1.8951 4.9542]"),
    kernel=_expint,
    vjp=lambda g, y, x: g * (exp(x) / x),
    saves="x",
    takes=REAL,
)
dawsn: Unary = unary(
    "Dawsn",
    "math.special.dawsn",
    "Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x.",
    ("[0.0, 1.0]", "[0.     0.5381]"),
    kernel=scipys("dawsn"),
    vjp=lambda g, y, x: g * (1.0 - 2.0 * x * y),
)
fresnel_cos: Unary = unary(
    "FresnelCos",
    "math.special.fresnel_cos",
    "The integral of cos(pi t^2 / 2) from 0 to x.",
    ("[0.0, 1.0]", "[0.     0.7799]"),
    kernel=lambda _, x: _fresnel(x)[1].astype(x.dtype, copy=False),
    vjp=lambda g, y, x: g * cos(1.5707963267948966 * x * x),
    saves="x",
    takes=REAL,
)
fresnel_sin: Unary = unary(
    "FresnelSin",
    "math.special.fresnel_sin",
    "The integral of sin(pi t^2 / 2) from 0 to x.",
    ("[0.0, 1.0]", "[0.     0.4383]"),
    kernel=lambda _, x: _fresnel(x)[0].astype(x.dtype, copy=False),
    vjp=lambda g, y, x: g * sin(1.5707963267948966 * x * x),
    saves="x",
    takes=REAL,
)


def _fresnel(x: Array) -> list[Array]:
    return [np.asarray(part) for part in scipy_special().fresnel(x.astype(np.float64))]


spence: Unary = unary(
    "Spence",
    "math.special.spence",
    "The integral of log(t) / (1 - t) from 1 to x.",
    ("[1.0, 2.0]", "[ 0.     -0.8225]"),
    kernel=scipys("spence"),
    vjp=lambda g, y, x: -g * apply(SPENCE_SLOPE, (x,), {"order": 0}),
    saves="x",
    takes=REAL,
)


def _spence_slope_kernel(_: Namespace, x: Array, *, order: int) -> Array:
    """The integral of t^n / (1 + (x - 1) t)^(n + 1) over [0, 1]; for n = 0 log(x) / (x - 1).

    Near x = 1 a series in x - 1; elsewhere integrated by parts, down to n = 0.
    """
    u = x.astype(np.float64) - 1.0
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


SPENCE_SLOPE: Row = op(
    "SpenceSlope",
    _spence_slope_kernel,
    vjp=(
        lambda g, y, x, *, order: (
            g * (-(order + 1.0) * apply(SPENCE_SLOPE, (x,), {"order": order + 1}))
        ),
    ),
    elementwise=True,
    saves="x",
)
