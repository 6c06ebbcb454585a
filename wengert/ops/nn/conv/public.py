"""The public functions of convolutions: tf.nn.conv2d and the rest of its family."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from wengert.core.dispatch import apply
from wengert.core.row import Attrs
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import as_shape, expand_dims, reshape, squeeze
from wengert.ops.arrays.window_geometry import (
    channels_last,
    chosen_format,
    each_axis,
    padding_attrs,
)
from wengert.ops.nn.conv.rows import (
    CONV2D,
    CONV3D,
    DEPTHWISE,
    Family,
    check_filter,
    check_steps,
    check_windows,
)
from wengert.ops.support.declare import convert_alike, wrong_dtype
from wengert.values.shapes import Dims
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Integers, ShapeLike, TensorLike

TAKES = ("float16", "bfloat16", "float32", "float64", "int32")


def attributes(
    strides: Integers | None,
    padding: str | Iterable[Integers],
    data_format: str,
    dilations: Integers | None,
    spatial: int,
    who: str,
) -> Attrs:
    """The attributes of a convolution, as TensorFlow names them."""
    rank = spatial + 2
    attrs: Attrs = {
        "strides": each_axis(strides, rank, data_format, "strides"),
        **padding_attrs(padding, rank, data_format, who),
        "data_format": data_format,
        "dilations": each_axis(dilations, rank, data_format, "dilations"),
    }
    check_steps(attrs, who)
    return attrs


def _operands(family: Family, *values: Any) -> list[Tensor]:
    tensors = convert_alike(family.forward.name, *values)
    if tensors[0].dtype.name not in TAKES:
        raise wrong_dtype(family.forward, tensors[0].dtype)
    return tensors


def _convolved(x: Tensor, w: Tensor, attrs: Attrs, family: Family) -> Tensor:
    """A convolution of images that may have several batch axes."""
    spatial = 3 if family is CONV3D else 2
    shape = dims(x)
    extra = len(shape) - spatial - 2
    if extra > 0 and len(dims(w)) == spatial + 2:
        batch = shape[: extra + 1]
        flat = reshape(x, (math.prod(batch), *shape[extra + 1 :]))
        y = _convolved(flat, w, attrs, family)
        return reshape(y, (*batch, *dims(y)[1:]))
    check_filter(shape, dims(w), attrs, family)
    result: Tensor = apply(family.forward, (x, w), attrs)
    return result


# ---- convolutions -----------------------------------------------------------------------------


@deferrable
def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Integers | None,
    padding: str | Iterable[Integers],
    data_format: str = "NHWC",
    dilations: Integers | None = None,
    name: str | None = None,
) -> Tensor:
    """2-D convolution (cross-correlation): at each window, the sum of products with each filter.

    `strides` and `dilations` are one number, one per spatial axis, or one per axis; `padding` is
    "SAME", "VALID" or explicit pairs. A filter with fewer channels than the images makes it a
    grouped convolution.

    >>> x = tf.reshape([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], [1, 3, 3, 1])
    >>> tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), 1, "VALID")[0, :, :, 0].numpy().tolist()
    [[12.0, 16.0], [24.0, 28.0]]
    """
    x, w = _operands(CONV2D, input, filters)
    form = chosen_format(data_format, 2)
    return _convolved(x, w, attributes(strides, padding, form, dilations, 2, "Conv2D"), CONV2D)


@deferrable
def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: Integers,
    padding: str | Iterable[Integers],
    data_format: str = "NDHWC",
    dilations: Integers | None = None,
    name: str | None = None,
) -> Tensor:
    """3-D convolution (cross-correlation), with stride, padding and dilation.

    >>> x = tf.ones([1, 2, 2, 2, 1])
    >>> tf.nn.conv3d(x, tf.ones([2, 2, 2, 1, 1]), [1] * 5, "VALID").numpy().ravel().tolist()
    [8.0]
    """
    x, w = _operands(CONV3D, input, filters)
    form = chosen_format(data_format, 3)
    return _convolved(x, w, attributes(strides, padding, form, dilations, 3, "Conv3D"), CONV3D)


def _with_height(values: Dims, form: str) -> Dims:
    """Numbers per axis of a 1-D input, extended to an image of height one."""
    return (values[0], 1, *values[1:]) if channels_last(form) else (*values[:2], 1, *values[2:])


def flat_attributes(
    strides: Integers | None,
    padding: str | Iterable[Integers],
    form: str,
    dilations: Integers | None,
) -> Attrs:
    """The attributes of a 1-D convolution, which is computed as a 2-D one."""
    wide = "NHWC" if channels_last(form) else "NCHW"
    steps = _with_height(each_axis(strides, 3, form, "stride"), form)
    rates = _with_height(each_axis(dilations, 3, form, "dilations"), form)
    return attributes(steps, flat_padding(padding, form), wide, rates, 2, "Conv2D")


def flat_padding(padding: str | Iterable[Integers], form: str) -> Any:
    """Explicit padding as pairs for a 2-D convolution; that of a 1-D one gets an unpadded axis."""
    if isinstance(padding, (str, bytes)):
        return padding
    pairs = [as_shape(p) for p in padding]
    if len(pairs) != 3:
        return pairs
    return [pairs[0], (0, 0), *pairs[1:]] if channels_last(form) else [*pairs[:2], (0, 0), pairs[2]]


def height_axis(form: str) -> int:
    """The axis at which a 1-D input becomes an image of height one, counted from the end."""
    return -3 if channels_last(form) else -2


@deferrable
def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: Integers | None,
    padding: str | Iterable[Integers],
    data_format: str = "NWC",
    dilations: Integers | None = None,
    name: str | None = None,
) -> Tensor:
    """1-D convolution (cross-correlation), with stride, padding and dilation.

    >>> x = tf.reshape([1.0, 2.0, 4.0], [1, 3, 1])
    >>> tf.nn.conv1d(x, [[[-1.0]], [[1.0]]], 1, "VALID").numpy().ravel().tolist()
    [1.0, 2.0]
    """
    form = chosen_format(data_format, 1)
    x, w = _operands(CONV2D, input, filters)
    attrs = flat_attributes(stride, padding, form, dilations)
    axis = height_axis(form)
    y = _convolved(expand_dims(x, axis), expand_dims(w, 0), attrs, CONV2D)
    return squeeze(y, [axis])


# ---- transposed -------------------------------------------------------------------------------


def _returned(
    x: Tensor, w: Tensor, output_shape: TensorLike | ShapeLike, attrs: Attrs, family: Family
) -> Tensor:
    """The transposed convolution to an image of a shape."""
    sizes, form = as_shape(output_shape), attrs["data_format"]
    rank = len(attrs["strides"])
    if len(sizes) == rank - 2:  # only the spatial ones: the others are known
        sizes = _full(dims(x)[0], sizes, dims(w)[-2], form)
    if len(sizes) != rank:
        raise InvalidArgumentError(
            f"output_shape must have {rank} elements, got {list(sizes)} [Op:{family.to_input.name}]"
        )
    check_filter(sizes, dims(w), attrs, family)
    check_windows(dims(x), sizes, dims(w), attrs, family)
    result: Tensor = apply(family.to_input, (w, x), {"input_sizes": sizes, **attrs})
    return result


def _full(images: int, space: Dims, channels: int, form: str) -> Dims:
    return (images, *space, channels) if channels_last(form) else (images, channels, *space)


@deferrable
def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Integers,
    padding: str | Iterable[Integers] = "SAME",
    data_format: str = "NHWC",
    dilations: Integers | None = None,
    name: str | None = None,
) -> Tensor:
    """Transposed 2-D convolution (deconvolution): the gradient of tf.nn.conv2d for its input.

    >>> x = tf.reshape([1.0, 2.0], [1, 1, 2, 1])
    >>> y = tf.nn.conv2d_transpose(x, tf.ones([1, 2, 1, 1]), [1, 1, 4, 1], [1, 2])
    >>> y.numpy().ravel().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    x, w = _operands(CONV2D, input, filters)
    form = chosen_format(data_format, 2)
    attrs = attributes(strides, padding, form, dilations, 2, "Conv2DBackpropInput")
    return _returned(x, w, output_shape, attrs, CONV2D)


