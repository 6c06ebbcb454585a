"""tensorflow.python.eager.backprop_util: sums of gradients, and what has one."""

from typing import Any

from wengert.compat.internals.eager.backprop import (
    aggregate_indexed_slices_gradients as AggregateIndexedSlicesGradients,  # noqa: N812
)
from wengert.values.dtypes import as_dtype, resource, variant


def IsTrainable(tensor_or_dtype: Any) -> bool:
    """Whether numbers of a dtype have a derivative."""
    dtype = as_dtype(getattr(tensor_or_dtype, "dtype", tensor_or_dtype)).base_dtype
    return dtype.is_floating or dtype.is_complex or dtype in (resource, variant)
