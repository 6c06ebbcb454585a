"""The networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert as tf
from wengert.training.spectral import SpectralLayer


def _weights(shape: Sequence[int], deviation: float, name: str) -> Any:
    return tf.Variable(tf.random.truncated_normal(shape, stddev=deviation), name=name)


class Dense(tf.Module):
    """A product with a matrix, and offsets; then relu, or nothing."""

    def __init__(
        self, rows: int, columns: int, deviation: float, offset: float, relu: bool = True
    ) -> None:
        super().__init__()
        self.weights = _weights([rows, columns], deviation, "weights")
        self.offsets = tf.Variable(tf.fill([columns], offset), name="offsets")
        self._relu = relu

    def __call__(self, x: Any) -> Any:
        """What it makes of a batch."""
        y = tf.matmul(x, self.weights) + self.offsets
        return tf.nn.relu(y) if self._relu else y


class Convolution(tf.Module):
    """A convolution, offsets and relu."""

    def __init__(self, size: int, before: int, after: int, offset: float) -> None:
        super().__init__()
        self.kernel = _weights([size, size, before, after], 0.05, "kernel")
        self.offsets = tf.Variable(tf.fill([after], offset), name="offsets")

    def __call__(self, x: Any) -> Any:
        """What it makes of a batch."""
        return tf.nn.relu(tf.nn.conv2d(x, self.kernel, 1, "SAME") + self.offsets)


def _flat(x: Any) -> Any:
    size = 1
    for extent in x.shape[1:]:
        size *= int(extent)
    return tf.reshape(x, [-1, size])


class Cifar10(tf.Module):
    """The network of TensorFlow's tutorial on CIFAR-10, for pictures of 24 by 24.

    Two convolutions with pooling and normalization between neighbours, two dense layers, ten classes.
    """

    _DECAY = 0.004

    def __init__(self, with_spectrum: bool = False) -> None:
        super().__init__()
        self.conv1 = Convolution(5, 3, 64, 0.0)
        self.conv2 = Convolution(5, 64, 64, 0.1)
        self.spectrum = SpectralLayer(64) if with_spectrum else None
        more = self.spectrum.features if self.spectrum is not None else 0
        self.local3 = Dense(6 * 6 * 64 + more, 384, 0.04, 0.1)
        self.local4 = Dense(384, 192, 0.04, 0.1)
        self.logits = Dense(192, 10, 1 / 192.0, 0.0, relu=False)

    def __call__(self, x: Any) -> Any:
        """What it makes of a batch."""
        x = _normalized(_pooled(self.conv1(x)))
        x = _pooled(_normalized(self.conv2(x)))
        flat = _flat(x)
        if self.spectrum is not None:
            flat = tf.concat([flat, self.spectrum(x)], 1)
        return self.logits(self.local4(self.local3(flat)))

    def penalty(self) -> Any:
        """What is added to the loss, so that weights of the dense layers stay small."""
        squares = tf.nn.l2_loss(self.local3.weights) + tf.nn.l2_loss(self.local4.weights)
        return self._DECAY * squares


def _pooled(x: Any) -> Any:
    return tf.nn.max_pool2d(x, 3, 2, "SAME")


def _normalized(x: Any) -> Any:
    return tf.nn.local_response_normalization(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)


class Mnist(tf.Module):
    """Two convolutions with pooling, and two dense layers."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = Convolution(5, 1, 16, 0.0)
        self.conv2 = Convolution(5, 16, 32, 0.1)
        self.hidden = Dense(7 * 7 * 32, 128, 0.03, 0.1)
        self.logits = Dense(128, 10, 0.05, 0.0, relu=False)

    def __call__(self, x: Any) -> Any:
        """What it makes of a batch."""
        for layer in (self.conv1, self.conv2):
            x = tf.nn.max_pool2d(layer(x), 2, 2, "SAME")
        return self.logits(self.hidden(_flat(x)))


class Digits(tf.Module):
    """A perceptron with one hidden layer, for pictures of 14 by 14."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = Dense(14 * 14, 128, 0.07, 0.0)
        self.logits = Dense(128, 10, 0.09, 0.0, relu=False)

    def __call__(self, x: Any) -> Any:
        """What it makes of a batch."""
        return self.logits(self.hidden(_flat(x)))


class Regression(tf.Module):
    """A linear function."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.linear = Dense(inputs, 1, 0.1, 0.0, relu=False)

    def __call__(self, x: Any) -> Any:
        """What it makes of a batch."""
        return tf.reshape(self.linear(x), [-1])