@deferrable
def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Integers,
    padding: str | Iterable[Integers] = "SAME",
    data_format: str = "NDHWC",
    dilations: Integers | None = None,
    name: str | None = None,
) -> Tensor:
    """Transposed 3-D convolution (deconvolution): the transpose of tf.nn.conv3d.

    >>> x = tf.ones([1, 1, 1, 1, 1])
    >>> tf.nn.conv3d_transpose(x, tf.ones([2, 2, 2, 1, 1]), [1, 2, 2, 2, 1], 2).shape
    TensorShape([1, 2, 2, 2, 1])
    """
    x, w = _operands(CONV3D, input, filters)
    form = chosen_format(data_format, 3)
    attrs = attributes(strides, padding, form, dilations, 3, "Conv3DBackpropInputV2")
    return _returned(x, w, output_shape, attrs, CONV3D)


@deferrable
def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Integers,
    padding: str | Iterable[Integers] = "SAME",
    data_format: str = "NWC",
    dilations: Integers | None = None,
    name: str | None = None,
) -> Tensor:
    """Transposed 1-D convolution (deconvolution): the transpose of tf.nn.conv1d.

    >>> x = tf.reshape([1.0, 2.0], [1, 2, 1])
    >>> tf.nn.conv1d_transpose(x, [[[1.0]], [[3.0]]], [1, 4, 1], 2).numpy().ravel().tolist()
    [1.0, 3.0, 2.0, 6.0]
    """
    form = chosen_format(data_format, 1)
    x, w = _operands(CONV2D, input, filters)
    attrs = flat_attributes(strides, padding, form, dilations)
    sizes = as_shape(output_shape)
    if len(sizes) == 1:
        sizes = _full(dims(x)[0], sizes, dims(w)[-2], form)
    axis = height_axis(form)
    wide = _with_height(sizes, form)
    y = _returned(expand_dims(x, axis), expand_dims(w, 0), wide, attrs, CONV2D)
    return squeeze(y, [axis])


