"""Raw operations on sparse tensors, which take them apart: places, values and shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.io import sparse as serialized
from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.gathering import gather, gather_nd, scatter_nd
from wengert.ops.arrays.joining import concat as joined
from wengert.ops.arrays.shaping import expand_dims
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_add
from wengert.ops.math.elementwise import ones_like, zeros_like
from wengert.ops.reductions.reductions import reduce_max, reduce_sum
from wengert.ops.reductions.sequences import invert_permutation
from wengert.ops.sparse import math, sets, shaping
from wengert.ops.sparse.edit_distance import edit_distance as distance
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values.convert import convert
from wengert.values.dtypes import int64, string

Parts = tuple[Any, Any, Any]


def parts(value: SparseTensor) -> Parts:
    """Places, values and shape."""
    return value.indices, value.values, value.dense_shape


def _extent(*places: Any) -> Any:
    """A shape in which there are all these places."""
    return reduce_max(joined([convert(p, int64) for p in places], 0), 0) + 1


def add(
    a_indices: Any, a_values: Any, a_shape: Any, b_indices: Any, b_values: Any, b_shape: Any,
    thresh: Any,
) -> Parts:  # fmt: skip
    """The sum of two sparse tensors."""
    a = SparseTensor(a_indices, a_values, a_shape)
    return parts(math.add(a, SparseTensor(b_indices, b_values, b_shape), thresh))


def add_dense(a_indices: Any, a_values: Any, a_shape: Any, b: Any) -> Any:
    """The sum of a sparse tensor and a dense one."""
    return tensor_scatter_nd_add(convert(b), a_indices, a_values)


def add_grad(backprop_val_grad: Any, a_indices: Any, b_indices: Any, sum_indices: Any) -> Any:
    """The gradients with respect to the values of two sparse tensors, from those of their sum."""
    places = [convert(x, int64) for x in (a_indices, b_indices, sum_indices)]
    dense = scatter_nd(places[2], backprop_val_grad, _extent(*places))
    return gather_nd(dense, places[0]), gather_nd(dense, places[1])


def concat(indices: Any, values: Any, shapes: Any, concat_dim: Any) -> Parts:
    """Sparse tensors one after the other."""
    each = [SparseTensor(*given) for given in zip(indices, values, shapes, strict=True)]
    return parts(shaping.concat(concat_dim, each))


def with_dense(change: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A function of the values and of the elements of a dense tensor at their places."""

    def changed(sp_indices: Any, sp_values: Any, sp_shape: Any, dense: Any) -> Any:
        sparse = SparseTensor(sp_indices, ones_like(convert(sp_values)), sp_shape)
        return change(convert(sp_values), (sparse * convert(dense, sparse.dtype)).values)

    return changed


dense_add = with_dense(lambda v, d: v + d)
dense_mul = with_dense(lambda v, d: v * d)
dense_div = with_dense(lambda v, d: v / d)


def fill_empty_rows(indices: Any, values: Any, dense_shape: Any, default_value: Any) -> Any:
    """The sparse tensor without empty rows, which rows were empty, and where values went."""
    given = SparseTensor(indices, values, dense_shape)
    filled, empty, order = shaping.filled_rows(given, default_value)
    there = invert_permutation(order)[: shape(given.values)[0]]
    return filled.indices, filled.values, empty, there


def fill_empty_rows_grad(reverse_index_map: Any, grad_values: Any) -> Any:
    """The gradients of the values, and of the default."""
    there, g = convert(reverse_index_map), convert(grad_values)
    own = gather(g, there)
    return own, reduce_sum(g) - reduce_sum(own)


def reduce(function: Callable[..., Any], *given: Any, keep_dims: bool, sparse: bool) -> Any:
    """A reduction of a sparse tensor along axes."""
    *of, axes = given
    found = function(SparseTensor(*of), axes, keepdims=keep_dims, output_is_sparse=sparse)
    return parts(found) if sparse else found


def _reduction(function: Callable[..., Any], sparse: bool) -> Callable[..., Any]:
    def reduced(
        input_indices: Any, input_values: Any, input_shape: Any, reduction_axes: Any,
        keep_dims: bool = False,
    ) -> Any:  # fmt: skip
        given = (input_indices, input_values, input_shape, reduction_axes)
        return reduce(function, *given, keep_dims=keep_dims, sparse=sparse)

    return reduced


reduce_sum_dense, reduce_sum_sparse = (_reduction(math.reduce_sum, s) for s in (False, True))
reduce_max_dense, reduce_max_sparse = (_reduction(math.reduce_max, s) for s in (False, True))


def reorder(input_indices: Any, input_values: Any, input_shape: Any) -> Any:
    """Places and values in the order of rows."""
    return parts(shaping.reorder(SparseTensor(input_indices, input_values, input_shape)))[:2]


def reshape(input_indices: Any, input_shape: Any, new_shape: Any) -> Any:
    """The places in another shape."""
    values = zeros_like(convert(input_indices)[:, 0])
    found = shaping.reshape(SparseTensor(input_indices, values, input_shape), new_shape)
    return found.indices, found.dense_shape


def slice_(indices: Any, values: Any, shape: Any, start: Any, size: Any) -> Parts:
    """A part of a sparse tensor."""
    return parts(shaping.slice_(SparseTensor(indices, values, shape), start, size))


def slice_grad(
    backprop_val_grad: Any, input_indices: Any, input_start: Any, output_indices: Any
) -> Any:
    """The gradient with respect to the values of a sparse tensor, from that of a part's."""
    places = convert(input_indices, int64)
    at = convert(output_indices, int64) + convert(input_start, int64)
    return gather_nd(scatter_nd(at, backprop_val_grad, _extent(places, at)), places)


