"""Solvers on arrays of NumPy: Newton's method, fixed points, minima, linear systems.

Each takes a `System` and an array to begin with, and returns the array of the solution or raises
ConvergenceError. What they compute is not differentiated; `equation.py` does that.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.errors import ConvergenceError, InvalidArgumentError
from wengert.host.locks import load_module
from wengert.ops.support.lapack import numpy_linalg
from wengert.values.tensor import wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array

_MOST: Final = 100  # iterations, by default
_HALVINGS: Final = 40
_MEMORY: Final = 5  # earlier steps that Anderson's method looks at


class System:
    """An equation at given parameters, as functions of arrays."""

    def __init__(self, equation: Any, reads: Sequence[Any], start: Array) -> None:
        self._equation = equation
        self._reads = reads
        self.settings = equation.settings
        self.epsilon = float(np.finfo(start.dtype).eps)

    @property
    def most(self) -> int:
        """How many iterations there may be."""
        return self.settings.max_iterations or _MOST

    @property
    def tolerance(self) -> float:
        """How exact a result must be."""
        return float(self.settings.tolerance or self.epsilon**0.5)

    def evaluate(self, y: Array) -> list[Array]:
        """The residual, and what the function gives beside it."""
        return [np.asarray(part) for part in self._equation.closure(wrap(y), self._reads)]

    def residual(self, y: Array) -> Array:
        """F(y)."""
        return self.evaluate(y)[0]

    def along(self, y: Array, direction: Array) -> Array:
        """F'(y) times a direction."""
        pushed = self._equation.along(wrap(y), self._reads, wrap(direction))
        return np.array(pushed)  # SciPy's methods write into what they are given

    def jacobian(self, y: Array) -> Array:
        """F'(y)."""
        rows: Array = np.asarray(self._equation.transposed_jacobian(wrap(y), self._reads))
        return rows.T

    def step(self, y: Array, right: Array) -> Array:
        """F'(y) w = right, solved for w."""
        if self.settings.linear == "direct":
            return solved_directly(self.jacobian(y), right, self.settings.who)
        return self._solved_by_iteration(y, right)

    def _solved_by_iteration(self, y: Array, right: Array) -> Array:
        """By a method that asks for products only."""
        who, method = self.settings.who, self.settings.linear
        if not np.any(right):
            return np.zeros_like(right)
        operators = load_module("scipy.sparse.linalg")
        operator = operators.LinearOperator(
            (right.size, right.size), lambda v: self.along(y, _vector(v, right)), dtype=right.dtype
        )
        tolerance = self.settings.tolerance or 10 * self.epsilon
        most = self.settings.max_iterations or max(10 * right.size, _MOST)
        limits = {"rtol": tolerance, "atol": 0.0, "maxiter": most}
        if method == "gmres":
            limits["restart"] = min(right.size, 50)
        scale = np.linalg.norm(right)  # the methods mistake very small numbers for a breakdown
        with np.errstate(all="ignore"):
            found, flag = getattr(operators, method)(operator, right / scale, **limits)
            left = float(np.linalg.norm(self.along(y, found) - right / scale))
        # At the limit of rounding a method may never stop, although it has converged.
        good = self.settings.tolerance or self.epsilon**0.5
        if not left <= 10 * good:
            raise ConvergenceError(
                f"tf.{who}: {method} did not solve the linear system of {right.size} unknowns: the "
                f"relative residual is {left:.3g} after {most if flag else 'fewer than ' + str(most)} "
                "iterations. Is the matrix singular"
                + (", or not symmetric and positive definite" if method == "cg" else "")
                + '? Try "direct", or raise max_iterations.',
                left,
                most,
            )
        return np.asarray(found * scale, right.dtype)


def _vector(v: Any, like: Array) -> Array:
    return np.ascontiguousarray(np.ravel(v), like.dtype)


def _size(v: Array) -> float:
    return float(np.max(np.abs(v), initial=0.0))


# ---- linear systems ---------------------------------------------------------------------------


def check_regular(a: Array, who: str) -> None:
    """Raise unless matrices can be inverted numerically."""
    if not np.isfinite(a).all():
        raise InvalidArgumentError(f"tf.{who}: the Jacobian at the solution is not finite.")
    if a.size == 0:
        return
    condition = np.linalg.cond(np.asarray(a, np.result_type(a, np.float32)), 1)
    if not np.all(condition < 1 / np.finfo(a.dtype).eps):
        raise singular(who)


def singular(who: str) -> InvalidArgumentError:
    """The error of a Jacobian without an inverse."""
    return InvalidArgumentError(
        f"tf.{who}: the Jacobian of the equations by the unknowns is singular, so that they do not "
        "determine the solution or its derivative. Are there as many independent equations as "
        "unknowns, and is the solution no double root?"
    )


def solved_directly(a: Array, right: Array, who: str) -> Array:
    """The solution of one system, by elimination."""
    check_regular(a, who)
    found: Array = numpy_linalg().solve(a, right)
    return found


