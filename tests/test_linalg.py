"""Linear algebra where the table of samples has no words: errors, singular and empty matrices,
lower precision, the names of version 1. Coinciding eigenvalues are in test_degenerate.py."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numeric import (
    arrays,
    assert_near,
    assert_same,
    directional,
    inner,
    like,
    outcomes,
    pullback,
    pushforward,
    restricted,
    tensors,
)
from samples import Case, cases
from table_linalg import LINES

import wengert as tf
from wengert.ops.linalg.einsum_order import pairs_of
from wengert.ops.linalg.einsum_products import as_product

v1 = tf.compat.v1
errors = tf.errors


def wide(*values: Any) -> list[Any]:
    return [tf.constant(np.asarray(v, np.float64)) for v in values]


def gradient(f: Any, value: Any) -> Any:
    (x,) = wide(value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


# ---- errors -----------------------------------------------------------------------------------

A = np.array([[2.0, 1.0], [1.0, 3.0]])
B = np.array([[1.0], [2.0]])
ZERO = np.zeros((2, 2))
ERRORS: list[tuple[Any, Any, str]] = [
    (lambda: tf.linalg.cholesky(B), errors.InvalidArgumentError, "Input matrix must be square"),
    (lambda: tf.linalg.cholesky(B[0]), errors.InvalidArgumentError, "must have rank >= 2, got 1"),
    (lambda: tf.linalg.cholesky([[1]]), errors.InvalidArgumentError, "of int32 is not in the list"),
    (lambda: tf.linalg.inv(ZERO), errors.InvalidArgumentError, "Input is not invertible"),
    (lambda: tf.linalg.solve(ZERO, B), errors.InvalidArgumentError, "matrix is not invertible"),
    (lambda: tf.linalg.solve(A, B[:1]), errors.InvalidArgumentError, "rhs are incompatible"),
    (lambda: tf.linalg.solve(A, B[None]), errors.InvalidArgumentError, "have the same rank"),
    (lambda: tf.linalg.solve(A[None], np.stack([B, B])), errors.InvalidArgumentError,
     "have the same outer dimensions"),
    (lambda: tf.linalg.triangular_solve(A, B[:1]), errors.InvalidArgumentError, "2 vs. 1"),
    (lambda: tf.linalg.lstsq(A, B[:1]), errors.InvalidArgumentError, "rhs are incompatible"),
    (lambda: tf.linalg.lu_solve(A, [0, 1], B[:1]), ValueError, "must equal `rhs.shape"),
    (lambda: tf.linalg.logm(A), errors.InvalidArgumentError, "complex64, complex128"),
    (lambda: tf.linalg.eigh(ZERO + np.nan), errors.InvalidArgumentError, "was not successful"),
    (lambda: tf.linalg.eig(ZERO + np.nan), errors.InvalidArgumentError, "was not successful"),
    (lambda: tf.linalg.pinv([[1]]), TypeError, "must have `float`-like `dtype` .saw int32"),
    (lambda: tf.linalg.matrix_rank([[1]]), TypeError, "must have `float`-like `dtype`"),
    (lambda: tf.linalg.cross(B, B), errors.FailedPreconditionError, "3-element vectors"),
    (lambda: tf.linalg.cross([1, 2, 3], [[1, 2, 3]]), errors.InvalidArgumentError, "same shape"),
    (lambda: tf.linalg.adjoint(B[0]), ValueError, "rank >= 2"),
    (lambda: tf.linalg.trace(B[0]), errors.InvalidArgumentError, "at least 2-dim"),
    (lambda: tf.linalg.band_part(A, 5, 0), errors.InvalidArgumentError, "number of rows .2. got: 5"),
    (lambda: tf.linalg.diag([1.0], align="x"), errors.InvalidArgumentError, "list of allowed"),
    (lambda: tf.linalg.diag([1.0], k=(1, 0)), errors.InvalidArgumentError, "larger than upper"),
    (lambda: tf.linalg.diag([1.0], k=(1, 0, 1)), errors.InvalidArgumentError, "received 3"),
    (lambda: tf.linalg.diag([1.0, 2.0], k=1, num_rows=1), errors.InvalidArgumentError,
     "number of rows is too small"),
    (lambda: tf.linalg.diag([1.0, 2.0], k=1, num_cols=1), errors.InvalidArgumentError,
     "number of columns is too small"),
    (lambda: tf.linalg.diag([1.0, 2.0], num_rows=3, num_cols=4), errors.InvalidArgumentError,
     "not consistent"),
    (lambda: tf.linalg.diag(1.0), errors.InvalidArgumentError, "at least 1-dim"),
    (lambda: tf.linalg.diag([[1.0]], k=(0, 1)), errors.InvalidArgumentError, "does not match"),
    (lambda: tf.linalg.diag_part(A, k=5), errors.InvalidArgumentError, "between -2 and 2"),
    (lambda: tf.linalg.set_diag(A, [1.0, 2.0, 3.0]), errors.InvalidArgumentError, "first dimens"),
    (lambda: tf.linalg.tensor_diag(1.0), errors.InvalidArgumentError, "at least rank 1"),
    (lambda: tf.linalg.tensor_diag_part(B), errors.InvalidArgumentError, "0 and 1 do not match"),
    (lambda: tf.linalg.tensor_diag_part(B[0]), errors.InvalidArgumentError, "even and positive"),
    (lambda: tf.linalg.tridiagonal_solve(A, B), ValueError, "Expected 3 diagonals got 2"),
    (lambda: tf.linalg.tridiagonal_solve(A, B, "x"), ValueError, "Unrecognized diagonals_format"),
    (lambda: tf.linalg.tridiagonal_solve(A, B, "sequence"), ValueError, "sequence of length 3"),
    (lambda: tf.linalg.tridiagonal_solve(B, B, "matrix"), ValueError, "two dimensions"),
    (lambda: tf.linalg.tridiagonal_solve((B[:, 0], A[0, :1], A[0]), B, "sequence"), ValueError,
     "one less"),
    (lambda: tf.linalg.tridiagonal_solve(np.ones((3, 2)), B, partial_pivoting=False,
                                         perturb_singular=True), ValueError, "must be True"),
    (lambda: tf.linalg.tridiagonal_matmul(np.ones((3, 3)), B), errors.InvalidArgumentError,
     "rhs are incompatible"),
    (lambda: tf.linalg.tridiagonal_matmul(np.ones((1, 3, 2)), B), errors.InvalidArgumentError,
     "same rank"),
    (lambda: tf.linalg.banded_triangular_solve(np.zeros((1, 2)), B), errors.InvalidArgumentError,
     "matrix is not invertible"),
    (lambda: tf.linalg.banded_triangular_solve(np.ones((1, 3)), B), errors.InvalidArgumentError,
     "3 vs. 2"),
    (lambda: tf.linalg.eigh_tridiagonal([1.0, 2.0], [1.0], select="q"), ValueError, "'a', 'i', 'v'"),
    (lambda: tf.linalg.eigh_tridiagonal([1.0, 2.0], [1.0], select="i"), TypeError, "select_range"),
    (lambda: tf.linalg.eigh_tridiagonal([1.0, 2.0], [1.0], select="i", select_range=(1, 0)),
     errors.InvalidArgumentError, "empty index range"),
    (lambda: tf.linalg.eigh_tridiagonal([1.0, 2.0], [1.0], select="v", select_range=(1.0, 0.0)),
     errors.InvalidArgumentError, "empty interval"),
    (lambda: tf.linalg.eigh_tridiagonal([[1.0, 2.0]], [[1.0]], select="v", select_range=(0, 1)),
     errors.InvalidArgumentError, "one matrix at a time"),
    (lambda: tf.linalg.eigh_tridiagonal([1.0, 2.0], [1]), ValueError, "must have the same type"),
    (lambda: tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [1.0]), errors.InvalidArgumentError,
     "one element less"),
    (lambda: tf.linalg.eigh(A, degenerate="no"), ValueError, "must be one of"),
    (lambda: tf.linalg.l2_normalize(B, 0, dim=1), ValueError, "both 'axis' and 'dim'"),
    (lambda: tf.norm(A, ord="nuc", axis=(0, 1)), ValueError, "supported matrix norm"),
]  # fmt: skip


@pytest.mark.parametrize("which", range(len(ERRORS)))
def test_errors(which: int) -> None:
    """What cannot be done is said in TensorFlow's words."""
    call, kind, words = ERRORS[which]
    with pytest.raises(kind, match=words):
        call()


