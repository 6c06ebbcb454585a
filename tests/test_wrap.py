"""Functions of NumPy, of SciPy and of other programs as operations: values, rules, fallbacks."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.special
from function_modes import MODES, WAYS, close, double

import wengert as tf


# The hyperbolic sine, by rules of all kinds, and how exact its derivatives are.
def bare(x: Any) -> Any:
    return np.sinh(x)


EXACT = {
    "vjp of tensors": tf.wrap(bare, vjp=lambda args, y, g: g * tf.cosh(args[0])),
    "jvp of tensors": tf.wrap(bare, jvp=lambda args, y, t: t[0] * tf.cosh(args[0])),
    "both of tensors": tf.wrap(
        bare,
        vjp=lambda args, y, g: (g * tf.cosh(args[0]),),
        jvp=lambda args, y, t: (t[0] * tf.cosh(args[0]),),
    ),
}
BY_ARRAYS = {
    "vjp of arrays": tf.wrap(bare, vjp=lambda args, y, g: g * np.cosh(args[0])),
    "jvp of arrays": tf.wrap(bare, jvp=lambda args, y, t: t[0] * np.cosh(args[0])),
    "differences": tf.wrap(bare),
    "complex": tf.wrap(bare, fallback="complex"),
}
X = double(0.7)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", EXACT)
def test_rules_of_tensors_to_the_third_order(name: str, way: Any, mode: Any) -> None:
    f: Any = EXACT[name]
    for want in (np.sinh(0.7), np.cosh(0.7), np.sinh(0.7), np.cosh(0.7)):
        close(mode(f)(X), want, 1e-14)
        f = way(f)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", BY_ARRAYS)
def test_rules_of_arrays_to_the_second_order(name: str, way: Any, mode: Any) -> None:
    f: Any = BY_ARRAYS[name]
    exact = 1e-14 if name != "differences" else 1e-10
    for want, tolerance in ((np.sinh(0.7), 0.0), (np.cosh(0.7), exact), (np.sinh(0.7), 1e-7)):
        close(mode(f)(X), want, tolerance)
        f = way(f)


@pytest.mark.parametrize("mode", MODES)
def test_third_order_of_differences_is_an_error(mode: Any) -> None:
    f = tf.grad(tf.grad(tf.grad(tf.wrap(bare))))
    with pytest.raises(LookupError, match="no digit of another would be right"):
        mode(f)(X)
    close(tf.grad(tf.grad(tf.grad(tf.wrap(bare, fallback="complex"))))(X), np.cosh(0.7), 1e-4)


# ---- several arguments and results --------------------------------------------------------------


def both(x: Any, k: Any, y: Any) -> Any:
    return np.sin(x) * y[0] * k, np.outer(x, y)


WRAPPED = {
    "differences": tf.wrap(both),
    "complex": tf.wrap(both, fallback="complex"),
    "vjp": tf.wrap(
        both,
        vjp=lambda args, y, g: (
            g[0] * np.cos(args[0]) * args[2][0] * args[1] + g[1] @ args[2],
            None,
            g[1].T @ args[0] + np.array([np.sum(g[0] * np.sin(args[0])) * args[1], 0.0, 0.0]),
        ),
    ),
    "jvp": tf.wrap(
        both,
        jvp=lambda args, y, t: (
            args[1] * (t[0] * np.cos(args[0]) * args[2][0] + np.sin(args[0]) * t[2][0]),
            np.outer(t[0], args[2]) + np.outer(args[0], t[2]),
        ),
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", WRAPPED)
def test_several_arguments_and_results(name: str, mode: Any) -> None:
    """An integer between two vectors; both Jacobians in both modes, and second derivatives."""
    f = WRAPPED[name]
    x, y = double([0.3, 0.8]), double([2.0, 3.0, 5.0])

    def ours(x: Any, y: Any) -> Any:
        return tf.sin(x) * y[0] * 3.0, tf.tensordot(x, y, 0)

    def theirs(x: Any, y: Any) -> Any:
        return f(x, tf.constant(3), y)

    for how in ("forward", "reverse"):
        got = mode(tf.jacobian(theirs, (0, 1), mode=how))(x, y)
        want = tf.jacobian(ours, (0, 1))(x, y)
        for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
            close(a, b)

    def loss(of: Any) -> Any:
        return lambda x, y: tf.reduce_sum(of(x, y)[0] ** 2.0) + tf.reduce_sum(of(x, y)[1] ** 3.0)

    got = mode(tf.hessian(loss(theirs), (0, 1)))(x, y)
    want = tf.hessian(loss(ours), (0, 1))(x, y)
    for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
        close(a, b, 1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_vmap(mode: Any) -> None:
    x = double([0.1, 0.7, 1.3])
    for f in (EXACT["vjp of tensors"], BY_ARRAYS["differences"], BY_ARRAYS["vjp of arrays"]):
        close(mode(tf.vmap(f))(x), np.sinh(x))
        close(mode(tf.vmap(tf.grad(f)))(x), np.cosh(x))


@pytest.mark.parametrize("mode", MODES)
def test_scipy_inside_of_a_model(mode: Any) -> None:
    """A special function that has no gradient of its own, trained through."""
    f = tf.wrap(lambda v, x: scipy.special.jv(v, x), vjp=None)
    v = tf.Variable(double(1.5))

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            y = f(v, double([1.0, 2.0]))
            loss = tf.reduce_sum(y * y)
        return tape.gradient(loss, v)

    h = 1e-5
    want = [np.sum(scipy.special.jv(1.5 + s, [1.0, 2.0]) ** 2) for s in (h, -h)]
    close(mode(gradient)(), (want[0] - want[1]) / (2 * h), 1e-8)


def test_in_a_graph_of_version_one() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float64, [2])
        y = BY_ARRAYS["differences"](x)
        (g,) = tf.gradients(y, x)
        with tf.compat.v1.Session() as session:
            close(session.run(g, {x: [0.1, 0.7]}), np.cosh([0.1, 0.7]))


def test_another_program() -> None:
    """A function that starts a process."""
    program = "import sys, math; print(math.exp(float(sys.stdin.read())))"

    def run(x: Any) -> Any:
        found = subprocess.run(
            [sys.executable, "-c", program],
            input=repr(float(x)),
            capture_output=True,
            text=True,
            check=True,
        )
        return np.float64(found.stdout)

    f = tf.wrap(run, vjp=lambda args, y, g: g * y)
    close(tf.function(tf.grad(f))(double(0.5)), np.exp(0.5), 1e-14)


def test_what_is_given_by_name_stays() -> None:
    f = tf.wrap(lambda x, power: x**power)
    close(tf.grad(lambda x: f(x, power=3))(double(2.0)), 12.0)


# ---- what graphs must know --------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES[1:])
def test_result_like(mode: Any) -> None:
    """A spec, an array, a function of the arguments; sizes that are known only when it runs."""
    picky = lambda x: np.log(x - 1.0) if np.all(x > 1.0) else 1 / 0  # noqa: E731
    x = double([2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="call with ones failed"):
        mode(tf.wrap(picky))(x)
    for like in (tf.TensorSpec([None], tf.float64), np.zeros(2), lambda x: x):
        f = tf.wrap(picky, result_like=like)
        close(mode(f)(x), np.log([1.0, 2.0]))
        close(mode(tf.grad(lambda x, f=f: tf.reduce_sum(f(x))))(x), [1.0, 0.5])
    spec = [tf.TensorSpec([None], tf.float64)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="sizes of its arguments are unknown"):
        tf.function(tf.wrap(bare), input_signature=spec)(x)
    f = tf.wrap(bare, result_like=lambda x: x)
    g = tf.function(lambda x: tf.vjp(f, x)[1](tf.ones_like(x))[0], input_signature=spec)
    close(g(x), np.cosh(x))


def test_results_are_what_was_promised() -> None:
    f = tf.wrap(lambda x: np.float64(x), result_like=tf.TensorSpec([], tf.float32))
    assert f(1.0).dtype is tf.float32
    for like, words in (
        (tf.TensorSpec([2], tf.float32), "returned the shape"),
        (tf.TensorSpec([], tf.int32), "returned the dtype"),
        ((np.zeros(()), np.zeros(())), "returned 1 results"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            tf.wrap(lambda x: np.float64(x), result_like=like)(1.0)


# ---- how exact differences are ----------------------------------------------------------------------


@pytest.mark.parametrize("x", [1e-8, 1e-3, 1.0, 1e5])
def test_differences_at_all_sizes(x: float) -> None:
    """Also where a step of the usual size would leave the domain."""
    f = tf.wrap(np.log)
    close(tf.grad(f)(double(x)) * x, 1.0, 1e-8)
    assert float(f.error_estimate(double(x))) * x < 1e-6


def test_the_error_estimate_is_one() -> None:
    """It is no smaller than the error, and not much larger."""
    for function, slope in ((np.exp, np.exp), (np.tanh, lambda x: 1 / np.cosh(x) ** 2)):
        f = tf.wrap(function)
        x = np.linspace(-2.0, 2.0, 9)
        error = np.abs(np.diag(tf.jacobian(f)(double(x))) - slope(x))
        estimate = np.diag(f.error_estimate(double(x)))
        assert np.all(error <= estimate + 1e-14)
        assert np.all(estimate < 1e-8)
    noisy = tf.wrap(lambda x: np.float64(np.float32(np.sin(x))))
    assert float(noisy.error_estimate(double(1.0))) > 1e-9


def test_single_precision_takes_steps_in_double() -> None:
    got = tf.grad(tf.wrap(np.sinh, result_like=lambda x: x))(tf.constant(0.7))
    assert got.dtype is tf.float32
    close(got, np.float32(np.cosh(np.float32(0.7))), 1e-6)


# ---- refusals ---------------------------------------------------------------------------------------


def test_what_the_complex_step_cannot_do() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="refuses complex numbers"):
        tf.grad(tf.wrap(lambda x: np.asarray(float(x)), fallback="complex"))(double(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="gives real results"):
        tf.grad(tf.wrap(np.abs, fallback="complex"))(double(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not analytic"):
        tf.grad(tf.wrap(lambda x: np.abs(x) * x, fallback="complex"))(double(1.0))


@pytest.mark.parametrize("way", ["eager", "function", "compiled", "vmap"])
def test_a_complex_step_is_doubted_again(way: str) -> None:
    """What was wrong stays wrong in every mode, and elsewhere than where it was right at first."""
    f = tf.wrap(lambda x: np.abs(x) * x, fallback="complex")
    slope: Any = tf.grad(lambda x: tf.reduce_sum(f(x)))
    if way == "vmap":
        slope = tf.vmap(tf.grad(f))
    elif way != "eager":
        slope = tf.function(slope, jit_compile=way == "compiled")
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not analytic"):
            slope(double([-1.0, 2.0]))
    g = tf.wrap(lambda x: np.where(np.real(x) > 0, x**2, np.abs(x)), fallback="complex")
    assert [float(tf.grad(g)(double(x))) for x in (1.0, 2.0, 3.0)] == [2.0, 4.0, 6.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not analytic"):
        tf.grad(g)(double(-1.0))


def test_no_fallback() -> None:
    f = tf.wrap(bare, fallback=None)
    close(f(X), np.sinh(0.7))
    with pytest.raises(LookupError, match="give a vjp or a jvp, or a fallback"):
        tf.grad(f)(X)
    followed = tf.grad(tf.wrap(bare, vjp=lambda args, y, g: g * np.cosh(args[0]), fallback=None))
    close(tf.grad(followed)(X), np.sinh(0.7))  # the rule is NumPy's, of tensors
    g = tf.grad(
        tf.wrap(bare, vjp=lambda args, y, g: g * np.cosh(np.asarray(args[0])), fallback=None)
    )
    close(g(X), np.cosh(0.7))
    with pytest.raises(LookupError, match="has no derivative"):
        tf.grad(g)(X)
    with pytest.raises(ValueError, match="no error to estimate"):
        f.error_estimate(X)


def test_at_the_edge_of_the_domain() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="NaN or inf next to its argument"):
        tf.grad(tf.wrap(np.sqrt))(double(0.0))


def test_bad_arguments() -> None:
    with pytest.raises(TypeError, match=r"tf.wrap takes a function"):
        tf.wrap(3.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"vjp of tf.wrap is a function or None"):
        tf.wrap(bare, vjp=3.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"fallback of tf.wrap is"):
        tf.wrap(bare, fallback="exact")
    with pytest.raises(ValueError, match=r"step of tf.wrap must be positive"):
        tf.wrap(bare, step=0.0)
    with pytest.raises(TypeError, match="must return an array or a tuple"):
        tf.wrap(lambda x: None)(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="one for each argument, 2"):
        tf.grad(tf.wrap(lambda x, y: x * y, vjp=lambda args, y, g: g))(X, X)
    with pytest.raises(LookupError, match="complex argument"):
        tf.grad(lambda z: tf.abs(tf.wrap(np.exp)(z)))(tf.constant(1j))
