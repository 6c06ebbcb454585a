"""Convolutions in tf.compat.v1.nn, with the arguments of version 1."""

from __future__ import annotations

from typing import Any

from wengert.compat.v1.functions.arguments import one_of
from wengert.ops.arrays.shaping import as_shape
from wengert.ops.nn.conv import dilated
from wengert.ops.nn.conv import public as now
from wengert.ops.nn.conv.rows import CONV2D, CONV3D
from wengert.ops.support.declare import convert_alike
from wengert.values.tensor import Tensor


def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """tf.nn.conv2d with the arguments of version 1.

    >>> x, w = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.compat.v1.nn.conv2d(x, filter=w, strides=[1] * 4, padding="VALID").numpy().tolist()
    [[[[4.0]]]]
    """
    w = one_of("filters", filters, "filter", filter)
    return now.conv2d(input, w, strides, _given(padding), data_format, dilations, name=name)


def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """tf.nn.conv3d with the arguments of version 1.

    >>> x, w = tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1])
    >>> tf.compat.v1.nn.conv3d(x, filter=w, strides=[1] * 5, padding="VALID").shape
    TensorShape([1, 1, 1, 1, 1])
    """
    w = one_of("filters", filters, "filter", filter)
    return now.conv3d(input, w, strides, _given(padding), data_format, dilations, name=name)


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """tf.nn.conv1d with the arguments of version 1.

    >>> tf.compat.v1.nn.conv1d(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), 1, "VALID").shape
    TensorShape([1, 1, 1])
    """
    x = one_of("input", input, "value", value)
    form = data_format or "NWC"
    form = {"NHWC": "NWC", "NCHW": "NCW"}.get(form, form)
    return now.conv1d(x, filters, stride, _given(padding), form, dilations, name=name)


def convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """tf.nn.convolution with the arguments of version 1.

    >>> tf.compat.v1.nn.convolution(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), "VALID").shape
    TensorShape([1, 1, 1])
    """
    w = one_of("filters", filters, "filter", filter)
    rates = one_of("dilations", dilations, "dilation_rate", dilation_rate)
    return dilated.convolution(input, w, strides, padding, data_format, rates, name=name)


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """tf.nn.conv2d_transpose with the arguments of version 1.

    >>> x, w = tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.compat.v1.nn.conv2d_transpose(x, w, [1, 2, 2, 1], 2).numpy().ravel().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    x = one_of("input", input, "value", value)
    w = one_of("filters", filters, "filter", filter)
    return now.conv2d_transpose(
        x, w, output_shape, strides, padding, data_format, dilations, name=name
    )


def conv3d_transpose(
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """tf.nn.conv3d_transpose with the arguments of version 1.

    >>> x, w = tf.ones([1, 1, 1, 1, 1]), tf.ones([2, 2, 2, 1, 1])
    >>> tf.compat.v1.nn.conv3d_transpose(x, w, [1, 2, 2, 2, 1], 2).shape
    TensorShape([1, 2, 2, 2, 1])
    """
    x = one_of("input", input, "value", value)
    w = one_of("filters", filters, "filter", filter)
    return now.conv3d_transpose(
        x, w, output_shape, strides, padding, data_format, dilations, name=name
    )


# ---- gradients of convolutions, by name -----------------------------------------------------------


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of tf.nn.conv2d with respect to its input.

    >>> w, g = tf.ones([2, 2, 1, 1]), tf.ones([1, 1, 1, 1])
    >>> x = tf.compat.v1.nn.conv2d_backprop_input([1, 2, 2, 1], w, g, 1, "VALID")
    >>> x.numpy().ravel().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    w = one_of("filters", filters, "filter", filter)
    return now.conv2d_transpose(
        out_backprop, w, input_sizes, strides, _given(padding), data_format, dilations, name=name
    )


def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of tf.nn.conv2d with respect to its filter.

    >>> x, g = tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1])
    >>> w = tf.compat.v1.nn.conv2d_backprop_filter(x, [2, 2, 1, 1], g, 1, "VALID")
    >>> w.numpy().ravel().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    x, g = convert_alike("Conv2DBackpropFilter", input, out_backprop)
    attrs = now.attributes(strides, padding, data_format, dilations, 2, "Conv2DBackpropFilter")
    return now.taught(x, g, as_shape(filter_sizes), attrs, CONV2D)


def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of tf.nn.conv3d with respect to its filter.

    >>> x, g = tf.ones([1, 1, 2, 2, 1]), tf.ones([1, 1, 1, 1, 1])
    >>> w = tf.compat.v1.nn.conv3d_backprop_filter(x, [1, 2, 2, 1, 1], g, 1, "VALID")
    >>> w.numpy().ravel().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    x, g = convert_alike("Conv3DBackpropFilterV2", input, out_backprop)
    attrs = now.attributes(strides, padding, data_format, dilations, 3, "Conv3DBackpropFilterV2")
    return now.taught(x, g, as_shape(filter_sizes), attrs, CONV3D)


conv3d_backprop_filter_v2 = conv3d_backprop_filter


# ---- depthwise --------------------------------------------------------------------------------


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """tf.nn.depthwise_conv2d with the arguments of version 1.

    >>> x, w = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.compat.v1.nn.depthwise_conv2d(x, w, [1] * 4, "VALID", rate=[2, 2]).shape
    TensorShape([1, 1, 1, 1])
    """
    rates = one_of("dilations", dilations, "rate", rate)
    return now.depthwise_conv2d(input, filter, strides, padding, data_format, rates, name=name)


def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """tf.nn.depthwise_conv2d under the name of its operation.

    >>> x, w = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.compat.v1.nn.depthwise_conv2d_native(x, w, [1] * 4, "VALID").shape
    TensorShape([1, 1, 1, 1])
    """
    return now.depthwise_conv2d(input, filter, strides, padding, data_format, dilations, name=name)


depthwise_conv2d_native_backprop_filter = now.depthwise_conv2d_backprop_filter
depthwise_conv2d_native_backprop_input = now.depthwise_conv2d_backprop_input


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """tf.nn.separable_conv2d with the arguments of version 1.

    >>> x, w = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.compat.v1.nn.separable_conv2d(x, w, tf.ones([1, 1, 1, 3]), [1] * 4, "VALID").shape
    TensorShape([1, 1, 1, 3])
    """
    rates = one_of("dilations", dilations, "rate", rate)
    return now.separable_conv2d(
        input, depthwise_filter, pointwise_filter, strides, padding, data_format, rates, name=name
    )


def _given(padding: Any) -> Any:
    if padding is None:
        raise ValueError("The argument 'padding' must be given.")
    return padding
