"""Loops and branches of functions whose sizes are known only at a call are compiled whole, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_native_loops import (
    CARRIED,
    NESTED,
    RNG,
    SMOOTH,
    WITH_LISTS,
    W,
    X,
    agree_around_a_tape,
    orders,
    steps,
    with_gradient,
)

import wengert as tf
from wengert.execution.by_size import AT_ONCE, MOST

Function = Callable[..., Any]
LARGER = tf.constant(RNG.normal(size=(6, 4)))


def unknown(x: Any) -> Any:
    return tf.TensorSpec([None] * len(x.shape), x.dtype)


def rows_unknown(x: Any) -> Any:
    return tf.TensorSpec([None, *x.shape[1:]], x.dtype)


def agree(f: Function, spec: Callable[[Any], Any], *calls: tuple[Any, ...]) -> set[str]:
    """The kinds of steps for some calls of one function, which gives what NumPy gives."""
    compiled = tf.function(
        f, jit_compile=True, input_signature=[spec(tf.constant(x)) for x in calls[0]]
    )
    kinds: set[str] = set()
    for xs in calls:
        wanted = tf.nest.flatten(tf.function(f, jit_compile=False)(*xs))
        for _ in range(2):
            for y, z in zip(tf.nest.flatten(compiled(*xs)), wanted, strict=True):
                np.testing.assert_allclose(y, z, rtol=1e-9, atol=1e-11)
        kinds |= set(steps(compiled, *xs))
    return kinds


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("spec", [unknown, rows_unknown])
def test_orders(name: str, spec: Callable[[Any], Any]) -> None:
    f, xs = SMOOTH[name]
    for g in orders(f):
        kinds = agree(g, spec, xs, (LARGER, *xs[1:]))
        assert "while" in kinds
        assert "NumPy" not in kinds


# Where it reads what was not written, it must know the shape of that.
TAPED = {**SMOOTH, **{n: (f, (X,)) for n, f in WITH_LISTS.items() if n != "two arrays"}}


@pytest.mark.parametrize("name", TAPED)
def test_a_tape_around_a_function(name: str) -> None:
    """The lists of what the gradient needs are of sizes that are known only at the call."""
    f, xs = TAPED[name]
    agree_around_a_tape(f, xs, input_signature=list(map(unknown, xs)))


@pytest.mark.parametrize("name", NESTED)
def test_nested(name: str) -> None:
    f, xs = NESTED[name]
    for g in (f, with_gradient(f)):
        assert "NumPy" not in agree(g, rows_unknown, xs, (LARGER, *xs[1:]))


@pytest.mark.parametrize("name", CARRIED)
def test_what_is_carried(name: str) -> None:
    f, xs = CARRIED[name]
    agree(f, unknown, xs)
    assert "NumPy" not in agree(f, rows_unknown, xs) - {"branch"}


@pytest.mark.parametrize("name", WITH_LISTS)
def test_lists(name: str) -> None:
    f = WITH_LISTS[name]
    agree(with_gradient(f), unknown, (X,))
    if name != "an index of a column":  # tf.newaxis is left to NumPy
        assert "NumPy" not in agree(f, rows_unknown, (X,))


def recurrent(x: Any) -> Any:
    """A cell over time, for batches of any size; the states are written and read again."""
    states = tf.TensorArray(x.dtype, size=4, element_shape=[None, 4])
    h = tf.zeros_like(x)
    for t in tf.range(4):
        h = tf.tanh(h @ W + x[:, t][:, tf.newaxis])
        states = states.write(t, h)
    total = tf.zeros_like(x)
    for t in tf.range(4):
        total += states.read(3 - t) * tf.cast(t, x.dtype)
    return total


def test_states_that_are_written_and_read() -> None:
    for f in (recurrent, with_gradient(recurrent)):
        agree(f, rows_unknown, (X,), (LARGER,))


BRANCHES: dict[str, Function] = {
    "if": lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.sin(x) @ W, lambda: x * 2.0),
    "switch": lambda x: tf.switch_case(
        tf.shape(x)[0] % 3, [lambda: x, lambda: tf.reverse(x, [0]), lambda: x[::-1] * x]
    ),
    "a loop in it": lambda x: tf.cond(
        tf.reduce_sum(x) > 100.0, lambda: x, lambda: SMOOTH["product"][0](x, W)
    ),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branches(name: str) -> None:
    f = BRANCHES[name]
    for g in (f, with_gradient(f)):
        kinds = agree(g, rows_unknown, (X,), (-X,), (LARGER,))
        assert "branch" in kinds
        assert "NumPy" not in kinds


def test_a_value_that_grows_in_the_loop() -> None:
    """Its size changes from iteration to iteration, whatever the call gives."""

    def f(x: Any) -> Any:
        return tf.while_loop(
            lambda i, a: i < 3,
            lambda i, a: (i + 1, tf.concat([a, x], 0)),
            (0, x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 4])),
        )[1]

    for g in (f, with_gradient(f)):
        agree(g, rows_unknown, (X,), (LARGER,))


def test_a_list_that_grows() -> None:
    def f(x: Any) -> Any:
        array = tf.TensorArray(x.dtype, size=1, dynamic_size=True)
        for i in tf.range(tf.shape(x)[0]):
            array = array.write(i, tf.sin(x[i]))
        return array.stack()

    for g in (f, with_gradient(f)):
        agree(g, rows_unknown, (X,), (LARGER,))
        tf.function(g, jit_compile=True)(X)  # known sizes, but not that of the list


def test_many_sizes() -> None:
    """More than are compiled for."""
    f = WITH_LISTS["scan"]
    agree(with_gradient(f), rows_unknown, *[(tf.ones([n, 4], tf.float64),) for n in range(1, 15)])


def test_no_rows() -> None:
    agree(WITH_LISTS["map"], rows_unknown, (X,), (X[:0],))


def rows_in_a_branch(x: Any) -> Any:
    return tf.cond(
        tf.reduce_sum(x) > 0.5,
        lambda: tf.map_fn(lambda v: tf.reduce_sum(tf.sin(x * v) + x) + v, tf.cos(x)),
        lambda: x * 2.0,
    )


def test_no_rows_in_a_branch() -> None:
    """A list that is known to be empty when the branch is compiled."""
    x = X[0]
    second = with_gradient(lambda x: tf.reduce_sum(with_gradient(rows_in_a_branch)(x)[1][0] ** 2))
    for f in (rows_in_a_branch, with_gradient(rows_in_a_branch), second):
        agree(f, unknown, (x,), (x[:0],), (-x,), (x[:1],))


def test_sizes_that_keep_coming_are_compiled() -> None:
    """Beyond the first few, a size is interpreted until that has cost as much as compiling; if that is cheap, never."""
    f = tf.function(
        lambda x: tf.reduce_sum(SMOOTH["product"][0](x, W)),
        jit_compile=True,
        input_signature=[rows_unknown(X)],
    )

    def call(n: int) -> None:
        x = np.ones([n, 4])
        np.testing.assert_allclose(f(x), n * np.asarray(f(x[:1])), rtol=1e-12)

    for n in range(1, AT_ONCE + 1):
        call(n)
    sizes: Any = f.get_concrete_function()._subgraph._open
    sizes._cost = 1000.0  # longer than it takes to interpret this
    for n in range(AT_ONCE + 1, AT_ONCE + 4):
        call(n)
    assert len(sizes._made) == AT_ONCE
    sizes._cost = 0.05
    for _ in range(100_000):
        call(AT_ONCE + 3)
        if len(sizes._made) > AT_ONCE:
            break
    assert len(sizes._made) == AT_ONCE + 1
    sizes._cost, sizes._general = 0.001, 0.002
    call(AT_ONCE + 2)
    assert len(sizes._made) == AT_ONCE + 2
    for n in range(1, 2 * MOST):
        sizes._cost = 0.0
        call(n)
        call(n)
    assert len(sizes._made) == MOST


EMPTY: dict[str, Function] = {
    "scan": lambda x: tf.scan(lambda a, r: a + r[:0], x, initializer=tf.zeros([0], tf.float64)),
    "map": lambda x: tf.map_fn(lambda r: r * 2.0, x[:, :0]),
    "top none": lambda x: tf.map_fn(lambda r: tf.math.top_k(r, 0)[0], x),
    "written": lambda x: tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, a.write(i, x[i, :0])),
        (0, tf.TensorArray(tf.float64, 3, element_shape=[0])),
    )[1].stack(),
}


@pytest.mark.parametrize("name", EMPTY)
def test_elements_of_no_size(name: str) -> None:
    """They are compiled as others are, alone and with other ones, known and unknown at tracing."""

    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            empty = EMPTY[name](x)
            y = tf.reduce_sum(empty) + tf.reduce_sum(x**3)
        return empty, tape.gradient(y, x)

    for spec in (None, [unknown(LARGER)]):
        given = tf.function(f, jit_compile=True, input_signature=spec)(LARGER)
        wanted = tf.function(f, jit_compile=False, input_signature=spec)(LARGER)
        for y, z in zip(given, wanted, strict=True):
            np.testing.assert_allclose(y, z, rtol=1e-12)
