"""Linear operators: every class, dense values, products, solutions, determinants, and how they compose."""

# mypy: disable-error-code="no-any-return, misc"
from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from unit_programs.common import Programs, in_session, internal, named, outcome, refusal


def programs(tf: Any) -> Programs:
    return classes(tf) | composed(tf) | said(tf) | derived(tf)


def counted(tf: Any, *shape: int) -> Any:
    return tf.constant(np.cos(np.arange(np.prod(shape)) * 1.3).reshape(shape), tf.float64)


def positive(tf: Any, *shape: int) -> Any:
    x = counted(tf, *shape)
    return tf.matmul(x, x, adjoint_b=True) + 2.0 * tf.eye(shape[-1], dtype=tf.float64)


def made(tf: Any) -> dict[str, Any]:
    """One operator of each class, square ones."""
    lo, d = tf.linalg, tf.float64
    full = lo.LinearOperatorFullMatrix
    spectrum = tf.constant([3.0, 1.0 + 1j, 2.0, 1.0 - 1j], tf.complex128)
    wide = tf.complex128
    return {
        "full": lambda: full(positive(tf, 2, 3, 3), is_positive_definite=True, is_self_adjoint=True),
        "triangle": lambda: lo.LinearOperatorLowerTriangular(positive(tf, 2, 3, 3)),
        "diagonal": lambda: lo.LinearOperatorDiag(counted(tf, 2, 3) + 3.0),
        "identity": lambda: lo.LinearOperatorIdentity(3, dtype=d),
        "scaled": lambda: lo.LinearOperatorScaledIdentity(3, tf.constant(2.5, d)),
        "zeros": lambda: lo.LinearOperatorZeros(3, dtype=d),
        "toeplitz": lambda: lo.LinearOperatorToeplitz(
            counted(tf, 3) + 3.0, tf.concat([counted(tf, 1) + 3.0, counted(tf, 2)], 0)
        ),
        "householder": lambda: lo.LinearOperatorHouseholder(counted(tf, 2, 3)),
        "permutation": lambda: lo.LinearOperatorPermutation([2, 0, 1], dtype=d),
        "tridiagonal": lambda: lo.LinearOperatorTridiag(counted(tf, 3, 3) + 2.0, "compact"),
        "circulant": lambda: lo.LinearOperatorCirculant(spectrum, input_output_dtype=wide),
        "circulant of two": lambda: lo.LinearOperatorCirculant2D(
            tf.cast(counted(tf, 2, 2) + 2.0, wide), input_output_dtype=wide
        ),
        "circulant of three": lambda: lo.LinearOperatorCirculant3D(
            tf.cast(counted(tf, 2, 1, 2) + 2.0, wide), input_output_dtype=wide
        ),
        "low rank": lambda: lo.LinearOperatorLowRankUpdate(
            lo.LinearOperatorDiag(tf.ones([3], d) * 3.0), counted(tf, 3, 2), tf.constant([1.0, 2.0], d)
        ),
        "blocks": lambda: lo.LinearOperatorBlockDiag(
            [full(positive(tf, 2, 2)), lo.LinearOperatorIdentity(1, dtype=d)]
        ),
        "block triangle": lambda: lo.LinearOperatorBlockLowerTriangular(
            [[full(positive(tf, 2, 2))], [full(counted(tf, 1, 2)), full(positive(tf, 1, 1))]]
        ),
        "composition": lambda: lo.LinearOperatorComposition(
            [full(positive(tf, 3, 3)), lo.LinearOperatorDiag(counted(tf, 3) + 2.0)]
        ),
        "kronecker": lambda: lo.LinearOperatorKronecker([full(positive(tf, 2, 2)), full(positive(tf, 2, 2))]),
        "adjoint": lambda: lo.LinearOperatorAdjoint(lo.LinearOperatorLowerTriangular(positive(tf, 3, 3))),
        "inversion": lambda: internal("ops.linalg.linear_operator_inversion").LinearOperatorInversion(
            full(positive(tf, 3, 3))
        ),
    }  # fmt: skip


