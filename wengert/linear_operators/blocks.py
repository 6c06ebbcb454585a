"""Block operators, whose blocks are operators."""

from __future__ import annotations

from functools import reduce
from typing import Any

from wengert.linear_operators.arguments import broadcast_batches, common_batch, is_in_blocks, sizes
from wengert.linear_operators.base import LinearOperator, computed
from wengert.linear_operators.combined import same_dtype, shared_hints
from wengert.linear_operators.from_elements import LinearOperatorFullMatrix, hints
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import broadcast_to
from wengert.ops.linalg.matrices import adjoint as adjoint_of
from wengert.ops.math.arithmetic import multiply


class Blocks(LinearOperator):
    """Shared by block operators: arguments, and then results, may be lists of blocks of rows."""

    @property
    def operators(self) -> list[Any]:
        """The blocks, in a row or in rows."""
        raise NotImplementedError

    def _row_sizes(self) -> list[int]:
        raise NotImplementedError

    def _column_sizes(self) -> list[int]:
        raise NotImplementedError

    def _on_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        raise NotImplementedError

    def _solve_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        raise NotImplementedError

    def _sizes(self) -> list[Any]:
        return [*self._batch(), sum(self._row_sizes()), sum(self._column_sizes())]

    def _batch(self) -> list[Any]:
        raise NotImplementedError

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """The product with a matrix, with a list of blocks of its rows, or with an operator."""
        if not self._is_in_blocks(x, of_rows=adjoint):
            return super().matmul(x, adjoint, adjoint_arg)
        parts = [self._argument(p) for p in x]
        parts = [adjoint_of(p) if adjoint_arg else p for p in parts]
        found: list[Any] = computed(self, "_on_blocks", parts, adjoint)
        return found

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The solution x of A x = rhs; a list of blocks if rhs is one."""
        if not self._is_in_blocks(rhs, of_rows=not adjoint):
            return super().solve(rhs, adjoint, adjoint_arg)
        parts = [self._argument(p) for p in rhs]
        parts = [adjoint_of(p) if adjoint_arg else p for p in parts]
        found: list[Any] = computed(self, "_solve_blocks", parts, adjoint)
        return found

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product with a vector, or with a list of its parts."""
        if not self._is_in_blocks(x, adjoint, vectors=True):
            return super().matvec(x, adjoint)
        found = self.matmul([self._argument(p)[..., None] for p in x], adjoint)
        return [y[..., 0] for y in found]

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The vector x that solves A x = rhs; a list of parts if rhs is one."""
        if not self._is_in_blocks(rhs, not adjoint, vectors=True):
            return super().solvevec(rhs, adjoint)
        found = self.solve([self._argument(p)[..., None] for p in rhs], adjoint)
        return [y[..., 0] for y in found]

    def _is_in_blocks(self, x: Any, of_rows: bool, vectors: bool = False) -> bool:
        diagonal = [o[-1] if isinstance(o, list) else o for o in self.operators]
        counts = [o.shape[-2] if of_rows else o.shape[-1] for o in diagonal]
        return is_in_blocks(counts, x, -1 if vectors else -2)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        given = self._row_sizes() if adjoint else self._column_sizes()
        return self._together(self._on_blocks(_split(x, given), adjoint))

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._together(self._solve_blocks(_split(rhs, self._row_sizes()), adjoint))

    def _together(self, parts: list[Any]) -> Any:
        return concat(broadcast_batches(parts), -2)


def _split(x: Any, counts: list[int]) -> list[Any]:
    found, begin = [], 0
    for count in counts:
        found.append(x[..., begin : begin + count, :])
        begin += count
    return found


class LinearOperatorBlockDiag(Blocks):
    """Operators along the diagonal, zeros elsewhere.

    >>> d = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> i = tf.linalg.LinearOperatorIdentity(1)
    >>> tf.linalg.LinearOperatorBlockDiag([d, i]).diag_part().numpy().tolist()
    [1.0, 2.0, 1.0]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        self._operators: list[LinearOperator] = same_dtype(operators, "LinearOperatorBlockDiag")
        known = shared_hints(
            self._operators,
            "The direct sum of",
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
        )
        super().__init__(
            self._operators[0].dtype,
            is_square=is_square,
            name=name or "_ds_".join(o.name for o in self._operators),
            parameters={"operators": operators},
            **known,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The blocks."""
        return list(self._operators)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}

    def _batch(self) -> list[Any]:
        return common_batch(*[o._sizes()[:-2] for o in self._operators])

    def _row_sizes(self) -> list[int]:
        return [o._sizes()[-2] for o in self._operators]

    def _column_sizes(self) -> list[int]:
        return [o._sizes()[-1] for o in self._operators]

    def _on_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        return [o.matmul(p, adjoint) for o, p in zip(self._operators, parts, strict=True)]

    def _solve_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        return [o.solve(p, adjoint) for o, p in zip(self._operators, parts, strict=True)]

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

    def _trace(self) -> Any:
        if not self._all_square():
            return super()._trace()
        return reduce(lambda a, b: a + b, [o.trace() for o in self._operators])

    def _diag_part(self) -> Any:
        if not self._all_square():
            return super()._diag_part()
        return self._joined([o.diag_part() for o in self._operators])

    def _eigvals(self) -> Any:
        return self._joined([o.eigvals() for o in self._operators])

    def _joined(self, vectors: list[Any]) -> Any:
        batch = self._batch()
        return concat([broadcast_to(v, (*batch, sizes(v)[-1])) for v in vectors], -1)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorBlockDiag([o.adjoint() for o in self._operators], **hints(self))

    def _inverse(self) -> LinearOperator:
        if not self._all_square():
            return super()._inverse()
        return LinearOperatorBlockDiag([o.inverse() for o in self._operators])

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorBlockDiag([o.cholesky() for o in self._operators])

    def _times(self, other: LinearOperator) -> LinearOperator:
        if not isinstance(other, LinearOperatorBlockDiag):
            return super()._times(other)
        pairs = list(zip(self._operators, other.operators, strict=False))
        if len(self._operators) != len(other.operators) or not all(_fit(a, b) for a, b in pairs):
            return super()._times(other)
        return LinearOperatorBlockDiag([a.matmul(b) for a, b in pairs])


def _fit(a: LinearOperator, b: LinearOperator) -> bool:
    """Whether two blocks are known to have a product."""
    return a.shape[-1] is not None and a.shape[-1] == b.shape[-2]


def _same_size(which: str, other: str, axis: str, a: LinearOperator, b: LinearOperator) -> None:
    sizes = getattr(a, axis), getattr(b, axis)
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError(
            f"Argument `operators{which}.{axis}` ({sizes[0]}) must be the same as "
            f"`operators{other}.{axis}` ({sizes[1]})."
        )


class LinearOperatorBlockLowerTriangular(Blocks):
    """Operators on and below the diagonal, as a list of rows of blocks.

    >>> i = tf.linalg.LinearOperatorIdentity(1)
    >>> operator = tf.linalg.LinearOperatorBlockLowerTriangular([[i], [i, i]])
    >>> operator.to_dense().numpy().tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        self._rows: list[list[LinearOperator]] = [list(row) for row in operators]
        if not self._rows:
            raise ValueError("Argument `operators` must be a list of >=1 operators. Received: [].")
        for i, row in enumerate(self._rows):
            if len(row) != i + 1:
                raise ValueError(
                    f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: "
                    f"{len(row)} blocks."
                )
        diagonal = [row[-1] for row in self._rows]
        same_dtype([o for row in self._rows for o in row], name)
        self._check_sizes(is_square)
        is_non_singular = self._is_invertible(is_non_singular)
        super().__init__(
            diagonal[0].dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            {"operators": operators},
        )

    def _check_sizes(self, is_square: bool | None) -> None:
        """Raise unless the blocks fit together, as far as their sizes are known."""
        if is_square is False:
            raise ValueError(
                "`LinearOperatorBlockLowerTriangular` must be square. Expected argument "
                f"`is_square` to be True. Received: {is_square}."
            )
        for i, row in enumerate(self._rows):
            if row[-1].is_square is False:
                raise ValueError(
                    "Matrices on the diagonal (the final elements of each row-partition in the "
                    f"`operators` list) must be square. Expected argument `operators[{i}][-1]"
                    f".is_square` to be True. Received: {row[-1].is_square}."
                )
            for j, operator in enumerate(row[:-1]):
                above, beside = self._rows[i - 1][j], row[j + 1]
                _same_size(f"[{i}][{j}]", f"[{i - 1}][{j}]", "domain_dimension", operator, above)
                _same_size(f"[{i}][{j}]", f"[{i}][{j + 1}]", "range_dimension", operator, beside)

    def _is_invertible(self, given: bool | None) -> bool | None:
        """The hint that it is non-singular, which its diagonal decides."""
        known = [operator.is_non_singular for operator in self._diagonal()]
        which = f"Received argument `is_non_singular`: {given}."
        if all(known):
            if given is False:
                raise ValueError(
                    "A blockwise lower-triangular operator with non-singular operators on the main "
                    f"diagonal is always non-singular. {which}"
                )
            return True
        if False in known:
            if given:
                raise ValueError(
                    "A blockwise lower-triangular operator with a singular operator on the main "
                    f"diagonal is always singular. {which}"
                )
            return False
        return given

    @property
    def operators(self) -> list[list[LinearOperator]]:
        """The rows of blocks."""
        return [list(row) for row in self._rows]

    def _diagonal(self) -> list[LinearOperator]:
        return [row[-1] for row in self._rows]

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [[0] * len(row) for row in self._rows]}

    def _batch(self) -> list[Any]:
        return common_batch(*[o._sizes()[:-2] for row in self._rows for o in row])

    def _row_sizes(self) -> list[int]:
        return [o._sizes()[-2] for o in self._diagonal()]

    def _column_sizes(self) -> list[int]:
        return [o._sizes()[-1] for o in self._diagonal()]

    def _below(self, i: int, adjoint: bool) -> list[tuple[int, LinearOperator]]:
        """The off-diagonal blocks in a row, or in a column for the adjoint."""
        if adjoint:
            return [(k, self._rows[k][i]) for k in range(i + 1, len(self._rows))]
        return list(enumerate(self._rows[i][:-1]))

    def _on_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        found = []
        for i, (operator, part) in enumerate(zip(self._diagonal(), parts, strict=True)):
            total = operator.matmul(part, adjoint)
            for k, other in self._below(i, adjoint):
                total = total + other.matmul(parts[k], adjoint)
            found.append(total)
        return found

    def _solve_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        found: dict[int, Any] = {}
        count = len(parts)
        for i in reversed(range(count)) if adjoint else range(count):
            rest = parts[i]
            for k, other in self._below(i, adjoint):
                rest = rest - other.matmul(found[k], adjoint)
            found[i] = self._rows[i][i].solve(rest, adjoint)
        return [found[i] for i in range(count)]

    def _determinant(self) -> Any:
        return reduce(multiply, [o.determinant() for o in self._diagonal()])

    def _log_abs_determinant(self) -> Any:
        return reduce(lambda a, b: a + b, [o.log_abs_determinant() for o in self._diagonal()])

    def _trace(self) -> Any:
        return reduce(lambda a, b: a + b, [o.trace() for o in self._diagonal()])

    def _inverse(self) -> LinearOperator:
        """By forward substitution: X[i, j] = -A[i, i]^-1 (A[i, j] X[j, j] + ... + A[i, i-1] X[i-1, j])."""
        rows: list[list[LinearOperator]] = []
        for i, row in enumerate(self._rows):
            last = row[-1].inverse()
            below = [
                reduce(
                    lambda a, b: a + b,
                    [row[k].matmul(rows[k][j].to_dense()) for k in range(j, i)],
                )
                for j in range(i)
            ]
            rows.append([*[LinearOperatorFullMatrix(-last.matmul(x)) for x in below], last])
        return LinearOperatorBlockLowerTriangular(rows, **hints(self))
