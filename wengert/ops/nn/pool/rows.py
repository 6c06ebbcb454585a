"""Pooling: its rows, and how TensorFlow's arguments become attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import TABLE, op
from wengert.errors import InvalidArgumentError, UnimplementedError
from wengert.ops.arrays.batched import run_merged
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.shaping import reshape
from wengert.ops.arrays.window_geometry import (
    Windows,
    check_positive,
    each_axis,
    padding_attrs,
    windows,
)
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.nn.pool.kernels import (
    maxima,
    means,
    pick_at_maxima,
    places,
    routed_back,
    spread_means,
)
from wengert.ops.support.batch_rules import BatchRule, batch_all, merged_batch
from wengert.ops.support.half_precision import widen
from wengert.values import dtypes
from wengert.values.shapes import Dims
from wengert.values.sizes import certainly
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, Integers, Namespace, TensorOrDims

ROWS: Final[dict[str, Row]] = {}


def pool_windows(shape: Dims, attrs: Attrs) -> Windows:
    """The windows over all axes of an input."""
    ones = (1,) * len(shape)
    explicit = attrs.get("explicit_paddings", ())
    return windows(
        tuple(shape), attrs["ksize"], attrs["strides"], ones, attrs["padding"], explicit, "Pool"
    )


def attributes(
    ksize: Integers,
    strides: Integers | None,
    padding: str | Iterable[Integers],
    data_format: str,
    rank: int,
    who: str,
) -> Attrs:
    """The attributes of a pooling, as TensorFlow names them."""
    attrs: Attrs = {
        "ksize": each_axis(ksize, rank, data_format, "ksize"),
        "strides": each_axis(strides, rank, data_format, "strides"),
        **padding_attrs(padding, rank, data_format, who),
        "data_format": data_format,
    }
    check_positive(attrs["ksize"], "Sliding window ksize must be positive.", who)
    check_positive(attrs["strides"], "Stride must be > 0", who)
    if attrs["ksize"][0] != 1 or attrs["strides"][0] != 1:
        raise InvalidArgumentError(
            f"Pooling is not yet supported on the batch dimension. [Op:{who}]"
        )
    _check_within(attrs, who)
    if who.startswith("MaxPool"):
        _check_channels(attrs["ksize"], attrs["strides"], data_format, who)
    return attrs


def check_depth(depth: int, along: int, who: str) -> None:
    """Check that windows along the channels, if they are longer than one, part them evenly."""
    if along > 1 and who == "MaxPool" and certainly(depth % along != 0):
        raise UnimplementedError(
            f"Depthwise max pooling requires the depth window to evenly divide the input depth [Op:{who}]"
        )


def _check_channels(ksize: Dims, strides: Dims, data_format: str, who: str) -> None:
    """Check that maxima are taken over neighbours or over channels, which are then parted."""
    at = 1 if data_format.startswith("NC") else -1
    along, step = ksize[at], strides[at]
    if along == 1:
        return
    if len(ksize) == 5:
        complaint = "Pooling is not yet supported on the depth dimension."
    elif math.prod(ksize) != along:
        complaint = "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
    elif along != step:
        complaint = "Depthwise max pooling requires the depth window to equal the depth stride"
    else:
        return
    raise UnimplementedError(f"{complaint} [Op:{who}]")


def _check_within(attrs: Attrs, who: str) -> None:
    """Check that no window covers padding only: it would have no maximum."""
    explicit = attrs["explicit_paddings"]
    for i, pad in enumerate(explicit):
        if pad >= attrs["ksize"][i // 2]:
            raise InvalidArgumentError(
                f"Padding {pad} needs to be smaller than the window size "
                f"{attrs['ksize'][i // 2]} [Op:{who}]"
            )


def _shape(have: Dims, *others: Dims, **attrs: Any) -> Dims:
    return pool_windows(have, attrs).out


# ---- maxima -----------------------------------------------------------------------------------


def _max(_: Namespace, x: Array, **attrs: Any) -> Array:
    return maxima(x, pool_windows(x.shape, attrs))


def _max_grad(_: Namespace, x: Array, y: Array, g: Array, **attrs: Any) -> Array:
    back = routed_back(x, y, widen(g), pool_windows(x.shape, attrs))
    return back.astype(g.dtype, copy=False)


def _max_grad_grad(_: Namespace, x: Array, y: Array, u: Array, **attrs: Any) -> Array:
    return pick_at_maxima(x, y, u, pool_windows(x.shape, attrs))


class Names(NamedTuple):
    """The operations of one kind of pooling: itself, its gradient, and the gradient of that."""

    forward: str
    grad: str
    grad_grad: str


def _max_family(names: Names) -> Row:
    forward, grad, grad_grad = names
    ROWS[forward] = op(
        forward,
        _max,
        vjp=(lambda g, y, x, **attrs: apply(ROWS[grad], (x, y, g), attrs),),
        jvp=(lambda t, y, x, **attrs: apply(ROWS[grad_grad], (x, y, t), attrs),),
        shape=_shape,
        batch=merged_batch(forward),
    )
    ROWS[grad] = op(
        grad,
        _max_grad,
        vjp=(
            lambda u, b, x, y, g, **at: zeros_like(x),  # where the maxima are does not move
            None,
            lambda u, b, x, y, g, **at: apply(ROWS[grad_grad], (x, y, u), at),
        ),
        jvp=(
            lambda t, b, x, y, g, **at: zeros_like(x),
            None,
            lambda t, b, x, y, g, **at: apply(ROWS[grad], (x, y, t), at),
        ),
        shape=lambda x, y, g, **attrs: x,
        linear=(2,),
        batch=merged_batch(grad),
        saves="x",
    )
    ROWS[grad_grad] = op(
        grad_grad,
        _max_grad_grad,
        vjp=(None, None, lambda g, b, x, y, u, **at: apply(ROWS[grad], (x, y, g), at)),
        shape=lambda x, y, u, **attrs: y,
        linear=(2,),
        batch=merged_batch(grad_grad),
        saves="x",
    )
    return ROWS[forward]


MAX_POOL: Row = _max_family(Names("MaxPool", "MaxPoolGrad", "MaxPoolGradGrad"))
MAX_POOL_3D: Row = _max_family(Names("MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad"))


# ---- means ------------------------------------------------------------------------------------


def _avg(_: Namespace, x: Array, **attrs: Any) -> Array:
    at, wide = pool_windows(x.shape, attrs), widen(x)
    return means(wide, at).astype(x.dtype, copy=False)


def _avg_grad(_: Namespace, g: Array, *, orig_input_shape: Dims, **attrs: Any) -> Array:
    if not g.size:
        return np.zeros(orig_input_shape, g.dtype)
    at, wide = pool_windows(orig_input_shape, attrs), widen(g)
    return spread_means(wide, at).astype(g.dtype, copy=False)


def _avg_family(forward: str, grad: str) -> Row:
    ROWS[forward] = op(
        forward,
        _avg,
        vjp=(
            lambda g, y, x, **attrs: apply(
                ROWS[grad], (g,), {"orig_input_shape": dims(x), **attrs}
            ),
        ),
        shape=_shape,
        linear=(0,),
        batch=merged_batch(forward),
        saves="",
    )
    ROWS[grad] = op(
        grad,
        _avg_grad,
        vjp=(lambda u, b, g, *, orig_input_shape, **at: apply(ROWS[forward], (u,), at),),
        shape=lambda g, *, orig_input_shape, **attrs: orig_input_shape,
        linear=(0,),
        batch=merged_batch(grad),
        saves="",
    )
    return ROWS[forward]


AVG_POOL: Row = _avg_family("AvgPool", "AvgPoolGrad")
AVG_POOL_3D: Row = _avg_family("AvgPool3D", "AvgPool3DGrad")


# ---- maxima and their indices -------------------------------------------------------------------


def _argmax(
    _: Namespace, x: Array, *, Targmax: DType, include_batch_in_index: bool, **attrs: Any
) -> list[Any]:
    at = pool_windows(x.shape, attrs)
    y = maxima(x, at)
    return [y, places(x, y, at, include_batch_in_index).astype(Targmax.numpy_dtype)]


def _flat(x: Array, index: Array, with_batch: bool) -> Array:
    """Convert indices within images, or the batch, to ones of the whole flattened array."""
    if with_batch or not len(x):
        return index
    first = np.arange(len(index)).reshape(-1, *[1] * (index.ndim - 1))
    return index + first * (x.size // len(x))


def _put(
    _: Namespace, g: Array, index: Array, *, shape: Dims, include_batch_in_index: bool
) -> Array:
    wide = widen(g)
    x = np.zeros(shape, wide.dtype)
    np.add.at(x.reshape(-1), _flat(x, index, include_batch_in_index).ravel(), wide.ravel())
    return x.astype(g.dtype, copy=False)


def _take(_: Namespace, u: Array, index: Array, *, include_batch_in_index: bool) -> Array:
    return u.reshape(-1)[_flat(u, index, include_batch_in_index)]


def _argmax_rule(
    g: Sequence[Tensor | None],
    ys: Sequence[Tensor],
    x: TensorOrDims,
    *,
    include_batch_in_index: bool,
    **attrs: Any,
) -> Tensor:
    attrs = {"shape": dims(x), "include_batch_in_index": include_batch_in_index}
    result: Tensor = apply(MAX_POOL_PUT, (g[0], ys[1]), attrs)
    return result


def _batched_argmax(
    batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs
) -> list[Tensor]:
    """The indices are asked for within the images, and those within the batch made of them."""
    within = attrs | {"include_batch_in_index": False}
    y, index = run_merged(MAX_POOL_WITH_ARGMAX, batched, size, xs, within, (0,), (0, 0))
    if attrs["include_batch_in_index"]:
        _, images, *one = dims(xs[0])
        first = cast(range_(images) * math.prod(one), index.dtype)
        index = index + reshape(first, (images, 1, 1, 1))
    return [y, index]


def _at_argmax(name: str) -> BatchRule:
    """Indices within the batch of an example are those within one image, as the kernel sees it."""
    images_merged = merged_batch(name, sizes="shape")

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        if not attrs["include_batch_in_index"]:
            return images_merged(batched, size, xs, attrs)
        wider: Attrs = {"include_batch_in_index": False}
        if "shape" in attrs:
            wider["shape"] = (size, *attrs["shape"])
        return apply(TABLE[name], batch_all(batched, size, xs), wider)

    return rule


MAX_POOL_WITH_ARGMAX: Row = op(
    "MaxPoolWithArgmax", _argmax, vjp=(_argmax_rule,), many=True, batch=_batched_argmax, saves=""
)
MAX_POOL_PUT: Row = op(
    "MaxPoolGradWithArgmax",
    _put,
    vjp=(
        lambda u, x, g, index, *, shape, include_batch_in_index: apply(
            MAX_POOL_TAKE, (u, index), {"include_batch_in_index": include_batch_in_index}
        ),
        None,
    ),
    shape=lambda g, index, *, shape, include_batch_in_index: shape,
    linear=(0,),
    batch=_at_argmax("MaxPoolGradWithArgmax"),
    saves="x",
)
MAX_POOL_TAKE: Row = op(
    "MaxPoolGradGradWithArgmax",
    _take,
    vjp=(
        lambda g, y, u, index, *, include_batch_in_index: apply(
            MAX_POOL_PUT,
            (g, index),
            {"shape": dims(u), "include_batch_in_index": include_batch_in_index},
        ),
        None,
    ),
    shape=lambda u, index, *, include_batch_in_index: index,
    linear=(0,),
    batch=_at_argmax("MaxPoolGradGradWithArgmax"),
    saves="x",
)

FLOATS: Final = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
Pool = Callable[..., Any]
