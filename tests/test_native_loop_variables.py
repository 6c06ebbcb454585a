"""Variables that compiled loops and branches assign: the same numbers as NumPy's, call after call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

X = tf.constant(np.linspace(0.1, 0.8, 8))
Made = tuple[Callable[[Any], Any], list[Any]]


def variable(value: Any) -> Any:
    return tf.Variable(value, dtype=tf.float64)


def averaged() -> Made:
    v = variable(tf.zeros([8], tf.float64))

    def f(x: Any) -> Any:
        for _ in tf.range(10):
            v.assign_sub(0.1 * (v - x))
        return v + 0.0

    return f, [v]


def decides() -> Made:
    """The condition reads it; what follows assigns it again."""
    v, u = variable(0.0), variable([1.0, 2.0])

    def f(x: Any) -> Any:
        while v < 5.0:
            v.assign_add(1.0)
            u.assign(u * v / 3.0)
        v.assign(0.5)
        return u * x[0]

    return f, [v, u]


def swapped() -> Made:
    a, b = variable(1.0), variable(2.0)

    def f(x: Any) -> Any:
        for _ in tf.range(3):
            before = a.read_value()
            a.assign(b)
            b.assign(before + 0.5)
        return a + b * x[0]

    return f, [a, b]


def nested() -> Made:
    v = variable(0.0)

    def f(x: Any) -> Any:
        for _ in tf.range(3):
            for _ in tf.range(2):
                v.assign_add(x[0])
            v.assign(v * 0.7)
        return v + 1.0

    return f, [v]


def trained() -> Made:
    w = variable(tf.ones([8], tf.float64))

    def f(x: Any) -> Any:
        for _ in tf.range(5):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(w * x - 1.0))
            w.assign_sub(0.1 * tape.gradient(loss, w))
        return w * 1.0

    return f, [w]


def never_read() -> Made:
    v = variable(0.0)

    def f(x: Any) -> Any:
        for i in tf.range(3):
            v.assign(tf.cast(i, tf.float64) * x[1])
        return x * 1.0

    return f, [v]


def differentiated() -> Made:
    v = variable(1.0)

    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                v.assign_add(0.25)
                y = y * v * x
        return tape.gradient(y, x), v + 0.0

    return f, [v]


def no_times() -> Made:
    v = variable(3.0)

    def f(x: Any) -> Any:
        while v < tf.reduce_sum(x):
            v.assign_add(1.0)
        return v * 2.0

    return f, [v]


def before_numpy() -> Made:
    """What is left to NumPy sees what the loop assigned."""
    v = variable([1.0, 2.0, 3.0])

    def f(x: Any) -> Any:
        for _ in tf.range(3):
            v.assign_add(v * 0.1)
        v.scatter_nd_update([[0]], [tf.reduce_sum(x)])
        return v * 1.0

    return f, [v]


def behind_numpy() -> Made:
    v = variable([1.0, 2.0, 3.0])

    def f(x: Any) -> Any:
        v.scatter_nd_update([[0]], [tf.reduce_sum(x)])
        for _ in tf.range(3):
            v.assign_add(v * 0.1)
        return v * 1.0

    return f, [v]


def beside_numpy() -> Made:
    """One of two loops needs NumPy; both assign."""
    v = variable(tf.ones([8], tf.float64))

    def f(x: Any) -> Any:
        for _ in tf.range(2):
            v.assign_add(x * 0.1)
        for _ in tf.range(2):
            v.assign(tf.math.special.bessel_k0(v) * 0.5)
        for _ in tf.range(2):
            v.assign(tf.sin(v))
        return v + x

    return f, [v]


def in_a_branch() -> Made:
    v = variable(1.0)

    def f(x: Any) -> Any:
        for i in tf.range(4):
            if i % 2 == 0:
                v.assign_add(x[0])
        return v * 1.0

    return f, [v]


def drawn() -> Made:
    """A generator's state is a variable, whose counter carries into its second word."""
    generator = tf.random.Generator.from_state([-300, 5, 7], alg="philox")

    def f(x: Any) -> Any:
        for _ in tf.range(4):
            x = x * 0.5 + generator.normal([8], dtype=tf.float64)
            x = x - generator.uniform([8], dtype=tf.float64)
        return x

    return f, [generator.state]