@deferrable
def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Integers,
    padding: str | Iterable[Integers] = "SAME",
    data_format: str | None = None,
    dilations: Integers | None = None,
    name: str | None = None,
) -> Tensor:
    """Transposed N-D convolution (N = 1, 2 or 3, the rank of the filter minus two).

    >>> x = tf.reshape([1.0, 2.0], [1, 2, 1])
    >>> tf.nn.conv_transpose(x, [[[1.0]], [[3.0]]], [1, 4, 1], 2).numpy().ravel().tolist()
    [1.0, 3.0, 2.0, 6.0]
    """
    x, w = _operands(CONV2D, input, filters)
    if isinstance(output_shape, int) or not hasattr(output_shape, "__len__"):
        raise ValueError(
            "`output_shape` must be a tensor or sized collection. Received: "
            f"output_shape={output_shape!r}."
        )
    spatial = len(dims(w)) - 2
    if not 1 <= spatial <= 3:
        raise ValueError(
            f"`output_shape` must be of length 3, 4 or 5. Received: filters of rank {spatial + 2}."
        )
    transposes: tuple[Callable[..., Tensor], ...] = (
        conv1d_transpose, conv2d_transpose, conv3d_transpose,
    )  # fmt: skip
    form = chosen_format(data_format, spatial)
    return transposes[spatial - 1](x, w, output_shape, strides, padding, form, dilations)


# ---- depthwise --------------------------------------------------------------------------------


