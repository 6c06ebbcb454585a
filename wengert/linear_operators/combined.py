"""Operators composed of others: adjoint, inverse, product, Kronecker product."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

from wengert.linear_operators.arguments import common_batch, sizes
from wengert.linear_operators.base import LinearOperator
from wengert.linear_operators.from_elements import column, hints
from wengert.ops.arrays.shaping import broadcast_to, reshape, transpose
from wengert.ops.linalg.matrices import adjoint_of
from wengert.ops.math.arithmetic import multiply
from wengert.ops.math.complex import conj


def same_dtype(operators: Any, who: str) -> Any:
    """The operators as a list, after a check that it is not empty and all are of one dtype."""
    listed = list(operators)
    if not listed:
        raise ValueError(f"Expected a non-empty list of operators. Found: [] ({who})")
    for operator in listed:
        if operator.dtype is not listed[0].dtype:
            found = [(o.name, o.dtype.name) for o in listed]
            raise TypeError(f"Expected all operators to have the same dtype. Found: {found}")
    return listed


def all_true(values: Any) -> bool | None:
    """True if all are known to be true; otherwise None for unknown."""
    return True if all(values) else None


PROPERTIES = {
    "is_non_singular": "non-singular",
    "is_self_adjoint": "self-adjoint",
    "is_positive_definite": "positive-definite",
    "is_square": "square",
}


def shared_hints(
    operators: Sequence[LinearOperator], composed: str, **given: bool | None
) -> dict[str, Any]:
    """The hints of what is composed: a property that all operators have, it always has."""
    found = dict(given)
    for name, value in given.items():
        if all(getattr(operator, name) for operator in operators):
            if value is False:
                kind = PROPERTIES[name]
                raise ValueError(
                    f"{composed} {kind} operators is always {kind}. Expected argument `{name}` to "
                    f"be True. Received: {value}."
                )
            found[name] = True
    return found


def agreed_hints(
    operator: LinearOperator, derived: str, **given: bool | None
) -> dict[str, bool | None]:
    """The hints of an operator's adjoint or inverse: those of the operator, which must agree."""
    found = {}
    for name, value in given.items():
        own = getattr(operator, name)
        if None not in (own, value) and own is not value:
            raise ValueError(
                f"An operator is {PROPERTIES[name]} if and only if its {derived} is "
                f"{PROPERTIES[name]}. Found `operator.{name}`: {own}, `{name}`: {value}."
            )
        found[name] = own if value is None else value
    return found


