"""Pooling along one, two and three axes."""

from __future__ import annotations

from typing import Any, ClassVar

from wengert.compat.v1.layers.base import Layer
from wengert.compat.v1.layers.formats import each, format_of, letters, padding_of
from wengert.compat.v1.layers.input_spec import InputSpec
from wengert.ops.nn.pool import public


class _Pooling(Layer):
    """The maximum or the mean of each window."""

    rank: ClassVar[int]
    pooled: ClassVar[Any]

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = each(pool_size, self.rank, "pool_size")
        self.strides = each(pool_size if strides is None else strides, self.rank, "strides")
        self.padding = padding_of(padding)
        self.data_format = format_of(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        """The result for these inputs."""
        return type(self).pooled(
            inputs,
            list(self.pool_size),
            list(self.strides),
            self.padding.upper(),
            letters(self.data_format, self.rank),
        )


class MaxPooling1D(_Pooling):
    """The maximum of each window along time.

    >>> tf.compat.v1.layers.MaxPooling1D(2, 2)(tf.reshape([1.0, 3.0], [1, 2, 1])).numpy().item()
    3.0
    """

    rank = 1
    pooled = staticmethod(public.max_pool1d)


class MaxPooling2D(_Pooling):
    """The maximum of each window of images.

    >>> tf.compat.v1.layers.MaxPooling2D(2, 2)(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 2, 2, 3])
    """

    rank = 2
    pooled = staticmethod(public.max_pool2d)


class MaxPooling3D(_Pooling):
    """The maximum of each window of volumes.

    >>> tf.compat.v1.layers.MaxPooling3D(2, 2)(tf.ones([1, 4, 4, 4, 3])).shape
    TensorShape([1, 2, 2, 2, 3])
    """

    rank = 3
    pooled = staticmethod(public.max_pool3d)


class AveragePooling1D(_Pooling):
    """The mean of each window along time.

    >>> tf.compat.v1.layers.AveragePooling1D(2, 2)(tf.reshape([1.0, 3.0], [1, 2, 1])).numpy().item()
    2.0
    """

    rank = 1
    pooled = staticmethod(public.avg_pool1d)


class AveragePooling2D(_Pooling):
    """The mean of each window of images.

    >>> tf.compat.v1.layers.AveragePooling2D(2, 2)(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 2, 2, 3])
    """

    rank = 2
    pooled = staticmethod(public.avg_pool2d)


class AveragePooling3D(_Pooling):
    """The mean of each window of volumes.

    >>> tf.compat.v1.layers.AveragePooling3D(2, 2)(tf.ones([1, 4, 4, 4, 3])).shape
    TensorShape([1, 2, 2, 2, 3])
    """

    rank = 3
    pooled = staticmethod(public.avg_pool3d)
