"""Local response normalization: each element divided by the size of neighbouring channels.

With s = bias + alpha · W(x²), where W sums over the neighbours, y = x · s^-beta. W is symmetric,
so it is its own adjoint, and all the rules are written with it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.host.malloc import LARGE
from wengert.host.parallel import in_rows, mind_the_load
from wengert.inference.public_functions import deferrable
from wengert.ops.math.arithmetic import pow
from wengert.ops.math.elementwise import square
from wengert.ops.support.batch_rules import merged_batch, with_attrs
from wengert.ops.support.declare import REAL, in_single, wrong_dtype
from wengert.ops.support.half_precision import widen
from wengert.ops.support.large_kernels import (
    local_response_norm_gradient_kernel,
    local_response_norm_kernel,
)
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, NumpyDType, TensorLike

# ---- sums of neighbours -------------------------------------------------------------------------


@lru_cache(maxsize=32)
def _band(channels: int, radius: int, dtype: NumpyDType) -> Array:
    at = np.arange(channels)
    return (abs(at[:, None] - at) <= radius).astype(dtype)


def _neighbours(x: Array, radius: int) -> Array:
    """The sums over the channels that are at most `radius` away."""
    channels = x.shape[-1]
    mind_the_load()
    return x @ _band(channels, radius, x.dtype)


def _sum_kernel(_: Namespace, x: Array, *, depth_radius: int) -> Array:
    return _neighbours(widen(x), depth_radius).astype(x.dtype, copy=False)


NEIGHBOURS: Row = op(
    "NeighbourSum",
    _sum_kernel,
    vjp=(lambda g, y, x, *, depth_radius: _summed(g, depth_radius),),
    shape=lambda x, *, depth_radius: x,
    linear=(0,),
    batch=with_attrs("NeighbourSum", lambda attrs, n: {}),
    saves="",
)


def _summed(x: Tensor, radius: int) -> Tensor:
    result: Tensor = apply(NEIGHBOURS, (x,), {"depth_radius": radius})
    return result


# ---- rows -------------------------------------------------------------------------------------


def _power(s: Array, beta: float) -> Array:
    """s^-beta, by square roots where possible, which is several times as fast as a power."""
    if beta == 0.5:
        return 1 / np.sqrt(s)
    if beta == 0.75:
        root = np.sqrt(s)
        return 1 / (root * np.sqrt(root))
    if beta == 1:
        return 1 / s
    return s ** s.dtype.type(-beta)


def _size(x: Array, depth_radius: int, bias: float, alpha: float) -> Array:
    s = _neighbours(x * x, depth_radius)
    s *= s.dtype.type(alpha)
    s += s.dtype.type(bias)
    return s


def _lrn(
    _: Namespace, x: Array, *, depth_radius: int, bias: float, alpha: float, beta: float
) -> Array:
    wide = widen(x)
    given = _power, wide, depth_radius, bias, alpha, beta
    found = local_response_norm_kernel(*given) if x.size >= LARGE else None
    if found is not None:
        return found.astype(x.dtype, copy=False)
    y = np.empty(wide.shape, wide.dtype)

    def some(images: slice) -> None:
        part = wide[images]
        scale = _power(_size(part, depth_radius, bias, alpha), beta)
        np.multiply(scale, part, out=y[images])

    in_rows(some, wide, -1)
    return y.astype(x.dtype, copy=False)


def _lrn_grad(
    _: Namespace, g: Array, x: Array, *, depth_radius: int, bias: float, alpha: float, beta: float
) -> Array:
    """g s^-beta - 2 alpha beta x W(g x s^(-beta-1))."""
    gw, xw = widen(g), widen(x)
    given = _power, gw, xw, depth_radius, bias, alpha, beta
    found = local_response_norm_gradient_kernel(*given) if x.size >= LARGE else None
    if found is not None:
        return found.astype(g.dtype, copy=False)
    s = _size(xw, depth_radius, bias, alpha)
    scaled = _power(s, beta)
    scaled *= gw
    inner = scaled * xw
    inner /= s
    back = _neighbours(inner, depth_radius)
    back *= xw
    back *= back.dtype.type(-2 * alpha * beta)
    back += scaled
    return back.astype(g.dtype, copy=False)


def _powers(x: Tensor, attrs: Attrs) -> list[Any]:
    """s^-beta, s^(-beta-1), s^(-beta-2), in the library's own operations."""
    s = attrs["bias"] + attrs["alpha"] * _summed(square(x), attrs["depth_radius"])
    p = pow(s, -attrs["beta"])
    return [p, p / s, p / s / s]


def _pushed(u: Tensor, x: Tensor, attrs: Attrs) -> Tensor:
    """The derivative of the normalization along u, which is also the adjoint of its gradient."""
    p, q, _ = _powers(x, attrs)
    factor = 2 * attrs["alpha"] * attrs["beta"]
    result: Tensor = u * p - factor * x * q * _summed(u * x, attrs["depth_radius"])
    return result


def _grad_in_x(u: Tensor, d: Tensor | None, g: Tensor, x: Tensor, **attrs: Any) -> Tensor:
    """The gradient of <u, g s^-beta - c x W(g x s^(-beta-1))>, where c = 2 alpha beta."""
    radius, alpha, beta = attrs["depth_radius"], attrs["alpha"], attrs["beta"]
    _, q, r = _powers(x, attrs)
    c = 2 * alpha * beta
    spread = _summed(u * x, radius)
    in_s = c * (beta + 1) * spread * g * x * r - beta * u * g * q
    direct = u * _summed(g * x * q, radius) + spread * g * q
    result: Tensor = 2 * alpha * x * _summed(in_s, radius) - c * direct
    return result


LRN: Row = op(
    "LRN",
    _lrn,
    vjp=(lambda g, y, x, **attrs: apply(LRN_GRAD, (g, x), attrs),),
    jvp=(lambda t, y, x, **attrs: _pushed(t, x, attrs),),
    shape=lambda x, **attrs: x,
    batch=merged_batch("LRN"),
    saves="x",
)
LRN_GRAD: Row = op(
    "LRNGrad",
    _lrn_grad,
    vjp=(lambda u, d, g, x, **attrs: _pushed(u, x, attrs), _grad_in_x),
    shape=lambda g, x, **attrs: g,
    batch=merged_batch("LRNGrad"),
    saves="x",
)


@deferrable
def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Each element divided by (bias + alpha · the sum of the squares of its neighbours) ^ beta.

    The neighbours are the channels of the same pixel that are at most `depth_radius` away.

    >>> tf.nn.local_response_normalization([[[[3.0, 4.0]]]], 1, bias=0.0).numpy().tolist()
    [[[[0.6000000238418579, 0.800000011920929]]]]
    """
    x = in_single(input)
    if x._array.dtype.kind not in REAL:
        raise wrong_dtype(LRN, x.dtype)
    if len(dims(x)) != 4:
        raise InvalidArgumentError(f"in must be 4-dimensional, got {len(dims(x))} axes [Op:LRN]")
    attrs = {
        "depth_radius": int(depth_radius),
        "bias": float(bias),
        "alpha": float(alpha),
        "beta": float(beta),
    }
    result: Tensor = apply(LRN, (x,), attrs)
    return result