@deferrable
def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Integers,
    padding: str | Iterable[Integers],
    data_format: str | None = None,
    dilations: Integers | None = None,
    name: str | None = None,
) -> Tensor:
    """Depthwise 2-D convolution: each input channel is convolved with filters of its own.

    >>> x = tf.reshape([1.0, 2.0, 3.0, 4.0], [1, 1, 2, 2])
    >>> y = tf.nn.depthwise_conv2d(x, [[[[1.0], [10.0]]]], [1, 1, 1, 1], "SAME")
    >>> y.numpy().ravel().tolist()
    [1.0, 20.0, 3.0, 40.0]
    """
    x, w = _operands(DEPTHWISE, input, filter)
    form = chosen_format(data_format, 2)
    attrs = attributes(strides, padding, form, dilations, 2, "DepthwiseConv2dNative")
    return _convolved(x, w, attrs, DEPTHWISE)


@deferrable
def depthwise_conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Integers,
    padding: str | Iterable[Integers],
    data_format: str = "NHWC",
    dilations: Integers = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of tf.nn.depthwise_conv2d with respect to its input.

    >>> g, w = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
    >>> x = tf.nn.depthwise_conv2d_backprop_input([1, 3, 3, 1], w, g, [1, 1, 1, 1], "VALID")
    >>> x[0, :, :, 0].numpy().tolist()
    [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]
    """
    w, g = _operands(DEPTHWISE, filter, out_backprop)
    form = chosen_format(data_format, 2)
    attrs = attributes(strides, padding, form, dilations, 2, DEPTHWISE.to_input.name)
    return _returned(g, w, input_sizes, attrs, DEPTHWISE)


@deferrable
def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Integers,
    padding: str | Iterable[Integers],
    data_format: str = "NHWC",
    dilations: Integers = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of tf.nn.depthwise_conv2d with respect to its filter.

    >>> x, g = tf.ones([1, 3, 3, 1]), tf.ones([1, 2, 2, 1])
    >>> w = tf.nn.depthwise_conv2d_backprop_filter(x, [2, 2, 1, 1], g, [1, 1, 1, 1], "VALID")
    >>> w.numpy().ravel().tolist()
    [4.0, 4.0, 4.0, 4.0]
    """
    x, g = _operands(DEPTHWISE, input, out_backprop)
    form = chosen_format(data_format, 2)
    attrs = attributes(strides, padding, form, dilations, 2, DEPTHWISE.to_filter.name)
    return taught(x, g, as_shape(filter_sizes), attrs, DEPTHWISE)


def taught(x: Tensor, g: Tensor, sizes: Dims, attrs: Attrs, family: Family) -> Tensor:
    """The gradient of a convolution with respect to a filter of this shape."""
    check_filter(dims(x), sizes, attrs, family)
    check_windows(dims(g), dims(x), sizes, attrs, family)
    result: Tensor = apply(family.to_filter, (x, g), {"filter_sizes": sizes, **attrs})
    return result


def transpose_conv(g: Tensor, w: Tensor, sizes: Dims, attrs: Attrs, family: Family) -> Tensor:
    """The gradient of a convolution with respect to images of this shape."""
    return _returned(g, w, sizes, attrs, family)


@deferrable
def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Integers,
    padding: str | Iterable[Integers],
    data_format: str | None = None,
    dilations: Integers | None = None,
    name: str | None = None,
) -> Tensor:
    """Separable 2-D convolution: a depthwise one followed by a pointwise (1x1) one.

    >>> x = tf.ones([1, 2, 2, 2])
    >>> first, then = tf.ones([2, 2, 2, 1]), tf.ones([1, 1, 2, 1])
    >>> tf.nn.separable_conv2d(x, first, then, [1, 1, 1, 1], "VALID").numpy().ravel().tolist()
    [8.0]
    """
    x, first, then = _operands(CONV2D, input, depthwise_filter, pointwise_filter)
    if dims(then)[:2] != (1, 1):
        raise ValueError(
            f"The pointwise filter has to be one pixel large, got {list(dims(then)[:2])}."
        )
    form = chosen_format(data_format, 2)
    y = depthwise_conv2d(x, first, strides, padding, form, dilations)
    return conv2d(y, then, 1, "VALID", form)
