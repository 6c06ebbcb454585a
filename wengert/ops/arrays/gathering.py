"""Gather, scatter, one-hot, unsorted segment sums; and IndexedSlices."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import is_replaced, made_from, note_access
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import ASIDE, op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import Stated, number_of, sizes_of, states
from wengert.inference.symbolic_integers import (
    all_between,
    bounds_of_all,
    by_function,
    integer,
    integers_of,
    known_value,
)
from wengert.ops.arrays.batched import by_segment
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.arrays.shaping import (
    as_shape,
    one_axis,
    plain,
    reshape,
    static,
)
from wengert.ops.math.comparison import greater_equal, where
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.support.batch_rules import batch_all, shift_axis
from wengert.ops.support.segment_kernels import reduced_rows
from wengert.state.variable import Variable
from wengert.values import dtypes
from wengert.values.convert import convert, convert_to_tensor, register_converter
from wengert.values.dtypes import DType, as_dtype
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import Dims, axis_from, normal_axis, shape_text
from wengert.values.sizes import certainly, shapes_differ
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, DTypeLike, Integers, Namespace, ShapeLike, TensorLike

# ---- gather along an axis ---------------------------------------------------------------------


def check_indices(indices: Array, size: int, who: str) -> None:
    """Raise unless all indices are in [0, size)."""
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        bad = (indices < 0) | (indices >= size)
        at = np.argwhere(bad)[0]
        place = f"[{','.join(str(int(i)) for i in at)}]" if at.size else ""
        raise InvalidArgumentError(
            f"indices{place} = {int(indices[tuple(at)])} is not in [0, {size}) [Op:{who}]"
        )


def _batch_grid(shape: Dims, count: int) -> list[Any]:
    """Index arrays over the first `count` axes, to be combined with further index arrays."""
    return [
        np.arange(shape[i]).reshape([-1 if j == i else 1 for j in range(len(shape))])
        for i in range(count)
    ]


def _gather_kernel(xp: Namespace, x: Array, i: Array, *, axis: int, batch_dims: int) -> Array:
    check_indices(i, x.shape[axis], "GatherV2")
    if not batch_dims:
        return xp.take(x, i, axis=axis)
    moved = xp.moveaxis(x, axis, batch_dims)
    picked = moved[tuple([*_batch_grid(i.shape, batch_dims), i])]
    # the axes between the batch and `axis` come before those of the indices
    return xp.moveaxis(
        picked,
        range(i.ndim, i.ndim + axis - batch_dims),
        range(batch_dims, axis),
    )


def _gather_grad_kernel(
    _: Namespace, g: Array, i: Array, *, axis: int, batch_dims: int, shape: Dims
) -> Array:
    if not axis and not batch_dims:
        rows = g.reshape(i.size, *shape[1:])
        return reduced_rows(np.add, rows, i.ravel().astype(np.intp), shape[0], 0)
    batch, size = shape[:batch_dims], shape[axis]
    rest = (*shape[batch_dims:axis], *shape[axis + 1 :])
    count = math.prod(batch)
    # the axes of the indices go before those between the batch and `axis`
    own = range(axis, axis + i.ndim - batch_dims)
    rows = np.moveaxis(g, own, range(batch_dims, i.ndim)).reshape(i.size, *rest)
    each = math.prod(i.shape[batch_dims:])
    ids = i.reshape(count, each).astype(np.intp) + size * np.arange(count)[:, None]
    out = reduced_rows(np.add, rows, ids.ravel(), count * size, 0)
    return np.moveaxis(out.reshape(*batch, size, *rest), batch_dims, axis)


def _gather_rule(
    g: Tensor, y: Tensor | None, x: Tensor, i: Tensor, *, axis: int, batch_dims: int
) -> Any:
    shape = dims(x)
    if axis == 0 and batch_dims == 0 and type(g) in (Tensor, SymbolicTensor):
        if type(g) is Tensor and len(dims(i)) == 1:
            return IndexedSlices(g, i, shape)
        # In a graph, too, this says that there are as many rows as indices.
        rows = reshape(g, (math.prod(dims(i)), *shape[1:]))
        return IndexedSlices(rows, reshape(i, (-1,)), shape)
    return _dense_gather_rule(g, y, x, i, axis=axis, batch_dims=batch_dims)


def _dense_gather_rule(
    g: Tensor, y: Tensor | None, x: Tensor, i: Tensor, *, axis: int, batch_dims: int
) -> Any:
    attrs = {"axis": axis, "batch_dims": batch_dims, "shape": dims(x)}
    return apply(GATHER_GRAD, (g, i), attrs)


def _batched_gather(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    return _at_indices(GATHER, batched, size, xs, attrs | {"axis": attrs["axis"] + 1})


def _batched_gather_grad(
    batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs
) -> Any:
    wider = {"axis": attrs["axis"] + 1, "shape": (size, *attrs["shape"])}
    return _at_indices(GATHER_GRAD, batched, size, xs, attrs | wider)


def _at_indices(
    row: Row, batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs
) -> Any:
    """Indices that all examples share stay as they are; otherwise there is one more batch axis."""
    if not batched[1] and not attrs["batch_dims"]:
        return apply(row, xs, attrs)
    full = batch_all(batched, size, xs)
    return apply(row, full, attrs | {"batch_dims": attrs["batch_dims"] + 1})


def _gathered_shape(x: Dims, i: Dims, *, axis: int, batch_dims: int) -> Dims:
    return (*x[:axis], *i[batch_dims:], *x[axis + 1 :])


_known_gathered = by_function(
    lambda x, i, **attrs: _gather_kernel(np, x, i.astype(np.intp), **attrs)
)


def _gathered_integers(inputs: Sequence[Any], attrs: Attrs) -> Any:
    """The integers; where indices are not known, bounds: those of all that there is to gather."""
    x, i = inputs
    if known_value(i) is not None:
        return _known_gathered(inputs, attrs)
    return all_between(bounds_of_all(x), _gathered_shape(dims(x), dims(i), **attrs))


GATHER: Row = op(
    "GatherV2",
    _gather_kernel,
    shape=_gathered_shape,
    integers=_gathered_integers,
    vjp=(_gather_rule, None),
    linear=(0,),
    batch=_batched_gather,
    saves="x",
)


GATHER_FROM_END: Final = GATHER.replace(vjp=(_dense_gather_rule, None))


def gather_densely(x: Tensor, places: Tensor | Array, axis: int = 0) -> Tensor:
    """Slices along an axis, for functions whose gradient is a tensor in TensorFlow."""
    if axis:
        return gather(x, places, axis=axis)
    result: Tensor = apply(GATHER_FROM_END, (x, integers(places)), {"axis": 0, "batch_dims": 0})
    return result


GATHER_GRAD: Row = op(
    "GatherV2Grad",
    _gather_grad_kernel,
    shape=lambda g, i, *, axis, batch_dims, shape: shape,
    vjp=(
        lambda g, y, x, i, *, axis, batch_dims, shape: gather(
            g, i, axis=axis, batch_dims=batch_dims
        ),
        None,
    ),
    linear=(0,),
    batch=_batched_gather_grad,
    saves="x",
)


@deferrable
def gather(
    params: TensorLike,
    indices: TensorLike | Integers,
    validate_indices: object = None,
    axis: Integers | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Gather the slices of `params` at `indices` along an axis.

    >>> tf.gather([10.0, 20.0, 30.0], [2, 0]).numpy().tolist()
    [30.0, 10.0]
    >>> tf.gather([[1, 2], [3, 4]], [1, 0], axis=1, batch_dims=1).numpy().tolist()
    [2, 3]
    """
    found = _gathered_from(params, RESOURCE_GATHER, indices, axis, batch_dims)
    if found is not None:
        return found
    x, i = convert(params), integers(indices)
    if not dims(x):
        raise InvalidArgumentError("params must be at least 1 dimensional [Op:GatherV2]")
    leading = normal_axis(int(batch_dims), len(dims(i)))
    wanted = leading if axis is None else int(static(axis))
    complaint = f"Shape must be at least rank {max(wanted + 1, -wanted)} but is rank {{rank}}"
    at = one_axis(wanted, len(dims(x)), "GatherV2", complaint)
    if not 0 <= leading <= len(dims(i)):
        raise InvalidArgumentError(
            f"Expected batch_dims in the range [{-len(dims(i))}, {len(dims(i))}], "
            f"but got {batch_dims} [Op:GatherV2]"
        )
    if leading > at:
        raise InvalidArgumentError(
            f"batch_dims ({leading}) must be less than or equal to axis ({at}) [Op:GatherV2]"
        )
    _check_batch(dims(x), dims(i), leading, "GatherV2")
    # Of an axis that is counted from the end, TensorFlow does not see that it is the first.
    row = GATHER_FROM_END if wanted < 0 and not at else GATHER
    result: Tensor = apply(row, (x, i), {"axis": at, "batch_dims": leading})
    return result


