"""Memory by budget: the same gradients bit for bit, the peak, loops with few states, and reports."""

from __future__ import annotations

import gc
import itertools
import tracemalloc
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.derivatives.checkpointing import computed_again, first_part
from wengert.errors import MemoryBudgetWarning

RNG = np.random.default_rng(8)
W = tf.constant(RNG.normal(size=(16, 16)) / 4.0)
K = tf.constant(RNG.normal(size=(3, 3, 2, 2)) / 4.0)
VALUES = tf.constant(RNG.normal(size=(500, 16)))


def chain(x: Any) -> Any:
    for _ in range(40):
        x = tf.sin(x) * 1.01
    return tf.reduce_sum(x)


def residual(x: Any) -> Any:
    for _ in range(30):
        x = x + tf.tanh(x @ W)
    return tf.reduce_sum(x**2)


def branches(x: Any) -> Any:
    kept = []
    for k in range(12):
        x = tf.exp(-x * x) + x / (k + 1.0)
        kept.append(tf.reduce_mean(x, 1))  # used at the end alone
    return tf.reduce_sum(tf.stack(kept) ** 2)


def shapes(x: Any) -> Any:
    for _ in range(10):
        y = tf.transpose(tf.reshape(x, [16, 500]))
        a, b = tf.split(y * y, 2, axis=1)
        x = tf.sin(tf.concat([b, a], 1) + x)
    return tf.reduce_sum(x)


def network(x: Any) -> Any:
    x = tf.reshape(x, [10, 20, 20, 2])
    for _ in range(6):
        x = tf.nn.relu(tf.nn.conv2d(x, K, 1, "SAME")) + x
        x = x - tf.reduce_mean(x, [1, 2], keepdims=True)
    return tf.reduce_sum(tf.nn.softmax(tf.reshape(x, [10, -1])) ** 2)


def drawn(x: Any) -> Any:
    for k in range(10):
        x = tf.sin(x * tf.random.stateless_normal(x.shape, [k, 1], dtype=tf.float64))
    return tf.reduce_sum(tf.nn.dropout(x, 0.5, seed=3))


PROGRAMS = [chain, residual, branches, shapes, network, drawn]
quietly = pytest.mark.filterwarnings("ignore::wengert.errors.MemoryBudgetWarning")


def measured(f: Callable[[Any], Any], x: Any, budget: Any) -> tuple[Any, float]:
    """The gradient, and the most memory that was in use, in bytes."""
    tf.random.set_seed(1)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    with tf.GradientTape(memory_budget=budget) as tape:
        tape.watch(x)
        y = f(x)
    gradient = tape.gradient(y, x)
    most = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return gradient.numpy(), most


