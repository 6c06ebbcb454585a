"""Bases of tests of linear operators: a subclass says how an operator and its matrix are made.

What is then tested, for each dtype, shape and way of making it, is in operator_laws.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from wengert.api.gradients.gradient_tape import GradientTape
from wengert.api.session.modes import executing_eagerly
from wengert.ops.arrays.creation import ones
from wengert.ops.arrays.joining import concat
from wengert.ops.math.elementwise import cast
from wengert.testing.cases import TestCase
from wengert.testing.random_matrices import random_normal
from wengert.values import dtypes, nest
from wengert.values.convert import convert
from wengert.values.tensor import Tensor

SMALL = {
    dtypes.float16: 1e-3,
    dtypes.float32: 1e-6,
    dtypes.float64: 1e-12,
    dtypes.complex64: 1e-6,
    dtypes.complex128: 1e-12,
}


class OperatorShapesInfo:
    """The shape of an operator to make, and whatever else its maker wants to know."""

    def __init__(self, shape: Sequence[Any], **kwargs: Any) -> None:
        self.shape = shape
        self.__dict__.update(kwargs)

    def __repr__(self) -> str:
        return f"OperatorShapesInfo({self.__dict__})"


class CheckTapeSafeSkipOptions:
    """Methods whose gradient `check_tape_safe` is told not to ask for."""

    DETERMINANT = "determinant"
    DIAG_PART = "diag_part"
    LOG_ABS_DETERMINANT = "log_abs_determinant"
    TRACE = "trace"


class LinearOperatorDerivedClassTest(TestCase):
    """A test of one kind of operator; `operator_and_matrix` makes one, with its dense matrix."""

    # Each for itself: subclasses change single ones.
    _atol: ClassVar[dict[Any, float]] = dict(SMALL)
    _rtol: ClassVar[dict[Any, float]] = dict(SMALL)

    def assertAC(self, x: Any, y: Any, check_dtype: bool = False) -> None:
        """Assert that two values are close, as the tolerances of their dtype say."""
        kind = dtypes.as_dtype(x.dtype)
        self.assertAllClose(x, y, atol=self._atol[kind], rtol=self._rtol[kind])
        if check_dtype:
            self.assertDTypeEqual(x, y.dtype)

    # ---- what is varied -----------------------------------------------------------------------

    @staticmethod
    def adjoint_options() -> Sequence[bool]:
        """Whether products and systems are of the adjoint."""
        return [False, True]

    @staticmethod
    def adjoint_arg_options() -> Sequence[bool]:
        """Whether their argument is given as its adjoint."""
        return [False, True]

    @staticmethod
    def dtypes_to_test() -> Sequence[Any]:
        """The dtypes of the matrices."""
        return [dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128]

    @staticmethod
    def use_placeholder_options() -> Sequence[bool]:
        """Whether operators are made of tensors of which a graph knows no shape."""
        return [False, True]

    @staticmethod
    def use_blockwise_arg() -> bool:
        """Whether arguments are given in blocks, too."""
        return False

    @staticmethod
    def operator_shapes_infos() -> Sequence[OperatorShapesInfo]:
        """The shapes of the operators."""
        raise NotImplementedError("operator_shapes_infos has not been implemented.")

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        """The tests that make no sense for the operator."""
        return []

    @staticmethod
    def optional_tests() -> Sequence[str]:
        """The tests of those that are run on demand only that are wanted."""
        return []

    # ---- what a subclass makes ----------------------------------------------------------------

    def operator_and_matrix(
        self,
        build_info: OperatorShapesInfo,
        dtype: Any,
        use_placeholder: bool,
        ensure_self_adjoint_and_pd: bool = False,
    ) -> tuple[Any, Any]:
        """An operator, and the same as a dense matrix."""
        raise NotImplementedError("operator_and_matrix has not been implemented.")

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Tensor:
        """The right sides of linear systems."""
        raise NotImplementedError("make_rhs has not been implemented.")

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Tensor:
        """The argument of a product."""
        raise NotImplementedError("make_x has not been implemented.")

    # ---- checks for tests of subclasses -------------------------------------------------------

    @contextlib.contextmanager
    def assertRaisesError(self, msg: str) -> Iterator[None]:
        """Assert that a computation fails with a message, in a graph when it runs."""
        with self.assertRaisesRegex(Exception, msg):
            yield

    def check_convert_variables_to_tensors(self, operator: Any) -> None:
        """Assert that an operator of variables can be made one of their values."""
        flat = nest.flatten(operator, expand_composites=True)
        other = nest.pack_sequence_as(operator, [convert(x) for x in flat], True)
        self.assertIs(type(other), type(operator))
        self.assertEmpty(other.variables)
        self.assertEqual(sorted(other.parameters), sorted(operator.parameters))
        for x, y in zip(flat, nest.flatten(other, expand_composites=True), strict=True):
            self.assertAllClose(x, y)

    def check_tape_safe(self, operator: Any, skip_options: Sequence[str] | None = None) -> None:
        """Assert that gradients reach the variables of an operator through all its methods."""
        skipped = skip_options or []
        if not operator.variables:
            raise AssertionError("`operator.variables` was empty")
        x = cast(ones(operator.H.shape_tensor()[:-1]), operator.dtype)
        self._reaches(operator, lambda: operator)
        self._reaches(operator, operator.to_dense)
        self._reaches(operator, lambda: operator.adjoint().to_dense())
        self._reaches(operator, lambda: operator.matvec(x))
        if not operator.is_square:
            return
        for method in ("determinant", "log_abs_determinant", "diag_part", "trace"):
            if method not in skipped:
                self._reaches(operator, getattr(operator, method))
        if operator.is_non_singular is False:
            return
        self._reaches(operator, lambda: operator.inverse().to_dense())
        self._reaches(operator, lambda: operator.solvevec(x))
        if operator.is_self_adjoint and operator.is_positive_definite:
            self._reaches(operator, lambda: operator.cholesky().to_dense())

    def _reaches(self, operator: Any, compute: Callable[[], Any]) -> None:
        variables = operator.variables
        with GradientTape() as tape:
            found = tape.gradient(compute(), variables)
        for variable, gradient in zip(variables, found, strict=True):
            self.assertIsNotNone(gradient, f"{compute} does not depend on {variable.name}")


class SquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest):
    """A test of an operator with as many rows as columns."""

    @staticmethod
    def operator_shapes_infos() -> Sequence[OperatorShapesInfo]:
        """Empty, of one element, and with zero to two axes of a batch."""
        shapes = [(0, 0), (1, 1), (1, 3, 3), (3, 4, 4), (2, 1, 4, 4)]
        return [OperatorShapesInfo(shape) for shape in shapes]

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Tensor:
        """As an argument of the other adjoint: a right side is what a product gives."""
        return self.make_x(operator, adjoint=not adjoint, with_batch=with_batch)

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Tensor:
        """One column, or two for an operator with two axes of a batch."""
        return _columns(operator, adjoint, with_batch, self._get_num_systems(operator))

    def _get_num_systems(self, operator: Any) -> int:
        return 1 if (operator.tensor_rank or 0) < 4 else 2


class NonSquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest):
    """A test of an operator that may have more rows than columns, or fewer."""

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        """What only a square matrix has."""
        return [
            "cholesky",
            "eigvalsh",
            "inverse",
            "solve",
            "solve_with_broadcast",
            "det",
            "log_abs_det",
        ]

    @staticmethod
    def operator_shapes_infos() -> Sequence[OperatorShapesInfo]:
        """Tall and wide, with zero to two axes of a batch."""
        shapes = [(2, 1), (1, 2), (1, 3, 2), (3, 3, 4), (2, 1, 2, 4)]
        return [OperatorShapesInfo(shape) for shape in shapes]

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Tensor:
        """None: a system needs a square matrix."""
        raise NotImplementedError("A linear system needs a square operator.")

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Tensor:
        """One column, or two for an operator with two axes of a batch."""
        return _columns(operator, adjoint, with_batch, self._get_num_systems(operator))

    def _get_num_systems(self, operator: Any) -> int:
        return 1 if (operator.tensor_rank or 0) < 4 else 2


def _columns(operator: Any, adjoint: bool, with_batch: bool, count: int) -> Tensor:
    """Columns that an operator, or its adjoint, can be multiplied by."""
    known = executing_eagerly() or operator.shape.is_fully_defined()
    *batch, rows, inner = operator.shape.as_list() if known else [None, None, None]
    size = rows if adjoint else inner
    if known:
        return random_normal([*(batch if with_batch else []), size, count], dtype=operator.dtype)
    shape = operator.shape_tensor()
    size = shape[-2] if adjoint else shape[-1]
    lead = shape[:-2] if with_batch else shape[:0]
    return random_normal(concat([lead, [size, count]], 0), dtype=operator.dtype)
