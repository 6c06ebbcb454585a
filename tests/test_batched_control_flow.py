"""Branches and loops of traced functions inside batches: Jacobians, vectorized_map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

# ---- lists in a batch ---------------------------------------------------------------------------


def read_twice(x: Any) -> Any:
    elements = tf.TensorArray(tf.float64, size=3, clear_after_read=False).unstack(x)
    return elements.read(0) * elements.stack() + elements.read(1)


def read_in_and_outside_of_a_loop(x: Any) -> Any:
    elements = tf.TensorArray(tf.float64, size=3, clear_after_read=False).unstack(x)
    _, product = tf.while_loop(
        lambda i, c: i < 2,
        lambda i, c: (i + 1, c * elements.read(i)),
        [0, tf.ones_like(x[0])],
    )
    return product * elements.read(0) * x[2]


FOLDS: dict[str, Callable[[Any], Any]] = {
    "scan": lambda x: tf.scan(lambda c, r: r * c, x),
    "scan in reverse": lambda x: tf.scan(lambda c, r: tf.sin(r * c), x, reverse=True),
    "foldl": lambda x: tf.foldl(lambda c, r: r * c, x) * x,
    "foldr": lambda x: tf.foldr(lambda c, r: tf.sin(r * c), x),
    "map": lambda x: tf.map_fn(lambda r: r * tf.sin(r), x),
    "nested": lambda x: tf.scan(lambda c, r: c * tf.foldl(lambda a, b: a * b + r, x), x),
    "read twice": read_twice,
    "read in and outside": read_in_and_outside_of_a_loop,
}


# ---- branches and loops --------------------------------------------------------------------------


def branch(x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 1.0, lambda: x * x * x, lambda: -x)


def cases(x: Any) -> Any:
    index = tf.cast(tf.reduce_sum(x), tf.int32) % 3
    return tf.switch_case(index, [lambda: x, lambda: x * x, lambda: tf.sin(x)])


def loop(x: Any) -> Any:
    return tf.while_loop(lambda i, r: i < 3, lambda i, r: (i + 1, r * x), (0, tf.ones_like(x)))[1]


def uneven_loop(x: Any) -> Any:
    """The number of runs depends on the example."""
    grown = tf.while_loop(
        lambda i, r: tf.reduce_sum(r) < 30.0,
        lambda i, r: (i + 1, r * (x + 1.5)),
        (0, tf.ones_like(x)),
    )
    return grown[1]


def mapped(x: Any) -> Any:
    return tf.map_fn(lambda v: v * v, x)


def scanned(x: Any) -> Any:
    return tf.scan(lambda a, v: a * v + v, x)


def nested(x: Any) -> Any:
    def body(i: Any, r: Any) -> Any:
        return i + 1, tf.cond(i % 2 == 0, lambda: r * x, lambda: tf.sin(r) + x)

    return tf.while_loop(lambda i, r: i < 4, body, (0, x))[1]


EVEN = [branch, cases, loop, mapped, scanned, nested]
every_function = pytest.mark.parametrize("f", [*EVEN, uneven_loop], ids=lambda f: f.__name__)
even_functions = pytest.mark.parametrize("f", EVEN, ids=lambda f: f.__name__)

XS = np.array([[2.0, 3.0], [1.0, 1.5], [0.2, 0.3]])


def gradient_of(f: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


@every_function
@pytest.mark.parametrize("at_once", [True, False])
def test_jacobian_through_a_function(f: Any, at_once: bool) -> None:
    x = tf.constant(XS[0])

    def jacobian(g: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = g(x)
        return tape.jacobian(y, x, experimental_use_pfor=at_once)

    np.testing.assert_allclose(jacobian(tf.function(f)), jacobian(f), rtol=1e-12)


@every_function
def test_vectorized_map_of_a_function(f: Any) -> None:
    traced = tf.function(f)
    expected = [traced(tf.constant(x)) for x in XS]
    np.testing.assert_allclose(tf.vectorized_map(traced, tf.constant(XS)), expected, rtol=1e-12)
    gradient_of(traced, tf.constant(XS[0]))  # the loop hands out more than before
    np.testing.assert_allclose(tf.vectorized_map(traced, tf.constant(XS)), expected, rtol=1e-12)


@every_function
def test_gradient_of_examples(f: Any) -> None:
    """The tape inside of the vectorized function, the function traced inside of the tape."""
    traced = tf.function(f)
    expected = [gradient_of(f, tf.constant(x)) for x in XS]
    found = tf.vectorized_map(lambda x: gradient_of(traced, x), tf.constant(XS))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@even_functions
def test_gradient_traced_inside_of_the_function(f: Any) -> None:
    traced = tf.function(lambda x: gradient_of(f, x))
    expected = [gradient_of(f, tf.constant(x)) for x in XS]
    found = tf.vectorized_map(traced, tf.constant(XS))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_gradient_inside_of_a_loop_that_differs_between_examples() -> None:
    traced = tf.function(lambda x: gradient_of(uneven_loop, x))
    with pytest.raises(tf.errors.UnimplementedError, match="number of runs of a loop differs"):
        tf.vectorized_map(traced, tf.constant(XS))


def test_hessian_through_a_loop() -> None:
    x = tf.constant(XS[0])
    traced = tf.function(lambda v: tf.reduce_sum(loop(v)))
    with tf.GradientTape() as outer:
        outer.watch(x)
        g = gradient_of(traced, x)
    np.testing.assert_allclose(outer.jacobian(g, x), np.diag(6 * XS[0]))


# ---- tf.cond and tf.while_loop in what is mapped, and Jacobians through them --------------------


def branching(a: Any) -> Any:
    return tf.cond(a > 1.5, lambda: a * a, lambda: a - 1.0)


def looping(a: Any) -> Any:
    return tf.while_loop(lambda b, i: b < 10.0, lambda b, i: (b * a * 2.0, i + 1), [a, 0])[0]


@pytest.mark.parametrize("around", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize("f", [branching, looping])
def test_mapped_without_a_function(f: Any, around: Any) -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    mapped = around(lambda x: tf.vectorized_map(f, x))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = mapped(x)
        rows = tf.stack([f(v) for v in tf.unstack(x)])
    np.testing.assert_array_equal(y, rows)
    np.testing.assert_array_equal(tape.gradient(y, x), tape.gradient(rows, x))


def test_gradient_within_what_is_mapped() -> None:
    def slope(a: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = looping(a)
        return tape.gradient(y, a)

    x = tf.constant([1.0, 2.0, 3.0])
    one_by_one = tf.stack([slope(v) for v in tf.unstack(x)])
    np.testing.assert_array_equal(tf.vectorized_map(slope, x), one_by_one)
    np.testing.assert_array_equal(tf.function(lambda x: tf.vectorized_map(slope, x))(x), one_by_one)


@pytest.mark.parametrize("name", FOLDS)
def test_loops_over_lists_within_what_is_mapped(name: str) -> None:
    """In a function, which does what cannot be done for a batch for one example after the other."""
    x = tf.constant(np.random.default_rng(1).uniform(0.3, 1.2, size=(4, 3)))
    want = tf.stack([FOLDS[name](row) for row in tf.unstack(x)])
    signature = [tf.TensorSpec([None, None], tf.float64)]
    options: Any
    for options in ({}, {"input_signature": signature}):
        mapped = tf.function(lambda x: tf.vectorized_map(FOLDS[name], x), **options)
        np.testing.assert_allclose(mapped(x), want, rtol=1e-12)


@pytest.mark.parametrize("pfor", [True, False])
def test_jacobian_through_control_flow_in_a_function(pfor: bool) -> None:
    @tf.function
    def jacobian(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.cond(x[0] > 0.0, lambda: x * x, lambda: x)
            _, z = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * x), [0, y])
        return tape.jacobian(z, x, experimental_use_pfor=pfor)

    expected = np.diag([4.0, 32.0, 108.0])
    np.testing.assert_array_equal(jacobian(tf.constant([1.0, 2.0, 3.0])), expected)


@pytest.mark.parametrize("of_gradient", [False, True], ids=["jacobian", "hessian"])
@pytest.mark.parametrize("shape", [(3,), (3, 2)], ids=str)
@pytest.mark.parametrize("name", FOLDS)
def test_jacobians_through_lists_in_functions(
    name: str, shape: tuple[int, ...], of_gradient: bool
) -> None:
    """The cotangents of a list that is read at several places are added, for each example."""
    fold = FOLDS[name]

    def derivative(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = fold(x)
            result = inner.gradient(y, x) if of_gradient else y
        return outer.jacobian(result, x)

    x = tf.constant(np.random.default_rng(0).uniform(0.3, 1.2, size=shape))
    want = derivative(x).numpy()
    assert np.abs(want).max() > 0.0
    unknown = [tf.TensorSpec([None] * len(shape), tf.float64)]
    for function in (tf.function(derivative), tf.function(derivative, input_signature=unknown)):
        np.testing.assert_allclose(function(x), want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("is_branch", [False, True])
def test_no_examples(is_branch: bool) -> None:
    """A Jacobian without rows has its shape."""

    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = tf.sin(y) * x
            if is_branch:
                y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: y * 2.0, lambda: y * x)
        return tape.jacobian(y, x)

    assert f(tf.ones([0])).shape == (0, 0)