@quietly
@pytest.mark.parametrize("share", [2, 4, 10, 100])
@pytest.mark.parametrize("f", PROGRAMS)
def test_bit_identical(f: Any, share: int) -> None:
    want, most = measured(f, VALUES, None)
    found, _ = measured(f, VALUES, int(most) // share)
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize(("f", "share"), [(chain, 2), (chain, 3), (residual, 2)])
def test_the_peak_is_within_the_budget(f: Any, share: int) -> None:
    _, most = measured(f, VALUES, None)
    budget = int(most) // share
    _, now = measured(f, VALUES, budget)
    assert now < 1.1 * budget + 8 * VALUES.numpy().nbytes  # the sweep's own cotangents


def test_a_warning_where_the_budget_cannot_be_kept() -> None:
    with pytest.warns(MemoryBudgetWarning, match=r"cannot keep to 100 kB"):
        measured(chain, VALUES, "100 kB")


@quietly
def test_higher_orders_and_other_modes() -> None:
    x = tf.constant(RNG.normal(size=(3, 16)))
    want = tf.hessian(residual)(x)

    def gradient(x: Any) -> Any:
        with tf.GradientTape(memory_budget=2000) as tape:
            tape.watch(x)
            y = residual(x)
        return tape.gradient(y, x)

    np.testing.assert_allclose(tf.jacobian(gradient, mode="reverse")(x), want, rtol=1e-12)
    np.testing.assert_allclose(tf.jacobian(gradient, mode="forward")(x), want, rtol=1e-12)
    with tf.GradientTape(memory_budget=2000) as tape:
        tape.watch(x)
        y = residual(x)
    np.testing.assert_allclose(tape.hessian(y, x), want, rtol=1e-12)
    xs = x[:, None]
    np.testing.assert_allclose(tf.vmap(tf.grad(residual))(xs), tf.vmap(gradient)(xs), rtol=1e-12)


@quietly
def test_a_persistent_tape_is_used_again() -> None:
    with tf.GradientTape(persistent=True, memory_budget=10_000) as tape:
        tape.watch(VALUES)
        y = residual(VALUES)
    first, second = tape.gradient(y, VALUES), tape.gradient(y, VALUES)
    np.testing.assert_array_equal(first, second)
    overridden = tape.gradient(y, VALUES, overrides={"Tanh": lambda op, g: g})
    with tf.GradientTape() as plain:
        plain.watch(VALUES)
        y = residual(VALUES)
    np.testing.assert_array_equal(
        overridden, plain.gradient(y, VALUES, overrides={"Tanh": lambda op, g: g})
    )


def test_a_variable_may_change_meanwhile() -> None:
    v = tf.Variable(VALUES)
    with tf.GradientTape(memory_budget=2_000_000) as tape:
        y = chain(v * 1.0)
    v.assign(v * 0.0)
    np.testing.assert_array_equal(tape.gradient(y, v), tf.grad(chain)(VALUES))


@pytest.mark.parametrize("budget", ["2 GX", "", 0, -5, "0MB"])
def test_bad_budgets(budget: Any) -> None:
    with pytest.raises(ValueError, match="memory_budget of a tape"):
        tf.GradientTape(memory_budget=budget)


# ---- second derivatives from one tape -----------------------------------------------------------


def test_hessian_and_product_of_one_tape() -> None:
    x, z = tf.constant([3.0, 5.0]), tf.constant(2.0)
    for persistent in (False, True):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch([x, z])
            y = x[0] ** 2 * x[1] * z**3
        blocks = tape.hessian(y, [x, z])
        np.testing.assert_allclose(blocks[0][0], [[80.0, 48.0], [48.0, 0.0]])
        np.testing.assert_allclose(blocks[0][1], [360.0, 108.0])
        np.testing.assert_allclose(blocks[1][1], 540.0)
    np.testing.assert_allclose(tape.hvp(y, x, tf.constant([1.0, 0.0])), [80.0, 48.0])
    value, gradient = tape.value_and_gradient(y, z)
    assert (float(value), float(gradient)) == (360.0, 540.0)
    with pytest.raises(ValueError, match="needs a target that is one number"):
        tape.hessian(x * x, x)


# ---- loops --------------------------------------------------------------------------------------


@cache
def least(n: int, states: int) -> int:
    """By trying every place to cut."""
    if n <= 1:
        return 0
    if states == 1:
        return n * (n - 1) // 2
    return min(m + least(n - m, states - 1) + least(m, states) for m in range(1, n))


@pytest.mark.parametrize("states", range(1, 8))
def test_as_few_steps_as_theory_says(states: int) -> None:
    for n in range(1, 50):
        assert computed_again(n, states) == least(n, states)
        assert 1 <= first_part(n, states) < n or n == 1


SCALE = tf.Variable(1.1, dtype=tf.float64)
SHIFT = tf.constant(0.3, tf.float64)


@pytest.mark.parametrize(
    ("n", "states"), list(itertools.product((0, 1, 2, 7, 20, 50), (1, 2, 3, 9)))
)
def test_steps_are_counted(n: int, states: int) -> None:
    calls = []

    def step(x: Any) -> Any:
        calls.append(1)
        return tf.sin(x) * SCALE + SHIFT * x

    x = VALUES[0]
    with tf.GradientTape() as tape:
        tape.watch([x, SHIFT])
        y = tf.checkpointed_loop(step, x, n, states)
    found = tape.gradient(y, [x, SCALE, SHIFT], unconnected_gradients="zero")
    assert len(calls) == computed_again(n, states) + n
    with tf.GradientTape() as tape:
        tape.watch([x, SHIFT])
        y = x
        for _ in range(n):
            y = step(y)
    want = tape.gradient(y, [x, SCALE, SHIFT], unconnected_gradients="zero")
    for a, b in zip(found, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


def in_turn(step: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = step(x)
    return x


def in_parts(step: Any, x: Any, n: int) -> Any:
    return tf.checkpointed_loop(step, x, n, budget=2)


@pytest.mark.parametrize(
    "wrap", [lambda f: f, tf.function, lambda f: tf.function(f, jit_compile=True)]
)
def test_loops_in_every_mode(wrap: Any) -> None:
    x = tf.constant([0.5, 0.2], tf.float64)

    def loss(loop: Any) -> Any:
        return lambda x: tf.reduce_sum(loop(lambda x: tf.sin(x) * SCALE, x, 6))

    for derivative in (tf.grad, tf.hessian, lambda f: tf.jacobian(tf.hessian(f))):
        found = wrap(derivative(loss(in_parts)))(x)
        np.testing.assert_allclose(found, derivative(loss(in_turn))(x), rtol=1e-11)
    pushed = wrap(lambda x: tf.jvp(loss(in_parts), (x,), (x,))[1])(x)
    np.testing.assert_allclose(pushed, tf.jvp(loss(in_turn), (x,), (x,))[1])
    mapped = wrap(tf.vmap(tf.grad(loss(in_parts))))(tf.stack([x, 2.0 * x]))
    np.testing.assert_allclose(mapped, tf.vmap(tf.grad(loss(in_turn)))(tf.stack([x, 2.0 * x])))


def test_what_a_step_closes_over_has_every_order() -> None:
    def loss(loop: Any) -> Any:
        return lambda p: tf.reduce_sum(loop(lambda x: tf.sin(x * p), VALUES[0], 5))

    for derivative in (tf.grad, tf.hessian):
        found = derivative(loss(in_parts))(SHIFT)
        np.testing.assert_allclose(found, derivative(loss(in_turn))(SHIFT), rtol=1e-11)


def test_a_state_is_nested() -> None:
    def step(state: Any) -> Any:
        return {"x": state["x"] + 0.1 * state["v"], "v": state["v"] - 0.1 * state["x"]}

    def energy(loop: Any) -> Any:
        return lambda x: tf.reduce_sum(loop(step, {"x": x, "v": x * 0.0}, 30)["x"] ** 2)

    np.testing.assert_allclose(tf.grad(energy(in_parts))(SHIFT), tf.grad(energy(in_turn))(SHIFT))


def test_graphs() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(0.5)
        p = tf.constant(1.5)
        y = tf.checkpointed_loop(lambda x: tf.sin(x * p), x, 5, 2)
        found = session.run(tf.gradients(y, [x, p]))
    with tf.GradientTape() as tape:
        x, p = tf.constant(0.5), tf.constant(1.5)
        tape.watch([x, p])
        y = in_turn(lambda x: tf.sin(x * p), x, 5)
    np.testing.assert_allclose(found, tape.gradient(y, [x, p]), rtol=1e-6)


@pytest.mark.parametrize(
    ("misuse", "words"),
    [
        (lambda: tf.checkpointed_loop("f", VALUES, 2), "takes a function"),  # type: ignore[arg-type]
        (lambda: tf.checkpointed_loop(tf.sin, VALUES, -1), "must be a non-negative integer"),
        (lambda: tf.checkpointed_loop(tf.sin, VALUES, 2, 0), "a positive number of states"),
        (lambda: tf.checkpointed_loop(tf.sin, VALUES, 2, "1 kB"), "smaller than one state"),
        (lambda: tf.checkpointed_loop(lambda x: x[1:], VALUES, 2), "must keep shapes and dtypes"),
        (lambda: tf.checkpointed_loop(lambda x: [x], VALUES, 2), "must be nested alike"),
    ],
)
def test_bad_loops(misuse: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        misuse()


# ---- reports ------------------------------------------------------------------------------------


def test_a_report_names_operations_and_lines() -> None:
    with tf.GradientTape(source_lines=True) as tape:
        tape.watch(VALUES)
        y = tf.sin(VALUES)
        z = tf.exp(y)
        _ = tf.reduce_sum(z * y)
    report = tape.memory_report()
    size = VALUES.numpy().nbytes
    assert report.total == 3 * size
    assert {e.operation for e in report.entries} == {"Sin", "Exp", "given from outside"}
    assert all(
        e.line.startswith(__file__) for e in report.entries if e.operation != "given from outside"
    )
    assert "192 kB in all" in repr(report)
    with pytest.raises(RuntimeError, match="has not recorded anything"):
        tf.GradientTape().memory_report()


def test_a_report_counts_shared_memory_once() -> None:
    with tf.GradientTape() as tape:
        tape.watch(VALUES)
        y = tf.sin(VALUES)
        _ = tf.reshape(y, [-1]) * tf.reshape(y, [-1])
    assert tape.memory_report().total == 2 * VALUES.numpy().nbytes
    assert "source_lines=True" in repr(tape.memory_report())


# ---- in functions -------------------------------------------------------------------------------


def layers(budget: str | None) -> Any:
    rng = np.random.default_rng(0)
    matrices = [tf.constant((rng.normal(size=(64, 64)) / 8).astype(np.float32)) for _ in range(40)]

    def gradient(x: Any) -> Any:
        with tf.GradientTape(memory_budget=budget) as tape:
            tape.watch(x)
            y = x
            for w in matrices:
                y = tf.tanh(y @ w)
            loss = tf.reduce_sum(y * y)
        return tape.gradient(loss, x)

    return gradient


@pytest.mark.parametrize("compiled", [False, True])
def test_a_function_computes_again_what_its_budget_does_not_hold(compiled: bool) -> None:
    x = tf.constant(np.random.default_rng(1).normal(size=(1000, 64)).astype(np.float32))
    plain, budgeted = (tf.function(layers(b), jit_compile=compiled) for b in (None, "8 MB"))
    np.testing.assert_array_equal(plain(x), budgeted(x))
    again = [op for op in budgeted.get_concrete_function(x).graph.operations if op.type == "After"]
    assert again
    if compiled:
        assert plain.plan(x).memory > 10e6
        assert budgeted.plan(x).memory < 8e6


def test_a_budget_in_a_function_to_second_order() -> None:
    x = tf.constant(np.random.default_rng(1).normal(size=(30, 64)).astype(np.float32))

    def second(budget: str | None) -> Any:
        @tf.function
        def product(x: Any) -> Any:
            with tf.GradientTape() as outer:
                outer.watch(x)
                g = layers(budget)(x)
                total = tf.reduce_sum(g * g)
            return outer.gradient(total, x)

        return product(x)

    np.testing.assert_array_equal(second(None), second("256 kB"))
