"""tensorflow.python.eager.backprop_util: sums of gradients."""

from wengert.compat.internals.eager.backprop import (
    aggregate_indexed_slices_gradients as AggregateIndexedSlicesGradients,  # noqa: N812
)
