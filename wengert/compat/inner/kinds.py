"""What kind of value something is."""

from __future__ import annotations

from typing import Any

import wengert
from wengert.compat.v1 import SparseTensorValue
from wengert.ops.sparse.tensor import SparseTensor


def is_sparse(x: Any) -> bool:
    """Whether a value is a sparse tensor, or the value of one."""
    return isinstance(x, (SparseTensor, SparseTensorValue, wengert.SparseTensorSpec))
