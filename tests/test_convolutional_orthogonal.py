"""Kernels of convolutions that keep the norm of what they are applied to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.api.initializers import convolutional

KINDS = {
    1: convolutional.ConvolutionOrthogonal1D,
    2: convolutional.ConvolutionOrthogonal2D,
    3: convolutional.ConvolutionOrthogonal3D,
}


def circular(x: Any, kernel: Any) -> Any:
    """The convolution in a circle, by Fourier transforms of every pair of channels."""
    axes = tuple(range(x.ndim - 1))
    sizes = [x.shape[a] for a in axes]
    transformed = np.fft.fftn(np.asarray(kernel, np.float64), sizes, axes)
    return np.fft.ifftn(
        np.einsum("...i,...io->...o", np.fft.fftn(x, axes=axes), transformed), axes=axes
    )


@pytest.mark.parametrize("axes", KINDS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_norms_are_kept(axes: int, size: int) -> None:
    """Whatever the input, and the gain scales it."""
    kernel = KINDS[axes](gain=3.0, seed=1, dtype=tf.float64)([size] * axes + [4, 6])
    x = np.random.default_rng(0).normal(size=[7] * axes + [4])
    assert np.linalg.norm(circular(x, kernel)) == pytest.approx(3.0 * np.linalg.norm(x))


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_delta(axes: int) -> None:
    """Zeros but in the middle, where the rows are orthonormal."""
    kernel = convolutional.ConvolutionDeltaOrthogonal(seed=2)([3] * axes + [2, 5]).numpy()
    middle = kernel[(1,) * axes]
    np.testing.assert_allclose(middle @ middle.T, np.eye(2), atol=1e-6)
    assert np.count_nonzero(kernel) == middle.size


def test_what_is_refused() -> None:
    """Other ranks, more channels in than out, sizes that differ."""
    with pytest.raises(ValueError, match="rank 4"):
        KINDS[2]()([3, 4, 4])
    with pytest.raises(ValueError, match="cannot be greater than out_filters"):
        KINDS[1]()([3, 5, 4])
    with pytest.raises(ValueError, match="must be equal"):
        KINDS[2]()([3, 2, 4, 4])
    with pytest.raises(ValueError, match="floating"):
        KINDS[1](dtype=tf.string)
