"""scipy.linalg: solving, factors and functions of matrices, with SciPy's arguments and results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.numpy import linalg as of_numpy
from wengert.api.numpy.elementwise import conjugate
from wengert.api.numpy.further import block
from wengert.api.numpy.products import kron
from wengert.api.numpy.promotion import as_tensor, in_complex, in_floats, promoted, promoted_floats
from wengert.api.numpy.shapes import roll
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import gathering, shaping
from wengert.ops.arrays.creation import eye, zeros
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.slicing import reverse
from wengert.ops.linalg import matrix_functions, qr_lu, solving, triangular, tridiagonal
from wengert.ops.linalg.diagonals import band_part, diag, set_diag
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import adjoint, transpose_last
from wengert.ops.math.comparison import where
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.complex import imag, real
from wengert.ops.math.elementwise import cast, ones_like, zeros_like
from wengert.ops.reductions.reductions import reduce_max
from wengert.scipy.arguments import as_in_scipy, no_such
from wengert.values.sizes import certainly
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from collections.abc import Callable

    from wengert.api.numpy.promotion import Numeric
    from wengert.values.tensor import Tensor

det = as_in_scipy(of_numpy.det)
eig = as_in_scipy(of_numpy.eig)
eigvals = as_in_scipy(of_numpy.eigvals)
inv = as_in_scipy(of_numpy.inv)
norm = as_in_scipy(of_numpy.norm)
svdvals = as_in_scipy(of_numpy.svdvals)
expm = as_in_scipy(lambda A: matrix_functions.expm(in_floats(A)))
sqrtm = as_in_scipy(lambda A: matrix_functions.sqrtm(in_floats(A)))
solve_sylvester = as_in_scipy(lambda a, b, q: solving.solve_sylvester(*promoted_floats(a, b, q)))


def _of_sides(solution: Callable[[Tensor], Tensor], b: Tensor) -> Tensor:
    """The solution of a system for one right-hand side or for the columns of several."""
    if len(dims(b)) > 1:
        return solution(b)
    return shaping.squeeze(solution(shaping.expand_dims(b, -1)), -1)


def _read(a: Tensor, lower: bool) -> Tensor:
    """The Hermitian matrix whose one triangle is read: its lower triangle is that."""
    return a if lower else adjoint(a)


def _mirrored(a: Tensor, across: Callable[[Tensor], Tensor]) -> Tensor:
    """The matrix with such a lower triangle."""
    read = band_part(a, -1, 0)
    return set_diag(read + across(read), of_numpy.diagonal(a))


_BANDS: Final = {"diagonal": 0, "tridiagonal": 1}

# ---- systems ----------------------------------------------------------------------------------


def _assumed(a: Tensor, kind: str | None, lower: bool) -> Tensor:
    """The matrix that the elements stand for which are read of a matrix of this kind."""
    if kind in ("sym", "symmetric"):
        return _mirrored(a if lower else transpose_last(a), transpose_last)
    if kind in ("her", "hermitian"):
        return _mirrored(_read(a, lower), adjoint)
    if kind in _BANDS:
        return band_part(a, _BANDS[kind], _BANDS[kind])
    if kind not in (None, "gen", "general", "banded"):
        raise ValueError(f"{kind} is not a recognized matrix structure")
    return a


@as_in_scipy
def solve(
    a: Numeric,
    b: Numeric,
    lower: bool = False,
    *,
    assume_a: str | None = None,
    transposed: bool = False,
) -> Tensor:
    """The solution of a x = b. What is assumed of a says which of its elements are read.

    >>> from wengert.scipy.linalg import solve
    >>> solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 8.0]).numpy().tolist()
    [1.0, 2.0]
    """
    matrix, sides = promoted_floats(a, b)
    if assume_a in ("pos", "positive definite"):
        return cho_solve(cho_factor(matrix, lower), sides)  # type: ignore[no-any-return]
    if assume_a in ("lower triangular", "upper triangular"):
        is_lower = assume_a == "lower triangular"
        return solve_triangular(matrix, sides, int(transposed), is_lower)  # type: ignore[no-any-return]
    matrix = _assumed(matrix, assume_a, lower)
    matrix = transpose_last(matrix) if transposed else matrix
    return of_numpy.solve(matrix, sides)


@as_in_scipy
def solve_triangular(
    a: Numeric, b: Numeric, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False
) -> Tensor:
    """The solution of a x = b, of which one triangle is read."""
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError(f"trans is 0, 1, 2, 'N', 'T' or 'C', not {trans!r}.")
    matrix, sides = promoted_floats(a, b)
    if unit_diagonal:
        matrix = set_diag(matrix, ones_like(of_numpy.diagonal(matrix)))
    if trans in (1, "T"):
        matrix, lower = transpose_last(matrix), not lower
    is_adjoint = trans in (2, "C")
    return _of_sides(lambda b: triangular.triangular_solve(matrix, b, lower, is_adjoint), sides)


@as_in_scipy
def cholesky(a: Numeric, lower: bool = False) -> Tensor:
    """The triangular factor of a positive definite matrix: the upper one, unless the lower one is asked for."""
    factor = triangular.cholesky(_read(in_floats(a), lower))
    return factor if lower else adjoint(factor)


@as_in_scipy
def cho_factor(a: Numeric, lower: bool = False) -> tuple[Tensor, bool]:
    """The same, for `cho_solve`."""
    return cholesky(a, lower), lower


@as_in_scipy
def cho_solve(c_and_lower: tuple[Numeric, bool], b: Numeric) -> Tensor:
    """The solution of a x = b, of which the factor is known."""
    c, lower = c_and_lower
    factor, sides = promoted_floats(c, b)
    return _of_sides(lambda b: triangular.cholesky_solve(_read(factor, lower), b), sides)


@as_in_scipy
def lstsq(a: Numeric, b: Numeric, cond: float | None = None) -> of_numpy.LeastSquares:
    """The least squares solution, its squared errors, the rank and the singular values."""
    if len(dims(in_floats(a))) != 2:
        raise ValueError("lstsq takes one matrix, not a batch: tf.linalg.lstsq takes those.")
    found = of_numpy.lstsq(a, b, cond)
    is_one = len(dims(found.x)) == 1 and dims(found.residuals) == (1,)
    return found._replace(residuals=found.residuals[0]) if is_one else found


@as_in_scipy
def pinv(a: Numeric, *, rtol: float | None = None) -> Tensor:
    """The pseudoinverse."""
    return of_numpy.pinv(a, rtol)


_BAND_NEIGHBOURS: Final = (1, 1)
_FEW: Final = 10  # rows up to which SciPy, too, solves for all elements at once


@as_in_scipy
def solve_banded(l_and_u: tuple[int, int], ab: Numeric, b: Numeric) -> Tensor:
    """The solution of a x = b, where a has so many diagonals below and above its main one: the rows of ab.

    >>> from wengert.scipy.linalg import solve_banded
    >>> solve_banded((1, 0), [[2.0, 2.0, 2.0], [2.0, 2.0, 0.0]], [2.0, 4.0, 6.0]).numpy().tolist()
    [1.0, 1.0, 2.0]
    """
    below, above = l_and_u
    bands, sides = promoted_floats(ab, b)
    _check_sides(bands, sides)
    if certainly(dims(bands)[-2] != below + above + 1):
        raise ValueError(
            "invalid values for the number of lower and upper diagonals: l+u+1 "
            f"({below + above + 1}) does not equal ab.shape[0] ({dims(bands)[-2]})"
        )
    if tuple(l_and_u) == _BAND_NEIGHBOURS:
        three = stack([roll(bands[0], -1), bands[1], roll(bands[2], 1)])
        return _of_sides(lambda b: tridiagonal.tridiagonal_solve(three, b), sides)
    return of_numpy.solve(_of_bands(bands, below, above), sides)


def _check_sides(bands: Tensor, sides: Tensor) -> None:
    if len(dims(bands)) < 2:
        raise ValueError("ab has a row for each diagonal, and this one has a single axis.")
    if certainly(dims(bands)[-1] != dims(sides)[0]) and len(dims(bands)) == 2:
        raise ValueError("shapes of ab and b are not compatible.")


def _of_bands(bands: Tensor, below: int, above: int) -> Tensor:
    """The square matrix with so many diagonals on both sides of its main one."""
    if not below and not above:
        return diag(bands[..., 0, :])
    size = dims(bands)[-1]
    return diag(bands, k=(-below, above), num_rows=size, num_cols=size)


@as_in_scipy
def solveh_banded(ab: Numeric, b: Numeric, lower: bool = False) -> Tensor:
    """The same for a positive definite matrix, of which the diagonals on one side are given."""
    bands, sides = promoted_floats(ab, b)
    _check_sides(bands, sides)
    beside = dims(bands)[-2] - 1
    half = _of_bands(bands, beside, 0) if lower else adjoint(_of_bands(bands, 0, beside))
    return cho_solve(cho_factor(_mirrored(half, adjoint), True), sides)  # type: ignore[no-any-return]


@as_in_scipy
def solve_toeplitz(c_or_cr: Any, b: Numeric) -> Tensor:
    """The solution of a x = b for a matrix with constant diagonals: its first column, or that and its first row."""
    given = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr,)
    return of_numpy.solve(*promoted_floats(toeplitz(*given), b))


@as_in_scipy
def solve_continuous_lyapunov(a: Numeric, q: Numeric) -> Tensor:
    """The matrix x with a x + x a* = q."""
    matrix, side = promoted_floats(a, q)
    return solving.solve_sylvester(matrix, adjoint(matrix), side)


solve_lyapunov = solve_continuous_lyapunov


@as_in_scipy
def solve_discrete_lyapunov(a: Numeric, q: Numeric, method: str | None = None) -> Tensor:
    """The matrix x with a x a* - x + q = 0, found for all elements at once ("direct") or "bilinear"."""
    matrix, side = promoted_floats(a, q)
    size = dims(matrix)[-1]
    one = eye(size, dtype=matrix.dtype)
    if method is None:
        method = "direct" if isinstance(size, int) and size < _FEW else "bilinear"
    if method.lower() not in ("direct", "bilinear"):
        raise ValueError(f"Unknown solver {method}")
    if method.lower() == "bilinear":  # as an equation of Sylvester's, by Cayley's transform
        back = of_numpy.inv(adjoint(matrix) + one)
        turned = matmul(adjoint(matrix) - one, back)
        moved = matmul(of_numpy.solve(matrix + one, 2.0 * side), back)
        return solving.solve_sylvester(adjoint(turned), turned, -moved)
    every = eye(size * size, dtype=matrix.dtype) - kron(matrix, conjugate(matrix))
    return shaping.reshape(of_numpy.solve(every, shaping.reshape(side, (-1,))), dims(side))


# ---- factors ----------------------------------------------------------------------------------


@as_in_scipy
def eigh(
    a: Numeric, b: Numeric | None = None, *, lower: bool = True, eigvals_only: bool = False
) -> Any:
    """Eigenvalues, in ascending order, and eigenvectors of a Hermitian matrix; with b those of a x = w b x."""
    if b is None:
        matrix = _read(in_floats(a), lower)
        return of_numpy.eigvalsh(matrix) if eigvals_only else of_numpy.eigh(matrix)
    matrix, metric = (_read(x, lower) for x in promoted_floats(a, b))
    factor = triangular.cholesky(metric)
    half = triangular.triangular_solve(factor, _mirrored(matrix, adjoint))
    both = triangular.triangular_solve(factor, adjoint(half))
    if eigvals_only:
        return of_numpy.eigvalsh(both)
    found = of_numpy.eigh(both)
    return found._replace(
        eigenvectors=triangular.triangular_solve(factor, found.eigenvectors, adjoint=True)
    )


def eigvalsh(a: Numeric, b: Numeric | None = None, *, lower: bool = True, **how: Any) -> Tensor:
    """The eigenvalues alone."""
    return eigh(a, b, lower=lower, eigvals_only=True, **how)  # type: ignore[no-any-return]


@as_in_scipy
def svd(a: Numeric, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """The factors U, the singular values and Vh; the values alone if no more is asked for."""
    return of_numpy.svd(a, full_matrices, compute_uv)


@as_in_scipy
def qr(a: Numeric, *, mode: str = "full") -> Any:
    """An orthogonal matrix and a triangular one: whole, "economic", or the triangular one alone ("r")."""
    if mode not in ("full", "economic", "r"):
        raise ValueError(f"mode is full, economic or r, not {mode!r}.")
    found = of_numpy.qr(a, "reduced" if mode == "economic" else "complete")
    return (found.R,) if mode == "r" else found


@as_in_scipy
def lu(a: Numeric, permute_l: bool = False) -> Any:
    """A permutation, a lower triangular matrix with ones, and an upper one; the first two as their product if asked."""
    tensor = in_floats(a)
    rows, columns = dims(tensor)[-2:]
    if rows != columns:
        raise ValueError(f"lu takes square matrices, and this one is {rows} x {columns}.")
    packed, order = qr_lu.lu(tensor)
    lower = set_diag(band_part(packed, -1, 0), ones_like(of_numpy.diagonal(packed)))
    upper = band_part(packed, 0, -1)
    permutation = transpose_last(gathering.gather(eye(rows, dtype=tensor.dtype), order))
    return (matmul(permutation, lower), upper) if permute_l else (permutation, lower, upper)


@as_in_scipy
def polar(a: Numeric, side: str = "right") -> tuple[Tensor, Tensor]:
    """A unitary matrix, and a positive semidefinite one to its right or left, whose product is a."""
    if side not in ("right", "left"):
        raise ValueError("`side` must be either 'right' or 'left'")
    u, s, vh = of_numpy.svd(a, full_matrices=False)
    turn = vh if side == "right" else adjoint(u)
    return matmul(u, vh), matmul(adjoint(turn) * cast(s, turn.dtype)[..., None, :], turn)


# ---- functions of matrices --------------------------------------------------------------------


def _of_same_kind(found: Tensor, a: Tensor) -> Tensor:
    """The function of a real matrix is real; NaN where there is none that is."""
    if a.dtype.is_complex:
        return found
    whole, beside = real(found), imag(found)
    limit = 1e3 * np.finfo(whole.dtype.as_numpy_dtype).eps
    largest = [reduce_max(absolute(part), (-2, -1), keepdims=True) for part in (whole, beside)]
    return where(largest[1] <= limit * (1.0 + largest[0]), whole, np.nan)


@as_in_scipy
def logm(A: Numeric) -> Tensor:
    """The logarithm of a matrix; of a real matrix that has no real one, NaN.

    >>> from wengert.scipy.linalg import expm, logm
    >>> logm(expm([[0.0, 1.0], [0.0, 0.0]])).numpy().round(9).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    matrix = in_floats(A)
    return _of_same_kind(matrix_functions.logm(in_complex(matrix)), matrix)