def _batch_dims(given: Any, params: int, indices: int) -> int:
    """How many leading axes are those of a batch, as one number or as a tensor of one."""
    if isinstance(given, Tensor) and given.shape.rank:
        if given.shape.num_elements() != 1:
            raise TypeError(f"batch_dims must be one number, got a tensor of shape {given.shape}.")
        given = integers_of(given).item()
    count = int(given)
    if count < 0 or count >= min(params, indices):
        raise ValueError(
            f"batch_dims = {count} must not be negative and be less than rank(params) = {params} "
            f"and rank(indices) = {indices}."
        )
    return count


def _check_batch(params: Dims, indices: Dims, count: int, who: str) -> None:
    for axis in range(count):
        if certainly(params[axis] != indices[axis]):
            raise InvalidArgumentError(
                f"params.shape[{axis}]: {params[axis]} should be equal to "
                f"indices.shape[{axis}]: {indices[axis]} [Op:{who}]"
            )


def integers(
    value: TensorLike | Integers, attr: str = "Tindices", names: str = "int16, int32, int64"
) -> Tensor:
    """Indices as a tensor of one of the named integer dtypes; of int32 if the list is empty."""
    none = isinstance(value, (list, tuple)) and not value
    i = convert(value, dtypes.int32 if none else None)
    if i.dtype.name not in names.split(", "):
        raise InvalidArgumentError(
            f"Value for attr '{attr}' of {i.dtype.spoken} is not in the list of allowed "
            f"values: {names}"
        )
    return i


