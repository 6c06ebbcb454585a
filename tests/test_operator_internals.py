"""TensorFlow's internal helpers of linear operators; what they give is recorded from TensorFlow 2.21."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.compat.internals.ops.linalg import linear_operator_addition as addition
from wengert.compat.internals.ops.linalg import linear_operator_circulant as circulant
from wengert.compat.internals.ops.linalg import linear_operator_util as util

L = tf.linalg
DIAG = L.LinearOperatorDiag([1.0, 2.0])
IDENTITY = L.LinearOperatorIdentity(2)
SCALED = L.LinearOperatorScaledIdentity(2, 3.0)
LOWER = L.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]])
FULL = L.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
# From the simplest: an adder takes operators up to its own place.
IN_ORDER = [IDENTITY, SCALED, DIAG, LOWER, FULL]
ADDERS = [
    (addition._AddAndReturnScaledIdentity(), 2, L.LinearOperatorScaledIdentity),
    (addition._AddAndReturnDiag(), 3, L.LinearOperatorDiag),
    (addition._AddAndReturnTriL(), 4, L.LinearOperatorLowerTriangular),
    (addition._AddAndReturnMatrix(), 5, L.LinearOperatorFullMatrix),
]


@pytest.mark.parametrize(("adder", "count", "kind"), ADDERS, ids=[repr(a) for a, _, _ in ADDERS])
def test_what_an_adder_takes(adder: Any, count: int, kind: Any) -> None:
    for i, j in itertools.product(range(5), repeat=2):
        one, other = IN_ORDER[i], IN_ORDER[j]
        assert adder.can_add(one, other) == (max(i, j) < count)
        if max(i, j) < count:
            found = adder.add(one, other, "sum")
            assert type(found) is kind
            assert found.name == "sum"
            expected = one.to_dense().numpy() + other.to_dense().numpy()
            np.testing.assert_array_equal(found.to_dense(), expected)
            assert bool(found.is_self_adjoint) == (max(i, j) < 3)
            assert bool(found.is_non_singular) == (i == j == 0)


SUMS = [
    ([DIAG, IDENTITY], ["Add/LinearOperatorIdentity__LinearOperatorDiag/"]),
    ([IDENTITY, SCALED], ["Add/LinearOperatorIdentity__LinearOperatorScaledIdentity/"]),
    (
        [DIAG, LOWER, FULL],
        ["Add/LinearOperatorFullMatrix__Add/LinearOperatorDiag__LinearOperatorLowerTriangular//"],
    ),
    (
        [LOWER, IDENTITY, DIAG],
        ["Add/LinearOperatorLowerTriangular__Add/LinearOperatorDiag__LinearOperatorIdentity//"],
    ),
]


@pytest.mark.parametrize(("terms", "names"), SUMS, ids=[names[0] for _, names in SUMS])
def test_sums(terms: Any, names: list[str]) -> None:
    """The simplest come first, and the order is in the names."""
    found = addition.add_operators(terms)
    assert [o.name for o in found] == names
    total = sum(o.to_dense().numpy() for o in terms)
    np.testing.assert_array_equal(found[0].to_dense(), total)


def test_hints_of_sums() -> None:
    """What is said goes before what follows; other shapes are no sum."""
    adder = addition._AddAndReturnMatrix()
    assert adder.add(FULL, FULL, "sum", addition._Hints(is_positive_definite=True)).is_non_singular
    with pytest.raises(ValueError, match="same matrix dimensions"):
        addition.add_operators([FULL, L.LinearOperatorIdentity(3)])
    with pytest.raises(TypeError, match="only LinearOperator"):
        addition.add_operators([FULL, 3.0])


def test_forms() -> None:
    assert util.is_aat_form([FULL, FULL.adjoint()])
    assert util.is_aat_form([DIAG, DIAG])
    assert not util.is_aat_form([FULL])
    assert not util.is_aat_form([FULL, DIAG, FULL.adjoint()])
    assert util.is_adjoint_pair(FULL.adjoint(), FULL)
    assert not util.is_adjoint_pair(DIAG, SCALED)
    with pytest.raises(ValueError, match="empty operators"):
        util.is_aat_form([])


def test_hints() -> None:
    hint = util.use_operator_or_provided_hint_unless_contradicting
    assert hint(FULL, "is_self_adjoint", None, "no") is None
    assert hint(DIAG, "is_self_adjoint", None, "no") is True
    with pytest.raises(ValueError, match="contradicts"):
        hint(DIAG, "is_self_adjoint", False, "contradicts")


def test_batches() -> None:
    shapes = [
        x.shape
        for x in util.broadcast_matrix_batch_dims([np.ones((2, 1, 3, 3)), np.ones((5, 1, 2))])
    ]
    assert shapes == [(2, 5, 3, 3), (2, 5, 1, 2)]
    assert util.broadcast_matrix_batch_dims([]) == []
    with pytest.raises(TypeError, match="proper"):
        util.broadcast_matrix_batch_dims("text")
    with pytest.raises(ValueError, match="at least two dimensions"):
        util.broadcast_matrix_batch_dims([np.ones(3)])
    solved = util.matrix_solve_with_broadcast(2.0 * tf.eye(2), tf.ones([3, 2, 1]))
    np.testing.assert_array_equal(solved, np.full((3, 2, 1), 0.5))


def test_blocks() -> None:
    sizes = [tf.compat.v1.Dimension(2), tf.compat.v1.Dimension(3)]
    blocks = [np.ones((2, 2)), np.ones((3, 2))]
    assert util.arg_is_blockwise(sizes, blocks, -2)
    assert not util.arg_is_blockwise(sizes, [*blocks, blocks[0]], -2)
    assert not util.arg_is_blockwise(sizes, np.ones((5, 2)), -2)
    assert not util.arg_is_blockwise(sizes, [[1.0, 2.0], [3.0, 4.0]], -2)
    assert [p.shape for p in util.split_arg_into_blocks(sizes, None, tf.ones((5, 2)), -2)] == [
        (2, 2),
        (3, 2),
    ]


def test_checks() -> None:
    assert util.assert_zero_imag_part(tf.constant([1.0])) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="real"):
        util.assert_zero_imag_part(tf.constant([1.0 + 1j]), "not real")
    with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
        util.assert_no_entries_with_modulus_zero(tf.constant([1.0, 0.0]), "a zero")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimensions are not compatible"):
        util.assert_compatible_matrix_dimensions(FULL, tf.ones([3, 2]))


def test_exponential_power_kernel() -> None:
    """Distances go round the torus; zero inflation spares the first element."""
    found = circulant.exponential_power_convolution_kernel([4], [2.0])
    np.testing.assert_allclose(found, [1.0, 0.9862071, 0.94595945, 0.9862071], rtol=1e-6)
    found = circulant.exponential_power_convolution_kernel(
        [4, 3], [2.0, 1.0], power=1.0, divisor=3.0, zero_inflation=0.1
    )
    recorded = [
        [1.0, 0.7618335, 0.7618335],
        [0.8513635, 0.72066367, 0.72066367],
        [0.80535537, 0.6817186, 0.6817186],
        [0.8513635, 0.7206636, 0.7206636],
    ]
    np.testing.assert_allclose(found, recorded, rtol=1e-6)
