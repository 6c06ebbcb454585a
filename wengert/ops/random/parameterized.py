"""Random numbers between bounds that are parameters, stateful."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wengert.ops.random.stateful import uniform
from wengert.ops.random.stateless import stateless_parameterized_truncated_normal
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, IntLike, ShapeLike, TensorLike


def parameterized_truncated_normal(
    shape: ShapeLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    dtype: DTypeLike = dtypes.float32,
    seed: IntLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Normal samples between bounds. The numbers are not TensorFlow's, which draws until one fits."""
    pair = uniform([2], 0, 2**31 - 1, dtypes.int32, seed)
    kind = dtypes.as_dtype(dtype)
    mean, deviation, low, high = (convert(v, kind) for v in (means, stddevs, minvals, maxvals))
    return stateless_parameterized_truncated_normal(shape, pair, mean, deviation, low, high)