@as_in_scipy
def coshm(A: Numeric) -> Tensor:
    """The hyperbolic cosine of a matrix."""
    matrix = in_floats(A)
    return 0.5 * (matrix_functions.expm(matrix) + matrix_functions.expm(-matrix))


@as_in_scipy
def sinhm(A: Numeric) -> Tensor:
    """The hyperbolic sine of a matrix."""
    matrix = in_floats(A)
    return 0.5 * (matrix_functions.expm(matrix) - matrix_functions.expm(-matrix))


@as_in_scipy
def cosm(A: Numeric) -> Tensor:
    """The cosine of a matrix."""
    matrix = in_floats(A)
    return _of_same_kind(coshm(1j * in_complex(matrix)), matrix)


@as_in_scipy
def sinm(A: Numeric) -> Tensor:
    """The sine of a matrix."""
    matrix = in_floats(A)
    return _of_same_kind(-1j * sinhm(1j * in_complex(matrix)), matrix)


# ---- matrices that are made of others ---------------------------------------------------------


@deferrable
def block_diag(*arrs: Numeric) -> Tensor:
    """A matrix with these along its diagonal."""
    matrices = [shaping.reshape(x, (1, -1)) if len(dims(x)) < 2 else x for x in promoted(*arrs)]
    sizes = [dims(x)[-1] for x in matrices]
    rows = [
        [x if i == k else zeros((*dims(x)[:-1], n), x.dtype) for k, n in enumerate(sizes)]
        for i, x in enumerate(matrices)
    ]
    return block(rows)


