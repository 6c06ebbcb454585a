"""What is true: everything that is not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wengert.api.numpy.promotion import as_tensor
from wengert.ops.math.comparison import not_equal
from wengert.ops.math.elementwise import zeros_like
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric


def truth(value: Numeric) -> Tensor:
    """Whether each element is something else than zero."""
    tensor = as_tensor(value)
    return tensor if tensor.dtype.is_bool else not_equal(tensor, zeros_like(tensor))
