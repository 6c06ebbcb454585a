"""Sparse tensors in tf.compat.v1: the functions of tf.sparse under longer names."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.api.session.placeholders import placeholder
from wengert.compat.internals.framework.tensor_util import constant_value_as_shape
from wengert.compat.v1.functions.arguments import one_of
from wengert.core.context import current_graph
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import as_shape, reshape
from wengert.ops.linalg.matmul import matmul
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast
from wengert.ops.sparse import math, segments, shaping
from wengert.ops.sparse.tensor import SparseTensor, SparseTensorValue
from wengert.values import dtypes
from wengert.values.convert import convert_to_tensor
from wengert.values.dtypes import as_dtype
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor whose value is fed when the graph runs, as a SparseTensorValue.

    >>> with tf.Graph().as_default():
    ...     s = tf.compat.v1.sparse_placeholder(tf.float32, [2, 2])
    ...     total = tf.compat.v1.sparse_reduce_sum(s)
    ...     value = tf.compat.v1.SparseTensorValue([[0, 1]], [5.0], [2, 2])
    ...     print(tf.compat.v1.Session().run(total, {s: value}))
    5.0
    """
    if current_graph() is None:
        raise RuntimeError("`sparse_placeholder` is not compatible with eager execution.")
    known = constant_value_as_shape(shape) if isinstance(shape, Tensor) else TensorShape(shape)
    begin = "SparsePlaceholder" if name is None else name
    values = placeholder(as_dtype(dtype), [None], f"{begin}/values")
    indices = placeholder(dtypes.int64, [None, known.rank], f"{begin}/indices")
    if known.is_fully_defined():
        sizes = convert_to_tensor(np.array(known.as_list(), np.int64))
    else:
        sizes = placeholder(dtypes.int64, [known.rank], f"{begin}/shape")
    made = SparseTensor._of(indices, values, sizes)
    made._known = known if known.rank is not None else None
    return made


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """tf.sparse.add with the arguments of version 1.

    >>> s = tf.SparseTensor([[1]], [5.0], [2])
    >>> tf.compat.v1.sparse_add(s, tf.ones([2])).numpy().tolist()
    [1.0, 6.0]
    """
    limit = one_of("threshold", threshold, "thresh", thresh)
    return math.add(a, b, 0 if limit is None else limit)