def classes(tf: Any) -> Programs:
    """Each class alone."""

    def of(make: Any) -> Any:
        op = make()
        n = int(op.range_dimension)
        right = tf.cast(counted(tf, n, 2), op.dtype)
        calls: list[Any] = [
            lambda: [op.tensor_rank, op.is_square, op.shape, op.batch_shape, op.domain_dimension, op.range_dimension],
            lambda: [op.is_self_adjoint, op.dtype.name, op.name, type(op).__name__],
            op.shape_tensor, op.batch_shape_tensor, op.tensor_rank_tensor, op.domain_dimension_tensor,
            op.to_dense, op.diag_part, op.trace, lambda: op.matmul(right), lambda: op.matmul(right, adjoint=True),
            lambda: op.matmul(tf.linalg.adjoint(right), adjoint_arg=True), lambda: op.matvec(right[:, 0]),
            lambda: op.matvec(right[:, 0], adjoint=True), lambda: op.add_to_tensor(tf.eye(n, dtype=op.dtype)),
            lambda: op.adjoint().to_dense() * 1, lambda: [None, type(op.adjoint()).__name__, op.adjoint().name],
            lambda: op.solve(right), lambda: op.solvevec(right[:, 0]), lambda: op.solve(right, adjoint=True),
            lambda: op.solve(tf.linalg.adjoint(right), adjoint_arg=True), op.determinant, op.log_abs_determinant,
            lambda: op.inverse().to_dense(), lambda: [None, type(op.inverse()).__name__, op.inverse().name], op.cond,
        ]  # fmt: skip
        return [None, *[outcome(call) for call in calls]]

    def twice(make: Any) -> Any:
        def dense() -> Any:
            op = make()
            return op.matmul(tf.eye(int(op.range_dimension), dtype=op.dtype))

        return of(make), tf.function(dense)()

    def in_version_1(make: Any) -> Any:
        def build() -> Any:
            op = make()
            right = tf.cast(counted(tf, int(op.range_dimension), 2), op.dtype)
            return op.to_dense(), op.matmul(right), op.shape_tensor(), op.trace()

        return in_session(tf, build)

    found: Programs = {}
    for name, make in made(tf).items():
        found[f"operator {name}"] = partial(twice, make)
        if name != "circulant":
            found[f"operator {name} in a session"] = partial(in_version_1, make)
    return found


def composed(tf: Any) -> Programs:
    """Products, sums, solutions and inverses of two operators: what class comes out."""

    def kind(op: Any) -> Any:
        return [None, type(op).__name__, op.name, op.is_self_adjoint, op.is_non_singular]

    every = ("full", "triangle", "diagonal", "identity", "scaled", "circulant", "householder")

    def pairs(of: Any, names: Any = every) -> Any:
        made_ = made(tf)
        found: dict[str, Any] = {}
        for one in names:
            for other in names:
                found[f"{one} {other}"] = outcome(
                    lambda i=one, j=other: kind(of(made_[i](), made_[j]()))
                )
        return found

    def operators_multiplied() -> Any:
        return pairs(lambda a, b: a @ b)

    def operators_multiplied_with_zeros() -> Any:
        return pairs(lambda a, b: a @ b, ("scaled", "zeros", "low rank", "toeplitz"))

    def operators_solved() -> Any:
        return pairs(lambda a, b: a.solve(b))

    def operators_added() -> Any:
        addition = internal("ops.linalg.linear_operator_addition")

        def of(a: Any, b: Any) -> Any:
            return addition.add_operators([a, b])[0]

        return pairs(of, every[:5])

    def operators_added_in_tiers() -> Any:
        addition = internal("ops.linalg.linear_operator_addition")
        lo = tf.linalg
        ops = [
            lo.LinearOperatorIdentity(2), lo.LinearOperatorDiag([1.0, 2.0]),
            lo.LinearOperatorLowerTriangular([[2.0, 0.0], [1.0, 3.0]]),
        ]  # fmt: skip
        total = addition.add_operators(ops)
        kept = addition.add_operators(ops, addition_tiers=[])
        return len(total), total[0].to_dense(), type(total[0]).__name__, len(kept)

    def operators_cholesky() -> Any:
        return {name: outcome(lambda m=m: kind(m().cholesky())) for name, m in made(tf).items()}

    def operators_inverted() -> Any:
        return {name: outcome(lambda m=m: kind(m().inverse())) for name, m in made(tf).items()}

    def operators_adjoint() -> Any:
        def of(make: Any) -> Any:
            return [None, type(make().H).__name__, make().H.name, make().H.is_self_adjoint]

        return {name: outcome(lambda m=m: of(m)) for name, m in made(tf).items()}

    def operators_eigenvalues() -> Any:
        lo = tf.linalg
        return [
            lo.LinearOperatorDiag([3.0, 1.0]).eigvals(), lo.LinearOperatorIdentity(2).eigvals(),
            lo.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 2.0]], is_self_adjoint=True).eigvals(),
            refusal(lambda: lo.LinearOperatorFullMatrix([[2.0, 1.0], [0.0, 2.0]]).eigvals(), "self-adjoint"),
            lo.LinearOperatorKronecker([lo.LinearOperatorDiag([3.0, 1.0])] * 2).eigvals(),
            lo.LinearOperatorBlockDiag([lo.LinearOperatorDiag([3.0, 1.0])] * 2).eigvals(),
        ]  # fmt: skip

    return named(
        operators_multiplied, operators_multiplied_with_zeros, operators_solved, operators_added, operators_added_in_tiers, operators_cholesky,
        operators_inverted, operators_adjoint, operators_eigenvalues,
    )  # fmt: skip


