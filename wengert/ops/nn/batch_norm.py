"""Fused batch normalization, with its gradient in few passes over memory.

With m and v the mean and the variance that are used: y = (x - m) / sqrt(v + e) scale + offset.
In training they depend on x; they are results, too, with cotangents of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.reverse import pull_through
from wengert.core.row import EachInput, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.host.malloc import LARGE
from wengert.host.parallel import in_blocks, mind_the_load
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.batched import run_merged
from wengert.ops.arrays.creation import fill
from wengert.ops.arrays.shaping import reshape
from wengert.ops.arrays.window_geometry import as_text
from wengert.ops.math.elementwise import cast, rsqrt
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.half_precision import widen
from wengert.ops.support.large_kernels import LargeKernel, batch_norm_kernel, batch_norm_sum_kernel
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.sizes import certainly
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.core.row import Attrs
    from wengert.values.typing import Array, Namespace, TensorLike


def _channels(shape: Dims, axis: int) -> tuple[Dims, Dims]:
    """The axes of the averages, and the shape in which a vector of channels broadcasts."""
    others = tuple([a for a in range(len(shape)) if a != axis])
    return others, tuple([shape[a] if a == axis else 1 for a in range(len(shape))])


def _fused_kernel(
    xp: Namespace,
    x: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    *,
    axis: int,
    epsilon: float,
    training: bool,
    factor: float,
) -> list[Array]:
    wide, expand, sums = _lines(widen(x), axis, scale.size)
    if training:
        count = x.size // max(scale.size, 1)
        m, v = _statistics(wide, expand, sums, count)
        found = m, v * (count / max(count - 1, 1))
        blended = [
            _blend(old, new, factor) for old, new in zip((mean, variance), found, strict=True)
        ]
    else:
        m, v = mean, variance
        blended = [mean.copy(), variance.copy()]
    slope = scale / xp.sqrt(v + scale.dtype.type(epsilon))
    shifts, slopes, offsets = (expand(part.astype(wide.dtype)) for part in (m, slope, offset))
    y = _at_once(batch_norm_kernel, "normalized", wide, shifts, slopes, offsets)
    if y is None:
        y = _normalized(wide, shifts, slopes, offsets)
    result = y.reshape(x.shape).astype(x.dtype, copy=False)
    return [result, *blended, m.astype(scale.dtype), v.astype(scale.dtype)]


def _normalized(x: Array, shifts: Array, slopes: Array, offsets: Array) -> Array:
    y = np.empty_like(x)

    def work(rows: slice) -> None:
        part = np.subtract(x[rows], shifts, out=y[rows])
        part *= slopes
        part += offsets

    in_blocks(work, x)
    return y


_LINE = 8192  # elements: with shorter lines NumPy takes twice as long to add a vector to each
_ROWS = 256  # that one product sums: some BLAS add sequentially, and lose accuracy with each


def _lines(x: Array, axis: int, channels: int) -> tuple[Any, Any, Any]:
    """The array in long lines; functions that extend a vector of channels, and sum to channels.

    Sums of lines are products with ones: a fifth of the time of NumPy's sums.
    """
    others, along = _channels(x.shape, axis)
    if axis != x.ndim - 1 or not x.size:
        return x, lambda v: v.reshape(along), lambda part: np.sum(part, others)
    mind_the_load()
    times = math.gcd(x.size // channels, 1 << max((_LINE // channels).bit_length() - 1, 0))

    def sums(part: Array) -> Array:
        ones, (pieces, rest) = np.ones(_ROWS, part.dtype), divmod(len(part), _ROWS)
        whole, last = part[: len(part) - rest], part[len(part) - rest :]
        total = (ones @ whole.reshape(pieces, _ROWS, part.shape[1])).sum(0) + ones[:rest] @ last
        return total.reshape(times, channels).sum(0)

    return x.reshape(-1, times * channels), lambda v: np.tile(v, times), sums


def _statistics(
    x: Array, expand: Callable[..., Any], sums: Callable[..., Any], count: int
) -> tuple[Any, Any]:
    """The mean and the variance of each channel, in two passes."""
    mean = (_total(sums, lambda rows: x[rows], "value", x) / count).astype(x.dtype)
    shifts = expand(mean)

    def squares(rows: slice) -> Array:
        part = x[rows] - shifts
        part *= part
        return part

    total = _total(sums, squares, "square of deviation", x, shifts)
    return mean, (total / count).astype(x.dtype)


def _total(
    sums: Callable[..., Any], some: Callable[..., Any], formula: str, *arrays: Array
) -> Array:
    """The sum of a formula over the rows, or of some(rows), which is the same."""
    found = _at_once(batch_norm_sum_kernel, formula, *arrays)
    if found is not None:
        return sums(found[None])
    parts: list[Any] = []
    in_blocks(lambda rows: parts.append(sums(some(rows))), arrays[0])
    return sum(parts)


def _at_once(kernel: LargeKernel[...], formula: str, *arrays: Array) -> Array | None:
    """A formula by a kernel of machine code; None if there is none for it."""
    if arrays[0].size < LARGE or arrays[0].ndim != 2:
        return None
    return kernel(formula, *arrays)


def _blend(old: Array, new: Array, factor: float) -> Array:
    if factor == 1.0 or not old.size:
        return new.astype(old.dtype)
    return (old * (1 - factor) + new * factor).astype(old.dtype)


def _parts(gs: Sequence[Tensor], ys: Sequence[Tensor], x: Tensor, axis: int, epsilon: float) -> Any:
    """Shared by all rules: cotangent and deviation in the scale's dtype, 1 / deviation, axes."""
    others, along = _channels(dims(x), axis)
    m, v = ys[3], ys[4]
    centred = cast(x, m.dtype) - reshape(m, along)
    return cast(gs[0], m.dtype), centred, rsqrt(v + epsilon), others, along


