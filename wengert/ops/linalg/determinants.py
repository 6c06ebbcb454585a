"""Determinants and log-determinants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import expand_dims
from wengert.ops.linalg.diagonals import diag_part
from wengert.ops.linalg.matrices import (
    adjoint_array,
    in_front,
    matrix,
    product,
    singular_values,
    transpose_last,
)
from wengert.ops.linalg.solving import inv
from wengert.ops.linalg.triangular import cholesky
from wengert.ops.math.complex import complex, imag, real
from wengert.ops.math.elementwise import log, zeros_like
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.half_precision import widen
from wengert.ops.support.lapack import numpy_linalg
from wengert.values.convert import convert
from wengert.values.sizes import certainly
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike


SMALL: Final = 8  # rows of matrices so small that all their minors are computed


def _on_matrices(x: Tensor) -> Tensor:
    return expand_dims(expand_dims(x, -1), -1)


# ---- the determinant --------------------------------------------------------------------------


def _of_two(a: Array) -> Array:
    (p, q), (r, s) = np.moveaxis(a, (-2, -1), (0, 1))
    return np.stack([np.stack([s, -q], -1), np.stack([-r, p], -1)], -2)


def _of_three(a: Array) -> Array:
    """Each row is orthogonal to two of the columns."""
    p, q, r = np.moveaxis(a, -1, 0)
    return np.stack([np.cross(q, r), np.cross(r, p), np.cross(p, q)], -2)


_WRITTEN_OUT: Final = {1: np.ones_like, 2: _of_two, 3: _of_three}


def _adjugate_kernel(_: Namespace, a: Array) -> Array:
    """det(a) a^-1; computed from singular values where a is nearly singular."""
    wide = widen(a)
    if a.shape[-1] in _WRITTEN_OUT:
        return _WRITTEN_OUT[a.shape[-1]](wide).astype(a.dtype, copy=False)
    det = numpy_linalg().det(wide)
    size = np.prod(np.linalg.norm(wide, axis=-1), axis=-1)
    if np.all(np.abs(det) > 1e-4 * size):
        y = det[..., None, None] * numpy_linalg().inv(wide)
    else:
        u, s, vh = singular_values(wide)
        others = np.where(np.eye(s.shape[-1], dtype=bool), 1.0, s[..., None, :]).prod(-1)
        turn = numpy_linalg().det(u) * numpy_linalg().det(vh)
        rest = (turn[..., None] * others)[..., None] * adjoint_array(np, u)
        y = adjoint_array(np, vh) @ rest
    return y.astype(a.dtype, copy=False)


def _adjugate_rule(g: Tensor, y: Tensor, a: Tensor) -> Tensor:
    """d(det a^-1) = det (tr(a^-1 da) a^-1 - a^-1 da a^-1); by minors for small matrices."""
    if certainly(dims(a)[-1] <= SMALL):
        return _adjugate_rule_by_minors(g, a)
    inverse = inv(a)
    along = _on_matrices(reduce_sum(g * y, (-2, -1)))
    flipped = transpose_last(inverse)
    return along * flipped - product(flipped, g, transpose_last(y))


def _adjugate_rule_by_minors(g: Tensor, a: Tensor) -> Tensor:
    """Each element of an adjugate is a determinant: its derivative exists whatever the rank is."""
    size = dims(a)[-1]
    if size < 2:
        return zeros_like(a)
    all_but = np.stack([np.delete(np.eye(size), i, 0) for i in range(size)])
    rows = convert(all_but[:, None], a.dtype)
    columns = convert(np.swapaxes(all_but, -1, -2)[None], a.dtype)
    signs = convert((-1.0) ** np.add.outer(np.arange(size), np.arange(size)), a.dtype)
    weights = _on_matrices(transpose_last(g) * signs)
    minors = product(rows, _on_front(a), columns)
    of_minors = weights * transpose_last(apply(ADJUGATE, (minors,)))
    spread = product(transpose_last(rows), of_minors, transpose_last(columns))
    return reduce_sum(spread, (-4, -3))


def _on_front(a: Tensor) -> Tensor:
    """Matrices with two more axes in front of them."""
    return expand_dims(expand_dims(a, -3), -3)


ADJUGATE: Row = op(
    "Adjugate",
    _adjugate_kernel,
    vjp=(_adjugate_rule,),
    shape=lambda a: a,
    batch=in_front("Adjugate"),
)
MATRIX_DETERMINANT: Row = op(
    "MatrixDeterminant",
    lambda _, a: np.asarray(numpy_linalg().det(widen(a)), a.dtype),
    vjp=(lambda g, y, a: _on_matrices(g) * transpose_last(apply(ADJUGATE, (a,))),),
    shape=lambda a: a[:-2],
    batch=in_front("MatrixDeterminant"),
    saves="x",
)


@deferrable
def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinant. Its gradient exists for singular matrices, too.

    >>> tf.linalg.det([[2.0, 1.0], [1.0, 3.0]]).numpy().round(4).item()
    5.0
    """
    result: Tensor = apply(MATRIX_DETERMINANT, (matrix(input, "MatrixDeterminant"),))
    return result


# ---- its logarithm ----------------------------------------------------------------------------


def _slogdet_kernel(_: Namespace, a: Array) -> list[Any]:
    sign, size = numpy_linalg().slogdet(widen(a))
    return [np.asarray(sign, a.dtype), np.asarray(size, a.dtype)]


def _slogdet_rule(gs: Sequence[Tensor], ys: Sequence[Tensor], a: Tensor) -> Tensor:
    """log|det| changes by the real part of tr(a^-1 da), the angle of the sign by the imaginary."""
    g_sign, g_log = gs
    if a.dtype.is_complex:
        g_log = complex(real(g_log), imag(g_sign * ys[0]))
    return _on_matrices(g_log) * transpose_last(inv(a))


LOG_MATRIX_DETERMINANT: Row = op(
    "LogMatrixDeterminant",
    _slogdet_kernel,
    shape=lambda a: [a[:-2], a[:-2]],
    vjp=(_slogdet_rule,),
    batch=in_front("LogMatrixDeterminant"),
    many=True,
)


class LogMatrixDeterminant(NamedTuple):
    """The result of slogdet: sign and log_abs_determinant."""

    sign: Tensor
    log_abs_determinant: Tensor


@deferrable
def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:
    """The sign of the determinant and the logarithm of its absolute value (log-determinant).

    >>> sign, size = tf.linalg.slogdet([[-2.0, 0.0], [0.0, 1.0]])
    >>> sign.numpy().item(), round(size.numpy().item(), 4)
    (-1.0, 0.6931)
    """
    return LogMatrixDeterminant(
        *apply(LOG_MATRIX_DETERMINANT, (matrix(input, "LogMatrixDeterminant"),))
    )


@deferrable
def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The log-determinant of a Hermitian positive definite matrix.

    >>> tf.linalg.logdet([[2.0, 0.0], [0.0, 0.5]]).numpy().item()
    0.0
    """
    return reduce_sum(log(real(diag_part(cholesky(matrix)))), -1) * 2.0
