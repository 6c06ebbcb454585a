"""tensorflow.python.ops.signal.util_ops: what its transforms of frames share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wengert.ops.control.while_loop import while_loop
from wengert.ops.math.arithmetic import floormod
from wengert.ops.math.comparison import not_equal
from wengert.values.convert import convert

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import TensorLike


def gcd(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The greatest common divisor of two integers, by Euclid's algorithm."""
    one, other = convert(a), convert(b)
    found: Tensor = while_loop(
        lambda _, b: not_equal(b, 0), lambda a, b: (b, floormod(a, b)), [one, other]
    )[0]
    return found
