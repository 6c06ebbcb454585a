"""Linear operators: every method of every kind against the same of the matrix, written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numeric import assert_near, directional, inner, like

import wengert as tf

L = tf.linalg
RNG = np.random.default_rng(5)


def regular(*shape: int) -> Any:
    return 2.0 * np.eye(shape[-2], shape[-1]) + RNG.uniform(-0.5, 0.5, shape)


FULL, OTHER, TALL = regular(3, 3), regular(2, 2), regular(3, 2)
SPD = FULL @ FULL.T
VECTOR, MORE = RNG.uniform(0.5, 2.0, 3), RNG.uniform(0.5, 2.0, 2)
THREE = RNG.uniform(-0.5, 0.5, (3, 4))
THREE[1] += 3
Z = FULL + 1j * RNG.uniform(-0.3, 0.3, (3, 3))
KNOWN = {"is_self_adjoint": True, "is_positive_definite": True}

# How an operator is made of arrays that are differentiated, and the arrays.
Made = tuple[Callable[..., Any], list[Any]]
KINDS: dict[str, Made] = {
    "full": (L.LinearOperatorFullMatrix, [FULL]),
    "full batch": (L.LinearOperatorFullMatrix, [regular(2, 3, 3)]),
    "full complex": (L.LinearOperatorFullMatrix, [Z]),
    "full positive": (lambda a: L.LinearOperatorFullMatrix(a, **KNOWN), [SPD]),
    "full tall": (L.LinearOperatorFullMatrix, [TALL]),
    "lower": (L.LinearOperatorLowerTriangular, [FULL]),
    "lower complex": (L.LinearOperatorLowerTriangular, [Z]),
    "diag": (L.LinearOperatorDiag, [VECTOR]),
    "diag batch": (L.LinearOperatorDiag, [RNG.uniform(0.5, 2.0, (2, 3))]),
    "diag complex": (L.LinearOperatorDiag, [VECTOR + 0.5j]),
    "diag positive": (lambda d: L.LinearOperatorDiag(d, is_positive_definite=True), [VECTOR]),
    "tridiag": (L.LinearOperatorTridiag, [THREE]),
    "tridiag matrix": (lambda a: L.LinearOperatorTridiag(a, "matrix"), [FULL]),
    "tridiag sequence": (
        lambda a, b, c: L.LinearOperatorTridiag([a, b, c], "sequence"),
        [THREE[0], THREE[1], THREE[2]],
    ),
    "toeplitz": (L.LinearOperatorToeplitz, [VECTOR + np.array([3.0, 0, 0]), VECTOR[::-1].copy()]),
    "identity": (lambda: L.LinearOperatorIdentity(3, dtype=tf.float64), []),
    "identity batch": (lambda: L.LinearOperatorIdentity(3, [2], tf.float64), []),
    "scaled": (lambda s: L.LinearOperatorScaledIdentity(3, s), [np.array(1.5)]),
    "scaled batch": (lambda s: L.LinearOperatorScaledIdentity(2, s), [np.array([1.5, 2.0])]),
    "scaled complex": (lambda s: L.LinearOperatorScaledIdentity(3, s), [np.array(1.5 + 1j)]),
    "zeros": (lambda: L.LinearOperatorZeros(3, dtype=tf.float64), []),
    "zeros wide": (
        lambda: L.LinearOperatorZeros(
            2, 3, dtype=tf.float64, is_square=False, is_self_adjoint=False
        ),
        [],
    ),
    "permutation": (lambda: L.LinearOperatorPermutation([2, 0, 1], tf.float64), []),
    "permutation batch": (
        lambda: L.LinearOperatorPermutation([[2, 0, 1], [0, 2, 1]], tf.float64),
        [],
    ),
    "householder": (L.LinearOperatorHouseholder, [VECTOR]),
    "householder complex": (L.LinearOperatorHouseholder, [VECTOR + 0.5j]),
    "composition": (
        lambda a, d: L.LinearOperatorComposition(
            [L.LinearOperatorFullMatrix(a), L.LinearOperatorDiag(d)]
        ),
        [FULL, VECTOR],
    ),
    "composition tall": (
        lambda a: L.LinearOperatorComposition(
            [L.LinearOperatorFullMatrix(a), L.LinearOperatorFullMatrix(a).adjoint()]
        ),
        [regular(2, 3)],
    ),
    "kronecker": (
        lambda a, b, d: L.LinearOperatorKronecker(
            [
                L.LinearOperatorFullMatrix(a),
                L.LinearOperatorFullMatrix(b),
                L.LinearOperatorDiag(d),
            ]
        ),
        [FULL, OTHER, MORE],
    ),
    "kronecker batch": (
        lambda a, b: L.LinearOperatorKronecker(
            [L.LinearOperatorFullMatrix(a), L.LinearOperatorFullMatrix(b)]
        ),
        [regular(2, 2, 2), regular(2, 3, 3)],
    ),
    "kronecker tall": (
        lambda a, b: L.LinearOperatorKronecker(
            [L.LinearOperatorFullMatrix(a), L.LinearOperatorFullMatrix(b)]
        ),
        [TALL, OTHER],
    ),
    "kronecker positive": (
        lambda a, d: L.LinearOperatorKronecker(
            [
                L.LinearOperatorFullMatrix(a, **KNOWN),
                L.LinearOperatorDiag(d, is_positive_definite=True),
            ]
        ),
        [SPD, MORE],
    ),
    "block diag": (
        lambda a, d: L.LinearOperatorBlockDiag(
            [L.LinearOperatorFullMatrix(a), L.LinearOperatorDiag(d)]
        ),
        [FULL, MORE],
    ),
    "block diag tall": (
        lambda a, b: L.LinearOperatorBlockDiag(
            [L.LinearOperatorFullMatrix(a), L.LinearOperatorFullMatrix(b)], is_square=False
        ),
        [TALL, OTHER],
    ),
    "block diag positive": (
        lambda a, d: L.LinearOperatorBlockDiag(
            [
                L.LinearOperatorFullMatrix(a, **KNOWN),
                L.LinearOperatorDiag(d, is_positive_definite=True),
            ]
        ),
        [SPD, MORE],
    ),
    "block lower": (
        lambda a, b, c, d: L.LinearOperatorBlockLowerTriangular(
            [
                [L.LinearOperatorFullMatrix(a)],
                [L.LinearOperatorFullMatrix(b), L.LinearOperatorFullMatrix(c)],
                [
                    L.LinearOperatorFullMatrix(b),
                    L.LinearOperatorFullMatrix(c),
                    L.LinearOperatorDiag(d),
                ],
            ]
        ),
        [FULL, TALL.T.copy(), OTHER, MORE],
    ),
    "low rank": (
        lambda a, u, d, v: L.LinearOperatorLowRankUpdate(L.LinearOperatorFullMatrix(a), u, d, v),
        [FULL, TALL * 0.3, MORE, regular(3, 2) * 0.3],
    ),
    "low rank complex": (
        lambda a, u, d: L.LinearOperatorLowRankUpdate(L.LinearOperatorFullMatrix(a), u, d),
        [Z, Z[:, :2] * 0.3, MORE + 0.5j],
    ),
    "low rank positive": (
        lambda d, u: L.LinearOperatorLowRankUpdate(
            L.LinearOperatorDiag(d, is_positive_definite=True), u
        ),
        [VECTOR, TALL],
    ),
    "adjoint": (lambda a: L.LinearOperatorFullMatrix(a).H, [Z]),
    "adjoint low rank": (
        lambda a, u: L.LinearOperatorLowRankUpdate(L.LinearOperatorFullMatrix(a), u).H,
        [Z, Z[:, :2] * 0.3],
    ),
    "inverse": (lambda a: L.LinearOperatorFullMatrix(a).inverse(), [FULL]),
    "inverse lower": (lambda a: L.LinearOperatorLowerTriangular(a).inverse(), [Z]),
    "circulant": (
        lambda s: L.LinearOperatorCirculant(s, tf.complex128),
        [RNG.uniform(1.0, 2.0, 4) + 0.5j],
    ),
    "circulant real": (
        lambda s: L.LinearOperatorCirculant(s, tf.float64),
        [np.array([3.0, 1.5, 2.0, 1.5])],
    ),
    "circulant batch": (
        lambda s: L.LinearOperatorCirculant(s, tf.complex128),
        [RNG.uniform(1.0, 2.0, (2, 3)) + 0.5j],
    ),
    "circulant 2d": (
        lambda s: L.LinearOperatorCirculant2D(s, tf.complex128),
        [RNG.uniform(1.0, 2.0, (2, 3)) + 0.5j],
    ),
    "circulant 3d": (
        lambda s: L.LinearOperatorCirculant3D(s, tf.complex128),
        [RNG.uniform(1.0, 2.0, (2, 2, 2)) + 0.5j],
    ),
    "circulant positive": (
        lambda s: L.LinearOperatorCirculant(s, tf.complex128, is_positive_definite=True),
        [RNG.uniform(1.0, 2.0, 3)],
    ),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def made(kind: str) -> Any:
    make, values = KINDS[kind]
    return make(*[tf.constant(v) for v in values])


def drawn(operator: Any, *shape: int) -> Any:
    x = np.random.default_rng(7).normal(size=shape)
    return (
        (x + 1j * x[::-1]).astype(operator.dtype.as_numpy_dtype) if operator.dtype.is_complex else x
    )


def dense_of(operator: Any) -> Any:
    return np.asarray(operator.to_dense())


def h(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


def same(got: Any, want: Any) -> None:
    got = np.asarray(got)
    assert got.shape == np.shape(want)
    assert np.allclose(got, want, atol=1e-10), (got, want)


# ---- what it is -------------------------------------------------------------------------------


@every_kind
def test_shape(kind: str) -> None:
    """What is said of the shape is the shape of the matrix."""
    operator = made(kind)
    shape = dense_of(operator).shape
    assert operator.shape.as_list() == list(shape)
    assert operator.shape_tensor().numpy().tolist() == list(shape)
    assert operator.batch_shape.as_list() == list(shape[:-2])
    assert operator.batch_shape_tensor().numpy().tolist() == list(shape[:-2])
    assert (operator.tensor_rank, int(operator.tensor_rank_tensor())) == (len(shape),) * 2
    assert (operator.range_dimension, operator.domain_dimension) == shape[-2:]
    assert int(operator.range_dimension_tensor()) == shape[-2]
    assert int(operator.domain_dimension_tensor()) == shape[-1]
    assert operator.is_square == (shape[-1] == shape[-2])
    assert operator.to_dense().dtype is operator.dtype
    assert operator.name in repr(operator)


@every_kind
def test_hints_are_true(kind: str) -> None:
    """What an operator says of itself holds of the matrix."""
    operator, dense = made(kind), None
    dense = dense_of(operator)
    if operator.is_self_adjoint:
        same(dense, h(dense))
        operator.assert_self_adjoint()
    if operator.is_positive_definite:
        assert np.all(np.linalg.eigvalsh(dense) > 0)
        operator.assert_positive_definite()
    if operator.is_non_singular:
        assert np.all(np.abs(np.linalg.det(dense)) > 0)
        operator.assert_non_singular()


# ---- what it does -----------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("adjoint", [False, True])
def test_products(kind: str, adjoint: bool) -> None:
    operator = made(kind)
    dense = dense_of(operator)
    matrix = h(dense) if adjoint else dense
    x = drawn(operator, matrix.shape[-1], 2)
    same(operator.matmul(x, adjoint), matrix @ x)
    same(operator.matmul(h(x), adjoint, adjoint_arg=True), matrix @ x)
    same(operator.matvec(x[:, 0], adjoint), (matrix @ x)[..., 0])
    batch = drawn(operator, 2, matrix.shape[-1], 2)
    same(operator.matmul(batch, adjoint), matrix @ batch)
    if not adjoint:
        same(operator @ x, dense @ x)
        y = drawn(operator, 2, dense.shape[-2])
        same(y @ operator, y @ dense)
        same(tf.constant(y) @ operator, y @ dense)


@every_kind
@pytest.mark.parametrize("adjoint", [False, True])
def test_systems(kind: str, adjoint: bool) -> None:
    operator = made(kind)
    dense = dense_of(operator)
    rhs = drawn(operator, dense.shape[-2], 2)
    if not operator.is_square or "zeros" in kind:
        with pytest.raises(NotImplementedError, match="Exact solve not implemented"):
            operator.solve(rhs)
        return
    inverse = np.linalg.inv(h(dense) if adjoint else dense)
    same(operator.solve(rhs, adjoint), inverse @ rhs)
    same(operator.solve(h(rhs), adjoint, adjoint_arg=True), inverse @ rhs)
    same(operator.solvevec(rhs[:, 0], adjoint), (inverse @ rhs)[..., 0])


@every_kind
def test_other_operators(kind: str) -> None:
    """The adjoint, the inverse, the factor, and products with operators."""
    operator = made(kind)
    dense = dense_of(operator)
    same(operator.adjoint().to_dense(), h(dense))
    same(operator.H.adjoint().to_dense(), dense)
    same(operator.matmul(operator, adjoint_arg=True).to_dense(), dense @ h(dense))
    same(operator.H.matmul(operator).to_dense(), h(dense) @ dense)
    same((operator.H @ operator).to_dense(), h(dense) @ dense)
    if operator.is_positive_definite and operator.is_self_adjoint:
        factor = dense_of(operator.cholesky())
        same(factor @ h(factor), dense)
    else:
        with pytest.raises(ValueError, match="Cannot take the Cholesky"):
            operator.cholesky()
    if "zeros" in kind or not operator.is_square:
        with pytest.raises(ValueError, match="Cannot take the Inverse"):
            operator.inverse()
    else:
        same(operator.inverse().to_dense(), np.linalg.inv(dense))
        same(operator.inverse().inverse().to_dense(), dense)
        same(
            operator.solve(operator).to_dense(),
            np.broadcast_to(np.eye(len(dense[-1])), dense.shape),
        )


@every_kind
def test_numbers(kind: str) -> None:
    operator = made(kind)
    dense = dense_of(operator)
    same(operator.diag_part(), np.diagonal(dense, axis1=-2, axis2=-1))
    same(operator.trace(), np.trace(dense, axis1=-2, axis2=-1))
    same(operator.add_to_tensor(np.ones_like(dense)), dense + 1)
    if not operator.is_square:
        with pytest.raises(NotImplementedError, match="Determinant not implemented"):
            operator.determinant()
        return
    same(operator.determinant(), np.linalg.det(dense))
    same(operator.log_abs_determinant(), np.linalg.slogdet(dense)[1])
    if "zeros" not in kind:
        same(operator.cond(), np.linalg.cond(dense))
    if operator.is_self_adjoint:
        got = np.sort(np.real(operator.eigvals()), -1)
        same(got, np.linalg.eigvalsh(dense))
    else:
        with pytest.raises(NotImplementedError, match="Only self-adjoint"):
            operator.eigvals()


# ---- gradients --------------------------------------------------------------------------------

USES: dict[str, Callable[[Any, Any], Any]] = {
    "matmul": lambda o, x: o.matmul(x),
    "solve": lambda o, x: o.solve(x, adjoint=True),
    "log_abs_determinant": lambda o, x: o.log_abs_determinant(),
    "trace": lambda o, x: o.trace(),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", [k for k, (_, values) in KINDS.items() if values])
def test_gradients(kind: str, use: str) -> None:
    """Of what an operator computes, in what it was made of; against differences."""
    make, values = KINDS[kind]
    operator = made(kind)
    if use != "matmul" and not operator.is_square:
        return
    if kind == "circulant real":  # other directions leave the spectra of real kernels
        values = [np.array([3.0, 1.5, 2.0, 1.5])]
    rows = operator.shape[-1]
    x = drawn(operator, rows, 2)

    def f(*given: Any) -> Any:
        y = USES[use](make(*given), tf.constant(x))
        return tf.reduce_sum(
            tf.math.real(y)
            * tf.constant(np.cos(np.arange(y.shape.num_elements())).reshape(y.shape))
        )

    vs = like(np.random.default_rng(9), values)
    at = [tf.constant(v) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(at)
        y = f(*at)
    found = tape.gradient(y, at, unconnected_gradients="zero")
    (want,) = directional(lambda xs: [np.asarray(f(*[tf.constant(v) for v in xs]))], values, vs)
    if kind in ("full positive", "kronecker positive", "block diag positive"):
        vs = [(v + h(v)) / 2 if v.ndim == 2 else v for v in vs]
        (want,) = directional(lambda xs: [np.asarray(f(*[tf.constant(v) for v in xs]))], values, vs)
    got = inner([np.asarray(g) for g in found], vs)
    assert_near(got, float(want), max(1.0, abs(float(want))), 1e-8)


def test_variables() -> None:
    """A variable is read when it is used, and collects a gradient."""
    v = tf.Variable([1.0, 2.0])
    operator = L.LinearOperatorComposition([L.LinearOperatorDiag(v), L.LinearOperatorIdentity(2)])
    assert operator.variables == (v,)
    assert operator.trainable_variables == (v,)
    v.assign([3.0, 4.0])
    with tf.GradientTape() as tape:
        y = operator.trace()
    assert float(y) == 7.0
    assert np.allclose(tf.convert_to_tensor(tape.gradient(y, v)), [1.0, 1.0])


def test_in_a_function() -> None:
    """An operator may be made inside a traced function, of what it is given."""

    @tf.function
    def f(a: Any, b: Any) -> Any:
        return L.LinearOperatorFullMatrix(a).solve(b)

    assert np.allclose(f(tf.constant(FULL), tf.constant(TALL)), np.linalg.solve(FULL, TALL))


# ---- products of operators, lists of blocks ---------------------------------------------------


def test_simple_products_stay_simple() -> None:
    d, t = L.LinearOperatorDiag([1.0, 2.0]), L.LinearOperatorLowerTriangular([[1.0, 0], [2.0, 3.0]])
    i, s = L.LinearOperatorIdentity(2), L.LinearOperatorScaledIdentity(2, 2.0)
    f = L.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    c = L.LinearOperatorCirculant([1.0, 2.0])
    for product, kind in (
        (d @ d, L.LinearOperatorDiag), (d @ t, L.LinearOperatorLowerTriangular),
        (t @ d, L.LinearOperatorLowerTriangular), (t @ t, L.LinearOperatorComposition),
        (i @ f, L.LinearOperatorFullMatrix), (s @ s, L.LinearOperatorScaledIdentity),
        (s @ d, L.LinearOperatorDiag), (c @ c, L.LinearOperatorCirculant),
        (f @ f, L.LinearOperatorComposition), (d @ f, L.LinearOperatorComposition),
    ):  # fmt: skip
        assert type(product) is kind
    assert (f @ f).name == "LinearOperatorFullMatrix_o_LinearOperatorFullMatrix"


@pytest.mark.parametrize("kind", ["block diag", "block lower"])
def test_lists_of_blocks(kind: str) -> None:
    """Rows may be given in blocks, and come back in blocks."""
    operator = made(kind)
    dense = dense_of(operator)
    x = drawn(operator, len(dense), 2)
    ends = [3] if kind == "block diag" else [3, 5]
    blocks = np.split(x, ends)
    for got, want in (
        (operator.matmul(blocks), dense @ x),
        (operator.matmul(blocks, adjoint=True), dense.T @ x),
        (operator.solve(blocks), np.linalg.solve(dense, x)),
        (operator.solve([h(b) for b in blocks], adjoint_arg=True), np.linalg.solve(dense, x)),
    ):
        assert isinstance(got, list)
        same(np.concatenate(got), want)
    vectors = [b[:, 0] for b in blocks]
    same(np.concatenate(operator.matvec(vectors)), dense @ x[:, 0])
    same(np.concatenate(operator.solvevec(vectors)), np.linalg.solve(dense, x[:, 0]))


def test_kernel_of_a_circulant() -> None:
    """The first column; the spectrum is its transform."""
    operator = made("circulant")
    kernel = operator.convolution_kernel()
    same(kernel, dense_of(operator)[:, 0])
    same(np.fft.fft(kernel), operator.spectrum)
    made("circulant real").assert_hermitian_spectrum()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not Hermitian"):
        operator.assert_hermitian_spectrum()
    two = made("circulant 2d")
    assert two.block_shape.as_list() == two.block_shape_tensor().numpy().tolist() == [2, 3]
    assert two.block_depth == 2


def test_operators_are_matrices_to_other_functions() -> None:
    """Written out where a tensor is asked for."""
    same(tf.linalg.det(made("full")), np.linalg.det(FULL))
    same(tf.linalg.solve(made("full"), TALL), np.linalg.solve(FULL, TALL))


# ---- errors -----------------------------------------------------------------------------------

I2 = L.LinearOperatorIdentity(2)
ERRORS: list[tuple[Callable[[], Any], Any, str]] = [
    (lambda: made("full").matmul(np.ones((2, 1))), ValueError, "Dimensions 3 and 2 are not"),
    (lambda: made("full").solve(np.ones((2, 1))), ValueError, "Dimensions 3 and 2 are not"),
    (lambda: made("full").matmul(made("block diag")), ValueError, "Dimensions 3 and 5 are not"),
    (lambda: made("full").matmul(tf.ones([3, 1])), TypeError, "Expected argument to have dtype"),
    (lambda: L.LinearOperatorFullMatrix([1.0]), ValueError, "at least 2 dimensions"),
    (lambda: L.LinearOperatorFullMatrix([[1]]), TypeError, "must have dtype in"),
    (lambda: L.LinearOperatorFullMatrix([[1.0]], is_non_singular=False, is_positive_definite=True),
     ValueError, "always non-singular"),
    (lambda: L.LinearOperatorFullMatrix([[1.0]], is_non_singular=True, is_square=False),
     ValueError, "always square"),
    (lambda: L.LinearOperatorLowerTriangular([[1.0]], is_square=False), ValueError, "square"),
    (lambda: L.LinearOperatorDiag([1.0], is_self_adjoint=False), ValueError, "always self adj"),
    (lambda: L.LinearOperatorDiag([1.0], is_square=False), ValueError, "Only square diagonal"),
    (lambda: L.LinearOperatorTridiag([[1.0]], "x"), ValueError, "compact, matrix, or sequence"),
    (lambda: L.LinearOperatorToeplitz([1.0], [1.0], is_square=False), ValueError, "square Toep"),
    (lambda: L.LinearOperatorIdentity(2, is_square=False), ValueError, "always self-adjoint"),
    (lambda: L.LinearOperatorIdentity(-1), ValueError, "must be non-negative"),
    (lambda: L.LinearOperatorScaledIdentity(2, 1.0, is_square=False), ValueError, "always square"),
    (lambda: L.LinearOperatorZeros(2, is_non_singular=True), ValueError, "always singular"),
    (lambda: L.LinearOperatorZeros(2, 3), ValueError, "is_square=False"),
    (lambda: L.LinearOperatorPermutation([1, 2]), ValueError, "unique integers from 0 to 1"),
    (lambda: L.LinearOperatorPermutation([0.0]), TypeError, "must be integer dtype"),
    (lambda: L.LinearOperatorPermutation([0], is_square=False), ValueError, "always non-singular"),
    (lambda: L.LinearOperatorHouseholder([1.0], is_self_adjoint=False), ValueError, "always self"),
    (lambda: L.LinearOperatorHouseholder([1.0], is_positive_definite=True), ValueError, "non-pos"),
    (lambda: L.LinearOperatorComposition([]), ValueError, "non-empty list of operators"),
    (lambda: L.LinearOperatorKronecker([]), ValueError, "list of >=1 operators"),
    (lambda: L.LinearOperatorBlockDiag([I2, made("full")]), TypeError, "the same dtype"),
    (lambda: L.LinearOperatorBlockLowerTriangular([[I2], [I2]]), ValueError, "contain `2` blocks"),
    (lambda: L.LinearOperatorBlockLowerTriangular([]), ValueError, "list of >=1"),
    (lambda: L.LinearOperatorInversion(made("zeros")), ValueError, "is_non_singular. equal to"),
    (lambda: L.LinearOperatorInversion(made("full tall")), ValueError, "Only a square"),
    (lambda: L.LinearOperatorCirculant([1.0], is_square=False), ValueError, "always square"),
    (lambda: L.LinearOperatorCirculant2D([1.0]), ValueError, "at least 2 dimensions"),
    (lambda: L.LinearOperatorCirculant([1.0], is_self_adjoint=False), ValueError, "always corr"),
    (lambda: tf.linalg.LinearOperatorNothing, AttributeError, "LinearOperatorNothing"),
    (lambda: tf.linalg.nothing, AttributeError, "nothing"),
]  # fmt: skip
Failure = tf.errors.InvalidArgumentError
UNTRUE: list[tuple[Callable[[], Any], str]] = [
    (lambda: L.LinearOperatorFullMatrix([[1.0, 2], [3, 4]]).assert_self_adjoint(), "its adjoint"),
    (lambda: L.LinearOperatorFullMatrix([[1.0, 2], [2, 4]]).assert_non_singular(), "precision eps"),
    (lambda: L.LinearOperatorFullMatrix([[1.0, 2], [2, 1]]).assert_positive_definite(), "positive"),
    (lambda: L.LinearOperatorDiag([0.0, 1.0]).assert_non_singular(), "contained zero values"),
    (lambda: L.LinearOperatorDiag([-1.0]).assert_positive_definite(), "non-positive diagonal"),
    (lambda: L.LinearOperatorDiag([1j]).assert_self_adjoint(), "non-zero imaginary"),
    (lambda: L.LinearOperatorLowerTriangular([[0.0]]).assert_non_singular(), "zero values"),
    (lambda: L.LinearOperatorLowerTriangular([[-1.0]]).assert_positive_definite(), "non-positive"),
    (lambda: L.LinearOperatorScaledIdentity(2, 0.0).assert_non_singular(), "was singular"),
    (lambda: L.LinearOperatorScaledIdentity(2, -1.0).assert_positive_definite(), "not positive"),
    (lambda: L.LinearOperatorScaledIdentity(2, 1j).assert_self_adjoint(), "not self-adjoint"),
    (lambda: L.LinearOperatorCirculant([0.0]).assert_non_singular(), "zero in the spectrum"),
    (lambda: L.LinearOperatorCirculant([-1.0]).assert_positive_definite(), "Not positive"),
    (lambda: L.LinearOperatorCirculant([1j]).assert_self_adjoint(), "Not self-adjoint"),
]  # fmt: skip


@pytest.mark.parametrize("which", range(len(ERRORS)))
def test_errors(which: int) -> None:
    call, kind, words = ERRORS[which]
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.parametrize("which", range(len(UNTRUE)))
def test_checks_that_fail(which: int) -> None:
    """The assert_ methods look at the elements."""
    call, words = UNTRUE[which]
    with pytest.raises(Failure, match=words):
        call()


ZEROS = tf.linalg.LinearOperatorZeros


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: ZEROS(2.0), TypeError, "must be integer"),
        (lambda: ZEROS(2, batch_shape=2), ValueError, "must be a 1-D"),
        (lambda: ZEROS(2, batch_shape=[2.0]), TypeError, "must be integer"),
        (lambda: ZEROS(2, batch_shape=[-2]), ValueError, "must be non-negative"),
        (lambda: ZEROS(tf.Variable(2)), TypeError, "num_rows.*reference"),
        (lambda: ZEROS(2).assert_non_singular(), tf.errors.OpError, "non-invertible"),
        (lambda: ZEROS(2).assert_positive_definite(), tf.errors.OpError, "non-positive definite"),
        (lambda: tf.linalg.LinearOperatorHouseholder(1.0), ValueError, "at least 1 dimension"),
        (lambda: tf.linalg.LinearOperatorToeplitz([1.0], 1.0), ValueError, "at least 1 dimension"),
        (lambda: tf.linalg.LinearOperatorPermutation(1), ValueError, "at least 1 dimension"),
        (
            lambda: tf.linalg.LinearOperatorDiag([1j, -2.0 + 0j]).assert_positive_definite(),
            tf.errors.OpError,
            "non-positive real",
        ),
    ],
)
def test_parameters_are_refused(make: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        make()


def test_a_diagonal_times_a_multiple_of_the_identity_is_diagonal() -> None:
    diagonal = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    product = diagonal.matmul(tf.linalg.LinearOperatorScaledIdentity(2, [3.0, 4.0]))
    assert isinstance(product, tf.linalg.LinearOperatorDiag)
    assert product.diag.numpy().tolist() == [[3.0, 6.0], [4.0, 8.0]]


def test_a_circulant_matrix_may_be_empty() -> None:
    empty = tf.linalg.LinearOperatorCirculant(tf.zeros([0], tf.complex64))
    assert empty.to_dense().shape == (0, 0)
    assert tf.signal.fft(tf.zeros([2, 0], tf.complex64)).shape == (2, 0)


def test_a_gradient_for_an_operator_is_one() -> None:
    """Of its kind, with the gradients of all its tensors, those made of lists, too."""
    diagonal = L.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
    operator = L.LinearOperatorLowRankUpdate(diagonal, [[1.0], [2.0]], diag_update=[3.0])
    with tf.GradientTape() as tape:
        tape.watch(operator)
        y = operator.matvec([1.0, 1.0])
    found = tape.gradient(y, operator)
    assert found.base_operator.diag.numpy().tolist() == [1.0, 1.0]
    assert found.u.numpy().tolist() == [[18.0], [18.0]]
    assert found.diag_update.numpy().tolist() == [9.0]
    with tf.Graph().as_default():
        blocks = L.LinearOperatorBlockDiag([L.LinearOperatorFullMatrix([[2.0]]), diagonal])
        y = blocks.matvec([1.0, 2.0, 3.0])
        (given,) = tf.gradients(y, blocks)
        assert type(given) is L.LinearOperatorBlockDiag
        dense = tf.compat.v1.Session().run(given.to_dense())
    assert dense.tolist() == [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]


def test_a_rebuilt_update_keeps_what_its_diagonal_is() -> None:
    """Passed to a function, it is solved by the same factorization."""
    operator = L.LinearOperatorLowRankUpdate(
        L.LinearOperatorDiag([1.0, 2.0], is_self_adjoint=True, is_positive_definite=True),
        [[1.0], [2.0]],
        diag_update=[3.0],
        is_diag_update_positive=True,
    )
    copy = tf.nest.pack_sequence_as(
        operator, tf.nest.flatten(operator, expand_composites=True), expand_composites=True
    )
    assert copy.is_diag_update_positive
    assert copy.is_positive_definite
    assert copy.is_self_adjoint


def test_the_shape_of_an_inference_takes_no_memory() -> None:
    """Of a product of factors of unknown size: a guess of it would have a matrix of 33 gigabytes."""
    with tf.Graph().as_default():
        size = tf.compat.v1.placeholder_with_default
        factors = [L.LinearOperatorFullMatrix(size(np.eye(2), None)) for _ in range(3)]
        dense = L.LinearOperatorKronecker(factors).to_dense()
        assert tf.compat.v1.Session().run(dense).tolist() == np.eye(8).tolist()


MATRIX, SINGULAR = [[2.0, 0.0], [1.0, 2.0]], [[1.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda a, s: L.LinearOperatorKronecker([a, a], is_non_singular=False), "non-singular"),
        (lambda a, s: L.LinearOperatorBlockDiag([a, a], is_non_singular=False), "non-singular"),
        (lambda a, s: L.LinearOperatorComposition([a, a], is_non_singular=False), "non-singular"),
        (
            lambda a, s: L.LinearOperatorBlockLowerTriangular([[a]], is_non_singular=False),
            "always non-singular",
        ),
        (
            lambda a, s: L.LinearOperatorBlockLowerTriangular([[a], [a, s]], is_non_singular=True),
            "always singular",
        ),
        (
            lambda a, s: L.LinearOperatorBlockLowerTriangular(
                [[a], [L.LinearOperatorFullMatrix(np.ones((3, 2), np.float32)), a]]
            ),
            "must be the same as",
        ),
        (lambda a, s: L.LinearOperatorAdjoint(a, is_non_singular=False), "if and only if"),
        (
            lambda a, s: L.LinearOperatorInversion(
                L.LinearOperatorFullMatrix(MATRIX, is_self_adjoint=False), is_self_adjoint=True
            ),
            "if and only if its inverse",
        ),
        (lambda a, s: L.LinearOperatorToeplitz([1.0, 2.0], [1.0, 2.0, 3.0]), "mismatched"),
    ],
)
def test_hints_that_contradict_operators_are_refused(make: Any, words: str) -> None:
    regular_one = L.LinearOperatorFullMatrix(MATRIX, is_non_singular=True)
    singular = L.LinearOperatorFullMatrix(SINGULAR, is_non_singular=False)
    with pytest.raises(ValueError, match=words):
        make(regular_one, singular)


def test_a_real_operator_of_a_complex_spectrum_of_unknown_shape() -> None:
    """The result has the dtype of the operator; its tensors have another."""
    with tf.Graph().as_default():
        spectrum = tf.compat.v1.placeholder_with_default(np.ones((2, 3), np.complex64), None)
        operator = L.LinearOperatorCirculant2D(spectrum, tf.float32)
        found = operator.matvec(tf.range(6.0))
        assert found.dtype is tf.float32
        assert np.allclose(tf.compat.v1.Session().run(found), range(6), atol=1e-6)


def test_blocks_of_numbers_are_told_from_blocks_of_rows() -> None:
    blocks = L.LinearOperatorBlockDiag([L.LinearOperatorIdentity(4), L.LinearOperatorIdentity(3)])
    with pytest.raises(ValueError, match="dimension does not match"):
        blocks.matmul(np.ones((2, 4, 5)).tolist())
    with tf.Graph().as_default():
        size = tf.compat.v1.placeholder_with_default
        parts = [L.LinearOperatorFullMatrix(size(np.eye(n), None)) for n in (4, 3)]
        with pytest.raises(ValueError, match="input structure is ambiguous"):
            L.LinearOperatorBlockDiag(parts).matmul(np.ones((2, 4, 5)).tolist())


# ---- functions of tf.linalg ---------------------------------------------------------------------

POSITIVE: dict[str, Any] = {"is_self_adjoint": True, "is_positive_definite": True}
KEPT: dict[str, Callable[[], Any]] = {
    "LinearOperatorDiag": lambda: L.LinearOperatorDiag([1.0, 4.0], **POSITIVE),
    "LinearOperatorScaledIdentity": lambda: L.LinearOperatorScaledIdentity(2, 4.0, **POSITIVE),
    "LinearOperatorBlockDiag": lambda: L.LinearOperatorBlockDiag(
        [L.LinearOperatorDiag([1.0], **POSITIVE), L.LinearOperatorDiag([4.0], **POSITIVE)]
    ),
}


@pytest.mark.parametrize("kind", KEPT)
def test_functions_of_operators_give_operators_of_their_kind(kind: str) -> None:
    operator = KEPT[kind]()
    dense = operator.to_dense()
    for found, wanted in [
        (tf.linalg.adjoint(operator), tf.linalg.adjoint(dense)),
        (tf.linalg.cholesky(operator), tf.linalg.cholesky(dense)),
        (tf.linalg.inv(operator), tf.linalg.inv(dense)),
        (tf.matmul(operator, operator), dense @ dense),
    ]:
        assert type(found).__name__ == kind
        assert np.allclose(found.to_dense(), wanted)


def test_functions_of_operators_give_what_the_methods_give() -> None:
    operator = L.LinearOperatorFullMatrix([[2.0, 1.0], [0.5, 3.0]])
    dense, x = operator.to_dense(), tf.constant([[1.0, 5.0], [2.0, 7.0]])
    for found, wanted in [
        (tf.linalg.det(operator), tf.linalg.det(dense)),
        (tf.linalg.trace(operator), tf.linalg.trace(dense)),
        (tf.linalg.diag_part(operator), tf.linalg.diag_part(dense)),
        (tf.linalg.matvec(operator, x[0]), tf.linalg.matvec(dense, x[0])),
        (tf.matmul(operator, x, adjoint_a=True), tf.matmul(dense, x, adjoint_a=True)),
        (tf.matmul(x, operator), x @ dense),
        (tf.matmul(x, operator, adjoint_a=True), tf.matmul(x, dense, transpose_a=True)),
        (tf.matmul(x, operator, adjoint_b=True), tf.matmul(x, dense, transpose_b=True)),
        (tf.linalg.solve(operator, x), tf.linalg.solve(dense, x)),
        (tf.linalg.solve(operator, x, adjoint=True), tf.linalg.solve(dense, x, adjoint=True)),
    ]:
        assert isinstance(found, tf.Tensor)
        assert np.allclose(found, wanted, atol=1e-5)
    with pytest.raises(ValueError, match="Transposing not supported"):
        tf.matmul(operator, x, transpose_a=True)
    with pytest.raises(ValueError, match="LinearOperatorFullMatrix"):
        tf.linalg.solve(dense, operator)
    with pytest.raises(ValueError, match=r"Its to_dense\(\) is one"):
        tf.linalg.norm(operator)


def test_a_product_of_blocks_has_blocks() -> None:
    def pair(*sizes: int) -> Any:
        return L.LinearOperatorBlockDiag(
            [L.LinearOperatorFullMatrix(tf.random.normal([n, n])) for n in sizes]
        )

    one, other = pair(2, 3), pair(2, 3)
    product = one @ other
    assert isinstance(product, L.LinearOperatorBlockDiag)
    assert np.allclose(product.to_dense(), one.to_dense() @ other.to_dense(), atol=1e-5)
    crossed = one @ pair(3, 2)  # blocks that do not fit together
    assert isinstance(crossed, L.LinearOperatorComposition)


def test_a_product_with_zeros_is_zeros() -> None:
    zeros, full = L.LinearOperatorZeros(2), L.LinearOperatorFullMatrix([[2.0, 1.0], [0.5, 3.0]])
    assert zeros @ full is zeros
    assert full @ zeros is zeros
    batch = L.LinearOperatorFullMatrix(tf.ones([3, 2, 2]))
    assert (batch @ zeros).shape == (3, 2, 2) == (zeros @ batch).shape
    assert (batch @ zeros).is_non_singular is False


def test_the_factor_of_a_circulant_is_triangular() -> None:
    operator = L.LinearOperatorCirculant([3.0, 1.0], input_output_dtype=tf.float32, **POSITIVE)
    factor = operator.cholesky().to_dense().numpy()
    assert factor[0, 1] == 0.0
    assert np.allclose(factor @ factor.T, operator.to_dense())


def test_hints_that_nobody_gave_are_unknown() -> None:
    assert L.LinearOperatorHouseholder([0.6, 0.8]).is_non_singular is None
    assert L.LinearOperatorPermutation([1, 0]).is_non_singular is None
    assert L.LinearOperatorFullMatrix(tf.eye(2)).inverse().is_non_singular is None


# ---- conjugate gradients ------------------------------------------------------------------------


@pytest.mark.parametrize("in_function", [False, True])
def test_conjugate_gradients_solve_systems(in_function: bool) -> None:
    rng = np.random.default_rng(3)
    root = rng.normal(size=(2, 5, 5))
    matrix = root @ root.transpose(0, 2, 1) + 5.0 * np.eye(5)
    rhs = rng.normal(size=(2, 5))
    scale = L.LinearOperatorDiag(1.0 / np.diagonal(matrix, axis1=1, axis2=2), **POSITIVE)

    def solved(a: Any, b: Any) -> Any:
        operator = L.LinearOperatorFullMatrix(a, **POSITIVE)
        return L.experimental.conjugate_gradient(operator, b, scale, tol=1e-12, max_iter=50)

    state = (tf.function(solved) if in_function else solved)(tf.constant(matrix), tf.constant(rhs))
    assert np.allclose(state.x, np.linalg.solve(matrix, rhs[..., None])[..., 0])
    assert 1 < state.i < 50
    again = L.experimental.conjugate_gradient(
        L.LinearOperatorFullMatrix(matrix, **POSITIVE), rhs, x=state.x, max_iter=0
    )
    assert np.allclose(again.r, 0.0, atol=1e-9)


def test_conjugate_gradients_are_differentiated() -> None:
    a, b = tf.constant([[4.0, 1.0], [1.0, 3.0]], tf.float64), tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(b)
        operator = L.LinearOperatorFullMatrix(a, **POSITIVE)
        found = tf.reduce_sum(L.experimental.conjugate_gradient(operator, b, tol=1e-12).x)
        exact = tf.reduce_sum(L.solve(a, b[:, None]))
    assert np.allclose(tape.gradient(found, b), tape.gradient(exact, b), atol=1e-6)
    with pytest.raises(ValueError, match="self-adjoint, positive definite"):
        L.experimental.conjugate_gradient(L.LinearOperatorFullMatrix(a), b)
