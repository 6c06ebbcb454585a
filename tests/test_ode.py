"""Initial value problems: derivatives by state, parameters, times and closures, to every order."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from function_modes import MODES, WAYS, backward, close, double, forward

import wengert as tf
from wengert.derivatives.closures import Closure
from wengert.derivatives.implicit_functions import ode

HOW = ["adjoint", "forward"]
FINE: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-11}


TS = double([0.0, 0.4, 1.0])

# y' = r y (1 - y / k): the logistic equation, which has a closed form.


def logistic(t: Any, y: Any, r: Any, k: Any) -> Any:
    return r * y * (1.0 - y / k)


def known(y0: Any, ts: Any, r: Any, k: Any) -> Any:
    grown = tf.exp(r * (ts - ts[0]))
    return k * y0 * grown / (k + y0 * (grown - 1.0))


def ours(y0: Any, ts: Any, r: Any, k: Any, how: str = "adjoint") -> Any:
    return tf.ode_solve(logistic, y0, ts, r, k, method="DOP853", sensitivity=how, **FINE)


AT = (double(0.3), TS, double(1.7), double(2.0))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("argument", range(4))
def test_jacobians(argument: int, how: str, mode: Any) -> None:
    """By state, times and both parameters, in both modes."""
    want = tf.jacobian(known, argument)(*AT)
    for direction in ("reverse", "forward"):
        got = mode(
            tf.jacobian(lambda y0, ts, r, k: ours(y0, ts, r, k, how), argument, mode=direction)
        )(*AT)
        close(got, want)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("how", HOW)
def test_to_the_third_order(how: str, way: Any, mode: Any) -> None:
    """Everything moves with one number."""

    def along(solve: Any) -> Any:
        return lambda s: tf.reduce_sum(
            solve(AT[0] + s, TS * (1.0 + s), AT[2] * (1.0 - s), AT[3] + s)[1:]
        )

    f, g, zero = along(lambda y0, ts, r, k: ours(y0, ts, r, k, how)), along(known), double(0.0)
    for _ in range(4):
        close(mode(f)(zero), tf.function(g)(zero), 1e-6)
        f, g = way(f), way(g)


@pytest.mark.parametrize("how", HOW)
def test_mixed_orders(how: str) -> None:
    def f(r: Any) -> Any:
        return ours(AT[0], TS, r, AT[3], how)[-1]

    def g(r: Any) -> Any:
        return known(AT[0], TS, r, AT[3])[-1]

    for a, b in ((forward, backward), (backward, forward)):
        close(a(b(f))(AT[2]), backward(backward(g))(AT[2]))
    close(tf.hessian(f)(AT[2]), tf.hessian(g)(AT[2]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", HOW)
def test_what_the_function_closes_over(how: str, mode: Any) -> None:
    """A tensor and a variable."""
    v = tf.Variable(double(2.0))

    def f(r: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.ode_solve(
                lambda t, y: r * y * (1.0 - y / v),
                AT[0],
                TS,
                method="DOP853",
                sensitivity=how,
                **FINE,
            )
            total = tf.reduce_sum(y)
        return tape.gradient(total, v)

    close(mode(f)(AT[2]), tf.grad(lambda k: tf.reduce_sum(known(*AT[:3], k)))(AT[3]))
    want = tf.grad(lambda r: tf.grad(lambda k: tf.reduce_sum(known(*AT[:2], r, k)))(AT[3]))(AT[2])
    close(mode(tf.grad(f))(AT[2]), want)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", HOW)
def test_structures_and_backward_time(how: str, mode: Any) -> None:
    """A pendulum, back to where it came from."""

    @dataclasses.dataclass
    class State:
        angle: Any
        speed: Any

    def f(t: Any, y: Any, p: Any) -> Any:
        return State(y.speed, -p["g"] * tf.sin(y.angle))

    def there_and_back(angle: Any) -> Any:
        p = {"g": double(9.81)}
        begin = State(angle, double([0.0, 0.5]))
        there = tf.ode_solve(f, begin, TS, p, sensitivity=how, **FINE)
        assert isinstance(there, State)
        last = State(there.angle[-1], there.speed[-1])
        back = tf.ode_solve(f, last, TS[::-1], p, sensitivity=how, **FINE)
        return back.angle

    angle = double([0.3, 1.0])
    found = mode(there_and_back)(angle)
    assert found.shape == (3, 2)
    close(found[-1], angle)
    jacobian = mode(tf.jacobian(lambda a: there_and_back(a)[-1]))(angle)
    close(jacobian, np.eye(2), 1e-6)


@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA"])
def test_methods(method: str) -> None:
    def f(r: Any) -> Any:
        exact: dict[str, Any] = {"rtol": 1e-7, "atol": 1e-9}
        return tf.ode_solve(logistic, AT[0], TS, r, AT[3], method=method, **exact)[-1]

    close(f(AT[2]), known(*AT)[-1], 1e-5)
    close(tf.grad(f)(AT[2]), tf.grad(lambda r: known(AT[0], TS, r, AT[3])[-1])(AT[2]), 1e-4)


def test_a_stiff_equation() -> None:
    """The Jacobian that SciPy needs is ours."""
    ts = double([0.0, 1.0])

    def last(rate: Any) -> Any:
        y = tf.ode_solve(lambda t, y: -rate * (y - tf.cos(t)), 0.0, ts, method="Radau", **FINE)
        return y[-1]

    def solution(rate: Any) -> Any:
        below = rate * rate + 1.0  # of the closed form
        whole = (rate * rate * np.cos(1.0) + rate * np.sin(1.0)) / below
        return whole - tf.exp(-rate) * rate * rate / below

    close(last(double(1e3)), solution(double(1e3)), 1e-6)


def test_a_way_back_that_is_unstable() -> None:
    """An error, and no number; with more times, or by the steps, it is a number."""

    def last(ts: Any, how: str = "adjoint") -> Any:
        def of(rate: Any) -> Any:
            return tf.ode_solve(
                lambda t, y: -rate * (y - tf.cos(t)), 0.0, double(ts), sensitivity=how, **FINE
            )[-1]

        return of

    def want(rate: Any) -> Any:
        whole = (rate * rate * np.cos(1.0) + rate * np.sin(1.0)) / (rate * rate + 1.0)
        return whole - tf.exp(-rate) * rate * rate / (rate * rate + 1.0)

    rate = double(30.0)
    with pytest.raises(tf.errors.ConvergenceError, match="the state was not recovered"):
        tf.grad(last([0.0, 1.0]))(rate)
    close(tf.grad(last(np.linspace(0.0, 1.0, 11)))(rate), tf.grad(want)(rate))
    close(tf.grad(last([0.0, 1.0], "forward"))(rate), tf.grad(want)(rate))


def test_the_steps_are_differentiated_exactly() -> None:
    """The derivative of what was computed, also with coarse steps."""
    settings = ode.Settings("RK45", 1e-2, 1e-2, 10**5)

    def f(y0: Any) -> Any:
        return tf.ode_solve(logistic, y0, TS, *AT[2:], rtol=1e-2, atol=1e-2, sensitivity="forward")[
            -1
        ]

    closure = Closure(lambda p: [logistic(p[0], p[1:], *AT[2:])], "ode_solve")
    start = tf.reshape(AT[0], [1])
    shares = ode.chosen_shares(closure, TS.numpy(), start.numpy(), (), settings)

    def computed(y0: Any) -> Any:
        return np.asarray(ode.steps_of(closure, TS, y0, (), "RK45", shares))[-1, 0]

    h = 1e-5
    want = (computed(start + h) - computed(start - h)) / (2 * h)
    close(tf.grad(f)(AT[0]), want, 1e-8)
    assert abs(want - tf.grad(lambda y0: known(y0, *AT[1:])[-1])(AT[0]).numpy()) > 1e-6


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", HOW)
def test_vmap(how: str, mode: Any) -> None:
    """Examples that take steps of their own."""
    rates = double([0.5, 1.7, 9.0])

    def f(r: Any) -> Any:
        return ours(AT[0], TS, r, AT[3], how)[-1]

    def g(r: Any) -> Any:
        return known(AT[0], TS, r, AT[3])[-1]

    close(mode(tf.vmap(f))(rates), tf.vmap(g)(rates))
    close(mode(tf.vmap(tf.grad(f)))(rates), tf.vmap(tf.grad(g))(rates))


def test_in_a_graph_of_version_one() -> None:
    with tf.Graph().as_default():
        r = tf.compat.v1.placeholder(tf.float64, [])
        y = ours(AT[0], TS, r, AT[3])[-1]
        (g,) = tf.gradients(y, r)
        with tf.compat.v1.Session() as session:
            got = session.run(g, {r: 1.7})
    close(got, tf.grad(lambda r: known(AT[0], TS, r, AT[3])[-1])(AT[2]))


def test_single_precision_and_numbers() -> None:
    y = tf.ode_solve(lambda t, y: -y, 1.0, [0.0, 1.0])
    assert y.dtype is tf.float32
    close(y, np.exp([0.0, -1.0]).astype(np.float32), 1e-5)
    close(tf.ode_solve(lambda t, y: -y, double(1.0), [2.0]), [1.0])


# ---- what cannot be ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", HOW)
def test_failures(how: str, mode: Any) -> None:
    def solve(f: Any, **more: Any) -> Any:
        return mode(lambda y0: tf.ode_solve(f, y0, TS * 2.0, sensitivity=how, **more))(double(1.0))

    with pytest.raises(tf.errors.ConvergenceError, match=r"tf.ode_solve failed at t = 1"):
        solve(lambda t, y: y * y)
    with pytest.raises(tf.errors.ConvergenceError, match="f gives NaN or inf"):
        solve(lambda t, y: tf.sqrt(0.5 - t))
    with pytest.raises(tf.errors.ConvergenceError, match="as often as max_evaluations"):
        solve(lambda t, y: tf.cos(100.0 * t), max_evaluations=50)


def test_bad_arguments() -> None:
    f = lambda t, y: -y  # noqa: E731
    with pytest.raises(TypeError, match=r"tf.ode_solve takes a function"):
        tf.ode_solve(3.0, 1.0, [0.0, 1.0])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"method of tf.ode_solve is one of"):
        tf.ode_solve(f, 1.0, [0.0, 1.0], method="Euler")
    with pytest.raises(ValueError, match=r"sensitivity of tf.ode_solve is"):
        tf.ode_solve(f, 1.0, [0.0, 1.0], sensitivity="backward")
    with pytest.raises(ValueError, match="repeats the steps"):
        tf.ode_solve(f, 1.0, [0.0, 1.0], sensitivity="forward", method="BDF")
    with pytest.raises(ValueError, match=r"rtol and atol of tf.ode_solve must be positive"):
        tf.ode_solve(f, 1.0, [0.0, 1.0], rtol=0.0)
    with pytest.raises(ValueError, match="must be a positive integer"):
        tf.ode_solve(f, 1.0, [0.0, 1.0], max_evaluations=0)
    with pytest.raises(ValueError, match="is a vector of times"):
        tf.ode_solve(f, 1.0, 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be times that increase"):
        tf.ode_solve(f, 1.0, [0.0, 1.0, 1.0])
    with pytest.raises(TypeError, match="solves for real numbers"):
        tf.ode_solve(f, 1j, [0.0, 1.0])
    with pytest.raises(ValueError, match="nested alike"):
        tf.ode_solve(lambda t, y: [y, y], 1.0, [0.0, 1.0])
    with pytest.raises(ValueError, match="must have the shape of the unknowns"):
        tf.ode_solve(lambda t, y: tf.stack([y, y]), 1.0, [0.0, 1.0])
