"""Functions called by functions: their gradients are those of one call, whether eager mode or a graph makes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.errors import GradientWarning

X = tf.constant([1.0, 2.0], tf.float64)
OTHER = tf.constant([3.0, 4.0], tf.float64)


class Model:
    """Two results, of which each needs one of two variables."""

    def __init__(self) -> None:
        self.first = tf.Variable([1.0, 2.0], dtype=tf.float64)
        self.second = tf.Variable([3.0, 4.0], dtype=tf.float64)

    def __call__(self, x: Any) -> Any:
        return x * self.first, x * self.second

    @property
    def variables(self) -> list[Any]:
        return [self.first, self.second]


WAYS: dict[str, Callable[[Callable[[Any], Any]], Callable[[Any], Any]]] = {
    "eager": lambda f: f,
    "function": tf.function,
    "compiled": lambda f: tf.function(f, jit_compile=True),
    "any size": lambda f: tf.function(f, input_signature=[tf.TensorSpec([None], tf.float64)]),
    "function in a function": lambda f: tf.function(tf.function(f)),
}


def orders(f: Callable[[Any], Any], x: Any) -> tuple[Any, Any, Any]:
    """The value, the gradient, and the gradient of this."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        first = tape.gradient(y, x)
    return y, first, outer.gradient(first, x)


@pytest.mark.parametrize("way", WAYS)
def test_what_another_result_needs_has_a_gradient_of_zeros(way: str) -> None:
    """As of any call; what no result needs has none."""
    model = Model()
    call = tf.function(model)
    unused = tf.Variable(1.0, dtype=tf.float64)

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y, _ = call(x)
        first, second, none = tape.gradient(y, [*model.variables, unused])
        assert none is None
        return first, second

    first, second = WAYS[way](step)(X)
    np.testing.assert_array_equal(first, X)
    np.testing.assert_array_equal(second, [0.0, 0.0])


@pytest.mark.parametrize("way", WAYS)
def test_an_integer_that_is_passed_through_is_a_result(way: str) -> None:
    """It is no longer the argument, whose gradient by itself would be one."""
    call = tf.function(lambda x, n: (2.0 * x, n))

    def gradients(x: Any) -> Any:
        n = tf.constant(3)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = call(x, n)
        by_x, by_n = tape.gradient(y, (x, n))
        assert by_n is None
        assert tape.gradient(y[1], n) is None
        return by_x

    with pytest.warns(GradientWarning):
        found = WAYS[way](gradients)(X)
    np.testing.assert_array_equal(found, [2.0, 2.0])
    with tf.Graph().as_default():
        x, n = tf.compat.v1.placeholder(tf.float32), tf.compat.v1.placeholder(tf.int32)
        assert tf.compat.v1.gradients(call(x, n), [x, n])[1] is None


def test_of_graphs_and_of_what_is_around() -> None:
    """tf.gradients, and a tape around a function that calls another one."""
    model = Model()
    call = tf.function(model)
    with tf.GradientTape() as tape:
        y = tf.function(lambda x: call(x)[0])(X)
    assert tape.gradient(y, model.second).numpy().tolist() == [0.0, 0.0]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, w = (tf.constant([1.0, 2.0]) for _ in range(2))
        y, _ = tf.function(lambda x, w: (x * 2.0, x * w))(x, w)
        assert session.run(tf.gradients(y, w))[0].tolist() == [0.0, 0.0]
        assert tf.gradients(tf.function(lambda x, w: x * 2.0)(x, w), w) == [None]


@pytest.mark.parametrize("way", WAYS)
def test_an_optimizer_does_what_it_does_in_eager_mode(way: str) -> None:
    """Weight decay is for all variables with a gradient, of zeros, too."""
    model = Model()
    call = tf.function(model)

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(call(x)[0])
        pairs = zip(tape.gradient(y, model.variables), model.variables, strict=True)
        for g, v in pairs:
            v.assign(v - 0.5 * g - 0.25 * v)
        return y

    WAYS[way](step)(X)
    np.testing.assert_allclose(model.first, [0.25, 0.5])
    np.testing.assert_allclose(model.second, [2.25, 3.0])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (lambda x: 3.0 * x, [0.0, 0.0]),
        (lambda x: tf.linalg.matvec(tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64), x), [0.0, 0.0]),
        (lambda x: (3.0 * x, x * x)[0], [0.0, 0.0]),
        (lambda x: OTHER * x, [0.0, 0.0]),  # of an input that no one follows
        (lambda x: x * x, [2.0, 2.0]),
        (tf.identity, None),
        (lambda x: x + 1.0, None),
        (lambda x: tf.stop_gradient(x * x) + x, None),
    ],
)  # fmt: skip
def test_second_derivatives_of_linear_functions(
    f: Callable[[Any], Any], wanted: Any, way: str
) -> None:
    """Zeros, where the gradient is computed from what the call was given; as TensorFlow has it."""
    call = tf.function(f)

    def second(x: Any) -> Any:
        *_, found = orders(call, x)
        assert (found is None) == (wanted is None)
        return x if found is None else found

    found = WAYS[way](second)(X)
    np.testing.assert_array_equal(found, X if wanted is None else wanted)


@pytest.mark.parametrize("way", [w for w in WAYS if w != "eager"])
def test_what_is_drawn_and_assigned_within_is_so_once(way: str) -> None:
    """The gradient, and its gradient, are of the numbers that the result was computed with."""
    x = tf.constant(np.linspace(1.0, 2.0, 40))
    count = tf.Variable(0.0, dtype=tf.float64)

    def drawn(x: Any) -> Any:
        count.assign_add(1.0)
        return x * x * tf.random.uniform([40], dtype=tf.float64) * count

    call = tf.function(drawn)

    run = WAYS[way](lambda x: orders(call, x))
    for calls in (1.0, 2.0):
        y, first, second = run(x)
        np.testing.assert_allclose(first, 2.0 * y / x, 1e-13)
        np.testing.assert_allclose(second, 2.0 * y / x / x, 1e-13)
        assert count.numpy() == calls


