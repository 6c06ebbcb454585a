"""Operations that keep all digits, also in their derivatives: what rewritten operations become.

The rules of the usual ones are exact, but lose digits to cancellation: y (1 - y), the slope of a
sigmoid, is zero where y is 1 after rounding. These compute it from x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.ops.arrays.shaping import broadcast_to, reshape
from wengert.ops.math.arithmetic import div_no_nan, xlogy
from wengert.ops.math.comparison import equal, not_equal
from wengert.ops.math.elementwise import cast, exp, expm1, tanh, zeros_like
from wengert.ops.reductions.reductions import kept_dims, reduce_max, reduce_sum, reduced_dims
from wengert.ops.support.batch_rules import shift_axes
from wengert.ops.support.half_precision import widen
from wengert.ops.support.large_kernels import elementwise_kernel
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.shapes import Dims
    from wengert.values.typing import Array, Namespace

# ---- the sigmoid and its kin ------------------------------------------------------------------


def _sigmoid_kernel(xp: Namespace, x: Array) -> Array:
    e = xp.exp(-xp.abs(x))
    return xp.where(x < 0, e, xp.ones_like(e)) / (e + x.dtype.type(1))


def _slope_kernel(xp: Namespace, x: Array) -> Array:
    e = xp.exp(-xp.abs(x))
    return e / ((e + x.dtype.type(1)) * (e + x.dtype.type(1)))


SIGMOID: Final[Row] = op(
    "StableSigmoid",
    _sigmoid_kernel,
    vjp=(lambda g, y, x: g * apply(SLOPE, (x,)),),
    elementwise=True,
    large=elementwise_kernel,
    saves="x",
    slow=True,
)
# sigmoid(x) sigmoid(-x)
SLOPE: Final[Row] = op(
    "StableSigmoidSlope",
    _slope_kernel,
    vjp=(lambda g, y, x: -g * (y * tanh(0.5 * x)),),
    elementwise=True,
    large=elementwise_kernel,
    slow=True,
)
TANH: Final[Row] = op(
    "StableTanh",
    "tanh",
    vjp=(lambda g, y, x: g * (4.0 * apply(SLOPE, (2.0 * x,))),),
    elementwise=True,
    saves="x",
)
SOFTPLUS: Final[Row] = op(
    "StableSoftplus",
    lambda xp, x: xp.maximum(x, xp.zeros_like(x)) + xp.log1p(xp.exp(-xp.abs(x))),
    vjp=(lambda g, y, x: g * apply(SIGMOID, (x,)),),
    elementwise=True,
    large=elementwise_kernel,
    saves="x",
    slow=True,
)

# ---- logarithms -------------------------------------------------------------------------------

_HALF: Final = -0.6931471805599453  # exp of it is 1/2

# log(1 - exp(x)), for negative x.
LOG1MEXP: Final[Row] = op(
    "StableLog1mexp",
    lambda xp, x: xp.where(
        x > x.dtype.type(_HALF), xp.log(-xp.expm1(x)), xp.log1p(-xp.exp(x))
    ),
    vjp=(lambda g, y, x: g * (exp(x) / expm1(x)),),
    elementwise=True,
    large=elementwise_kernel,
    saves="x",
    slow=True,
)  # fmt: skip


def _xlogx_rule(g: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """1 + log x, and 0 at 0, as the two gradients of xlogy(x, x) are."""
    there = cast(not_equal(x, zeros_like(x)), x.dtype)
    return g * (xlogy(there, x) + there)


# x log(x), and 0 at 0. The rule of xlogy squares the second argument, which may underflow.
XLOGX: Final[Row] = op(
    "StableXlogx",
    lambda xp, x: xp.where(x == 0, xp.zeros_like(x), x * xp.log(x)),
    vjp=(_xlogx_rule,),
    elementwise=True,
    large=elementwise_kernel,
    saves="x",
    slow=True,
)

# ---- the length of a vector of two numbers ----------------------------------------------------


def _cosine_kernel(xp: Namespace, x: Array, y: Array) -> Array:
    z = xp.hypot(x, y)
    return xp.where(z == 0, xp.zeros_like(z), x / z)


def _hypot(x: Tensor, y: Tensor) -> Tensor:
    result: Tensor = apply(HYPOT, (x, y))
    return result


def _cosine(x: Tensor, y: Tensor) -> Tensor:
    """x by the length of (x, y), and 0 at the origin."""
    result: Tensor = apply(COSINE, (x, y))
    return result


# The gradient at the origin is zero.
HYPOT: Final[Row] = op(
    "Hypot",
    "hypot",
    vjp=(lambda g, z, x, y: g * _cosine(x, y), lambda g, z, x, y: g * _cosine(y, x)),
    elementwise=True,
    saves="x",
)
# Not 1 - c² for the square of the sine: that cancels where y is small.
COSINE: Final[Row] = op(
    "HypotCosine",
    _cosine_kernel,
    vjp=(
        lambda g, c, x, y: g * (_cosine(y, x) * div_no_nan(_cosine(y, x), _hypot(x, y))),
        lambda g, c, x, y: -g * (c * div_no_nan(_cosine(y, x), _hypot(x, y))),
    ),
    elementwise=True,
    large=elementwise_kernel,
)

# ---- exponentials along axes ------------------------------------------------------------------


class _Exponentials:
    """exp(x - m) for the maximum m along axes; `rest` is their sum less 1, which stands for m."""

    def __init__(self, x: Array, axis: Dims) -> None:
        wide = widen(x)
        top = np.max(wide, axis, keepdims=True, initial=-np.inf)
        self.top = np.where(np.isfinite(top), top, np.zeros_like(top))
        self.away = wide - self.top
        self.each = np.exp(self.away)
        is_top = self.away == 0
        below = np.sum(np.where(is_top, np.zeros_like(wide), self.each), axis, keepdims=True)
        count = np.sum(is_top, axis, keepdims=True, dtype=wide.dtype)
        self.rest = below + (count - wide.dtype.type(1))


def _softmax_kernel(_: Namespace, x: Array, *, axis: Dims) -> Array:
    parts = _Exponentials(x, axis)
    return (parts.each / np.sum(parts.each, axis, keepdims=True)).astype(x.dtype, copy=False)


def _log_softmax_kernel(_: Namespace, x: Array, *, axis: Dims) -> Array:
    parts = _Exponentials(x, axis)
    return (parts.away - np.log1p(parts.rest)).astype(x.dtype, copy=False)


def _logsumexp_kernel(_: Namespace, x: Array, *, axis: Dims, keepdims: bool) -> Array:
    parts = _Exponentials(x, axis)
    y = (parts.top + np.log1p(parts.rest)).astype(x.dtype, copy=False)
    return y if keepdims else np.squeeze(y, axis)


def _less_mean(g: Tensor, p: Tensor, axis: Dims) -> Tensor:
    """g - sum(g p), after g was shifted to zero at the largest p: that changes nothing.

    Otherwise 1 - p cancels where p is nearly 1.
    """
    is_top = cast(equal(p, reduce_max(p, axis, keepdims=True)), p.dtype)
    count = reduce_sum(is_top, axis, keepdims=True)
    away = g - reduce_sum(g * is_top, axis, keepdims=True) / count
    return away - reduce_sum(away * p, axis, keepdims=True)


def _softmax_rule(g: Tensor, y: Tensor, x: Any, *, axis: Dims) -> Tensor:
    return _less_mean(g, y, axis) * y


def _log_softmax_rule(g: Tensor, y: Tensor, x: Any, *, axis: Dims) -> Tensor:
    """g (1 - p) less p times the sum of the other g, where p is exp(y)."""
    others = reduce_sum(g, axis, keepdims=True) - g
    return -g * expm1(y) - exp(y) * others


def _log_softmax_push(t: Tensor, y: Tensor, x: Any, *, axis: Dims) -> Tensor:
    return _less_mean(t, exp(y), axis)


def _logsumexp_rule(g: Tensor, y: Tensor, x: Tensor, *, axis: Dims, keepdims: bool) -> Tensor:
    shape = dims(x)
    return broadcast_to(reshape(g, kept_dims(shape, axis)), shape) * softmax(x, axis)


# Along axes that are sorted and counted from the front, of which there is at least one.
SOFTMAX: Final[Row] = op(
    "StableSoftmax",
    _softmax_kernel,
    shape=lambda x, **attrs: x,
    vjp=(_softmax_rule,),
    jvp=(_softmax_rule,),  # the Jacobian is symmetric
    batch=shift_axes("StableSoftmax"),
    saves="y",
)
LOG_SOFTMAX: Final[Row] = op(
    "StableLogSoftmax",
    _log_softmax_kernel,
    shape=lambda x, **attrs: x,
    vjp=(_log_softmax_rule,),
    jvp=(_log_softmax_push,),
    batch=shift_axes("StableLogSoftmax"),
    saves="y",
)
LOGSUMEXP: Final[Row] = op(
    "StableLogSumExp",
    _logsumexp_kernel,
    shape=reduced_dims,
    vjp=(_logsumexp_rule,),
    batch=shift_axes("StableLogSumExp"),
    saves="x",
)


def softmax(x: Tensor, axis: Dims) -> Tensor:
    """Softmax along some axes."""
    result: Tensor = apply(SOFTMAX, (x,), {"axis": axis})
    return result
