"""Operators with few or no parameters: identity, zeros, permutation, reflection."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.errors import InvalidArgumentError, SymbolicValueError
from wengert.inference.public_functions import deferrable
from wengert.linear_operators.arguments import as_parameter, common_batch, sizes
from wengert.linear_operators.base import LinearOperator
from wengert.linear_operators.from_elements import LinearOperatorDiag, at_least, column, hints
from wengert.linear_operators.slicing import part_of_tensor
from wengert.ops.arrays.creation import eye, ones, shape, zeros
from wengert.ops.arrays.shaping import as_shape, broadcast_to, static
from wengert.ops.control import asserts
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import as_dtype_of
from wengert.ops.linalg.norms import norm
from wengert.ops.linalg.qr_lu import inverse_order, permuted_rows
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.complex import conj, imag, real
from wengert.ops.math.elementwise import cast, log, ones_like, sqrt
from wengert.state.variable import Variable
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape


def _count(value: Any, name: str) -> Any:
    """A number of rows or columns; a tensor of a graph that only a run knows is left as it is."""
    try:
        given = _integers(value, name)
    except SymbolicValueError:
        return value
    if given.ndim:
        raise ValueError(f"Argument {name} must be a 0-D Tensor. Found: {value!r}")
    count = given.item()
    if type(count) is int and count < 0:
        raise ValueError(f"Argument `{name}` must be non-negative. Received: {count}.")
    return count


def _integers(value: Any, name: str) -> Any:
    """A parameter that is known and of an integer dtype."""
    if isinstance(value, Variable):
        raise TypeError(f"Argument `{name}` cannot be reference type. Found: {type(value)}.")
    try:
        return static(value)
    except SymbolicValueError:
        raise
    except TypeError as error:
        raise TypeError(f"Argument `{name}` must be integer type. Found: {value!r}") from error


def _batch_of(value: Any) -> Any:
    """The batch axes that an operator was given."""
    if value is None:
        return ()
    try:
        given = _integers(value, "batch_shape")
    except SymbolicValueError:
        return value
    if given.ndim != 1:
        raise ValueError(f"Argument `batch_shape` must be a 1-D Tensor. Found: {value!r}")
    if given.dtype.kind == "i" and (given < 0).any():
        raise ValueError(f"Argument `batch_shape` must be non-negative. Found: {value!r}")
    return as_shape(value)


def _known_sizes(batch: Any, *counts: Any) -> TensorShape:
    """The shape, with None for sizes that only a run knows."""
    known = [count if type(count) is int else None for count in counts]
    return TensorShape([*batch, *known] if isinstance(batch, tuple) else None)


@deferrable
def _batch_of_part(operator: Any, slices: tuple[Any, ...], whole: LinearOperator) -> Any:
    """The batch axes, as a tensor, of a part of an operator's batch."""
    return shape(part_of_tensor(whole, ones(operator._sizes()[:-2]), 0, slices))


def _of_part(operator: Any, slices: tuple[Any, ...], whole: LinearOperator) -> LinearOperator:
    """An operator whose only parameters are sizes, in a part of the batch of another."""
    part = _batch_of_part(operator, slices, whole)
    result: LinearOperator = type(operator)(**{**operator.parameters, "batch_shape": part})
    return result


