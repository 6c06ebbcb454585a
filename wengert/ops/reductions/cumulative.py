"""Cumulative sums, products and log-sum-exp."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.math.arithmetic import minimum
from wengert.ops.math.comparison import equal, where
from wengert.ops.math.elementwise import exp, zeros_like
from wengert.ops.support.batch_rules import shift_axis
from wengert.ops.support.declare import REAL, wrong_dtype
from wengert.ops.support.half_precision import widen
from wengert.ops.support.large_kernels import cumulative_kernel
from wengert.values.convert import convert
from wengert.values.shapes import normal_axis
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

# Elements from which on machine code takes half as long as NumPy, or less.
ENOUGH: Final = 1 << 11

# ---- rows -------------------------------------------------------------------------------------


def _of_large(how: str, x: Array, axis: int, exclusive: bool, reverse: bool) -> Array | None:
    """By machine code; None if the array is small, or only traced."""
    is_large = type(x) is np.ndarray and x.size >= ENOUGH
    return cumulative_kernel(how, x, axis, exclusive, reverse) if is_large else None


def _cumulative(accumulate: str, neutral: int) -> Callable[..., Any]:
    how = accumulate.removeprefix("cum")

    def kernel(xp: Namespace, x: Array, *, axis: int, exclusive: bool, reverse: bool) -> Array:
        found = _of_large(how, x, axis, exclusive, reverse)
        if found is not None:
            return found
        x = xp.flip(x, axis) if reverse else x
        wide = widen(x)
        y = getattr(xp, accumulate)(wide, axis=axis, dtype=wide.dtype).astype(x.dtype)
        if exclusive:
            first = [slice(None)] * axis
            lead = xp.full_like(y[tuple([*first, slice(0, 1)])], neutral)
            y = xp.concatenate([lead, y[tuple([*first, slice(0, -1)])]], axis)
        return xp.flip(y, axis) if reverse else y

    return kernel


CUMSUM: Row = op(
    "Cumsum",
    _cumulative("cumsum", 0),
    shape=lambda x, *_, **attrs: x,
    vjp=(lambda g, y, x, *, axis, exclusive, reverse: cumsum(g, axis, exclusive, not reverse),),
    linear=(0,),
    batch=shift_axis("Cumsum"),
    saves="",
)


def _recurrence_kernel(xp: Namespace, a: Array, b: Array, *, axis: int, reverse: bool) -> Array:
    """h[i] = a[i] h[i-1] + b[i] along an axis; in reverse, h[i] = a[i] h[i+1] + b[i]."""
    a, b = xp.moveaxis(a, axis, 0), xp.moveaxis(b, axis, 0)
    h = xp.empty_like(b)
    state = xp.zeros_like(b[0]) if len(b) else None
    for i in range(len(b) - 1, -1, -1) if reverse else range(len(b)):
        state = a[i] * state + b[i]
        h[i] = state
    return xp.moveaxis(h, 0, axis)


def shifted(x: Tensor, axis: int, reverse: bool) -> Tensor:
    """x shifted one step later along an axis (in reverse: earlier), padded with a zero."""
    result: Tensor = apply(SHIFT, (x,), {"axis": axis, "reverse": reverse})
    return result


def _shift_kernel(xp: Namespace, x: Array, *, axis: int, reverse: bool) -> Array:
    y = xp.zeros_like(x)
    before = (*[slice(None)] * axis, slice(0, -1))
    after = (*[slice(None)] * axis, slice(1, None))
    y[before if reverse else after] = x[after if reverse else before]
    return y


SHIFT: Row = op(
    "Shift",
    _shift_kernel,
    shape=lambda x, *_, **attrs: x,
    vjp=(lambda g, y, x, *, axis, reverse: shifted(g, axis, not reverse),),
    linear=(0,),
    batch=shift_axis("Shift"),
    saves="",
)
RECURRENCE: Row = op(
    "LinearRecurrence",
    _recurrence_kernel,
    shape=lambda x, *_, **attrs: x,
    vjp=(
        lambda g, h, a, b, *, axis, reverse: (
            _adjoint_of_recurrence(g, a, axis, reverse) * shifted(h, axis, reverse)
        ),
        lambda g, h, a, b, *, axis, reverse: _adjoint_of_recurrence(g, a, axis, reverse),
    ),
    batch=shift_axis("LinearRecurrence"),
)


def _adjoint_of_recurrence(g: Tensor, a: Tensor, axis: int, reverse: bool) -> Tensor:
    """The adjoint is a recurrence in the other direction, with each factor one step earlier."""
    result: Tensor = apply(
        RECURRENCE,
        (shifted(a, axis, not reverse), g),
        {"axis": axis, "reverse": not reverse},
    )
    return result


def _cumprod_rule(
    g: Tensor, y: Tensor | None, x: Tensor, *, axis: int, exclusive: bool, reverse: bool
) -> Tensor:
    """For x[i]: the product of the elements before it times those after it, weighted by g.

    The weighted products of those after it satisfy r[i] = g[i] + x[i+1] r[i+1]. There is no
    division, so it is correct for zeros, too.
    """
    before = cumprod(x, axis, exclusive=True, reverse=reverse)
    if exclusive:  # y[i] does not contain x[i]
        g = shifted(g, axis, not reverse)
    return before * _adjoint_of_recurrence(g, x, axis, reverse)


CUMPROD: Row = op(
    "Cumprod",
    _cumulative("cumprod", 1),
    shape=lambda x, *_, **attrs: x,
    vjp=(_cumprod_rule,),
    batch=shift_axis("Cumprod"),
    saves="x",
)


def _logsumexp_kernel(
    xp: Namespace, x: Array, *, axis: int, exclusive: bool, reverse: bool
) -> Array:
    """With `exclusive` the first result is the log-sum-exp of no elements, -inf."""
    x = xp.flip(x, axis) if reverse else x
    y = xp.logaddexp.accumulate(widen(x), axis=axis).astype(x.dtype)
    if exclusive:
        first = [slice(None)] * axis
        lead = xp.full_like(y[tuple([*first, slice(0, 1)])], -xp.inf)
        y = xp.concatenate([lead, y[tuple([*first, slice(0, -1)])]], axis)
    return xp.flip(y, axis) if reverse else y


def _logsumexp_rule(
    g: Tensor, y: Tensor, x: Tensor, *, axis: int, exclusive: bool, reverse: bool
) -> Tensor:
    """x[j] contributes to y[i] with the weight exp(x[j] - y[i]), for all i from j on.

    Those weights are exp(x[j] - y[j]) times products of exp(y[k] - y[k+1]): none exceeds one.
    """
    if exclusive:  # y[i] does not contain x[i]
        g = shifted(g, axis, not reverse)
        y = cumulative_logsumexp(x, axis, reverse=reverse)
    later = shifted(y, axis, not reverse)
    ratios = exp(minimum(_difference(y, later, 0.0), zeros_like(y)))
    total = apply(RECURRENCE, (ratios, g), {"axis": axis, "reverse": not reverse})
    slope: Tensor = exp(_difference(x, y, -inf)) * total
    return slope


def logsumexp_shares(
    x: Tensor, y: Tensor, axis: int, exclusive: bool, reverse: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """The shares of the elements before, and of the element itself, in each sum; and its logarithm."""
    if exclusive:
        y = cumulative_logsumexp(x, axis, reverse=reverse)
    before = _difference(shifted(y, axis, reverse), y, 0.0)
    ratios = exp(minimum(before, zeros_like(y)))
    return ratios, exp(_difference(x, y, -inf)), y


def _difference(x: Tensor, y: Tensor, if_empty: float) -> Tensor:
    """x - y, and a value where y is the log-sum-exp of no elements."""
    return where(equal(y, -inf), zeros_like(x) + if_empty, x - y)


CUMULATIVE_LOGSUMEXP: Row = op(
    "CumulativeLogsumexp",
    _logsumexp_kernel,
    shape=lambda x, *_, **attrs: x,
    vjp=(_logsumexp_rule,),
    batch=shift_axis("CumulativeLogsumexp"),
)

# ---- public functions ------------------------------------------------------------------------------


@deferrable
def cumsum(
    x: TensorLike,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The cumulative sum along an axis.

    >>> tf.cumsum([1.0, 2.0, 3.0]).numpy().tolist()
    [1.0, 3.0, 6.0]
    >>> tf.cumsum([1.0, 2.0, 3.0], exclusive=True, reverse=True).numpy().tolist()
    [5.0, 3.0, 0.0]
    """
    return _scan(CUMSUM, x, axis, exclusive, reverse)


