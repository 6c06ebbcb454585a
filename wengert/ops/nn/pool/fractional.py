"""Fractional pooling: random regions whose sizes differ by one, for any pooling ratio.

The boundaries of the regions are drawn first, then the pooling is an operation of the input and
the boundaries. A region of an overlapping pooling contains its upper boundary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.batched import merged
from wengert.ops.arrays.window_geometry import check_rank
from wengert.ops.nn.pool.kernels import lowest
from wengert.ops.random.philox import random_words, seeded_state
from wengert.ops.random.seeds import seeds_of
from wengert.ops.random.stateful import uniform
from wengert.ops.support.declare import REAL_OR_INT, wrong_dtype
from wengert.ops.support.half_precision import widen
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import Dims
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, FloatLike, IntLike, Namespace, NumpyDType, TensorLike


Seeds = tuple[int, int]


class Fractional(NamedTuple):
    """The pooled tensor, and the boundaries of the regions along rows and columns."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


# ---- the boundaries -----------------------------------------------------------------------------


def _random_steps(words: Array, size: int, count: int) -> Array:
    """Steps of two sizes, the larger ones first, and then exchanged as TensorFlow shuffles."""
    small = size // count
    steps = np.where(np.arange(count) < size - small * count, small + 1, small)
    for i, word in enumerate(words[: count - 1].tolist()):
        j = i + word % (count - i)
        steps[[i, j]] = steps[[j, i]]
    return steps


def _mixed_steps(words: Array, size: int, count: int) -> Array:
    """The steps between ceil(alpha (i + u)), for one random u: two sizes, evenly mixed.

    The range of u is such that neither the first step is too large nor the last too small.
    """
    high, low = words[:2].tolist()
    draw = ((high & 0xFFFFF) << 32 | low) / 2**52
    alpha, small = size / count, size // count
    u = draw * min((small + 2) / alpha - 1, (size + 1 - small) / alpha - (count - 1))
    inner = np.ceil(alpha * (np.arange(1, count) + u))
    return np.diff(np.concatenate([[1], inner, [size + 1]]))


