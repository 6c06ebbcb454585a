"""Derivatives by the implicit function theorem: against closed forms and differences, in every mode."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import scipy.optimize
from function_modes import (
    MODES,
    WAYS,
    as_is,
    backward,
    close,
    compiled,
    double,
    forward,
    interpreted,
    numerically,
)

import wengert as tf

RNG = np.random.default_rng(11)


# ---- one unknown, to the fourth order, against closed forms ------------------------------------

# Of a: the cube root, and its derivatives at 8.
CUBE_ROOT = [2.0, 8 ** (-2 / 3) / 3, -2 * 8 ** (-5 / 3) / 9, 10 * 8 ** (-8 / 3) / 27]


def by_root(a: Any) -> Any:
    return tf.implicit_root(lambda y, a: y * y * y - a)(1.0, a)


def by_closure(a: Any) -> Any:
    return tf.implicit_root(lambda y: y * y * y - a)(double(1.0))


def by_products(a: Any) -> Any:
    return tf.implicit_root(lambda y, a: y * y * y - a, linear="gmres")(1.0, a)


def by_scipy(a: Any) -> Any:
    def solve(function: Any, guess: Any) -> Any:
        found = scipy.optimize.root(lambda y: function(y.reshape(())).numpy().ravel(), guess)
        return found.x.reshape(())

    return tf.implicit_root(lambda y, a: y * y * y - a, solve)(1.0, a)


def by_fixed_point(a: Any) -> Any:
    """Newton's iteration for the cube root."""
    return tf.fixed_point(lambda y, a: y - 0.05 * (y * y * y - a))(1.0, a)


def by_plain_iteration(a: Any) -> Any:
    return tf.fixed_point(lambda y, a: y - 0.05 * (y**3.0 - a), method="plain")(1.0, a)


def by_user_iteration(a: Any) -> Any:
    def solve(function: Any, guess: Any) -> Any:
        for _ in range(200):
            guess = function(guess)
        return guess

    return tf.fixed_point(lambda y, a: y - 0.05 * (y**3.0 - a), solve)(1.0, a)


def by_minimum(a: Any) -> Any:
    return tf.minimize_implicit(lambda y, a: y**4.0 / 4.0 - a * y)(1.0, a)


def by_l_bfgs(a: Any) -> Any:
    return tf.minimize_implicit(
        lambda y, a: y**4.0 / 4.0 - a * y, method="l-bfgs", linear="cg", tolerance=1e-9
    )(1.0, a)


SOLUTIONS = [
    by_root,
    by_closure,
    by_products,
    by_scipy,
    by_fixed_point,
    by_plain_iteration,
    by_user_iteration,
    by_minimum,
    by_l_bfgs,
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", SOLUTIONS)
def test_every_order(f: Any, way: Any, mode: Any) -> None:
    """The cube root by equations of all kinds, to the third derivative."""
    for want in CUBE_ROOT:
        close(mode(f)(double(8.0)), want, 1e-6)
        f = way(f)


@pytest.mark.parametrize("mode", MODES)
def test_mixed_orders(mode: Any) -> None:
    """Forward over reverse, reverse over forward, and what a tape inside of a tape says."""
    for f in (forward(backward(by_root)), backward(forward(by_closure)), by_tapes):
        close(mode(f)(double(8.0)), CUBE_ROOT[2])


def by_tapes(a: Any) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(a)
        with tf.GradientTape() as inner:
            inner.watch(a)
            y = by_closure(a)
        first = inner.gradient(y, a)
    return outer.gradient(first, a)


M = tf.constant([[2.0, 1.0], [1.0, 2.0]], tf.float64)


def by_spectrum(a: Any) -> Any:
    return tf.spectral_function(lambda x: tf.exp(a * x), M * a)[0, 1]


def by_integration(a: Any) -> Any:
    exact: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-10}
    return tf.ode_solve(lambda t, y: a * y * (1.0 - y), a, double([0.0, 1.0]), **exact)[-1]