def _of_statistics(
    gs: Sequence[Tensor], ys: Sequence[Tensor], x: Tensor, scale: Tensor, attrs: Attrs
) -> tuple[Any, Any]:
    """The cotangents of the mean and the variance that were used, through y."""
    g, centred, inverse, others, _ = _parts(gs, ys, x, attrs["axis"], attrs["epsilon"])
    of_mean = -reduce_sum(g, others) * scale * inverse
    of_variance = reduce_sum(g * centred, others) * scale * (-0.5 * inverse * inverse * inverse)
    return of_mean, of_variance


def _rule_of_x(
    gs: Sequence[Tensor], ys: Sequence[Tensor], x: Tensor, scale: Tensor, *_: Tensor, **attrs: Any
) -> Tensor:
    axis, epsilon = attrs["axis"], attrs["epsilon"]
    if not attrs["training"]:
        along = _channels(dims(x), axis)[1]
        slope = reshape(scale * rsqrt(ys[4] + epsilon), along)
        return cast(cast(gs[0], slope.dtype) * slope, x.dtype)
    count = float(np.prod(dims(x))) / float(dims(scale)[0])
    given = attrs["factor"]
    of_mean = gs[1] * given + gs[3]
    of_variance = gs[2] * (given * count / max(count - 1.0, 1.0)) + gs[4]
    inputs = (gs[0], x, scale, ys[3], ys[4], of_mean, of_variance)
    result: Tensor = apply(FUSED_GRAD, inputs, {"axis": axis, "epsilon": epsilon})
    return result


