"""What linear operators answer the functions of tf.linalg: the result of the method, an operator where that is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from wengert.linear_operators.base import LinearOperator
from wengert.ops.arrays.shaping import expand_dims, squeeze
from wengert.ops.linalg import determinants, diagonals, matmul, matrices, solving, triangular
from wengert.values.typed_calls import Handler, add_handler

Function = Callable[..., Any]

# Methods that take the operator alone.
_OF_ONE: Final[dict[Function, str]] = {
    matrices.adjoint: "adjoint",
    triangular.cholesky: "cholesky",
    determinants.det: "determinant",
    diagonals.diag_part: "diag_part",
    solving.inv: "inverse",
    determinants.logdet: "log_abs_determinant",
    diagonals.trace: "trace",
}


def _by_method(method: str) -> Function:
    def target(*args: Any, **kwargs: Any) -> Any:
        given = [x for x in (*args, *kwargs.values()) if isinstance(x, LinearOperator)]
        return getattr(given[0], method)()

    return target


def _product(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time. Use adjoint_a or adjoint_b.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    mirrored = b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a)  # (b^H a^H)^H
    return matrices.adjoint(mirrored)


def _of_vector(
    a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, **kwargs: Any
) -> Any:
    column = expand_dims(b, -1)
    return squeeze(_product(a, column, transpose_a, adjoint_a=adjoint_a, **kwargs), -1)


def _solution(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    if not isinstance(matrix, LinearOperator):
        raise ValueError(
            "Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported. "
            "Write tf.linalg.LinearOperatorFullMatrix(matrix)."
        )
    return matrix.solve(rhs, adjoint=adjoint)


def _answer(function: Function, target: Function) -> None:
    def answer(_: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if not any(isinstance(x, LinearOperator) for x in (*args, *kwargs.values())):
            return NotImplemented
        return target(*args, **kwargs)

    add_handler(function, Handler(target, answer))


for _function, _method in _OF_ONE.items():
    _answer(_function, _by_method(_method))
_answer(matmul.matmul, _product)
_answer(matmul.matvec, _of_vector)
_answer(solving.solve, _solution)
