"""Arithmetic of sparse tensors. In dense results, missing elements are zero."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.batched import own_ranges, run_merged, with_number
from wengert.ops.arrays.creation import ones, zeros
from wengert.ops.arrays.gathering import gather, gather_nd, scatter_nd, unsorted_segment_sum
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import broadcast_to, static
from wengert.ops.arrays.shaping import reshape as reshape_dense
from wengert.ops.arrays.shaping import transpose as transpose_dense
from wengert.ops.arrays.slicing import reverse
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_add
from wengert.ops.linalg.matmul import matmul
from wengert.ops.math import arithmetic
from wengert.ops.math.comparison import greater, greater_equal, less, logical_or, where
from wengert.ops.math.complex import abs as magnitude
from wengert.ops.math.complex import conj
from wengert.ops.math.elementwise import cast, exp, ones_like, zeros_like
from wengert.ops.reductions.reductions import normal_axes
from wengert.ops.reductions.reductions import reduce_sum as sum_dense
from wengert.ops.reductions.segments import unsorted_segment_max
from wengert.ops.sparse import spec
from wengert.ops.sparse.places import (
    as_list,
    check_inside,
    check_sorted,
    columns,
    flat_places,
    group_places,
    places_where,
    strides_of,
    with_column,
)
from wengert.ops.sparse.shaping import pick_values
from wengert.ops.sparse.tensor import (
    SparseTensor,
    SparseTensorValue,
    gives_sparse,
    new_sparse,
    sparse,
)
from wengert.ops.support.batch_rules import batch_all
from wengert.ops.support.declare import convert_alike
from wengert.ops.support.half_precision import widen
from wengert.ops.support.scipy_lazy import scipy_sparse
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.ops.sparse.tensor import SparseLike
    from wengert.values.typing import (
        Array,
        DTypeLike,
        Integers,
        IntLike,
        Namespace,
        ShapeLike,
        TensorLike,
    )
    from wengert.values.value import Value

SPARSE = (SparseTensor, SparseTensorValue)

# ---- to dense ---------------------------------------------------------------------------------


def _dense_kernel(
    _: Namespace, values: Array, indices: Array, *, shape: Dims, validate: bool
) -> Array:
    check_inside(indices, shape, "SparseToDense")
    if validate:
        check_sorted(indices, "SparseToDense")
    nothing = b"" if values.dtype.kind == "O" else 0
    out = np.full(shape, nothing, values.dtype)
    strides = strides_of(shape)
    places = sum(
        (column * stride for column, stride in zip(indices.T, strides, strict=True)),
        start=np.zeros(len(indices), np.int64),
    )
    out.reshape(-1)[places] = values
    return out


def _batched_dense(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
    """The coordinates begin with the number of the example, and so stay in order."""
    values, indices = batch_all(batched, size, xs)
    every = with_number(indices, size)
    _, count, depth = dims(every)
    flat = (reshape_dense(values, (size * count,)), reshape_dense(every, (size * count, depth)))
    result: Tensor = apply(TO_DENSE, flat, attrs | {"shape": (size, *attrs["shape"])})
    return result


TO_DENSE: Row = op(
    "SparseToDense",
    _dense_kernel,
    vjp=(lambda g, y, values, indices, *, shape, validate: gather_nd(g, indices), None),
    linear=(0,),
    shape=lambda values, indices, *, shape, validate: shape,
    batch=_batched_dense,
    saves="x",
)


@deferrable
def to_dense(
    sp_input: SparseLike,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """The dense tensor, with a default where there is no value.

    >>> s = tf.SparseTensor([[0], [2]], [5.0, 7.0], [4])
    >>> tf.sparse.to_dense(s, -1.0).numpy().tolist()
    [5.0, -1.0, 7.0, -1.0]
    """
    s = sparse(sp_input)
    attrs = {"shape": s.dims, "validate": bool(validate_indices)}
    dense: Tensor = apply(TO_DENSE, (s.values, s.indices), attrs)
    if default_value is None:
        return dense
    there = apply(TO_DENSE, (ones(dims(s.values), dtypes.bool_), s.indices), attrs)
    return where(there, dense, convert(default_value, s.dtype))


@deferrable
def to_indicator(sp_input: SparseLike, vocab_size: IntLike, name: str | None = None) -> Tensor:
    """For each row, which of the integers below `vocab_size` are among its values.

    >>> ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 0, 1], [2, 2])
    >>> tf.sparse.to_indicator(ids, 3).numpy().astype(int).tolist()
    [[0, 0, 1], [1, 1, 0]]
    """
    s, count = sparse(sp_input), int(static(vocab_size))
    shape = s.dims
    ids = cast(s.values, dtypes.int64)
    last = len(shape) - 1
    indices = with_column(s.indices[:, :last], last, ids)
    hits = scatter_nd(indices, ones(dims(ids), dtypes.int32), (*shape[:-1], count))
    return greater(hits, 0)


# ---- elementwise, of two tensors --------------------------------------------------------------


def _same_shape(a: SparseTensor, b: SparseTensor, who: str) -> Dims:
    left, right = a.dims, b.dims
    if len(left) != len(right):
        raise InvalidArgumentError(
            f"Operands' ranks do not match: got {len(left)} and {len(right)} [Op:{who}]"
        )
    for axis, (p, q) in enumerate(zip(left, right, strict=True)):
        if p != q:
            raise InvalidArgumentError(
                f"Operands' shapes do not match: got {p} and {q} for dimension {axis} [Op:{who}]"
            )
    return left


def _united(a: SparseTensor, b: SparseTensor) -> tuple[Any, Any, Any, Any]:
    """The union of both's coordinates, and the values of each there, zero where it has none."""
    indices, place = group_places(concat([a.indices, b.indices], 0))
    count, own = dims(indices)[0], dims(a.values)[0]
    at, of_b = place[:own], place[own:]
    return (
        indices,
        unsorted_segment_sum(a.values, at, count),
        unsorted_segment_sum(b.values, of_b, count),
        count,
    )