def softmax(sp_indices: Any, sp_values: Any, sp_shape: Any) -> Any:
    """The softmax of the values of each row."""
    return math.softmax(SparseTensor(sp_indices, sp_values, sp_shape)).values


def _of_two(function: Callable[..., Any]) -> Callable[..., Any]:
    def combined(
        a_indices: Any, a_values: Any, a_shape: Any, b_indices: Any, b_values: Any, b_shape: Any
    ) -> Any:
        a, b = (
            SparseTensor(a_indices, a_values, a_shape),
            SparseTensor(b_indices, b_values, b_shape),
        )
        return parts(function(a, b))[:2]

    return combined


maximum, minimum = _of_two(math.maximum), _of_two(math.minimum)


def split(split_dim: Any, indices: Any, values: Any, shape: Any, num_split: int) -> Any:
    """The parts of a sparse tensor: all places, all values, all shapes."""
    found = shaping.split(SparseTensor(indices, values, shape), num_split, int(split_dim))
    return tuple(map(list, zip(*map(parts, found), strict=True)))


def dense_matmul(
    a_indices: Any, a_values: Any, a_shape: Any, b: Any, adjoint_a: bool, adjoint_b: bool
) -> Any:
    """The product of a sparse matrix and a dense one."""
    a = SparseTensor(a_indices, a_values, a_shape)
    return math.sparse_dense_matmul(a, b, adjoint_a, adjoint_b)


def edit_distance(
    hypothesis_indices: Any, hypothesis_values: Any, hypothesis_shape: Any, truth_indices: Any,
    truth_values: Any, truth_shape: Any, normalize: bool,
) -> Any:  # fmt: skip
    """The edit distances of the sequences of two sparse tensors."""
    said = SparseTensor(hypothesis_indices, hypothesis_values, hypothesis_shape)
    return distance(said, SparseTensor(truth_indices, truth_values, truth_shape), normalize)


# ---- sets ----------------------------------------------------------------------------------------


def _sets(a: Any, b: Any, operation: Any) -> Parts:
    kind = operation.decode() if isinstance(operation, bytes) else operation
    functions: dict[str, Callable[[], Any]] = {
        "a-b": lambda: sets.difference(a, b),
        "b-a": lambda: sets.difference(a, b, aminusb=False),
        "intersection": lambda: sets.intersection(a, b),
        "union": lambda: sets.union(a, b),
    }
    if kind.lower() not in functions:
        raise ValueError(f"Invalid set_operation {kind}.")
    return parts(functions[kind.lower()]())


def dense_sets(set1: Any, set2: Any, set_operation: Any) -> Parts:
    """What two sets have, rows of dense tensors."""
    return _sets(set1, set2, set_operation)


def dense_and_sparse_sets(
    set1: Any, set2_indices: Any, set2_values: Any, set2_shape: Any, set_operation: Any
) -> Parts:
    """What two sets have, rows of a dense tensor and of a sparse one."""
    return _sets(set1, SparseTensor(set2_indices, set2_values, set2_shape), set_operation)


def sparse_sets(
    set1_indices: Any, set1_values: Any, set1_shape: Any,
    set2_indices: Any, set2_values: Any, set2_shape: Any, set_operation: Any,
) -> Parts:  # fmt: skip
    """What two sets have, rows of sparse tensors."""
    first = SparseTensor(set1_indices, set1_values, set1_shape)
    return _sets(first, SparseTensor(set2_indices, set2_values, set2_shape), set_operation)


def set_size(set_indices: Any, set_values: Any, set_shape: Any) -> Any:
    """How many different elements each row has."""
    return sets.size(SparseTensor(set_indices, set_values, set_shape))


# ---- as text -------------------------------------------------------------------------------------


def serialize(sparse_indices: Any, sparse_values: Any, sparse_shape: Any, out_type: Any) -> Any:
    """A sparse tensor as three strings."""
    return serialized.serialize_sparse(
        SparseTensor(sparse_indices, sparse_values, sparse_shape), out_type
    )


def serialize_many(
    sparse_indices: Any, sparse_values: Any, sparse_shape: Any, out_type: Any
) -> Any:
    """Each row of a sparse tensor as three strings."""
    return serialized.serialize_many_sparse(
        SparseTensor(sparse_indices, sparse_values, sparse_shape), out_type
    )


def deserialize_many(serialized_sparse: Any, dtype: Any) -> Parts:
    """Sparse tensors from strings, as rows of one."""
    return parts(serialized.deserialize_many_sparse(serialized_sparse, dtype))


def deserialize_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """A sparse tensor from three strings; from rows of them, the tensors as rows of one."""
    texts = convert(serialized_sparse, string)
    if texts.shape.rank != 1:
        return serialized.deserialize_many_sparse(texts, dtype, rank, name)
    one = serialized.deserialize_many_sparse(expand_dims(texts, 0), dtype, rank, name)
    return SparseTensor(one.indices[:, 1:], one.values, one.dense_shape[1:])


def sparse_dense_cwise_add(sp_t: SparseTensor, dense_t: Any) -> SparseTensor:
    """The sum, at the places of a sparse tensor, with a dense one that is broadcast."""
    values = dense_add(sp_t.indices, sp_t.values, sp_t.dense_shape, dense_t)
    return SparseTensor(sp_t.indices, values, sp_t.dense_shape)
