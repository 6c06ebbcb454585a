"""Cotangents that are slices, as of embeddings, in rules that users write: they see them as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

TABLE = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
PLACES = [0, 2, 0]
Rule = Callable[[Any], Any]


def scaled(dy: Any) -> Any:
    """Another number for each kind of cotangent."""
    if isinstance(dy, tf.IndexedSlices):
        return tf.IndexedSlices(dy.values * 0.5, dy.indices, dy.dense_shape)
    return dy * 100.0


def clipped(dy: Any) -> Any:
    return tf.IndexedSlices(tf.clip_by_norm(dy.values, 1.0, axes=[1]), dy.indices, dy.dense_shape)


def gathered(table: Any) -> Any:
    return tf.reduce_sum(tf.gather(table, PLACES) ** 2.0)


def of_custom_gradient(rule: Rule) -> Callable[[], Any]:
    table = tf.Variable(TABLE)

    @tf.custom_gradient
    def ruled(w: Any) -> Any:
        return tf.identity(w), rule

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            y = gathered(ruled(table))
        return tf.convert_to_tensor(tape.gradient(y, table))

    return gradient


def of_an_override(rule: Rule) -> Callable[[], Any]:
    table = tf.constant(TABLE)

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(table)
            with tf.gradient_override_map({"Identity": lambda op, dy: rule(dy)}):
                y = gathered(tf.identity(table))
        return tf.convert_to_tensor(tape.gradient(y, table))

    return gradient


WAYS: dict[str, Callable[[Any], Any]] = {
    "eager": lambda f: f,
    "function": tf.function,
    "compiled": lambda f: tf.function(f, jit_compile=True),
    "function in a function": lambda f: tf.function(tf.function(f)),
}
MANNERS = [of_custom_gradient, of_an_override]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("manner", MANNERS)
def test_a_rule_sees_slices(manner: Any, way: str) -> None:
    plain = WAYS[way](manner(lambda dy: dy))()
    np.testing.assert_allclose(plain, [[4.0, 8.0], [0.0, 0.0], [10.0, 12.0]])
    np.testing.assert_allclose(WAYS[way](manner(scaled))(), 0.5 * plain)
    rows = np.array([[2.0, 4.0], [2.0, 4.0], [10.0, 12.0]])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    wanted = [rows[0] + rows[1], [0.0, 0.0], rows[2]]
    np.testing.assert_allclose(WAYS[way](manner(clipped))(), wanted, 1e-6)


# What rules that know nothing of slices do with them.
DONE: dict[str, Rule] = {
    "times": lambda dy: dy * 0.5,
    "minus": lambda dy: -dy,
    "plus": lambda dy: dy + 1.0,
    "tf.where": lambda dy: tf.where(dy > 5.0, dy, 0.0),
    "tf.clip_by_value": lambda dy: tf.clip_by_value(tf.convert_to_tensor(dy), -3.0, 3.0),
    "tf.zeros_like": tf.zeros_like,
    "shape": lambda dy: tf.ones(dy.shape, dy.dtype),
    "tf.matmul": lambda dy: tf.matmul(dy, tf.ones([2, 2])),
    "tf.reduce_sum": lambda dy: tf.ones([3, 2]) * tf.reduce_sum(dy),
    "tf.stop_gradient": tf.stop_gradient,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", DONE)
def test_what_rules_do_with_them(name: str, way: str) -> None:
    """The same as with the whole tensor."""
    rule = DONE[name]
    wanted = rule(tf.constant([[4.0, 8.0], [0.0, 0.0], [10.0, 12.0]]))
    for manner in MANNERS:
        np.testing.assert_allclose(WAYS[way](manner(rule))(), wanted, 1e-6)


@pytest.mark.parametrize("signature", [[3, 2], [None, 2], [None, None]])
def test_in_other_forms_of_a_function(signature: Any) -> None:
    """Where sizes are known only at a call, and in a saved or a second call."""

    @tf.custom_gradient
    def ruled(w: Any) -> Any:
        return tf.identity(w), scaled

    @tf.function(input_signature=[tf.TensorSpec(signature, tf.float32)])
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = gathered(ruled(x * 1.0))
        return tape.gradient(y, x)

    for _ in range(2):
        np.testing.assert_allclose(
            gradient(tf.constant(TABLE)), [[2.0, 4.0], [0.0, 0.0], [5.0, 6.0]]
        )


def test_in_a_graph_with_a_session() -> None:
    @tf.RegisterGradient("ScaledSlices")
    def _(op: Any, dy: Any) -> Any:
        return scaled(dy)

    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        x = tf.constant(TABLE)
        with graph.gradient_override_map({"Identity": "ScaledSlices"}):
            y = tf.identity(x)
        (g,) = tf.gradients(gathered(y), x)
        found = session.run(tf.convert_to_tensor(g))
    np.testing.assert_allclose(found, [[2.0, 4.0], [0.0, 0.0], [5.0, 6.0]])


def test_the_gradient_of_a_rule_in_python_has_the_shape_of_the_input() -> None:
    """Of a call of Python nothing is known: what a rule makes of it is said to be like the input."""

    @tf.RegisterGradient("CalledInPython")
    def _(op: Any, dy: Any) -> Any:
        return tf.compat.v1.py_func(lambda a: a * np.float32(3.0), [dy], tf.float32)

    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        with graph.gradient_override_map({"Identity": "CalledInPython"}):
            y = tf.identity(x)
        (g,) = tf.gradients(y, x)
        assert g.shape.as_list() == [None, 2]
        np.testing.assert_array_equal(session.run(g, {x: np.ones([1, 2])}), [[3.0, 3.0]])


def test_a_rule_whose_second_order_is_asked_for() -> None:
    x = tf.constant(TABLE)

    @tf.custom_gradient
    def ruled(w: Any) -> Any:
        return tf.identity(w), scaled

    def second(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = gathered(ruled(x))
            g = tf.convert_to_tensor(tape.gradient(y, x))
            total = tf.reduce_sum(g * g)
        return tf.convert_to_tensor(outer.gradient(total, x))

    wanted = second(x)  # the rule halves what comes back to the table this time, too
    np.testing.assert_allclose(wanted, [[4.0, 8.0], [0.0, 0.0], [5.0, 6.0]], rtol=1e-6)
    np.testing.assert_allclose(tf.function(second)(x), wanted, rtol=1e-6)