# ---- gather and scatter by coordinates --------------------------------------------------------


def coordinates(i: Array, shape: Dims, words_for: str, who: str) -> tuple[Any, ...]:
    """The columns of an index matrix, checked against a shape."""
    columns = tuple(np.moveaxis(i, -1, 0))
    if i.size and any(c.min() < 0 or c.max() >= n for c, n in zip(columns, shape, strict=False)):
        limits = np.array(shape[: i.shape[-1]], i.dtype)
        at = np.argwhere(((i < 0) | (i >= limits)).any(axis=-1))[0]
        place = ",".join(str(int(v)) for v in at)
        raise InvalidArgumentError(
            f"indices[{place}] = {i[tuple(at)].tolist()} does not index into {words_for} "
            f"{shape_text(shape)} [Op:{who}]"
        )
    return columns


def _gather_nd_kernel(xp: Namespace, x: Array, i: Array, *, batch_dims: int) -> Array:
    places = coordinates(i, x.shape[batch_dims:], "param shape", "GatherNd")
    if not places:
        batch, rest = x.shape[:batch_dims], x.shape[batch_dims:]
        alike = x.reshape(*batch, *[1] * (i.ndim - 1 - batch_dims), *rest)
        return xp.broadcast_to(alike, (*i.shape[:-1], *rest)).copy()
    return _taken_at(x, (*_batch_grid(i.shape[:-1], batch_dims), *places))


