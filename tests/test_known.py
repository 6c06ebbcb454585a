"""What is known of a value before a graph runs."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as tf

v1 = tf.compat.v1


def test_is_tensor() -> None:
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), [2])
    assert all(map(tf.is_tensor, [tf.constant(1.0), tf.Variable(1.0), slices]))
    assert not any(map(tf.is_tensor, [1.0, [tf.constant(1.0)], np.ones(2), None]))
    assert not any(map(tf.is_symbolic_tensor, [1.0, None, np.ones(2), tf.constant(1.0)]))


def test_static_values() -> None:
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
    assert tf.get_static_value(3) == 3
    with tf.Graph().as_default():
        assert tf.get_static_value(tf.constant(3.0)) == 3.0
        assert tf.get_static_value(v1.placeholder(tf.float32)) is None


def test_ensure_shape() -> None:
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.ensure_shape(x, [None, 2]) ** 3
        g = tape.gradient(y, x)
    assert g.numpy().tolist() == [[3.0, 12.0]]
    assert outer.gradient(g, x).numpy().tolist() == [[6.0, 12.0]]
    with tf.autodiff.ForwardAccumulator(x, x) as forward:
        y = tf.ensure_shape(x, [1, None])
    assert forward.jvp(y).numpy().tolist() == [[1.0, 2.0]]
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Shape of tensor \[1, 2\] is not compatible with expected shape \(3, 2\)",
    ):
        tf.ensure_shape(x, [3, 2])


def test_a_graph_learns_the_shape() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, None])
        y = tf.ensure_shape(x, [2, None])
        assert y.shape.as_list() == [2, None]
        (g,) = tf.gradients(tf.reduce_sum(y * y), x)
        session = v1.Session()
        assert session.run(g, {x: [[1.0], [2.0]]}).tolist() == [[2.0], [4.0]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Shape of tensor"):
            session.run(y, {x: [[1.0]]})
        with pytest.raises(ValueError, match="not compatible"):
            tf.ensure_shape(y, [3, 1])