def said(tf: Any) -> Programs:
    """Hints, assertions and refusals."""
    lo = tf.linalg

    def operator_hints() -> Any:
        full = lo.LinearOperatorFullMatrix
        return [None,
            refusal(lambda: full([[1.0, 2.0]], is_square=True), "is_square"),
            refusal(lambda: full([[1.0, 2.0]], is_self_adjoint=True), "square"),
            refusal(lambda: full([1.0]), "at least 2 dimensions"),
            refusal(lambda: full([[1, 2], [3, 4]]), "dtype"),
            refusal(lambda: full([[1.0, 2.0], [3.0, 4.0]], is_positive_definite=True, is_non_singular=False), "always non-singular"),
            refusal(lambda: lo.LinearOperatorDiag(1.0), "at least 1 dimension"),
            refusal(lambda: lo.LinearOperatorDiag([1.0], is_self_adjoint=False), "always self adjoint"),
            refusal(lambda: lo.LinearOperatorDiag([1.0], is_square=False), "square"),
            refusal(lambda: lo.LinearOperatorIdentity(-1), "non-negative"),
            refusal(lambda: lo.LinearOperatorIdentity(2.0), "integer"),
            refusal(lambda: lo.LinearOperatorIdentity([2]), "0-D"),
            refusal(lambda: lo.LinearOperatorIdentity(2, [-1]), "non-negative"),
            refusal(lambda: lo.LinearOperatorIdentity(2, is_self_adjoint=False)),
            refusal(lambda: lo.LinearOperatorIdentity(2, is_positive_definite=False)),
            refusal(lambda: lo.LinearOperatorZeros(2, is_non_singular=True), "always singular"),
            refusal(lambda: lo.LinearOperatorHouseholder([1.0], is_positive_definite=True), "Householder operator is non-positive"),
            refusal(lambda: lo.LinearOperatorPermutation([[0.5]]), "integer"),
            refusal(lambda: lo.LinearOperatorTridiag([[1.0, 2.0]], "other"), ""),
            refusal(lambda: lo.LinearOperatorKronecker([]), "non-empty"),
            refusal(lambda: lo.LinearOperatorComposition([]), "non-empty"),
            refusal(lambda: lo.LinearOperatorBlockDiag([]), "non-empty"),
            refusal(lambda: lo.LinearOperatorBlockLowerTriangular([]), "non-empty"),
            refusal(lambda: lo.LinearOperatorCirculant([1.0], input_output_dtype=tf.float32, is_self_adjoint=False), ""),
            refusal(lambda: lo.LinearOperatorComposition([full(tf.ones([2, 3])), full(tf.ones([2, 3]))]), "incompatible"),
        ]  # fmt: skip

    def operator_assertions() -> Any:
        full = lo.LinearOperatorFullMatrix
        return [
            refusal(lambda: full([[1.0, 0.0], [0.0, 0.0]]).assert_non_singular(), "Singular matrix"),
            refusal(lambda: full([[1.0, 2.0], [0.0, 1.0]]).assert_self_adjoint(), "not equal to its adjoint"),
            refusal(lambda: full([[1.0, 0.0], [0.0, -1.0]], is_self_adjoint=True).assert_positive_definite(), "not positive definite|Cholesky"),
            refusal(lambda: lo.LinearOperatorDiag([1.0, 0.0]).assert_non_singular(), "Singular operator"),
            refusal(lambda: lo.LinearOperatorDiag([1.0, -1.0]).assert_positive_definite(), "non-positive"),
            refusal(lambda: lo.LinearOperatorDiag(tf.constant([1j])).assert_self_adjoint(), "imaginary part"),
            refusal(lambda: lo.LinearOperatorLowerTriangular([[0.0, 0.0], [1.0, 1.0]]).assert_non_singular(), "Singular operator"),
            refusal(lambda: lo.LinearOperatorScaledIdentity(2, 0.0).assert_non_singular(), "Singular operator"),
            refusal(lambda: lo.LinearOperatorZeros(2).assert_non_singular(), ""),
            refusal(lambda: lo.LinearOperatorZeros(2).assert_positive_definite(), ""),
            lo.LinearOperatorZeros(2).assert_self_adjoint() is None,
        ]  # fmt: skip

    def operator_arguments() -> Any:
        op = lo.LinearOperatorDiag([1.0, 2.0])
        return [
            refusal(lambda: op.matmul([1.0, 2.0]), "at least 2 dimensions"),
            refusal(lambda: op.matvec(1.0), "at least 1 dimension"),
            refusal(lambda: op.matmul(tf.ones([3, 2])), "ncompatible"),
            refusal(lambda: op.solve(tf.ones([3, 2])), "ncompatible"),
            refusal(lambda: op.matmul(tf.ones([2, 2], tf.float64)), "dtype"),
            refusal(lambda: lo.LinearOperatorFullMatrix(tf.ones([2, 3])).determinant(), "not square"),
            refusal(lambda: lo.LinearOperatorFullMatrix(tf.ones([2, 2]), is_non_singular=False).solve(tf.ones([2, 1])), "singular"),
            refusal(lambda: lo.LinearOperatorFullMatrix(tf.ones([2, 2])).cholesky(), "positive definite and self adjoint"),
            refusal(lambda: lo.LinearOperatorZeros(2).solve(tf.ones([2, 1])), ""),
        ]  # fmt: skip

    def operator_parameters() -> Any:
        op = lo.LinearOperatorDiag([1.0, 2.0], is_non_singular=True, name="D")
        return [
            None, sorted(op.parameters), op.parameters["is_non_singular"], [v.name for v in op.variables],
            op.trainable_variables, len(op.submodules), op.name, op.is_positive_definite, op.is_self_adjoint,
        ]  # fmt: skip

    def operator_with_a_variable() -> Any:
        v = tf.Variable([1.0, 2.0], name="d")
        op = lo.LinearOperatorDiag(v)
        first = op.to_dense()
        v.assign([3.0, 4.0])
        return first, op.to_dense(), [x.name for x in op.variables], op.trainable_variables[0] is v

    def operator_composite() -> Any:
        op = lo.LinearOperatorDiag([1.0, 2.0])
        parts = tf.nest.flatten(op, expand_composites=True)
        again = tf.nest.pack_sequence_as(op, [parts[0] * 2.0], expand_composites=True)
        given = tf.function(lambda o: o.matvec([1.0, 1.0]))(op)
        returned = tf.function(lambda x: lo.LinearOperatorDiag(x))([5.0, 6.0])
        branch = tf.function(
            lambda p: tf.cond(p, lambda: op, lambda: lo.LinearOperatorDiag([7.0, 8.0])).to_dense()
        )
        return [
            len(parts),
            again.to_dense(),
            given,
            returned.diag,
            type(returned).__name__,
            branch(tf.constant(False)),
        ]

    def operator_sliced() -> Any:
        op = lo.LinearOperatorDiag(tf.reshape(tf.range(12.0), [2, 3, 2]))
        full = lo.LinearOperatorFullMatrix(tf.reshape(tf.range(16.0), [4, 2, 2]))
        return op[0].shape, op[:, 1].diag, full[1:3].to_dense(), op[1, 2].diag

    def operator_converted() -> Any:
        op = lo.LinearOperatorDiag([1.0, 2.0])
        return (
            outcome(lambda: tf.convert_to_tensor(op)),
            outcome(lambda: tf.matmul(op, tf.eye(2))),
            outcome(lambda: tf.linalg.trace(op)),
            outcome(lambda: tf.linalg.det(op)),
        )

    def operator_functions() -> Any:
        op = lo.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 3.0]], is_self_adjoint=True, is_positive_definite=True)  # fmt: skip
        return [
            tf.linalg.inv(op).to_dense(), tf.linalg.logdet(op), tf.linalg.solve(op, tf.eye(2)), tf.linalg.diag_part(op),
            tf.linalg.cholesky(op).to_dense(), tf.linalg.matvec(op, [1.0, 2.0]), tf.linalg.adjoint(op).to_dense(),
        ]  # fmt: skip

    return named(
        operator_hints, operator_assertions, operator_arguments, operator_parameters, operator_with_a_variable,
        operator_composite, operator_sliced, operator_converted, operator_functions,
    )  # fmt: skip