@deferrable
def add(a: TensorLike, b: TensorLike, threshold: TensorLike = 0) -> Any:
    """The sum of two tensors: sparse if both are, dense if one of them is.

    If both are sparse, sums of two values that are below the threshold are omitted.

    >>> a = tf.SparseTensor([[0], [2]], [5.0, 7.0], [3])
    >>> b = tf.SparseTensor([[1], [2]], [1.0, -6.5], [3])
    >>> tf.sparse.add(a, b).values.numpy().tolist()
    [5.0, 1.0, 0.5]
    >>> tf.sparse.add(a, b, threshold=1.0).values.numpy().tolist()
    [5.0, 1.0]
    >>> tf.sparse.add(a, tf.ones([3])).numpy().tolist()
    [6.0, 1.0, 8.0]
    """
    if not isinstance(a, SPARSE) and not isinstance(b, SPARSE):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not isinstance(a, SPARSE):
        a, b = b, a
    if not isinstance(b, SPARSE):
        s, dense = sparse(a), convert(b, sparse(a).dtype)
        if dims(dense) != s.dims:
            raise InvalidArgumentError(
                f"Dimensions of a and b must be equal: {as_list(s.dims)} vs. "
                f"{shape_text(dims(dense))} [Op:SparseTensorDenseAdd]"
            )
        return tensor_scatter_nd_add(dense, s.indices, s.values)
    return _added(sparse(a), sparse(b), threshold)


def _added(a: SparseTensor, b: SparseTensor, threshold: TensorLike) -> SparseTensor:
    shape = _same_shape(a, b, "SparseAdd")
    indices, place = group_places(concat([a.indices, b.indices], 0))
    values = unsorted_segment_sum(concat([a.values, b.values], 0), place, dims(indices)[0])
    total = new_sparse(indices, values, shape)
    size = magnitude(values)
    limit = convert(threshold, size.dtype)
    if not isinstance(threshold, (int, float)) or threshold > 0:
        count = unsorted_segment_sum(ones_like(place), place, dims(indices)[0])
        kept = logical_or(greater_equal(size, limit), less(count, cast(2, count.dtype)))
        return pick_values(total, places_where(kept))
    return total


def _extreme(
    who: str, choose: Callable[..., Any], sp_a: SparseLike, sp_b: SparseLike
) -> SparseTensor:
    a, b = sparse(sp_a), sparse(sp_b)
    shape = _same_shape(a, b, who)
    indices, x, y, _ = _united(a, b)
    return new_sparse(indices, choose(x, y), shape)


