"""Tangents through functions: what is assigned or drawn in them happens once; user gradients in bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

X = tf.constant([0.3, 0.7])
ONES = tf.ones_like(X)
Function = Callable[..., Any]


def tangent(f: Function, x: Any) -> tuple[Any, Any]:
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
        y = f(x)
    return y, acc.jvp(y)


# ---- effects -------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("is_loop", [False, True])
def test_variables_are_assigned_once(compiled: bool, is_loop: bool) -> None:
    """The tangent is that of the run there was."""
    w = tf.Variable(1.0)

    def f(x: Any) -> Any:
        for _ in tf.range(2) if is_loop else range(2):
            w.assign_add(1.0)
            x = x * w
        return x

    y, t = tangent(tf.function(f, jit_compile=compiled), tf.constant(2.0))
    assert (w.numpy(), y.numpy(), t.numpy()) == (3.0, 12.0, 6.0)


@pytest.mark.parametrize("in_another", [False, True])
def test_draws_are_drawn_once(in_another: bool) -> None:
    """The elements that dropout keeps are those whose tangents it keeps."""
    drop = tf.function(lambda x: tf.nn.dropout(x, 0.5))
    f = tf.function(lambda x: drop(x) + 0.0) if in_another else drop
    y, t = tangent(f, tf.ones([64]))
    assert y.numpy().tolist() == t.numpy().tolist()
    with tf.GradientTape() as tape:
        x = tf.ones([64])
        tape.watch(x)
        y, t = tangent(f, x)
    np.testing.assert_array_equal(tape.gradient(y, x), t)


def test_what_only_reads_is_traced_once() -> None:
    """A function without effects is called as it is, and traced once for its tangents."""
    traces = []
    w = tf.Variable(3.0)

    @tf.function
    def f(x: Any) -> Any:
        traces.append(x)
        return tf.sin(x) * w

    for _ in range(3):
        tangent(f, X)
    assert len(traces) == 1


# ---- user gradients in bodies ------------------------------------------------------------------


@tf.custom_gradient
def sine(x: Any) -> Any:
    return tf.sin(x), lambda g: g * tf.cos(x)


def branch(v: Any) -> Any:
    return tf.cond(v[0] > 0.0, lambda: v * sine(v), lambda: v)


def loop(v: Any) -> Any:
    y = v
    for _ in tf.range(3):
        y = y * sine(v)
    return y


def nested(v: Any) -> Any:
    y = v
    for _ in tf.range(2):
        y = y * tf.cond(tf.reduce_sum(y) > 0.0, lambda: sine(v), lambda: v)
    return y


def second_orders(f: Function) -> list[Any]:
    """Derivatives of derivatives, in all four ways."""
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(X)
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = f(X)
        pulled = tape.gradient(y, X)
        pushed = tangent(f, X)[1]
    with tf.autodiff.ForwardAccumulator(X, ONES) as acc:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = f(X)
        again = tape.gradient(y, X)
        twice = tangent(f, X)[1]
    return [
        pulled, pushed, outer.gradient(pulled, X), outer.gradient(pushed, X), acc.jvp(again), acc.jvp(twice),
    ]  # fmt: skip


@pytest.mark.parametrize("f", [branch, loop, nested])
@pytest.mark.parametrize("compiled", [False, True])
def test_user_gradients_in_bodies(f: Function, compiled: bool) -> None:
    """A rule that refers to what the body captured follows it to every order."""
    wanted = second_orders(f)  # in eager mode
    plain = tf.function(f, jit_compile=compiled)
    for g in (plain, tf.function(lambda v: plain(v) + 0.0, jit_compile=compiled)):
        for y, z in zip(second_orders(g), wanted, strict=True):
            np.testing.assert_allclose(y, z, rtol=1e-5)


def tanh_of_a_multiple(scale: Any) -> Function:
    """A custom gradient that reads a variable."""

    @tf.custom_gradient
    def custom(x: Any) -> Any:
        t = tf.tanh(x * scale)

        def grad(dy: Any, variables: Any = None) -> Any:
            d = dy * (1.0 - t * t)
            return d * scale, [tf.reduce_sum(d * x) for _ in variables]

        return t, grad

    return custom


def test_tangents_of_variables_that_a_custom_gradient_reads() -> None:
    """They were lost in functions, where the recorders knew the value that was read, and not the variable."""
    scale = tf.Variable(0.5)

    custom = tanh_of_a_multiple(scale)
    again = tf.recompute_grad(lambda x: tf.tanh(x * scale))
    x = tf.constant([0.3, -0.8])
    for f in (custom, again):

        def along(x: Any, f: Any = f) -> Any:
            primals, tangents = [x, scale], [tf.constant([1.0, 0.5]), tf.constant(0.6)]
            with tf.autodiff.ForwardAccumulator(primals, tangents) as accumulator:
                y = f(x)
            return accumulator.jvp(y)

        wanted = [0.66492665, -0.19679692]
        for compiled in (False, True):
            g = tf.function(along, jit_compile=compiled)
            np.testing.assert_allclose(g(x), wanted, rtol=1e-5)


BODIES: dict[str, Callable[[Function, Any], Any]] = {
    "loop": lambda f, x: tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, f(x)), (0, x))[1],
    "loop in a loop": lambda f, x: tf.while_loop(
        lambda i, x: i < 2, lambda i, x: (i + 1, BODIES["loop"](f, x)), (0, x)
    )[1],
    "branch": lambda f, x: tf.cond(x[0] > 0.0, lambda: f(f(x)), lambda: x),
    "branch of several": lambda f, x: tf.switch_case(1, [lambda: x, lambda: f(x), lambda: 2.0 * x]),
    "loop in a branch": lambda f, x: tf.cond(
        x[0] > 0.0, lambda: BODIES["loop"](f, x), lambda: f(x)
    ),
    "branch in a loop": lambda f, x: BODIES["loop"](lambda x: BODIES["branch"](f, x), x),
    "function in a loop": lambda f, x: BODIES["loop"](tf.function(f), x),
    "elements": lambda f, x: tf.map_fn(lambda one: f(one[None])[0], x),
    "all at once": lambda f, x: tf.vectorized_map(lambda one: f(one[None])[0], x),
}  # fmt: skip


@pytest.mark.parametrize("body", BODIES.values(), ids=list(BODIES))
@pytest.mark.parametrize("kind", ["custom", "again", "plain"])
def test_products_with_the_hessian_where_bodies_read_variables(body: Any, kind: str) -> None:
    """In the gradient of a loop the variable was a value without a tangent: its part was lost, silently."""
    scale = tf.Variable(0.5)

    custom = tanh_of_a_multiple(scale)
    f = {
        "custom": custom, "again": tf.recompute_grad(lambda x: tf.tanh(x * scale)),
        "plain": lambda x: tf.tanh(x * scale),
    }[kind]  # fmt: skip

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(body(f, x) ** 2)
        return tape.gradient(y, [x, scale])

    def product(x: Any) -> Any:
        tangents = [tf.constant([1.0, 0.5]), tf.constant(0.6)]
        with tf.autodiff.ForwardAccumulator([x, scale], tangents) as accumulator:
            found = gradient(x)
        return accumulator.jvp(found)

    x, step = tf.constant([0.3, -0.8]), 1e-2
    ends = []
    for sign in (1.0, -1.0):
        scale.assign(0.5 + sign * step * 0.6)
        ends.append(gradient(x + sign * step * tf.constant([1.0, 0.5])))
    scale.assign(0.5)
    wanted = [(a - b) / (2 * step) for a, b in zip(*ends, strict=True)]
    for way in (
        product, tf.function(product, jit_compile=False), tf.function(product, jit_compile=True),
    ):  # fmt: skip
        for y, z in zip(way(x), wanted, strict=True):
            np.testing.assert_allclose(y, z, rtol=2e-3, atol=2e-3)


def hessian_rows(f: Any, x: tf.Variable) -> Any:
    """The derivative of a directional derivative, backward over forward."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = f(x)
        slope = accumulator.jvp(y)
    return slope, tape.gradient(slope, x)


