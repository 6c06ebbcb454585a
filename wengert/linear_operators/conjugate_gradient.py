"""Linear systems by conjugate gradients: with products of the operator alone."""

from __future__ import annotations

from typing import Any, NamedTuple

from wengert.linear_operators.arguments import common_batch
from wengert.linear_operators.base import LinearOperator
from wengert.ops.arrays.creation import zeros
from wengert.ops.arrays.shaping import broadcast_to, expand_dims
from wengert.ops.control.while_loop import while_loop
from wengert.ops.linalg.norms import norm
from wengert.ops.math.comparison import logical_and
from wengert.ops.math.complex import conj
from wengert.ops.reductions.reductions import reduce_any, reduce_sum
from wengert.values.convert import convert
from wengert.values.tensor import dims


class CGState(NamedTuple):
    """Where the method stands: the step, the solution, what is left, the direction, the scale."""

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def conjugate_gradient(
    operator: LinearOperator,
    rhs: Any,
    preconditioner: LinearOperator | None = None,
    x: Any = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """The solution of A x = rhs for a self-adjoint, positive definite A, step by step.

    It ends when what is left of rhs is below `tol` times what was left at the beginning.

    >>> A = tf.linalg.LinearOperatorDiag([1.0, 2.0], is_self_adjoint=True, is_positive_definite=True)
    >>> tf.linalg.experimental.conjugate_gradient(A, [1.0, 4.0]).x.numpy().round(4).tolist()
    [1.0, 2.0]
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    right = convert(rhs, hint=operator.dtype)
    batch = common_batch(operator._sizes()[:-2], dims(right)[:-1])
    shape = (*batch, dims(right)[-1])
    start = zeros(shape, right.dtype) if x is None else convert(x, right.dtype)
    left = broadcast_to(right, shape)
    left = left if x is None else left - operator.matvec(start)
    direction = left if preconditioner is None else preconditioner.matvec(left)
    limit = tol * norm(left, axis=-1)

    def goes_on(state: CGState) -> Any:
        return logical_and(state.i < max_iter, reduce_any(norm(state.r, axis=-1) > limit))

    def step(state: CGState) -> tuple[CGState]:
        ahead = operator.matvec(state.p)
        alpha = expand_dims(state.gamma / _dot(state.p, ahead), -1)
        x, r = state.x + alpha * state.p, state.r - alpha * ahead
        q = r if preconditioner is None else preconditioner.matvec(r)
        gamma = _dot(r, q)
        p = q + expand_dims(gamma / state.gamma, -1) * state.p
        return (CGState(state.i + 1, x, r, p, gamma),)

    first = CGState(convert(0), start, left, direction, _dot(left, direction))
    (last,) = while_loop(goes_on, step, (first,))
    return CGState(*last)


def _dot(a: Any, b: Any) -> Any:
    return reduce_sum(conj(a) * b, -1)
