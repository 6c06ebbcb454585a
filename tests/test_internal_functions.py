"""TensorFlow's internal functions of operations; what they give is recorded from TensorFlow 2.21."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.compat.internals.framework.function import Defun
from wengert.compat.internals.ops import (
    functional_ops,
    gen_array_ops,
    gen_functional_ops,
    math_ops,
)

G = np.array([[1.0, 2.0], [3.0, 4.0]])
PLACES, SEGMENTS = np.array([4, 1, 4, 0]), np.array([0, 0, 1, 1])
X = np.array([[1, 0, 0], [1, 0, 0], [2, 0, 0]])


def rows(kind: str, *more: str) -> Any:
    function = getattr(math_ops, f"sparse_segment_{kind}_grad{''.join(more)}")
    return function(G, PLACES, SEGMENTS, 6)


VALUES: dict[str, tuple[Callable[[], Any], Any]] = {
    "segment sum": (lambda: rows("sum"), [[3, 4], [1, 2], [0, 0], [0, 0], [4, 6], [0, 0]]),
    "segment mean": (lambda: rows("mean"), [[1.5, 2], [0.5, 1], [0, 0], [0, 0], [2, 3], [0, 0]]),
    "segment root": (
        lambda: rows("sqrt_n"),
        np.array([[3, 4], [1, 2], [0, 0], [0, 0], [4, 6], [0, 0]]) / np.sqrt(2.0),
    ),
    "rows of sum": (lambda: rows("sum", "_v2"), ([[3, 4], [1, 2], [4, 6]], [0, 1, 4])),
    "rows of mean": (lambda: rows("mean", "_v2"), ([[1.5, 2], [0.5, 1], [2, 3]], [0, 1, 4])),
    "more segments": (
        lambda: math_ops.sparse_segment_sum_with_num_segments(G, [1, 0], [0, 2], 4),
        [[3, 4], [0, 0], [1, 2], [0, 0]],
    ),
    "buckets": (
        lambda: math_ops._bucketize([[-5, 10000], [150, 10], [5, 100]], [0, 10, 100]),
        [[0, 3], [3, 2], [1, 3]],
    ),
    "reduced shape": (lambda: math_ops.reduced_shape([2, 3, 5], [0, -1]), [1, 3, 1]),
    "unique rows": (lambda: gen_array_ops.unique_v2(X, [0]), ([[1, 0, 0], [2, 0, 0]], [0, 0, 1])),
    "unique columns": (
        lambda: gen_array_ops.unique_with_counts_v2(X, [1]),
        ([[1, 0], [1, 0], [2, 0]], [0, 1, 1], [1, 2]),
    ),
    "unique": (lambda: gen_array_ops.unique_v2([3, 1, 3], np.zeros(0, int)), ([3, 1], [0, 1, 0])),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    compute, expected = VALUES[name]
    found = compute()
    parts = (found, expected) if isinstance(expected, tuple) else ([found], [expected])
    for one, other in zip(*parts, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_the_gradient_of_a_segment_gradient() -> None:
    """It is linear in the cotangent: its gradient is the sum of the segments again."""
    g = tf.constant(G)
    with tf.GradientTape() as tape:
        tape.watch(g)
        y = math_ops.sparse_segment_mean_grad(g, PLACES, SEGMENTS, 6)
        loss = tf.reduce_sum(y * tf.reshape(tf.range(12, dtype=tf.float64), [6, 2]))
    expected = [[(8 + 2) / 2, (9 + 3) / 2], [(8 + 0) / 2, (9 + 1) / 2]]
    np.testing.assert_allclose(tape.gradient(loss, g), expected)


@pytest.mark.parametrize("value", [0, 1, 0.0, 2.5, "", "a", [], [1], [[0]], False, True])
def test_truth(value: Any) -> None:
    """A scalar is true unless it is zero or empty, another tensor unless it has no elements."""
    assert bool(gen_functional_ops.to_bool(tf.constant(value))) == bool(value)


# ---- control flow by functions ----------------------------------------------------------------


@Defun(tf.float32)
def double(x: Any) -> Any:
    return x * 2.0


@Defun(tf.float32)
def affine(x: Any) -> Any:
    return x * 3.0 + 1.0


@Defun(tf.float32, tf.float32)
def positive(n: Any, total: Any) -> Any:
    return n > 0.0


@Defun(tf.float32, tf.float32)
def counted_down(n: Any, total: Any) -> Any:
    return n - 1.0, total + n


@Defun(tf.int32, tf.float32)
def grown(i: Any, x: Any) -> Any:
    return x + tf.cast(i, tf.float32) * x


CALLS: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "If": (lambda x: functional_ops.If(x > 0.0, [x], double, affine)[0], 6.0, 2.0),
    "If not": (lambda x: functional_ops.If(x < 0.0, [x], double, affine)[0], 10.0, 3.0),
    "If of a number": (lambda x: functional_ops.If(x, [x], double, affine)[0], 6.0, 2.0),
    "While": (lambda x: functional_ops.While([x, 0.0], positive, counted_down)[1], 6.0, 3.0),
    "For": (lambda x: functional_ops.For(0, 3, 1, [x], grown)[0], 18.0, 6.0),
    "For back": (lambda x: functional_ops.For(2, -1, -1, [x], grown)[0], 18.0, 6.0),
    "remote": (
        lambda x: functional_ops.remote_call("/CPU:0", [x], [tf.float32], double)[0],
        6.0,
        2.0,
    ),
    "case": (
        lambda x: gen_functional_ops.case(1, [x], [tf.float32], [double, affine])[0],
        10.0,
        3.0,
    ),
    "case beyond": (
        lambda x: gen_functional_ops.case(7, [x], [tf.float32], [double, affine])[0],
        10.0,
        3.0,
    ),
    "Gradient": (lambda x: functional_ops.Gradient([x * x, x], affine)[0], 9.0, 3.0),
}


@pytest.fixture(params=["eager", "graph"])
def run(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The value and the gradient of a function of one number."""

    def now(f: Any, x: float) -> Any:
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return y.numpy(), tape.gradient(y, x).numpy()

    def later(f: Any, x: float) -> Any:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            given = tf.compat.v1.placeholder_with_default(x, [])
            y = f(given)
            return session.run((y, tf.gradients(y, given)[0]))

    return now if request.param == "eager" else later


@pytest.mark.parametrize("name", CALLS)
def test_control_flow(name: str, run: Any) -> None:
    compute, value, gradient = CALLS[name]
    assert run(compute, 3.0) == (value, gradient)


def test_cotangents_that_are_missing() -> None:
    with pytest.raises(ValueError, match="a cotangent for each of its results"):
        functional_ops.Gradient([tf.constant(1.0)], affine)
