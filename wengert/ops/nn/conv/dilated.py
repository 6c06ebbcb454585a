"""Convolutions of any rank, dilated (atrous) convolutions, and the gradients of conv2d as calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from wengert.core.context import is_replaced
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import as_shape
from wengert.ops.arrays.window_geometry import FIRST, LAST, as_text, chosen_format
from wengert.ops.nn.conv.public import (
    attributes,
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    taught,
    transpose_conv,
)
from wengert.ops.nn.conv.rows import CONV2D
from wengert.ops.nn.conv.with_space_to_batch import with_space_to_batch
from wengert.ops.support.declare import convert_alike
from wengert.values.convert import convert
from wengert.values.shapes import Dims
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Integers, IntLike, ShapeLike, TensorLike


@deferrable
def convolution(
    input: TensorLike,
    filters: TensorLike,
    strides: Integers | None = None,
    padding: str | Iterable[Integers] = "VALID",
    data_format: str | None = None,
    dilations: Integers | None = None,
    name: str | None = None,
) -> Tensor:
    """N-D convolution (N = 1, 2 or 3, the rank of the filter minus two), with stride and dilation.

    >>> x = tf.reshape([1.0, 2.0, 4.0], [1, 3, 1])
    >>> tf.nn.convolution(x, [[[-1.0]], [[1.0]]]).numpy().ravel().tolist()
    [1.0, 2.0]
    """
    x, w = convert_alike("Conv2D", input, filters)
    spatial = len(dims(w)) - 2
    if not 1 <= spatial <= 3:
        raise ValueError(
            "`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims="
            f"{spatial}, from filters of rank {spatial + 2}."
        )
    check_not_both(strides, dilations)
    form = chosen_format(data_format, spatial)
    convolutions: tuple[Callable[..., Tensor], ...] = (conv1d, conv2d, conv3d)
    return convolutions[spatial - 1](x, w, strides, padding, form, dilations)


def check_not_both(strides: Integers | None, dilations: Integers | None) -> None:
    """Raise if there are both strides and dilations above one."""
    steps, rates = _listed(strides), _listed(dilations)
    if max(steps, default=1) > 1 and max(rates, default=1) > 1:
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
            f"Received: strides={list(steps)} and dilation_rate={list(rates)}"
        )


def _listed(value: Integers | None) -> Dims:
    return () if value is None else as_shape(value)


@deferrable
def atrous_conv2d(
    value: TensorLike,
    filters: TensorLike,
    rate: IntLike,
    padding: str | Iterable[Integers],
    name: str | None = None,
) -> Tensor:
    """Atrous (dilated) 2-D convolution: filter elements are applied `rate` pixels apart.

    >>> x = tf.reshape([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], [1, 3, 3, 1])
    >>> tf.nn.atrous_conv2d(x, tf.ones([2, 2, 1, 1]), 2, "VALID").numpy().ravel().tolist()
    [20.0]
    """
    each = _positive(rate)
    named = is_replaced("BatchToSpaceND", "SpaceToBatchND")
    if each == 1 or not named or not isinstance(padding, str):
        return conv2d(value, filters, 1, padding, "NHWC", each)
    x, w = convert_alike("Conv2D", value, filters)  # of which TensorFlow makes it
    apart: Tensor = with_space_to_batch(
        x, [each, each], padding, lambda part, _, how: conv2d(part, w, 1, how), dims(w)[:2]
    )
    return apart


def _positive(rate: IntLike) -> int:
    if int(rate) < 1:
        raise ValueError(
            f"all values of `dilation_rate` must be positive. Received: dilation_rate={rate}"
        )
    return int(rate)


@deferrable
def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    rate: IntLike,
    padding: str | Iterable[Integers],
    name: str | None = None,
) -> Tensor:
    """The transpose of tf.nn.atrous_conv2d (dilated deconvolution).

    >>> x, w = tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1])
    >>> y = tf.nn.atrous_conv2d_transpose(x, w, [1, 3, 3, 1], 2, "VALID")
    >>> y[0, :, :, 0].numpy().tolist()
    [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]
    """
    return conv2d_transpose(value, filters, output_shape, 1, padding, "NHWC", _positive(rate))


@deferrable
def conv(
    input: TensorLike,
    filter: TensorLike,
    strides: Integers,
    padding: str,
    explicit_paddings: TensorLike = (),
    data_format: str = "CHANNELS_LAST",
    dilations: Integers = (),
    batch_dims: int = 1,
    groups: int = 1,
    name: str | None = None,
) -> Tensor:
    """2-D or 3-D convolution with any number of leading batch axes.

    >>> x, w = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.conv(x, w, [1, 1, 1, 1], "VALID").numpy().ravel().tolist()
    [4.0]
    """
    x, w = convert_alike("Conv", input, filter)
    spatial = len(dims(x)) - int(batch_dims) - 1
    if spatial not in (2, 3):
        raise InvalidArgumentError(
            f"The input must have 2 or 3 spatial dimensions but got {spatial} [Op:Conv]"
        )
    _check_groups(x, w, int(groups), data_format)
    formats = {"CHANNELS_LAST": LAST, "CHANNELS_FIRST": FIRST}
    if data_format not in formats:
        raise InvalidArgumentError(
            f"Value for attr 'data_format' of {data_format!r} is not in the list of allowed "
            'values: "CHANNELS_FIRST", "CHANNELS_LAST" [Op:Conv]'
        )
    convolve: Callable[..., Tensor] = conv2d if spatial == 2 else conv3d
    return convolve(
        x,
        w,
        strides,
        explicit(padding, explicit_paddings),
        formats[data_format][spatial - 1],
        as_shape(dilations) or None,
    )


def _check_groups(x: Tensor, w: Tensor, groups: int, data_format: str) -> None:
    channels = dims(x)[-1 if data_format == "CHANNELS_LAST" else 1]
    if groups * dims(w)[-2] != channels:
        raise InvalidArgumentError(
            f"The input has {channels} channels, which is not {groups} group(s) of the filter's "
            f"{dims(w)[-2]} [Op:Conv]"
        )


def explicit(padding: str, paddings: TensorLike) -> str | list[Dims]:
    """The padding from an operation's raw arguments: two numbers per axis if it is EXPLICIT."""
    if as_text(padding) != "EXPLICIT":
        return padding
    flat = as_shape(paddings)
    return [flat[i : i + 2] for i in range(0, len(flat), 2)]


