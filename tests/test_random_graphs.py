"""Random operations in graphs and functions: streams that belong to a session or a function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf

v1 = tf.compat.v1


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


DRAWS = {
    "uniform": lambda seed: tf.random.uniform([3], seed=seed),
    "integers": lambda seed: tf.random.uniform([3], 0, 1000, tf.int32, seed=seed),
    "normal": lambda seed: tf.random.normal([2, 2], mean=1.0, stddev=2.0, seed=seed),
    "truncated": lambda seed: tf.random.truncated_normal([3], seed=seed),
    "gamma": lambda seed: tf.random.gamma([2], [0.5, 1.5], seed=seed),
    "poisson": lambda seed: tf.random.poisson([4], [3.0], seed=seed),
    "categorical": lambda seed: tf.random.categorical([[0.0, 1.0, 2.0]], 5, seed=seed),
    "shuffle": lambda seed: tf.random.shuffle(tf.range(8), seed=seed),
    "dropout": lambda seed: tf.nn.dropout(tf.ones([8]), 0.5, seed=seed),
}
every_draw = pytest.mark.parametrize("draw", DRAWS.values(), ids=list(DRAWS))


@every_draw
def test_seeded_numbers_are_those_of_eager_mode(draw: Any) -> None:
    """Under the same two seeds: the one that was set, and that of the operation."""
    tf.random.set_seed(7)
    try:
        eager = [draw(3).numpy() for _ in range(2)]
    finally:
        tf.random.set_seed(None)
    with tf.Graph().as_default():
        tf.random.set_seed(7)
        drawn = draw(3)
        with v1.Session() as session:
            lazily = [session.run(drawn) for _ in range(2)]
    for a, b in zip(eager, lazily, strict=True):
        np.testing.assert_array_equal(a, b)


@every_draw
def test_known_before_the_run(draw: Any, graph: Any) -> None:
    drawn = draw(1)
    value = v1.Session().run(drawn)
    assert drawn.shape == value.shape
    assert drawn.dtype == value.dtype


def test_each_session_begins_anew_and_each_run_goes_on(graph: Any) -> None:
    x = tf.random.uniform([4], seed=1)
    first, second = v1.Session(), v1.Session()
    runs = [first.run(x).tolist() for _ in range(3)]
    assert [second.run(x).tolist() for _ in range(3)] == runs
    assert runs[0] != runs[1] != runs[2]


def test_operations_of_one_graph_differ(graph: Any) -> None:
    tf.random.set_seed(1)
    a, b = tf.random.uniform([4]), tf.random.uniform([4])
    x, y = v1.Session().run([a, b])
    assert x.tolist() != y.tolist()


def test_graph_seed_makes_programs_the_same() -> None:
    def program() -> Any:
        with tf.Graph().as_default():
            tf.random.set_seed(5)
            return v1.Session().run([tf.random.normal([3]), tf.random.uniform([2])])

    for a, b in zip(program(), program(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_without_a_seed_chance_decides() -> None:
    def program() -> Any:
        with tf.Graph().as_default():
            return v1.Session().run(tf.random.uniform([4])).tolist()

    assert program() != program()


def test_seed_set_in_a_graph_leaves_eager_mode_alone() -> None:
    tf.random.set_seed(2)
    try:
        expected = tf.random.uniform([2]).numpy()
        tf.random.set_seed(2)
        with tf.Graph().as_default():
            tf.random.set_seed(9)
        np.testing.assert_array_equal(tf.random.uniform([2]), expected)
    finally:
        tf.random.set_seed(None)


@pytest.mark.parametrize("shape", [[None, 3], [None, None], None])
def test_dropout_of_unknown_shape_differentiates_the_mask_it_drew(graph: Any, shape: Any) -> None:
    x = v1.placeholder(tf.float64, shape)
    y = tf.nn.dropout(x, 0.5, seed=3)
    (g,) = tf.gradients(y, x)
    value = np.arange(1.0, 7.0).reshape(2, 3)
    for _ in range(3):
        got, gradient = v1.Session().run([y, g], {x: value})
        np.testing.assert_array_equal(got, value * gradient)
        assert set(gradient.ravel()) <= {0.0, 2.0}


def test_shape_that_only_the_run_knows(graph: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 2])
    drawn = tf.random.normal(tf.shape(x), seed=1)
    more = tf.random.uniform([tf.shape(x)[0], 5], seed=1)
    a, b = v1.Session().run([drawn, more], {x: np.zeros((3, 2))})
    assert (a.shape, b.shape) == ((3, 2), (3, 5))
    assert more.shape.as_list() == [None, 5]


def test_initial_values_are_drawn_when_the_initializer_runs(graph: Any) -> None:
    v = tf.Variable(tf.random.normal([4], seed=1))
    session = v1.Session()
    values = []
    for _ in range(2):
        session.run(v.initializer)
        values.append([session.run(v).tolist() for _ in range(2)])
    assert values[0][0] == values[0][1]
    assert values[0][0] != values[1][0]


# ---- functions --------------------------------------------------------------------------------


def test_a_function_draws_anew_in_every_call() -> None:
    @tf.function
    def f() -> Any:
        return tf.random.uniform([4], seed=1)

    assert f().numpy().tolist() != f().numpy().tolist()
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("traced", [False, True])
def test_gradient_uses_the_mask_of_the_call(traced: bool) -> None:
    def f(x: Any) -> Any:
        return tf.nn.dropout(x, 0.5) * x

    f = tf.function(f) if traced else f
    x = tf.constant(np.arange(1.0, 9.0))
    for _ in range(3):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            g = inner.gradient(y, x)
        mask = y.numpy() / x.numpy() ** 2
        np.testing.assert_allclose(g, 2 * mask * x.numpy())
        np.testing.assert_allclose(outer.gradient(g, x), 2 * mask)


def test_draws_inside_a_loop_differ_and_are_differentiated() -> None:
    @tf.function
    def walk(x: Any) -> Any:
        def body(i: Any, p: Any, drawn: Any) -> Any:
            u = tf.random.uniform([], dtype=tf.float64)
            return i + 1, p * u, drawn.write(i, u)

        drawn = tf.TensorArray(tf.float64, 4)
        _, p, drawn = tf.while_loop(lambda i, p, d: i < 4, body, (0, x, drawn))
        return p, drawn.stack()

    x = tf.constant(2.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        p, drawn = walk(x)
    assert len(set(drawn.numpy())) == 4
    np.testing.assert_allclose(tape.gradient(p, x), np.prod(drawn))


def test_draws_inside_branches() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.cond(x > 0.0, lambda: x * tf.random.uniform([], dtype=x.dtype), lambda: x)

    x = tf.constant(2.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x), y.numpy() / 2.0)