def by_steps(a: Any) -> Any:
    return tf.ode_solve(
        lambda t, y: a * y * (1.0 - y), a, double([0.0, 1.0]), sensitivity="forward"
    )[-1]


def by_another_program(a: Any) -> Any:
    return tf.wrap(np.sinh, vjp=lambda x, y, g: g * tf.cosh(x[0]))(a)


def by_linear_solve(a: Any) -> Any:
    x = tf.linear_solve(lambda x: x * (2.0 + a) + x[::-1], double([1.0, 2.0]), "gmres")
    return tf.reduce_sum(x)


OF_ALL_KINDS = [
    by_root,
    by_closure,
    by_minimum,
    by_linear_solve,
    by_spectrum,
    by_integration,
    by_steps,
    by_another_program,
]


@pytest.mark.parametrize("mode", [interpreted, compiled])
@pytest.mark.parametrize("ways", [(backward,) * 3, (forward,) * 3, (backward, forward, backward)])
@pytest.mark.parametrize("f", OF_ALL_KINDS)
def test_of_a_function_from_outside(f: Any, ways: Any, mode: Any) -> None:
    """A function that was traced before, differentiated where it is called."""
    g = mode(f)
    for way in ways:
        f, g = way(f), way(g)
        close(g(double(0.7)), f(double(0.7)), 1e-5)


# ---- several unknowns and structures ------------------------------------------------------------

A = RNG.normal(size=(3, 3)) + 4.0 * np.eye(3)
THETA = double(RNG.normal(size=3))


def field(y: Any, theta: Any) -> Any:
    return tf.linalg.matvec(double(A), y) + 0.3 * tf.tanh(y * theta[::-1]) - tf.sin(theta)


def solution(theta: Any, linear: str = "direct") -> Any:
    return tf.implicit_root(field, linear=linear)(tf.zeros([3], tf.float64), theta)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("linear", ["direct", "gmres", "bicgstab"])
def test_jacobian_of_a_system(mode: Any, linear: str) -> None:
    want = numerically(solution, THETA)
    for how in ("forward", "reverse"):
        close(mode(tf.jacobian(lambda t: solution(t, linear), mode=how))(THETA), want, 1e-7)