@deferrable
@gives_sparse
def maximum(sp_a: SparseLike, sp_b: SparseLike, name: str | None = None) -> SparseTensor:
    """The elementwise maximum, at the coordinates of both.

    >>> a = tf.SparseTensor([[0], [1]], [5.0, -7.0], [3])
    >>> b = tf.SparseTensor([[0], [2]], [6.0, 1.0], [3])
    >>> tf.sparse.maximum(a, b).values.numpy().tolist()
    [6.0, 0.0, 1.0]
    """
    return _extreme("SparseSparseMaximum", arithmetic.maximum, sp_a, sp_b)


@deferrable
@gives_sparse
def minimum(sp_a: SparseLike, sp_b: SparseLike, name: str | None = None) -> SparseTensor:
    """The elementwise minimum, at the coordinates of both.

    >>> a = tf.SparseTensor([[0], [1]], [5.0, -7.0], [3])
    >>> b = tf.SparseTensor([[0], [2]], [6.0, 1.0], [3])
    >>> tf.sparse.minimum(a, b).values.numpy().tolist()
    [5.0, -7.0, 0.0]
    """
    return _extreme("SparseSparseMinimum", arithmetic.minimum, sp_a, sp_b)


def _with_dense(who: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """An operation on the values, and on a dense tensor's elements at their coordinates."""

    @deferrable
    @gives_sparse
    def operator(sp: SparseTensor, dense: Tensor) -> SparseTensor:
        s = sparse(sp)
        shape = s.dims
        if isinstance(dense, SPARSE):
            raise TypeError(f"{who} of two sparse tensors is not there: make one of them dense.")
        other = convert(dense, hint=s.dtype)
        have = dims(other)
        if len(have) > len(shape) or any(
            p not in (1, q) for p, q in zip(have[::-1], shape[::-1], strict=False)
        ):
            raise InvalidArgumentError(
                "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible "
                f"shapes: {as_list(shape)} vs. {shape_text(have)} [Op:{who}]"
            )
        there = gather_nd(broadcast_to(other, shape), s.indices) if have else other
        return SparseTensor._of(s.indices, function(s.values, there), s.dense_shape)

    return operator


multiplied = _with_dense("SparseDenseCwiseMul", arithmetic.multiply)
divided = _with_dense("SparseDenseCwiseDiv", arithmetic.truediv)
setattr(SparseTensor, "__mul__", multiplied)  # noqa: B010
setattr(SparseTensor, "__rmul__", multiplied)  # noqa: B010  # a dense tensor's product leaves it to us
setattr(SparseTensor, "__truediv__", divided)  # noqa: B010
setattr(SparseTensor, "_type_spec", property(spec.SparseTensorSpec.from_value))  # noqa: B010
setattr(SparseTensor, "_shape_invariant_to_type_spec", spec.spec_of_loop_variable)  # noqa: B010


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """Apply a function to the values; all sparse arguments must have the same coordinates.

    >>> s = tf.SparseTensor([[0], [2]], [5.0, 7.0], [3])
    >>> tf.sparse.map_values(tf.add, s, 1.0).values.numpy().tolist()
    [6.0, 8.0]
    """
    found = [v for v in (*args, *kwargs.values()) if isinstance(v, SparseTensor)]
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    plain = [v.values if isinstance(v, SparseTensor) else v for v in args]
    named = {k: v.values if isinstance(v, SparseTensor) else v for k, v in kwargs.items()}
    first = found[0]
    for other in found[1:]:
        first.shape.assert_is_compatible_with(other.shape)
        first.values.shape.assert_is_compatible_with(other.values.shape)
    return first.with_values(op(*plain, **named))


# ---- reductions -------------------------------------------------------------------------------


def _reduced(
    who: str,
    combine: Callable[..., Any],
    sp_input: SparseLike,
    axis: Integers | None,
    keepdims: bool | None,
    as_sparse: bool,
) -> Tensor | SparseTensor:
    s = sparse(sp_input)
    shape = s.dims
    axes = normal_axes(axis, len(shape), who)
    kept = [a for a in range(len(shape)) if a not in axes]
    left = [shape[a] for a in kept]
    result = [1 if a in axes else n for a, n in enumerate(shape)] if keepdims else left
    if not as_sparse:
        places = flat_places(columns(s.indices, kept), left)
        return reshape_dense(combine(s.values, places, math.prod(left)), result)
    indices, place = group_places(columns(s.indices, kept))
    values = combine(s.values, place, dims(indices)[0])
    if keepdims:
        for a in axes:
            nothing = zeros([dims(values)[0]], dtypes.int64)
            indices = with_column(indices, a, nothing)
    return new_sparse(indices, values, result)


def _largest(values: Tensor, places: Tensor, count: int) -> Tensor:
    """The maximum of each group; zero for an empty one."""
    there = unsorted_segment_sum(ones(dims(places), dtypes.int32), places, count)
    found = unsorted_segment_max(values, places, count)
    return where(greater(there, 0), found, zeros_like(found))


@deferrable
def reduce_sum(
    sp_input: SparseLike,
    axis: Integers | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The sum of the values along some axes, or along all.

    >>> s = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1.0, 2.0, 4.0], [3, 2])
    >>> tf.sparse.reduce_sum(s, axis=1).numpy().tolist()
    [3.0, 0.0, 4.0]
    >>> tf.sparse.reduce_sum(s, axis=1, output_is_sparse=True).indices.numpy().tolist()
    [[0], [2]]
    """
    combine = unsorted_segment_sum
    return _reduced("SparseReduceSum", combine, sp_input, axis, keepdims, output_is_sparse)


@deferrable
def reduce_max(
    sp_input: SparseLike,
    axis: Integers | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The maximum of the stored values along some axes, or along all; zero if there are none.

    >>> s = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1.0, 2.0, -4.0], [3, 2])
    >>> tf.sparse.reduce_max(s, axis=1).numpy().tolist()
    [2.0, 0.0, -4.0]
    """
    return _reduced("SparseReduceMax", _largest, sp_input, axis, keepdims, output_is_sparse)


