"""tf.nn.bias_add: a bias for each channel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import broadcast_to, reshape
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.declare import NUMBER, convert_alike, wrong_dtype
from wengert.ops.support.half_precision import widen
from wengert.values.shapes import Dims, shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.core.row import Attrs
    from wengert.values.typing import Array, Namespace, TensorLike, TensorOrDims


def _aligned(rank: int, channels: int, data_format: str) -> Dims:
    """The shape in which a bias broadcasts against an input."""
    return (channels,) if data_format == "NHWC" else (channels, *[1] * (rank - 2))


def _add(_: Namespace, x: Array, b: Array, *, data_format: str) -> Array:
    return x + b.reshape(_aligned(x.ndim, len(b), data_format))


def _sum(_: Namespace, g: Array, *, data_format: str) -> Array:
    wide = widen(g)
    if data_format == "NHWC":
        rows = wide.reshape(math.prod(g.shape[:-1]), g.shape[-1])
        return rows.sum(axis=0, dtype=wide.dtype).astype(g.dtype, copy=False)
    axes = (0, *range(2, g.ndim))
    return wide.sum(axis=axes, dtype=wide.dtype).astype(g.dtype, copy=False)


def _repeated(u: Tensor, b: Tensor | None, g: TensorOrDims, *, data_format: str) -> Tensor:
    shape = dims(g)
    return broadcast_to(reshape(u, _aligned(len(shape), dims(u)[0], data_format)), shape)


def _batched(batched: Any, size: int, xs: Any, attrs: Attrs) -> Any:
    x, b = xs
    if not batched[1]:
        shape = dims(x)
        merged = reshape(x, (size * shape[1], *shape[2:]))
        return reshape(apply(BIAS_ADD, (merged, b), attrs), shape)
    rank = len(dims(x)) - (1 if batched[0] else 0)
    inner = _aligned(rank, dims(b)[1], attrs["data_format"])
    return x + reshape(b, (size, *[1] * (rank - len(inner)), *inner))


def _batched_sum(batched: Any, size: int, xs: Any, attrs: Attrs) -> Tensor:
    rank = len(dims(xs[0]))
    channels = rank - 1 if attrs["data_format"] == "NHWC" else 2
    return reduce_sum(xs[0], [axis for axis in range(1, rank) if axis != channels])


BIAS_ADD: Row = op(
    "BiasAdd",
    _add,
    vjp=(
        lambda g, y, x, b, *, data_format: g,
        lambda g, y, x, b, *, data_format: apply(BIAS_ADD_GRAD, (g,), {"data_format": data_format}),
    ),
    jvp=(
        lambda t, y, x, b, *, data_format: t,
        lambda t, y, x, b, *, data_format: _repeated(t, b, x, data_format=data_format),
    ),
    shape=lambda x, b, *, data_format: x,
    batch=_batched,
    saves="",
)
BIAS_ADD_GRAD: Row = op(
    "BiasAddGrad",
    _sum,
    vjp=(_repeated,),
    shape=lambda g, *, data_format: (g[-1] if data_format == "NHWC" else g[1],),
    linear=(0,),
    batch=_batched_sum,
    saves="",
)


@deferrable
def bias_add(
    value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Add a bias to each channel.

    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy().tolist()
    [[11.0, 22.0]]
    """
    x, b = convert_alike("BiasAdd", value, bias)
    if x._array.dtype.kind not in NUMBER:
        raise wrong_dtype(BIAS_ADD, x.dtype)
    form = _format(data_format)
    _check(dims(x), dims(b), form)
    result: Tensor = apply(BIAS_ADD, (x, b), {"data_format": form})
    return result


def _format(data_format: str | None) -> str:
    if data_format is None:
        return "NHWC"
    if data_format.startswith("NC"):
        return "NCHW"
    if data_format.startswith("N") and data_format.endswith("C"):
        return "NHWC"
    raise ValueError(
        f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}"
    )


def _check(shape: Dims, bias: Dims, form: str) -> None:
    if len(shape) < 2:
        raise InvalidArgumentError(
            f"Input tensor must be at least 2D: {shape_text(shape)} [Op:BiasAdd]"
        )
    if len(bias) != 1:
        raise InvalidArgumentError(f"Biases must be 1D: {shape_text(bias)} [Op:BiasAdd]")
    at, where = (-1, "last") if form == "NHWC" else (1, "second")
    if shape[at] != bias[0]:
        raise InvalidArgumentError(
            f"Must provide as many biases as the {where} dimension of the input tensor: "
            f"{shape_text(bias)} vs. {shape_text(shape)} [Op:BiasAdd]"
        )
