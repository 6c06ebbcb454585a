"""Random matrices for tests of linear algebra: positive definite, triangular, well away from zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import as_shape
from wengert.ops.linalg.diagonals import band_part, diag_part, set_diag
from wengert.ops.linalg.matmul import matmul
from wengert.ops.math.complex import complex as from_parts
from wengert.ops.math.complex import sign
from wengert.ops.math.elementwise import cast
from wengert.ops.random.stateful import normal, uniform
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import ShapeLike

# The second of two draws from one seed has a seed of its own.
ANOTHER = 1234


def _in_parts(draw: Any, dtype: DType, seed: int | None) -> Tensor:
    """A draw of a real dtype, or for a complex one two draws, its parts."""
    if not dtype.is_complex:
        real: Tensor = draw(dtype, seed)
        return real
    part = dtype.real_dtype
    return from_parts(draw(part, seed), draw(part, None if seed is None else seed + ANOTHER))


def random_normal(
    shape: ShapeLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
) -> Tensor:
    """Normal numbers; the parts of complex ones are drawn each for itself."""
    return _in_parts(
        lambda kind, key: normal(shape, mean, stddev, kind, key), as_dtype(dtype), seed
    )


def random_uniform(
    shape: ShapeLike,
    minval: float | None = None,
    maxval: float | None = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
) -> Tensor:
    """Uniform numbers; the parts of complex ones are drawn each for itself."""
    low = 0 if minval is None else minval
    return _in_parts(
        lambda kind, key: uniform(shape, low, maxval, kind, key), as_dtype(dtype), seed
    )


def random_sign_uniform(
    shape: ShapeLike,
    minval: float | None = None,
    maxval: float | None = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
) -> Tensor:
    """Uniform numbers with a random sign: with minval > 0, none is near zero."""
    kind = as_dtype(dtype)
    size = random_uniform(shape, minval, maxval, kind, seed)
    other = None if seed is None else seed + ANOTHER + 1
    return size * cast(sign(uniform(shape, -1.0, 1.0, dtypes.float64, other)), kind)


def random_normal_correlated_columns(
    shape: ShapeLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = dtypes.float32,
    eps: float = 1e-4,
    seed: int | None = None,
) -> Tensor:
    """Matrices whose columns after the first are almost multiples of sums of others."""
    *batch, rows, columns = as_shape(shape)
    few = (columns + 1) // 2
    first = random_normal((*batch, rows, few), mean, stddev, dtype, seed)
    noise = random_normal((*batch, rows, columns - few), 0.0, eps, dtype, seed)
    return concat([first, first[..., : columns - few] + noise], -1)


def random_tril_matrix(
    shape: ShapeLike,
    dtype: Any,
    force_well_conditioned: bool = False,
    remove_upper: bool = True,
) -> Tensor:
    """Lower triangular matrices; if well conditioned, with a diagonal of sizes from 1 to 2."""
    x = random_normal(shape, dtype=dtype)
    if force_well_conditioned:
        x = set_diag(x, random_sign_uniform(as_shape(shape)[:-1], 1.0, 2.0, dtype))
    return band_part(x, -1, 0) if remove_upper else x


def random_positive_definite_matrix(
    shape: ShapeLike, dtype: Any, oversampling_ratio: int = 4, force_well_conditioned: bool = False
) -> Tensor:
    """Hermitian positive definite matrices, a sample covariance: the more samples, the better."""
    *batch, size, _ = as_shape(shape)
    kind = as_dtype(dtype)
    samples = random_normal((*batch, size, size * oversampling_ratio), dtype=kind)
    scale = convert(float(max(size * oversampling_ratio, 1)) ** 0.5, kind)
    found = matmul(samples / scale, samples / scale, adjoint_b=True)
    if not force_well_conditioned:
        return found
    return set_diag(found, diag_part(found) + convert(1.0, kind)) / convert(2.0, kind)
