"""tf.compat.v1.layers.batch_normalization: values, moving averages and gradients, by their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as tf

v1 = tf.compat.v1
X = np.random.default_rng(1).normal(size=(4, 3, 3, 2)).astype(np.float32)


def normalized(x: Any, mean: Any, variance: Any) -> Any:
    return (x - mean) / np.sqrt(variance + 1e-3)


@pytest.mark.parametrize("fused", [False, True])
def test_training_and_use(fused: bool) -> None:
    """A batch is normalized by itself; the averages move by 1 - momentum, to be used afterwards."""
    with tf.Graph().as_default(), v1.Session() as session:
        training = v1.placeholder(tf.bool, [])
        y = v1.layers.batch_normalization(X, momentum=0.75, training=training, fused=fused)
        updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS)
        mean, variance = X.mean((0, 1, 2)), X.var((0, 1, 2))
        kept = variance * X[..., 0].size / (X[..., 0].size - 1) if fused else variance
        assert [v.name for v in v1.global_variables()] == [
            f"batch_normalization/{name}:0" for name in ("gamma", "beta", "moving_mean", "moving_variance")
        ]  # fmt: skip
        assert len(v1.trainable_variables()) == 2
        session.run(v1.global_variables_initializer())
        found = session.run(y, {training: True})
        np.testing.assert_allclose(found, normalized(X, mean, variance), rtol=1e-4, atol=1e-5)
        session.run(updates, {training: True})
        moved = session.run(v1.global_variables()[2:])
        np.testing.assert_allclose(moved[0], 0.25 * mean, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(moved[1], 0.75 + 0.25 * kept, rtol=1e-5)
        found = session.run(y, {training: False})
        np.testing.assert_allclose(found, normalized(X, *moved), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("axis", [1, 2, -1])
def test_axes(axis: int) -> None:
    rest = tuple(i for i in range(4) if i != axis % 4)
    wanted = normalized(X, X.mean(rest, keepdims=True), X.var(rest, keepdims=True))
    with tf.Graph().as_default(), v1.Session() as session:
        y = v1.layers.batch_normalization(X, axis, training=True, fused=False)
        session.run(v1.global_variables_initializer())
        np.testing.assert_allclose(session.run(y), wanted, rtol=1e-4, atol=1e-5)


def test_what_is_not_supported_is_said() -> None:
    with tf.Graph().as_default(), pytest.raises(NotImplementedError, match="`renorm`"):
        v1.layers.batch_normalization(X, renorm=True)
