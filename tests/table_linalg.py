"""Lines of the table of samples: linear algebra."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.linalg
from samples import Dims, Domain, Line, Rng, anywhere, complexes, internal, line

import wengert as tf

# ---- domains ----------------------------------------------------------------------------------


def regular(rng: Rng, shape: Dims) -> Any:
    """Far from singular, and of full rank where it is not square."""
    return 2.0 * np.eye(*shape[-2:]) + rng.uniform(-0.5, 0.5, shape)


def regular_complex(rng: Rng, shape: Dims) -> Any:
    return regular(rng, shape) + 1j * rng.uniform(-0.5, 0.5, shape)


def graded(rng: Rng, shape: Dims) -> Any:
    """Eigenvalues that are far from each other."""
    rows, columns = shape[-2:]
    values = np.zeros((rows, columns))
    np.fill_diagonal(values, 1.4 * np.arange(min(rows, columns)) - 0.9)
    return values + rng.uniform(-0.3, 0.3, shape)


def stretched(rng: Rng, shape: Dims) -> Any:
    """Singular values that are far from each other and from zero."""
    rows, columns = shape[-2:]
    values = np.zeros((rows, columns))
    np.fill_diagonal(values, 1.4 * np.arange(min(rows, columns)) + 0.9)
    return values + rng.uniform(-0.25, 0.25, shape)


def stretched_complex(rng: Rng, shape: Dims) -> Any:
    return stretched(rng, shape) + 1j * rng.uniform(-0.25, 0.25, shape)


def graded_complex(rng: Rng, shape: Dims) -> Any:
    return graded(rng, shape) + 1j * rng.uniform(-0.3, 0.3, shape)


def rising(rng: Rng, shape: Dims) -> Any:
    """The last axis rises."""
    return np.arange(shape[-1]) * 1.5 + rng.uniform(0.3, 0.9, shape)


def banded(rng: Rng, shape: Dims) -> Any:
    """Diagonals, of which each may be the main one."""
    return rng.uniform(2.0, 3.0, shape)


def permutations(rng: Rng, shape: Dims) -> Any:
    """Along the last axis."""
    return rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1).astype(np.int32)


def few(rng: Rng, shape: Dims) -> Any:
    """Three diagonals of a matrix that is far from singular."""
    d = rng.uniform(-0.8, 0.8, shape)
    d[..., 1, :] += 3.0
    return d


def few_complex(rng: Rng, shape: Dims) -> Any:
    return few(rng, shape) + 1j * rng.uniform(-0.5, 0.5, shape)


def positive_matrix(a: Any) -> Any:
    """Hermitian and positive definite."""
    return tf.matmul(a, a, adjoint_b=True)


def np_positive(a: Any) -> Any:
    return a @ np_adjoint(a)


def np_adjoint(a: Any) -> Any:
    return np.conj(np.swapaxes(a, -1, -2))


def np_each(function: Any, *arrays: Any) -> Any:
    """The function of single matrices, over a batch."""
    batch = np.broadcast_shapes(*[a.shape[:-2] for a in arrays])
    wide = [np.broadcast_to(a, (*batch, *a.shape[-2:])) for a in arrays]
    found = [function(*[a[i] for a in wide]) for i in np.ndindex(batch)]
    return np.stack(found).reshape(*batch, *np.shape(found[0]))


def np_root(a: Any) -> Any:
    """Earlier versions of SciPy give complex numbers for real ones."""
    root = scipy.linalg.sqrtm(a)
    return root if a.dtype.kind == "c" else root.real


# ---- references -------------------------------------------------------------------------------


def np_diag(x: Any, k: Any = 0, num_rows: int = -1, num_cols: int = -1, padding_value: Any = 0,
            align: str = "RIGHT_LEFT") -> Any:  # fmt: skip
    """Element by element."""
    low, high = k if isinstance(k, tuple) else (k, k)
    x = x if low != high else x[..., None, :]
    least_rows = x.shape[-1] - min(high, 0)
    least_columns = x.shape[-1] + max(low, 0)
    rows, columns = num_rows, num_cols
    if rows == columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    y = np.full((*x.shape[:-2], rows, columns), padding_value, x.dtype)
    for i, j, m, n in np_places(low, high, rows, columns, align):
        y[..., i, j] = x[..., m, n]
    return y


def np_places(low: int, high: int, rows: int, columns: int, align: str) -> Any:
    """Row, column, number of the diagonal, place in it, for each element of a band."""
    lengths = {d: min(rows + min(d, 0), columns - max(d, 0)) for d in range(low, high + 1)}
    longest = max(lengths.values())
    for d, length in lengths.items():
        side = align.split("_")[0 if d > 0 else 1]
        start = longest - length if side == "RIGHT" and d != 0 else 0
        if d == 0 and align == "RIGHT_RIGHT":
            start = longest - length
        for p in range(length):
            yield p - min(d, 0), p + max(d, 0), high - d, start + p


def np_diag_part(x: Any, k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    low, high = k if isinstance(k, tuple) else (k, k)
    rows, columns = x.shape[-2:]
    longest = max(min(rows + min(d, 0), columns - max(d, 0)) for d in range(low, high + 1))
    y = np.full((*x.shape[:-2], high - low + 1, longest), padding_value, x.dtype)
    for i, j, m, n in np_places(low, high, rows, columns, align):
        y[..., m, n] = x[..., i, j]
    return y if low != high else y[..., 0, :]


def np_set_diag(x: Any, d: Any, k: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    low, high = k if isinstance(k, tuple) else (k, k)
    d = d if low != high else d[..., None, :]
    y = x.copy()
    for i, j, m, n in np_places(low, high, *x.shape[-2:], align):  # type: ignore[call-arg]
        y[..., i, j] = d[..., m, n]
    return y


def np_band_part(x: Any, num_lower: int, num_upper: int) -> Any:
    y = x if num_lower < 0 else np.triu(x, -num_lower)
    return y if num_upper < 0 else np.tril(y, num_upper)


def np_triangular_solve(a: Any, b: Any, lower: bool = True, adjoint: bool = False) -> Any:
    a = np.tril(a) if lower else np.triu(a)
    return np.linalg.solve(np_adjoint(a) if adjoint else a, b)


def np_from_bands(bands: Any, lower: bool = True) -> Any:
    count, size = bands.shape[-2:]
    a = np.zeros((*bands.shape[:-2], size, size), bands.dtype)
    for k in range(count):
        distance = -k if lower else count - 1 - k
        for i in range(size):
            if 0 <= i + distance < size:
                a[..., i, i + distance] = bands[..., k, i]
    return a


def np_to_bands(a: Any, count: int, lower: bool) -> Any:
    size = a.shape[-1]
    bands = np.zeros((*a.shape[:-2], count, size), a.dtype)
    for k in range(count):
        distance = -k if lower else count - 1 - k
        for i in range(size):
            if 0 <= i + distance < size:
                bands[..., k, i] = a[..., i, i + distance]
    return bands


def np_banded_solve(bands: Any, b: Any, lower: bool = True, adjoint: bool = False) -> Any:
    a = np_from_bands(bands, lower)
    return np.linalg.solve(np_adjoint(a) if adjoint else a, b)


def np_three(d: Any) -> Any:
    """The matrix of three diagonals."""
    size = d.shape[-1]
    a = np.zeros((*d.shape[:-2], size, size), d.dtype)
    for i in range(size):
        a[..., i, i] = d[..., 1, i]
        if i + 1 < size:
            a[..., i, i + 1] = d[..., 0, i]
            a[..., i + 1, i] = d[..., 2, i + 1]
    return a


def np_lower_hermitian(a: Any) -> Any:
    """What is meant by a matrix of which only the lower triangle is read."""
    diagonal = np.real(a) * np.eye(a.shape[-1])
    return np.tril(a, -1) + np_adjoint(np.tril(a, -1)) + diagonal


def np_lu(a: Any) -> list[Any]:
    def packed(one: Any) -> Any:
        _, lower, upper = scipy.linalg.lu(one)
        return np.tril(lower, -1) + upper

    def order(one: Any) -> Any:
        p, _, _ = scipy.linalg.lu(one)
        return np.argmax(p, axis=0)

    return [np_each(packed, a), np_each(order, a)]


def np_pinv(a: Any, rcond: float = 1e-14) -> Any:
    return np.linalg.pinv(a, rcond=rcond)


def np_ridge(a: Any, b: Any, l2_regularizer: float = 0.0) -> Any:
    gram = np_adjoint(a) @ a + l2_regularizer * np.eye(a.shape[-1])
    if a.shape[-2] >= a.shape[-1]:
        return np.linalg.solve(gram, np_adjoint(a) @ b)
    gram = a @ np_adjoint(a) + l2_regularizer * np.eye(a.shape[-2])
    return np_adjoint(a) @ np.linalg.solve(gram, b)


def np_quotient(p: Any, e: Any, size: Any, both: bool, what: str) -> Any:
    gap = e[..., None, :] - e[..., :, None]
    single = np.eye(e.shape[-1], dtype=bool)
    return np.where(single, 0, p / np.where(single, 1, gap))


def np_adjugate(a: Any) -> Any:
    return np.linalg.det(a)[..., None, None] * np.linalg.inv(a)


# ---- calls whose results do not depend on signs and phases of vectors -------------------------


def eigh_parts(a: Any, **kind: Any) -> Any:
    e, v = tf.linalg.eigh(a, **kind)
    e = tf.math.real(e)
    squares = tf.math.real(v * tf.math.conj(v))
    return e, squares, tf.matmul(v * tf.cast(tf.sin(e), v.dtype)[..., None, :], v, adjoint_b=True)


def np_eigh_parts(a: Any, **kind: Any) -> Any:
    e, v = np.linalg.eigh(a)
    return [e, np.abs(v) ** 2, (v * np.sin(e)[..., None, :]) @ np_adjoint(v)]


def eig_parts(a: Any) -> Any:
    """Eigenvalues and eigenvectors come in any order."""
    e, v = tf.linalg.eig(a)
    powers = [tf.reduce_sum(e**k, -1) for k in (1, 2, 3)]
    return *powers, tf.matmul(v * tf.sin(e)[..., None, :], tf.linalg.inv(v)), _lengths(v, e)


def _lengths(v: Any, e: Any) -> Any:
    """Sums over the vectors: their order does not matter."""
    squares = tf.math.real(v * tf.math.conj(v))
    return tf.reduce_sum(squares * squares * tf.math.real(e)[..., None, :], -1)


def np_eig_parts(a: Any) -> Any:
    e, v = np.linalg.eig(a)
    e, v = e.astype(complex), v.astype(complex)
    squares = np.abs(v) ** 2
    return [*[np.sum(e**k, -1) for k in (1, 2, 3)], (v * np.sin(e)[..., None, :]) @
            np.linalg.inv(v), np.sum(squares**2 * np.real(e)[..., None, :], -1)]  # fmt: skip


def svd_parts(a: Any, full_matrices: bool = False, **flags: Any) -> Any:
    """Columns beyond those of the singular values only by the space they span."""
    s, u, v = tf.linalg.svd(a, full_matrices, **flags)
    k = s.shape[-1] if full_matrices else None
    squares = tf.cast(s * s, a.dtype)[..., None, :]
    found = [s, tf.matmul(u[..., :k] * squares, v[..., :k], adjoint_b=True)]
    for x in (u, v):
        found.append(tf.math.real(x[..., :k] * tf.math.conj(x[..., :k])))
        if full_matrices and x.shape[-1] > s.shape[-1]:
            found.append(tf.matmul(x[..., k:], x[..., k:], adjoint_b=True))
    return found


def np_svd_parts(a: Any, full_matrices: bool = False, **flags: Any) -> Any:
    u, s, vh = np.linalg.svd(a, full_matrices=full_matrices)
    k, v = s.shape[-1], np_adjoint(vh)
    found = [s, (u[..., :k] * (s * s)[..., None, :]) @ np_adjoint(v[..., :k])]
    for x in (u, v):
        found.append(np.abs(x[..., :k]) ** 2)
        if x.shape[-1] > k:
            found.append(x[..., k:] @ np_adjoint(x[..., k:]))
    return found


def qr_parts(a: Any, full_matrices: bool = False) -> Any:
    q, r = tf.linalg.qr(a, full_matrices)
    if not full_matrices:
        return q, r
    k = min(a.shape[-2], a.shape[-1])
    return q[..., :k], r, tf.matmul(q[..., k:], q[..., k:], adjoint_b=True)


def np_qr_parts(a: Any, full_matrices: bool = False) -> Any:
    q, r = np.linalg.qr(a, mode="complete" if full_matrices else "reduced")
    k = min(a.shape[-2:])
    found = [q[..., :k], r]
    return [*found, q[..., k:] @ np_adjoint(q[..., k:])] if full_matrices else found


# ---- the table --------------------------------------------------------------------------------

SQUARE: Sequence[Sequence[Dims]] = [[(3, 3)], [(2, 2, 2)], [(1, 1)]]
SYSTEMS: Sequence[Sequence[Dims]] = [[(3, 3), (3, 2)], [(2, 2, 2), (2, 2, 1)]]
MOVES = "int32 bool"
ALIGNED = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")
FLAGS: Sequence[dict[str, Any]] = [
    {"lower": low, "adjoint": adj} for low in (True, False) for adj in (True, False)
]
KINDS: Sequence[tuple[Domain, Domain]] = [(regular, anywhere), (regular_complex, complexes)]
REGULAR = (regular, regular_complex)
GRADED = (graded, graded_complex)
STRETCHED = (stretched, stretched_complex)
QUOTIENT: dict[str, Any] = {"both": False, "what": "eigenvalues"}

DIAGONALS = [
    line("MatrixDiagV3", tf.linalg.diag, np_diag, shapes=[[(3,)], [(2, 2)]],
         attrs=[{}, {"k": 1}, {"k": -2, "padding_value": 5}, {"k": 0, "num_rows": 4},
                {"k": 1, "num_cols": 5}], complex=True, dtypes="int32"),
    line("MatrixDiagV3", tf.linalg.diag, np_diag, shapes=[[(3, 3)], [(2, 3, 2)]],
         attrs=[{"k": (-1, 1), "align": a} for a in ALIGNED], complex=True),
    line("MatrixDiagV3", tf.linalg.diag, np_diag, shapes=[[(2, 3)]],
         attrs=[{"k": (0, 1), "num_rows": 3, "num_cols": 4}, {"k": (-2, -1)}, {"k": (1, 2)}]),
    line("MatrixDiagPartV3", tf.linalg.diag_part, np_diag_part, shapes=[[(3, 4)], [(2, 3, 2)]],
         attrs=[{}, {"k": 1}, {"k": -2}, *[{"k": (-2, 1), "align": a} for a in ALIGNED],
                {"k": (-1, 0), "padding_value": 7}], complex=True, dtypes="int32"),
    line("MatrixSetDiagV3", tf.linalg.set_diag, np_set_diag, anywhere, anywhere,
         shapes=[[(3, 4), (3,)], [(2, 3, 3), (2, 3)]], complex=True, dtypes=MOVES),
    line("MatrixSetDiagV3", tf.linalg.set_diag, np_set_diag, anywhere, anywhere,
         shapes=[[(3, 4), (3, 3)]], attrs=[{"k": (-1, 1), "align": a} for a in ALIGNED]),
    line("MatrixBandPart", tf.linalg.band_part, np_band_part, shapes=[[(3, 4)], [(2, 3, 2)]],
         attrs=[{"num_lower": low, "num_upper": up} for low, up in ((-1, 0), (0, -1), (1, 1),
                (-1, -1), (0, 0))], complex=True, dtypes=MOVES),
    line("Diag", tf.linalg.tensor_diag, lambda x: np.diag(x.ravel()).reshape(x.shape * 2),
         shapes=[[(3,)], [(2, 2)]], complex=True, dtypes="int32"),
    line("DiagPart", tf.linalg.tensor_diag_part,
         lambda x: x.reshape([int(np.sqrt(x.size))] * 2).diagonal().reshape(x.shape[: x.ndim // 2]),
         shapes=[[(3, 3)], [(2, 3, 2, 3)]], complex=True, dtypes="int32"),
    line("[trace]", tf.linalg.trace, lambda x: np.trace(x, axis1=-2, axis2=-1),
         shapes=[[(3, 3)], [(2, 2, 3)]], complex=True, dtypes="int32"),
    line("[adjoint]", tf.linalg.adjoint, np_adjoint, shapes=[[(2, 3)], [(2, 1, 3)]], complex=True),
    line("[matrix_transpose]", tf.linalg.matrix_transpose, lambda x: np.swapaxes(x, -1, -2),
         shapes=[[(2, 1, 3)]], complex=True, dtypes=MOVES),
    line("Cross", tf.linalg.cross, np.cross, anywhere, anywhere, shapes=[[(3,), (3,)],
         [(2, 3), (2, 3)]], complex=True, dtypes="int32"),
]  # fmt: skip

SYSTEMS_LINES = [
    *(line("MatrixTriangularSolve", tf.linalg.triangular_solve, np_triangular_solve, a, b,
           shapes=[*SYSTEMS, [(2, 2, 2), (2, 1)]], attrs=FLAGS, small=False) for a, b in KINDS),
    *(line("Cholesky", lambda a: tf.linalg.cholesky(positive_matrix(a)),
           lambda a: np.linalg.cholesky(np_positive(a)), a, shapes=SQUARE, small=False)
      for a in REGULAR),
    *(line("[cholesky_solve]", tf.linalg.cholesky_solve,
           lambda a, b: np.linalg.solve(np.tril(a) @ np_adjoint(np.tril(a)), b), a, b,
           shapes=SYSTEMS, small=False) for a, b in KINDS),
    *(line("BandedTriangularSolve", tf.linalg.banded_triangular_solve, np_banded_solve, a, b,
           shapes=[[(2, 3), (3, 2)], [(2, 2, 4), (2, 4, 1)]], attrs=FLAGS, small=False)
      for a, b in ((banded, anywhere),
                   (lambda r, s: banded(r, s) + 0.5j * banded(r, s), complexes))),
    line("MatrixToBands", internal("MatrixToBands"), np_to_bands, shapes=[[(3, 3)], [(2, 3, 3)]],
         attrs=[{"count": 2, "lower": low} for low in (True, False)], complex=True),
    line("MatrixFromBands", internal("MatrixFromBands"), np_from_bands, shapes=[[(2, 3)]],
         attrs=[{"lower": True}, {"lower": False}], complex=True),
    *(line("MatrixSolve", tf.linalg.solve,
           lambda a, b, adjoint: np.linalg.solve(np_adjoint(a) if adjoint else a, b), a, b,
           shapes=SYSTEMS, attrs=[{"adjoint": False}, {"adjoint": True}], small=False)
      for a, b in KINDS),
    *(line("MatrixInverse", tf.linalg.inv,
           lambda a, adjoint: np.linalg.inv(np_adjoint(a) if adjoint else a), a, shapes=SQUARE,
           attrs=[{"adjoint": False}, {"adjoint": True}], small=False) for a in REGULAR),
    *(line("PseudoInverse", tf.linalg.pinv, np_pinv, a, shapes=[[(3, 2)], [(2, 2, 3)], [(2, 2)]],
           small=False) for a in REGULAR),
    *(line("MatrixSolveLs", partial(tf.linalg.lstsq, fast=False),
           lambda a, b: np.linalg.pinv(a) @ b, a, b, shapes=[[(3, 2), (3, 2)],
           [(2, 2, 3), (2, 2, 1)], [(2, 2), (2, 1)]], small=False) for a, b in KINDS),
    *(line("[lstsq]", tf.linalg.lstsq, np_ridge, a, b, shapes=[[(3, 2), (3, 2)],
           [(2, 2, 3), (2, 2, 1)]], attrs=[{}, {"l2_regularizer": 0.3}], small=False)
      for a, b in KINDS),
    *(line("MatrixDeterminant", tf.linalg.det, np.linalg.det, a, shapes=SQUARE, small=False)
      for a in REGULAR),
    *(line("Adjugate", internal("Adjugate"), np_adjugate, a, shapes=SQUARE, small=False)
      for a in REGULAR),
    *(line("LogMatrixDeterminant", tf.linalg.slogdet, lambda a: list(np.linalg.slogdet(a)), a,
           shapes=SQUARE, small=False) for a in REGULAR),
    *(line("[logdet]", lambda a: tf.linalg.logdet(positive_matrix(a)),
           lambda a: np.linalg.slogdet(np_positive(a))[1], a, shapes=SQUARE, small=False)
      for a in REGULAR),
]  # fmt: skip

EXACT: Sequence[dict[str, Any]] = [{}, {"degenerate": "exact"}]
TALL: Sequence[Sequence[Dims]] = [[(3, 2)], [(2, 2, 3)], [(3, 3)], [(4, 2)]]
SPECTRA = [
    *(line("SelfAdjointEigV2", eigh_parts, np_eigh_parts, a, shapes=[[(3, 3)], [(2, 2, 2)]],
           small=False) for a in GRADED),
    line("SelfAdjointEigV2", tf.linalg.eigh, lambda a: list(np.linalg.eigh(a)), graded,
         shapes=[[(3, 3)]], small=False),
    *(line("SelfAdjointEigV2", tf.linalg.eigvalsh,
           lambda a, degenerate="": np.linalg.eigvalsh(a), a, shapes=SQUARE,
           attrs=EXACT, small=False) for a in GRADED),
    *(line("[eigh]", lambda a, d="exact": eigh_parts(a, degenerate=d)[:2],
           lambda a: np_eigh_parts(a)[:2], a, shapes=[[(3, 3)]], small=False) for a in GRADED),
    *(line("Eig", eig_parts, np_eig_parts, a, shapes=[[(3, 3)], [(2, 2, 2)]], small=False)
      for a in GRADED),
    *(line("[eigvals]", lambda a: tf.reduce_sum(tf.sin(tf.linalg.eigvals(a)), -1),
           lambda a: np.sum(np.sin(np.linalg.eigvals(a).astype(complex)), -1), a, shapes=SQUARE[:2],
           small=False) for a in GRADED),
    *(line("Svd", svd_parts, np_svd_parts, a, shapes=TALL, attrs=[{}, {"full_matrices": True}],
           small=False) for a in STRETCHED),
    *(line("[svd]", partial(svd_parts, degenerate="exact"), np_svd_parts, a, shapes=TALL[:2],
           small=False) for a in STRETCHED),
    *(line("Svd", partial(tf.linalg.svd, compute_uv=False),
           lambda a, degenerate="": np.linalg.svd(a, compute_uv=False), a, shapes=TALL,
           attrs=EXACT, small=False) for a in STRETCHED),
    line("EigenvalueQuotient", internal("EigenvalueQuotient"), np_quotient, anywhere, rising,
         anywhere, shapes=[[(3, 3), (3,), ()], [(2, 2, 2), (2, 2), (2,)]], fixed=(2,),
         attrs=[QUOTIENT]),
    line("AlikeCotangents", internal("AlikeCotangents"), lambda g, e, what: g, anywhere, rising,
         shapes=[[(3,), (3,)]], fixed=(1,), attrs=[{"what": "eigenvalues"}]),
    line("LargestElement", internal("LargestElement"),
         lambda a, b: np.maximum(np.abs(a).max((-1, -2)), np.abs(b).max((-1, -2))), anywhere,
         anywhere, shapes=[[(2, 3), (3, 2)], [(2, 2, 2), (2, 2, 1)]], constant=True),
    line("[matrix_rank]", tf.linalg.matrix_rank, np.linalg.matrix_rank, regular,
         shapes=[[(3, 2)], [(2, 2, 2)]], constant=True, small=False),
]  # fmt: skip

FACTORS = [
    *(line("Qr", qr_parts, np_qr_parts, a, shapes=TALL, small=False,
           attrs=[{}, {"full_matrices": True}]) for a in REGULAR),
    *(line("Lu", tf.linalg.lu, np_lu, a, shapes=SQUARE, small=False)
      for a in (*REGULAR, lambda r, s: np.flip(regular(r, s), -2))),
    line("PermuteRows", internal("PermuteRows"),
         lambda x, p: np.take_along_axis(x, p[..., None], -2), anywhere, permutations,
         shapes=[[(3, 2), (3,)], [(2, 3, 1), (2, 3)]], complex=True),
    *(line("[lu_reconstruct]", lambda a: tf.linalg.lu_reconstruct(*tf.linalg.lu(a)), np.copy, a,
           shapes=SQUARE, small=False) for a in REGULAR),
    *(line("[lu_solve]", lambda a, b: tf.linalg.lu_solve(*tf.linalg.lu(a), b), np.linalg.solve,
           lambda r, s, a=a: np.flip(a(r, s), -2), b, shapes=SYSTEMS, small=False)  # type: ignore[misc]
      for a, b in KINDS),
    *(line("[lu_matrix_inverse]", lambda a: tf.linalg.lu_matrix_inverse(*tf.linalg.lu(a)),
           np.linalg.inv, a, shapes=SQUARE, small=False) for a in REGULAR),
    *(line("MatrixExponential", tf.linalg.expm, scipy.linalg.expm, a, shapes=SQUARE, small=False)
      for a in (lambda r, s: 0.5 * regular(r, s), lambda r, s: 0.5 * regular_complex(r, s))),
    *(line("MatrixSquareRoot", tf.linalg.sqrtm, lambda a: np_each(np_root, a), a,
           shapes=SQUARE, small=False) for a in REGULAR),
    *(line("SolveSylvester", internal("SolveSylvester"),
           lambda a, b, q: np_each(scipy.linalg.solve_sylvester, a, b, q), a, a, q, small=False,
           shapes=[[(3, 3), (2, 2), (3, 2)], [(2, 2, 2), (2, 3, 3), (2, 2, 3)]])
      for a, q in KINDS),
    line("MatrixLogarithm", tf.linalg.logm, lambda a: np_each(scipy.linalg.logm, a),
         regular_complex, shapes=SQUARE, small=False),
]  # fmt: skip

THREE: Sequence[Sequence[Dims]] = [[(3, 4), (4, 2)], [(2, 3, 2), (2, 2, 1)], [(3, 1), (1, 2)]]
TRIDIAGONAL = [
    *(line("TridiagonalMatMul", tf.linalg.tridiagonal_matmul, lambda d, x: np_three(d) @ x, d, x,
           shapes=THREE) for d, x in ((few, anywhere), (few_complex, complexes))),
    *(line("TridiagonalSolve", tf.linalg.tridiagonal_solve,
           lambda d, x, **flags: np.linalg.solve(np_three(d), x), d, x, shapes=THREE,
           attrs=[{}, {"partial_pivoting": False}], small=False)
      for d, x in ((few, anywhere), (few_complex, complexes))),
    *(line("[tridiagonal_solve]",
           lambda d, x: tf.linalg.tridiagonal_solve(d, x, "matrix", transpose_rhs=True,
                                                    conjugate_rhs=True),
           lambda d, x: np.linalg.solve(np_band_part(d, 1, 1), np_adjoint(x)), d, x,
           shapes=[[(3, 3), (2, 3)]], small=False) for d, x in KINDS),
    line("[tridiagonal_solve]",
         lambda a, b, c, x: tf.linalg.tridiagonal_solve((a, b, c), x, "sequence"),
         lambda a, b, c, x: np.linalg.solve(np.diag(a, 1) + np.diag(b) + np.diag(c[1:], -1), x),
         anywhere, rising, anywhere, anywhere, shapes=[[(2,), (3,), (3,), (3,)]], small=False),
    line("[eigh_tridiagonal]", lambda a, b: tf.linalg.eigh_tridiagonal(a, b),
         lambda a, b: np_each(lambda m, n: scipy.linalg.eigvalsh_tridiagonal(m[0], n[0]),
                              a[..., None, :], b[..., None, :]), rising, anywhere,
         shapes=[[(4,), (3,)], [(2, 2), (2, 1)]], small=False),
    line("[eigh_tridiagonal]", partial(tf.linalg.eigh_tridiagonal, eigvals_only=False),
         lambda a, b: [*np.linalg.eigh(np.diag(a) + np.diag(b, -1))], rising, anywhere,
         shapes=[[(3,), (2,)]], small=False),
    line("[eigh_tridiagonal]",
         lambda a, b: tf.linalg.eigh_tridiagonal(a, b, select="i", select_range=(1, 2)),
         lambda a, b: scipy.linalg.eigvalsh_tridiagonal(a, b)[1:3], rising, anywhere,
         shapes=[[(4,), (3,)]], small=False),
    line("[norm]", lambda x, **where: tf.norm(x, ord=2, **where),
         lambda x, axis, keepdims=False: np.linalg.norm(x, 2, axis, keepdims), stretched,
         shapes=[[(3, 2)]], attrs=[{"axis": (0, 1)}, {"axis": (1, 0), "keepdims": True}],
         small=False),
    line("[normalize]", lambda x, **how: tf.linalg.normalize(x, **how),
         lambda x, ord=2, axis=None: [x / (n := np.linalg.norm(x if axis is not None else x.ravel(),
                                           ord, axis, keepdims=True).reshape(
                                               (1, 1) if axis is None else (2, 1))), n],
         shapes=[[(2, 3)]], attrs=[{}, {"axis": 1}, {"ord": 1, "axis": 1}], complex=True),
    line("[l2_normalize]", tf.linalg.l2_normalize,
         lambda x, axis=None: x / np.sqrt(np.sum(np.abs(x) ** 2, axis=axis, keepdims=True)),
         shapes=[[(2, 3)]], attrs=[{}, {"axis": 1}, {"axis": (0, 1)}], complex=True),
]  # fmt: skip

LINES: Sequence[Line] = [*DIAGONALS, *SYSTEMS_LINES, *SPECTRA, *FACTORS, *TRIDIAGONAL]