# ---- what is singular, or not finite ----------------------------------------------------------


def test_cholesky_of_what_is_not_positive() -> None:
    """NaN in the lower triangle, for those of a batch of which it is true."""
    y = tf.linalg.cholesky(np.stack([A, -A])).numpy()
    assert np.allclose(y[0], np.linalg.cholesky(A))
    assert np.isnan(y[1][np.tril_indices(2)]).all()
    assert y[1, 0, 1] == 0
    assert np.isnan(tf.linalg.cholesky(ZERO).numpy()[0, 0])


@pytest.mark.parametrize("name", ["cholesky", "eigvalsh"])
def test_only_the_lower_triangle_is_read(name: str) -> None:
    """What stands above the diagonal makes no difference."""
    f = getattr(tf.linalg, name)
    assert np.array_equal(f([[4.0, 99.0], [2.0, 3.0]]), f([[4.0, 2.0], [2.0, 3.0]]))


def test_gradient_of_cholesky_is_symmetric_and_that_of_eigh_lower() -> None:
    """As in TensorFlow; both agree with differences along symmetric directions."""
    w = np.array([[0.3, -0.7], [1.1, 0.4]])
    for f in (tf.linalg.cholesky, lambda x: tf.linalg.eigh(x)[1]):
        g = gradient(lambda x, f=f: tf.reduce_sum(f(x) * w), A)
        v = np.array([[0.5, -0.2], [-0.2, 0.9]])
        (pushed,) = directional(lambda xs, f=f: [np.asarray(f(xs[0]))], [A], [v])  # type: ignore[misc]
        assert_near(inner([w], [pushed]), inner([g], [v]), 1.0, 1e-9)
        assert (g[0, 1] == g[1, 0]) if f is tf.linalg.cholesky else (g[0, 1] == 0)


