"""Eigenvalue decomposition: eigh, eig, eigvalsh, eigvals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.linalg.degenerate_spectra import (
    alike,
    gaps,
    largest,
    off_diagonal_reciprocal,
    quotient,
)
from wengert.ops.linalg.diagonals import diag, diag_part, scaled_columns
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import (
    adjoint_of,
    conjugate_rule,
    in_front,
    matrix,
    only_real,
    product,
)
from wengert.ops.linalg.solving import solve
from wengert.ops.linalg.triangular import lower_with_half_diagonal
from wengert.ops.math.complex import conj, real
from wengert.ops.support.degenerate_setting import chosen
from wengert.ops.support.half_precision import widen
from wengert.ops.support.lapack import numpy_linalg
from wengert.values.bound_ops import bound
from wengert.values.dtypes import complex_of
from wengert.values.shapes import Dims
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

# ---- Hermitian matrices -----------------------------------------------------------------------


def _eigh_kernel(_: Namespace, a: Array, *, compute_v: bool, degenerate: str) -> list[Any]:
    wide = widen(a)
    try:
        found = numpy_linalg().eigh(wide) if compute_v else [numpy_linalg().eigvalsh(wide)]
    except np.linalg.LinAlgError:
        found = [np.full(wide.shape[:-1], np.nan)]
    if np.isnan(found[0]).any() or np.isnan(np.tril(wide)).any():  # which LAPACK may not see
        raise InvalidArgumentError(
            "Self-adjoint eigen decomposition was not successful. The input might not be valid. "
            "[Op:SelfAdjointEigV2] Does it hold NaN or inf?"
        )
    return [np.asarray(part, a.dtype) for part in found]


def _eigh_rule(
    gs: Sequence[Tensor | None],
    ys: Sequence[Tensor],
    a: Tensor,
    *,
    compute_v: bool,
    degenerate: str,
) -> Tensor:
    """The gradient for a matrix whose lower triangle is read."""
    e, v = ys if compute_v else _eigh(a, True, degenerate)
    ge, gv = (None if g is None else bound.to_dense(g) for g in (*gs, None)[:2])
    middle: Any = None if gv is None else _of_vectors(gv, e, v, degenerate, ge is not None)
    if ge is not None:
        stretching = diag(_of_values(ge, e, degenerate))
        middle = stretching if middle is None else middle + stretching
    full = product(v, middle, adjoint_of(v))
    return lower_with_half_diagonal(full + adjoint_of(full))


def _of_values(ge: Tensor, e: Tensor, degenerate: str) -> Tensor:
    return alike(ge, e, "eigenvalues") if degenerate == "exact" else ge


def _of_vectors(gv: Tensor, e: Tensor, v: Tensor, degenerate: str, both: bool) -> Tensor:
    """dv is v times (v^H da v)_ij / (e_j - e_i)."""
    seen = matmul(v, gv, adjoint_a=True)
    if degenerate == "exact":
        turn = (seen - adjoint_of(seen)) * 0.5
        return quotient(turn, e, largest(gv), both, "eigenvalues")
    return off_diagonal_reciprocal(gaps(e)) * seen


def _eigen_shapes(a: Dims, *, compute_v: bool, **attrs: object) -> list[Dims]:
    return [a[:-1], a] if compute_v else [a[:-1]]


SELF_ADJOINT_EIG: Row = op(
    "SelfAdjointEigV2",
    _eigh_kernel,
    vjp=(conjugate_rule(_eigh_rule),),
    shape=_eigen_shapes,
    dtype=lambda a, *, compute_v, **attrs: [a] * (1 + compute_v),
    batch=in_front("SelfAdjointEigV2"),
    many=True,
    fills=False,
)


def _eigh(a: Tensor, compute_v: bool, degenerate: str | None) -> list[Tensor]:
    attrs = {"compute_v": compute_v, "degenerate": chosen(degenerate)}
    result: list[Tensor] = apply(SELF_ADJOINT_EIG, (a,), attrs)
    return result


@deferrable
def eigh(
    tensor: TensorLike, name: str | None = None, degenerate: str | None = None
) -> tuple[Tensor, Tensor]:
    """Eigendecomposition of a Hermitian matrix: eigenvalues in ascending order, and eigenvectors.

    Only the lower triangle is read. Where eigenvalues coincide, the gradient is TensorFlow's, which
    is arbitrary there; with `degenerate="exact"`, or by `tf.config.set_degenerate` for the whole
    program, it is right, or an error that says why there is none.

    >>> e, v = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> e.numpy().tolist(), tf.abs(v).numpy().tolist()
    ([1.0, 2.0], [[0.0, 1.0], [1.0, 0.0]])
    """
    e, v = _eigh(matrix(tensor, "SelfAdjointEigV2"), True, degenerate)
    return e, v


@deferrable
def eigvalsh(tensor: TensorLike, name: str | None = None, degenerate: str | None = None) -> Tensor:
    """The eigenvalues of a Hermitian matrix, in ascending order.

    >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy().tolist()
    [1.0, 2.0]
    """
    result: Tensor = _eigh(matrix(tensor, "SelfAdjointEigV2"), False, degenerate)[0]
    return result


# ---- any square matrix ------------------------------------------------------------------------


def _eig_kernel(_: Namespace, a: Array, *, compute_v: bool) -> list[Any]:
    wide = widen(a)
    kind = complex_of(wide.dtype)
    try:
        found = numpy_linalg().eig(wide) if compute_v else [numpy_linalg().eigvals(wide)]
    except np.linalg.LinAlgError:
        raise InvalidArgumentError(
            "Eigen decomposition was not successful. The input might not be valid. [Op:Eig] Does "
            "it hold NaN or inf?"
        ) from None
    return [np.asarray(part, kind) for part in found]


def _eig_rule(gs: Sequence[Tensor], ys: Sequence[Tensor], a: Tensor, *, compute_v: bool) -> Tensor:
    """Eigenvectors have length one: components of their change along themselves are removed."""
    v = ys[1] if compute_v else apply(EIG, (a,), {"compute_v": True})[1]
    middle = diag(gs[0])
    if compute_v:
        seen = matmul(v, gs[1], adjoint_a=True)
        lengths = only_real(diag_part(seen))
        across = seen - scaled_columns(matmul(v, v, adjoint_a=True), lengths)
        middle = middle + conj(off_diagonal_reciprocal(gaps(ys[0]))) * across
    vh = adjoint_of(v)
    pulled = solve(vh, matmul(middle, vh))
    return pulled if a.dtype.is_complex else real(pulled)


EIG: Row = op(
    "Eig",
    _eig_kernel,
    vjp=(conjugate_rule(_eig_rule),),
    shape=_eigen_shapes,
    dtype=lambda a, *, compute_v: [complex_of(a)] * (1 + compute_v),
    batch=in_front("Eig"),
    many=True,
)


@deferrable
def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues and eigenvectors of a square matrix; complex, in no particular order.

    >>> e, v = tf.linalg.eig([[0.0, 1.0], [-1.0, 0.0]])
    >>> sorted(e.numpy().imag.tolist())
    [-1.0, 1.0]
    """
    e, v = apply(EIG, (matrix(tensor, "Eig"),), {"compute_v": True})
    return e, v


@deferrable
def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of a square matrix; complex, in no particular order.

    >>> sorted(tf.linalg.eigvals([[2.0, 1.0], [0.0, 1.0]]).numpy().real.tolist())
    [1.0, 2.0]
    """
    result: Tensor = apply(EIG, (matrix(tensor, "Eig"),), {"compute_v": False})[0]
    return result
