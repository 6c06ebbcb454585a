"""Elementwise rows, and others that look at all elements: XLA's own versions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert.engines.xla.asked import refuse_if
from wengert.engines.xla.backend import jnp, lax, special
from wengert.engines.xla.operations.helpers import wide
from wengert.engines.xla.versions import version


@version("CheckNumerics")
def _check_numerics(x: Any, *, message: str, of_gradient: bool = False) -> Any:
    refuse_if(jnp.any(~jnp.isfinite(x)))
    return x


@version("Assert")
def _assert(condition: Any, *data: Any, summarize: int) -> list[Any]:
    refuse_if(~jnp.all(jnp.asarray(condition)))
    return []


@version("After")
def _after(x: Any, other: Any) -> Any:
    return lax.optimization_barrier((x, other))[0]


@version("Complex")
def _complex(x: Any, y: Any) -> Any:
    return lax.complex(*jnp.broadcast_arrays(x, y))


@version("Pow")
def _pow(x: Any, y: Any) -> Any:
    if y.dtype.kind == "i":
        refuse_if(jnp.any(y < 0))
    return jnp.power(x, y)


@version("Lgamma")
def _lgamma(x: Any) -> Any:
    return special.gammaln(x.astype(np.float64)).astype(x.dtype)


@version("Digamma")
def _digamma(x: Any) -> Any:
    return jnp.where(x == 0, np.nan, special.digamma(x.astype(np.float64))).astype(x.dtype)


@version("PolygammaOfOrder")
def _polygamma(x: Any, *, order: int) -> Any:
    return special.polygamma(order, x.astype(np.float64)).astype(x.dtype)


@version("Erfcinv")
def _erfcinv(x: Any) -> Any:
    return (special.ndtri(0.5 * x.astype(np.float64)) * -math.sqrt(0.5)).astype(x.dtype)


@version("RandomGammaGrad")
def _random_gamma_grad(alpha: Any, sample: Any) -> Any:
    given = jnp.broadcast_arrays(alpha.astype(np.float64), sample.astype(np.float64))
    return lax.random_gamma_grad(*given).astype(sample.dtype)


# ---- along axes ---------------------------------------------------------------------------------


def _below_largest(x: Any, axis: int) -> Any:
    given = wide(jnp.asarray(x))
    return given - jnp.max(given, axis, keepdims=True, initial=-np.inf)


@version("Softmax")
def softmax(x: Any, *, axis: int) -> Any:
    """The exponentials as shares of their sum."""
    y = jnp.exp(_below_largest(x, axis))
    return (y / jnp.sum(y, axis, keepdims=True)).astype(x.dtype)


@version("LogSoftmax")
def log_softmax(x: Any, *, axis: int) -> Any:
    """Their logarithms."""
    y = _below_largest(x, axis)
    return (y - jnp.log(jnp.sum(jnp.exp(y), axis, keepdims=True))).astype(x.dtype)


def _labels(x: Any, labels: Any) -> Any:
    refuse_if(jnp.any((labels < 0) | (labels >= x.shape[-1])))
    return jnp.asarray(labels)[..., None]


@version("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_cross_entropy(x: Any, labels: Any) -> Any:
    logs = log_softmax(x, axis=-1)
    return -jnp.take_along_axis(logs, _labels(x, labels), -1, mode="clip")[..., 0]


@version("SparseSoftmaxCrossEntropySlope")
def _sparse_slope(x: Any, labels: Any) -> Any:
    y = softmax(x, axis=-1)
    return y - (np.arange(x.shape[-1]) == jnp.asarray(labels)[..., None]).astype(y.dtype)


@version("ReverseSequence")
def _reverse_sequence(x: Any, lengths: Any, *, seq_axis: int, batch_axis: int) -> Any:
    x, lengths, size = jnp.asarray(x), jnp.asarray(lengths), x.shape[seq_axis]
    refuse_if(jnp.any((lengths < 0) | (lengths > size)))
    places = np.arange(size)
    turned = lengths[:, None] - 1 - places
    order = jnp.where(turned >= 0, turned, places)
    moved = jnp.moveaxis(x, (batch_axis, seq_axis), (0, 1))
    at = order.reshape(*order.shape, *[1] * (x.ndim - 2))
    picked = jnp.take_along_axis(moved, at, 1, mode="clip")
    return jnp.moveaxis(picked, (0, 1), (batch_axis, seq_axis))


@version("DenseBincount")
def _counts(values: Any, weights: Any, *, size: int, binary: bool) -> Any:
    values, weights = jnp.asarray(values), jnp.asarray(weights)
    refuse_if(jnp.any(values < 0))
    rows = values.reshape(-1, values.shape[-1] if values.ndim else 1)
    each = jnp.broadcast_to(weights.reshape(rows.shape) if weights.ndim else weights, rows.shape)
    out = jnp.zeros((len(rows), size), weights.dtype)
    at = out.at[np.arange(len(rows))[:, None], rows]
    found = at.set(1, mode="drop") if binary else at.add(each, mode="drop")
    return found[0] if values.ndim < 2 else found


@version("SegmentRowsBack")
def _rows_of_segments(laid: Any, ids: Any, *, count: int) -> Any:
    """For each row of segments its place among those of its segment; zeros for what was dropped."""
    laid, flat = jnp.asarray(laid), jnp.asarray(ids).reshape(-1)
    order = jnp.argsort(flat)
    starts = jnp.searchsorted(flat[order], np.arange(max(count, 1)))
    before = np.arange(flat.size) - starts[jnp.maximum(flat[order], 0)]
    place = jnp.zeros(flat.size, before.dtype).at[order].set(before)
    rows = laid.at[jnp.maximum(flat, 0), place].get(mode="clip")
    kept = (flat >= 0).reshape(-1, *[1] * (rows.ndim - 1))
    return jnp.where(kept, rows, 0).reshape(*np.shape(ids), *laid.shape[2:])


@version("OneHot")
def _one_hot(i: Any, *, depth: int, axis: int, on: Any, off: Any) -> Any:
    hot = jnp.expand_dims(jnp.asarray(i), axis) == np.arange(depth).reshape(
        [-1 if k == axis else 1 for k in range(i.ndim + 1)]
    )
    return jnp.where(hot, on, off)
