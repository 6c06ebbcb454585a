"""The public functions of pooling: tf.nn.max_pool2d and the rest of its family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.inference.public_functions import deferrable, nameable
from wengert.ops.arrays.shaping import as_shape, expand_dims, squeeze
from wengert.ops.arrays.window_geometry import channels_last, check_rank, chosen_format, each_axis
from wengert.ops.math.elementwise import cast
from wengert.ops.nn.conv.dilated import check_not_both
from wengert.ops.nn.conv.public import flat_padding, height_axis
from wengert.ops.nn.conv.with_space_to_batch import with_space_to_batch
from wengert.ops.nn.pool.rows import (
    AVG_POOL,
    AVG_POOL_3D,
    MAX_POOL,
    MAX_POOL_3D,
    MAX_POOL_WITH_ARGMAX,
    attributes,
    check_depth,
)
from wengert.ops.support.declare import REAL, REAL_OR_INT, in_single, wrong_dtype
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, Integers, TensorLike


def _pooled(
    row: Row,
    value: TensorLike,
    ksize: Integers,
    strides: Integers | None,
    padding: str | Iterable[Integers],
    form: str,
    takes: str,
) -> Tensor:
    x, rank = (in_single if row is MAX_POOL else convert)(value), len(form)
    if x._array.dtype.kind not in takes:
        raise wrong_dtype(row, x.dtype)
    check_rank(dims(x), rank, row.name)
    attrs = attributes(ksize, strides, padding, form, rank, row.name)
    channels = 1 if form.startswith("NC") else -1
    check_depth(dims(x)[channels], attrs["ksize"][channels], row.name)
    result: Tensor = apply(row, (x,), attrs)
    return result


def _flat(
    row: Row,
    value: TensorLike,
    ksize: Integers,
    strides: Integers | None,
    padding: str | Iterable[Integers],
    form: str,
    takes: str,
) -> Tensor:
    """Pooling along one axis, computed as pooling over an image with a height of one."""
    x = convert(value)
    check_rank(dims(x), 3, row.name)
    last = channels_last(form)
    window, steps = (
        (n[0], 1, *n[1:]) if last else (*n[:2], 1, n[2])
        for n in (each_axis(ksize, 3, form, "ksize"), each_axis(strides, 3, form, "strides"))
    )
    axis, wide = height_axis(form), "NHWC" if last else "NCHW"
    y = _pooled(row, expand_dims(x, axis), window, steps, flat_padding(padding, form), wide, takes)
    return squeeze(y, [axis])


# ---- maxima -----------------------------------------------------------------------------------


@deferrable
def max_pool2d(
    input: TensorLike,
    ksize: Integers,
    strides: Integers,
    padding: str | Iterable[Integers],
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """2-D max pooling: the maximum of each window. The gradient goes to the first of equal ones.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.max_pool2d(x, 2, 1, "VALID")[0, :, :, 0].numpy().tolist()
    [[4.0, 5.0], [7.0, 8.0]]
    """
    form = chosen_format(data_format, 2)
    return _pooled(MAX_POOL, input, ksize, strides, padding, form, REAL_OR_INT)


@deferrable
def max_pool1d(
    input: TensorLike,
    ksize: Integers,
    strides: Integers | None,
    padding: str | Iterable[Integers],
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """1-D max pooling: the maximum of each window.

    >>> x = tf.reshape([3.0, 1.0, 2.0, 4.0], [1, 4, 1])
    >>> tf.nn.max_pool1d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [3.0, 4.0]
    """
    form = chosen_format(data_format, 1)
    return _flat(MAX_POOL, input, ksize, strides, padding, form, REAL_OR_INT)


@deferrable
def max_pool3d(
    input: TensorLike,
    ksize: Integers,
    strides: Integers,
    padding: str | Iterable[Integers],
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """3-D max pooling: the maximum of each window.

    >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.nn.max_pool3d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [7.0]
    """
    form = chosen_format(data_format, 3)
    return _pooled(MAX_POOL_3D, input, ksize, strides, padding, form, REAL_OR_INT)


@deferrable
def avg_pool2d(
    input: TensorLike,
    ksize: Integers,
    strides: Integers | None,
    padding: str | Iterable[Integers],
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """2-D average pooling: the mean of each window, not counting padding.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.avg_pool2d(x, 2, 1, "VALID")[0, :, :, 0].numpy().tolist()
    [[2.0, 3.0], [5.0, 6.0]]
    """
    form = chosen_format(data_format, 2)
    return _pooled(AVG_POOL, input, ksize, strides, padding, form, REAL)


@deferrable
def avg_pool1d(
    input: TensorLike,
    ksize: Integers,
    strides: Integers | None,
    padding: str | Iterable[Integers],
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """1-D average pooling: the mean of each window, not counting padding.

    >>> x = tf.reshape([3.0, 1.0, 2.0, 4.0], [1, 4, 1])
    >>> tf.nn.avg_pool1d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [2.0, 3.0]
    """
    form = chosen_format(data_format, 1)
    return _flat(AVG_POOL, input, ksize, strides, padding, form, REAL)


@deferrable
def avg_pool3d(
    input: TensorLike,
    ksize: Integers,
    strides: Integers,
    padding: str | Iterable[Integers],
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """3-D average pooling: the mean of each window, not counting padding.

    >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.nn.avg_pool3d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [3.5]
    """
    form = chosen_format(data_format, 3)
    return _pooled(AVG_POOL_3D, input, ksize, strides, padding, form, REAL)


# ---- of any rank ------------------------------------------------------------------------------

MAXIMA = (max_pool1d, max_pool2d, max_pool3d)
MEANS = (avg_pool1d, avg_pool2d, avg_pool3d)


def _by_rank(x: Tensor, data_format: str | None) -> int:
    rank = len(data_format) if data_format in ("NWC", "NCW") else len(dims(x))
    if not 3 <= rank <= 5:
        raise ValueError(
            f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={dims(x)} of rank {rank}."
        )
    return rank - 2


@deferrable
def max_pool(
    input: TensorLike,
    ksize: Integers,
    strides: Integers,
    padding: str | Iterable[Integers],
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Max pooling in one, two or three dimensions, by the rank of the input.

    >>> tf.nn.max_pool([[[3.0], [1.0], [2.0]]], 2, 1, "VALID").numpy().ravel().tolist()
    [3.0, 2.0]
    """
    x = convert(input)
    spatial = _by_rank(x, data_format)
    form = chosen_format(data_format, spatial)
    return MAXIMA[spatial - 1](input, ksize, strides, padding, form)