def derived(tf: Any) -> Programs:
    """Gradients through operators, with respect to what they are made of."""
    lo = tf.linalg

    def of(make: Any, x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            op = make(x)
            n = int(op.range_dimension)
            right = tf.reshape(tf.range(2.0 * n), [n, 2])
            results = [
                op.matmul(right),
                op.solve(right),
                op.log_abs_determinant(),
                op.trace(),
                op.to_dense(),
            ]
        return [tape.gradient(r, x) for r in results]

    def operator_gradients() -> Any:
        square = tf.constant([[3.0, 1.0], [0.5, 2.0]])
        return [
            of(lo.LinearOperatorFullMatrix, square), of(lo.LinearOperatorLowerTriangular, square),
            of(lo.LinearOperatorDiag, tf.constant([2.0, 3.0])),
            of(lambda x: lo.LinearOperatorScaledIdentity(2, x), tf.constant(2.0)),
            of(lambda x: lo.LinearOperatorKronecker([lo.LinearOperatorFullMatrix(x)] * 2), square),
            of(lambda x: lo.LinearOperatorComposition([lo.LinearOperatorFullMatrix(x)] * 2), square),
            of(lambda x: lo.LinearOperatorToeplitz(x, x), tf.constant([3.0, 1.0])),
            of(lambda x: lo.LinearOperatorBlockDiag([lo.LinearOperatorFullMatrix(x)] * 2), square),
        ]  # fmt: skip

    def operator_test_helpers() -> Any:
        util = internal("ops.linalg.linear_operator_test_util")
        helper = internal("ops.linalg.linear_operator_util")
        return [None,
            util.random_positive_definite_matrix([2, 3, 3], tf.float32).shape,
            util.random_tril_matrix([3, 3], tf.float64, force_well_conditioned=True).shape,
            util.random_uniform([2], 1.0, 2.0, tf.float32).shape, util.random_normal([3]).shape,
            util.random_sign_uniform([2], 1.0, 2.0, tf.float32).shape,
            helper.broadcast_matrix_batch_dims([tf.ones([2, 1, 1]), tf.ones([1, 1])])[1].shape,
            helper.assert_no_entries_with_modulus_zero([1.0, 2.0]) is None,
            refusal(lambda: helper.assert_no_entries_with_modulus_zero([1.0, 0.0], message="hey"), "hey"),
            refusal(lambda: helper.assert_zero_imag_part([1.0 + 1j], message="hey"), "hey"),
        ]  # fmt: skip

    return named(operator_gradients, operator_test_helpers)