def in_some_branches() -> Made:
    """Each branch assigns other variables, or none, and gives other results."""
    v, u = variable(1.0), variable([1.0, 2.0])

    def f(x: Any) -> Any:
        total = x
        for i in tf.range(8):
            if i % 4 == 0:
                v.assign_add(x[1])
                total = total + v
            elif i % 4 == 1:
                u.assign(u * v)
                total = total * u[0]
            elif i % 4 == 2:
                u.assign([1.0, 1.5])
                v.assign(v * 0.5)
        return total, v + u

    return f, [v, u]


def by_a_choice() -> Made:
    v = variable(1.0)

    def f(x: Any) -> Any:
        chosen = tf.cast(x[0] * 10.0, tf.int32) % 3
        branches = [
            lambda: v.assign(3.0) * x[0],
            lambda: v.assign_add(1.0) * 1.0,
            lambda: v.read_value(),
        ]
        return tf.switch_case(chosen, branches), v + 0.0

    return f, [v]


def differentiated_branches() -> Made:
    v = variable(1.0)

    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in tf.range(4):
                if i % 2 == 0:
                    v.assign_add(0.5)
                    y = y * v
                else:
                    y = y * x
        return tape.gradient(y, x), v * 1.0

    return f, [v]


def a_loop_in_a_branch() -> Made:
    v, count = variable([1.0, 2.0, 3.0]), tf.Variable(0)

    def f(x: Any) -> Any:
        for _ in tf.range(5):
            if tf.reduce_sum(v) < 20.0:
                for _ in tf.range(2):
                    v.assign(v * 1.3)
                count.assign_add(1)
        return count + 0

    return f, [v, count]


def numpy_in_a_branch() -> Made:
    v = variable([1.0, 2.0, 3.0])

    def f(x: Any) -> Any:
        if x[0] > 0.1:
            v.scatter_nd_update([[0]], [10.0])
        else:
            v.assign(v * 2.0)
        return v * 1.0

    return f, [v]


WHOLE = [
    averaged, decides, swapped, nested, trained, never_read, differentiated, no_times, in_a_branch,
    in_some_branches, by_a_choice, differentiated_branches, a_loop_in_a_branch, drawn,
]  # fmt: skip
PARTLY = [before_numpy, behind_numpy, beside_numpy, numpy_in_a_branch]


@pytest.mark.parametrize("made", [*WHOLE, *PARTLY])
@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None], tf.float64)]])
def test_what_is_assigned_in_loops(made: Callable[[], Made], signature: Any) -> None:
    outcomes = []
    for compiled in (False, True):
        f, variables = made()
        g = tf.function(f, jit_compile=compiled, input_signature=signature)
        found = [tf.nest.flatten(g(X * k)) for k in (1.0, 2.0, 0.5)]
        outcomes.append([*[y.numpy() for ys in found for y in ys], *[v.numpy() for v in variables]])
    for y, z in zip(*outcomes, strict=True):
        np.testing.assert_allclose(y, z, rtol=1e-12)


@pytest.mark.parametrize("made", WHOLE)
def test_such_loops_are_compiled_whole(made: Callable[[], Made]) -> None:
    plan = tf.function(made()[0], jit_compile=True).get_concrete_function(X).plan()
    assert any(step["kind"] in ("while", "branch") for step in plan.steps)
    left = [line for step in plan.steps if step["kind"] == "NumPy" for line in step["made of"]]
    assert not any(line.startswith(("While", "If", "Case", "Stateless")) for line in left)


def test_an_error_in_a_loop_assigns_what_numpy_assigns() -> None:
    """The reference runs the program again, from the values before."""
    found = []
    for compiled in (False, True):
        v = variable(1.0)

        @tf.function(jit_compile=compiled)
        def f(x: Any, v: Any = v) -> Any:
            for i in tf.range(5):
                v.assign_add(tf.gather(x, i * 3))
            return v + 0.0

        with pytest.raises(tf.errors.InvalidArgumentError, match="not in"):
            f(X)
        found.append(v.numpy())
    assert found[0] == found[1]
