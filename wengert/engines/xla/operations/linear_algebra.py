"""Decompositions and systems: XLA's own, where NumPy's is called with errors or in loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.engines.xla.asked import refuse_if
from wengert.engines.xla.backend import jnp, lax, linalg
from wengert.engines.xla.operations.helpers import wide
from wengert.engines.xla.traced import Traced, bare
from wengert.engines.xla.versions import CHECKED, helper, version
from wengert.ops.linalg import matrices, triangular

CHECKED.add("BandedTriangularSolve")


@version("MatrixTriangularSolve")
def triangular_solve(a: Any, b: Any, *, lower: bool, adjoint: bool) -> Any:
    """The solution of a triangular system."""
    kind, a, b = b.dtype, wide(jnp.asarray(a)), wide(jnp.asarray(b))
    batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (jnp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (a, b))
    found = lax.linalg.triangular_solve(
        a, b, left_side=True, lower=lower, transpose_a=adjoint, conjugate_a=adjoint
    )
    return found.astype(kind)


@helper(triangular._triangular_solve_kernel)
def _triangular(_: Any, a: Any, b: Any, *, lower: bool, adjoint: bool) -> Any:
    return Traced(triangular_solve(bare(a), bare(b), lower=lower, adjoint=adjoint))


@helper(matrices.singular_values)
def _singular_values(a: Any, **how: Any) -> Any:
    found = jnp.linalg.svd(bare(a), **how)
    return tuple(map(Traced, found)) if isinstance(found, tuple) else Traced(found)


@version("Cholesky")
def _cholesky(a: Any) -> Any:
    return lax.linalg.cholesky(wide(a), symmetrize_input=False).astype(a.dtype)


@version("SelfAdjointEigV2")
def _eigh(a: Any, *, compute_v: bool, degenerate: str) -> list[Any]:
    given = wide(a)
    values, vectors = jnp.linalg.eigh(given, symmetrize_input=False)
    refuse_if(jnp.any(jnp.isnan(values)) | jnp.any(jnp.isnan(jnp.tril(given))))
    return [part.astype(a.dtype) for part in ([values, vectors] if compute_v else [values])]


@version("Eig")
def _eig(a: Any, *, compute_v: bool) -> list[Any]:
    given = wide(a)
    refuse_if(jnp.any(~jnp.isfinite(given)))
    return list(jnp.linalg.eig(given)) if compute_v else [jnp.linalg.eigvals(given)]


@version("Lu")
def _lu(a: Any, *, index_type: Any) -> list[Any]:
    lu, _, order = lax.linalg.lu(wide(a))
    return [lu.astype(a.dtype), order.astype(index_type.as_numpy_dtype)]


@version("MatrixSolve")
def _solve(a: Any, b: Any, *, adjoint: bool) -> Any:
    given = wide(jnp.asarray(a))
    lu = lax.linalg.lu(given)[0]
    refuse_if(jnp.any(jnp.diagonal(lu, axis1=-2, axis2=-1) == 0))
    flipped = jnp.conj(jnp.swapaxes(given, -1, -2)) if adjoint else given
    return jnp.linalg.solve(flipped, wide(jnp.asarray(b))).astype(b.dtype)


@version("MatrixInverse")
def _inverse(a: Any, *, adjoint: bool) -> Any:
    size = a.shape[-1]
    eye = np.broadcast_to(np.eye(size, dtype=wide(a).dtype), (*a.shape[:-2], size, size))
    return _solve(a, eye, adjoint=adjoint).astype(a.dtype)


@version("MatrixSolveLs")
def _least_squares(a: Any, b: Any, **_: Any) -> Any:
    given, sides = wide(a), wide(b)
    u, s, vh = jnp.linalg.svd(given, full_matrices=False)
    limit = np.finfo(s.dtype).eps * max(given.shape[-2:]) * jnp.max(s, -1, keepdims=True, initial=0)
    kept = s > limit
    weights = jnp.where(kept, 1 / jnp.where(kept, s, 1), 0).astype(s.dtype)
    seen = jnp.conj(jnp.swapaxes(u, -1, -2)) @ sides
    return (jnp.conj(jnp.swapaxes(vh, -1, -2)) @ (weights[..., None] * seen)).astype(b.dtype)


@version("Adjugate")
def _adjugate(a: Any) -> Any:
    """Of singular values, which also serves matrices without an inverse."""
    u, s, vh = jnp.linalg.svd(wide(a), full_matrices=False)
    others = jnp.where(np.eye(s.shape[-1], dtype=bool), 1.0, s[..., None, :]).prod(-1)
    turn = jnp.linalg.det(u) * jnp.linalg.det(vh)
    rest = (turn[..., None] * others)[..., None] * jnp.conj(jnp.swapaxes(u, -1, -2))
    return (jnp.conj(jnp.swapaxes(vh, -1, -2)) @ rest).astype(a.dtype)


@version("MatrixExponential")
def _exponential(a: Any) -> Any:
    return a if not a.size else linalg.expm(wide(a)).astype(a.dtype)


@version("TridiagonalSolve")
def _tridiagonal_solve(d: Any, b: Any, **_: Any) -> Any:
    """Row i: above[i] couples it with the next one, below[i] with the one before."""
    above, main, below = (wide(jnp.asarray(d))[..., k, :] for k in range(3))
    size = main.shape[-1]
    first, last = np.arange(size) == 0, np.arange(size) == size - 1
    below, above = jnp.where(first, 0, below), jnp.where(last, 0, above)
    sides = wide(jnp.asarray(b)) + jnp.zeros((*main.shape[-1:], 1), main.dtype)
    return lax.linalg.tridiagonal_solve(below, main, above, sides).astype(b.dtype)


@version("SolveSylvester")
def _sylvester(a: Any, b: Any, q: Any) -> Any:
    """As one system for all elements: XLA has a Schur form on processors alone."""
    rows, columns = (np.eye(n, dtype=q.dtype) for n in q.shape[-2:])
    left = jnp.einsum("...ij,kl->...ikjl", wide(a), columns)
    right = jnp.einsum("ij,...lk->...ikjl", rows, wide(b))
    size = q.shape[-2] * q.shape[-1]
    every = (left + right).reshape(*q.shape[:-2], size, size)
    found = jnp.linalg.solve(every, wide(q).reshape(*q.shape[:-2], size, 1))
    return found.reshape(q.shape).astype(q.dtype)


@version("MatrixSquareRoot")
def _square_root(a: Any) -> Any:
    """The principal root; NaN where it is not real though the matrix is."""
    if not a.size:
        return a
    given = wide(a)
    roots = jnp.vectorize(linalg.sqrtm, signature="(n,n)->(n,n)")(given)
    if given.dtype.kind != "c" and roots.dtype.kind == "c":
        size = jnp.max(jnp.abs(roots), (-2, -1), keepdims=True)
        noise = 1e3 * np.finfo(given.dtype).eps * size
        is_real = jnp.max(jnp.abs(roots.imag), (-2, -1), keepdims=True) <= noise
        roots = jnp.where(is_real, roots.real, np.nan)
    return roots.astype(a.dtype)