@deferrable
def conv2d_backprop_input_v2(
    input: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Integers,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: TensorLike = (),
    data_format: str = "NHWC",
    dilations: Integers = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of tf.nn.conv2d with respect to its input, of which only the shape is read.

    >>> x, w, g = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), tf.ones([1, 2, 2, 1])
    >>> y = tf.conv2d_backprop_input_v2(x, w, g, [1, 1, 1, 1], "VALID")
    >>> y[0, :, :, 0].numpy().tolist()
    [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]
    """
    w, g = convert_alike("Conv2DBackpropInputV2", filter, out_backprop)
    attrs = _two_dimensions(strides, padding, explicit_paddings, data_format, dilations)
    return transpose_conv(g, w, dims(convert(input)), attrs, CONV2D)


@deferrable
def conv2d_backprop_filter_v2(
    input: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Integers,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: TensorLike = (),
    data_format: str = "NHWC",
    dilations: Integers = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of tf.nn.conv2d with respect to its filter, of which only the shape is read.

    >>> x, w, g = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), tf.ones([1, 2, 2, 1])
    >>> tf.conv2d_backprop_filter_v2(x, w, g, [1, 1, 1, 1], "VALID").numpy().ravel().tolist()
    [4.0, 4.0, 4.0, 4.0]
    """
    x, g = convert_alike("Conv2DBackpropFilterV2", input, out_backprop)
    attrs = _two_dimensions(strides, padding, explicit_paddings, data_format, dilations)
    return taught(x, g, dims(convert(filter)), attrs, CONV2D)


def _two_dimensions(
    strides: Integers,
    padding: str,
    explicit_paddings: TensorLike,
    data_format: str,
    dilations: Integers,
) -> dict[str, Any]:
    form = chosen_format(data_format, 2)
    pairs = explicit(padding, explicit_paddings)
    return attributes(strides, pairs, form, dilations, 2, "Conv2D")
