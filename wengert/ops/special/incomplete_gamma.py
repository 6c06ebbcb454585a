"""The incomplete gamma and beta functions, with derivatives of every order in all parameters.

A derivative with respect to a parameter is a row with its order as an attribute; the kernel sums a
power series whose terms are themselves Taylor series in the parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import NO_ATTRS, Row
from wengert.core.table import op
from wengert.ops.math.arithmetic import mul_no_nan, xlog1py, xlogy
from wengert.ops.math.elementwise import exp, log, log1p
from wengert.ops.special.bivariate_taylor import (
    Series,
    constant,
    exponential,
    orders,
    over_linear,
    product,
    quotient,
    times_linear,
)
from wengert.ops.special.gamma import digamma, digamma_derivative, lgamma, scipys
from wengert.ops.support.declare import REAL, binary, convert_alike, wrong_dtype
from wengert.ops.support.scipy_lazy import scipy_special
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.ops.support.parameter_names import BinaryOfAX
    from wengert.values.typing import Array, Namespace, TensorLike

Arrays = tuple[Any, ...]


# ---- kernels: shared by both functions --------------------------------------------------------


def _elements(*xs: Array) -> tuple[tuple[int, ...], list[Any]]:
    """The common shape, and float64 arrays of one axis."""
    wide = np.broadcast_arrays(*[x.astype(np.float64) for x in xs])
    return wide[0].shape, [w.ravel() for w in wide]


def _by_region(regions: list[tuple[Any, Callable[..., Any]]], xs: list[Any]) -> Array:
    """Evaluate each function in its region; NaN elsewhere."""
    out = np.full(xs[0].shape, np.nan)
    for where, function in regions:
        if where.any():
            out[where] = function(*[x[where] for x in xs])
    return out


def _summed(first: Series, following: Callable[[Series, int], Series]) -> Series:
    """The sum of terms, each computed from the one before it, until they are negligible."""
    total, term, k = dict(first), first, 0
    while True:
        k += 1
        term = following(term, k)
        total = {key: total[key] + term[key] for key in total}
        small = all(np.all(np.abs(term[key]) <= 1e-17 * np.abs(total[0, 0])) for key in total)
        if small or k > 100_000:
            return total


def _psi(order: int, x: Array) -> Array:
    special = scipy_special()
    return special.digamma(x) if order == 0 else special.polygamma(order, x)


# ---- gamma ------------------------------------------------------------------------------------


def _gamma_front(a: Array, x: Array, n: int) -> Series:
    """x^a exp(-x) / gamma(a + 1) as a series in a."""
    logs = {
        (k, 0): ((np.log(x) if k == 1 else 0.0) - _psi(k - 1, a + 1.0)) / math.factorial(k)
        for k in range(1, n + 1)
    }
    first = np.exp(a * np.log(x) - x - scipy_special().gammaln(a + 1.0))
    return exponential({(0, 0): 0.0, **logs}, first)


def _lower_gamma(a: Array, x: Array, n: int) -> Array:
    """The power series of P."""
    one = constant(np.ones_like(a), orders(n, 0))

    def following(term: Series, k: int) -> Series:
        return over_linear({key: term[key] * x for key in term}, a + k)

    series = product(_gamma_front(a, x, n), _summed(one, following))
    return series[n, 0] * math.factorial(n)


def _upper_gamma(a: Array, x: Array, n: int) -> Array:
    """The derivative of P by the continued fraction of 1 - P, which is accurate in the tail."""
    front = times_linear(_gamma_front(a, x, n), a, 1.0)
    keys = orders(n, 0)
    above, above_before = constant(np.ones_like(a), keys), constant(np.zeros_like(a), keys)
    below, below_before = times_linear(above, x + 1.0 - a, -1.0), constant(np.ones_like(a), keys)
    ratio = quotient(above, below)
    k, last = 0, 10_000
    while k < last:
        k += 1
        above, above_before = _convergent(above, above_before, a, x, k), above
        below, below_before = _convergent(below, below_before, a, x, k), below
        scale = 1.0 / below[0, 0]
        above, above_before, below, below_before = [
            {key: s[key] * scale for key in s} for s in (above, above_before, below, below_before)
        ]
        if k % 8 == 0:
            before, ratio = ratio, quotient(above, below)
            if last == 10_000 and all(_near(ratio[key], before[key], ratio[0, 0]) for key in keys):
                last = k + 32  # enough for convergence, which rounding noise would hide
    return -product(front, ratio)[n, 0] * math.factorial(n)


def _near(now: Array, before: Array, size: Array) -> bool:
    return bool(np.all(np.abs(now - before) <= 1e-13 * (np.abs(now) + np.abs(size))))


def _convergent(now: Series, before: Series, a: Array, x: Array, k: int) -> Series:
    forward = times_linear(now, x + 2.0 * k + 1.0 - a, -1.0)
    back = times_linear(before, k * (a - k), float(k))
    return {key: forward[key] + back[key] for key in now}


def _gamma_in_a(_: Namespace, a: Array, x: Array, *, order: int) -> Array:
    """The derivative of P(a, x) of some order with respect to a."""
    shape, (alpha, at) = _elements(a, x)
    valid = alpha > 0
    ends = valid & ((at == 0) | (at == np.inf))
    inner = valid & (at > 0) & (at < np.inf)
    # For small x the fraction takes hundreds of steps; up to 5 what is left of 1 is no rounding error yet.
    low = at <= np.maximum(alpha + 1.0, 5.0)
    regions: list[Any] = [
        (ends, lambda a, x: np.zeros_like(a)),
        (inner & low, lambda a, x: _lower_gamma(a, x, order)),
        (inner & ~low, lambda a, x: _upper_gamma(a, x, order)),
    ]
    return _by_region(regions, [alpha, at]).reshape(shape).astype(a.dtype)


def gamma_density(a: Tensor, x: Tensor) -> Tensor:
    """x^(a-1) exp(-x) / gamma(a). At a = 1, x = 0 it is NaN, as in TensorFlow."""
    return exp((a - 1.0) * log(x) - x - lgamma(a))


def _gamma_slope(a: Tensor, x: Tensor, order: int) -> Tensor:
    """The derivative of the density x^(a-1) exp(-x) / gamma(a) of some order in a."""
    density = gamma_density(a, x)
    if not order:
        return density
    logs: Series = {(0, 0): 0.0, (1, 0): log(x) - digamma(a)}
    for k in range(2, order + 1):
        logs[k, 0] = digamma_derivative(k - 1, a) * (-1.0 / math.factorial(k))
    factor = exponential(logs, 1.0 + 0.0 * a)[order, 0] * float(math.factorial(order))
    return mul_no_nan(factor, density)


IGAMMA_IN_A: Row = op(
    "IgammaGradA",
    _gamma_in_a,
    vjp=(
        lambda g, y, a, x, *, order: g * gamma_in_a(a, x, order + 1),
        lambda g, y, a, x, *, order: g * _gamma_slope(a, x, order),
    ),
    elementwise=True,
    saves="x",
)


def gamma_in_a(a: Tensor, x: Tensor, order: int = 1) -> Tensor:
    """The derivative of `igamma` with respect to a, of some order."""
    result: Tensor = apply(IGAMMA_IN_A, (a, x), {"order": order})
    return result


igamma: BinaryOfAX = binary(
    "Igamma",
    "math.igamma",
    "The lower incomplete gamma function of order `a` at `x`, divided by gamma(a).",
    ("[1.0, 2.0], 1.0", "[0.6321 0.2642]"),
    parameters=("a", "x"),
    kernel=scipys("gammainc"),
    vjp=(
        lambda g, y, a, x: g * gamma_in_a(a, x),
        lambda g, y, a, x: g * _gamma_slope(a, x, 0),
    ),
    saves="x",
    takes=REAL,
)
igammac: BinaryOfAX = binary(
    "Igammac",
    "math.igammac",
    "1 - igamma(a, x), accurate where that is small.",
    ("[1.0, 2.0], 1.0", "[0.3679 0.7358]"),
    parameters=("a", "x"),
    kernel=scipys("gammaincc"),
    vjp=(
        lambda g, y, a, x: -g * gamma_in_a(a, x),
        lambda g, y, a, x: -g * _gamma_slope(a, x, 0),
    ),
    saves="x",
    takes=REAL,
)

# ---- beta -------------------------------------------------------------------------------------


def _beta_logs(
    a: Tensor | Array,
    b: Tensor | Array,
    log_x: Tensor | Array,
    log_y: Tensor | Array,
    m: int,
    n: int,
    psi: Callable[..., Any],
) -> Series:
    """log(x^a (1 - x)^b / beta(a, b)) as a series in a and b, without its constant term."""
    logs: Series = {}
    for i, j in orders(m, n):
        if not i + j:
            logs[0, 0] = 0.0
            continue
        value = psi(i + j - 1, a + b)
        if not j:
            value = value - psi(i - 1, a)
        if not i:
            value = value - psi(j - 1, b)
        if (i, j) == (1, 0):
            value = value + log_x
        if (i, j) == (0, 1):
            value = value + log_y
        logs[i, j] = value * (1.0 / (math.factorial(i) * math.factorial(j)))
    return logs


def _beta_series(a: Array, b: Array, x: Array, y: Array, m: int, n: int) -> Array:
    """I_x(a, b), differentiated m times in a and n times in b; y is 1 - x, and x below the mean."""
    logs = _beta_logs(a, b, np.log(x), np.log(y), m, n, _psi)
    first = np.exp(a * np.log(x) + b * np.log(y) - scipy_special().betaln(a, b))
    front = over_linear(exponential(logs, first), a)
    one = constant(np.ones_like(a), orders(m, n))

    def following(term: Series, k: int) -> Series:
        return over_linear(times_linear(term, (a + b + (k - 1)) * x, x, x), a + k)

    total = product(front, _summed(one, following))[m, n]
    return total * (math.factorial(m) * math.factorial(n))


def _beta_in_parameters(
    _: Namespace, a: Array, b: Array, x: Array, *, orders: tuple[int, int]
) -> Array:
    """The derivative of I_x(a, b) of some orders with respect to a and b."""
    m, n = orders
    shape, (p, q, at) = _elements(a, b, x)
    valid = (p > 0) & (q > 0)
    low = at <= (p + 1.0) / (p + q + 2.0)
    inner = valid & (at > 0) & (at < 1)
    regions: list[Any] = [
        (valid & ((at == 0) | (at == 1)), lambda a, b, x: np.zeros_like(a)),
        (inner & low, lambda a, b, x: _beta_series(a, b, x, 1.0 - x, m, n)),
        (inner & ~low, lambda a, b, x: -_beta_series(b, a, 1.0 - x, x, n, m)),
    ]
    return _by_region(regions, [p, q, at]).reshape(shape).astype(a.dtype)


def _beta_slope(a: Tensor, b: Tensor, x: Tensor, m: int, n: int) -> Tensor:
    """The derivative of the density x^(a-1) (1-x)^(b-1) / beta(a, b), in a and b."""
    front = lgamma(a + b) - lgamma(a) - lgamma(b)
    density = exp(xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) + front)
    if not m + n:
        return density

    logs = _beta_logs(a, b, log(x), log1p(-x), m, n, digamma_derivative)
    factor = exponential(logs, 1.0 + 0.0 * (a + b))[m, n]
    return mul_no_nan(factor * float(math.factorial(m) * math.factorial(n)), density)


BETAINC_IN_PARAMETERS: Row = op(
    "BetaincGrad",
    _beta_in_parameters,
    vjp=(
        lambda g, y, a, b, x, *, orders: g * beta_in(a, b, x, orders[0] + 1, orders[1]),
        lambda g, y, a, b, x, *, orders: g * beta_in(a, b, x, orders[0], orders[1] + 1),
        lambda g, y, a, b, x, *, orders: g * _beta_slope(a, b, x, *orders),
    ),
    elementwise=True,
    saves="x",
)


def beta_in(a: Tensor, b: Tensor, x: Tensor, m: int, n: int) -> Tensor:
    """The derivative of `betainc`, of order m in a and n in b."""
    result: Tensor = apply(BETAINC_IN_PARAMETERS, (a, b, x), {"orders": (m, n)})
    return result


BETAINC: Row = op(
    "Betainc",
    scipys("betainc"),
    vjp=(
        lambda g, y, a, b, x: g * beta_in(a, b, x, 1, 0),
        lambda g, y, a, b, x: g * beta_in(a, b, x, 0, 1),
        lambda g, y, a, b, x: g * _beta_slope(a, b, x, 0, 0),
    ),
    elementwise=True,
    saves="x",
)


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function. It has derivatives in `a` and `b`, too.

    >>> print(tf.math.betainc(2.0, 3.0, [0.25, 0.5]).numpy().round(4))
    [0.2617 0.6875]
    """
    tensors = convert_alike("Betainc", a, b, x)
    if tensors[0].dtype.numpy_dtype.kind not in REAL:
        raise wrong_dtype(BETAINC, tensors[0].dtype, REAL)
    result: Tensor = apply(BETAINC, tensors, NO_ATTRS, name)
    return result
