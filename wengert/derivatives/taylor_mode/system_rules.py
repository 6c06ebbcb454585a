"""Series of the solutions of linear systems, of the Cholesky factor, and of functions of matrices.

If A x = b, then A[0] x[k] is b[k] less what the coefficients before contribute: one matrix, which stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.core.dispatch import apply
from wengert.derivatives.taylor_mode.series import (
    Series,
    coefficient,
    difference,
    filled,
    scaled,
    solved,
    total,
)
from wengert.ops.arrays.joining import concat
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import adjoint as adjoint_of
from wengert.ops.linalg.matrix_functions import (
    MATRIX_EXPONENTIAL,
    MATRIX_LOGARITHM,
    MATRIX_SQUARE_ROOT,
)
from wengert.ops.linalg.solving import MATRIX_SOLVE, SYLVESTER
from wengert.ops.linalg.triangular import (
    BANDED_TRIANGULAR_SOLVE,
    FROM_BANDS,
    MATRIX_TRIANGULAR_SOLVE,
    lower_with_half_diagonal,
    triangle,
    triangular_solve,
)
from wengert.ops.linalg.tridiagonal import TRIDIAGONAL_SOLVE, tridiagonal_matmul
from wengert.ops.math.elementwise import zeros_like
from wengert.values.tensor import dims


def _of_system(row: Any, times: Callable[..., Any]) -> Any:
    """For an operation that solves; `times(a, x, **attrs)` multiplies by the matrix that it reads."""

    def rule(y: Any, a: Series, b: Series, **attrs: Any) -> Series:
        def known(found: Series, k: int) -> Any:
            return coefficient(a, found, k, lambda p, q: times(p, q, **attrs), first=1)

        return solved(y, b, known, lambda rest: apply(row, (a[0], rest), attrs))

    return rule


def _by_triangle(a: Any, x: Any, *, lower: bool, adjoint: bool) -> Any:
    return matmul(triangle(a, lower), x, adjoint_a=adjoint)


def _by_bands(bands: Any, x: Any, *, lower: bool, adjoint: bool) -> Any:
    return matmul(apply(FROM_BANDS, (bands,), {"lower": lower}), x, adjoint_a=adjoint)


def _sylvester(y: Any, a: Series, b: Series, q: Series) -> Series:
    """a[0] x[k] + x[k] b[0] is what is left of q[k]."""

    def known(found: Series, k: int) -> Any:
        left = coefficient(a, found, k, matmul, first=1)
        right = coefficient(b, found, k, lambda p, x: matmul(x, p), first=1)
        return total([left, right])

    return solved(y, q, known, lambda rest: apply(SYLVESTER, (a[0], b[0], rest)))


def _cholesky(y: Any, a: Series) -> Series:
    """l[0] l[k]^H and its adjoint are what is left of a[k]; l[0]^-1 l[k] is lower triangular.

    Of a[k] the Hermitian part counts, as in the gradient.
    """
    found = [y]
    for k in range(1, len(a)):
        own = None if a[k] is None else scaled(a[k] + adjoint_of(a[k]), 0.5)
        before = coefficient(found, found, k, _times_adjoint, first=1, last=k - 1)
        rest = difference(own, before)
        found.append(None if rest is None else _moved_factor(y, rest))
    return found


def _times_adjoint(a: Any, b: Any) -> Any:
    return matmul(a, b, adjoint_b=True)


def _moved_factor(y: Any, rest: Any) -> Any:
    half = triangular_solve(y, rest)
    return matmul(y, lower_with_half_diagonal(triangular_solve(y, adjoint_of(half))))


def _of_matrix_function(row: Any) -> Any:
    """For an analytic f: of the block matrix with a[j - i] in row i and column j, f has y in row 0."""

    def rule(y: Any, a: Series) -> Series:
        size, nothing = dims(y)[-1], zeros_like(y)
        blocks = [filled(c, y) for c in a]
        rows = [concat([nothing] * i + blocks[: len(a) - i], -1) for i in range(len(a))]
        first = apply(row, (concat(rows, -2),))[..., :size, :]
        return [y, *[first[..., k * size : (k + 1) * size] for k in range(1, len(a))]]

    return rule


SYSTEM_RULES: Final[dict[str, Any]] = {
    "MatrixSolve": _of_system(
        MATRIX_SOLVE, lambda a, x, *, adjoint: matmul(a, x, adjoint_a=adjoint)
    ),
    "MatrixTriangularSolve": _of_system(MATRIX_TRIANGULAR_SOLVE, _by_triangle),
    "BandedTriangularSolve": _of_system(BANDED_TRIANGULAR_SOLVE, _by_bands),
    "TridiagonalSolve": _of_system(
        TRIDIAGONAL_SOLVE, lambda d, x, **attrs: tridiagonal_matmul(d, x)
    ),
    "SolveSylvester": _sylvester,
    "Cholesky": _cholesky,
    "MatrixExponential": _of_matrix_function(MATRIX_EXPONENTIAL),
    "MatrixSquareRoot": _of_matrix_function(MATRIX_SQUARE_ROOT),
    "MatrixLogarithm": _of_matrix_function(MATRIX_LOGARITHM),
}
