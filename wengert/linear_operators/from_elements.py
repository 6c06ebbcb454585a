"""Operators given by matrix elements: full, triangular, diagonal, tridiagonal, Toeplitz."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.linear_operators.arguments import as_parameter, common_batch, sizes
from wengert.linear_operators.base import LinearOperator
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import broadcast_to, expand_dims, reshape
from wengert.ops.arrays.slicing import reverse
from wengert.ops.control import asserts
from wengert.ops.linalg.diagonals import band_part, diag, diag_part, set_diag
from wengert.ops.linalg.matrices import adjoint_of
from wengert.ops.linalg.triangular import triangular_solve
from wengert.ops.linalg.tridiagonal import tridiagonal_matmul, tridiagonal_solve
from wengert.ops.math.arithmetic import add
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.complex import conj, imag, real
from wengert.ops.math.elementwise import cast, log, sqrt
from wengert.ops.reductions.reductions import reduce_max, reduce_min, reduce_prod, reduce_sum


def column(d: Any) -> Any:
    """A diagonal as a column, which scales rows."""
    return expand_dims(d, -1)


def at_least(tensor: Any, rank: int, name: str) -> None:
    """Refuse a parameter with fewer axes."""
    known = tensor.shape.rank
    if known is not None and known < rank:
        raise ValueError(
            f"Argument `{name}` must have at least {rank} dimensions. Received: {tensor!r}."
        )


class LinearOperatorFullMatrix(LinearOperator):
    """A matrix with all its elements.

    >>> tf.linalg.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 3.0]]).trace().numpy().item()
    5.0
    """

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        self._matrix = as_parameter(matrix, "matrix")
        at_least(self._matrix, 2, "matrix")
        super().__init__(
            self._matrix.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            {"matrix": matrix},
        )

    @property
    def matrix(self) -> Any:
        """The matrix."""
        return self._matrix

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"matrix": 2}

    def _sizes(self) -> list[Any]:
        return sizes(self._matrix)

    def _to_dense(self) -> Any:
        return self._matrix + 0


class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix; elements above the diagonal are ignored.

    >>> operator = tf.linalg.LinearOperatorLowerTriangular([[1.0, 9.0], [2.0, 3.0]])
    >>> operator.to_dense().numpy().tolist()
    [[1.0, 0.0], [2.0, 3.0]]
    """

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        if is_square is False:
            raise ValueError(
                "Only square lower triangular operators supported at this time. Received: "
                "is_square=False"
            )
        self._tril = as_parameter(tril, "tril")
        at_least(self._tril, 2, "tril")
        super().__init__(
            self._tril.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            {"tril": tril},
        )

    @property
    def tril(self) -> Any:
        """The lower triangle, as it was given."""
        return self._tril

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"tril": 2}

    def _sizes(self) -> list[Any]:
        return sizes(self._tril)

    def _to_dense(self) -> Any:
        return band_part(self._tril, -1, 0)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return triangular_solve(self._tril, rhs, True, adjoint)

    def _diag_part(self) -> Any:
        return diag_part(self._tril)

    def _determinant(self) -> Any:
        return reduce_prod(self.diag_part(), -1)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(absolute(self.diag_part())), -1), self.dtype)

    def _times(self, other: LinearOperator) -> LinearOperator:
        if isinstance(other, LinearOperatorDiag):
            return LinearOperatorLowerTriangular(self.matmul(other.to_dense()))
        return super()._times(other)

    def _assert_non_singular(self) -> Any:
        return _no_zero(self.diag_part(), "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self) -> Any:
        return asserts.assert_positive(
            real(self.diag_part()), message="Diagonal had non-positive entries."
        )


def _no_zero(x: Any, message: str) -> Any:
    return asserts.assert_positive(absolute(x), message=message)


class LinearOperatorDiag(LinearOperator):
    """A diagonal matrix.

    >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> operator.solve([[1.0], [1.0]]).numpy().tolist()
    [[1.0], [0.5]]
    """

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        self._diag = as_parameter(diag, "diag")
        at_least(self._diag, 1, "diag")
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            self._diag.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            {"diag": diag},
        )

    @property
    def diag(self) -> Any:
        """The diagonal."""
        return self._diag

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"diag": 1}

    def _sizes(self) -> list[Any]:
        found = sizes(self._diag)
        return [*found, found[-1]]

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return column(self._seen(adjoint)) * x

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return rhs / column(self._seen(adjoint))

    def _seen(self, adjoint: bool) -> Any:
        return conj(self._diag) if adjoint else self._diag + 0

    def _to_dense(self) -> Any:
        return diag(self._diag)

    def _diag_part(self) -> Any:
        return self._diag + 0

    def _determinant(self) -> Any:
        return reduce_prod(self._diag, -1)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(absolute(self._diag)), -1), self.dtype)

    def _eigvals(self) -> Any:
        return self._diag + 0

    def _cond(self) -> Any:
        size = absolute(self._diag)
        return reduce_max(size, -1) / reduce_min(size, -1)

    def _add_to_tensor(self, x: Any) -> Any:
        return set_diag(x, diag_part(x) + self._diag)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorDiag(conj(self._diag), **hints(self))

    def _inverse(self) -> LinearOperator:
        return LinearOperatorDiag(1.0 / self._diag, **hints(self))

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorDiag(sqrt(self._diag), is_self_adjoint=True, is_positive_definite=True)

    def _times(self, other: LinearOperator) -> LinearOperator:
        if isinstance(other, LinearOperatorDiag):
            return LinearOperatorDiag(self._diag * other.diag)
        if isinstance(other, LinearOperatorLowerTriangular):
            return LinearOperatorLowerTriangular(self.matmul(other.to_dense()))
        if isinstance(other, LinearOperator.kinds["ScaledIdentity"]):
            return other._times(self)  # a multiple of the identity commutes
        return super()._times(other)

    def _assert_non_singular(self) -> Any:
        return _no_zero(self._diag, "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self) -> Any:
        kind, parts = ("Diagonal", " real") if self.dtype.is_complex else ("Real diagonal", "")
        return asserts.assert_positive(
            real(self._diag),
            message=f"{kind} operator had non-positive{parts} diagonal entries, thus was not "
            "positive definite.",
        )

    def _assert_self_adjoint(self) -> Any:
        return asserts.assert_equal(
            imag(self._diag),
            0.0,
            message="This diagonal operator contained non-zero imaginary values.  Thus it was not "
            "self-adjoint.",
        )


def hints(operator: LinearOperator, **changed: Any) -> dict[str, Any]:
    """The hints of an operator, for another one with the same properties."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": operator.is_square,
        **changed,
    }


class LinearOperatorTridiag(LinearOperator):
    """A tridiagonal matrix, in the formats of tf.linalg.tridiagonal_solve.

    >>> d = [[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]]
    >>> tf.linalg.LinearOperatorTridiag(d).to_dense().numpy().tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        if diagonals_format not in ("compact", "sequence", "matrix"):
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                f"Received : {diagonals_format}"
            )
        self._format = diagonals_format
        if diagonals_format == "sequence":
            self._diagonals: Any = [as_parameter(d, "diagonals") for d in diagonals]
        else:
            self._diagonals = as_parameter(diagonals, "diagonals")
        super().__init__(
            self._main().dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            {"diagonals": diagonals, "diagonals_format": diagonals_format},
        )

    @property
    def diagonals(self) -> Any:
        """The diagonals, as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """The format in which they were given."""
        return self._format

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"diagonals": [1, 1, 1] if self._format == "sequence" else 2}

    def _main(self) -> Any:
        if self._format == "sequence":
            return self._diagonals[1] + 0
        if self._format == "compact":
            return self._diagonals[..., 1, :]
        return diag_part(self._diagonals)

    def _sizes(self) -> list[Any]:
        if self._format == "sequence":
            batch = common_batch(*[sizes(d)[:-1] for d in self._diagonals])
            size = sizes(self._diagonals[1])[-1]
            return [*batch, size, size]
        found = sizes(self._diagonals)
        return [*found[:-2], found[-1], found[-1]]

    def _to_dense(self) -> Any:
        if self._format == "matrix":
            return band_part(self._diagonals, min(1, self._sizes()[-1]), min(1, self._sizes()[-1]))
        if self._format == "compact":
            if self._sizes()[-1] == 1:
                return diag(self._main())
            return diag(self._diagonals, k=(-1, 1), align="LEFT_RIGHT")
        above, main, below = self._diagonals
        size = sizes(main)[-1]
        if size == 1:
            return diag(main)
        shifted = diag(above[..., : size - 1], k=1) + diag(below[..., 1 - size :], k=-1)
        return add(diag(main), shifted)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._applied(tridiagonal_matmul, x, adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._applied(tridiagonal_solve, rhs, adjoint)

    def _applied(self, function: Any, x: Any, adjoint: bool) -> Any:
        """Apply a function of the diagonals and a matrix, whose batch axes broadcast."""
        full = adjoint or self._format != "compact"
        d = self.to_dense() if full else self._diagonals + 0
        d = adjoint_of(d) if adjoint else d
        batch = common_batch(sizes(d)[:-2], sizes(x)[:-2])
        d, x = (broadcast_to(t, (*batch, *sizes(t)[-2:])) for t in (d, x))
        return function(d, x, "matrix" if full else "compact")

    def _diag_part(self) -> Any:
        return self._main()


class LinearOperatorToeplitz(LinearOperator):
    """A Toeplitz matrix, constant along diagonals, given by its first column and row.

    >>> tf.linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0]).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 1.0]]
    """

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        self._col, self._row = as_parameter(col, "col"), as_parameter(row, "row")
        at_least(self._row, 1, "row")
        at_least(self._col, 1, "col")
        counts = self._row.shape[-1], self._col.shape[-1]
        if None not in counts and counts[0] != counts[1]:
            raise ValueError(
                "Expected square matrix, got row and col with mismatched dimensions: "
                f"{counts[0]} and {counts[1]}."
            )
        super().__init__(
            self._row.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            {"col": col, "row": row},
        )

    @property
    def col(self) -> Any:
        """The first column."""
        return self._col

    @property
    def row(self) -> Any:
        """The first row."""
        return self._row

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"col": 1, "row": 1}

    def _sizes(self) -> list[Any]:
        batch = common_batch(sizes(self._col)[:-1], sizes(self._row)[:-1])
        return [*batch, sizes(self._col)[-1], sizes(self._col)[-1]]

    def _to_dense(self) -> Any:
        """Gather element (i, j) from the list of diagonals by i - j."""
        *batch, size, _ = self._sizes()
        col, row = (broadcast_to(x, (*batch, size)) for x in (self._col, self._row))
        along = concat([reverse(row[..., 1:], [-1]), col], -1)
        place = np.arange(size)[:, None] - np.arange(size) + size - 1
        return reshape(gather(along, place.ravel(), axis=-1), (*batch, size, size))

    def _diag_part(self) -> Any:
        return broadcast_to(self._col[..., :1], self._sizes()[:-1])

    def _trace(self) -> Any:
        return self._diag_part()[..., 0] * float(self._sizes()[-1])
