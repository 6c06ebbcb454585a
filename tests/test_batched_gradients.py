"""Gradients of users in batches: what `vectorized_map` gives is what one example after the other gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

Function = Callable[..., Any]
X = tf.constant(np.random.default_rng(0).normal(size=(3, 4)))
W = tf.Variable(np.array([0.7, -0.3, 1.1, 0.4]))


@tf.custom_gradient
def constant(x: Any) -> Any:
    return tf.sin(x), lambda dy: dy * 100.0


@tf.custom_gradient
def plain(x: Any) -> Any:
    y = tf.exp(-x * x)
    return y, lambda dy: dy * tf.cos(x) * y


@tf.custom_gradient
def with_variable(x: Any) -> Any:
    def grad(dy: Any, variables: Any = None) -> Any:
        return dy * tf.cos(x) * W, [dy * tf.sin(x) * 3.0]

    return tf.sin(x) * W, grad


@tf.custom_gradient
def of_two(x: Any, z: Any) -> Any:
    twice = z * 2.0
    return (x * twice, tf.reduce_sum(x)), lambda a, b: (a * twice * 5.0, b * x)


@tf.custom_gradient
def with_tape(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(-x * x)
    slope = tape.gradient(y, x)
    return y, lambda dy: dy * slope * 2.0


@tf.custom_gradient
def nested(x: Any) -> Any:
    @tf.custom_gradient
    def grad(dy: Any) -> Any:
        return dy * tf.cos(x), lambda d: d * 7.0 * x

    return tf.sin(x), grad


FUNCTION = tf.function(lambda x: plain(x) * x)
PROGRAMS: dict[str, Function] = {
    "constant": constant,
    "plain": plain,
    "twice": lambda x: plain(plain(x)),
    "with a variable": with_variable,
    "two results": lambda x: of_two(x, tf.sin(x))[0] * of_two(x, x)[1],
    "with a tape": with_tape,
    "nested": nested,
    "passed": lambda x: tf.grad_pass_through(tf.floor)(x) * x,
    "in a function": FUNCTION,
    "in a function of a function": tf.function(lambda x: tf.function(nested)(x) * plain(x)),
    "in a loop": lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, plain(y)), (0, x))[1],
    "in a branch": lambda x: tf.cond(W[0] > 0.0, lambda: plain(x), lambda: nested(x)),
    "computed again": tf.recompute_grad(lambda x: tf.sin(x) * W),
    "of what all share": lambda x: x * FUNCTION(W * 1.0) + plain(W * 2.0) * FUNCTION(x),
    "stopped": lambda x: x * tf.stop_gradient(plain(x)) + plain(x),
}  # fmt: skip


def derivatives(mapped: Function, f: Function) -> Function:
    """Value, gradients by the examples and by the variable, and those of their sum of squares."""

    def program(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = mapped(f, x)
                z = tf.reduce_sum(tf.sin(y))
            first = inner.gradient(z, [x, W], unconnected_gradients="zero")
            total = tf.add_n([tf.reduce_sum(g * g) for g in first])
        return y, first, outer.gradient(total, [x, W], unconnected_gradients="zero")

    return program


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_of_users(name: str) -> None:
    """Eager, interpreted and compiled, to second order."""
    f = PROGRAMS[name]
    wanted = tf.nest.flatten(derivatives(tf.map_fn, f)(X))
    batched = derivatives(tf.vectorized_map, f)
    runs: list[Function] = [batched, *[tf.function(batched, jit_compile=j) for j in (False, True)]]
    for run in runs:
        for y, z in zip(tf.nest.flatten(run(X)), wanted, strict=True):
            np.testing.assert_allclose(y, z, rtol=1e-9, atol=1e-11)


def test_overridden_gradients() -> None:
    """Of an operation's type, in a function of version 1's style."""

    @tf.RegisterGradient("TimesNine")
    def _(op: Any, g: Any) -> Any:
        return 9.0 * g * op.inputs[0]

    @tf.function
    def f(x: Any) -> Any:
        graph = tf.compat.v1.get_default_graph()
        with tf.GradientTape() as tape, graph.gradient_override_map({"Round": "TimesNine"}):
            tape.watch(x)
            y = tf.reduce_sum(tf.vectorized_map(lambda r: tf.round(r) * 2.0, x))
        return tape.gradient(y, x)

    np.testing.assert_allclose(f(X), 18.0 * X, rtol=1e-12)


def taken_twice(f: Function, pick: Function) -> tuple[Any, Any, Any]:
    """The gradient of what is picked of a vectorized function, its gradient, and its tangent."""

    def first() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = pick(tf.vectorized_map(f, X))
        return tape.gradient(y, X)

    with tf.GradientTape() as outer:
        outer.watch(X)
        g = first()
    with tf.autodiff.ForwardAccumulator(X, tf.ones_like(X)) as acc:
        pushed = first()
    return g, None if g is None else outer.gradient(g, X), None if g is None else acc.jvp(pushed)


@pytest.mark.parametrize(
    ("f", "pick", "first", "second"),
    [
        (lambda x: 3.0 * x, tf.identity, 3.0, 0.0),
        (tf.function(lambda x: 3.0 * x), tf.identity, 3.0, 0.0),
        (lambda x: (x * x, x), lambda y: y[1], 1.0, 0.0),  # passed through
        (lambda x: x * x, tf.identity, None, 2.0),
        (lambda x: (x * x, tf.constant(1.0)), lambda y: y[1], 0.0, 0.0),
        (lambda x: (x * x, tf.stop_gradient(x)), lambda y: y[1], 0.0, 0.0),
        (lambda x: x, tf.identity, 1.0, None),
        (lambda x: (-x, x), lambda y: y[1], 1.0, None),
    ],
)
def test_a_vectorized_function_has_the_gradients_of_one_call(
    f: Function, pick: Function, first: float | None, second: float | None
) -> None:
    """As in TensorFlow, where it is traced and called: zeros for what the call hands out, and not None."""
    g, gradient, tangent = taken_twice(f, pick)
    if first is not None:
        np.testing.assert_array_equal(g, np.full(X.shape, first))
    for found in (gradient, tangent):
        assert (found is None) == (second is None)
        if second is not None:
            np.testing.assert_array_equal(found, np.full(X.shape, second))


def test_zeros_of_a_vectorized_function_go_on() -> None:
    """To the third gradient, and to every row of a Jacobian."""
    with tf.GradientTape() as third:
        third.watch(X)
        with tf.GradientTape(persistent=True) as second:
            second.watch(X)
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = tf.vectorized_map(lambda x: 3.0 * x, X)
            g = tape.gradient(y, X)
        h = second.gradient(g, X)
    np.testing.assert_array_equal(third.gradient(h, X), np.zeros(X.shape))
    np.testing.assert_array_equal(second.jacobian(g, X), np.zeros((*X.shape, *X.shape)))


@pytest.mark.parametrize("jit_compile", [False, True])
def test_examples_are_checked_where_sizes_are_unknown(jit_compile: bool) -> None:
    """As far as shapes are known, which is said when the function is traced."""

    @tf.function(input_signature=[tf.TensorSpec([None, None])], jit_compile=jit_compile)
    def of_sums(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x, 1)
        return tape.batch_jacobian(y, x)

    with pytest.raises(ValueError, match="must have rank at least 2"):
        of_sums(tf.ones([2, 3]))
