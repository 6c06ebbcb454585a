"""A solved equation as one operation: y with F(y) = 0, and the derivative of y by all that F reads.

The rules apply the implicit function theorem to the result of the operation itself: F'(y) dy = -dF.
Recorders of the rule know that result, so it moves with the parameters when the rule is
differentiated again, and every order is right.

Everything that F reads besides y is an input of the operation, whether it was passed or closed
over: `closures.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.context import activate, announce
from wengert.core.dispatch import apply
from wengert.core.reverse import conjugate, pull_through
from wengert.core.row import Attrs, Row
from wengert.derivatives.arguments import plain_int
from wengert.derivatives.closures import Closure
from wengert.derivatives.implicit_functions import solvers
from wengert.derivatives.mapping import for_each
from wengert.errors import ConvergenceError
from wengert.ops.arrays.creation import eye
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.shaping import expand_dims, squeeze, transpose
from wengert.ops.linalg.solving import solve
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.support.batch_rules import batch_all
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims, wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace

LINEAR: Final = ("direct", "cg", "gmres", "bicgstab")


class Settings(NamedTuple):
    """How an equation and the linear systems of its derivative are solved."""

    who: str  # the public function, for messages
    linear: str = "direct"
    tolerance: float | None = None
    max_iterations: int | None = None


def check_settings(settings: Settings) -> None:
    """Raise ValueError for an invalid setting."""
    who, linear, tolerance, most = settings
    if linear not in LINEAR:
        raise ValueError(
            f"The linear systems of tf.{who} are solved by one of {', '.join(LINEAR)}, "
            f"got {linear!r}."
        )
    if tolerance is not None and not tolerance > 0:
        raise ValueError(f"tolerance of tf.{who} must be positive, got {tolerance!r}.")
    if most is not None and (type(plain_int(most)) is not int or most < 1):
        raise ValueError(f"max_iterations of tf.{who} must be a positive integer, got {most!r}.")


# ---- the operation ----------------------------------------------------------------------------


class Equation:
    """F(y) = 0 for a vector y, and how it is solved."""

    def __init__(
        self, function: Callable[[Any], Sequence[Any]], solver: Any, settings: Settings
    ) -> None:
        self.closure = Closure(
            function, settings.who
        )  # gives F(y), and perhaps more for the solver
        self.solver = solver
        self.settings = settings

    # ---- derivatives of F --------------------------------------------------------------------

    def along(self, y: Any, reads: Sequence[Any], direction: Any) -> Any:
        """F'(y) times a direction."""
        own = identity(y)
        pushed = self.closure.pushed(own, reads, [direction, *[None] * len(reads)])
        return zeros_like(direction) if pushed is None else pushed

    def against(self, y: Any, reads: Sequence[Any], cotangent: Any) -> Any:
        """The transpose of F'(y) times a cotangent."""
        own = identity(y)
        (pulled,) = pull_through(lambda v: self.closure(v, reads)[:1], [own], [cotangent])
        return zeros_like(cotangent) if pulled is None else pulled

    def transposed_jacobian(self, y: Any, reads: Sequence[Any]) -> Any:
        """The transpose of F'(y) as a matrix: a row for each element of y."""
        size = dims(y)[0]
        units = eye(size, dtype=y.dtype)
        (rows,) = for_each(lambda unit: [self.along(y, reads, unit)], size, [units])
        return rows

    # ---- linear systems of the derivative ----------------------------------------------------

    def solved(self, y: Any, reads: Sequence[Any], right: Any, is_transposed: bool) -> Any:
        """The solution w of F'(y) w = right, or of the transposed system, with its derivative."""
        if self.settings.linear == "direct" and is_certain(dims(y)):
            attrs = {"who": self.settings.who}
            matrix = apply(REGULAR, (self.transposed_jacobian(y, reads),), attrs)
            if not is_transposed:
                matrix = transpose(matrix)
            return squeeze(solve(matrix, expand_dims(right, -1)), -1)
        product = self.against if is_transposed else self.along
        return solved_by(
            lambda w: [product(y, reads, w) - right],
            zeros_like(right),
            solvers.linear,
            self.settings,
        )


def solved_by(
    function: Callable[[Any], Sequence[Any]], start: Any, solver: Any, settings: Settings
) -> Any:
    """A vector y with function(y)[0] = 0, by a solver that begins at `start`, with its derivative.

    Args:
        function: From a vector to a list: the residual, a vector of the same size, and what else
            the solver reads of it.
        start: Where the solver begins. The result does not depend on it.
        solver: From a `solvers.System` and an array to the array of the solution.
        settings: How linear systems are solved.
    """
    equation = Equation(function, solver, settings)
    if equation.closure.must_be_traced:
        reads = equation.closure.trace(_known(start), start._array.dtype)
        return apply(SOLUTION, (start, *reads), {"equation": equation})
    result = wrap(equation_solved(equation, start._array, ()))
    reads = equation.closure.note(wrap(result._array))
    if not reads:
        return result
    return announce(SOLUTION, [start, *reads], {"equation": equation}, result)


def _known(x: Any) -> list[Any] | None:
    """The shape of a vector, as far as it is known."""
    shape = x.shape
    return None if shape.rank is None else list(shape)


def equation_solved(equation: Equation, start: Array, reads: Sequence[Array]) -> Array:
    """The solver's result, computed with no recorder active."""
    with activate((), None):
        system = solvers.System(equation, [wrap(r) for r in reads], start)
        found = np.asarray(equation.solver(system, start), start.dtype)
    if not np.isfinite(found).all():
        raise ConvergenceError(
            f"tf.{equation.settings.who}: the solver's result is not finite: {found}."
        )
    return found.reshape(start.shape)


def _kernel(_: Namespace, start: Array, *reads: Array, equation: Equation) -> Array:
    return equation_solved(equation, start, reads)


def _pulled(gs: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    equation, (y,), reads = attrs["equation"], ys, xs[1:]
    adjoint = equation.solved(y, reads, conjugate(gs[0]), is_transposed=True)
    followed = [x for x in reads if x.dtype.is_differentiable]
    pulled = iter(pull_through(lambda: equation.closure(y, reads)[:1], [], [-adjoint], followed))
    found = [next(pulled) if x.dtype.is_differentiable else None for x in reads]
    return [None, *map(conjugate, found)]


def _pushed(ts: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    equation, (y,), reads = attrs["equation"], ys, xs[1:]
    moved = equation.closure.pushed(y, reads, [None, *ts[1:]])
    return [None if moved is None else -equation.solved(y, reads, moved, is_transposed=False)]


SOLUTION: Final[Row] = Row(
    "Solution", _kernel, joint=_pulled, joint_jvp=_pushed, shape=lambda start, *_, **attrs: start, users=True
)  # fmt: skip


# ---- a check of the Jacobian ------------------------------------------------------------------


def _regular_kernel(_: Namespace, a: Array, *, who: str) -> Array:
    solvers.check_regular(a, who)
    return a


# A Jacobian, after a check that it can be inverted.
REGULAR: Final[Row] = Row(
    "RegularJacobian",
    _regular_kernel,
    vjp=(lambda g, y, a, **attrs: g,),
    jvp=(lambda t, y, a, **attrs: t,),
    shape=lambda a, **attrs: a,
    batch=lambda batched, size, xs, attrs: apply(REGULAR, batch_all(batched, size, xs), attrs),
    saves="",
)