@deferrable
@gives_sparse
def softmax(sp_input: SparseLike, name: str | None = None) -> SparseTensor:
    """The softmax along the last axis; missing elements are ignored.

    >>> s = tf.SparseTensor([[0, 0], [0, 2]], [1.0, 1.0], [1, 3])
    >>> tf.sparse.softmax(s).values.numpy().tolist()
    [0.5, 0.5]
    """
    s = sparse(sp_input)
    rank = len(s.dims)
    if rank < 2:
        raise InvalidArgumentError(
            f"Input should have rank >= 2, but received shape: {as_list(s.dims)} [Op:SparseSoftmax]"
        )
    rows, place = group_places(s.indices[:, : rank - 1])
    count = dims(rows)[0]
    highest = unsorted_segment_max(stop_gradient(s.values), place, count)
    share = exp(s.values - gather(highest, place))
    total = gather(unsorted_segment_sum(share, place, count), place)
    return SparseTensor._of(s.indices, share / total, s.dense_shape)


# ---- products ---------------------------------------------------------------------------------


def _product_kernel(_: Namespace, values: Array, indices: Array, b: Array, *, rows: int) -> Array:
    """The matrix with `rows` rows times b."""
    r, c = indices[:, 0], indices[:, 1]
    _check_product(r, rows, "m", "0")
    _check_product(c, b.shape[0], "k", "1")
    wide = widen(b)
    matrix = scipy_sparse().csr_matrix((widen(values), (r, c)), shape=(rows, b.shape[0]))
    return np.asarray(matrix @ wide).astype(b.dtype, copy=False)


def _check_product(places: Array, size: int, letter: str, column: str) -> None:
    bad = (places < 0) | (places >= size)
    if bad.any():
        at = int(np.argmax(bad))
        raise InvalidArgumentError(
            f"{letter} ({int(places[at])}) from index[{at},{column}] out of bounds (>={size}) "
            "[Op:SparseTensorDenseMatMul]"
        )


def _values_rule(
    g: Tensor, y: Tensor | None, values: Tensor, indices: Tensor, b: Tensor, *, rows: int
) -> Tensor:
    """The elements of g b' at the coordinates of the values."""
    return sum_dense(gather(g, indices[:, 0]) * gather(b, indices[:, 1]), 1)