def programs() -> dict[str, Callable[[Any], Any]]:
    """Derivatives of functions that call traced ones."""
    weight = tf.Variable([0.5, -1.5], dtype=tf.float64)
    pair = tf.function(lambda x: (tf.sin(x * weight), x * x))
    nested = tf.function(lambda x: pair(pair(x)[0])[0] * pair(x)[1])

    @tf.custom_gradient
    def own(x: Any) -> Any:
        return tf.square(x), lambda g: g * 3.0 * x

    ruled = tf.function(lambda x: own(x) * x)

    def gradient(f: Any) -> Any:
        def of(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            return tape.gradient(y, [x, weight], unconnected_gradients="zero")

        return of

    def persistent(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            a, b = pair(x)
        return [tape.gradient(t, x) for t in (a, b, [a, b])]

    def jacobian(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = nested(x)
        return tape.jacobian(y, x)

    def pushed(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
            y = nested(x)
        return forward.jvp(y)

    def product(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
            g, _ = gradient(nested)(x)
        return forward.jvp(g)

    def in_a_loop(x: Any) -> Any:
        body = lambda i, a: (i + 1, pair(a)[0] + x)  # noqa: E731
        return gradient(lambda x: tf.while_loop(lambda i, a: i < 3, body, (0, x))[1] * x)(x)

    def in_a_branch(x: Any) -> Any:
        return gradient(lambda x: tf.cond(x[0] > 0.0, lambda: pair(x)[0], lambda: pair(x)[1]))(x)

    return {
        "a gradient": gradient(nested),
        "two gradients": lambda x: gradient(lambda x: gradient(nested)(x)[0])(x),
        "three gradients": lambda x: gradient(
            lambda x: gradient(lambda x: gradient(nested)(x)[0])(x)[0]
        )(x),
        "of a user's rule": lambda x: gradient(lambda x: gradient(ruled)(x)[0])(x),
        "a persistent tape": persistent,
        "a Jacobian": jacobian,
        "forward": pushed,
        "forward over reverse": product,
        "in a loop": in_a_loop,
        "in a branch": in_a_branch,
        "mapped": lambda x: tf.vectorized_map(nested, tf.stack([x, 2.0 * x])),
    }


@pytest.mark.parametrize("name", programs())
@pytest.mark.parametrize("way", [w for w in WAYS if w != "eager"])
def test_derivatives_are_those_of_eager_mode(name: str, way: str) -> None:
    wanted = tf.nest.flatten(programs()[name](X))
    found = tf.nest.flatten(WAYS[way](programs()[name])(X))
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, 1e-12, 1e-12)


# ---- calls with loops in them --------------------------------------------------------------------


@tf.function
def cubed(x: Any) -> Any:
    total = x
    for _ in tf.range(2):
        total = total * x
    return total


@pytest.mark.parametrize("compiled", [False, True])
def test_jacobians_through_a_call_with_a_loop(compiled: bool) -> None:
    """The loop of a derivative goes through lists, for each row by itself."""

    def jacobian(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cubed(x)
        return tape.jacobian(y, x)

    def hessian(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(cubed(x))
            g = tape.gradient(y, x)
        return outer.jacobian(g, x)

    def of_examples(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cubed(x)
        return tape.batch_jacobian(y, x)

    for f, x, wanted in (
        (jacobian, X, np.diag([3.0, 12.0])),
        (hessian, X, np.diag([6.0, 12.0])),
        (of_examples, X[None], np.diag([3.0, 12.0])[None]),
    ):
        np.testing.assert_allclose(tf.function(f, jit_compile=compiled)(x), wanted)


@pytest.mark.parametrize("way", WAYS)
def test_slices_of_a_call_with_a_loop_in_a_vectorized_function(way: str) -> None:
    @tf.function
    def halved(a: Any) -> Any:
        rows = tf.gather(a, [2, 0, 2])
        for _ in tf.range(2):
            rows = rows * 0.5
        return rows

    def gradient(a: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = halved(a)
        return tape.gradient(y, a)

    def mapped(x: Any) -> Any:
        return tf.vectorized_map(gradient, tf.stack([tf.tile(x[:1], [3])] * 2))

    np.testing.assert_allclose(WAYS[way](mapped)(X), [[0.25, 0.0, 0.5]] * 2)


@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None], tf.float64)] * 2])
@pytest.mark.parametrize("compiled", [None, False, True])
def test_forward_over_reverse_through_lists(signature: Any, compiled: Any) -> None:
    """The elements that a replayed loop takes have the tangents of the list."""

    @tf.custom_gradient
    def squared(x: Any) -> Any:
        return x * x, lambda dy: dy * 2.0 * x

    def f(a: Any, b: Any) -> Any:
        body = lambda i, s: (i + 1, s * b)  # noqa: E731
        return tf.while_loop(lambda i, s: i < 2, body, (0, squared(a)))[1]

    call = tf.function(f, input_signature=signature, jit_compile=compiled)
    a, b = tf.constant([0.4], tf.float64), tf.constant([-0.2], tf.float64)
    with tf.autodiff.ForwardAccumulator(a, tf.ones_like(a)) as forward:
        with tf.GradientTape() as tape:
            tape.watch(b)
            y = tf.reduce_sum(call(a, b) ** 2.0)
        g = tape.gradient(y, b)
    np.testing.assert_allclose(forward.jvp(g), 16.0 * a**3.0 * b**3.0)  # of a^4 b^4