@deferrable
def cumprod(
    x: TensorLike,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The cumulative product along an axis.

    >>> tf.math.cumprod([1.0, 2.0, 3.0]).numpy().tolist()
    [1.0, 2.0, 6.0]
    """
    return _scan(CUMPROD, x, axis, exclusive, reverse)


@deferrable
def cumulative_logsumexp(
    x: TensorLike,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The cumulative log-sum-exp along an axis, without overflow.

    >>> print(tf.math.cumulative_logsumexp([0.0, 0.0, 0.0]).numpy().round(4))
    [0.     0.6931 1.0986]
    """
    tensor = convert(x)
    if tensor.dtype.numpy_dtype.kind not in REAL:
        raise wrong_dtype(CUMULATIVE_LOGSUMEXP, tensor.dtype, REAL)
    return _scan(CUMULATIVE_LOGSUMEXP, tensor, axis, exclusive, reverse)


def _scan(row: Row, value: TensorLike, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    x = convert(value)
    if type(axis) is not int and np.ndim(axis):
        raise InvalidArgumentError(
            f"ScanOp: axis must be a scalar, not {tuple(np.shape(axis))} [Op:{row.name}]"
        )
    at, rank = int(axis), len(dims(x))
    if not -rank <= at < rank:
        raise InvalidArgumentError(
            f"ScanOp: Expected scan axis in the range [{-rank}, {rank}), but got {at} "
            f"[Op:{row.name}]"
        )
    attrs = {
        "axis": normal_axis(at, rank),
        "exclusive": bool(exclusive),
        "reverse": bool(reverse),
    }
    result: Tensor = apply(row, (x,), attrs)
    return result
