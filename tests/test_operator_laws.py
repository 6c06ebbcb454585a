"""Every kind of linear operator under the laws of wengert.testing, as programs for TensorFlow write them."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

import wengert as tf
from wengert.compat.internals.ops.linalg import linear_operator_test_util as util
from wengert.linear_operators import LinearOperatorFullMatrix

L: Any = tf.linalg
v1 = tf.compat.v1
Made = tuple[Any, Any]
TOLERANCES = {tf.float64: 1e-10, tf.complex128: 1e-10}


def given(x: Any, use_placeholder: bool) -> Any:
    """A tensor, or one of which the graph knows nothing."""
    return v1.placeholder_with_default(x, shape=None) if use_placeholder else x


def hints(wanted: bool) -> dict[str, Any]:
    return {"is_self_adjoint": True, "is_positive_definite": True} if wanted else {}


def near_one(shape: Sequence[int], dtype: Any) -> Any:
    """Numbers that are neither near zero nor negative; complex ones with a small imaginary part."""
    x = tf.cast(tf.random.uniform(shape, 1.0, 2.0, dtype.real_dtype), dtype)
    return x * tf.cast(0.9 + 0.3j, dtype) if dtype.is_complex else x


class Wide:
    """Both dtypes of double width."""

    _atol: ClassVar[dict[Any, float]] = TOLERANCES
    _rtol: ClassVar[dict[Any, float]] = TOLERANCES

    @staticmethod
    def dtypes_to_test() -> Sequence[Any]:
        return [tf.float64, tf.complex128]

    @staticmethod
    def operator_shapes_infos() -> Sequence[Any]:
        shapes = [(1, 1), (2, 1, 3, 3)]
        return [util.OperatorShapesInfo(shape) for shape in shapes]


class Square(Wide, util.SquareLinearOperatorDerivedClassTest):
    """Shared by the tests of square operators: one method makes the operator, and its matrix."""

    make: Callable[..., Made]

    def operator_and_matrix(
        self,
        build_info: Any,
        dtype: Any,
        use_placeholder: bool,
        ensure_self_adjoint_and_pd: bool = False,
    ) -> Made:
        def kept(x: Any) -> Any:
            return given(x, use_placeholder)

        return self.make(list(build_info.shape), dtype, kept, ensure_self_adjoint_and_pd)


class FullMatrix(Square):
    operator_shapes_infos = util.SquareLinearOperatorDerivedClassTest.operator_shapes_infos

    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        matrix = util.random_positive_definite_matrix(shape, dtype)
        return L.LinearOperatorFullMatrix(kept(matrix), is_square=True, **hints(positive)), matrix

    @staticmethod
    def optional_tests() -> Sequence[str]:
        return ["operator_matmul_with_same_type", "operator_solve_with_same_type"]

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        """An empty matrix has no singular values."""
        return ["cond"]

    def test_variables(self) -> None:
        """Gradients reach the variable; without it, it is an operator of its value."""
        operator = L.LinearOperatorFullMatrix(
            tf.Variable([[2.0, 1.0], [1.0, 3.0]]), is_non_singular=True
        )
        two = L.LinearOperatorComposition([operator, L.LinearOperatorDiag(tf.Variable([1.0, 2.0]))])
        self.check_tape_safe(two)
        self.check_tape_safe(operator)
        self.check_convert_variables_to_tensors(operator)


class LowerTriangular(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        tril = util.random_tril_matrix(shape, dtype, True, remove_upper=False)
        operator = L.LinearOperatorLowerTriangular(kept(tril), is_non_singular=True)
        return operator, tf.linalg.band_part(tril, -1, 0)

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        return ["cholesky", "eigvalsh"]


class Diag(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        d = near_one(shape[:-1], dtype)
        d = tf.cast(tf.math.real(d), dtype) if positive else d
        return L.LinearOperatorDiag(kept(d), **hints(positive)), tf.linalg.diag(d)


class Tridiag(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        d = near_one([*shape[:-2], 3, shape[-1]], dtype)
        main = 5.0 * d[..., 1, :]
        main = tf.cast(tf.math.real(main), dtype)
        above = d[..., 0, :]
        below = tf.concat([tf.math.conj(above[..., -1:]), tf.math.conj(above[..., :-1])], -1)
        compact = tf.stack([above, main, below], -2)
        size = shape[-1]
        matrix = tf.linalg.diag(main)
        if size > 1:
            matrix += tf.linalg.diag(above[..., :-1], k=1) + tf.linalg.diag(below[..., 1:], k=-1)
        return L.LinearOperatorTridiag(kept(compact), **hints(positive)), matrix


class TridiagSequence(Tridiag):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        operator, matrix = super().make(shape, dtype, lambda x: x, positive)
        parts = [kept(operator.diagonals[..., i, :]) for i in range(3)]
        return L.LinearOperatorTridiag(parts, "sequence", **hints(positive)), matrix


class TridiagMatrix(Tridiag):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        _, matrix = super().make(shape, dtype, lambda x: x, positive)
        return L.LinearOperatorTridiag(kept(matrix), "matrix", **hints(positive)), matrix


class Toeplitz(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        size = shape[-1]
        col, row = (near_one(shape[:-1], dtype) / 4.0 for _ in range(2))
        first = tf.cast(tf.ones([*shape[:-2], 1]), dtype) * 3.0
        col, row = (tf.concat([first, x[..., 1:]], -1) for x in (col, row))
        if positive:
            row = tf.math.conj(col)
        rows = [
            tf.stack([(col[..., i - j] if i >= j else row[..., j - i]) for j in range(size)], -1)
            for i in range(size)
        ]
        operator = L.LinearOperatorToeplitz(kept(col), kept(row), **hints(positive))
        return operator, tf.stack(rows, -2)


class Identity(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        operator = L.LinearOperatorIdentity(shape[-1], shape[:-2], dtype)
        return operator, tf.eye(shape[-1], batch_shape=shape[:-2], dtype=dtype)

    @staticmethod
    def use_placeholder_options() -> Sequence[bool]:
        return [False]


class IdentityOfUnknownSize(Square):
    """The sizes are tensors, which a graph may not know."""

    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        rows, batch = kept(np.int32(shape[-1])), kept(np.int32(shape[:-2]))
        matrix = tf.eye(shape[-1], batch_shape=shape[:-2], dtype=dtype)
        return L.LinearOperatorIdentity(rows, batch, dtype), matrix

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        """A saved model broadcasts to shapes that are known when it is saved."""
        return ["saved_model"]


class ScaledIdentity(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        scale = near_one(shape[:-2], dtype)
        scale = tf.cast(tf.math.real(scale), dtype) if positive else scale
        rows = kept(np.int32(shape[-1]))
        operator = L.LinearOperatorScaledIdentity(rows, kept(scale), **hints(positive))
        return operator, scale[..., None, None] * tf.eye(shape[-1], dtype=dtype)


class Zeros(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        operator = L.LinearOperatorZeros(shape[-1], batch_shape=shape[:-2], dtype=dtype)
        return operator, tf.zeros(shape, dtype)

    @staticmethod
    def use_placeholder_options() -> Sequence[bool]:
        return [False]

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        """What a singular matrix has not."""
        return ["cholesky", "cond", "inverse", "log_abs_det", "solve", "solve_with_broadcast"]


class Permutation(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        perm = tf.argsort(tf.random.uniform(shape[:-1]), -1)
        matrix = tf.one_hot(perm, shape[-1], dtype=dtype)
        return L.LinearOperatorPermutation(kept(perm), dtype=dtype), matrix

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        return ["cholesky", "eigvalsh", "composite_tensor_gradient"]


class Householder(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        axis = util.random_sign_uniform(shape[:-1], 1.0, 2.0, dtype)
        unit = axis / tf.norm(axis, axis=-1, keepdims=True)
        outer = unit[..., :, None] * tf.math.conj(unit)[..., None, :]
        return L.LinearOperatorHouseholder(kept(axis)), tf.eye(shape[-1], dtype=dtype) - 2.0 * outer

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        return ["cholesky"]


def circulant(spectrum: Any, depth: int) -> Any:
    """The matrix of a spectrum: its columns are what comes of the unit vectors."""
    sizes = spectrum.shape[-depth:].as_list()
    n = 1
    for size in sizes:
        n *= size
    units = tf.reshape(tf.eye(n, dtype=spectrum.dtype), [n, *sizes])
    axes = list(range(-depth, 0))
    through = tf.signal.fftnd(units, axes=axes) * tf.expand_dims(spectrum, -depth - 1)
    batch = spectrum.shape[:-depth].as_list()
    return tf.linalg.matrix_transpose(
        tf.reshape(tf.signal.ifftnd(through, axes=axes), [*batch, n, n])
    )


class Circulant(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        spectrum = near_one(shape[:-1], tf.complex128)
        if positive:
            spectrum = tf.cast(tf.math.real(spectrum), tf.complex128)
        operator = L.LinearOperatorCirculant(kept(spectrum), dtype, **hints(positive))
        return operator, tf.cast(circulant(spectrum, 1), dtype)

    @staticmethod
    def dtypes_to_test() -> Sequence[Any]:
        return [tf.complex128]


class RealCirculant(Circulant):
    """The kernel is real: its spectrum is Hermitian."""

    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        kernel = tf.concat(
            [tf.ones([*shape[:-2], 1]) * 9.0, tf.random.uniform(shape[:-1])[..., 1:]], -1
        )
        spectrum = tf.signal.fft(tf.cast(kernel, tf.complex128))
        if positive:
            spectrum = tf.cast(tf.math.real(spectrum), tf.complex128)
        operator = L.LinearOperatorCirculant(kept(spectrum), dtype, **hints(positive))
        return operator, tf.cast(tf.math.real(circulant(spectrum, 1)), dtype)

    @staticmethod
    def dtypes_to_test() -> Sequence[Any]:
        return [tf.float64]


class Circulant2D(Circulant):
    @staticmethod
    def operator_shapes_infos() -> Sequence[Any]:
        shapes = [(4, 4), (2, 6, 6)]
        return [util.OperatorShapesInfo(shape) for shape in shapes]

    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        spectrum = near_one([*shape[:-2], 2, shape[-1] // 2], tf.complex128)
        if positive:
            spectrum = tf.cast(tf.math.real(spectrum), tf.complex128)
        operator = L.LinearOperatorCirculant2D(kept(spectrum), dtype, **hints(positive))
        return operator, tf.cast(circulant(spectrum, 2), dtype)


class LowRank(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        d = tf.cast(tf.random.uniform(shape[:-1], 2.0, 3.0, tf.float64), dtype)
        u = util.random_normal([*shape[:-1], 2], dtype=dtype) / 3.0
        v = util.random_normal([*shape[:-1], 2], dtype=dtype) / 3.0
        middle = tf.cast(tf.random.uniform([*shape[:-2], 2], 0.5, 1.0, tf.float64), dtype)
        base = L.LinearOperatorDiag(kept(d), is_positive_definite=True, is_self_adjoint=True)
        operator = L.LinearOperatorLowRankUpdate(
            base,
            kept(u),
            kept(middle),
            None if positive else kept(v),
            is_diag_update_positive=True,
            **hints(positive),
        )
        right = tf.linalg.adjoint(u if positive else v)
        return operator, tf.linalg.diag(d) + tf.matmul(u * middle[..., None, :], right)


class Adjoint(FullMatrix):
    operator_shapes_infos = Wide.operator_shapes_infos

    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        matrix = util.random_normal(shape, dtype=dtype) + 3.0 * tf.eye(shape[-1], dtype=dtype)
        if positive:
            operator, matrix = super().make(shape, dtype, kept, True)
        else:
            operator = L.LinearOperatorFullMatrix(kept(matrix), is_square=True)
        return L.LinearOperatorAdjoint(operator), tf.linalg.adjoint(matrix)


class Inversion(FullMatrix):
    operator_shapes_infos = Wide.operator_shapes_infos

    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        matrix = util.random_positive_definite_matrix(shape, dtype, force_well_conditioned=True)
        operator = L.LinearOperatorFullMatrix(kept(matrix), is_non_singular=True, **hints(positive))
        return L.LinearOperatorInversion(operator), tf.linalg.inv(matrix)


def two(shapes: Any, dtype: Any, kept: Any, positive: bool) -> Any:
    """Operators with their matrices, well conditioned."""
    matrices = [
        util.random_positive_definite_matrix(s, dtype, force_well_conditioned=True) for s in shapes
    ]
    operators = [
        L.LinearOperatorFullMatrix(kept(m), is_square=True, **hints(positive)) for m in matrices
    ]
    return operators, matrices


class Composition(Square):
    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        operators, (a, b) = two([shape, shape], dtype, kept, positive)
        return L.LinearOperatorComposition(operators), tf.matmul(a, b)

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        """Two positive definite matrices need not have a product that is."""
        return ["cholesky", "eigvalsh"]


class Kronecker(Square):
    @staticmethod
    def operator_shapes_infos() -> Sequence[Any]:
        infos = [
            ((1, 1), (1, 1)),
            ((2, 2), (3, 3)),
            ((2, 2, 2), (2, 3, 3)),
            ((2, 1, 2, 2), (1, 2, 2)),
        ]
        return [util.OperatorShapesInfo(pair) for pair in infos]

    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        operators, (a, b) = two(shape, dtype, kept, positive)
        pairs = a[..., :, None, :, None] * b[..., None, :, None, :]
        size = a.shape[-1] * b.shape[-1]
        matrix = tf.reshape(pairs, [*pairs.shape[:-4].as_list(), size, size])
        return L.LinearOperatorKronecker(operators, **hints(positive)), matrix


class BlockDiag(Square):
    @staticmethod
    def operator_shapes_infos() -> Sequence[Any]:
        infos = [((1, 1),), ((2, 2), (3, 3)), ((2, 2, 2), (2, 3, 3)), ((2, 1, 2, 2), (1, 3, 3))]
        return [util.OperatorShapesInfo(shapes) for shapes in infos]

    @staticmethod
    def use_blockwise_arg() -> bool:
        return True

    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        operators, matrices = two(shape, dtype, kept, positive)
        return L.LinearOperatorBlockDiag(operators, **hints(positive)), diagonal(matrices)


def diagonal(matrices: Sequence[Any], below: Sequence[Any] = ()) -> Any:
    """Matrices along the diagonal, and perhaps one below it."""
    sizes = [m.shape[-1] for m in matrices]
    batch = tf.broadcast_static_shape(matrices[0].shape[:-2], matrices[-1].shape[:-2]).as_list()
    total, at, rows = sum(sizes), 0, []
    for i, (m, size) in enumerate(zip(matrices, sizes, strict=True)):
        padded = tf.pad(m, [[0, 0]] * (len(m.shape) - 1) + [[at, total - at - size]])
        if i and below:
            padded += tf.pad(below[0], [[0, 0]] * (len(below[0].shape) - 1) + [[0, total - at]])
        rows.append(tf.broadcast_to(padded, [*batch, size, total]))
        at += size
    return tf.concat(rows, -2)


class BlockLowerTriangular(BlockDiag):
    @staticmethod
    def operator_shapes_infos() -> Sequence[Any]:
        infos = [((2, 2), (3, 3)), ((2, 2, 2), (2, 3, 3)), ((2, 1, 2, 2), (1, 3, 3))]
        return [util.OperatorShapesInfo(shapes) for shapes in infos]

    def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
        (first, second), matrices = two(shape, dtype, kept, positive)
        block = util.random_normal([*shape[1][:-2], shape[1][-1], shape[0][-1]], dtype=dtype)
        below = L.LinearOperatorFullMatrix(kept(block), is_square=False)
        operator = L.LinearOperatorBlockLowerTriangular([[first], [below, second]])
        return operator, diagonal(matrices, [block])

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        return ["cholesky", "eigvalsh"]


class TallFullMatrix(util.NonSquareLinearOperatorDerivedClassTest):
    _atol: ClassVar[dict[Any, float]] = TOLERANCES
    _rtol: ClassVar[dict[Any, float]] = TOLERANCES
    dtypes_to_test = Wide.dtypes_to_test

    def operator_and_matrix(
        self,
        build_info: Any,
        dtype: Any,
        use_placeholder: bool,
        ensure_self_adjoint_and_pd: bool = False,
    ) -> Made:
        matrix = util.random_normal(list(build_info.shape), dtype=dtype)
        return L.LinearOperatorFullMatrix(given(matrix, use_placeholder), is_square=False), matrix


KINDS = [
    FullMatrix,
    LowerTriangular,
    Diag,
    Tridiag,
    TridiagSequence,
    TridiagMatrix,
    Toeplitz,
    Identity,
    IdentityOfUnknownSize,
    ScaledIdentity,
    Zeros,
    Permutation,
    Householder,
    Circulant,
    RealCirculant,
    Circulant2D,
    LowRank,
    Adjoint,
    Inversion,
    Composition,
    Kronecker,
    BlockDiag,
    BlockLowerTriangular,
    TallFullMatrix,
]
for kind in KINDS:  # tests are added to a class of their own: what is derived makes other operators
    tested = type(f"{kind.__name__}Test", (kind,), {"__module__": __name__})
    util.add_tests(tested)
    globals()[tested.__name__] = tested
del tested


# ---- the laws themselves ----------------------------------------------------------------------


class SlantedSolve(LinearOperatorFullMatrix):
    """Its systems are those of the transpose: right for a symmetric matrix only."""

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return super()._solve(rhs, not adjoint)


def failures(kind: Any) -> set[str]:
    """The laws of which a test of the class fails."""
    tested = type("Tested", (kind,), {"__module__": __name__})
    util.add_tests(tested)
    found = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(tested).run(found)
    assert not found.errors
    return {test.id().split(".test_")[1].split("__shape=")[0] for test, _ in found.failures}


def test_a_wrong_operator_is_found() -> None:
    """By the laws of what is wrong, and by no other."""

    class Slanted(FullMatrix):
        def make(self, shape: Any, dtype: Any, kept: Any, positive: bool) -> Made:
            matrix = util.random_normal(shape, dtype=dtype) + 3.0 * tf.eye(shape[-1], dtype=dtype)
            return SlantedSolve(kept(matrix), is_square=True), matrix

        @staticmethod
        def skip_these_tests() -> Sequence[str]:
            return ["cholesky", "cond", "eigvalsh", "operator_solve_with_same_type"]

    assert failures(Slanted) == {"inverse", "solve", "solve_with_broadcast"}


def test_a_law_that_does_not_exist() -> None:
    """A test that is skipped by a wrong name would go on running."""

    class Mistyped(FullMatrix):
        @staticmethod
        def skip_these_tests() -> Sequence[str]:
            return ["chlesky"]

    with pytest.raises(ValueError, match=r"no tests \['chlesky'\]"):
        util.add_tests(Mistyped)


def test_tape_safety_is_checked() -> None:
    """A variable to which no gradient flows is found."""

    class Stopped(LinearOperatorFullMatrix):
        def _trace(self) -> Any:
            return tf.stop_gradient(super()._trace())

    case = FullMatrix("run")
    operator = Stopped(tf.Variable([[2.0, 1.0], [1.0, 3.0]]))
    with pytest.raises(AssertionError, match="does not depend on Variable"):
        case.check_tape_safe(operator)
    case.check_tape_safe(operator, [util.CheckTapeSafeSkipOptions.TRACE])


def test_parts_of_batches() -> None:
    """Parameters that broadcast are cut where they have the axis."""
    spread = L.LinearOperatorToeplitz(tf.ones([4, 1, 3]), tf.ones([5, 3]))
    for part in [(1,), (slice(2, None),), (..., 3), (slice(None, 2), slice(1, 4)), (None, 2)]:
        found = spread[part].to_dense()
        whole = (slice(None),) * (2 if ... in part else 0)
        expected = spread.to_dense().numpy()[part + whole]
        np.testing.assert_array_equal(found, np.broadcast_to(expected, found.shape))
    with pytest.raises(tf.errors.InvalidArgumentError, match="matrices themselves"):
        spread[0, 0, 0]
    assert L.LinearOperatorIdentity(2, [4, 5])[1:].shape.as_list() == [3, 5, 2, 2]


def test_an_operator_is_an_argument_of_a_function() -> None:
    """A trace is kept for other operators of the same kind, and made anew for another kind."""
    traces = []

    @tf.function
    def applied(operator: Any, x: Any) -> Any:
        traces.append(operator)
        return operator.matvec(x)

    assert applied(
        L.LinearOperatorDiag(tf.constant([1.0, 2.0])), tf.constant([3.0, 4.0])
    ).numpy().tolist() == [
        3,
        8,
    ]
    assert applied(
        L.LinearOperatorDiag(tf.constant([5.0, 6.0])), tf.constant([1.0, 1.0])
    ).numpy().tolist() == [
        5,
        6,
    ]
    assert len(traces) == 1
    full = L.LinearOperatorFullMatrix(tf.constant([[0.0, 1.0], [1.0, 0.0]]))
    assert applied(full, tf.constant([3.0, 4.0])).numpy().tolist() == [4, 3]
    assert len(traces) == 2
