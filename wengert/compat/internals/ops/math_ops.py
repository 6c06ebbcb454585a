"""tensorflow.python.ops.math_ops: its names that are not public."""

from __future__ import annotations

from typing import Any

from wengert import shape
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.gathering import gather, unsorted_segment_sum
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import expand_dims, reshape
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_update
from wengert.ops.math import comparison
from wengert.ops.math.arithmetic import multiply
from wengert.ops.math.comparison import equal as tensor_equals
from wengert.ops.math.comparison import not_equal as tensor_not_equals
from wengert.ops.math.elementwise import ones_like, sqrt
from wengert.ops.reductions.sorting import searchsorted, sort
from wengert.ops.reductions.unique import unique
from wengert.ops.sparse.segments import segment_mean as sparse_segment_mean_with_num_segments
from wengert.ops.sparse.segments import segment_sum as sparse_segment_sum_with_num_segments
from wengert.ops.support.declare import convert_alike
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import shape_text
from wengert.values.sizes import shapes_differ
from wengert.values.tensor import dims

_mul_dispatch = multiply


def _as_indexed_slices(x: Any, optimize: bool = True) -> IndexedSlices:
    """A tensor as IndexedSlices, one for each row."""
    if isinstance(x, IndexedSlices):
        return x
    return IndexedSlices(x, range_(shape(x)[0]), shape(x))


# ---- gradients of sums of rows in segments ----------------------------------------------------


def _rows_of(grad: Any, segment_ids: Any, divide: Any) -> Any:
    """The cotangent of each row that was added to a segment."""
    ids = convert(segment_ids)
    rows = gather(convert(grad), ids)
    if divide is None:
        return rows
    counts = unsorted_segment_sum(ones_like(ids, rows.dtype), ids, shape(grad)[0])
    weights = gather(divide(counts), ids)
    return rows / reshape(weights, concat([shape(ids), ones_like(shape(rows)[1:])], 0))


def _segment_gradient(divide: Any) -> Any:
    def gradient(
        grad: Any, indices: Any, segment_ids: Any, output_dim0: Any, name: str | None = None
    ) -> Any:
        """The gradient with respect to the data, from that with respect to the segments."""
        rows = _rows_of(grad, segment_ids, divide)
        return unsorted_segment_sum(rows, indices, output_dim0)

    return gradient


def _sparse_segment_gradient(divide: Any) -> Any:
    def gradient(
        grad: Any, indices: Any, segment_ids: Any, dense_output_dim0: Any, name: str | None = None
    ) -> Any:
        """The rows of the gradient that are not zero, and their places, in order."""
        rows = _rows_of(grad, segment_ids, divide)
        given = convert(indices)
        places = unique(sort(given))[0]
        at = searchsorted(places, given)
        return unsorted_segment_sum(rows, at, shape(places)[0]), places

    return gradient


sparse_segment_sum_grad = _segment_gradient(None)
sparse_segment_mean_grad = _segment_gradient(identity)
sparse_segment_sqrt_n_grad = _segment_gradient(sqrt)
sparse_segment_sum_grad_v2 = _sparse_segment_gradient(None)
sparse_segment_mean_grad_v2 = _sparse_segment_gradient(identity)
sparse_segment_sqrt_n_grad_v2 = _sparse_segment_gradient(sqrt)


def _bucketize(input: Any, boundaries: Any, name: str | None = None) -> Any:
    """How many of the boundaries are not above each element."""
    x = convert(input)
    edges = convert(boundaries, x.dtype)
    return reshape(searchsorted(edges, reshape(x, [-1]), side="right"), shape(x))


def reduced_shape(input_shape: Any, axes: Any) -> Any:
    """A shape with sizes of one on some axes."""
    sizes = convert(input_shape)
    places = reshape(convert(axes), [-1]) % shape(sizes)[0]
    return tensor_scatter_nd_update(sizes, expand_dims(places, -1), ones_like(places, sizes.dtype))


__all__ = [
    "sparse_segment_mean_with_num_segments",
    "sparse_segment_sum_with_num_segments",
    "tensor_equals",
    "tensor_not_equals",
]


def approximate_equal(x: Any, y: Any, tolerance: float = 1e-5, name: str | None = None) -> Any:
    """Whether values of one shape are nearly equal: nothing is broadcast there."""
    a, b = convert_alike("ApproximateEqual", x, y)
    if shapes_differ(dims(a), dims(b)):
        raise InvalidArgumentError(
            f"x and y must be of the same shape. x shape: {shape_text(dims(a))}. "
            f"y shape: {shape_text(dims(b))} [Op:ApproximateEqual]"
        )
    return comparison.approximate_equal(a, b, tolerance, name=name)