def _line(x: Tensor) -> Tensor:
    """A number as a line of one."""
    return x if dims(x) else shaping.reshape(x, (1,))


def _laid_out(line: Tensor, places: Any) -> Tensor:
    """A matrix of the elements of a line that stand at these places."""
    return gathering.gather_densely(line, as_tensor(places), axis=len(dims(line)) - 1)


@deferrable
def toeplitz(c: Numeric, r: Numeric | None = None) -> Tensor:
    """A matrix whose diagonals are constant: its first column, and its first row if that is another one."""
    column, row = map(_line, promoted(c, conjugate(as_tensor(c)) if r is None else r))
    line = concat([reverse(row[..., 1:], [-1]), column], -1)
    rows, columns = dims(column)[-1], dims(row)[-1]
    places = np.arange(rows)[:, None] - np.arange(columns) + columns - 1
    return _laid_out(line, places)


@deferrable
def circulant(c: Numeric) -> Tensor:
    """A matrix whose columns are the first one, each turned once more."""
    column = _line(as_tensor(c))
    places = np.arange(dims(column)[-1])
    turned = (places[:, None] - places) % len(places)
    return _laid_out(column, turned)


@deferrable
def hankel(c: Numeric, r: Numeric | None = None) -> Tensor:
    """A matrix whose other diagonals are constant: its first column, and its last row, zeros if none is given."""
    column, row = promoted(c, zeros_like(as_tensor(c)) if r is None else r)
    line = concat([column, row[..., 1:]], -1)
    places = np.arange(dims(column)[-1])[:, None] + np.arange(dims(row)[-1])
    return _laid_out(line, places)


def __getattr__(name: str) -> Any:
    raise no_such("linalg", name)