def _taken_at(x: Array, at: tuple[Any, ...]) -> Array:
    """What lies at some coordinates: in an array of NumPy's by one index, which takes half of the time."""
    if len(at) < 2 or type(x) is not np.ndarray or not x.flags.c_contiguous:
        return x[at]
    front, rest = x.shape[: len(at)], x.shape[len(at) :]
    taken = x.reshape(math.prod(front), *rest).take(linear(at, front), axis=0)
    # The shape in one piece: of one place in a tensor's elements there are no numbers to give one by one.
    return taken.reshape((*np.broadcast_shapes(*[np.shape(a) for a in at]), *rest))


def _scatter_nd_kernel(
    _: Namespace, i: Array, updates: Array, *, shape: Dims, batch_dims: int
) -> Array:
    places = coordinates(i, shape[batch_dims:], "shape", "ScatterNd")
    if not places:
        batch, rest = shape[:batch_dims], shape[batch_dims:]
        count = math.prod(i.shape[batch_dims:-1])
        return updates.reshape(*batch, count, *rest).sum(axis=batch_dims, dtype=updates.dtype)
    at = (*_batch_grid(i.shape[:-1], batch_dims), *places)
    ids = linear(at, shape[: len(at)])
    rows = updates.reshape(ids.size, *shape[len(at) :])
    nothing: Any = b"" if rows.dtype.kind == "O" else 0  # of text, which is put one after the other
    return reduced_rows(np.add, rows, ids, math.prod(shape[: len(at)]), nothing).reshape(shape)


def linear(places: Sequence[Any], shape: Dims) -> Array:
    """Convert coordinates to flat indices."""
    ids = np.zeros((), np.intp)
    for place, size in zip(places, shape, strict=True):
        ids = ids * size + place
    return ids.ravel()


def _gather_nd_rule(g: Tensor, y: Tensor | None, x: Tensor, i: Tensor, *, batch_dims: int) -> Any:
    shape, places = dims(x), dims(i)
    rows = len(places) == 2 and type(places[1]) is int and places[1] == 1 and not batch_dims
    if rows and type(g) in (Tensor, SymbolicTensor):
        return IndexedSlices(g, reshape(i, (-1,)), shape)
    return apply(SCATTER_ND, (i, g), {"shape": shape, "batch_dims": batch_dims})


