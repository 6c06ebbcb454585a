"""Ties of max pooling: windows whose maximum several elements have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.ops.arrays.window_geometry import taps
from wengert.ops.kinks import Kink, has_kinks
from wengert.ops.nn.pool.rows import pool_windows
from wengert.ops.support.batch_rules import batch_all
from wengert.values.bound_ops import bound
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace


def _counts(x: Array, y: Array, attrs: Attrs) -> Array:
    """How many elements of each window have its maximum."""
    count = np.zeros(y.shape, np.int32)
    for tap in taps(pool_windows(x.shape, attrs)):
        count[tap.out] += x[tap.size] == y[tap.out]
    return count


def _several(_: Namespace, x: Array, y: Array, **attrs: Any) -> Array:
    return _counts(x, y, attrs) > 1


def _shared(_: Namespace, x: Array, y: Array, g: Array, **attrs: Any) -> Array:
    """What each window has is shared by its maxima."""
    share = g / np.maximum(_counts(x, y, attrs), 1).astype(g.dtype)
    back = np.zeros_like(x)
    for tap in taps(pool_windows(x.shape, attrs)):
        back[tap.size] += np.where(x[tap.size] == y[tap.out], share[tap.out], 0)
    return back


def _mean(_: Namespace, x: Array, y: Array, t: Array, **attrs: Any) -> Array:
    """Of each window the mean over its maxima."""
    found = np.zeros_like(y)
    for tap in taps(pool_windows(x.shape, attrs)):
        found[tap.out] += np.where(x[tap.size] == y[tap.out], t[tap.size], 0)
    return found / np.maximum(_counts(x, y, attrs), 1).astype(t.dtype)


def _merged(row: list[Row]) -> Any:
    """All examples' images as one batch, as for the pooling itself."""

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        fulls = batch_all(batched, size, xs)
        merged = [bound.reshape(x, (size * dims(x)[1], *dims(x)[2:])) for x in fulls]
        y = apply(row[0], merged, attrs)
        return bound.reshape(y, (size, dims(y)[0] // size, *dims(y)[1:]))

    return rule


def _row(name: str, kernel: Any, like: int, **fields: Any) -> Row:
    own: list[Row] = []
    row = Row(
        name,
        kernel,
        batch=_merged(own),
        shape=lambda *shapes, **attrs: shapes[like],
        saves="x",
        **fields,
    )
    own.append(row)
    return row


_SEVERAL: Final = _row("MaxPoolTies", _several, 1, dtype=lambda *_, **attrs: np.dtype(bool))
_SHARED: Final[Row] = _row(
    "MaxPoolShared",
    _shared,
    0,
    vjp=(None, None, lambda u, b, x, y, g, **attrs: apply(_MEAN, (x, y, u), attrs)),
    linear=(2,),
)
_MEAN: Final[Row] = _row(
    "MaxPoolMean",
    _mean,
    1,
    vjp=(None, None, lambda g, b, x, y, t, **attrs: apply(_SHARED, (x, y, g), attrs)),
    linear=(2,),
)


def _ties(y: Tensor, x: Tensor, **attrs: Any) -> Tensor:
    result: Tensor = apply(_SEVERAL, (x, y), attrs)
    return result


def _pull(g: Tensor, y: Tensor, x: Tensor, **attrs: Any) -> Tensor:
    result: Tensor = apply(_SHARED, (x, y, g), attrs)
    return result


def _push(t: Tensor, y: Tensor, x: Tensor, **attrs: Any) -> Tensor:
    result: Tensor = apply(_MEAN, (x, y, t), attrs)
    return result


for _name in ("MaxPool", "MaxPool3D"):
    has_kinks(_name, Kink(_ties, pull=_pull, push=_push))
