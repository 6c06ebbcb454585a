"""np.linalg on tensors, with NumPy's arguments and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.api.numpy.elementwise import abs
from wengert.api.numpy.products import dot, matmul
from wengert.api.numpy.promotion import as_tensor, in_floats, promoted_floats
from wengert.api.numpy.reductions import max, min, sum
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import shaping
from wengert.ops.linalg import (
    determinants,
    diagonals,
    eigen,
    matrices,
    norms,
    qr_lu,
    solving,
    triangular,
)
from wengert.ops.linalg import (
    svd as singular_values,
)
from wengert.ops.math.complex import real
from wengert.ops.math.elementwise import cast, ones_like
from wengert.ops.reductions.reductions import normal_axes
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric


class Eig(NamedTuple):
    """Eigenvalues, and eigenvectors in columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QR(NamedTuple):
    """An orthogonal matrix and a triangular one, whose product is the matrix."""

    Q: Tensor
    R: Tensor


class Slogdet(NamedTuple):
    """The sign of a determinant, and the logarithm of its size."""

    sign: Tensor
    logabsdet: Tensor


class SVD(NamedTuple):
    """The factors of a singular value decomposition: U diag(S) Vh is the matrix."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def _of_matrix(function: Callable[[Tensor], Any]) -> Callable[[Any], Any]:
    return deferrable(lambda a: function(in_floats(a)))


inv = _of_matrix(solving.inv)
det = _of_matrix(determinants.det)
slogdet = _of_matrix(lambda a: Slogdet(*determinants.slogdet(a)))
eig = _of_matrix(lambda a: Eig(*eigen.eig(a)))
eigvals = _of_matrix(eigen.eigvals)
svdvals = _of_matrix(lambda x: singular_values.svd(x, compute_uv=False))
matrix_transpose = _of_matrix(matrices.transpose_last)


def _lower(a: Any, triangle: str) -> Tensor:
    """The matrix such that its lower triangle is the one that is read."""
    if triangle not in ("L", "U"):
        raise ValueError(f"UPLO argument must be 'L' or 'U', not {triangle!r}.")
    tensor = in_floats(a)
    return tensor if triangle == "L" else matrices.adjoint(tensor)


@deferrable
def eigh(a: Numeric, UPLO: str = "L") -> Eig:
    values, vectors = eigen.eigh(_lower(a, UPLO))
    return Eig(real(values), vectors)


@deferrable
def eigvalsh(a: Numeric, UPLO: str = "L") -> Tensor:
    return real(eigen.eigvalsh(_lower(a, UPLO)))


@deferrable
def cholesky(a: Numeric, upper: bool = False) -> Tensor:
    found = triangular.cholesky(_lower(a, "U" if upper else "L"))
    return matrices.adjoint(found) if upper else found


@deferrable
def svd(a: Numeric, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    tensor = in_floats(a)
    if not compute_uv:
        return singular_values.svd(tensor, compute_uv=False)
    s, u, v = singular_values.svd(tensor, full_matrices)
    return SVD(u, s, matrices.adjoint(v))


@deferrable
def qr(a: Numeric, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"Unrecognized mode {mode!r}: there are reduced, complete and r.")
    found = qr_lu.qr(in_floats(a), full_matrices=mode == "complete")
    return found.r if mode == "r" else QR(found.q, found.r)


@deferrable
def solve(a: Numeric, b: Numeric) -> Tensor:
    matrix, sides = promoted_floats(a, b)
    is_vector = len(dims(sides)) == 1
    columns = shaping.expand_dims(sides, -1) if is_vector else sides
    batch = np.broadcast_shapes(dims(matrix)[:-2], dims(columns)[:-2])
    matrix, columns = (
        x if dims(x)[:-2] == batch else shaping.broadcast_to(x, batch + dims(x)[-2:])
        for x in (matrix, columns)
    )
    found = solving.solve(matrix, columns)
    return shaping.squeeze(found, -1) if is_vector else found


@deferrable
def pinv(a: Numeric, rcond: Any = None) -> Tensor:
    return solving.pinv(in_floats(a), rcond)


@deferrable
def matrix_power(a: Numeric, n: int) -> Tensor:
    """Squares of squares."""
    tensor = in_floats(a)
    if n == 0:
        return shaping.broadcast_to(_identity_like(tensor), dims(tensor))
    if n < 0:
        return matrix_power(solving.inv(tensor), -n)
    half = matrix_power(tensor, n // 2) if n > 1 else None
    squared = None if half is None else matmul(half, half)
    if squared is None:
        return tensor
    return matmul(squared, tensor) if n % 2 else squared


def _identity_like(x: Tensor) -> Tensor:
    size = dims(x)[-1]
    return cast(ones_like(x)[..., :1, :1] * np.eye(size, dtype=x.dtype.numpy_dtype), x.dtype)


@deferrable
def multi_dot(arrays: Sequence[Any]) -> Tensor:
    found = arrays[0]
    for array in arrays[1:]:
        found = dot(found, array)
    return found  # type: ignore[no-any-return]


_EXTREMES: Final[dict[Any, Callable[..., Tensor]]] = {np.inf: max, -np.inf: min}


@deferrable
def norm(x: Numeric, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    tensor = in_floats(x)
    rank = len(dims(tensor))
    if ord is None and axis is None:
        flat = real(norms.norm(shaping.reshape(tensor, (-1,))))
        return shaping.reshape(flat, (1,) * rank) if keepdims else flat
    along = tuple(range(rank)) if axis is None else axis
    along = along if isinstance(along, (tuple, list)) else (along,)
    if len(along) == 1:
        return _of_vectors(tensor, 2 if ord is None else ord, along[0], keepdims)
    if len(along) != 2:
        raise ValueError("Improper number of dimensions to norm: axis is one number or a pair.")
    return _of_matrices(tensor, "fro" if ord is None else ord, along, keepdims)


def _of_vectors(x: Tensor, ord: Any, axis: int, keepdims: bool) -> Tensor:
    size = abs(x)
    if ord in _EXTREMES:
        return _EXTREMES[ord](size, axis, keepdims=keepdims)
    if ord == 0:
        return sum(cast(size != 0, size.dtype), axis, keepdims=keepdims)
    if ord == 2:
        return cast(norms.norm(x, 2, axis, keepdims), size.dtype)
    if ord == 1:
        return sum(size, axis, keepdims=keepdims)
    total: Tensor = sum(size**ord, axis, keepdims=keepdims) ** (1.0 / ord)
    return total


_OF_VALUES: Final[dict[Any, Callable[..., Tensor]]] = {2: max, -2: min, "nuc": sum}


def _of_matrices(x: Tensor, ord: Any, axes: Any, keepdims: bool) -> Tensor:
    rank = len(dims(x))
    rows, columns = (axis % rank for axis in axes)
    if ord == "fro":
        return cast(norms.norm(x, "fro", (rows, columns), keepdims), abs(x).dtype)
    rest = [axis for axis in range(rank) if axis not in (rows, columns)]
    moved = shaping.transpose(x, [*rest, rows, columns])
    if ord in _OF_VALUES:
        values = singular_values.svd(moved, compute_uv=False)
        found = _OF_VALUES[ord](values, -1)
    elif ord in (1, -1, np.inf, -np.inf):
        sums = sum(abs(moved), -2 if ord in (1, -1) else -1)
        found = (max if ord > 0 else min)(sums, -1)
    else:
        raise ValueError(f"Invalid norm order {ord!r} for matrices.")
    kept = [1 if axis in (rows, columns) else dims(x)[axis] for axis in range(rank)]
    return shaping.reshape(found, kept) if keepdims else found


# ---- least squares, and systems of tensors ------------------------------------------------------


class LeastSquares(NamedTuple):
    """The solution, its squared errors (none unless it is unique), the rank and the singular values."""

    x: Tensor
    residuals: Tensor
    rank: Any
    s: Tensor


@deferrable
def lstsq(a: Numeric, b: Numeric, rcond: float | None = None) -> LeastSquares:
    matrix, sides = promoted_floats(a, b)
    is_one = len(dims(sides)) == 1
    right = shaping.expand_dims(sides, -1) if is_one else sides
    rows, columns = dims(matrix)
    least = _share(rcond, rows, columns, matrix)
    found = matmul(pinv(matrix, least), right)
    sizes = singular_values.svd(matrix, compute_uv=False)
    rank = sum(cast(sizes > least * max(sizes), "int32"))
    errors = sum(abs(matmul(matrix, found) - right) ** 2, 0)
    if rows <= columns:
        errors = errors[:0]
    return LeastSquares(shaping.squeeze(found, -1) if is_one else found, errors, rank, sizes)


def _share(rcond: float | None, rows: int, columns: int, like: Tensor) -> float:
    """Of the largest singular value, below which one counts as zero."""
    if rcond is not None and rcond >= 0:
        return float(rcond)
    widest = rows if rows > columns else columns
    return float(np.finfo(like.dtype.numpy_dtype).eps) * (1 if rcond is not None else widest)


@deferrable
def cond(x: Numeric, p: Any = None) -> Tensor:
    tensor = in_floats(x)
    if p in (None, 2, -2):
        sizes = singular_values.svd(tensor, compute_uv=False)
        largest, smallest = sizes[..., 0], sizes[..., -1]
        quotient: Tensor = smallest / largest if p == -2 else largest / smallest
        return quotient
    found: Tensor = norm(tensor, p, (-2, -1)) * norm(inv(tensor), p, (-2, -1))
    return found


@deferrable
def diagonal(x: Numeric, *, offset: int = 0) -> Tensor:
    return diagonals.diag_part(as_tensor(x), k=offset)


@deferrable
def tensorinv(a: Numeric, ind: int = 2) -> Tensor:
    tensor = in_floats(a)
    shape = dims(tensor)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    size = int(np.prod(shape[:ind]))
    inverse = inv(shaping.reshape(tensor, (size, -1)))
    return shaping.reshape(inverse, (*shape[ind:], *shape[:ind]))


@deferrable
def tensorsolve(a: Numeric, b: Numeric, axes: Any = None) -> Tensor:
    tensor, sides = promoted_floats(a, b)
    rank = len(dims(tensor))
    if axes is not None:
        others = [k for k in range(rank) if k not in axes]
        tensor = shaping.transpose(tensor, [*others, *axes])
    shape = dims(tensor)[len(dims(sides)) - rank :]
    size = int(np.prod(shape))
    found = solve(shaping.reshape(tensor, (-1, size)), shaping.reshape(sides, (-1,)))
    return shaping.reshape(found, shape)


@deferrable
def matrix_norm(x: Numeric, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    found: Tensor = norm(x, ord, (-2, -1), keepdims)
    return found


@deferrable
def vector_norm(x: Numeric, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    tensor = in_floats(x)
    rank = len(dims(tensor))
    along = normal_axes(axis, rank, "VectorNorm")
    others = [k for k in range(rank) if k not in along]
    lines = shaping.transpose(tensor, [*others, *along])
    flat = shaping.reshape(lines, (*dims(lines)[: len(others)], -1))
    found: Tensor = norm(flat, ord, -1)
    if not keepdims:
        return found
    kept = [1 if k in along else n for k, n in enumerate(dims(tensor))]
    return shaping.reshape(found, kept)