SINGULAR = [
    np.array([[1.0, 2.0], [2.0, 4.0]]),
    np.zeros((2, 2)),
    np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]]),
    np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0]),
]


@pytest.mark.parametrize("a", SINGULAR, ids=lambda a: str(np.linalg.matrix_rank(a)))
def test_determinant_of_a_singular_matrix(a: Any) -> None:
    """Its gradient is the transposed adjugate, which is no quotient."""
    v = np.random.default_rng(0).normal(size=a.shape)
    (want,) = directional(lambda xs: [np.asarray(tf.linalg.det(xs[0]))], [a], [v])
    assert_near(inner([gradient(tf.linalg.det, a)], [v]), float(want), 1.0, 1e-9)
    (pushed,) = pushforward(lambda x: [tf.linalg.det(x)], wide(a), wide(v))
    assert_near(float(pushed), float(want), 1.0, 1e-9)


@pytest.mark.parametrize("compiled", [None, False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
def test_second_derivative_of_a_determinant(size: int, compiled: bool | None) -> None:
    """Of every rank: the determinants of what is left without two rows and two columns."""

    def hessian(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.linalg.det(x)
            g = inner.gradient(y, x)
        return outer.jacobian(g, x)

    run = hessian if compiled is None else tf.function(hessian, jit_compile=compiled)
    rng = np.random.default_rng(size)
    for rank in range(size + 1):
        factors = rng.integers(-3, 4, (2, size, size)).astype(float)
        a = factors[0][:, :rank] @ factors[1][:rank]
        scale = max(np.linalg.norm(a, 2), 1.0) ** size
        np.testing.assert_allclose(
            run(tf.constant(a)), minors_of_two(a), rtol=0, atol=1e-13 * scale
        )


def minors_of_two(a: Any) -> Any:
    found = np.zeros((*a.shape, *a.shape))
    pairs = list(permutations(range(len(a)), 2))
    for (i, k), (j, m) in product(pairs, pairs):
        left = np.delete(np.delete(a, [i, k], 0), [j, m], 1)
        sign = (-1) ** (i + j + k + m) * (1 if (k > i) == (m > j) else -1)
        found[i, j, k, m] = sign * np.linalg.det(left)
    return found


def test_higher_derivatives_of_a_singular_determinant() -> None:
    """The sum of the squares of a gradient of order two, whose elements are those of the matrix."""
    a = tf.constant([[1.0, 2.0], [2.0, 4.0]], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(a)
        with tf.GradientTape() as inner:
            inner.watch(a)
            y = tf.linalg.det(a)
        z = tf.reduce_sum(inner.gradient(y, a) ** 2)
    assert outer.gradient(z, a).numpy().tolist() == [[2.0, 4.0], [4.0, 8.0]]


def test_factors_of_a_singular_matrix() -> None:
    """They exist; TensorFlow has an error."""
    a = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert np.allclose(tf.linalg.lu_reconstruct(*tf.linalg.lu(a)), a)


def test_slogdet_of_zero() -> None:
    sign, size = tf.linalg.slogdet(ZERO)
    assert (float(sign), float(size)) == (0.0, -np.inf)


def test_triangular_solve_divides_by_zero() -> None:
    """No error: infinities, as TensorFlow."""
    x = tf.linalg.triangular_solve(ZERO, B).numpy()
    assert x[0, 0] == np.inf
    assert np.isnan(x[1, 0])


def test_square_root_that_is_not_real() -> None:
    assert np.isnan(tf.linalg.sqrtm(-A)).all()
    root = tf.linalg.sqrtm(tf.constant(-A + 0j)).numpy()
    assert np.allclose(root @ root, -A)


def test_svd_of_what_is_not_finite() -> None:
    found = tf.linalg.svd(np.full((3, 2), np.nan), full_matrices=True)
    assert [f.shape.as_list() for f in found] == [[2], [3, 3], [2, 2]]
    assert all(np.isnan(f).all() for f in found)
    assert np.isnan(tf.linalg.svd(np.full((3, 2), np.nan), compute_uv=False)).all()


RANK_ONE = np.outer([1.0, 2.0, -1.0], [0.5, 1.0])
SAME_RANK = np.outer([0.2, -0.3, 0.4], [0.5, 1.0]) + np.outer([1.0, 2.0, -1.0], [0.7, -0.1])


@pytest.mark.parametrize("a", [np.eye(3), 2 * np.eye(3)[:, :2], RANK_ONE], ids=["1", "2", "rank"])
def test_pseudo_inverse_and_least_squares_where_svd_has_no_gradient(a: Any) -> None:
    """At coinciding singular values, and along directions that keep a rank that is not full."""
    rng = np.random.default_rng(1)
    b = rng.normal(size=(3, 2))
    for f in (tf.linalg.pinv, lambda x: tf.linalg.lstsq(x, b, fast=False)):
        rank_one = a is RANK_ONE
        move = SAME_RANK if rank_one else rng.normal(size=a.shape)

        def at(xs: Any, f: Any = f, rank_one: bool = rank_one) -> Any:
            """A curve with this direction on which the rank stays."""
            t = xs[0][0, 0]
            left = np.array([1.0, 2.0, -1.0]) + t * np.array([0.2, -0.3, 0.4])
            right = np.array([0.5, 1.0]) + t * np.array([0.7, -0.1])
            return [np.asarray(f(np.outer(left, right)))] if rank_one else [np.asarray(f(xs[0]))]

        start, along = (np.zeros((1, 1)), np.ones((1, 1))) if rank_one else (a, move)
        (want,) = directional(at, [start], [along])
        (pushed,) = arrays(pushforward(lambda x, f=f: [f(x)], wide(a), wide(move)))
        assert_same([pushed], [want], 1e-8)


# ---- nothing at all ---------------------------------------------------------------------------

EMPTY: dict[str, Any] = {
    "inv": tf.linalg.inv,
    "det": tf.linalg.det,
    "cholesky": tf.linalg.cholesky,
    "slogdet": lambda x: tf.linalg.slogdet(x)[1],
    "solve": lambda x: tf.linalg.solve(x, x),
    "triangular_solve": lambda x: tf.linalg.triangular_solve(x, x),
    "qr": lambda x: tf.linalg.qr(x)[0],
    "lu": lambda x: tf.linalg.lu(x)[0],
    "svd": lambda x: tf.linalg.svd(x, compute_uv=False),
    "eigvalsh": tf.linalg.eigvalsh,
    "expm": tf.linalg.expm,
    "sqrtm": tf.linalg.sqrtm,
    "pinv": tf.linalg.pinv,
    "diag_part": tf.linalg.diag_part,
    "band_part": lambda x: tf.linalg.band_part(x, -1, 0),
}


@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize("shape", [(0, 0), (0, 2, 2), (2, 0, 0)])
def test_empty(name: str, shape: Any) -> None:
    """No elements: a value, and a gradient of the shape of the input."""
    g = gradient(EMPTY[name], np.zeros(shape))
    assert g.shape == shape


# ---- lower precision --------------------------------------------------------------------------

ROUNDED = [c for c in cases(LINES) if not c.line.small and c.varied and not c.line.constant]


@pytest.mark.parametrize("case", ROUNDED, ids=repr)
def test_single_precision(case: Case) -> None:
    """Values and gradients in float32 and complex64, as good as those allow."""
    xs = case.inputs()
    low = [x.astype({"f": "f4", "c": "c8"}.get(x.dtype.kind, x.dtype)) for x in xs]
    back = [x.astype({"f": "f8", "c": "c16"}.get(x.dtype.kind, x.dtype)) for x in low]
    found = []
    for given_ in (tensors(low), tensors(back)):
        f = restricted(case.call, given_, case.varied)
        at = [given_[i] for i in case.varied]
        ws = [np.ones(y.shape, y.dtype) for y in arrays(f(*at))]
        found.append((arrays(f(*at)), arrays(pullback(f, at, tensors(ws)))))
    for got, want in zip(*found, strict=True):
        for g, w in zip(got, want, strict=True):
            assert g.dtype == {"f8": "f4", "c16": "c8"}[w.dtype.str[1:]]
            assert_same([g.astype(w.dtype)], [w], 3e-5)


@pytest.mark.parametrize("name", ["inv", "cholesky", "det", "expm", "qr", "svd", "eigh", "lu"])
@pytest.mark.parametrize("kind", [tf.float16, tf.bfloat16])
def test_halves(name: str, kind: Any) -> None:
    """Two-byte floats are computed in float32 and keep their dtype."""
    a = tf.cast(tf.constant(A), kind)
    for got, want in zip(
        outcomes(getattr(tf.linalg, name), [a]),
        outcomes(getattr(tf.linalg, name), [tf.constant(A)]),
        strict=True,
    ):
        assert got.dtype is (kind if want.dtype is tf.float64 else want.dtype)
        assert np.allclose(np.asarray(got).astype(float), want, rtol=0.02, atol=0.05)


# ---- laws -------------------------------------------------------------------------------------


def drawn(seed: int, *shape: int) -> Any:
    rng = np.random.default_rng(seed)
    return tf.constant(np.eye(*shape[-2:]) * 2 + rng.uniform(-0.6, 0.6, shape))


SEEDS = st.integers(0, 10**6)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 5))
def test_factors_make_the_matrix(seed: int, size: int) -> None:
    """Whatever a matrix is taken apart into, gives the matrix."""
    a = drawn(seed, 2, size, size)
    q, r = tf.linalg.qr(a)
    s, u, v = tf.linalg.svd(a)
    e, w = tf.linalg.eig(a)
    l2 = tf.linalg.cholesky(a @ tf.linalg.adjoint(a))
    for got in (
        q @ r,
        tf.linalg.lu_reconstruct(*tf.linalg.lu(a)),
        u @ tf.linalg.diag(s) @ tf.linalg.adjoint(v),
        tf.math.real(w @ tf.linalg.diag(e) @ tf.linalg.inv(w)),
        l2 @ tf.linalg.adjoint(l2) @ tf.linalg.inv(tf.linalg.adjoint(a)),
        tf.linalg.inv(tf.linalg.inv(a)),
        tf.linalg.pinv(tf.linalg.pinv(a)),
        tf.linalg.sqrtm(a) @ tf.linalg.sqrtm(a),
    ):
        assert np.allclose(got, a, atol=1e-9)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 4), st.integers(1, 5))
