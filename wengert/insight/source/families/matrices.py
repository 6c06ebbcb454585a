"""Linear algebra: NumPy's, LAPACK's by SciPy, and diagonals."""

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


# ---- diagonals --------------------------------------------------------------------------------


def _only_diagonal(band: Any, align: str) -> int:
    """Which diagonal, if it is one."""
    if band[0] != band[1]:
        raise NotWritableError("several diagonals")
    return int(band[0])


def _as_diagonal(
    x: Symbol, *, band: Any, rows: int, columns: int, padding: Any, align: str
) -> Text:
    named = {} if not padding else {"padding": padding}
    shape = (*x.shape[:-1], int(rows), int(columns))
    diagonal = _only_diagonal(band, align)
    return call("_as_diagonal", x.text, shape, diagonal, **named)


def _diagonal(x: Symbol, *, band: Any, padding: Any, align: str) -> Text:
    offset = {"offset": k} if (k := _only_diagonal(band, align)) else {}
    return call("np.diagonal", x.text, **offset, axis1=-2, axis2=-1)


def _with_diagonal(x: Symbol, d: Symbol, *, band: Any, align: str) -> Text:
    return call("_with_diagonal", x.text, d.text, _only_diagonal(band, align))


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
    "MatrixDiagV3": _as_diagonal,
    "MatrixDiagPartV3": _diagonal,
    "MatrixSetDiagV3": _with_diagonal,
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
    det = np.linalg.det(a)
    if np.all(np.abs(det) > 1e-4 * np.prod(np.linalg.norm(a, axis=-1), axis=-1)):
        return det[..., None, None] * np.linalg.inv(a)
    u, s, vh = np.linalg.svd(a)
    others = np.where(np.eye(s.shape[-1], dtype=bool), 1.0, s[..., None, :]).prod(-1)
    turn = np.linalg.det(u) * np.linalg.det(vh)
    rest = (turn[..., None] * others)[..., None] * np.conj(np.swapaxes(u, -1, -2))
    return (np.conj(np.swapaxes(vh, -1, -2)) @ rest).astype(a.dtype)
""",
    "_as_diagonal": """
def _as_diagonal(x, shape, offset, padding=0):
    y = np.full(shape, padding, x.dtype)
    at = np.arange(x.shape[-1])
    y[..., at - min(offset, 0), at + max(offset, 0)] = x
    return y
""",
    "_with_diagonal": """
def _with_diagonal(x, diagonal, offset):
    y = x.copy()
    at = np.arange(diagonal.shape[-1])
    y[..., at - min(offset, 0), at + max(offset, 0)] = diagonal
    return y
""",
    "_tridiagonal_product": """
def _tridiagonal_product(d, x):
    y = d[..., 1, :, None] * x
    y[..., :-1, :] += d[..., 0, :-1, None] * x[..., 1:, :]
    y[..., 1:, :] += d[..., 2, 1:, None] * x[..., :-1, :]
    return y
""",
}