def sparse_concat(
    axis: Any,
    sp_inputs: Any,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """tf.sparse.concat with the arguments of version 1.

    >>> s = tf.SparseTensor([[1]], [5.0], [2])
    >>> tf.compat.v1.sparse_concat(0, [s, s]).indices.numpy().tolist()
    [[1], [3]]
    """
    at = one_of("axis", axis, "concat_dim", concat_dim)
    expand = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    return shaping.concat(at, sp_inputs, expand, name=name)


def sparse_split(
    keyword_required: Any = None,
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """tf.sparse.split with the arguments of version 1.

    >>> s = tf.SparseTensor([[1]], [5.0], [2])
    >>> [p.values.numpy().tolist() for p in tf.compat.v1.sparse_split(sp_input=s, num_split=2, axis=0)]
    [[], [5.0]]
    """
    at = one_of("axis", axis, "split_dim", split_dim)
    return shaping.split(sp_input, num_split, at, name=name)


def _axes(axis: Any, keepdims: Any, reduction_axes: Any, keep_dims: Any) -> tuple[Any, bool]:
    at = one_of("axis", axis, "reduction_axes", reduction_axes)
    return at, bool(one_of("keepdims", keepdims, "keep_dims", keep_dims))


def sparse_reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """tf.sparse.reduce_sum with the arguments of version 1.

    >>> s = tf.SparseTensor([[1]], [5.0], [2])
    >>> tf.compat.v1.sparse_reduce_sum(s).numpy().item()
    5.0
    """
    at, keep = _axes(axis, keepdims, reduction_axes, keep_dims)
    result: Tensor = math.reduce_sum(sp_input, at, keep)
    return result


def sparse_reduce_sum_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> SparseTensor:
    """tf.sparse.reduce_sum with a sparse result.

    >>> s = tf.SparseTensor([[1, 0], [1, 1]], [5.0, 2.0], [2, 2])
    >>> tf.compat.v1.sparse_reduce_sum_sparse(s, axis=1).values.numpy().tolist()
    [7.0]
    """
    at, keep = _axes(axis, keepdims, reduction_axes, keep_dims)
    result: SparseTensor = math.reduce_sum(sp_input, at, keep, output_is_sparse=True)
    return result


def sparse_reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """tf.sparse.reduce_max with the arguments of version 1.

    >>> s = tf.SparseTensor([[0], [1]], [5.0, 7.0], [2])
    >>> tf.compat.v1.sparse_reduce_max(s).numpy().item()
    7.0
    """
    at, keep = _axes(axis, keepdims, reduction_axes, keep_dims)
    result: Tensor = math.reduce_max(sp_input, at, keep)
    return result


def sparse_reduce_max_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> SparseTensor:
    """tf.sparse.reduce_max with a sparse result.

    >>> s = tf.SparseTensor([[1, 0], [1, 1]], [5.0, 2.0], [2, 2])
    >>> tf.compat.v1.sparse_reduce_max_sparse(s, axis=1).values.numpy().tolist()
    [5.0]
    """
    at, keep = _axes(axis, keepdims, reduction_axes, keep_dims)
    result: SparseTensor = math.reduce_max(sp_input, at, keep, output_is_sparse=True)
    return result


def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """tf.sparse.segment_sum with the arguments of version 1.

    >>> tf.compat.v1.sparse_segment_sum([1.0, 2.0], [0, 1], [0, 0]).numpy().tolist()
    [3.0]
    """
    return segments.segment_sum(data, indices, segment_ids, num_segments, name=name)


def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """tf.sparse.segment_mean with the arguments of version 1.

    >>> tf.compat.v1.sparse_segment_mean([1.0, 2.0], [0, 1], [0, 0]).numpy().tolist()
    [1.5]
    """
    return segments.segment_mean(data, indices, segment_ids, num_segments, name=name)


def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """tf.sparse.segment_sqrt_n with the arguments of version 1.

    >>> tf.compat.v1.sparse_segment_sqrt_n([1.0], [0, 0, 0, 0], [0, 0, 0, 0]).numpy().tolist()
    [2.0]
    """
    return segments.segment_sqrt_n(data, indices, segment_ids, num_segments, name=name)


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A dense tensor with values at some indices and a default elsewhere.

    >>> tf.compat.v1.sparse_to_dense([0, 2], [4], [5.0, 7.0], -1.0).numpy().tolist()
    [5.0, -1.0, 7.0, -1.0]
    """
    shape, places = as_shape(output_shape), convert_to_tensor(sparse_indices)
    values = convert_to_tensor(sparse_values)
    _check_places(places.shape, values.shape, len(shape), np.ndim(default_value))
    at = reshape(cast(places, dtypes.int64), (-1, len(shape)))
    if not values.shape.rank:
        values = where(at[:, 0] >= 0, values, values)
    s = SparseTensor(at, values, shape)
    return math.to_dense(s, default_value, validate_indices, name=name)


def _check_places(places: TensorShape, values: TensorShape, rank: int, default: int) -> None:
    """Check that indices, values and a default fit together in a dense tensor of this rank."""
    if places.rank is not None and places.rank > 2:
        raise InvalidArgumentError(
            f"sparse_indices should be a scalar, vector, or matrix, got shape {places} [Op:SparseToDense]"
        )
    if places.rank == 2 and places[1] is not None and places[1] != rank:
        raise InvalidArgumentError(
            f"output_shape has incorrect number of elements: {rank} should be: {places[1]} "
            "[Op:SparseToDense]"
        )
    count = places[0] if places.rank else 1
    if values.rank and None not in (count, values[0]) and values[0] != count:
        raise InvalidArgumentError(
            f"sparse_values has incorrect shape {values}, should be [] or [{count}] [Op:SparseToDense]"
        )
    if default:
        raise InvalidArgumentError("default_value should be a scalar. [Op:SparseToDense]")


def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of two dense matrices that have many zeros.

    >>> tf.compat.v1.sparse_matmul([[2.0]], [[3.0]]).numpy().tolist()
    [[6.0]]
    """
    return matmul(a, b, transpose_a, transpose_b, name=name)


def sparse_merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """A sparse tensor of the values, whose last places are the ids.

    Several tensors of ids, with as many sizes, give several places.

    >>> ids = tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    >>> tf.compat.v1.sparse_merge(ids, ids.with_values([0.5, 1.5]), 3).indices.numpy().tolist()
    [[0, 2], [1, 0]]
    """
    listed = isinstance(sp_ids, list)
    ids, sizes = (sp_ids, vocab_size) if listed else ([sp_ids], [vocab_size])
    if (listed and not isinstance(vocab_size, list)) or len(ids) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    columns = [reshape(cast(i.values, dtypes.int64), (-1, 1)) for i in ids]
    last = [reshape(cast(convert_to_tensor(n), dtypes.int64), (1,)) for n in sizes]
    places = concat([ids[0].indices[:, :-1], *columns], 1)
    made = SparseTensor(places, sp_values.values, concat([ids[0].dense_shape[:-1], *last], 0))
    return made if already_sorted else shaping.reorder(made)


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """IndexedSlices unchanged, everything else as a tensor.

    >>> tf.compat.v1.convert_to_tensor_or_indexed_slices([1, 2]).numpy().tolist()
    [1, 2]
    """
    if not isinstance(value, IndexedSlices):
        return convert_to_tensor(value, dtype)
    if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {as_dtype(dtype).name} for Tensor with dtype "
            f"{value.dtype.name}: {value}"
        )
    return value


def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """A sparse tensor unchanged, everything else as a tensor.

    >>> tf.compat.v1.convert_to_tensor_or_sparse_tensor([1, 2]).numpy().tolist()
    [1, 2]
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return convert_to_tensor(value, dtype)
    if dtype is not None and value.dtype is not as_dtype(dtype):
        raise RuntimeError(f"Sparse dtype mismatch. Requested: {dtype}, actual: {value.dtype}")
    return value


V1_NAMES = {
    name: value
    for name, value in globals().items()
    if name.startswith("sparse_") and name not in ("sparse_math", "sparse_segments", "sparse_shaping")
} | {
    "SparseTensorValue": SparseTensorValue,
    "convert_to_tensor_or_indexed_slices": convert_to_tensor_or_indexed_slices,
    "convert_to_tensor_or_sparse_tensor": convert_to_tensor_or_sparse_tensor,
}  # fmt: skip
