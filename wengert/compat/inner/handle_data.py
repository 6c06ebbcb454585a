"""What is known of the value behind a handle: the shape and the dtype of a variable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wengert.state.variable import Variable


@dataclass
class HandleShapeAndType:
    """A shape, as a message, and the number of a dtype."""

    shape: Any = None
    dtype: int = 0


@dataclass
class HandleData:
    """Whether something is known, and what."""

    is_set: bool = False
    shape_and_type: list[HandleShapeAndType] = field(default_factory=list)


class CppShapeInferenceResult:
    """The messages, where TensorFlow has them."""

    HandleData = HandleData
    HandleShapeAndType = HandleShapeAndType


def get_handle_data(handle: Variable) -> HandleData:
    """What is known of the value behind a handle."""
    if not isinstance(handle, Variable):
        raise TypeError(f"The handle of a variable is wanted, not {handle!r}.")
    kind = handle.dtype.base_dtype.as_datatype_enum
    return HandleData(True, [HandleShapeAndType(handle.shape.as_proto(), kind)])