@pytest.mark.parametrize("mode", MODES)
def test_second_and_third_order_of_a_system(mode: Any) -> None:
    def f(theta: Any) -> Any:
        return tf.reduce_sum(solution(theta) ** 2.0)

    close(mode(tf.hessian(f))(THETA), numerically(tf.grad(f), THETA), 1e-7)
    want = numerically(tf.hessian(f), THETA)
    close(mode(tf.jacobian(tf.hessian(f), mode="reverse"))(THETA), want, 1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_structures(mode: Any) -> None:
    """Unknowns and parameters in dictionaries and dataclasses."""

    @dataclasses.dataclass
    class Line:
        slope: Any
        offset: Any

    def residual(y: Any, p: Any) -> Any:
        return {"one": y["line"].slope * p["a"] - y["b"], "two": [y["b"] - 2.0, y["line"].offset]}

    root = tf.implicit_root(residual)

    def f(a: Any) -> Any:
        guess = {"line": Line(double(1.0), double([1.0, 1.0])), "b": double(0.0)}
        with pytest.raises(ValueError, match="as many numbers as there are unknowns, 4"):
            tf.implicit_root(lambda y, p: y["b"])(guess, {"a": a})
        y = root(guess, {"a": a})
        assert isinstance(y["line"], Line)
        return y["line"].slope + y["b"] + tf.reduce_sum(y["line"].offset)

    close(mode(f)(double(4.0)), 2.5)
    close(mode(tf.grad(f))(double(4.0)), -1 / 8)
    close(mode(tf.grad(tf.grad(f)))(double(4.0)), 1 / 16)


@pytest.mark.parametrize("mode", MODES)
def test_variables(mode: Any) -> None:
    """A tape hears of the variables that a residual reads."""
    v = tf.Variable(double(8.0))

    def f() -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                y = tf.implicit_root(lambda y: y * y * y - v)(double(1.0))
            first = tape.gradient(y, v)
        return y, first, outer.gradient(first, v)

    g = mode(f)
    for scale in (1.0, 8.0):
        v.assign(8.0 * scale)
        for order, (got, want) in enumerate(zip(g(), CUBE_ROOT, strict=False)):
            close(got, want * scale ** (1 / 3 - order))


def test_a_variable_that_was_assigned_to_is_noticed() -> None:
    v = tf.Variable(double(8.0))
    with tf.GradientTape() as tape:
        y = tf.implicit_root(lambda y: y * y * y - v)(double(1.0))
    v.assign(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="was assigned to after"):
        tape.gradient(y, v)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", [by_root, by_closure, by_minimum, by_fixed_point])
def test_vmap(f: Any, mode: Any) -> None:
    x = double([1.0, 8.0, 27.0])
    want = np.asarray(x) ** (1 / 3)
    close(mode(tf.vmap(f))(x), want)
    close(mode(tf.vmap(tf.grad(f)))(x), want / np.asarray(x) / 3)
    close(mode(tf.vmap(tf.grad(tf.grad(f))))(x), -2 / 9 * want / np.asarray(x) ** 2)
    total = tf.grad(lambda x: tf.reduce_sum(tf.vmap(f)(x)))
    close(mode(total)(x), want / np.asarray(x) / 3)


def test_in_a_graph_of_version_one() -> None:
    with tf.Graph().as_default():
        a = tf.compat.v1.placeholder(tf.float64, [])
        y = by_root(a)
        (first,) = tf.gradients(y, a)
        (second,) = tf.gradients(first, a)
        (of_closure,) = tf.gradients(by_closure(a), a)
        with tf.compat.v1.Session() as session:
            got = session.run([y, first, second, of_closure], {a: 8.0})
    close(got, [*CUBE_ROOT[:3], CUBE_ROOT[1]])


def test_of_unknown_size() -> None:
    """Sizes that only a run knows."""
    f = tf.implicit_root(lambda y, a: y * y * y - a)
    g = tf.function(
        tf.grad(lambda a: tf.reduce_sum(f(tf.ones_like(a), a))),
        input_signature=[tf.TensorSpec([None], tf.float64)],
    )
    close(g(double([1.0, 8.0])), [1 / 3, CUBE_ROOT[1]])


@pytest.mark.parametrize("mode", MODES)
def test_the_guess_has_no_gradient(mode: Any) -> None:
    def f(guess: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(guess)
            y = tf.implicit_root(lambda y: y * y - 4.0)(guess)
        assert tape.gradient(y, guess) is None
        return y

    close(mode(f)(double(1.0)), 2.0)


def test_in_a_loop() -> None:
    """The residual closes over a value of the loop in which it stands."""

    @tf.function
    def f(a: Any) -> Any:
        def body(i: Any, total: Any) -> Any:
            y = tf.implicit_root(lambda y: y * y * y - a * tf.cast(i + 1, tf.float64))(double(1.0))
            return i + 1, total + y

        return tf.while_loop(lambda i, t: i < 3, body, (0, double(0.0)))[1]

    numbers = np.array([1.0, 2.0, 3.0])
    close(f(double(8.0)), np.sum((8 * numbers) ** (1 / 3)))
    close(tf.grad(f)(double(8.0)), np.sum((8 * numbers) ** (1 / 3)) / 24)


# ---- linear systems -----------------------------------------------------------------------------

S = double(A @ A.T)
B = double(RNG.normal(size=3))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["cg", "gmres", "bicgstab", "direct"])
def test_linear_solve(mode: Any, method: str) -> None:
    """By what it closes over and by the right-hand side, to the third order."""

    def f(t: Any, with_ours: bool = True) -> Any:
        matrix, right = S + t * t * tf.eye(3, dtype=tf.float64), B * tf.cos(t)
        if with_ours:
            x = tf.linear_solve(lambda v: tf.linalg.matvec(matrix, v), right, method)
        else:
            x = tf.linalg.solve(matrix, right[:, None])[:, 0]
        return tf.reduce_sum(x * x)

    def known(t: Any) -> Any:
        return f(t, with_ours=False)

    g, t = f, double(0.7)
    for way in (as_is, backward, forward, backward):
        g, known = way(g), way(known)
        close(mode(g)(t), known(t))


@pytest.mark.parametrize("mode", MODES)
def test_linear_solve_of_complex_numbers(mode: Any) -> None:
    matrix = tf.constant(A + 1j * RNG.normal(size=(3, 3)))
    right = tf.constant(RNG.normal(size=3) + 1j)

    def f(b: Any, method: str = "") -> Any:
        if method:
            x = tf.linear_solve(lambda v: tf.linalg.matvec(matrix, v), b, method)
        else:
            x = tf.linalg.solve(matrix, b[:, None])[:, 0]
        return tf.reduce_sum(tf.abs(x) ** 2.0)

    for method in ("direct", "gmres"):
        close(mode(tf.grad(lambda b, m=method: f(b, m)))(right), tf.grad(f)(right))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["gmres", "direct"])
