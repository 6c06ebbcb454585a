"""What is padded with a value that only a run knows: padded with zeros, and chosen where it was padded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.inference.symbolic_integers import known_value
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import ones_like
from wengert.values.convert import convert
from wengert.values.dtypes import bool_
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor
from wengert.values.value import Value


def is_unknown(filler: Any, x: Tensor) -> bool:
    """Whether a value is no constant of the graph that is being built."""
    if not isinstance(filler, Value):
        return False
    found = convert(filler, x.dtype)
    return type(found) is SymbolicTensor and known_value(found) is None


def filled(padded: Callable[[Tensor], Tensor], x: Tensor, filler: Any) -> Tensor:
    """`padded(x)` with a value in place of the zeros that it adds. As in TensorFlow the value has no gradient."""
    result: Tensor = where(
        padded(ones_like(x, bool_)), padded(x), stop_gradient(convert(filler, x.dtype))
    )
    return result
