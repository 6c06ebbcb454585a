"""The layer of eigenvalues: a convolution, the covariance of its maps, the spectrum of that as features.

The decomposition stands in the name scope `eig`, so that its gradient can be replaced:
`wengert train cifar10 --layer spectral --override-scope eig=clipped`.
"""

from __future__ import annotations

from typing import Any, Final

import wengert as tf

SCOPE: Final = "eig"
_MAPS: Final = 12
_FLOOR: Final = 1e-3  # added to eigenvalues: those of a covariance may be zero
_LONGEST: Final = 1e-3  # of the gradient of a picture's covariance, where it is clipped


class SpectralLayer(tf.Module):
    """The logarithms of the eigenvalues of the covariance of feature maps, for each picture."""

    def __init__(self, maps: int) -> None:
        super().__init__()
        first = tf.random.truncated_normal([3, 3, maps, _MAPS], stddev=0.05)
        self.kernel = tf.Variable(first, name="spectral_kernel")

    @property
    def features(self) -> int:
        """How many numbers it gives for a picture."""
        return _MAPS

    def __call__(self, x: Any) -> Any:
        """The features of maps."""
        maps = tf.nn.conv2d(x, self.kernel, 1, "SAME")
        places = extent_of(maps, 1) * extent_of(maps, 2)
        rows = tf.reshape(maps, [-1, places, _MAPS])
        rows -= tf.reduce_mean(rows, 1, keepdims=True)
        covariance = tf.matmul(rows, rows, transpose_a=True) / float(places)
        with tf.name_scope(SCOPE):
            values, _ = tf.linalg.eigh(covariance)
        return tf.math.log(tf.nn.relu(values) + _FLOOR)


def extent_of(x: Any, axis: int) -> int:
    """A size that is known."""
    return int(x.shape[axis])


# ---- gradients in place of its own --------------------------------------------------------------


def _exact(region: Any, g: Any) -> Any:
    """V diag(g) V^T, for eigenvectors V."""
    _, vectors = tf.linalg.eigh(region.inputs[0])
    return tf.matmul(vectors * g[..., None, :], vectors, transpose_b=True)


def clipped(region: Any, g: Any, *_: Any) -> Any:
    """The exact one, but no longer than a limit for each picture."""
    return tf.clip_by_norm(_exact(region, g), _LONGEST, axes=[-2, -1])


def straight(region: Any, g: Any, *_: Any) -> Any:
    """As if the eigenvalues were the diagonal."""
    return tf.linalg.diag(g)


def nothing(region: Any, *_: Any) -> Any:
    """What is before the decomposition does not learn from it."""
    return tf.zeros_like(region.inputs[0])


GRADIENTS: Final = {"clipped": clipped, "straight": straight, "zero": nothing}