def test_a_function_that_is_not_linear(mode: Any, method: str) -> None:
    b = double([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not linear"):
        mode(lambda b: tf.linear_solve(lambda x: x + 0.1 * x * x, b, method))(b)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"is not linear|did not solve"):
        mode(lambda b: tf.linear_solve(tf.math.conj, b, method))(tf.complex(b, b))


def test_linear_solve_of_a_structure() -> None:
    b = {"x": double([2.0, 4.0]), "y": double(3.0)}
    x = tf.linear_solve(lambda v: {"x": 2.0 * v["x"], "y": v["y"] + v["x"][0]}, b, "direct")
    close(x["x"], [1.0, 2.0])
    close(x["y"], 2.0)
    with pytest.raises(ValueError, match="nested alike"):
        tf.linear_solve(lambda v: v["x"], b)
    with pytest.raises(ValueError, match="must have the shape of the unknowns"):
        tf.linear_solve(lambda v: v[:1], double([1.0, 2.0]))


# ---- minima ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_of_many_parameters(mode: Any) -> None:
    """How the weights of a logistic regression depend on its regularizer and its data."""
    x, labels = double(RNG.normal(size=(20, 3))), double(RNG.integers(0, 2, 20).astype(float))

    def objective(w: Any, penalty: Any, x: Any) -> Any:
        logits = tf.linalg.matvec(x, w)
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return tf.reduce_sum(losses) + tf.exp(penalty) * tf.reduce_sum(w * w)

    def f(penalty: Any, linear: str = "direct", method: str = "newton") -> Any:
        found = tf.minimize_implicit(objective, method=method, linear=linear)
        return tf.reduce_sum(found(tf.zeros([3], tf.float64), penalty, x) ** 2.0)

    p = double(0.3)
    want = numerically(f, p)
    close(mode(tf.grad(f))(p), want, 1e-6)
    close(mode(tf.grad(lambda p: f(p, "cg", "l-bfgs")))(p), want, 1e-4)
    close(mode(tf.grad(tf.grad(f)))(p), numerically(tf.grad(f), p), 1e-6)


def test_newton_leaves_saddles() -> None:
    found = tf.minimize_implicit(lambda y: (y[0] ** 2.0 - 1.0) ** 2.0 + y[1] ** 2.0)
    close(tf.abs(found(double([0.1, 3.0]))), [1.0, 0.0], 1e-7)
    with pytest.raises(tf.errors.ConvergenceError, match="a saddle"):
        found(double([0.0, 0.0]))


# ---- what cannot be ----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_no_solution_is_an_error(mode: Any) -> None:
    for f, words in [
        (lambda a: tf.implicit_root(lambda y: y * y + a)(double(1.0)), "Jacobian there is singular"),
        (lambda a: tf.implicit_root(lambda y: y * y + a)(double(0.7)), "no step makes"),
        (lambda a: tf.implicit_root(lambda y: y**3.0 - a, max_iterations=2)(double(9.0)), "most"),
        (lambda a: tf.fixed_point(lambda y: a * 2.0 * y + 1.0, method="plain")(double(1.0)), "found no"),
        (lambda a: tf.minimize_implicit(lambda y: -a * y)(double(1.0)), "found no"),
        (lambda a: tf.implicit_root(lambda y: y - a, lambda f, y: y + 7.0)(double(0.0)), "`solve`"),
        (lambda a: tf.fixed_point(lambda y: a + 0.0 * y, lambda f, y: y)(double(0.0)), "`solve`"),
        (lambda a: tf.linear_solve(lambda x: 0.0 * x * a, double([1.0])), "cg did not solve"),
    ]:  # fmt: skip
        with pytest.raises(tf.errors.ConvergenceError, match=words):
            mode(f)(double(1.0))


def test_what_an_error_knows() -> None:
    with pytest.raises(tf.errors.ConvergenceError) as caught:
        tf.implicit_root(lambda y: y * y + 1.0, max_iterations=7)(double(1.0))
    assert caught.value.residual >= 1.0  # type: ignore[operator]
    assert caught.value.iterations <= 7  # type: ignore[operator]
    assert isinstance(caught.value, tf.errors.InvalidArgumentError)


@pytest.mark.parametrize("mode", MODES)
def test_a_singular_jacobian_is_an_error(mode: Any) -> None:
    """At a double root there is a value, and no derivative; two equations that are one have neither."""

    def touching(a: Any) -> Any:
        return tf.implicit_root(lambda y, a: (y - a) ** 2.0, lambda f, y: a_of(a))(0.0, a)

    def a_of(a: Any) -> Any:
        return double(3.0)

    close(mode(touching)(double(3.0)), 3.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="singular"):
        mode(tf.grad(touching))(double(3.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="singular"):
        mode(tf.jvp)(touching, (double(3.0),), (double(1.0),))

    def twice(a: Any) -> Any:
        return tf.implicit_root(lambda y: tf.stack([y[0] - y[1], 0.3 * (y[0] - y[1])]) + a)(
            double([1.0, 2.0])
        )

    with pytest.raises(tf.errors.InvalidArgumentError, match="singular"):
        mode(twice)(double(1.0))


def test_bad_arguments() -> None:
    with pytest.raises(TypeError, match=r"tf.implicit_root takes a function"):
        tf.implicit_root(3.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"`solve` of tf.fixed_point is a function"):
        tf.fixed_point(tf.cos, solve=3.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"tf.implicit_root are solved by one of direct, cg"):
        tf.implicit_root(tf.cos, linear="lu")
    with pytest.raises(ValueError, match=r"method of tf.fixed_point is one of"):
        tf.fixed_point(tf.cos, method="newton")
    with pytest.raises(ValueError, match=r"method of tf.minimize_implicit is one of"):
        tf.minimize_implicit(tf.cos, method="adam")
    with pytest.raises(ValueError, match=r"tolerance of tf.implicit_root must be positive"):
        tf.implicit_root(tf.cos, tolerance=0.0)
    with pytest.raises(ValueError, match=r"max_iterations of tf.linear_solve must be a positive"):
        tf.linear_solve(lambda x: x, 1.0, max_iterations=0)
    with pytest.raises(TypeError, match="floating numbers of one dtype"):
        tf.implicit_root(tf.cos)(tf.constant(1))
    with pytest.raises(TypeError, match="solves for real numbers, got complex128: split"):
        tf.implicit_root(tf.cos)(tf.constant(1j))
    with pytest.raises(TypeError, match="float32 or float64, got float32, float64"):
        tf.implicit_root(tf.cos)([tf.constant(1.0), double(1.0)])
    with pytest.raises(
        TypeError, match="must have the dtype of the unknowns, float32, got float64"
    ):
        tf.implicit_root(lambda y: tf.cast(y, tf.float64))(tf.constant(1.0))
    with pytest.raises(ValueError, match="what `solve` returns"):
        tf.implicit_root(tf.cos, lambda f, y: [y, y])(1.0)