def _dense_rule(
    g: Tensor, y: Tensor | None, values: Tensor, indices: Tensor, b: Tensor, *, rows: int
) -> Tensor:
    return _product(values, reverse(indices, [1]), g, dims(b)[0])


def _batched_product(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
    """One matrix times the columns of all examples, or a matrix with a block for each."""
    result: Tensor
    if not (batched[0] or batched[1]):
        result = run_merged(PRODUCT, batched, size, xs, attrs, (None, None, 1), 1)
        return result
    values, indices, b = batch_all(batched, size, xs)
    rows, columns = attrs["rows"], dims(b)[1]
    ends = ((indices[..., 0], rows), (indices[..., 1], columns))
    blocks = stack([own_ranges(ids, count, size) for ids, count in ends], -1)
    every, wider = (True, True, True), {"rows": size * rows}
    result = run_merged(PRODUCT, every, size, (values, blocks, b), wider, (0, 0, 0))
    return result


PRODUCT: Row = op(
    "SparseTensorDenseMatMul",
    _product_kernel,
    vjp=(_values_rule, None, _dense_rule),
    jvp=(
        lambda t, y, values, indices, b, *, rows: _product(t, indices, b, rows),
        None,
        lambda t, y, values, indices, b, *, rows: _product(values, indices, t, rows),
    ),
    shape=lambda values, indices, b, *, rows: (rows, b[1]),
    batch=_batched_product,
    saves="x",
)


def _product(values: Tensor, indices: Tensor, b: Tensor, rows: int) -> Tensor:
    result: Tensor = apply(PRODUCT, (values, indices, b), {"rows": rows})
    return result


@deferrable
def sparse_dense_matmul(
    sp_a: TensorLike,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of a sparse matrix and a dense one, in either order.

    >>> a = tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
    >>> tf.sparse.sparse_dense_matmul(a, [[1.0], [10.0]]).numpy().tolist()
    [[20.0], [3.0]]
    """
    if isinstance(b, SPARSE) and not isinstance(sp_a, SPARSE):
        # A B is the adjoint of B' A'.
        turned = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return conj(transpose_dense(turned))
    a = sparse(sp_a)
    _, dense = convert_alike(PRODUCT.name, a.values, b)
    if len(a.dims) != 2:
        raise InvalidArgumentError(f"Tensor 'a_shape' must have 2 elements [Op:{PRODUCT.name}]")
    if len(dims(dense)) != 2:
        raise InvalidArgumentError(f"Tensor 'b' is not a matrix [Op:{PRODUCT.name}]")
    other = conj(transpose_dense(dense)) if adjoint_b else dense
    rows, inner = a.dims[::-1] if adjoint_a else a.dims
    if dims(other)[0] != inner:
        raise InvalidArgumentError(
            "Cannot multiply A and B because inner dimension does not match: "
            f"{inner} vs. {dims(other)[0]}.  Did you forget a transpose?  Dimensions of A: "
            f"[{rows}, {inner}).  Dimensions of B: {shape_text(dims(other))} [Op:{PRODUCT.name}]"
        )
    if adjoint_a:
        result: Tensor = _product(conj(a.values), reverse(a.indices, [1]), other, rows)
    else:
        result = _product(a.values, a.indices, other, rows)
    return result


@deferrable
def sampled_addmm(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: ShapeLike,
    mat1: TensorLike,
    mat2: TensorLike,
    beta: float | Value | Array = 1.0,
    alpha: float | Value | Array = 1.0,
    output_type: DTypeLike = dtypes.float32,
) -> tuple[Tensor, Any, Tensor]:
    """The sampled matrix product: `alpha` (mat1 mat2) + `beta` `values`, at `indices` only.

    Returns the coordinates, the new values and the shape.

    >>> _, values, _ = tf.sparse.sampled_addmm([[0, 1]], [5.0], [2, 2], tf.eye(2), [[1.0, 2.0], [3.0, 4.0]])
    >>> values.numpy().tolist()
    [7.0]
    """
    at, here = convert(indices), convert(values)
    product = matmul(mat1, mat2)
    return at, beta * here + alpha * gather_nd(product, at), convert(dense_shape)
