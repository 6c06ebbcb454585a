"""Orthonormal bases, for orthogonal initializers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.ops.support.half_precision import widen
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace


def _basis_kernel(xp: Namespace, x: Array) -> Array:
    """The Q of x = Q R for the one R whose diagonal is not negative."""
    wide = widen(x)
    q, r = xp.linalg.qr(wide)
    return (q * xp.sign(xp.diagonal(r))).astype(x.dtype)


ORTHOGONAL_BASIS: Row = op("OrthogonalBasis", _basis_kernel)


def orthogonal_basis(x: Tensor) -> Tensor:
    """Orthonormal columns with the same span as the columns of a tall matrix."""
    result: Tensor = apply(ORTHOGONAL_BASIS, (x,))
    return result