@deferrable
def avg_pool(
    input: TensorLike,
    ksize: Integers,
    strides: Integers,
    padding: str | Iterable[Integers],
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Average pooling in one, two or three dimensions, by the rank of the input.

    >>> tf.nn.avg_pool([[[3.0], [1.0], [2.0]]], 2, 1, "VALID").numpy().ravel().tolist()
    [2.0, 1.5]
    """
    x = convert(input)
    spatial = _by_rank(x, data_format)
    form = chosen_format(data_format, spatial)
    return MEANS[spatial - 1](x, ksize, strides, padding, form)


@deferrable
def pool(
    input: TensorLike,
    window_shape: Integers,
    pooling_type: str,
    strides: Integers | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Integers | None = None,
    name: str | None = None,
) -> Tensor:
    """N-D pooling, the maximum or mean ("MAX", "AVG") of each window, with stride and dilation.

    >>> x = tf.reshape([3.0, 1.0, 2.0, 4.0], [1, 4, 1])
    >>> tf.nn.pool(x, [2], "MAX", dilations=[2]).numpy().ravel().tolist()
    [3.0, 4.0]
    """
    x, window = convert(input), as_shape(window_shape)
    spatial = len(window)
    if pooling_type not in ("MAX", "AVG") or not 1 <= spatial <= 3:
        raise ValueError(f"{spatial}-D {pooling_type} pooling is not supported.")
    check_rank(dims(x), spatial + 2, "MaxPool" if pooling_type == "MAX" else "AvgPool")
    check_not_both(strides, dilations)
    form = chosen_format(data_format, spatial)
    kinds: tuple[Callable[..., Tensor], ...] = MAXIMA if pooling_type == "MAX" else MEANS
    rates = (1,) * spatial if dilations is None else as_shape(dilations)
    if max(rates) > 1 and padding != "VALID":
        raise ValueError(
            f"pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. "
            f"Received: padding={padding} and dilation_rate={list(rates)}"
        )

    def run(converted: Tensor, spatial_dims: int, pads: str) -> Tensor:
        return kinds[spatial - 1](converted, window, strides, pads, form)

    return with_space_to_batch(x, rates, padding, run, None, None, form)


class WithArgmax(NamedTuple):
    """The maxima, and the index of each in the flattened input."""

    output: Tensor
    argmax: Tensor


def _computed(
    x: Tensor,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str | Iterable[Integers],
    kind: DType,
    with_batch: bool,
) -> WithArgmax:
    row = MAX_POOL_WITH_ARGMAX
    if x._array.dtype.kind not in REAL_OR_INT:
        raise wrong_dtype(row, x.dtype)
    check_rank(dims(x), 4, row.name)
    attrs = attributes(ksize, strides, padding, "NHWC", 4, row.name) | {
        "Targmax": kind,
        "include_batch_in_index": with_batch,
    }
    return WithArgmax(*apply(row, (x,), attrs))


@deferrable
def _with_argmax(*args: Any) -> WithArgmax:
    return _computed(*args)


@deferrable
def _half(which: int, *args: Any) -> Tensor:
    return _computed(*args)[which]


@nameable
def max_pool_with_argmax(
    input: TensorLike,
    ksize: Integers,
    strides: Integers,
    padding: str | Iterable[Integers],
    data_format: str = "NHWC",
    output_dtype: DTypeLike = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> WithArgmax:
    """Max pooling with argmax: the maximum of each window, and its index in the flattened image.

    >>> x = tf.reshape([3.0, 1.0, 2.0, 4.0], [1, 2, 2, 1])
    >>> y, place = tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")
    >>> y.numpy().ravel().tolist(), place.numpy().ravel().tolist()
    ([4.0], [3])
    """
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )
    x = convert(input)
    args = (x, ksize, strides, padding, as_dtype(output_dtype), bool(include_batch_in_index))
    if x.shape.rank is None:  # a graph can put off only what has a single result
        return WithArgmax(_half(0, *args), cast(_half(1, *args), output_dtype))
    return _with_argmax(*args)
