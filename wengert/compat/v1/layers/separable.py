"""Separable convolutions: one along space for each channel, then one across channels."""

from __future__ import annotations

from typing import Any

from wengert.api.initializers.names import get as initializer_of
from wengert.compat.v1.functions.convolutions import separable_conv2d
from wengert.compat.v1.initializers import zeros_initializer
from wengert.compat.v1.layers.convolutional import Conv
from wengert.compat.v1.layers.formats import letters, on_all_axes
from wengert.ops.arrays.shaping import expand_dims, squeeze


class _Separable(Conv):
    """A depthwise convolution and a pointwise one."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = zeros_initializer(),  # noqa: B008
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self._of_kernels = {
            "depthwise": (depthwise_initializer, depthwise_regularizer, depthwise_constraint),
            "pointwise": (pointwise_initializer, pointwise_regularizer, pointwise_constraint),
        }

    def build(self, input_shape: Any) -> None:
        """Create both kernels, and the bias."""
        channels = self.channels_of(input_shape)
        wide = channels * self.depth_multiplier
        self.depthwise_kernel = self._kernel_of(
            "depthwise", [*self.kernel_size, channels, self.depth_multiplier]
        )
        self.pointwise_kernel = self._kernel_of("pointwise", [*[1] * self.rank, wide, self.filters])
        self.bias = self.add_bias(self.filters)
        self.built = True

    def _kernel_of(self, which: str, shape: list[int]) -> Any:
        initializer, regularizer, constraint = self._of_kernels[which]
        return self.add_weight(
            f"{which}_kernel",
            shape,
            initializer=initializer_of(initializer),
            regularizer=regularizer,
            constraint=constraint,
        )


class SeparableConv2D(_Separable):
    """A separable convolution of images.

    >>> with tf.Graph().as_default():
    ...     y = tf.compat.v1.layers.SeparableConv2D(3, 2)(tf.ones([1, 5, 5, 4]))
    ...     y.shape.as_list()
    [1, 4, 4, 3]
    """

    rank = 2

    def call(self, inputs: Any) -> Any:
        """The result for these inputs."""
        y = separable_conv2d(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            strides=on_all_axes(self.strides, self.data_format),
            padding=self.padding.upper(),
            rate=self.dilation_rate,
            data_format=letters(self.data_format, 2),
        )
        return self.finished(y)


class SeparableConv1D(_Separable):
    """A separable convolution along time, as one of images with a height of one.

    >>> with tf.Graph().as_default():
    ...     y = tf.compat.v1.layers.SeparableConv1D(3, 2)(tf.ones([1, 5, 4]))
    ...     y.shape.as_list()
    [1, 4, 3]
    """

    rank = 1
    takes_causal = True

    def call(self, inputs: Any) -> Any:
        """The result for these inputs."""
        height = 1 if self.data_format == "channels_last" else 2
        y = separable_conv2d(
            expand_dims(self.padded(inputs), height),
            expand_dims(self.depthwise_kernel, 0),
            expand_dims(self.pointwise_kernel, 0),
            strides=on_all_axes(self.strides * 2, self.data_format),
            padding="VALID" if self.padding == "causal" else self.padding.upper(),
            rate=(1, *self.dilation_rate),
            data_format=letters(self.data_format, 2),
        )
        return self.finished(squeeze(y, [height]))
