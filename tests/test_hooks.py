"""tape.hook and tf.debugging.anomaly: looking at cotangents on their way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as tf

X = tf.constant([3.0, 4.0])


def test_a_hook_sees_the_whole_cotangent() -> None:
    seen: list[Any] = []
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        h = X * X
        tape.hook(h, lambda g: seen.append(g.numpy()))
        a, b = tf.unstack(h)
        tape.hook(a, lambda g: 3.0 * g)  # one of several results
        y = a * a + b + tf.reduce_sum(h)
    dh, dx = tape.gradient(y, [h, X])
    np.testing.assert_allclose(seen, [[55.0, 2.0]])
    np.testing.assert_allclose(dh, [55.0, 2.0])
    np.testing.assert_allclose(dx, [330.0, 16.0])


def test_hooks_change_cotangents_in_their_order() -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        tape.hook(X, lambda g: g + 1.0)
        tape.hook(X, lambda g: g * 10.0)
        y = X * X
    np.testing.assert_allclose(tape.gradient(y, X), [70.0, 90.0])


def test_hooks_in_functions_and_to_second_order() -> None:
    def doubled(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = x**3.0
            tape.hook(h, lambda g: 2.0 * g)
            y = tf.reduce_sum(h)
        return tape.gradient(y, x)

    for run in (doubled, tf.function(doubled), tf.function(doubled, jit_compile=True)):
        with tf.GradientTape() as outer:
            outer.watch(X)
            first = run(X)
        np.testing.assert_allclose(first, 6.0 * X.numpy() ** 2, rtol=1e-6)
        np.testing.assert_allclose(outer.gradient(first, X), 12.0 * X.numpy(), rtol=1e-6)


def test_misused_hooks() -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
        with pytest.raises(TypeError, match="takes a value and a function"):
            tape.hook(y, 3.0)  # type: ignore[arg-type]
        with pytest.raises(tf.errors.TapeError, match="a value that the tape follows"):
            tape.hook(tf.constant(1.0), lambda g: g)
        tape.hook(y, lambda g: g[:1])
    with pytest.raises(tf.errors.GradientShapeError, match="a hook returned"):
        tape.gradient(y, X)


# ---- anomalies ----------------------------------------------------------------------------------


def root(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sqrt(x))  # the line of the operation
    return tape.gradient(y, x)


def called(x: Any) -> Any:
    inner = tf.function(lambda x: tf.reduce_sum(tf.sqrt(x)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = inner(x)
    return tape.gradient(y, x)


def second(x: Any) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**1.5)
        first = tape.gradient(y, x)
    return outer.gradient(first, x)


@pytest.mark.parametrize(
    "run",
    [root, called, second, tf.function(root), tf.function(root, jit_compile=True), tf.function(second)],
    ids=["eager", "a function", "second order", "in a function", "compiled", "second, in a function"],
)  # fmt: skip
def test_an_anomaly_raises_with_both_lines(run: Any) -> None:
    fine, bad = tf.constant([1.0, 2.0]), tf.constant([0.0, 1.0])
    plain = run(fine)
    assert not np.isfinite(run(bad).numpy()).all()
    with tf.debugging.anomaly():
        np.testing.assert_array_equal(run(fine), plain)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"in the rule of \w+") as caught:
            run(bad)
        assert str(caught.value).count("test_hooks.py:") >= 2
    assert not np.isfinite(run(bad).numpy()).all()  # a block holds inside only


def test_an_anomaly_in_a_session() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        y = tf.reduce_sum(tf.sqrt(x))
        with tf.debugging.anomaly():
            (g,) = tf.gradients(y, x)
        np.testing.assert_allclose(session.run(g, {x: [1.0, 4.0]}), [0.5, 0.25])
        with pytest.raises(tf.errors.InvalidArgumentError, match="rule of Sqrt"):
            session.run(g, {x: [0.0, 1.0]})


def test_hooks_keep_lines_and_name_scopes() -> None:
    """An anomaly names its line, and an override of a scope finds it, also beside a hook."""
    x = tf.constant([0.0, 4.0])
    with tf.debugging.anomaly(), tf.GradientTape() as tape:
        tape.watch(x)
        h = x * 2.0
        tape.hook(h, lambda g: g)
        y = tf.reduce_sum(tf.sqrt(h))
        with pytest.raises(tf.errors.AnomalyError, match=r"Sqrt \(test_hooks.py:\d+: y = "):
            tape.gradient(y, x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.name_scope("inner"):
            k = tf.sin(x * 2.0)
        tape.hook(k, lambda g: 10.0 * g)
        y = tf.reduce_sum(3.0 * k)
    gradient = tape.gradient(y, x, overrides={"inner/": lambda op, g: 100.0 * g})
    np.testing.assert_allclose(gradient, [3000.0, 3000.0])


def test_a_hook_on_a_variable_that_is_read_later() -> None:
    w, still = tf.Variable([3.0, 4.0]), tf.Variable(1.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.hook(w, lambda g: 10.0 * g)
        with pytest.raises(RuntimeError, match="follows"):
            tape.hook(still, lambda g: g)
        y = tf.reduce_sum(w * 2.0)
    np.testing.assert_array_equal(tape.gradient(y, w), [20.0, 20.0])