def _slope_in_x(
    g: Tensor,
    x: Tensor,
    scale: Tensor,
    m: Tensor,
    v: Tensor,
    gm: Tensor,
    gv: Tensor,
    *,
    axis: int,
    epsilon: float,
) -> Tensor:
    """The gradient of x in training, in our operations; FUSED_GRAD computes it in fewer passes.

    gm and gv are the cotangents of the mean and the variance that do not come through y.
    """
    others, along = _channels(dims(x), axis)
    wide, centred = cast(g, m.dtype), cast(x, m.dtype) - reshape(m, along)
    count = float(np.prod([dims(x)[a] for a in others]))
    inverse = rsqrt(v + epsilon)
    slope = scale * inverse
    of_mean = gm - reduce_sum(wide, others) * slope
    of_variance = gv + reduce_sum(wide * centred, others) * slope * (-0.5 * inverse * inverse)
    spread = reshape(of_mean / count, along) + centred * reshape(of_variance * (2.0 / count), along)
    return cast(wide * reshape(slope, along) + spread, x.dtype)


def _slope_kernel(
    _: Namespace,
    g: Array,
    x: Array,
    scale: Array,
    m: Array,
    v: Array,
    gm: Array,
    gv: Array,
    *,
    axis: int,
    epsilon: float,
) -> Array:
    wide, expand, channel_sums = _lines(widen(x), axis, scale.size)
    given = _lines(widen(g), axis, scale.size)[0]
    count = x.size // max(scale.size, 1) or 1
    inverse = (1 / np.sqrt(v + v.dtype.type(epsilon))).astype(v.dtype)
    slope, shifts = scale * inverse, expand(m)

    def weighted(rows: slice) -> Array:
        part = wide[rows] - shifts
        part *= given[rows]
        return part

    of_all = _total(channel_sums, lambda rows: given[rows], "value", given)
    of_weighted = _total(channel_sums, weighted, "weighted deviation", wide, given, shifts)
    of_mean = gm - of_all * slope
    of_variance = gv + of_weighted * slope * (-0.5 * inverse * inverse)
    # slope g + (of_mean + 2 of_variance (x - m)) / n, with what does not depend on x put together
    factor = of_variance * (2.0 / count)
    parts = (factor, of_mean / count - factor * m, slope)
    factors, offsets, slopes = (expand(part.astype(v.dtype)) for part in parts)
    out = _at_once(batch_norm_kernel, "slope", wide, given, factors, offsets, slopes)
    if out is None:
        out = _sloped(wide, given, factors, offsets, slopes)
    return out.reshape(x.shape).astype(x.dtype, copy=False)


def _sloped(x: Array, g: Array, factors: Array, offsets: Array, slopes: Array) -> Array:
    out = np.empty_like(x)

    def work(rows: slice) -> None:
        part = np.multiply(x[rows], factors, out=out[rows])
        part += offsets
        part += g[rows] * slopes

    in_blocks(work, x)
    return out


def _slope_rule(i: int, g: Tensor, y: Tensor | None, *xs: Tensor, **attrs: Any) -> Tensor:
    def in_one(value: Tensor) -> list[Any]:
        values: list[Any] = [*xs[:i], value, *xs[i + 1 :]]
        return [_slope_in_x(*values, **attrs)]

    result: Tensor = pull_through(in_one, [xs[i]], [g])[0]
    return result


# Channels are normalized apart, so those of all examples lie side by side.


