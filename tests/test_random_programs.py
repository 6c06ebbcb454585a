"""Random programs: the tape against dual numbers, in every way of asking."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import wengert as tf


class Dual(NamedTuple):
    """A number with its derivatives by all inputs: the slow and obvious way."""

    value: float
    slopes: Any

    def then(self, value: float, slope: float) -> Dual:
        return Dual(value, slope * self.slopes)


def both(a: Dual, b: Dual, value: float, by_a: float, by_b: float) -> Dual:
    return Dual(value, by_a * a.slopes + by_b * b.slopes)


# For each step the operation of ours, and what it means for dual numbers.
STEPS: dict[str, tuple[Callable[..., Any], Callable[..., Dual]]] = {
    "add": (lambda a, b: a + b, lambda a, b: both(a, b, a.value + b.value, 1.0, 1.0)),
    "sub": (lambda a, b: a - b, lambda a, b: both(a, b, a.value - b.value, 1.0, -1.0)),
    "mul": (
        lambda a, b: a * b * 0.5,
        lambda a, b: both(a, b, a.value * b.value * 0.5, b.value * 0.5, a.value * 0.5),
    ),
    "sin": (lambda a, b: tf.sin(a), lambda a, b: a.then(math.sin(a.value), math.cos(a.value))),
    "tanh": (
        lambda a, b: tf.tanh(a),
        lambda a, b: a.then(math.tanh(a.value), 1.0 - math.tanh(a.value) ** 2),
    ),
    "max": (
        tf.maximum,
        lambda a, b: a if a.value >= b.value else b,
    ),
    "stop": (lambda a, b: tf.stop_gradient(a), lambda a, b: a.then(a.value, 0.0)),
}

INPUTS = 3
steps = st.lists(
    st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 40), st.integers(0, 40)),
    min_size=1,
    max_size=25,
)
numbers = st.lists(st.floats(-1.5, 1.5, allow_subnormal=False), min_size=INPUTS, max_size=INPUTS)


def run(program: Any, values: list[Any], which: int) -> list[Any]:
    """All values of a program, inputs first."""
    values = list(values)
    for name, i, j in program:
        values.append(STEPS[name][which](values[i % len(values)], values[j % len(values)]))
    return values


@settings(max_examples=150, deadline=None)
@given(steps, numbers, st.lists(st.integers(0, 40), min_size=1, max_size=3), st.booleans())
def test_reverse_mode_is_right(
    program: Any, numbers: list[float], targets: list[int], persistent: bool
) -> None:
    """Gradients of several targets by all inputs, and by each input alone."""
    duals = run(program, [Dual(v, np.eye(INPUTS)[i]) for i, v in enumerate(numbers)], 1)
    xs = [tf.constant(v, tf.float64) for v in numbers]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(xs)
        values = run(program, xs, 0)
    chosen = [t % len(values) for t in targets]
    expected = sum(duals[t].slopes for t in chosen)
    ys = [values[t] for t in chosen]
    together = tape.gradient(ys, xs, unconnected_gradients="zero")
    alone = [tape.gradient(ys, x, unconnected_gradients="zero") for x in xs]
    np.testing.assert_allclose(together, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(alone, expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=75, deadline=None)
@given(steps, numbers, st.lists(st.floats(-1, 1), min_size=INPUTS, max_size=INPUTS))
def test_forward_mode_is_right(program: Any, numbers: list[float], along: list[float]) -> None:
    """The derivative of every value along a direction."""
    duals = run(program, [Dual(v, np.eye(INPUTS)[i]) for i, v in enumerate(numbers)], 1)
    xs = [tf.constant(v, tf.float64) for v in numbers]
    ts = [tf.constant(t, tf.float64) for t in along]
    with tf.autodiff.ForwardAccumulator(xs, ts) as forward:
        values = run(program, xs, 0)
    for value, dual in zip(values, duals, strict=True):
        pushed = forward.jvp(value, unconnected_gradients="zero").numpy()
        np.testing.assert_allclose(pushed, dual.slopes @ along, rtol=1e-12, atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(steps, numbers)
def test_an_intermediate_source_cuts_nothing(program: Any, numbers: list[float]) -> None:
    """Asking for the gradient by an intermediate value does not change that by the inputs."""
    xs = [tf.constant(v, tf.float64) for v in numbers]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(xs)
        values = run(program, xs, 0)
    target = values[-1]
    alone = tape.gradient(target, xs, unconnected_gradients="zero")
    beside = tape.gradient(target, [*values, *xs], unconnected_gradients="zero")
    np.testing.assert_array_equal(beside[-INPUTS:], alone)


@settings(max_examples=50, deadline=None)
@given(steps, numbers)
def test_second_order_is_symmetric(program: Any, numbers: list[float]) -> None:
    """The Hessian by nested tapes equals its transpose, and that by forward over reverse."""
    xs = [tf.constant(v, tf.float64) for v in numbers]

    def slopes() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = run(program, xs, 0)[-1]
        return tape.gradient(y, xs, unconnected_gradients="zero")

    with tf.GradientTape(persistent=True) as outer:
        outer.watch(xs)
        first = slopes()
    hessian = np.array([outer.gradient(g, xs, unconnected_gradients="zero") for g in first])
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-9, atol=1e-10)
    for i, x in enumerate(xs):
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0, tf.float64)) as forward:
            first = slopes()
        column = [forward.jvp(g, unconnected_gradients="zero") for g in first]
        np.testing.assert_allclose(column, hessian[:, i], rtol=1e-9, atol=1e-10)
