"""What is padded with a value that a function knows only when it runs has its shape all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

X = tf.constant([[1.0, 2.0], [3.0, 4.0]])

CASES: list[tuple[Callable[[Any, Any], Any], tuple[int, ...]]] = [
    (lambda x, c: tf.pad(x, [[1, 0], [0, 2]], constant_values=c), (3, 4)),
    (lambda x, c: tf.linalg.diag(x, padding_value=c), (2, 2, 2)),
    (lambda x, c: tf.linalg.diag(x, k=(0, 1), padding_value=c), (2, 2)),
    (lambda x, c: tf.linalg.diag(x[0], k=-1, num_rows=3, num_cols=4, padding_value=c), (3, 4)),
    (lambda x, c: tf.linalg.diag_part(x, k=(-1, 1), padding_value=c), (3, 2)),
    (lambda x, c: tf.signal.frame(x, 2, 1, pad_end=True, pad_value=c), (2, 2, 2)),
]


@pytest.mark.parametrize(("function", "shape"), CASES)
def test_the_shape_the_value_and_the_gradient(
    function: Callable[[Any, Any], Any], shape: tuple[int, ...]
) -> None:
    def padded(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            c = tf.reduce_sum(x) ** 2  # which has no gradient, as in TensorFlow
            y = function(x, c)
        return y, tape.gradient(y * y, x)

    traced = tf.function(padded)
    assert traced.get_concrete_function(X).structured_outputs[0].shape == shape
    for found, expected in zip(traced(X), padded(X), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert 100.0 in traced(X)[0].numpy()


def test_a_size_that_is_unknown_remains_the_only_one() -> None:
    v = tf.Variable(2.0)
    padded = tf.function(lambda x: tf.pad(x, [[0, 0], [0, 3]], constant_values=v))
    spec = tf.TensorSpec([None, 4])
    assert padded.get_concrete_function(spec).structured_outputs.shape.as_list() == [None, 7]


def test_a_branch_that_is_not_taken_may_pad_by_less_than_nothing() -> None:
    @tf.function
    def first(x: Any, k: int) -> Any:
        n = tf.shape(x)[0]
        return tf.cond(k <= n, lambda: x[:k], lambda: tf.pad(x, [[0, k - n]]))

    assert first(X[0], 1).numpy().tolist() == [1.0]
    assert first(X[0], 3).numpy().tolist() == [1.0, 2.0, 0.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Paddings must be non-negative: 0 -1"):
        tf.function(lambda x: tf.pad(x, [[0, -1]]))(X[0])


def test_values_of_a_batch() -> None:
    padded = tf.vectorized_map(lambda x: tf.pad(x, [[1, 0]], constant_values=tf.reduce_sum(x)), X)
    assert padded.numpy().tolist() == [[3.0, 1.0, 2.0], [7.0, 3.0, 4.0]]


def test_bools_and_texts() -> None:
    bools = tf.function(lambda b: tf.pad(b, [[1, 0]], constant_values=tf.reduce_any(b)))
    assert bools(tf.constant([False, True])).numpy().tolist() == [True, False, True]
    texts = tf.function(lambda t, z: tf.pad(t, [[1, 0]], constant_values=z))
    assert texts(tf.constant(["a"]), tf.constant("z")).numpy().tolist() == [b"z", b"a"]