def test_all_ways_to_solve_agree(seed: int, size: int, columns: int) -> None:
    """Solving, inverting, factors, least squares, and three diagonals where there are no more."""
    a = tf.linalg.band_part(drawn(seed, size, size), min(1, size), min(1, size))
    b = drawn(seed + 1, size, columns)
    want = tf.linalg.solve(a, b)
    assert np.allclose(a @ want, b)
    for got in (
        tf.linalg.inv(a) @ b,
        tf.linalg.lu_solve(*tf.linalg.lu(a), b),
        tf.linalg.lstsq(a, b),
        tf.linalg.lstsq(a, b, fast=False),
        tf.linalg.tridiagonal_solve(a, b, "matrix"),
        tf.linalg.solve(tf.linalg.adjoint(a), b, adjoint=True),
    ):
        assert np.allclose(got, want, atol=1e-9)
    assert np.allclose(tf.linalg.tridiagonal_matmul(a, want, "matrix"), b)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 4), st.integers(1, 4), st.data())
def test_diagonals_are_put_back(seed: int, rows: int, columns: int, data: Any) -> None:
    """Taken and set again, or set in zeros, the diagonals are what they were."""
    low = data.draw(st.integers(1 - rows, columns - 1))
    high = data.draw(st.integers(low, columns - 1))
    align = data.draw(st.sampled_from(["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]))
    x = drawn(seed, rows, columns)
    d = tf.linalg.diag_part(x, k=(low, high), align=align)
    assert np.array_equal(tf.linalg.set_diag(x, d, k=(low, high), align=align), x)
    zeros = tf.linalg.set_diag(tf.zeros_like(x), d, k=(low, high), align=align)
    offset = np.arange(columns) - np.arange(rows)[:, None]
    assert np.array_equal(zeros, np.where((offset >= low) & (offset <= high), x, 0))


# ---- batches of many small matrices, which go another way than large ones ---------------------


def many(seed: int, *shape: int) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


@settings(deadline=None, max_examples=30)
@given(SEEDS, st.integers(1, 5), st.booleans(), st.booleans())
def test_many_small_matrices(seed: int, size: int, lower: bool, adjoint: bool) -> None:
    """Triangular and tridiagonal systems, and LU, give what they give for each alone."""
    a, b, d = many(seed, 8, size, size), many(seed + 1, 8, size, 2), many(seed + 2, 8, 3, size)
    packed, order = tf.linalg.lu(a)
    x = tf.linalg.triangular_solve(a, b, lower, adjoint)
    y = tf.linalg.tridiagonal_solve(d, b)
    for i in range(8):
        alone, p = tf.linalg.lu(a[i])
        assert np.allclose(packed[i], alone)
        assert np.array_equal(order[i], p)
        close(x[i], tf.linalg.triangular_solve(a[i], b[i], lower, adjoint))
        close(y[i], tf.linalg.tridiagonal_solve(d[i], b[i]))


def close(got: Any, want: Any) -> None:
    """Up to what is lost where a system is close to a singular one."""
    assert np.allclose(got, want, rtol=1e-7, atol=1e-9 * float(np.max(np.abs(want))))


def test_singular_among_many() -> None:
    """One system has a solution, the others are singular."""
    d = np.zeros((9, 3, 2))
    d[0, 1] = 1
    x = tf.linalg.tridiagonal_solve(d, np.ones((9, 2, 1))).numpy()
    assert (x[0] == 1).all()
    assert np.isnan(x[1:]).all()
    near = tf.linalg.tridiagonal_solve(d, np.ones((9, 2, 1)), perturb_singular=True)
    assert np.isfinite(near).all()
    assert np.allclose(tf.linalg.lu_reconstruct(*tf.linalg.lu(d[:, 1:])), d[:, 1:])


# ---- conventions ------------------------------------------------------------------------------


def test_diagonals_of_booleans() -> None:
    assert tf.linalg.diag([True, True]).numpy().tolist() == [[True, False], [False, True]]
    assert tf.linalg.diag_part([[True, False]]).numpy().tolist() == [True]


def test_pad_values_have_no_gradient() -> None:
    """The derivative has zeros where the value has the padding."""
    g = gradient(lambda x: tf.linalg.diag_part(x, k=(-1, 0), padding_value=7.0), A)
    assert np.array_equal(g, [[1, 0], [1, 1]])
    (t,) = pushforward(lambda x: [tf.linalg.diag(x, padding_value=7.0)], wide(B[:, 0]),
                       wide(B[:, 0]))  # fmt: skip
    assert np.array_equal(t, np.diag(B[:, 0]))


def test_banded_triangular_solve_reads_rows() -> None:
    """Each band is aligned with the rows of the matrix, as TensorFlow's numbers say."""
    ones = np.ones((3, 1))
    x = tf.linalg.banded_triangular_solve([[2.0, 3, 4], [9, 1, 5]], ones.astype("f4"))
    assert np.allclose(x[:, 0], [0.5, 1 / 6, 1 / 24])
    y = tf.linalg.banded_triangular_solve([[1.0, 5, 9], [2, 3, 4]], ones.astype("f4"), lower=False)
    assert np.allclose(y[:, 0], [0.5416667, -0.08333334, 0.25])


def test_singular_systems_of_three_diagonals() -> None:
    """NaN; or a large solution of a system nearby."""
    zeros = np.zeros((3, 2))
    flags: Any
    for flags in ({}, {"partial_pivoting": False}):
        assert np.isnan(tf.linalg.tridiagonal_solve(zeros, B, **flags)).all()
    assert np.isfinite(tf.linalg.tridiagonal_solve(zeros, B, perturb_singular=True)).all()


def test_pivots_that_are_zero() -> None:
    """Rows are exchanged, but not without pivoting."""
    d = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    x = tf.linalg.tridiagonal_solve(d, [1.0, 2.0, 3.0]).numpy()
    assert np.allclose(tf.linalg.tridiagonal_matmul(d, x[:, None])[:, 0], [1, 2, 3])
    assert np.isnan(tf.linalg.tridiagonal_solve(d, [1.0, 2.0, 3.0], partial_pivoting=False)).all()


def test_eigenvalues_of_an_interval() -> None:
    """With the upper end, without the lower; also in a graph, where their number is not known."""
    a, b = np.array([1.0, 3.0, 6.0]), np.array([0.5, -0.4])
    all_, vectors = tf.linalg.eigh_tridiagonal(a, b, eigvals_only=False)
    middle = float(all_[1])

    def chosen(x: Any) -> Any:
        return tf.linalg.eigh_tridiagonal(x, b, False, "v", (0.0, middle + 1e-9))

    for f in (chosen, tf.function(chosen)):
        e, v = f(tf.constant(a))
        assert np.allclose(e, all_[:2])
        assert np.allclose(np.abs(v), np.abs(vectors[:, :2]))
    none = tf.linalg.eigh_tridiagonal(a, b, select="v", select_range=(50.0, 60.0))
    assert none.shape == (0,)


def test_gradient_of_eigh_tridiagonal() -> None:
    """TensorFlow's is wrong."""
    rng = np.random.default_rng(2)
    at = [np.array([1.0, 3.0, 6.0]), np.array([0.5, -0.4])]
    vs, w = like(rng, at), rng.normal(size=3)
    (want,) = directional(
        lambda xs: [np.asarray(tf.linalg.eigh_tridiagonal(*xs))], at, vs
    )  # fmt: skip
    pulled = pullback(lambda a, b: [tf.linalg.eigh_tridiagonal(a, b)], wide(*at), wide(w))
    assert_near(inner([w], [want]), inner(arrays(pulled), vs), 1.0, 1e-9)


def test_rank_with_a_tolerance() -> None:
    x = np.diag([1.0, 0.1, 0.01])
    assert int(tf.linalg.matrix_rank(x)) == 3
    assert int(tf.linalg.matrix_rank(x, tol=0.05)) == 2
    assert np.allclose(tf.linalg.pinv(x, rcond=0.05), np.diag([1.0, 10.0, 0.0]))
    both = tf.linalg.pinv(np.stack([x, x]), rcond=[0.05, 0.5])
    assert np.allclose(both[1], np.diag([1.0, 0.0, 0.0]))


def test_l2_normalize_near_zero() -> None:
    """A vector shorter than the root of epsilon is divided by that."""
    assert np.allclose(tf.nn.l2_normalize([3e-7, 4e-7]), [0.3, 0.4], rtol=1e-5)
    assert np.array_equal(gradient(tf.math.l2_normalize, [0.0, 0.0]), [1e6, 1e6])


# ---- version 1 --------------------------------------------------------------------------------

V1 = {
    "matrix_determinant": "det",
    "matrix_inverse": "inv",
    "matrix_solve": "solve",
    "matrix_solve_ls": "lstsq",
    "matrix_triangular_solve": "triangular_solve",
    "matrix_band_part": "band_part",
    "matrix_diag": "diag",
    "matrix_diag_part": "diag_part",
    "matrix_set_diag": "set_diag",
    "matrix_transpose": "matrix_transpose",
    "self_adjoint_eig": "eigh",
    "self_adjoint_eigvals": "eigvalsh",
    "diag": "tensor_diag",
    "diag_part": "tensor_diag_part",
    "matrix_square_root": "sqrtm",
    **{name: name for name in ("cholesky", "cholesky_solve", "svd", "qr", "trace", "cross",
                               "global_norm")},
}  # fmt: skip


@pytest.mark.parametrize("name", V1)
def test_names_of_version_1(name: str) -> None:
    assert getattr(v1, name) is getattr(tf.linalg, V1[name])


def test_norms_of_version_1() -> None:
    assert v1.norm(A, axis=0, keep_dims=True).shape == (1, 2)
    assert v1.linalg.norm(A, axis=0, keep_dims=True).shape == (1, 2)
    assert v1.linalg.transpose is tf.linalg.matrix_transpose
    assert v1.linalg.inv is tf.linalg.inv
    assert tf.matrix_square_root is tf.linalg.sqrtm
    assert (tf.eig, tf.eigvals) == (tf.linalg.eig, tf.linalg.eigvals)


@pytest.mark.parametrize("axis", [[], [1, 2, 3], [[1]], [[1], [2]], [3.1415], [1, 1]], ids=str)
def test_axes_of_norms_are_one_or_two(axis: Any) -> None:
    with pytest.raises(ValueError, match="'axis' must be None, an integer, or a tuple of 2 unique"):
        tf.norm([[0.0, 1.0], [2.0, 3.0]], axis=axis)


@pytest.mark.parametrize("equation", ["ab..->ab", "a...b...->ab", "ab->a..", "ab->a->b"])
def test_an_equation_has_at_most_an_ellipsis(equation: str) -> None:
    with pytest.raises(ValueError, match="Subscripts have incorrect format"):
        tf.einsum(equation, tf.ones([2, 3]))


LABELS = st.lists(st.sampled_from("abcdef"), unique=True, max_size=5)


@given(LABELS, LABELS, LABELS, st.data())
def test_einsums_that_are_products(
    first: list[str], second: list[str], out: list[str], data: st.DataObject
) -> None:
    """Whatever the order of the axes, and wherever the arrays lie in memory."""
    both = {*first, *second}
    terms = ["".join(term) for term in (first, second, [label for label in out if label in both])]
    equation = f"{terms[0]},{terms[1]}->{terms[2]}"
    sizes = {label: data.draw(st.sampled_from([1, 2, 3, 5])) for label in both}
    shapes = [tuple(sizes[label] for label in term) for term in terms]
    a, b = (arrays_of(shape, data.draw(st.booleans())) for shape in shapes[:2])
    found = as_product(equation, a.shape, b.shape)
    summed = {label for label in first if label in second and label not in out}
    groups = [summed, *({*x} - {*y} for x, y in ((first, second), (second, first)))]
    are_sums = any(label not in out for label in set(first) ^ set(second))
    is_thin = any(np.prod([sizes[label] for label in group]) < 2 for group in groups)
    assert (found is None) == (are_sums or is_thin)
    if found is not None:
        got = found.finished(np.matmul(*found.operands(a, b)))
        assert (got.shape, got.flags.c_contiguous) == (shapes[2], True)
        np.testing.assert_allclose(got, np.einsum(equation, a, b), rtol=1e-12, atol=1e-12)


def arrays_of(shape: tuple[int, ...], turned: bool) -> Any:
    x = np.random.default_rng(len(shape)).normal(size=shape)
    return np.asarray(x, order="F" if turned else "C")


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("aa,ab->ab", [(3, 3), (3, 4)]),
        ("ab,bc->ac", [(3, 1), (4, 5)]),
        ("ab,bc->a", [(2, 3), (3, 4)]),
    ],
)
def test_einsums_that_are_no_products(equation: str, shapes: Any) -> None:
    """A diagonal, a label that stretches, a sum over an axis of one array alone, and no rows or sums."""
    assert as_product(equation, *shapes) is None


TERMS = st.lists(st.text("abcdef", max_size=3), min_size=3, max_size=5)


@given(TERMS, st.data())
def test_einsums_of_several(terms: list[str], data: st.DataObject) -> None:
    """They are einsums of two at a time, with the same value, shape and gradients."""
    labels = sorted(set("".join(terms)))
    out = (
        "".join(data.draw(st.lists(st.sampled_from(labels), unique=True, max_size=3)))
        if labels
        else ""
    )
    sizes = {label: data.draw(st.sampled_from([0, 1, 2, 3])) for label in labels}
    equation = f"{','.join(terms)}->{out}"
    rng = np.random.default_rng(0)
    xs = [
        tf.constant(rng.normal(size=[sizes[label] for label in term]), tf.float64) for term in terms
    ]
    want = np.einsum(equation, *xs)
    weights = rng.normal(size=want.shape)
    found = []
    for summed in (tf.einsum, at_once):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = summed(equation, *xs)
            total = tf.reduce_sum(weights * y)
        found.append(tape.gradient(total, xs))
        assert y.shape == want.shape
        np.testing.assert_allclose(y, want, rtol=0, atol=1e-10)
    for got, as_one in zip(*found, strict=True):
        np.testing.assert_allclose(got, as_one, rtol=0, atol=1e-10)


def at_once(equation: str, *xs: Any) -> Any:
    return tf.raw_ops.Einsum(inputs=xs, equation=equation)


def test_an_einsum_of_several_multiplies_as_little_as_it_can() -> None:
    shapes = ((64, 32), (32, 20, 32), (64, 32))
    assert [pair.equation for pair in pairs_of("bi,ijk,bk->bj", shapes)] == [
        "bi,ijk->bjk",
        "bk,bjk->bj",
    ]


def test_large_einsums_of_attention() -> None:
    """As NumPy gives them, with their gradients to second order."""
    q, k, v = (np.random.default_rng(i).normal(size=(3, 40, 4, 20)) for i in range(3))

    def loss(q: Any, k: Any, v: Any) -> Any:
        shares = tf.nn.softmax(tf.einsum("bqhd,bkhd->bhqk", q, k) / 4.0)
        return tf.reduce_sum(tf.einsum("bhqk,bkhd->bqhd", shares, v) ** 2)

    def derivatives() -> list[Any]:
        xs = [tf.constant(x) for x in (q, k, v)]
        with tf.GradientTape() as outer:
            outer.watch(xs)
            with tf.GradientTape() as tape:
                tape.watch(xs)
                y = loss(*xs)
            first = tape.gradient(y, xs)
            length = tf.add_n([tf.reduce_sum(g**2) for g in first])
        return [y, *first, *outer.gradient(length, xs)]

    got = derivatives()
    try:
        tf.config.set_engine("numpy")
        for x, want in zip(got, derivatives(), strict=True):
            np.testing.assert_allclose(x, want, rtol=1e-9, atol=1e-9)
    finally:
        tf.config.set_engine(None)


@pytest.mark.parametrize(("dtype", "wide"), [("int8", "float32"), ("int32", "float64")])
def test_integers_are_divided_with_a_rule_for_zero(dtype: str, wide: str) -> None:
    found = tf.math.divide_no_nan(tf.constant([6, 7], dtype), tf.constant([0, 2], dtype))
    assert (found.numpy().tolist(), found.dtype.name) == ([0.0, 3.5], wide)


def test_derivatives_of_a_determinant_of_nothing() -> None:
    for shape in ((0, 0), (2, 0, 0)):
        a = tf.zeros(shape)
        with tf.GradientTape() as outer:
            outer.watch(a)
            with tf.GradientTape() as inner:
                inner.watch(a)
                y = tf.reduce_sum(tf.linalg.det(a) ** 2.0)
            first = inner.gradient(y, a)
        assert first.shape == outer.gradient(first, a).shape == shape