def _batched_slope(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
    at = attrs["axis"]
    axes = (at, at, 0, 0, 0, 0, 0)
    result: Tensor = run_merged(FUSED_GRAD, batched, size, xs, attrs, axes, at)
    return result


def _batched_norm(
    batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs
) -> list[Tensor]:
    at = attrs["axis"]
    axes, results = (at, 0, 0, 0, 0), (at, 0, 0, 0, 0)
    made: list[Tensor] = run_merged(FUSED_BATCH_NORM, batched, size, xs, attrs, axes, results)
    return made


FUSED_GRAD: Row = op(
    "FusedBatchNormGradV3",
    _slope_kernel,
    vjp=EachInput(_slope_rule),
    shape=lambda g, *others, **attrs: g,
    batch=_batched_slope,
    saves="x",
)


def _rule_of_scale(
    gs: Sequence[Tensor], ys: Sequence[Tensor], x: Tensor, scale: Tensor, *_: Tensor, **attrs: Any
) -> Tensor:
    g, centred, inverse, others, _ = _parts(gs, ys, x, attrs["axis"], attrs["epsilon"])
    result: Tensor = reduce_sum(g * centred, others) * inverse
    return result


def _rule_of_offset(
    gs: Sequence[Tensor], ys: Sequence[Tensor], x: Tensor, *_: Tensor, **attrs: Any
) -> Tensor:
    return reduce_sum(cast(gs[0], ys[3].dtype), _channels(dims(x), attrs["axis"])[0])


def _rule_of_statistic(which: int) -> Any:
    def rule(
        gs: Sequence[Tensor],
        ys: Sequence[Tensor],
        x: Tensor,
        scale: Tensor,
        offset: Tensor,
        *given: Tensor,
        **attrs: Any,
    ) -> Tensor:
        if attrs["training"]:
            kept = 1.0 - attrs["factor"]
            return gs[1 + which] * (kept if dims(given[which]) != (0,) else 0.0)
        through = _of_statistics(gs, ys, x, scale, attrs)[which]
        result: Tensor = through + gs[1 + which] + gs[3 + which]
        return result

    return rule


FUSED_BATCH_NORM: Row = op(
    "FusedBatchNormV3",
    _fused_kernel,
    vjp=(
        _rule_of_x,
        _rule_of_scale,
        _rule_of_offset,
        _rule_of_statistic(0),
        _rule_of_statistic(1),
    ),
    shape=lambda x, scale, *others, **attrs: [x, *[scale] * 4],
    dtype=lambda x, scale, *others, **attrs: [x, *[scale] * 4],
    batch=_batched_norm,
    many=True,
)

LAYOUTS = {"NHWC": -1, "NCHW": 1, "NDHWC": -1, "NCDHW": 1}


@deferrable
def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Fused batch normalization over all axes but the channels, and the statistics it used.

    >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(
    ...     tf.reshape([1.0, 3.0], [2, 1, 1, 1]), [1.0], [0.0], epsilon=0.0)
    >>> y.numpy().ravel().tolist(), mean.numpy().tolist(), variance.numpy().tolist()
    ([-1.0, 1.0], [2.0], [2.0])
    """
    values, data_format = convert(x), as_text(data_format)
    if data_format not in LAYOUTS:
        raise ValueError(f"`data_format` must be one of {list(LAYOUTS)}, got {data_format!r}.")
    rank = len(dims(values))
    if rank not in (4, 5):
        raise InvalidArgumentError(
            f"input must be 4 or 5-dimensional{shape_text(dims(values))} [Op:FusedBatchNormV3]"
        )
    axis = LAYOUTS[data_format] % rank
    kind = dtypes.float64 if values.dtype is dtypes.float64 else dtypes.float32
    factors = [convert(part, kind) for part in (scale, offset)]
    unneeded = is_training and exponential_avg_factor == 1.0
    if not is_training and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False."
        )
    _check_channels(dims(values)[axis], scale=factors[0], offset=factors[1])
    none = fill([0], convert(0.0, kind))
    given = [none if part is None or unneeded else convert(part, kind) for part in (mean, variance)]
    if not is_training:
        _check_channels(dims(values)[axis], mean=given[0], variance=given[1])
    attrs = {
        "axis": axis,
        "epsilon": float(epsilon),
        "training": bool(is_training),
        "factor": float(exponential_avg_factor),
    }
    y, batch_mean, batch_variance, *_ = apply(FUSED_BATCH_NORM, (values, *factors, *given), attrs)
    return y, batch_mean, batch_variance


def _check_channels(channels: int, **parts: Tensor) -> None:
    """Raise unless each part has a number for each channel."""
    for called, part in parts.items():
        if len(dims(part)) == 1 and certainly(dims(part)[0] != channels):
            raise InvalidArgumentError(
                f"{called} must have the same number of elements as the channels of x, got "
                f"{dims(part)[0]} and {channels}: Dimensions must be equal, but are {channels} and "
                f"{dims(part)[0]} [Op:FusedBatchNormV3]"
            )
