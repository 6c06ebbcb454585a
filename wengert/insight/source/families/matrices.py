"""Linear algebra: NumPy's, SciPy's, and systems solved row by row."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.insight.source.kernels import NotWritableError, Symbol
from wengert.insight.source.text import Text, call, listed, method

ADJOINT: Final = (-1, -2)


def _triangular_solve(a: Symbol, b: Symbol, *, lower: bool, adjoint: bool) -> Text:
    given, low = (_adjoint(a), not lower) if adjoint else (a.text, lower)
    return call("_substituted", given, b.text, low)


def _adjoint(a: Symbol) -> Text:
    text = call("np.conj", a.text) if a.dtype.kind == "c" else a.text
    return call("np.swapaxes", text, *ADJOINT)


def _svd(a: Symbol, *, full_matrices: bool, compute_uv: bool, degenerate: str) -> Text:
    if not compute_uv:
        return listed([call("np.linalg.svd", a.text, compute_uv=False)])
    return call("_svd", a.text, full_matrices)


def _eigh(a: Symbol, *, compute_v: bool, degenerate: str) -> Text:
    if not compute_v:
        return listed([call("np.linalg.eigvalsh", a.text)])
    return call("np.linalg.eigh", a.text)


def _eig(a: Symbol, *, compute_v: bool) -> Text:
    kind = np.dtype(np.result_type(a.dtype, np.complex64))
    return (
        call("_eig", a.text, kind)
        if compute_v
        else listed([method(call("np.linalg.eigvals", a.text), "astype", kind)])
    )


def _qr(a: Symbol, *, full_matrices: bool) -> Text:
    return call("np.linalg.qr", a.text, "complete" if full_matrices else "reduced")


def _lu(a: Symbol, *, index_type: Any) -> Text:
    if not a.size:
        raise NotWritableError("Lu of nothing")
    return call("_eliminated", a.text, np.dtype(index_type.as_numpy_dtype))


def _banded_solve(bands: Symbol, b: Symbol, *, lower: bool, adjoint: bool) -> Text:
    whole = Symbol(call("_banded", bands.text, lower), bands.dtype, bands.shape)
    return _triangular_solve(whole, b, lower=lower, adjoint=adjoint)


def _tridiagonal_solve(
    d: Symbol, b: Symbol, *, partial_pivoting: bool, perturb_singular: bool
) -> Text:
    if perturb_singular or d.dtype.kind not in "fc":
        raise NotWritableError("TridiagonalSolve")
    return call(
        "_tridiagonal_solved", d.text, b.text, **({} if partial_pivoting else {"pivots": False})
    )


def _quotient(p: Symbol, e: Symbol, size: Symbol, *, both: bool, what: str) -> Text:
    return call("_over_gaps", p.text, e.text)


def _pseudo_inverse(a: Symbol, limit: Symbol) -> Text:
    return call("_pseudo_inverse", a.text, limit.text)


TEMPLATES: Final = {
    "MatrixTriangularSolve": _triangular_solve,
    "Svd": _svd,
    "SelfAdjointEigV2": _eigh,
    "Eig": _eig,
    "Qr": _qr,
    "Lu": _lu,
    "LogMatrixDeterminant": lambda a: call("np.linalg.slogdet", a.text),
    "MatrixExponential": lambda a: call("scipy.linalg.expm", a.text),
    "Adjugate": lambda a: call("_adjugate", a.text),
    "BandedTriangularSolve": _banded_solve,
    "TridiagonalSolve": _tridiagonal_solve,
    "EigenvalueQuotient": _quotient,
    "AlikeCotangents": lambda g, e, *, what: g.text,
    "MatrixSolveLs": lambda a, b: call("_least_squares", a.text, b.text),
    "SolveSylvester": lambda a, b, q: call("_sylvester", a.text, b.text, q.text),
    "MatrixSquareRoot": lambda a: call("_square_root", a.text),
    "PseudoInverse": _pseudo_inverse,
    "TridiagonalMatMul": lambda d, x: call("_tridiagonal_product", d.text, x.text),
    "LargestElement": lambda *xs: _largest([x.text for x in xs]),
    "Diag": lambda x: method(call("np.diag", call("np.ravel", x.text)), "reshape", x.shape * 2),
    "DiagPart": lambda x: method(
        call("np.diag", method(x.text, "reshape", *_square(x))), "reshape", x.shape[: x.ndim // 2]
    ),
}


def _largest(texts: list[Text]) -> Text:
    parts = [call("np.max", call("np.abs", t), axis=ADJOINT, initial=0.0) for t in texts]
    return parts[0] if len(parts) == 1 else call("np.maximum.reduce", listed(parts))


def _square(x: Symbol) -> tuple[int, int]:
    size = int(np.prod(x.shape[: x.ndim // 2]))
    return size, size


HELPERS: Final = {
    "_substituted": """
def _substituted(a, b, lower):
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.array(np.broadcast_to(b, (*shape, *b.shape[-2:])))
    rows = range(x.shape[-2])
    for i in rows if lower else reversed(rows):
        known = slice(0, i) if lower else slice(i + 1, None)
        x[..., i, :] -= (a[..., i, None, known] @ x[..., known, :])[..., 0, :]
        x[..., i, :] /= a[..., i, i, None]
    return x
""",
    "_svd": """
def _svd(a, full_matrices):
    u, s, vh = np.linalg.svd(a, full_matrices=full_matrices)
    return s, u, np.conj(np.swapaxes(vh, -1, -2))
""",
    "_eig": """
