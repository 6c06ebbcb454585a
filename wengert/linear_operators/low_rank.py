"""Low-rank updates: an operator plus a product of thin matrices."""

from __future__ import annotations

from typing import Any

from wengert.linear_operators.arguments import as_parameter, common_batch, sizes, solve_broadcast
from wengert.linear_operators.base import LinearOperator
from wengert.linear_operators.from_elements import LinearOperatorDiag, column
from wengert.ops.arrays.creation import eye, ones
from wengert.ops.linalg.determinants import det
from wengert.ops.linalg.diagonals import diag
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import adjoint_of
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.complex import conj
from wengert.ops.math.elementwise import cast, log
from wengert.ops.reductions.reductions import reduce_sum


class LinearOperatorLowRankUpdate(LinearOperator):
    """L + U D V^H for an operator L and thin U and V; D is diagonal.

    Solves and determinants cost those of L and of a small matrix (Woodbury identity).

    >>> base = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> tf.linalg.LinearOperatorLowRankUpdate(base, [[1.0], [1.0]]).to_dense().numpy().tolist()
    [[2.0, 1.0], [1.0, 3.0]]
    """

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        self._base = base_operator
        self._u = as_parameter(u, "u", base_operator.dtype)
        self._v = self._u if v is None else as_parameter(v, "v", base_operator.dtype)
        self._same = v is None
        self._diag_update = (
            None
            if diag_update is None
            else as_parameter(diag_update, "diag_update", base_operator.dtype)
        )
        self._positive = True if diag_update is None else is_diag_update_positive
        self._use_cholesky = bool(
            base_operator.is_positive_definite
            and base_operator.is_self_adjoint
            and self._positive
            and self._same
        )
        if self._use_cholesky:
            if False in (is_positive_definite, is_self_adjoint, is_non_singular):
                raise ValueError(
                    "Arguments imply this is self-adjoint positive-definite operator. "
                    f"Received `is_positive_definite`: {is_positive_definite}, `is_self_adjoint`: "
                    f"{is_self_adjoint}, `is_non_singular`: {is_non_singular}."
                )
            is_positive_definite = is_self_adjoint = True
        elif base_operator.is_self_adjoint and self._same and not base_operator.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is "
                    "self-adjoint, this must be a self-adjoint operator."
                )
            is_self_adjoint = True
        super().__init__(
            base_operator.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            {
                "base_operator": base_operator,
                "u": u,
                "diag_update": diag_update,
                "v": v,
                "is_diag_update_positive": is_diag_update_positive,
            },
        )

    @property
    def base_operator(self) -> LinearOperator:
        """The operator L that is updated."""
        return self._base

    @property
    def u(self) -> Any:
        """The left factor U of the update."""
        return self._u

    @property
    def v(self) -> Any:
        """The right factor V of the update."""
        return self._v

    @property
    def diag_update(self) -> Any:
        """The diagonal D between both; None for the identity."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """The diagonal D between both, as an operator."""
        return LinearOperatorDiag(self._middle(), is_positive_definite=self._positive)

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether the diagonal D is known to be positive."""
        return self._positive

    def _middle(self) -> Any:
        rank = sizes(self._u)[-1]
        return ones((rank,), self.dtype) if self._diag_update is None else self._diag_update + 0

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"base_operator": 0, "u": 2, "diag_update": 1, "v": 2}

    def _sizes(self) -> list[Any]:
        found = self._base._sizes()
        batch = common_batch(found[:-2], sizes(self._u)[:-2], sizes(self._v)[:-2])
        if self._diag_update is not None:
            batch = common_batch(batch, sizes(self._diag_update)[:-1])
        return [*batch, *found[-2:]]

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        left, right, middle = self._factors(adjoint)
        return self._base.matmul(x, adjoint) + matmul(left, middle * matmul(right, x))

    def _factors(self, adjoint: bool) -> tuple[Any, Any, Any]:
        """U, V^H and D as a column, of the operator or of its adjoint."""
        u, v, d = self._u + 0, self._v + 0, column(self._middle())
        return (v, adjoint_of(u), conj(d)) if adjoint else (u, adjoint_of(v), d)

    def _capacitance(self, adjoint: bool) -> Any:
        """The capacitance matrix D^-1 + V^H L^-1 U of the Woodbury identity."""
        left, right, middle = self._factors(adjoint)
        return diag(1.0 / middle[..., 0]) + matmul(right, self._base.solve(left, adjoint))

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        left, right, _ = self._factors(adjoint)
        first = self._base.solve(rhs, adjoint)
        small = solve_broadcast(
            self._capacitance(adjoint), matmul(right, first), False, self._use_cholesky
        )
        return first - self._base.solve(matmul(left, small), adjoint)

    def _determinant(self) -> Any:
        return self._base.determinant() * det(self._small())

    def _small(self) -> Any:
        """I + D V^H L^-1 U, by whose determinant the update multiplies that of L."""
        left, right, middle = self._factors(False)
        rank = sizes(self._u)[-1]
        inner = matmul(right, self._base.solve(left))
        return eye(rank, dtype=self.dtype) + middle * inner

    def _log_abs_determinant(self) -> Any:
        change = cast(log(absolute(det(self._small()))), self.dtype)
        return self._base.log_abs_determinant() + change

    def _diag_part(self) -> Any:
        scaled = self._middle()[..., None, :] * (self._u + 0)
        return self._base.diag_part() + reduce_sum(scaled * conj(self._v + 0), -1)
