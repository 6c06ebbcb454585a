"""tf.debugging.enable_check_numerics: eagerly, in functions, in bodies, in sessions, in gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import wengert as tf

v1 = tf.compat.v1
X = tf.constant([0.0, 1.0])


@pytest.fixture(autouse=True)
def checking() -> Iterator[None]:
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


def hidden(x: Any) -> Any:
    """Infinite inside, finite outside."""
    return tf.exp(-tf.abs(tf.math.log(x)))


def fails(f: Callable[[], Any], *words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Detected Infinity or NaN") as caught:
        f()
    for word in (*words, "disable_check_numerics"):
        assert word in str(caught.value)


def line_of(f: Callable[..., Any], offset: int) -> str:
    return f"{__file__}:{f.__code__.co_firstlineno + offset}"


def test_eagerly() -> None:
    fails(lambda: hidden(X), 'eagerly-executing op "Log"', "1 -Inf", line_of(hidden, 2))


@pytest.mark.parametrize("compile", [True, False])
def test_inside_a_function(compile: bool) -> None:
    f = tf.function(hidden, jit_compile=compile)
    fails(lambda: f(X), 'graph op "Log"', "float32(2,)", line_of(hidden, 2))
    assert f(tf.constant([2.0])).numpy() == 0.5


def test_functions_that_were_compiled_before_and_after() -> None:
    tf.debugging.disable_check_numerics()
    f = tf.function(hidden)
    assert f(X).numpy().tolist() == [0.0, 1.0]
    tf.debugging.enable_check_numerics()
    fails(lambda: f(X), 'graph op "Log"')
    tf.debugging.disable_check_numerics()
    assert f(X).numpy().tolist() == [0.0, 1.0]


@pytest.mark.parametrize("compile", [True, False])
def test_what_is_known_before_a_function_runs(compile: bool) -> None:
    """It is computed once, when the function is compiled, and checked then."""
    fails(
        tf.function(lambda: tf.constant([1.0, 2.0]) / 0.0, jit_compile=compile),
        'graph op "RealDiv"',
        "2 +Inf",
    )

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return tf.identity(x), lambda dy: dy / 0.0

    @tf.function(jit_compile=compile)
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    fails(lambda: gradient(X), 'graph op "RealDiv"', "in the gradient of")
    unused = tf.function(lambda x: (tf.constant(1.0) / 0.0, x)[1], jit_compile=compile)
    assert unused(X).numpy().tolist() == [0.0, 1.0]


def test_in_the_body_of_a_loop() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.while_loop(lambda a: tf.reduce_all(a < 5.0), lambda a: a + 1.0 / a, [x])

    fails(lambda: f(X), 'graph op "RealDiv"', line_of(f.python_function, 2))


def test_of_a_session() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        y = hidden(x)
        with v1.Session() as session:
            fails(lambda: session.run(y, {x: [0.0, 1.0]}), 'graph op "Log"', line_of(hidden, 2))
            tf.debugging.disable_check_numerics()
            assert session.run(y, {x: [0.0, 1.0]}).tolist() == [0.0, 1.0]


def test_a_gradient_names_the_line_of_the_operation() -> None:
    def root(x: Any) -> Any:
        return tf.sqrt(x)

    f = tf.function(root)

    def outside() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = f(X)
        return tape.gradient(y, X)

    @tf.function
    def inside(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = root(x)
        return tape.gradient(y, x)

    for ask in (outside, lambda: inside(X)):
        fails(ask, "in the gradient of Sqrt", line_of(root, 1))


def test_matrix_that_is_not_positive_definite() -> None:
    matrix = tf.constant([[1.0, 2.0], [2.0, 1.0]])
    for cholesky in (tf.linalg.cholesky, tf.function(tf.linalg.cholesky)):
        fails(lambda f=cholesky: f(matrix), "not positive definite")  # type: ignore[misc]
