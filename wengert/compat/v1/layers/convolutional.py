"""Convolutions along one, two and three axes."""

from __future__ import annotations

from typing import Any, ClassVar

from wengert.compat.v1.initializers import zeros_initializer
from wengert.compat.v1.layers.formats import (
    channel_axis,
    each,
    format_of,
    letters,
    padding_of,
)
from wengert.compat.v1.layers.input_spec import InputSpec
from wengert.compat.v1.layers.weighted import WeightedLayer
from wengert.ops.arrays.slicing import pad
from wengert.ops.nn.bias import bias_add
from wengert.ops.nn.conv.dilated import convolution
from wengert.values.shapes import TensorShape


class Conv(WeightedLayer):
    """A convolution with a kernel, a bias and an activation function."""

    rank: ClassVar[int]
    takes_causal: ClassVar[bool] = False

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = zeros_initializer(),  # noqa: B008
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.filters = filters
        self.kernel_size = each(kernel_size, self.rank, "kernel_size")
        self.strides = each(strides, self.rank, "strides")
        self.padding = padding_of(padding, causal=self.takes_causal)
        self.data_format = format_of(data_format)
        self.dilation_rate = each(dilation_rate, self.rank, "dilation_rate")
        self.input_spec = InputSpec(min_ndim=self.rank + 2)

    def channels_of(self, input_shape: Any) -> int:
        """The number of input channels, which the inputs must have from now on."""
        axis = channel_axis(self.data_format)
        channels = TensorShape(input_shape)[axis]
        if channels is None:
            raise ValueError(
                "The channel dimension of the inputs should be defined. Found `None`: the shape is "
                f"{TensorShape(input_shape)}."
            )
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={axis: channels})
        return int(channels)

    def build(self, input_shape: Any) -> None:
        """Create kernel and bias."""
        channels = self.channels_of(input_shape)
        self.kernel = self.add_kernel("kernel", [*self.kernel_size, channels, self.filters])
        self.bias = self.add_bias(self.filters)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The result for these inputs."""
        y = convolution(
            self.padded(inputs),
            self.kernel,
            strides=list(self.strides),
            padding="VALID" if self.padding == "causal" else self.padding.upper(),
            data_format=letters(self.data_format, self.rank),
            dilations=list(self.dilation_rate),
        )
        return self.finished(y)

    def padded(self, inputs: Any) -> Any:
        """A causal convolution sees nothing of later times: its zeros are before the first."""
        if self.padding != "causal":
            return inputs
        before = (self.dilation_rate[0] * (self.kernel_size[0] - 1), 0)
        last = self.data_format == "channels_last"
        return pad(inputs, [(0, 0), before, (0, 0)] if last else [(0, 0), (0, 0), before])

    def finished(self, y: Any) -> Any:
        """With the bias and the activation function."""
        if self.bias is not None:
            y = bias_add(y, self.bias, "NCHW" if self.data_format == "channels_first" else "NHWC")
        return self.activated(y)


class Conv1D(Conv):
    """A convolution along time.

    >>> with tf.Graph().as_default():
    ...     y = tf.compat.v1.layers.Conv1D(3, 2)(tf.ones([1, 5, 4]))
    ...     y.shape.as_list()
    [1, 4, 3]
    """

    rank = 1
    takes_causal = True


class Conv2D(Conv):
    """A convolution of images.

    >>> with tf.Graph().as_default():
    ...     layer = tf.compat.v1.layers.Conv2D(3, 2, padding="same")
    ...     y = layer(tf.ones([1, 5, 5, 4]))
    ...     y.shape.as_list(), layer.kernel.shape.as_list()
    ([1, 5, 5, 3], [2, 2, 4, 3])
    """

    rank = 2


class Conv3D(Conv):
    """A convolution of volumes.

    >>> with tf.Graph().as_default():
    ...     y = tf.compat.v1.layers.Conv3D(3, 2)(tf.ones([1, 5, 5, 5, 4]))
    ...     y.shape.as_list()
    [1, 4, 4, 4, 3]
    """

    rank = 3