def linear(system: System, start: Array) -> Array:
    """F is linear: one step of Newton's method, and one more against rounding."""
    nothing = system.residual(start)
    step = system.step(start, nothing)
    y = start - step
    if system.settings.linear == "direct":
        y = y - system.step(y, system.residual(y))
    _check_linear(system, start, nothing, y)
    return y


def linear_of_user(system: System, start: Array) -> Array:
    """The same where F(y) = A(y) - b is of a user's A, which may not be linear. `start` is zeros."""
    _check_probe(system, start)
    return linear(system, start)


def _check_probe(system: System, zeros: Array) -> None:
    """Raise unless A(0) is zero and A(v) what the derivative at zero says, for a v like no other.

    The solution alone would not do: what A adds goes into it, and a bend may lie elsewhere.
    """
    residual, of_zeros = system.evaluate(zeros)
    within = system.epsilon**0.5  # far above rounding: nothing cancels in a product with such a v
    if _size(of_zeros) > within * _size(of_zeros - residual):
        raise _not_linear(system, "what it gives for zeros is not zero, but", _size(of_zeros))
    probe = _probe(zeros)
    found, said = system.evaluate(probe)[1], system.along(zeros, probe)
    if _size(found - said) > within * max(_size(found), _size(said)):
        what = "its values differ from what its derivative at zero says by up to"
        raise _not_linear(system, what, _size(found - said))


def _probe(like: Array) -> Array:
    """Numbers around one without a pattern, the same each time; some of them negative."""
    drawn = np.random.default_rng(like.size).uniform(0.5, 1.5, (2, like.size))
    drawn *= np.random.default_rng(like.size + 1).choice([-1.0, 1.0], drawn.shape)
    turned = drawn[0] + 1j * drawn[1] if like.dtype.kind == "c" else drawn[0]
    return np.asarray(turned, like.dtype)


def _check_linear(system: System, start: Array, nothing: Array, y: Array) -> None:
    """Raise unless F moves as its derivative says."""
    moved = system.residual(y) - nothing
    said = system.along(start, y - start)
    scale = _size(said) + _size(nothing)
    is_linear = _size(moved - said) <= 1e3 * system.epsilon**0.5 * scale
    if not (
        is_linear and _size(moved + nothing) <= 0.01 * scale
    ):  # conj is linear in real numbers only
        off = max(_size(moved - said), _size(moved + nothing))
        raise _not_linear(system, "what it gives for the solution is off by", off)


def _not_linear(system: System, what: str, size: float) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"tf.{system.settings.who}: the function is not linear: {what} {size:.3g}. What is added "
        "belongs to the right-hand side; for other equations there is tf.implicit_root."
    )


# ---- roots ------------------------------------------------------------------------------------


def newton(system: System, start: Array) -> Array:
    """Newton's method, with steps that are halved until the residual falls."""
    y, f = start, system.residual(start)
    for count in range(system.most):
        if not np.isfinite(f).all():
            raise _stuck(system, f, count, "the residual is not finite")
        if not np.any(f):
            return y
        step = _step_of_newton(system, y, f, count)
        if _size(step) <= 10 * system.epsilon * (1 + _size(y)):
            return y - step
        moved = _damped(system, y, f, step)
        if moved is None:  # at the limit of rounding nothing decreases any more
            if _size(step) <= system.tolerance * (1 + _size(y)):
                return y
            raise _stuck(system, f, count, "no step makes the residual smaller")
        y, f = moved
    raise _stuck(system, f, system.most, "that is the most allowed by max_iterations")


def _step_of_newton(system: System, y: Array, f: Array, count: int) -> Array:
    try:
        return system.step(y, f)
    except ConvergenceError:
        raise
    except InvalidArgumentError:
        raise _stuck(system, f, count, "the Jacobian there is singular") from None


def _damped(system: System, y: Array, f: Array, step: Array) -> tuple[Array, Array] | None:
    before = np.linalg.norm(f)
    share = 1.0
    for _ in range(_HALVINGS):
        moved = (y - share * step).astype(y.dtype)
        found = system.residual(moved)
        if np.linalg.norm(found) < (1 - 1e-4 * share) * before:  # which NaN is not
            return moved, found
        share /= 2
    return None


def _stuck(system: System, f: Array, count: int, why: str) -> ConvergenceError:
    size = _size(f)
    return ConvergenceError(
        f"tf.{system.settings.who} found no solution: after {count} iterations the largest residual "
        f"is {size:.3g}, and {why}. Start nearer to the solution, give a `solve` of your own, or "
        "change `max_iterations` or `tolerance`.",
        size,
        count,
    )


def check_solution(system: System, start: Array, y: Array) -> Array:
    """What a user's solver found, after a check that it is a solution."""
    y = np.asarray(y, start.dtype)
    size, before = _size(system.residual(y)), _size(system.residual(start))
    limit = system.tolerance * (1 + (before if np.isfinite(before) else 0.0))
    if not size <= limit:
        raise ConvergenceError(
            f"tf.{system.settings.who}: what `solve` returned is not a solution: the largest residual is "
            f"{size:.3g}, and at most {limit:.3g} counts as zero. Solve more exactly, or set "
            "`tolerance` to what is exact enough.",
            size,
        )
    return y


