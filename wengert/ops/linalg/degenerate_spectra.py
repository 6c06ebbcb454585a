"""Gradients of eigenvalues and singular values that coincide (degenerate spectra).

There the vectors are an arbitrary basis of their common space. With the switch `degenerate="exact"`
a gradient is the true one or an error:

- Where only the values are used, the gradient exists if the cotangents of coinciding values are
  equal: then it does not matter which of them is which.
- Where only the vectors are used, it exists if the cotangent is orthogonal to rotations of the
  basis; the quotients 0 / 0 are then zero.
- Where both are used, the cotangents do not determine it: V f(e) V^H has a gradient with f' in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.shaping import expand_dims
from wengert.ops.linalg.diagonals import diag_part, set_diag
from wengert.ops.linalg.matrices import in_front
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.half_precision import widen

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, Namespace

WAY_OUT: Final = (
    'With degenerate="tensorflow" the gradient is a number all the same, but not the right one. '
    "For a function of the eigenvalues, V f(e) V^H, use tf.spectral_function, or tf.linalg.expm, sqrtm "
    "or logm, which are differentiable also where eigenvalues coincide; or use the values, or the "
    "vectors, alone."
)


# ---- TensorFlow's way -------------------------------------------------------------------------


def safe_reciprocal(x: Tensor) -> Tensor:
    """1 / x, and 0 at 0; very large in between."""
    return x / (x * x + 1e-20)


def off_diagonal_reciprocal(x: Tensor) -> Tensor:
    """1 / x by `safe_reciprocal`, with zeros on the diagonal."""
    f = safe_reciprocal(x)
    return set_diag(f, zeros_like(diag_part(f)))


def gaps(e: Tensor) -> Tensor:
    """e_j - e_i in row i and column j."""
    return expand_dims(e, -2) - expand_dims(e, -1)


# ---- the exact way ----------------------------------------------------------------------------


def _tolerance(e: Array) -> Array:
    """The distance up to which values count as equal."""
    return 10 * e.shape[-1] * np.finfo(e.dtype).eps * np.max(np.abs(e), axis=-1, initial=0.0)


def _coinciding(e: Array) -> Array:
    """Which pairs of values, other than a value with itself, count as equal."""
    difference = np.abs(e[..., None, :] - e[..., :, None])
    return (difference <= _tolerance(e)[..., None, None]) & ~np.eye(e.shape[-1], dtype=bool)


def _refuse(e: Array, pairs: Array, why: str, what: str) -> None:
    at = np.argwhere(pairs)[0]
    value = float(e[tuple(at[:-1])])
    group = sorted({int(at[-2]), *[int(j) for j in np.flatnonzero(pairs[tuple(at[:-1])])]})
    raise InvalidArgumentError(
        f"The gradient does not exist: the {what} {group} coincide (at {value:.6g}), and {why}. "
        f"{WAY_OUT}"
    )


def _quotient_kernel(
    _: Namespace, p: Array, e: Array, size: Array, *, both: bool, what: str
) -> Array:
    kind, p, e = p.dtype, widen(p), np.real(widen(e))
    pairs = _coinciding(e)
    if what == "singular values":  # a value of zero has no sign, and its vectors no direction
        zero = e <= _tolerance(e)[..., None]
        if zero.any():
            where = zero[..., :, None] & np.eye(e.shape[-1], dtype=bool)
            _refuse(e, where, "the vectors of singular values of zero are not determined", what)
    if both and pairs.any():
        _refuse(e, pairs, "both values and vectors are used, so f' would be needed", what)
    limit = 1000 * e.shape[-1] * np.finfo(e.dtype).eps * np.asarray(widen(size))[..., None, None]
    turned = pairs & (np.abs(p) > limit)
    if turned.any():
        _refuse(e, turned, "the cotangent of the vectors depends on their basis", what)
    gap = e[..., None, :] - e[..., :, None]
    single = pairs | np.eye(e.shape[-1], dtype=bool)
    y = np.where(single, 0.0, p / np.where(single, 1.0, gap))
    return y.astype(kind, copy=False)


def _quotient_rule_of_values(
    g: Tensor, y: Tensor, p: Tensor, e: Tensor, size: Tensor, **attrs: Any
) -> Tensor:
    q = apply(QUOTIENT, (g * y, e, size), attrs)
    return reduce_sum(q, -1) - reduce_sum(q, -2)


# p_ij / (e_j - e_i), with zero on the diagonal and where 0 is divided by 0.
QUOTIENT: Row = op(
    "EigenvalueQuotient",
    _quotient_kernel,
    vjp=(
        lambda g, y, p, e, size, **attrs: apply(QUOTIENT, (g, e, size), attrs),
        _quotient_rule_of_values,
        None,
    ),
    shape=lambda p, e, size, **attrs: p,
    batch=in_front("EigenvalueQuotient"),
)


def quotient(p: Tensor, e: Tensor, size: Tensor, both: bool, what: str) -> Tensor:
    """p_ij / (e_j - e_i), zero on the diagonal; raises where equal values make it undefined."""
    result: Tensor = apply(QUOTIENT, (p, e, size), {"both": both, "what": what})
    return result


def _alike_kernel(_: Namespace, g: Array, e: Array, *, what: str) -> Array:
    given, g, e = g, widen(g), np.real(widen(e))
    size = np.max(np.abs(g), axis=-1, initial=0.0)
    limit = 1000 * e.shape[-1] * np.finfo(e.dtype).eps * size
    if what == "singular values":
        risen = (e <= _tolerance(e)[..., None]) & (np.abs(g) > limit[..., None])
        if risen.any():
            where = risen[..., :, None] & np.eye(e.shape[-1], dtype=bool)
            _refuse(e, where, "a singular value has a kink at zero", what)
    pairs = _coinciding(e)
    unlike = np.abs(g[..., None, :] - g[..., :, None]) > limit[..., None, None]
    if (pairs & unlike).any():
        _refuse(e, pairs & unlike, "they are used in different ways", what)
    return given


# The cotangents of values, after a check of those that coincide.
ALIKE: Row = op(
    "AlikeCotangents",
    _alike_kernel,
    vjp=(lambda g, y, x, e, *, what: apply(ALIKE, (g, e), {"what": what}), None),
    shape=lambda g, e, *, what: g,
    linear=(0,),
    batch=in_front("AlikeCotangents"),
    saves="x",
)


def alike(g: Any, e: Tensor, what: str) -> Tensor:
    """The cotangents `g` of values; raises where equal values have different ones."""
    result: Tensor = apply(ALIKE, (g, e), {"what": what})
    return result


def largest(*cotangents: Tensor) -> Tensor:
    """The largest magnitude of the cotangents, for each matrix, without a gradient."""
    result: Tensor = apply(LARGEST, cotangents)
    return result


LARGEST: Row = op(
    "LargestElement",
    lambda _, *xs: np.maximum.reduce([np.max(np.abs(x), axis=(-2, -1), initial=0.0) for x in xs]),
    batch=in_front("LargestElement"),
)