def _eig(a, dtype):
    return [x.astype(dtype) for x in np.linalg.eig(a)]
""",
    "_eliminated": """
def _eliminated(a, dtype):
    lu = a.reshape(-1, *a.shape[-2:]).copy()
    order = np.tile(np.arange(lu.shape[-1], dtype=dtype), (len(lu), 1))
    each = np.arange(len(lu))
    for k in range(lu.shape[-1]):
        below = lu[:, k:, k]
        pivot = k + np.argmax(np.abs(below.real) + np.abs(below.imag), axis=-1)
        for x in (lu, order):
            x[each, pivot], x[:, k] = x[:, k].copy(), x[each, pivot]
        lu[:, k + 1 :, k] /= lu[:, k, k, None]
        lu[:, k + 1 :, k + 1 :] -= lu[:, k + 1 :, k, None] * lu[:, None, k, k + 1 :]
    return lu.reshape(a.shape), order.reshape(a.shape[:-1])
""",
    "_adjugate": """
def _adjugate(a):
    if a.shape[-1] == 1:
        return np.ones_like(a)
    if a.shape[-1] == 2:
        (p, q), (r, s) = np.moveaxis(a, (-2, -1), (0, 1))
        return np.stack([np.stack([s, -q], -1), np.stack([-r, p], -1)], -2)
    if a.shape[-1] == 3:
        p, q, r = np.moveaxis(a, -1, 0)
        return np.stack([np.cross(q, r), np.cross(r, p), np.cross(p, q)], -2)
    det = np.linalg.det(a)
    if np.all(np.abs(det) > 1e-4 * np.prod(np.linalg.norm(a, axis=-1), axis=-1)):
        return det[..., None, None] * np.linalg.inv(a)
    u, s, vh = np.linalg.svd(a)
    others = np.where(np.eye(s.shape[-1], dtype=bool), 1.0, s[..., None, :]).prod(-1)
    turn = np.linalg.det(u) * np.linalg.det(vh)
    rest = (turn[..., None] * others)[..., None] * np.conj(np.swapaxes(u, -1, -2))
    return (np.conj(np.swapaxes(vh, -1, -2)) @ rest).astype(a.dtype)
""",
    "_tridiagonal_product": """
def _tridiagonal_product(d, x):
    y = d[..., 1, :, None] * x
    y[..., :-1, :] += d[..., 0, :-1, None] * x[..., 1:, :]
    y[..., 1:, :] += d[..., 2, 1:, None] * x[..., :-1, :]
    return y
""",
    "_tridiagonal_solved": """
def _tridiagonal_solved(d, b, pivots=True):
    above, main, below = (d[..., k, :, None] for k in range(3))
    now = main[..., 0, :], above[..., 0, :], 0 * main[..., 0, :], b[..., 0, :]
    rows, size = [], b.shape[-2]
    for i in range(1, size):
        end = above[..., i, :] if i < size - 1 else 0 * above[..., i, :]
        after = below[..., i, :], main[..., i, :], end, b[..., i, :]
        swap = pivots & (np.abs(now[0]) < np.abs(after[0]))
        first, other = (
            [np.where(s, q, p) for p, q in zip(now, after)] for s in (swap, ~swap)
        )
        rows.append(first)
        ratio = other[0] / first[0]
        now = (
            other[1] - ratio * first[1],
            other[2] - ratio * first[2],
            0 * other[0],
            other[3] - ratio * first[3],
        )
    x, later, last = np.zeros_like(b), 0, 0
    for i, (pivot, one, two, side) in reversed([*enumerate([*rows, now])]):
        x[..., i, :] = (side - one * later - two * last) / pivot
        later, last = x[..., i, :], later
    return x
""",
    "_over_gaps": """
def _over_gaps(p, e):
    e = np.real(e)
    near = 10 * e.shape[-1] * np.finfo(e.dtype).eps * np.max(np.abs(e), axis=-1)
    gap = e[..., None, :] - e[..., :, None]
    same = np.abs(gap) <= near[..., None, None]
    same |= np.eye(e.shape[-1], dtype=bool)
    return np.where(same, 0.0, p / np.where(same, 1.0, gap)).astype(p.dtype)
""",
    "_least_squares": """
def _least_squares(a, b):
    y = np.zeros((*a.shape[:-2], a.shape[-1], b.shape[-1]), b.dtype)
    for i in np.ndindex(*a.shape[:-2]):
        y[i] = np.linalg.lstsq(a[i], b[i])[0]
    return y
""",
    "_sylvester": """
def _sylvester(a, b, q):
    x = np.zeros_like(q)
    for i in np.ndindex(*q.shape[:-2]):
        x[i] = scipy.linalg.solve_sylvester(a[i], b[i], q[i])
    return x
""",
    "_square_root": """
def _square_root(a):
    y = np.zeros_like(a)
    for i in np.ndindex(*a.shape[:-2]):
        root = scipy.linalg.sqrtm(a[i])
        is_real = np.allclose(root.imag, 0) or np.iscomplexobj(a)
        y[i] = (root if np.iscomplexobj(a) else root.real) if is_real else np.nan
    return y
""",
    "_pseudo_inverse": """
def _pseudo_inverse(a, limit):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    kept = s > np.asarray(limit)[..., None] * np.max(s, axis=-1, keepdims=True)
    inverse = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0).astype(s.dtype)
    turned = np.conj(np.swapaxes(u, -1, -2))
    return np.conj(np.swapaxes(vh, -1, -2)) @ (inverse[..., None] * turned)
""",
}
