"""What functions take and give, for the annotations: tensors and what becomes one, shapes, dtypes.

Only type checkers read this file: who annotates imports from it under TYPE_CHECKING. The aliases
are strings, so that importing the file would cost nothing either.

- Public functions take a `TensorLike` where they convert, and give a `Tensor`.
- Rules work on tensors. Of an input that is not saved, a rule sees the shape alone: `TensorOrDims`.
- Kernels work on `Array`, with the functions of a `Namespace`. A NumPy scalar, which NumPy gives
  where the result has no axes, is taken for an array of none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Protocol,
    SupportsFloat,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    runtime_checkable,
)

if TYPE_CHECKING:
    import numpy as np

    from wengert.values.composite import Composite
    from wengert.values.dtypes import DType
    from wengert.values.shapes import Dims, TensorShape
    from wengert.values.tensor import Tensor
    from wengert.values.value import Value

__all__ = [
    "Array",
    "DTypeLike",
    "FloatLike",
    "IntLike",
    "Integers",
    "Namespace",
    "Nested",
    "NumpyDType",
    "Scalar",
    "ShapeLike",
    "Structure",
    "SupportsArray",
    "SupportsFlatten",
    "SupportsTensor",
    "TensorLike",
    "TensorOrDims",
    "Tensors",
]


class SupportsArray(Protocol):
    """What NumPy can make an array of."""

    def __array__(self) -> np.ndarray[Any, Any]: ...


@runtime_checkable
class SupportsTensor(Protocol):
    """An object that knows how to become a tensor."""

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any: ...


class SupportsFlatten(Protocol):
    """A user's class that knows how it is nested."""

    def __tf_flatten__(self) -> tuple[Any, Any]: ...


class Namespace(Protocol):
    """A NumPy-shaped namespace, whose functions a kernel calls."""

    def __getattr__(self, name: str, /) -> Any: ...


# ---- arrays -----------------------------------------------------------------------------------

Array: TypeAlias = "np.ndarray[Any, Any]"
NumpyDType: TypeAlias = "np.dtype[Any]"

# ---- what becomes a tensor --------------------------------------------------------------------

Scalar: TypeAlias = "bool | int | float | complex | str | bytes | np.generic"
# What `convert` takes: nested sequences, too, with tensors among their elements.
TensorLike: TypeAlias = (
    "Value | Composite | Array | Scalar | TensorShape | SupportsArray | SupportsTensor "
    "| Sequence[TensorLike]"
)
# Sizes are integers, None where unknown, or what Python takes for an index: tensors, too.
ShapeLike: TypeAlias = (
    "TensorShape | Value | Array | SupportsIndex | Sequence[SupportsIndex | None]"
)
DTypeLike: TypeAlias = "DType | NumpyDType | str | type | int"
# One number that Python's int() and float() take: a tensor, too, whose value is known.
IntLike: TypeAlias = "SupportsIndex"
FloatLike: TypeAlias = "SupportsFloat | SupportsIndex"
# Of integers that say which axes, an array or tensor, too, whose value is known.
Integers: TypeAlias = "SupportsIndex | Sequence[SupportsIndex] | Value | Array"
# What a rule sees of an input: if the row does not save it, its shape.
TensorOrDims: TypeAlias = "Tensor | Dims"

# ---- nested structures ------------------------------------------------------------------------

Leaf = TypeVar("Leaf")
Nested: TypeAlias = "Leaf | Sequence[Nested[Leaf]] | Mapping[Any, Nested[Leaf]]"
# What is watched and differentiated.
Tensors: TypeAlias = "Nested[Value | Composite | SupportsFlatten]"
# With anything for its leaves: what `nest` takes, whose classes need no common base.
Structure: TypeAlias = "Nested[object]"