def _boundaries(_: Namespace, words: Array, *, size: int, count: int, pseudo_random: bool) -> Array:
    if size % count == 0:
        return np.arange(0, size + 1, size // count)
    steps = (_mixed_steps if pseudo_random else _random_steps)(words, size, count)
    return np.concatenate([[0], np.cumsum(steps)]).astype(np.int64)


BOUNDARIES: Row = op("FractionalPoolBoundaries", _boundaries)


def _drawn(
    sizes: Sequence[int], ratios: Sequence[float], pseudo_random: bool, seeds: Seeds
) -> list[Tensor]:
    """The boundaries along each axis: with seeds those of TensorFlow, the same each time."""
    state = seeded_state(*seeds) if any(seeds) else None
    found = []
    for size, ratio in zip(sizes, ratios, strict=True):
        count = max(int(size / ratio), 1)
        needed = 0 if size % count == 0 else 2 if pseudo_random else count
        if state is None:
            words = uniform([needed], 0, 1 << 32, dtype=dtypes.int64)
        else:
            words = convert(random_words(state, needed).astype(np.int64))
            state = state.skipped(-(-needed // 4))
        attrs = {"size": size, "count": count, "pseudo_random": pseudo_random}
        found.append(apply(BOUNDARIES, (words,), attrs))
    return found


# ---- regions ----------------------------------------------------------------------------------


def _ends(boundaries: Array, overlapping: bool) -> Array:
    """The ends of the regions along an axis; overlapping ones include their upper boundary."""
    return np.minimum(boundaries[1:] + int(overlapping), boundaries[-1])


def _offsets(rows: Array, cols: Array, overlapping: bool) -> Iterator[tuple[Any, Any]]:
    """The elements of all regions, one of each at a time: indices in the output and the input."""
    ends = [_ends(b, overlapping) for b in (rows, cols)]
    longest = [int((e - b[:-1]).max(initial=0)) for e, b in zip(ends, (rows, cols), strict=True)]
    for steps in np.ndindex(*longest):
        there = [
            np.flatnonzero(b[:-1] + step < e)
            for b, e, step in zip((rows, cols), ends, steps, strict=True)
        ]
        met = [b[:-1][t] + step for b, t, step in zip((rows, cols), there, steps, strict=True)]
        yield (slice(None), there[0][:, None], there[1]), (slice(None), met[0][:, None], met[1])


def _empty(x: Array, rows: Array, cols: Array, fill: Array | int) -> Array:
    return np.full((len(x), len(rows) - 1, len(cols) - 1, x.shape[-1]), fill, x.dtype)


def _maxima(x: Array, rows: Array, cols: Array, overlapping: bool) -> Array:
    y = _empty(x, rows, cols, lowest(x.dtype))
    for out, met in _offsets(rows, cols, overlapping):
        y[out] = np.maximum(y[out], x[met])
    return y


def _firsts(
    x: Array, rows: Array, cols: Array, overlapping: bool
) -> Iterator[tuple[Any, Any, Any]]:
    """For each element position, the regions whose first maximum is there."""
    y = _maxima(x, rows, cols, overlapping)
    free = np.ones(y.shape, bool)
    for out, met in _offsets(rows, cols, overlapping):
        a, b = x[met], y[out]
        hit = ((a == b) | ((a != a) & (b != b))) & free[out]
        free[out] ^= hit
        yield out, met, hit


def _max(_: Namespace, x: Array, rows: Array, cols: Array, *, overlapping: bool) -> Array:
    return _maxima(x, rows, cols, overlapping)


def _max_grad(
    _: Namespace, x: Array, g: Array, rows: Array, cols: Array, *, overlapping: bool
) -> Array:
    wide = widen(g)
    back = np.zeros(x.shape, wide.dtype)
    for out, met, hit in _firsts(x, rows, cols, overlapping):
        back[met] += np.where(hit, wide[out], wide.dtype.type(0))
    return back.astype(g.dtype, copy=False)


def _max_pick(
    _: Namespace, x: Array, u: Array, rows: Array, cols: Array, *, overlapping: bool
) -> Array:
    y = _empty(u, rows, cols, 0)
    for out, met, hit in _firsts(x, rows, cols, overlapping):
        y[out] = np.where(hit, u[met], y[out])
    return y


def _counts(rows: Array, cols: Array, overlapping: bool, dtype: NumpyDType) -> Array:
    high, wide = (_ends(b, overlapping) - b[:-1] for b in (rows, cols))
    return (high[:, None, None] * wide[:, None]).astype(dtype)


def _avg(_: Namespace, x: Array, rows: Array, cols: Array, *, overlapping: bool) -> Array:
    wide = widen(x)
    y = _empty(wide, rows, cols, 0)
    for out, met in _offsets(rows, cols, overlapping):
        y[out] += wide[met]
    return (y / _counts(rows, cols, overlapping, wide.dtype)).astype(x.dtype, copy=False)


def _avg_grad(
    _: Namespace, g: Array, rows: Array, cols: Array, *, overlapping: bool, shape: Dims
) -> Array:
    wide = widen(g)
    given = wide / _counts(rows, cols, overlapping, wide.dtype)
    back = np.zeros(shape, wide.dtype)
    for out, met in _offsets(rows, cols, overlapping):
        back[met] += given[out]
    return back.astype(g.dtype, copy=False)


# ---- rows -------------------------------------------------------------------------------------


def _out_shape(have: Dims, *others: Dims, **attrs: object) -> Dims:
    rows, cols = others[-2:]
    return (have[0], rows[0] - 1, cols[0] - 1, have[3])


MAX: Row = op(
    "FractionalMaxPool",
    _max,
    vjp=(lambda g, y, x, rows, cols, **at: apply(MAX_GRAD, (x, g, rows, cols), at), None, None),
    jvp=(lambda t, y, x, rows, cols, **at: apply(MAX_PICK, (x, t, rows, cols), at), None, None),
    shape=_out_shape,
    batch=merged("FractionalMaxPool", (0, None, None)),
    saves="x",
)
MAX_GRAD: Row = op(
    "FractionalMaxPoolGrad",
    _max_grad,
    vjp=(
        None,
        lambda u, b, x, g, rows, cols, **at: apply(MAX_PICK, (x, u, rows, cols), at),
        None,
        None,
    ),
    shape=lambda x, *others, overlapping: x,
    linear=(1,),
    batch=merged("FractionalMaxPoolGrad", (0, 0, None, None)),
    saves="x",
)
MAX_PICK: Row = op(
    "FractionalMaxPoolGradGrad",
    _max_pick,
    vjp=(
        None,
        lambda g, y, x, u, rows, cols, **at: apply(MAX_GRAD, (x, g, rows, cols), at),
        None,
        None,
    ),
    shape=_out_shape,
    linear=(1,),
    batch=merged("FractionalMaxPoolGradGrad", (0, 0, None, None)),
    saves="x",
)
AVG: Row = op(
    "FractionalAvgPool",
    _avg,
    vjp=(
        lambda g, y, x, rows, cols, **at: apply(
            AVG_GRAD, (g, rows, cols), {"shape": dims(x), **at}
        ),
        None,
        None,
    ),
    shape=_out_shape,
    linear=(0,),
    batch=merged("FractionalAvgPool", (0, None, None)),
    saves="x",
)
AVG_GRAD: Row = op(
    "FractionalAvgPoolGrad",
    _avg_grad,
    vjp=(
        lambda u, x, g, rows, cols, *, shape, **at: apply(AVG, (u, rows, cols), at),
        None,
        None,
    ),
    shape=lambda g, rows, cols, *, overlapping, shape: shape,
    linear=(0,),
    batch=merged("FractionalAvgPoolGrad", (0, None, None), sizes="shape"),
    saves="x",
)


# ---- public functions ---------------------------------------------------------------------------


def _ratios(value: Any) -> tuple[float, float]:
    given = value if isinstance(value, (list, tuple)) else [value]
    numbers = [float(v) for v in given]
    if any(v < 1 for v in numbers):
        raise ValueError(
            f"`pooling_ratio` elements should be >= 1.0. Received: pooling_ratio={value}"
        )
    if len(numbers) == 1:
        return numbers[0], numbers[0]
    if len(numbers) == 2:
        return numbers[0], numbers[1]
    if len(numbers) != 4:
        raise ValueError(
            "pooling_ratio should be of length 1, 2 or 4. "
            f"Received: pooling_ratio={value} of length {len(numbers)}"
        )
    if numbers[0] != 1 or numbers[3] != 1:
        raise ValueError(
            "`pooling_ratio` should have first and last elements with value 1.0. "
            f"Received: pooling_ratio={value}"
        )
    return numbers[1], numbers[2]


@deferrable
def seeded(
    row: Row,
    value: TensorLike,
    ratio: FloatLike | Sequence[FloatLike],
    pseudo_random: bool,
    overlapping: bool,
    seeds: Seeds,
) -> Fractional:
    """Pool with the regions of two seeds, which differ each time if both are zero."""
    x = convert(value)
    if x._array.dtype.kind not in REAL_OR_INT:
        raise wrong_dtype(row, x.dtype)
    check_rank(dims(x), 4, row.name)
    rows, cols = _drawn(dims(x)[1:3], _ratios(ratio), bool(pseudo_random), seeds)
    y = apply(row, (x, rows, cols), {"overlapping": bool(overlapping)})
    return Fractional(y, rows, cols)


def _seeds(seed: IntLike) -> Seeds:
    if not int(seed or 0):
        return 0, 0
    first, second = seeds_of(seed)
    return first or 0, second or 0


@deferrable
def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: FloatLike | Sequence[FloatLike],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: IntLike = 0,
    name: str | None = None,
) -> Fractional:
    """Fractional max pooling: the maximum of each region; region sizes are random.

    With a seed the regions are the same each time.

    >>> x = tf.reshape(tf.range(6.0), [1, 1, 6, 1])
    >>> y, rows, cols = tf.nn.fractional_max_pool(x, [1.0, 1.0, 2.0, 1.0])
    >>> y.numpy().ravel().tolist(), cols.numpy().tolist()
    ([1.0, 3.0, 5.0], [0, 2, 4, 6])
    """
    return seeded(MAX, value, pooling_ratio, pseudo_random, overlapping, _seeds(seed))


@deferrable
def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: FloatLike | Sequence[FloatLike],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: IntLike = 0,
    name: str | None = None,
) -> Fractional:
    """Fractional average pooling: the mean of each region; region sizes are random.

    >>> x = tf.reshape(tf.range(6.0), [1, 1, 6, 1])
    >>> y, rows, cols = tf.nn.fractional_avg_pool(x, [1.0, 1.0, 2.0, 1.0], overlapping=True)
    >>> y.numpy().ravel().tolist()
    [1.0, 3.0, 4.5]
    """
    return seeded(AVG, value, pooling_ratio, pseudo_random, overlapping, _seeds(seed))