class LinearOperatorIdentity(LinearOperator):
    """The identity matrix.

    >>> tf.linalg.LinearOperatorIdentity(2).matmul([[1.0], [2.0]]).numpy().tolist()
    [[1.0], [2.0]]
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        for hint in (is_non_singular, is_self_adjoint, is_positive_definite, is_square):
            if hint is False:
                raise ValueError(
                    "An identity operator is always self-adjoint, non-singular, positive definite "
                    "and square."
                )
        self._rows = _count(num_rows, "num_rows")
        self._batch = _batch_of(batch_shape)
        super().__init__(
            dtypes.float32 if dtype is None else dtype,
            None,
            True,
            True,
            True,
            True,
            name,
            {"num_rows": num_rows, "batch_shape": batch_shape, "dtype": dtype},
        )

    def _sizes(self) -> list[Any]:
        return [*as_shape(self._batch), *as_shape([self._rows, self._rows])]

    def _known_shape(self) -> TensorShape:
        return _known_sizes(self._batch, self._rows, self._rows)

    def _part(self, slices: tuple[Any, ...], whole: LinearOperator) -> LinearOperator:
        return _of_part(self, slices, whole)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        batch = common_batch(self._sizes()[:-2], sizes(x)[:-2])
        return broadcast_to(x, (*batch, *sizes(x)[-2:]))

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._matmul(rhs, adjoint)

    def _to_dense(self) -> Any:
        *batch, rows, _ = self._sizes()
        return eye(rows, batch_shape=batch, dtype=self.dtype)

    def _diag_part(self) -> Any:
        return ones(self._sizes()[:-1], self.dtype)

    def _determinant(self) -> Any:
        return ones(self._sizes()[:-2], self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._sizes()[:-2], self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        return ones(self._sizes()[:-2], self.dtype)

    def _inverse(self) -> LinearOperator:
        return self

    def _cholesky(self) -> LinearOperator:
        return self

    def _times(self, other: LinearOperator) -> LinearOperator:
        return other if self._keeps_batch_of(other) else super()._times(other)

    def _assert_non_singular(self) -> Any:
        return None

    def _assert_positive_definite(self) -> Any:
        return None

    def _assert_self_adjoint(self) -> Any:
        return None


class LinearOperatorScaledIdentity(LinearOperator):
    """A multiple of the identity.

    >>> tf.linalg.LinearOperatorScaledIdentity(2, 3.0).to_dense().numpy().tolist()
    [[3.0, 0.0], [0.0, 3.0]]
    """

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        if is_square is False:
            raise ValueError("A ScaledIdentity operator is always square.")
        self._rows = _count(num_rows, "num_rows")
        self._multiplier = as_parameter(multiplier, "multiplier")
        if is_self_adjoint is None and not self._multiplier.dtype.is_complex:
            is_self_adjoint = True
        super().__init__(
            self._multiplier.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            {"num_rows": num_rows, "multiplier": multiplier},
        )

    @property
    def multiplier(self) -> Any:
        """The factor of the identity; one number for each matrix of a batch."""
        return self._multiplier

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"multiplier": 0}

    def _sizes(self) -> list[Any]:
        return [*sizes(self._multiplier), *as_shape([self._rows, self._rows])]

    def _known_shape(self) -> TensorShape:
        batch = self._multiplier.shape
        known = None if batch.rank is None else tuple(batch.as_list())
        return _known_sizes(known, self._rows, self._rows)

    def _scale(self, adjoint: bool = False) -> Any:
        return column(column(conj(self._multiplier) if adjoint else self._multiplier + 0))

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._scale(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return rhs / self._scale(adjoint)

    def _to_dense(self) -> Any:
        return self._scale() * eye(self._sizes()[-1], dtype=self.dtype)

    def _diag_part(self) -> Any:
        return column(self._multiplier + 0) * ones(self._sizes()[-1:], self.dtype)

    def _trace(self) -> Any:
        return self._multiplier * cast(self._sizes()[-1], self.dtype)

    def _determinant(self) -> Any:
        return self._multiplier ** cast(self._sizes()[-1], self.dtype)

    def _log_abs_determinant(self) -> Any:
        return cast(
            cast(self._sizes()[-1], self.dtype.real_dtype) * log(absolute(self._multiplier)),
            self.dtype,
        )

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        return ones_like(self._multiplier + 0)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._rows, conj(self._multiplier), **hints(self))

    def _inverse(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._rows, 1.0 / self._multiplier, **hints(self))

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(
            self._rows, sqrt(self._multiplier), is_self_adjoint=True, is_positive_definite=True
        )

    def _times(self, other: LinearOperator) -> LinearOperator:
        if isinstance(other, LinearOperatorScaledIdentity):
            return LinearOperatorScaledIdentity(self._rows, self._multiplier * other.multiplier)
        if isinstance(other, LinearOperatorDiag):
            return LinearOperatorDiag(column(self._multiplier + 0) * other.diag)
        return super()._times(other)

    def _assert_non_singular(self) -> Any:
        return asserts.assert_positive(
            absolute(self._multiplier), message="LinearOperator was singular"
        )

    def _assert_positive_definite(self) -> Any:
        return asserts.assert_positive(
            real(self._multiplier), message="LinearOperator was not positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        return asserts.assert_equal(
            imag(self._multiplier), 0.0, message="LinearOperator was not self-adjoint"
        )


class LinearOperatorZeros(LinearOperator):
    """The matrix of zeros.

    >>> tf.linalg.LinearOperatorZeros(2).matmul([[1.0], [2.0]]).numpy().tolist()
    [[0.0], [0.0]]
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        if is_non_singular or is_positive_definite:
            raise ValueError("A zero operator is always singular, and not positive definite.")
        self._rows = _count(num_rows, "num_rows")
        self._columns = self._rows if num_columns is None else _count(num_columns, "num_cols")
        known = type(self._rows) is type(self._columns) is int
        if is_square and known and self._rows != self._columns:
            raise ValueError(
                "A non-square zero operator needs is_square=False, is_self_adjoint=False: it has "
                f"{self._rows} rows and {self._columns} columns."
            )
        self._batch = _batch_of(batch_shape)
        super().__init__(
            dtypes.float32 if dtype is None else dtype,
            None,
            False,
            is_self_adjoint,
            False,
            is_square,
            name,
            {
                "num_rows": num_rows,
                "num_columns": num_columns,
                "batch_shape": batch_shape,
                "dtype": dtype,
            },
        )

    def _sizes(self) -> list[Any]:
        return [*as_shape(self._batch), *as_shape([self._rows, self._columns])]

    def _known_shape(self) -> TensorShape:
        return _known_sizes(self._batch, self._rows, self._columns)

    def _part(self, slices: tuple[Any, ...], whole: LinearOperator) -> LinearOperator:
        return _of_part(self, slices, whole)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        *own, rows, columns = self._sizes()
        batch = common_batch(own, sizes(x)[:-2])
        rows = columns if adjoint else rows
        return zeros((*batch, rows, sizes(x)[-1]), self.dtype)

    def _times(self, other: LinearOperator) -> LinearOperator:
        if self.is_square and other.is_square and other._keeps_batch_of(self):
            return self
        return super()._times(other)

    def _to_dense(self) -> Any:
        return zeros(self._sizes(), self.dtype)

    def _diag_part(self) -> Any:
        *batch, rows, columns = self._sizes()
        return zeros((*batch, min(rows, columns)), self.dtype)

    def _determinant(self) -> Any:
        return zeros(self._sizes()[:-2], self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _add_to_tensor(self, x: Any) -> Any:
        return x + self.to_dense()

    def _assert_non_singular(self) -> Any:
        raise InvalidArgumentError("Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError("Zero operators are always non-positive definite.")


class LinearOperatorPermutation(LinearOperator):
    """The matrix that moves row `perm[i]` to row i.

    >>> operator = tf.linalg.LinearOperatorPermutation([2, 0, 1])
    >>> operator.matvec([10.0, 20.0, 30.0]).numpy().tolist()
    [30.0, 10.0, 20.0]
    """

    def __init__(
        self,
        perm: Any,
        dtype: Any = dtypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        if is_non_singular is False or is_square is False:
            raise ValueError("A Permutation operator is always non-singular and square.")
        self._perm = convert(perm)
        if not self._perm.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Received: {self._perm!r}.")
        at_least(self._perm, 1, "perm")
        self._check()
        super().__init__(
            as_dtype(dtype),
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            {"perm": perm, "dtype": dtype},
        )

    def _check(self) -> None:
        known = self._perm._array if isinstance(self._perm._array, np.ndarray) else None
        if known is not None and not np.array_equal(
            np.sort(known, -1), np.broadcast_to(np.arange(known.shape[-1]), known.shape)
        ):
            raise ValueError(
                f"Argument `perm` must be a vector of unique integers from 0 to "
                f"{known.shape[-1] - 1}."
            )

    @property
    def perm(self) -> Any:
        """The permutation."""
        return self._perm

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"perm": 1}

    def _sizes(self) -> list[Any]:
        found = sizes(self._perm)
        return [*found, found[-1]]

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        batch = common_batch(sizes(self._perm)[:-1], sizes(x)[:-2])
        order = broadcast_to(self._perm, (*batch, sizes(self._perm)[-1]))
        order = inverse_order(order) if adjoint else order
        return permuted_rows(broadcast_to(x, (*batch, *sizes(x)[-2:])), order)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._matmul(rhs, not adjoint)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._sizes()[:-2], self.dtype)

    def _cond(self) -> Any:
        return ones(self._sizes()[:-2], self.dtype)

    def _assert_non_singular(self) -> Any:
        return None


class LinearOperatorHouseholder(LinearOperator):
    """A Householder reflection, which reverses a direction.

    >>> tf.linalg.LinearOperatorHouseholder([2.0, 0.0]).matvec([1.0, 5.0]).numpy().tolist()
    [-1.0, 5.0]
    """

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        if is_self_adjoint is False or is_non_singular is False or is_square is False:
            raise ValueError(
                "A Householder operator is always self-adjoint, non-singular and square."
            )
        if is_positive_definite:
            raise ValueError("A Householder operator is always non-positive definite.")
        self._reflection_axis = as_parameter(reflection_axis, "reflection_axis")
        at_least(self._reflection_axis, 1, "reflection_axis")
        super().__init__(
            self._reflection_axis.dtype,
            None,
            is_non_singular,
            True,
            False,
            True,
            name,
            {"reflection_axis": reflection_axis},
        )

    @property
    def reflection_axis(self) -> Any:
        """The direction that is reversed."""
        return self._reflection_axis

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"reflection_axis": 1}

    def _sizes(self) -> list[Any]:
        found = sizes(self._reflection_axis)
        return [*found, found[-1]]

    def _unit(self) -> Any:
        axis = self._reflection_axis + 0
        return column(axis / as_dtype_of(norm(axis, axis=-1, keepdims=True), axis))

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        v = self._unit()
        return x - 2.0 * matmul(v, matmul(v, x, adjoint_a=True))

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._matmul(rhs, adjoint)

    def _trace(self) -> Any:
        size = self._sizes()
        return ones(size[:-2], self.dtype) * float(size[-1] - 2)

    def _determinant(self) -> Any:
        return -ones(self._sizes()[:-2], self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._sizes()[:-2], self.dtype)

    def _eigvals(self) -> Any:
        shape = self._sizes()[:-1]
        signs = np.where(np.arange(shape[-1]) == 0, -1.0, 1.0)
        return broadcast_to(cast(convert(signs), self.dtype), shape)

    def _cond(self) -> Any:
        return ones(self._sizes()[:-2], self.dtype)

    def _inverse(self) -> LinearOperator:
        return self

    def _assert_non_singular(self) -> Any:
        return None

    def _assert_self_adjoint(self) -> Any:
        return None