def _is_mirrored(operators: Sequence[LinearOperator]) -> bool | None:
    """True for a product A B ... and the adjoint of the same; None where that is not known."""
    count = len(operators)
    pairs = zip(operators[: count // 2], reversed(operators), strict=False)
    return True if count % 2 == 0 and all(_are_adjoint(a, b) for a, b in pairs) else None


def _are_adjoint(a: LinearOperator, b: LinearOperator) -> bool:
    if a is b:
        return bool(a.is_self_adjoint)
    return any(
        isinstance(x, LinearOperatorAdjoint) and x.operator is y for x, y in ((a, b), (b, a))
    )


class LinearOperatorAdjoint(LinearOperator):
    """The conjugate transpose of an operator.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorAdjoint(operator).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        self._operator = operator
        known: dict[str, Any] = agreed_hints(
            operator,
            "adjoint",
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
        )
        super().__init__(
            operator.dtype,
            name=name or f"{operator.name}_adjoint",
            parameters={"operator": operator},
            **known,
        )

    @property
    def operator(self) -> LinearOperator:
        """The operator whose adjoint this is."""
        return self._operator

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operator": 0}

    def _sizes(self) -> list[Any]:
        *batch, rows, columns = self._operator._sizes()
        return [*batch, columns, rows]

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._operator._matmul(x, not adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._operator._solve(rhs, not adjoint)

    def _to_dense(self) -> Any:
        return adjoint_of(self._operator.to_dense())

    def _diag_part(self) -> Any:
        return conj(self._operator.diag_part())

    def _trace(self) -> Any:
        return conj(self._operator.trace())

    def _determinant(self) -> Any:
        return conj(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _eigvals(self) -> Any:
        return conj(self._operator.eigvals())

    def _cond(self) -> Any:
        return self._operator.cond()

    def _adjoint(self) -> LinearOperator:
        return self._operator


class LinearOperatorInversion(LinearOperator):
    """The inverse of an operator.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [0.0, 4.0]])
    >>> tf.linalg.LinearOperatorInversion(operator).to_dense().numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError(
                "Argument `is_non_singular` or argument `operator` must have supplied hint "
                f"`is_non_singular` equal to `True` or `None`. Found `operator.is_non_singular`: "
                f"{operator.is_non_singular}, `is_non_singular`: {is_non_singular}."
            )
        if operator.is_square is False or is_square is False:
            raise ValueError("Only a square operator has an inverse.")
        self._operator = operator
        known: dict[str, Any] = agreed_hints(
            operator,
            "inverse",
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_non_singular=is_non_singular,
        )
        super().__init__(
            operator.dtype,
            is_square=True,
            name=name or f"{operator.name}_inv",
            parameters={"operator": operator},
            **known,
        )

    @property
    def operator(self) -> LinearOperator:
        """The operator whose inverse this is."""
        return self._operator

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operator": 0}

    def _sizes(self) -> list[Any]:
        return self._operator._sizes()

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._operator._solve(x, adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._operator._matmul(rhs, adjoint)

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self._operator.log_abs_determinant()

    def _cond(self) -> Any:
        return self._operator.cond()

    def _inverse(self) -> LinearOperator:
        return self._operator


class LinearOperatorComposition(LinearOperator):
    """The product of operators.

    >>> d = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> p = tf.linalg.LinearOperatorPermutation([1, 0])
    >>> tf.linalg.LinearOperatorComposition([d, p]).to_dense().numpy().tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        self._operators: list[LinearOperator] = same_dtype(operators, "LinearOperatorComposition")
        is_non_singular = shared_hints(
            self._operators, "The composition of", is_non_singular=is_non_singular
        )["is_non_singular"]
        if _is_mirrored(self._operators):
            if is_square is False:
                raise ValueError(
                    "The composition was determined have the form A @ A.H, hence it must be "
                    "square. The user provided an incorrect `False` hint."
                )
            if is_self_adjoint is False:
                raise ValueError(
                    "The composition was determined to be self-adjoint but user provided "
                    "incorrect `False` hint."
                )
            if is_non_singular and is_positive_definite is False:
                raise ValueError(
                    "The composition was determined to be non-singular and have the form "
                    "A @ A.H, hence it must be positive-definite. The user provided an incorrect "
                    "`False` hint."
                )
            is_square = is_self_adjoint = True
            is_positive_definite = True if is_non_singular else is_positive_definite
        elif is_square is None:
            is_square = all_true(o.is_square for o in self._operators)
        super().__init__(
            self._operators[0].dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name or "_o_".join(o.name for o in self._operators),
            {"operators": operators},
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return list(self._operators)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}

    def _sizes(self) -> list[Any]:
        batch = common_batch(*[o._sizes()[:-2] for o in self._operators])
        return [*batch, self._operators[0]._sizes()[-2], self._operators[-1]._sizes()[-1]]

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        for operator in self._operators if adjoint else reversed(self._operators):
            x = operator.matmul(x, adjoint)
        return x

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        if not self._all_square():
            return super()._solve(rhs, adjoint)
        for operator in reversed(self._operators) if adjoint else self._operators:
            rhs = operator.solve(rhs, adjoint)
        return rhs

    def _to_dense(self) -> Any:
        return self._product(lambda o: o.to_dense())

    def _product(self, dense: Any) -> Any:
        total = dense(self._operators[-1])
        for operator in reversed(self._operators[:-1]):
            total = operator.matmul(total)
        return total

    def _all_square(self) -> bool:
        return all(o.is_square for o in self._operators)

    def _determinant(self) -> Any:
        if not self._all_square():
            return super()._determinant()
        return reduce(multiply, [o.determinant() for o in self._operators])

    def _log_abs_determinant(self) -> Any:
        if not self._all_square():
            return super()._log_abs_determinant()
        return reduce(lambda a, b: a + b, [o.log_abs_determinant() for o in self._operators])


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators: each element of the first times all of the rest.

    >>> a = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0]])
    >>> i = tf.linalg.LinearOperatorIdentity(2)
    >>> tf.linalg.LinearOperatorKronecker([a, i]).to_dense().numpy().tolist()
    [[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 2.0]]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        if not list(operators):
            raise ValueError("Argument `operators` must be a list of >=1 operators. Received: [].")
        self._operators: list[LinearOperator] = same_dtype(operators, "LinearOperatorKronecker")
        known = shared_hints(
            self._operators,
            "The Kronecker product of",
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
        )
        super().__init__(
            self._operators[0].dtype,
            name=name or "_x_".join(o.name for o in self._operators),
            parameters={"operators": operators},
            **known,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return list(self._operators)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}

    def _sizes(self) -> list[Any]:
        batch = common_batch(*[o._sizes()[:-2] for o in self._operators])
        rows, columns = (math.prod(o._sizes()[axis] for o in self._operators) for axis in (-2, -1))
        return [*batch, rows, columns]

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._on_each_axis(x, lambda o, part: o.matmul(part, adjoint), adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        if not all(o.is_square for o in self._operators):
            return super()._solve(rhs, adjoint)
        return self._on_each_axis(rhs, lambda o, part: o.solve(part, adjoint), adjoint)

    def _on_each_axis(self, x: Any, function: Any, adjoint: bool) -> Any:
        """Reshape the rows to an axis for each factor, and apply each factor along its own."""
        batch = common_batch(self._sizes()[:-2], sizes(x)[:-2])
        columns = sizes(x)[-1]
        x = broadcast_to(x, (*batch, *sizes(x)[-2:]))
        before, after = 1, sizes(x)[-2]
        lead = len(batch)
        order = (*range(lead), lead + 1, lead, lead + 2)
        for operator in self._operators:
            rows, inner = operator._sizes()[-2:]
            if adjoint:
                rows, inner = inner, rows
            after //= inner
            apart = transpose(reshape(x, (*batch, before, inner, after * columns)), order)
            flat = reshape(apart, (*batch, inner, before * after * columns))
            done = reshape(function(operator, flat), (*batch, rows, before, after * columns))
            x = transpose(done, order)
            before *= rows
        return reshape(x, (*batch, before, columns))

    def _power(self, operator: LinearOperator) -> int:
        return int(self._sizes()[-1] // operator._sizes()[-1])

    def _all_square(self) -> bool:
        return all(o.is_square for o in self._operators)

    def _determinant(self) -> Any:
        if not self._all_square():
            return super()._determinant()
        return reduce(multiply, [o.determinant() ** self._power(o) for o in self._operators])

    def _log_abs_determinant(self) -> Any:
        if not self._all_square():
            return super()._log_abs_determinant()
        parts = [o.log_abs_determinant() * float(self._power(o)) for o in self._operators]
        return reduce(lambda a, b: a + b, parts)

    def _trace(self) -> Any:
        if not self._all_square():
            return super()._trace()
        return reduce(multiply, [o.trace() for o in self._operators])

    def _diag_part(self) -> Any:
        if not self._all_square():
            return super()._diag_part()
        return self._outer([o.diag_part() for o in self._operators])

    def _eigvals(self) -> Any:
        return self._outer([o.eigvals() for o in self._operators])

    def _outer(self, vectors: Any) -> Any:
        total = vectors[0]
        for v in vectors[1:]:
            pairs = column(total) * v[..., None, :]
            *batch, a, b = sizes(pairs)
            total = reshape(pairs, (*batch, a * b))
        return total

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorKronecker([o.adjoint() for o in self._operators], **hints(self))

    def _inverse(self) -> LinearOperator:
        if not self._all_square():
            return super()._inverse()
        return LinearOperatorKronecker([o.inverse() for o in self._operators])

    def _cholesky(self) -> LinearOperator:
        if not all(o._has_cholesky() for o in self._operators):
            return super()._cholesky()
        return LinearOperatorKronecker([o.cholesky() for o in self._operators])
