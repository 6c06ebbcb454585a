"""The base of linear operators: matrices that need not be materialized.

A subclass defines its shape and dtype, how it multiplies, and possibly faster ways to do more;
everything else falls back to the dense matrix.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from wengert.api.variables.module import Module
from wengert.errors import SymbolicValueError
from wengert.inference.public_functions import deferrable
from wengert.linear_operators import parts
from wengert.linear_operators.arguments import solve_broadcast
from wengert.linear_operators.slicing import changed_parameters
from wengert.ops.arrays import creation
from wengert.ops.arrays.shaping import expand_dims, squeeze
from wengert.ops.control import asserts
from wengert.ops.linalg import determinants, diagonals, eigen, svd
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import adjoint as adjoint_of
from wengert.ops.linalg.triangular import cholesky
from wengert.ops.math.complex import real
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_max, reduce_min, reduce_sum
from wengert.ops.sparse.tensor import gives
from wengert.state.variable import Variable
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dimensions import Dimension
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor


@functools.cache
def _parameters_of(kind: type) -> frozenset[str] | None:
    """What the constructor of a class takes; None for anything."""
    taken = inspect.signature(kind.__init__).parameters.values()  # type: ignore[misc]
    if any(p.kind is p.VAR_KEYWORD for p in taken):
        return None
    return frozenset(p.name for p in taken)


class LinearOperator(Composite, Module):
    """A matrix, or a batch of them, that need not be materialized.

    The hints state properties of the matrix, which are not checked; None means unknown.

    >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> operator.matmul([[1.0], [1.0]]).numpy().tolist(), operator.shape.as_list()
    ([[1.0], [2.0]], [2, 2])
    """

    __array_ufunc__ = None  # so that array @ operator calls the operator
    _TF_MODULE_IGNORED_PROPERTIES: ClassVar[frozenset[str]] = frozenset(("_parameters",))

    kinds: ClassVar[dict[str, type[LinearOperator]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        LinearOperator.kinds[cls.__name__.removeprefix("LinearOperator")] = cls

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        if is_positive_definite and is_non_singular is False:
            raise ValueError("A positive definite matrix is always non-singular.")
        if (is_non_singular or is_self_adjoint or is_positive_definite) and is_square is False:
            raise ValueError(
                "A non-singular, positive definite or self-adjoint matrix is always square."
            )
        self._dtype = as_dtype(dtype)
        self._is_non_singular = True if is_positive_definite else is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._is_square = True if is_self_adjoint or self._is_non_singular else is_square
        self._name = name or type(self).__name__
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": is_square,
            "name": self._name,
        }
        kind: Any = type(self)
        taken = _parameters_of(kind)
        self._parameters = dict(parameters or {})
        for key, value in hints.items():  # unless a subclass says what it was given itself
            if taken is None or key in taken:
                self._parameters.setdefault(key, value)

    # ---- properties ---------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        return dict(self._parameters)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def graph_parents(self) -> list[Any]:
        """The tensors that define it."""
        return []

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it has an inverse, according to its hints."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it is its own adjoint, according to its hints."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether it is positive definite, according to its hints."""
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether it has as many rows as columns."""
        rows, columns = self.shape[-2], self.shape[-1]
        if rows is None or columns is None:
            return self._is_square
        if rows == columns and self._is_square is False:
            raise ValueError("The hint is_square was set to False, but the operator was square.")
        return bool(rows == columns)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that define it."""
        return tuple([x for x in self._parts() if isinstance(x, Variable)])

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable ones of its variables."""
        return tuple(v for v in self.variables if v.trainable)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    # ---- its parts ----------------------------------------------------------------------------

    def _held(self) -> dict[str, Any]:
        """The parameters, with the tensors that it made of lists and arrays in their place."""
        return {
            name: value if parts.tensors(value) else _made_of(value, vars(self).get(f"_{name}"))
            for name, value in self._parameters.items()
        }

    def _parts(self) -> list[Any]:
        return parts.tensors(self._held())

    def _with_parts(self, tensors: Iterator[Any]) -> Any:
        return type(self)(**parts.replaced(self._held(), tensors)) if self._parts() else self

    def _outlined(self, specs: Iterator[Any]) -> Any:
        if not self._parts():
            return self
        made = object.__new__(type(self))
        made._parameters = parts.replaced(self._held(), specs, "_outlined")
        return made

    def _trace_key(self) -> Any:
        return type(self), parts.key(self._held())

    @property
    def _differentiated(self) -> Any:
        return self._parts()

    def _with_differentiated(self, gradient: Any) -> Any:
        return self._with_parts(iter(gradient))

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        """How many axes of each parameter belong to a matrix; the others are of the batch."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say which axes of its parameters are of the batch."
        )

    def __getitem__(self, slices: Any) -> Any:
        """The operator of a part of the batch."""
        given = tuple(slices) if isinstance(slices, (tuple, list)) else (slices,)
        return self._part(given, self)

    def _part(self, slices: tuple[Any, ...], whole: LinearOperator) -> LinearOperator:
        """The part of it in a part of the batch of an operator that it is a parameter of."""
        changed = changed_parameters(self, slices, whole)
        return type(self)(**{**self.parameters, **changed})

    # ---- its shape ----------------------------------------------------------------------------

    def _sizes(self) -> list[Any]:
        """The sizes of the matrix, preceded by those of the batch: what a subclass says by `_shape`."""
        shape = TensorShape(self._shape())
        if shape.rank is None:
            raise SymbolicValueError(
                f"The shape of {self._name} is known only when the graph runs."
            )
        return shape.as_list()

    def _shape(self) -> Any:
        raise NotImplementedError("_shape is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """The shape of the matrix, preceded by that of the batch."""
        try:
            return TensorShape([s if type(s) is int else None for s in self._sizes()])
        except SymbolicValueError:
            return self._known_shape()

    def _known_shape(self) -> TensorShape:
        """The shape where some sizes are known only when the graph runs."""
        return TensorShape(None)

    @property
    def batch_shape(self) -> TensorShape:
        """The shape of the batch."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The number of axes, those of the batch included."""
        return self.shape.rank

    @property
    def range_dimension(self) -> Any:
        """The number of rows."""
        return Dimension(self.shape[-2])

    @property
    def domain_dimension(self) -> Any:
        """The number of columns."""
        return Dimension(self.shape[-1])

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """The shape, as a tensor."""
        result: Tensor = computed(self, "_shape_tensor")
        result.set_shape([None])
        return result

    def _shape_tensor(self) -> Any:
        found = self._sizes()
        if None in found:
            return creation.shape(self.to_dense())
        known = all(type(size) is int for size in found)
        return convert(np.int32(found)) if known else creation.shape_tensor(found)

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape of the batch, as a tensor."""
        return self.shape_tensor()[:-2]

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """The number of axes, as a tensor."""
        return creation.size(self.shape_tensor())

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """The number of rows, as a tensor."""
        return self.shape_tensor()[-2]

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """The number of columns, as a tensor."""
        return self.shape_tensor()[-1]

    # ---- products -----------------------------------------------------------------------------

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """The product with a matrix, or with another operator."""
        if isinstance(x, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = x.adjoint() if adjoint_arg else x
            _check_sizes(left.shape[-1], right.shape[-2])
            return left._times(right)
        x = self._argument(x)
        x = adjoint_of(x) if adjoint_arg else x
        _check_sizes(self.shape[-2] if adjoint else self.shape[-1], x.shape[-2])
        return computed(self, "_matmul", x, adjoint)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product with a vector."""
        return squeeze(self.matmul(expand_dims(self._argument(x), -1), adjoint), -1)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def __rmatmul__(self, other: Any) -> Any:
        x = adjoint_of(self._argument(other))
        return adjoint_of(self.matmul(x, adjoint=True))

    def _argument(self, x: Any) -> Tensor:
        tensor = convert(x, hint=self.dtype)
        if tensor.dtype is not self.dtype:
            raise TypeError(
                f"Expected argument to have dtype {self.dtype.name}.  Found: {tensor.dtype.name} "
                f"in tensor {tensor!r}"
            )
        return tensor

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return matmul(self.to_dense(), x, adjoint_a=adjoint)

    def _times(self, other: LinearOperator) -> LinearOperator:
        """The product with another operator; simple ones override this."""
        if isinstance(other, self.kinds["Identity"]) and other._keeps_batch_of(self):
            return self
        if (
            isinstance(other, self.kinds["Zeros"])
            and self.is_square
            and self._keeps_batch_of(other)
        ):
            return other
        return self._composed(other)

    def _composed(self, other: LinearOperator) -> LinearOperator:
        singular = self.is_non_singular is False or other.is_non_singular is False
        return self.kinds["Composition"]([self, other], is_non_singular=False if singular else None)

    def _keeps_batch_of(self, other: LinearOperator) -> bool:
        """Whether a product of the two is of no more matrices than the other one."""
        shapes = self.batch_shape, other.batch_shape
        return shapes[0].rank == 0 or (shapes[0].is_fully_defined() and shapes[0] == shapes[1])

    # ---- systems ------------------------------------------------------------------------------

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The solution x of the linear system A x = rhs, where A is this operator."""
        if self.is_non_singular is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to be singular."
            )
        if self.is_square is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to not be square."
            )
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = rhs.adjoint() if adjoint_arg else rhs
            _check_sizes(left.shape[-1], right.shape[-2])
            product = left.inverse()._times(right)
            if type(product) in (
                self.kinds["Composition"],
                self.kinds["Zeros"],
            ):  # named after its parts
                return self.kinds["Inversion"](left)._composed(right)
            return product
        rhs = self._argument(rhs)
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        _check_sizes(self.shape[-1] if adjoint else self.shape[-2], rhs.shape[-2])
        return computed(self, "_solve", rhs, adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The vector x that solves A x = rhs, where A is this operator."""
        return squeeze(self.solve(expand_dims(self._argument(rhs), -1), adjoint), -1)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return solve_broadcast(self.to_dense(), rhs, adjoint, self._has_cholesky())

    def _has_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    # ---- other operators ----------------------------------------------------------------------

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The conjugate transpose."""
        return self if self.is_self_adjoint else self._adjoint()

    H = property(adjoint)

    def _adjoint(self) -> LinearOperator:
        return self.kinds["Adjoint"](self)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The inverse operator."""
        if self.is_square is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square matrix."
            )
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        return self._inverse()

    def _inverse(self) -> LinearOperator:
        return self.kinds["Inversion"](self)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The lower triangular Cholesky factor, if the hints say that it exists."""
        if not self._has_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint "
                "matrix. Say is_self_adjoint=True, is_positive_definite=True if it is one."
            )
        return self._cholesky()

    def _cholesky(self) -> LinearOperator:
        return self.kinds["LowerTriangular"](
            cholesky(self.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
        )

    # ---- numbers ------------------------------------------------------------------------------

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The dense matrix."""
        result: Tensor = computed(self, "_to_dense")
        return result

    def _to_dense(self) -> Any:
        size = self._sizes()[-1]
        return self._matmul(creation.eye(size, dtype=self.dtype), False)

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The main diagonal."""
        result: Tensor = computed(self, "_diag_part")
        return result

    def _diag_part(self) -> Any:
        return diagonals.diag_part(self.to_dense())

    def trace(self, name: str = "trace") -> Tensor:
        """The sum of the main diagonal."""
        result: Tensor = computed(self, "_trace")
        return result

    def _trace(self) -> Any:
        return reduce_sum(self.diag_part(), -1)

    def determinant(self, name: str = "det") -> Tensor:
        """The determinant."""
        self._must_be_square("Determinant")
        result: Tensor = computed(self, "_determinant")
        return result

    def _determinant(self) -> Any:
        return determinants.det(self.to_dense())

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithm of the absolute value of the determinant."""
        self._must_be_square("Determinant")
        result: Tensor = computed(self, "_log_abs_determinant")
        return result

    def _log_abs_determinant(self) -> Any:
        if self._has_cholesky():
            return cast(determinants.logdet(self.to_dense()), self.dtype)
        return determinants.slogdet(self.to_dense())[1]

    def _must_be_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to not be square."
            )

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """The eigenvalues, of an operator with the hint that it is self-adjoint."""
        if not self.is_self_adjoint:
            raise NotImplementedError(
                "Only self-adjoint matrices are supported. tf.linalg.eigvals(operator.to_dense()) "
                "takes any."
            )
        result: Tensor = computed(self, "_eigvals")
        return result

    def _eigvals(self) -> Any:
        return eigen.eigvalsh(self.to_dense())

    def cond(self, name: str = "cond") -> Tensor:
        """The condition number: the largest singular value over the smallest."""
        result: Tensor = computed(self, "_cond")
        return result

    def _cond(self) -> Any:
        s = svd.svd(self.to_dense(), compute_uv=False)
        return reduce_max(s, -1) / reduce_min(s, -1)

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Tensor:
        """The sum with a tensor."""
        result: Tensor = computed(self, "_add_to_tensor", self._argument(x))
        return result

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    # ---- checks -------------------------------------------------------------------------------

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Raise unless the condition number is small enough to solve linear systems."""
        return self._assert_non_singular()

    def _assert_non_singular(self) -> Any:
        limit = 0.01 / float(np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps)
        return asserts.assert_less(
            real(self.cond()), limit, message="Singular matrix up to precision epsilon."
        )

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Raise unless it is positive definite."""
        return self._assert_positive_definite()

    def _assert_positive_definite(self) -> Any:
        pivots = real(diagonals.diag_part(cholesky(self.to_dense())))
        return asserts.assert_positive(pivots, message="Matrix was not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Raise unless it is its own adjoint."""
        return self._assert_self_adjoint()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        return asserts.assert_equal(
            dense, adjoint_of(dense), message="Matrix was not equal to its adjoint."
        )


def _made_of(value: Any, held: Any) -> Any:
    """The tensor that an operator holds for a parameter, or else the parameter."""
    return held if value is not None and isinstance(held, Tensor) else value


def _check_sizes(columns: Any, rows: Any) -> None:
    if None not in (columns, rows) and columns != rows:
        raise ValueError(f"Dimensions {columns} and {rows} are not compatible")


def _foreseen(dtype: Any, args: Any) -> tuple[Any, list[Any]]:
    """The form of what a method gives: of the operator's dtype, which its tensors need not have."""
    operator, method, *given = args
    if method.endswith("_blocks"):  # as many as there are of the argument
        count = len(given[0])
        return [Tensor] * count, [(None, operator.dtype.numpy_dtype)] * count
    kind = np.dtype(np.int32) if method == "_shape_tensor" else operator.dtype.numpy_dtype
    return Tensor, [(None, kind)]


@deferrable
@gives(_foreseen)
def computed(operator: LinearOperator, method: str, *args: Any) -> Any:
    """Call a method, which a graph puts off if it needs sizes that only a run knows."""
    return getattr(operator, method)(*args)
