"""Programs with gradients of their users' own are compiled as others are, of sizes that no trace knows, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.runtime.processor import is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="nothing compiles here")

SIZES = (5, 1, 0, 33, 2, 7, 64, 3, 9, 11, 13)  # more than are compiled when they first occur


@tf.custom_gradient
def spike(v: Any) -> Any:
    """A step, with the slope of a triangle."""
    return tf.cast(v >= 0.0, v.dtype), lambda dy: dy * 0.3 * tf.maximum(1.0 - tf.abs(v), 0.0)


@tf.custom_gradient
def scaled(v: Any, w: Any) -> Any:
    """A product, whose gradient reads what was computed, and a size."""
    y = tf.tanh(v) * w
    size = tf.cast(tf.shape(v)[0], v.dtype)

    def grad_fn(dy: Any) -> Any:
        return dy * w * (1.0 - tf.square(y)), tf.reduce_sum(dy * y, 0) / (size + 1.0)

    return y, grad_fn


@tf.custom_gradient
def twice_overridden(x: Any) -> Any:
    """With a gradient that has another one."""

    @tf.custom_gradient
    def slope(v: Any) -> Any:
        return v * 3.0, lambda u: u * 5.0

    return x * x, lambda dy: dy * slope(x)


@tf.recompute_grad
def again(x: Any) -> Any:
    return tf.exp(-x * x)


def membrane(x: Any) -> Any:
    v = s = tf.zeros_like(x)
    for _ in range(4):
        v = 0.9 * v + x
        z = spike(v - 1.0)
        v, s = v - z, s + z
    return s


def in_a_loop(x: Any) -> Any:
    return tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v + spike(v)), (0, x))[1]


def overridden(x: Any) -> Any:
    rules = {"Relu": lambda op, g: g * tf.cast(op.inputs[0] > 0.5, g.dtype), "Round": "Identity"}
    with tf.gradient_override_map(rules):
        return tf.nn.relu(x) * tf.round(3.0 * x)


W = tf.constant([0.5, -2.0, 1.5])
PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "custom_gradient": membrane,
    "what it closes over": lambda x: scaled(x, W) * x,
    "of two orders": lambda x: twice_overridden(x) * x,
    "recomputed": lambda x: again(x) * x,
    "in a loop": in_a_loop,
    "grad_pass_through": lambda x: x * tf.grad_pass_through(tf.round)(x),
    "overridden": overridden,
}


def two_orders(program: Callable[[Any], Any], x: Any) -> list[Any]:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        g = tape.gradient(y, x)
        z = tf.reduce_sum(g * g * x)
    return [y, g, outer.gradient(z, x)]


def given(size: int) -> Any:
    return tf.constant(np.random.default_rng(size).normal(size=(size, 3)).astype(np.float32))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("within", [True, False], ids=["tapes inside", "tapes outside"])
def test_every_size_as_eagerly(name: str, within: bool) -> None:
    """The value and the gradients of two orders, taken in the function or of it."""
    program = PROGRAMS[name]
    specs = [tf.TensorSpec([None, 3])]
    if within:
        run: Any = tf.function(lambda x: two_orders(program, x), specs, engine="native")
    else:
        function = tf.function(program, specs, engine="native")
        run = lambda x: two_orders(function, x)  # noqa: E731
    for size in SIZES:
        x = given(size)
        for a, b in zip(run(x), two_orders(program, x), strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("size", [None, 5])
def test_nothing_is_left_to_numpy(name: str, size: int | None) -> None:
    """Each is machine code alone."""

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = PROGRAMS[name](x)
        return y, tape.gradient(y, x)

    f = tf.function(step, [tf.TensorSpec([size, 3])], engine="native")
    x = given(5)
    f(x)
    kinds = {part["kind"] for part in f.plan(x).steps}
    assert kinds <= {"loop", "copy", "while", "repeat"}, kinds


def test_overrides_given_afterwards() -> None:
    """To a program that was traced and run before."""
    program = lambda x: tf.tanh(spike(x) + x) * x  # noqa: E731
    f = tf.function(program, [tf.TensorSpec([None, 3])], engine="native")
    for size in SIZES:
        x = given(size)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y, z = f(x), program(x)
        rules = {"Tanh": lambda op, g: 2.0 * g * op.outputs[0]}
        found = [tape.gradient(v, x, overrides=rules) for v in (y, z)]
        plain = tape.gradient(y, x)
        np.testing.assert_allclose(*found, rtol=1e-5, atol=1e-5)
        assert not size or not np.allclose(found[0], plain)


def test_assertions_about_sizes_are_done_with_them() -> None:
    """In the form for some sizes nothing is left to check; others fail."""

    def step(x: Any) -> Any:
        count = tf.shape(x)[0]
        tf.debugging.assert_less(count, 50, "too many")
        tf.debugging.assert_equal(tf.shape(x)[1], 3)
        tf.debugging.Assert(tf.logical_or(count > 3, tf.not_equal(count, 2)), [count])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.sin(v)), (0, x))[1]
        return y, tape.gradient(y, x)

    f = tf.function(step, [tf.TensorSpec([None, None])], engine="native")
    x = given(5)
    for a, b in zip(f(x), step(x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    kinds = {part["kind"] for part in f.plan(x).steps}
    assert kinds <= {"loop", "copy", "while", "repeat"}, kinds
    with pytest.raises(tf.errors.InvalidArgumentError, match="too many"):
        f(given(64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
        f(given(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
        f(tf.ones([4, 2]))
    f(given(7))
