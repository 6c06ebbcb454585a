"""Solutions of equations, fixed points and minima, as functions of their parameters."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.derivatives.arguments import check_function
from wengert.derivatives.implicit_functions import solvers
from wengert.derivatives.implicit_functions.equation import Settings, check_settings, solved_by
from wengert.derivatives.implicit_functions.vectors import Unknowns
from wengert.derivatives.reverse import value_and_grad_for
from wengert.overrides.switches import Switches
from wengert.values.convert import convert

Solve = Callable[[Callable[[Any], Any], Any], Any]


def implicit_root(
    residual: Callable[..., Any],
    solve: Solve | None = None,
    linear: str = "direct",
    tolerance: float | None = None,
    max_iterations: int | None = None,
) -> Callable[..., Any]:
    """The solution y of residual(y, *parameters) = 0, as a function with derivatives of every order.

    They come from the implicit function theorem and not from the steps of the solver, which may be
    anything: only the solution matters, and it must be one.

    Args:
        residual: A function of the unknowns, and of parameters, that returns as many numbers as there
            are unknowns. Tensors and variables that it closes over are parameters, too.
        solve: Finds the solution in place of Newton's method: `solve(function, guess)` is given the
            residual as a function of the unknowns alone, and returns something nested as the guess.
            It is called with tensors that have values, also where a graph runs.
        linear: How linear systems with the Jacobian are solved: "direct" by elimination; "cg",
            "gmres" or "bicgstab" by products alone, for many unknowns.
        tolerance: How exact the solution must be: of `solve`, the largest residual, relative to 1
            plus that of the guess. By default the root of the dtype's precision.
        max_iterations: How many steps Newton's method may take, by default 100.

    Returns:
        `root(guess, *parameters)`, the solution, nested as the guess is. It does not depend on the
        guess: that has no gradient. Numbers of Python in the guess take the dtype of the parameters.

    Raises:
        ConvergenceError: If no solution was found, or `solve` returned none.
        InvalidArgumentError: If the Jacobian by the unknowns is singular where it is needed.

    >>> root = tf.implicit_root(lambda y, a: y * y - a)
    >>> root(1.0, tf.constant(9.0)).numpy(), tf.grad(root, 1)(1.0, 9.0).numpy().round(4)
    (np.float32(3.0), np.float32(0.1667))
    """
    check_function(residual, "implicit_root")
    settings = Settings("implicit_root", linear, tolerance, max_iterations)
    _check(solve, settings)

    @functools.wraps(residual)
    def root(guess: Any, *parameters: Any, **named: Any) -> Any:
        unknowns = Unknowns(guess, "implicit_root", (parameters, named))

        def function(vector: Any) -> list[Any]:
            found = residual(unknowns.pack(vector), *parameters, **named)
            return [unknowns.checked(found, "what residual returns")]

        solver = solvers.newton if solve is None else _of_user(unknowns, solve, _residual)
        return unknowns.pack(solved_by(function, unknowns.start, solver, settings))

    return root


def fixed_point(
    f: Callable[..., Any],
    solve: Solve | None = None,
    method: str = "anderson",
    linear: str = "direct",
    tolerance: float | None = None,
    max_iterations: int | None = None,
) -> Callable[..., Any]:
    """The y with y = f(y, *parameters), as a function with derivatives of every order.

    Args:
        f: A function of the unknowns, and of parameters, that returns something nested as the
            unknowns are. Tensors and variables that it closes over are parameters, too.
        solve: Finds the fixed point in place of `method`: `solve(function, guess)` is given f as a
            function of the unknowns alone, and returns something nested as the guess.
        method: "plain" applies f again and again, which needs a contraction; "anderson" combines the
            latest steps, and needs fewer.
        linear: How linear systems with 1 - f' are solved: as for `tf.implicit_root`.
        tolerance: How much f may still move the result, relative to 1 plus its size.
        max_iterations: How often f is applied at most, by default 1000.

    Returns:
        `point(guess, *parameters)`, nested as the guess is, which has no gradient.

    Raises:
        ConvergenceError: If no fixed point was found, or `solve` returned none.
        InvalidArgumentError: If f' has an eigenvalue of 1, so that there is no derivative.

    >>> point = tf.fixed_point(lambda y, a: tf.cos(a * y))
    >>> y, slope = tf.jvp(lambda a: point(1.0, a), (1.0,), (1.0,))
    >>> y.numpy().round(4), slope.numpy().round(4)
    (np.float32(0.7391), np.float32(-0.2975))
    """
    check_function(f, "fixed_point")
    if method not in _FIXED_POINT:
        raise ValueError(
            f"method of tf.fixed_point is one of {', '.join(_FIXED_POINT)}, got {method!r}."
        )
    settings = Settings("fixed_point", linear, tolerance, max_iterations)
    _check(solve, settings)

    @functools.wraps(f)
    def point(guess: Any, *parameters: Any, **named: Any) -> Any:
        unknowns = Unknowns(guess, "fixed_point", (parameters, named))

        def function(vector: Any) -> list[Any]:
            found = f(unknowns.pack(vector), *parameters, **named)
            return [vector - unknowns.nested_alike(found, "what f returns")]

        solver = _FIXED_POINT[method] if solve is None else _of_user(unknowns, solve, _image)
        return unknowns.pack(solved_by(function, unknowns.start, solver, settings))

    return point


def minimize_implicit(
    objective: Callable[..., Any],
    solve: Solve | None = None,
    method: str = "newton",
    linear: str = "direct",
    tolerance: float | None = None,
    max_iterations: int | None = None,
) -> Callable[..., Any]:
    """The y that minimizes objective(y, *parameters), as a function with derivatives of every order.

    The derivative comes from the condition that the gradient by y is zero. That is so in the interior:
    a minimum at a bound that `solve` keeps to is refused.

    Args:
        objective: A function of the unknowns, and of parameters, that returns one number. Tensors and
            variables that it closes over are parameters, too.
        solve: Finds the minimum in place of `method`: `solve(function, guess)` is given the objective
            as a function of the unknowns alone, and returns something nested as the guess.
        method: "newton" computes the Hessian in each step; "l-bfgs" of SciPy is for many unknowns.
        linear: How linear systems with the Hessian are solved: as for `tf.implicit_root`. Where the
            objective is convex, "cg" is the method for many unknowns.
        tolerance: How small the gradient must be, relative to 1 plus that at the guess.
        max_iterations: How many steps `method` may take.

    Returns:
        `minimum(guess, *parameters)`, nested as the guess is, which has no gradient.

    Raises:
        ConvergenceError: If no minimum was found, or `solve` returned a point with a gradient.
        InvalidArgumentError: If the Hessian is singular, so that there is no derivative.

    >>> ridge = tf.minimize_implicit(lambda y, a: (y - 3.0) ** 2.0 + a * y ** 2.0)
    >>> ridge(0.0, tf.constant(0.5)).numpy(), tf.grad(ridge, 1)(0.0, 0.5).numpy().round(4)
    (np.float32(2.0), np.float32(-1.3333))
    """
    check_function(objective, "minimize_implicit")
    if method not in _MINIMUM:
        raise ValueError(
            f"method of tf.minimize_implicit is one of {', '.join(_MINIMUM)}, got {method!r}."
        )
    settings = Settings("minimize_implicit", linear, tolerance, max_iterations)
    _check(solve, settings)
    with_gradient = value_and_grad_for(objective, 0, None, False, settings.who, Switches())

    @functools.wraps(objective)
    def minimum(guess: Any, *parameters: Any, **named: Any) -> Any:
        unknowns = Unknowns(guess, "minimize_implicit", (parameters, named))

        def function(vector: Any) -> list[Any]:
            value, gradient = with_gradient(unknowns.pack(vector), *parameters, **named)
            return [unknowns.flat(gradient, "the gradient of the objective"), convert(value)]

        solver = _MINIMUM[method] if solve is None else _of_user(unknowns, solve, _value)
        return unknowns.pack(solved_by(function, unknowns.start, solver, settings))

    return minimum


_FIXED_POINT: Final[dict[str, Any]] = {
    "anderson": solvers.anderson,
    "plain": solvers.plain_iteration,
}
_MINIMUM: Final[dict[str, Any]] = {"newton": solvers.descent, "l-bfgs": solvers.l_bfgs}


def _check(solve: Any, settings: Settings) -> None:
    check_settings(settings)
    if solve is not None and not callable(solve):
        raise TypeError(
            f"`solve` of tf.{settings.who} is a function solve(function, guess) or None, got {solve!r}."
        )


# ---- a solver of the user ---------------------------------------------------------------------


def _of_user(unknowns: Unknowns, solve: Solve, asked: Callable[..., Any]) -> Any:
    """A solver of structures of tensors as one of arrays, whose result is checked."""

    def solver(system: solvers.System, start: Any) -> Any:
        def function(structure: Any) -> Any:
            vector = unknowns.nested_alike(structure, "what `solve` asks about")
            return asked(unknowns, system, np.asarray(vector))

        found = solve(function, unknowns.pack(convert(start)))
        vector = unknowns.nested_alike(found, "what `solve` returns")
        return solvers.check_solution(system, start, np.asarray(vector))

    return solver


def _residual(unknowns: Unknowns, system: solvers.System, vector: Any) -> Any:
    return unknowns.pack(convert(system.residual(vector)))


def _image(unknowns: Unknowns, system: solvers.System, vector: Any) -> Any:
    return unknowns.pack(convert(vector - system.residual(vector)))


def _value(unknowns: Unknowns, system: solvers.System, vector: Any) -> Any:
    return convert(system.evaluate(vector)[1])
