"""The specs of values of several tensors that files know, and their numbers there."""

from __future__ import annotations

from typing import Any, Final

from wengert.ops.ragged.spec import RaggedTensorSpec
from wengert.ops.sparse.spec import SparseTensorSpec
from wengert.values.indexed_slices import IndexedSlicesSpec

COMPOSITES: Final[dict[Any, int]] = {SparseTensorSpec: 1, IndexedSlicesSpec: 2, RaggedTensorSpec: 3}


def composite_of(number: int) -> Any:
    """The kind of spec of a number; None for one that is not known."""
    return next((kind for kind, n in COMPOSITES.items() if n == number), None)
