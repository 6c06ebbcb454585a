"""Transposed convolutions: the transpose of a convolution, as a layer."""

from __future__ import annotations

from typing import Any, ClassVar

from wengert.compat.v1.layers.convolutional import Conv
from wengert.compat.v1.layers.formats import letters, on_all_axes
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.nn.conv.public import conv2d_transpose, conv3d_transpose


class _Transposed(Conv):
    """A convolution turned round: its outputs are as large as the inputs of the convolution."""

    convolved: ClassVar[Any]

    def build(self, input_shape: Any) -> None:
        """Create kernel and bias."""
        channels = self.channels_of(input_shape)
        self.kernel = self.add_kernel("kernel", [*self.kernel_size, self.filters, channels])
        self.bias = self.add_bias(self.filters)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The result for these inputs."""
        y = type(self).convolved(
            inputs,
            self.kernel,
            self._output_sizes(inputs),
            on_all_axes(self.strides, self.data_format),
            self.padding.upper(),
            letters(self.data_format, self.rank),
        )
        return self.finished(y)

    def _output_sizes(self, inputs: Any) -> list[Any]:
        """Of all axes; tensors where they are not known."""
        now = shape_of(inputs)
        sizes = [now[i] if n is None else n for i, n in enumerate(inputs.shape.as_list())]
        last = self.data_format == "channels_last"
        space = sizes[1:-1] if last else sizes[2:]
        steps = zip(space, self.kernel_size, self.strides, strict=True)
        made = [self._stretched(*step) for step in steps]
        return [sizes[0], *made, self.filters] if last else [sizes[0], self.filters, *made]

    def _stretched(self, size: Any, window: int, stride: int) -> Any:
        """The size before a convolution with these windows: without padding, the largest."""
        return size * stride + (max(window - stride, 0) if self.padding == "valid" else 0)


class Conv2DTranspose(_Transposed):
    """A transposed convolution of images.

    >>> with tf.Graph().as_default():
    ...     y = tf.compat.v1.layers.Conv2DTranspose(3, 2, strides=2)(tf.ones([1, 5, 5, 4]))
    ...     y.shape.as_list()
    [1, 10, 10, 3]
    """

    rank = 2
    convolved = staticmethod(conv2d_transpose)


class Conv3DTranspose(_Transposed):
    """A transposed convolution of volumes.

    >>> with tf.Graph().as_default():
    ...     y = tf.compat.v1.layers.Conv3DTranspose(3, 2)(tf.ones([1, 2, 2, 2, 4]))
    ...     y.shape.as_list()
    [1, 3, 3, 3, 3]
    """

    rank = 3
    convolved = staticmethod(conv3d_transpose)
