"""tf.compat.v1.sparse: tf.sparse, with the arguments of version 1 where they differ."""

from typing import Any as _Any

from wengert import sparse as _now
from wengert.compat.v1.functions.sparse_tensors import sparse_add as add
from wengert.compat.v1.functions.sparse_tensors import sparse_concat as concat
from wengert.compat.v1.functions.sparse_tensors import sparse_merge as merge
from wengert.compat.v1.functions.sparse_tensors import sparse_placeholder as placeholder
from wengert.compat.v1.functions.sparse_tensors import sparse_reduce_max as reduce_max
from wengert.compat.v1.functions.sparse_tensors import sparse_reduce_max_sparse as reduce_max_sparse
from wengert.compat.v1.functions.sparse_tensors import sparse_reduce_sum as reduce_sum
from wengert.compat.v1.functions.sparse_tensors import sparse_reduce_sum_sparse as reduce_sum_sparse
from wengert.compat.v1.functions.sparse_tensors import sparse_segment_mean as segment_mean
from wengert.compat.v1.functions.sparse_tensors import sparse_segment_sqrt_n as segment_sqrt_n
from wengert.compat.v1.functions.sparse_tensors import sparse_segment_sum as segment_sum
from wengert.compat.v1.functions.sparse_tensors import sparse_split as split
from wengert.compat.v1.queues.accumulators import SparseConditionalAccumulator
from wengert.ops.sparse.math import sparse_dense_matmul as matmul

__all__ = [
    "SparseConditionalAccumulator",
    "add",
    "concat",
    "matmul",
    "merge",
    "placeholder",
    "reduce_max",
    "reduce_max_sparse",
    "reduce_sum",
    "reduce_sum_sparse",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "split",
]


def __getattr__(name: str) -> _Any:
    """A name that did not change between the versions."""
    return getattr(_now, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(_now)})
