"""Sobol sequences, which fill a cube evenly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import static
from wengert.ops.support.scipy_lazy import scipy_stats
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, IntLike

DIMENSIONS = 2539  # as many as TensorFlow has direction numbers for


@deferrable
def sobol_sample(
    dim: IntLike,
    num_results: IntLike,
    skip: IntLike = 0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Points of the Sobol sequence in the unit cube, without the one at the origin.

    >>> tf.math.sobol_sample(2, 3).numpy().tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    size, count, first = (int(static(part)) for part in (dim, num_results, skip))
    for wrong, message in (
        (not 1 <= size <= DIMENSIONS, f"dim must be in [1, {DIMENSIONS}]. Got {size}"),
        (count < 1, f"num_results must be positive. Got {count}"),
        (first < 0, f"skip must be non-negative. Got {first}"),
    ):
        if wrong:
            raise InvalidArgumentError(f"{message} [Op:SobolSample]")
    sequence = scipy_stats().qmc.Sobol(size, scramble=False, bits=32)
    sequence.fast_forward(first + 1)
    return convert(sequence.random(count), as_dtype(dtype))