def test_a_trace_pushes_the_tangents_of_the_variable_that_it_is_given() -> None:
    f = tf.function(lambda x: tf.sin(x) * x)
    for values in ([1.0, 2.0], [0.0, 0.5]):
        v = tf.Variable(values)
        found, expected = hessian_rows(f, v), hessian_rows(lambda x: tf.sin(x) * x, v)
        assert np.allclose(found, expected)
    assert f.experimental_get_tracing_count() == 1


LOOPS: dict[str, Callable[[Any], Any]] = {
    "map_fn": lambda x: tf.map_fn(lambda row: row * row, x),
    "scan": lambda x: tf.scan(lambda a, b: a * b, x),
    "reads": lambda x: tf.while_loop(
        lambda i, y: i < 2,
        lambda i, y: (i + 1, y + tf.TensorArray(tf.float32, 2).unstack(x).read(i) ** 2),
        [0, tf.zeros([2])],
    )[1],
}


@pytest.mark.parametrize("name", LOOPS)
def test_lists_without_a_cotangent_are_left_out_of_gradients_of_tangents(name: str) -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    found, expected = hessian_rows(tf.function(LOOPS[name]), v), hessian_rows(LOOPS[name], v)
    assert np.allclose(found[0], expected[0])
    assert np.allclose(found[1], expected[1])
