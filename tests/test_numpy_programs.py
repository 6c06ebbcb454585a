"""NumPy programs differentiated as they stand, against TensorFlow and against differences."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy_programs import arguments, kepler_energy, logistic_regression, rosenbrock

import wengert as tf

RECORDS = json.loads(gzip.decompress((Path(__file__).parent / "data" / "numpy.json.gz").read_bytes()))["programs"]  # fmt: skip
Program = Callable[[Any, Any], Any]
CASES = list(arguments().items())


def value_and_gradient(program: Program, x: Any) -> tuple[Any, Any]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = program(np, x)
    return y, tape.gradient(y, x)


def differences(function: Callable[[Any], Any], x: Any) -> Any:
    """Central differences of a function of a vector."""
    steps = 1e-6 * np.eye(len(x))
    return np.array([(function(x + step) - function(x - step)) / 2e-6 for step in steps])


@pytest.mark.parametrize(("program", "x"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_with_a_tape(program: Program, x: Any) -> None:
    want = RECORDS[program.__name__]
    y, gradient = value_and_gradient(program, tf.constant(x))
    assert float(y) == pytest.approx(want["value"], rel=1e-9)
    np.testing.assert_allclose(gradient, want["gradient"], 1e-8, 1e-9)
    np.testing.assert_allclose(gradient, differences(lambda x: program(np, x), x), 1e-4, 1e-6)


@pytest.mark.parametrize(("program", "x"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_in_a_function(program: Program, x: Any) -> None:
    want = RECORDS[program.__name__]
    y, gradient = tf.function(lambda x: value_and_gradient(program, x))(tf.constant(x))
    assert float(y) == pytest.approx(want["value"], rel=1e-9)
    np.testing.assert_allclose(gradient, want["gradient"], 1e-8, 1e-9)


@pytest.mark.parametrize(("program", "x"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_of_a_batch(program: Program, x: Any) -> None:
    """The gradient of each example, all at once."""
    rows = np.stack([x, 0.9 * x])
    found = tf.vectorized_map(tf.grad(lambda x: program(np, x)), tf.constant(rows))
    for row, gradient in zip(rows, found, strict=True):
        np.testing.assert_allclose(gradient, tf.grad(lambda x: program(np, x))(tf.constant(row)), 1e-8, 1e-9)  # fmt: skip


@pytest.mark.parametrize(("program", "x"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_forward(program: Program, x: Any) -> None:
    """The same slope along a direction, carried forward."""
    direction = np.cos(np.arange(len(x)))
    point = tf.constant(x)
    with tf.autodiff.ForwardAccumulator(point, tf.constant(direction)) as forward:
        y = program(np, point)
    want = np.dot(RECORDS[program.__name__]["gradient"], direction)
    assert float(forward.jvp(y)) == pytest.approx(want, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("program", [logistic_regression, rosenbrock, kepler_energy])
def test_second_order(program: Program) -> None:
    x = arguments()[program]
    hessian = tf.hessian(lambda x: program(np, x))(tf.constant(x))
    slopes = lambda x: value_and_gradient(program, tf.constant(x))[1].numpy()  # noqa: E731
    np.testing.assert_allclose(hessian, differences(slopes, x), 1e-4, 1e-5)


def test_with_variables_in_a_training_step() -> None:
    """A function that trains: the loss is NumPy's, the variable and the optimizer are ours."""
    w, first = tf.Variable(np.zeros(4)), arguments()[logistic_regression]
    w.assign(first)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = logistic_regression(np, w)
        w.assign_sub(0.5 * tape.gradient(loss, w))
        return loss

    losses = [float(step()) for _ in range(20)]
    assert losses[-1] < 0.7 * losses[0]
    assert losses[0] == pytest.approx(RECORDS["logistic_regression"]["value"])


def test_in_a_graph_with_a_session() -> None:
    x = arguments()[rosenbrock]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        place = tf.compat.v1.placeholder(tf.float64, [5])
        y = rosenbrock(np, place)
        found = session.run(tf.gradients(y, place)[0], {place: x})
    np.testing.assert_allclose(found, RECORDS["rosenbrock"]["gradient"], 1e-9)


def test_gradient_of_heaviside() -> None:
    """A step leads nowhere: what it has where it is zero has the only gradient."""
    x, at_zero = tf.constant([2.0, 0.0, -1.0]), tf.constant([5.0, 6.0, 7.0])
    with tf.GradientTape() as tape:
        tape.watch([x, at_zero])
        y = tf.experimental.numpy.heaviside(x, at_zero)
    gx, ga = tape.gradient(y, [x, at_zero])
    assert gx is None
    assert ga.numpy().tolist() == [0.0, 1.0, 0.0]