def _batched_gather_nd(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    if not batched[0] and not attrs["batch_dims"]:
        return apply(GATHER_ND, xs, attrs)
    full = batch_all(batched, size, xs)
    return apply(GATHER_ND, full, {"batch_dims": attrs["batch_dims"] + 1})


def _batched_scatter_nd(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    wider = {"shape": (size, *attrs["shape"]), "batch_dims": attrs["batch_dims"] + 1}
    return apply(SCATTER_ND, batch_all(batched, size, xs), wider)


GATHER_ND: Row = op(
    "GatherNd",
    _gather_nd_kernel,
    shape=lambda x, i, *, batch_dims: (*i[:-1], *x[batch_dims + operator.index(i[-1]) :]),
    vjp=(_gather_nd_rule, None),
    linear=(0,),
    batch=_batched_gather_nd,
    saves="x",
)
SCATTER_ND: Row = op(
    "ScatterNd",
    _scatter_nd_kernel,
    shape=lambda i, updates, *, shape, batch_dims: shape,
    dtype=lambda i, updates, **_: updates,
    vjp=(
        None,
        lambda g, y, i, u, *, shape, batch_dims: gather_nd(g, i, batch_dims),
    ),
    linear=(1,),
    batch=_batched_scatter_nd,
    saves="x",
)


@deferrable
def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """Gather elements or slices of `params` at coordinates, the last axis of `indices`.

    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
    [2, 3]
    """
    found = _gathered_from(params, RESOURCE_GATHER_ND, indices, batch_dims)
    if found is not None:
        return found
    x, i = convert(params), integers(indices)
    if not dims(i):
        raise InvalidArgumentError("indices must be at least a vector [Op:GatherNd]")
    batch_dims = _batch_dims(batch_dims, len(dims(x)), len(dims(i)))
    _check_batch(dims(x), dims(i), batch_dims, "GatherNd")
    depth = dims(i)[-1]
    if depth > len(dims(x)) - batch_dims:
        raise InvalidArgumentError(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. "
            f"{len(dims(x)) - batch_dims} [Op:GatherNd]"
        )
    result: Tensor = apply(GATHER_ND, (x, i), {"batch_dims": batch_dims})
    return result


# ---- gather from variables, where they are ------------------------------------------------------


def _of_variable(name: str, row: Row, attrs: Attrs) -> Row:
    """An operation that takes a variable and not its value, made for those who replace its gradient.

    TensorFlow gathers from variables by it. Engines know better what to do with a value that was read.
    """

    def kernel(xp: Namespace, x: Any, i: Array) -> Any:  # of a cell, where a plan runs it
        return row.kernel(xp, getattr(x, "_array", x), i, **attrs)

    def shape(x: Dims, i: Dims) -> Any:
        assert row.shape is not None
        return row.shape(x, i, **attrs)

    def rule(g: Tensor, y: Tensor, x: Any, i: Tensor) -> Any:
        assert isinstance(row.vjp, tuple)
        return row.vjp[0](g, y, x, i, **attrs)

    def batch(_: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        return apply(made, xs)  # it is the indices that are many

    made = ASIDE[name] = Row(
        name, kernel, step=kernel, shape=shape, vjp=(rule, None), linear=(0,), batch=batch
    )
    return made


RESOURCE_GATHER: Row = _of_variable("ResourceGather", GATHER, {"axis": 0, "batch_dims": 0})
RESOURCE_GATHER_ND: Row = _of_variable("ResourceGatherNd", GATHER_ND, {"batch_dims": 0})


def _gathered_from(
    variable: Any, row: Row, indices: TensorLike | Integers, *others: Any
) -> Tensor | None:
    """What is gathered from a variable by a row whose gradient a map replaces; None for anything else.

    Only along the first axis: the numbers that say otherwise are all zero then.
    """
    if not is_replaced(row.name) or not isinstance(variable, Variable):
        return None
    if not variable.shape.rank or any(other is not None and static(other) for other in others):
        return None
    note_access(variable)
    result: Tensor = apply(row, (variable, integers(indices)))
    return result


@deferrable
def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: ShapeLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Scatter updates into zeros at coordinates; duplicates are summed.

    >>> tf.scatter_nd([[1], [3], [1]], [10, 20, 30], [5]).numpy().tolist()
    [0, 40, 0, 20, 0]
    """
    i, u, wanted = integers(indices), convert(updates), as_shape(shape)
    check_scatter(dims(i), dims(u), wanted, "ScatterNd")
    if 0 in wanted and 0 not in (*dims(i), *dims(u)):
        raise InvalidArgumentError(
            "Indices and updates specified for empty output. "
            f"indices shape: {shape_text(dims(i))} [Op:ScatterNd]"
        )
    result: Tensor = apply(SCATTER_ND, (i, u), {"shape": wanted, "batch_dims": 0})
    return result


def check_scatter(indices: Dims, updates: Dims, shape: Dims, who: str) -> None:
    """Raise unless the shapes of indices, updates and target fit together in a scatter."""
    if not indices:
        raise InvalidArgumentError(f"Indices shape must have rank at least one. [Op:{who}]")
    *outer, depth = indices
    count = len(outer)
    if shapes_differ(outer, updates[:count]):
        raise InvalidArgumentError(
            f"Dimensions [0,{count}) of indices[shape={shape_text(indices)}] must match dimensions "
            f"[0,{count}) of updates[shape={shape_text(updates)}] [Op:{who}]"
        )
    if depth > len(shape) or shapes_differ(shape[depth:], updates[count:]):
        raise InvalidArgumentError(
            f"Dimensions [{depth},{len(shape)}) of input[shape={shape_text(shape)}] must match "
            f"dimensions [{count},{len(updates)}) of updates[shape={shape_text(updates)}] "
            f"[Op:{who}]"
        )


# ---- one-hot ----------------------------------------------------------------------------------


def _one_hot_kernel(
    _: Namespace, i: Array, *, depth: int, axis: int, on: Array, off: Array
) -> Array:
    flat = i.ravel()
    out = np.full((flat.size, depth), off, on.dtype)
    inside = (flat >= 0) & (flat < depth)
    rows = inside.nonzero()[0]
    out[rows, flat if len(rows) == len(flat) else flat[rows]] = on
    out = out.reshape(*i.shape, depth)
    return out if axis == i.ndim else np.moveaxis(out, -1, axis)


ONE_HOT: Row = op(
    "OneHot",
    _one_hot_kernel,
    shape=lambda i, *, depth, axis, on, off: (*i[:axis], depth, *i[axis:]),
    dtype=lambda i, *, on, **_: on.dtype,
    batch=shift_axis("OneHot"),
)
# With both values as inputs, as TensorFlow has it: for those who replace its gradient, of which it has none.
ONE_HOT_OF_TENSORS: Final = Row(
    ONE_HOT.name,
    lambda xp, i, on, off, **attrs: _one_hot_kernel(xp, i, on=on, off=off, **attrs),
    vjp=(None, None, None),
    shape=lambda i, on, off, *, depth, axis: (*i[:axis], depth, *i[axis:]),
    dtype=lambda i, on, off, **_: on,
)


@deferrable
def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """One-hot encoding: for each index a row with `on_value` there and `off_value` elsewhere.

    >>> tf.one_hot([1, 0, 5], 2).numpy().tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
    """
    i = integers(indices, "TI", "uint8, int8, int32, int64")
    if not hasattr(depth, "__index__"):
        raise TypeError(f"depth must be an integer, got {depth!r} [Op:OneHot]")
    count = integer(depth)
    if certainly(count < 0):
        raise InvalidArgumentError(f"depth must be non-negative, got: {count} [Op:OneHot]")
    kind = _one_hot_dtype(on_value, off_value, dtype)
    rank = len(dims(i)) + 1
    at = axis_from(-1, rank) if axis in (None, -1) else int(axis)
    if not 0 <= at < rank:
        raise InvalidArgumentError(
            f"Expected axis to be -1 or between [0, {rank}). But received: {axis} [Op:OneHot]"
        )
    values = [v for v in (on_value, off_value) if isinstance(v, Tensor)]
    result: Tensor
    if values and (is_replaced(ONE_HOT.name) or any(map(_is_open, values))):
        both = (1 if on_value is None else on_value, 0 if off_value is None else off_value)
        inputs = (i, *[convert(value, kind) for value in both])
        return _one_hot_of(inputs, {"depth": count, "axis": at})
    on, off = _one_hot_value(on_value, 1, kind), _one_hot_value(off_value, 0, kind)
    attrs = {"depth": count, "axis": at, "on": on, "off": off}
    result = apply(ONE_HOT, (i,), attrs)
    return made_from(ONE_HOT, values, result) if values else result


def _is_open(value: Tensor) -> bool:
    """Whether a value is known only when a graph runs, or is another one in each example of a batch."""
    return type(value) is not Tensor and getattr(value, "_known", None) is None


def _one_hot_of(inputs: Sequence[Tensor], attrs: Attrs) -> Tensor:
    """One-hot encodings of tensors, in which they have no gradient."""
    if is_replaced(ONE_HOT.name):
        result: Tensor = apply(ONE_HOT_OF_TENSORS, inputs, attrs)
        return result
    i, on, off = inputs
    is_there = apply(ONE_HOT, (i,), {**attrs, "on": np.True_, "off": np.False_})
    chosen: Tensor = stop_gradient(where(is_there, on, off))
    return chosen


def _one_hot_value(value: TensorLike | None, default: int, kind: DType) -> Array:
    if value is None and kind.is_numeric:
        return np.asarray(default, kind.numpy_dtype)
    return plain(default if value is None else value, kind).astype(kind.numpy_dtype)


def _one_hot_dtype(
    on_value: TensorLike | None, off_value: TensorLike | None, dtype: DTypeLike | None
) -> DType:
    given = {
        name: convert_to_tensor(value, dtype_hint=dtype).dtype
        for name, value in (("on_value", on_value), ("off_value", off_value))
        if value is not None
    }
    kinds = {**given, "dtype parameter": as_dtype(dtype)} if dtype is not None else given
    (first, kind), *rest = kinds.items() or [("", dtypes.float32)]
    for name, other in rest:
        if other is not kind:
            raise TypeError(
                f"dtype {kind} of {first} does not match "
                + (f"{name} {other}" if name not in given else f"dtype {other} of {name}")
            )
    return kind


# ---- sums of rows by their index --------------------------------------------------------------


def _segment_sum_kernel(_: Namespace, x: Array, ids: Array, *, num_segments: int) -> Array:
    check_ids(ids, num_segments, "UnsortedSegmentSum")
    return reduced_rows(np.add, x, ids, num_segments, 0)


def check_ids(ids: Array, count: int, who: str) -> None:
    """Raise unless all segment ids are below the number of segments."""
    high = np.argwhere(ids >= count)
    if len(high):
        raise InvalidArgumentError(
            f"segment_ids{high[0].tolist()} = {int(ids[tuple(high[0])])} is out of range "
            f"[0, {count}) [Op:{who}]"
        )


def rows_of_segments(g: Tensor, ids: Tensor) -> Tensor:
    """For each row the value of its segment; zeros for dropped rows, with a negative index."""
    kept = greater_equal(ids, zeros_like(ids))
    picked = gather(g, where(kept, ids, zeros_like(ids)))
    mask = reshape(kept, dims(kept) + (1,) * (len(dims(picked)) - len(dims(kept))))
    return where(mask, picked, zeros_like(picked))


def segmented_shape(x: Dims, ids: Dims, *, num_segments: int) -> Dims:
    """The shape of a segment sum: segments in place of the leading axes."""
    return (num_segments, *x[len(ids) :])


UNSORTED_SEGMENT_SUM: Row = op(
    "UnsortedSegmentSum",
    _segment_sum_kernel,
    shape=segmented_shape,
    vjp=(lambda g, y, x, ids, *, num_segments: rows_of_segments(g, ids), None),
    linear=(0,),
    batch=by_segment("UnsortedSegmentSum"),
    saves="x",
)


def stated_segments(data: TensorLike, segment_ids: TensorLike, num_segments: Any) -> Stated:
    """What is known of the shape of a reduction by segments."""
    x, ids = sizes_of(data), sizes_of(segment_ids)
    return None if x is None or ids is None else (number_of(num_segments), *x[len(ids) :])


@deferrable
@states(stated_segments)
def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Tensor:
    """Segment sum of the rows with the same index; rows with a negative index are dropped.

    >>> tf.math.unsorted_segment_sum([1.0, 2.0, 3.0], [0, 1, 0], 2).numpy().tolist()
    [4.0, 2.0]
    """
    x, ids = convert(data), integers(segment_ids)
    if shapes_differ(dims(x)[: len(dims(ids))], dims(ids)):
        raise InvalidArgumentError(
            f"data.shape = {shape_text(dims(x))} does not start with segment_ids.shape = "
            f"{shape_text(dims(ids))} [Op:UnsortedSegmentSum]"
        )
    attrs = {"num_segments": int(static(num_segments))}
    result: Tensor = apply(UNSORTED_SEGMENT_SUM, (x, ids), attrs)
    return result


# ---- IndexedSlices ----------------------------------------------------------------------------


def to_dense(slices: Any) -> Any:
    """IndexedSlices as a dense tensor; a tensor is returned unchanged."""
    if not isinstance(slices, IndexedSlices):
        return slices
    return unsorted_segment_sum(slices.values, slices.indices, slices.dims[0])


def _dense_converter(value: IndexedSlices, dtype: DType | None, hint: DType | None) -> Tensor:
    return convert(to_dense(value), dtype)


register_converter(IndexedSlices, _dense_converter)
