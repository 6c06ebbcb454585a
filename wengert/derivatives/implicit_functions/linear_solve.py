"""tf.linear_solve: a linear system whose matrix is a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.derivatives.arguments import check_function
from wengert.derivatives.implicit_functions import solvers
from wengert.derivatives.implicit_functions.equation import Settings, check_settings, solved_by
from wengert.derivatives.implicit_functions.vectors import Unknowns
from wengert.ops.math.elementwise import zeros_like


def linear_solve(
    matvec: Callable[[Any], Any],
    b: Any,
    method: str = "cg",
    tolerance: float | None = None,
    max_iterations: int | None = None,
) -> Any:
    """The x with matvec(x) = b, with derivatives of every order; the matrix is never built.

    Args:
        matvec: A linear function of something nested as `b` is, which it returns, too. Gradients
            flow to `b` and to all tensors and variables that it closes over.
        b: The right-hand side.
        method: "cg" for symmetric (Hermitian) positive definite matrices; "gmres" and "bicgstab" for
            others; "direct" builds the matrix and eliminates.
        tolerance: The largest residual, relative to that of zero; by default near the dtype's precision.
        max_iterations: How many iterations there may be, by default ten for each unknown.

    Raises:
        ConvergenceError: If the method does not converge: the matrix is singular, or not of its kind.
        InvalidArgumentError: If the matrix is singular, by "direct", or the function is not linear.

    >>> d, b = tf.constant([2.0, 4.0]), tf.constant([2.0, 8.0])
    >>> tf.linear_solve(lambda x: d * x, b).numpy().round(4).tolist()
    [1.0, 2.0]
    >>> tf.grad(lambda d: tf.reduce_sum(tf.linear_solve(lambda x: d * x, b)))(d).numpy().round(4).tolist()
    [-0.5, -0.5]
    """
    check_function(matvec, "linear_solve")
    settings = Settings("linear_solve", method, tolerance, max_iterations)
    check_settings(settings)
    unknowns = Unknowns(b, "linear_solve", takes_complex=True)
    right = unknowns.start

    def function(vector: Any) -> list[Any]:
        found = unknowns.nested_alike(matvec(unknowns.pack(vector)), "what matvec returns")
        return [found - right, found]

    return unknowns.pack(solved_by(function, zeros_like(right), solvers.linear_of_user, settings))
