"""Comparisons, logical operations, and tf.where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import NO_ATTRS, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.support.branchless import choose
from wengert.ops.support.declare import (
    ANY,
    BOOL,
    INTEGER,
    REAL_OR_INT,
    Binary,
    binary,
    convert_alike,
)
from wengert.ops.support.large_kernels import Often, elementwise_kernel
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.tensor import Tensor
from wengert.values.typed_calls import of_two

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

# ---- comparisons ------------------------------------------------------------------------------

less: Binary = binary(
    "Less",
    "less",
    "Whether x < y.",
    ("[1, 2], [2, 2]", "[ True False]"),
    kernel="less",
    takes=REAL_OR_INT,
)
less_equal: Binary = binary(
    "LessEqual",
    "less_equal",
    "Whether x <= y.",
    ("[1, 3], [2, 2]", "[ True False]"),
    kernel="less_equal",
    takes=REAL_OR_INT,
)
greater: Binary = binary(
    "Greater",
    "greater",
    "Whether x > y.",
    ("[1, 3], [2, 2]", "[False  True]"),
    kernel="greater",
    takes=REAL_OR_INT,
)
greater_equal: Binary = binary(
    "GreaterEqual",
    "greater_equal",
    "Whether x >= y.",
    ("[1, 2], [2, 2]", "[False  True]"),
    kernel="greater_equal",
    takes=REAL_OR_INT,
)
equal: Binary = binary(
    "Equal",
    "equal",
    "Whether x == y.",
    ("[1, 2], [2, 2]", "[False  True]"),
    kernel="equal",
    takes=ANY,
)
not_equal: Binary = binary(
    "NotEqual",
    "not_equal",
    "Whether x != y.",
    ("[1, 2], [2, 2]", "[ True False]"),
    kernel="not_equal",
    takes=ANY,
)


@deferrable
def approximate_equal(
    x: TensorLike, y: TensorLike, tolerance: float = 1e-5, name: str | None = None
) -> Tensor:
    """Whether |x - y| < tolerance, elementwise.

    >>> tf.math.approximate_equal([1.0, 2.0], [1.0000001, 2.5]).numpy().tolist()
    [True, False]
    """
    a, b = convert_alike("ApproximateEqual", x, y)
    result: Tensor = apply(APPROXIMATE_EQUAL, (a, b), {"tolerance": tolerance})
    return result


APPROXIMATE_EQUAL: Row = op(
    "ApproximateEqual",
    lambda xp, x, y, *, tolerance: xp.abs(x - y) < tolerance,
    elementwise=True,
)

# ---- logic ------------------------------------------------------------------------------------

logical_and: Binary = binary(
    "LogicalAnd",
    "logical_and",
    "Whether both are true.",
    ("[True, True], [True, False]", "[ True False]"),
    kernel="bitwise_and",
    takes=BOOL,
)
logical_or: Binary = binary(
    "LogicalOr",
    "logical_or",
    "Whether one of them, or both, is true.",
    ("[False, False], [True, False]", "[ True False]"),
    kernel="bitwise_or",
    takes=BOOL,
)


@of_two
@deferrable
def logical_xor(x: TensorLike, y: TensorLike, name: str | None = "LogicalXor") -> Tensor:
    """Logical exclusive or: whether exactly one of x and y is true.

    >>> tf.math.logical_xor([True, True], [True, False]).numpy().tolist()
    [False, True]
    """
    return not_equal(x, y)


bitwise_and: Binary = binary(
    "BitwiseAnd",
    "bitwise.bitwise_and",
    "The bits that are set in both.",
    ("[5], [6]", "[4]"),
    kernel="bitwise_and",
    takes=INTEGER,
)
left_shift: Binary = binary(
    "LeftShift",
    "bitwise.left_shift",
    "The bits moved up by y places.",
    ("[5, 1], [1, 3]", "[10  8]"),
    kernel="left_shift",
    takes=INTEGER,
)
right_shift: Binary = binary(
    "RightShift",
    "bitwise.right_shift",
    "The bits moved down by y places; the sign is kept.",
    ("[10, -8], [1, 2]", "[ 5 -2]"),
    kernel="right_shift",
    takes=INTEGER,
)
bitwise_or: Binary = binary(
    "BitwiseOr",
    "bitwise.bitwise_or",
    "The bits that are set in one or both.",
    ("[5], [6]", "[7]"),
    kernel="bitwise_or",
    takes=INTEGER,
)
bitwise_xor: Binary = binary(
    "BitwiseXor",
    "bitwise.bitwise_xor",
    "The bits that are set in exactly one.",
    ("[5], [6]", "[3]"),
    kernel="bitwise_xor",
    takes=INTEGER,
)

# ---- choice -----------------------------------------------------------------------------------


_SOME: Final = 256  # elements, from which on a kernel that is there is faster
_often: Final = Often(1 << 18)


def _select_kernel(_: Namespace, c: Array, x: Array, y: Array) -> Array:
    if c.size >= _SOME and _often(c.size):
        found = elementwise_kernel(SELECT, (c, x, y), NO_ATTRS)
        if found is not None:
            return found
    try:
        return choose(c, x, y)
    except ValueError:
        raise InvalidArgumentError(
            f"condition {shape_text(c.shape)}, then {shape_text(x.shape)}, and else {shape_text(y.shape)} "
            "must be broadcastable [Op:SelectV2]"
        ) from None


_TRUTH: Final = np.dtype(bool)
SELECT: Row = op(
    "SelectV2",
    _select_kernel,
    vjp=(
        None,
        lambda g, z, c, x, y: where(c, g, zeros_like(g)),
        lambda g, z, c, x, y: where(c, zeros_like(g), g),
    ),
    elementwise=True,
    large=elementwise_kernel,
    saves="x",
)
WHERE: Row = op(
    "Where",
    lambda _, c: np.argwhere(c).astype(np.int64),
    shape=lambda c: (None, len(c)),
    dtype=lambda c: np.dtype(np.int64),
    by_value=True,
)


def _are_plain(c: object, x: object, y: object) -> bool:
    """Whether these are a condition and two of one dtype, all of them computed at once."""
    if type(c) is not Tensor or type(x) is not Tensor or type(y) is not Tensor:
        return False
    return c._array.dtype is _TRUTH and x._array.dtype is y._array.dtype


@deferrable
def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """x where the condition is true and y elsewhere; with only a condition, the indices of True.

    >>> tf.where([True, False], [1.0, 2.0], 0.0).numpy().tolist()
    [1.0, 0.0]
    >>> tf.where([[True, False], [False, True]]).numpy().tolist()
    [[0, 0], [1, 1]]
    """
    if _are_plain(condition, x, y):
        chosen_of_two: Tensor = apply(SELECT, (condition, x, y))
        return chosen_of_two
    chosen = convert(condition)
    if x is None and y is None:
        indices: Tensor = apply(WHERE, (chosen,))
        return indices
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    if not chosen.dtype.is_bool:
        chosen = not_equal(chosen, zeros_like(chosen))
    a, b = convert_alike("SelectV2", x, y)
    result: Tensor = apply(SELECT, (chosen, a, b))
    return result