# ---- fixed points -----------------------------------------------------------------------------


def plain_iteration(system: System, start: Array) -> Array:
    """y = f(y), again and again; the residual is y - f(y)."""
    return _iterated(system, start, lambda y, f: y - f)


def anderson(system: System, start: Array) -> Array:
    """Anderson's method: the combination of the latest steps whose residual would be least."""
    ys: list[Array] = []
    fs: list[Array] = []

    def after(y: Array, f: Array) -> Array:
        ys.append(y)
        fs.append(f)
        del ys[: -_MEMORY - 1], fs[: -_MEMORY - 1]
        if len(fs) == 1:
            return y - f
        falls = np.stack([b - a for a, b in itertools.pairwise(fs)], -1)
        moves = np.stack([b - a for a, b in itertools.pairwise(ys)], -1)
        shares = numpy_linalg().lstsq(falls, f, rcond=None)[0]
        return y - f - (moves - falls) @ shares

    return _iterated(system, start, after)


def _iterated(system: System, start: Array, after: Callable[[Array, Array], Array]) -> Array:
    y, best, since = start, np.inf, 0
    exact = system.settings.tolerance or 10 * system.epsilon
    most = system.settings.max_iterations or 10 * _MOST
    f = system.residual(y)
    for count in range(most):
        size = _size(f)
        if not np.isfinite(size):
            raise _stuck(system, f, count, "it grows without bound: the function does not contract")
        if size <= exact * (1 + _size(y)):
            return y
        since = 0 if size < best else since + 1
        best = min(best, size)
        if since > _MEMORY and size <= system.tolerance * (1 + _size(y)):
            return y  # at the limit of rounding
        y = np.asarray(after(y, f), start.dtype)
        f = system.residual(y)
    raise _stuck(system, f, most, "that is the most allowed by max_iterations")


# ---- minima -----------------------------------------------------------------------------------


def descent(system: System, start: Array) -> Array:
    """Newton's method for a minimum: the Hessian is shifted where it is not positive definite."""
    y = start
    gradient, value = system.evaluate(y)
    for count in range(system.most):
        if not np.isfinite(gradient).all() or not np.isfinite(value):
            raise _stuck(system, gradient, count, "objective or gradient is not finite")
        step, least = _downhill(system.jacobian(y), gradient)
        if _size(step) <= 10 * system.epsilon * (1 + _size(y)):
            if least < 0:
                raise _stuck(system, gradient, count, "the point is a saddle, not a minimum")
            return y - step
        moved = _lower(system, y, float(value), gradient, step)
        if moved is None:
            if _size(step) <= system.tolerance * (1 + _size(y)):
                return y
            raise _stuck(system, gradient, count, "no step makes the objective smaller")
        y, (gradient, value) = moved
    raise _stuck(system, gradient, system.most, "that is the most allowed by max_iterations")


def _downhill(hessian: Array, gradient: Array) -> tuple[Array, float]:
    """Newton's step by the absolute eigenvalues of the Hessian, and the least one if negative."""
    e, v = numpy_linalg().eigh((hessian + hessian.T) / 2)
    small = np.finfo(e.dtype).eps ** 0.5 * max(_size(e), 1e-30)
    step: Array = v @ ((v.T @ gradient) / np.maximum(np.abs(e), small))
    return step, float(np.min(e, initial=0.0, where=e < -small))


def _lower(system: System, y: Array, value: float, gradient: Array, step: Array) -> Any:
    """A point where the objective is lower, or near the end the gradient smaller."""
    slope, before, share = float(gradient @ step), np.linalg.norm(gradient), 1.0
    noise = 10 * system.epsilon * (1 + abs(value))
    for _ in range(_HALVINGS):
        moved = (y - share * step).astype(y.dtype)
        found = system.evaluate(moved)
        fallen = value - float(found[1])
        is_smaller = np.linalg.norm(found[0]) < 0.5 * before
        if (fallen >= 1e-4 * share * slope and fallen > noise) or (fallen >= -noise and is_smaller):
            return moved, found
        share /= 2
    return None


def l_bfgs(system: System, start: Array) -> Array:
    """L-BFGS of SciPy, which needs no Hessian."""

    def both(y: Array) -> tuple[float, Array]:
        gradient, value = system.evaluate(np.asarray(y, start.dtype))
        return float(value), np.asarray(gradient, float)

    optimize = load_module("scipy.optimize")
    most = system.settings.max_iterations or 150 * _MOST
    limits = {"ftol": 0.0, "gtol": 1e-3 * system.tolerance, "maxiter": most, "maxfun": 20 * most}
    y = start
    for _ in range(_RESTARTS):  # its line search may give up before the gradient is small
        y = optimize.minimize(both, y, jac=True, method="L-BFGS-B", options=limits).x
        if _size(system.residual(np.asarray(y, start.dtype))) <= system.tolerance:
            return check_solution(system, start, y)
    return check_solution(system, start, descent(system, np.asarray(y, start.dtype)))


_RESTARTS: Final = 3
