"""tensorflow.python.ops.gen_math_ops: counts of numbers in sparse and ragged rows."""

from __future__ import annotations

from typing import Any

from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.creation import size as size_of
from wengert.ops.arrays.creation import zeros
from wengert.ops.arrays.gathering import gather, unsorted_segment_sum
from wengert.ops.arrays.shaping import as_shape, reshape, static
from wengert.ops.control.asserts import assert_non_negative
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, ones_like
from wengert.ops.ragged.factories import row_splits_to_segment_ids
from wengert.values import dtypes
from wengert.values.convert import convert


def _counted(values: Any, rows: Any, count: Any, size: Any, weights: Any, binary: bool) -> Any:
    """How often each number occurs in each row, or the sum of its weights."""
    numbers, width = cast(convert(values), dtypes.int64), int(static(size))
    assert_non_negative(numbers, message="Input arr must be non-negative!")
    given = convert(weights, hint=dtypes.float32)
    each = given if as_shape(given.shape) != (0,) else ones_like(numbers, given.dtype)
    each = ones_like(numbers, each.dtype) if binary else each
    inside = reshape(where(numbers < width), [-1])
    at = gather(cast(rows, dtypes.int64) * width + numbers, inside)
    found = unsorted_segment_sum(gather(each, inside), at, int(count) * width)
    found = where(found > 0, ones_like(found), zeros(found.shape, found.dtype)) if binary else found
    return reshape(found, (int(count), width))


def sparse_bincount(
    indices: Any,
    values: Any,
    dense_shape: Any,
    size: Any,
    weights: Any,
    binary_output: bool = False,
    name: str | None = None,
) -> Any:
    """Counts of the numbers in a sparse vector, or in each row of a sparse matrix."""
    places, shape = convert(indices), as_shape(convert(dense_shape))
    if len(shape) == 1:
        rows = places[:, 0] * 0
        return _counted(values, rows, 1, size, weights, binary_output)[0]
    return _counted(values, places[:, 0], shape[0], size, weights, binary_output)


def ragged_bincount(
    splits: Any,
    values: Any,
    size: Any,
    weights: Any,
    binary_output: bool = False,
    name: str | None = None,
) -> Any:
    """Counts of the numbers in each row of a ragged matrix."""
    ends = convert(splits, hint=dtypes.int64)
    first, last = (int(static(ends[at])) for at in (0, -1))
    if first != 0:
        raise InvalidArgumentError(
            f"Splits must start with 0, not with {first} [Op:RaggedBincount]"
        )
    if last != int(static(size_of(convert(values)))):
        raise InvalidArgumentError(
            f"Splits must end with the number of values, got {last} instead of "
            f"{size_of(convert(values)).numpy()} [Op:RaggedBincount]"
        )
    rows = row_splits_to_segment_ids(ends)
    return _counted(values, rows, as_shape(ends.shape)[0] - 1, size, weights, binary_output)
