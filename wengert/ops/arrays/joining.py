"""Joining and splitting: concat, stack, unstack, split."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import EachInput, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import Stated, number_of, sizes_of_alike, states
from wengert.inference.symbolic_integers import by_function, integer
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.shaping import one_axis, static
from wengert.ops.arrays.slicing import take_part
from wengert.ops.support.batch_rules import shift_axis
from wengert.ops.support.declare import TENSOR_LIKE, convert_alike
from wengert.ops.support.static_value import ENSURE_SHAPE
from wengert.values.convert import convert, dtype_within
from wengert.values.shapes import Dims, TensorShape, axis_from, normal_axis, shape_text
from wengert.values.sizes import Size, certainly, shapes_differ
from wengert.values.symbolic import AnyShape
from wengert.values.tensor import Tensor, dims
from wengert.values.value import Value

if TYPE_CHECKING:
    from wengert.values.typing import Array, Integers, Namespace, TensorLike, TensorOrDims

# ---- concat and stack -------------------------------------------------------------------------


def _part_of_concat(i: int, g: Tensor, y: Tensor | None, *xs: TensorOrDims, axis: int) -> Tensor:
    begin = sum(dims(x)[axis] for x in xs[:i])
    shape = dims(xs[i])
    key = (*[slice(None)] * axis, slice(begin, begin + shape[axis]))
    return take_part(g, key)


def _parts_of_concat(
    g: Tensor, y: Tensor | None, xs: Sequence[TensorOrDims], *, axis: int
) -> list[Tensor]:
    sizes = tuple(dims(x)[axis] for x in xs)
    parts: list[Tensor] = apply(SPLIT_BY_SIZES, (g,), {"sizes": sizes, "axis": axis})
    return parts


def _joined_shape(*shapes: Dims, axis: int) -> Dims:
    """The sum of the sizes along the axis; of the other sizes, those that any input knows."""
    known = [shape for shape in shapes if isinstance(shape, tuple)] or shapes[:1]
    if len(known) < len(shapes):
        return (*_joined_shape(*known, axis=axis)[:axis], None, *known[0][axis + 1 :])  # type: ignore[arg-type]
    columns = list(zip(*shapes, strict=True))
    sizes = [next((s for s in column if type(s) is int), column[0]) for column in columns]
    sizes[axis] = sum(columns[axis])
    return tuple(sizes)


CONCAT: Row = op(
    "ConcatV2",
    lambda xp, *xs, axis: xp.concatenate(xs, axis),
    shape=_joined_shape,
    integers=by_function(lambda *xs, axis: np.concatenate(xs, axis)),
    vjp=EachInput(_part_of_concat, _parts_of_concat),
    linear="jointly",
    batch=shift_axis("ConcatV2"),
    saves="",
    called="concat",
)


def _are_plain(xs: Sequence[Tensor]) -> bool:
    """Whether all shapes are known: those of tensors that are computed at once."""
    return set(map(type, xs)) == {Tensor}


def _fit(xs: Sequence[Tensor], axis: int) -> bool:
    """Whether the shapes are known, and differ in nothing but the axis."""
    first = xs[0]._array.shape
    for x in xs:
        if type(x) is not Tensor:
            return False
        shape = x._array.shape
        rank = len(shape)
        if rank != len(first) or not -rank <= axis < rank:
            return False
        if rank > 1 and (shape[:axis], shape[axis:][1:]) != (first[:axis], first[axis:][1:]):
            return False
    return True


@deferrable
def concat(values: TensorLike, axis: Integers, name: str | None = "concat") -> Tensor:
    """Concatenate tensors along an existing axis.

    >>> tf.concat([[1, 2], [3]], 0).numpy().tolist()
    [1, 2, 3]
    """
    given = list(values) if isinstance(values, (list, tuple)) else [values]
    if not given:
        raise InvalidArgumentError("tf.concat needs at least one tensor. [Op:ConcatV2]")
    if len(given) == 1:
        if static(axis).ndim:
            raise ValueError(f"The axis of tf.concat must be one integer, got {axis!r}.")
        return convert(identity(given[0]))
    xs = convert_alike("ConcatV2", *given)
    if type(axis) is int and _fit(xs, axis):
        joined: Tensor = apply(CONCAT, xs, {"axis": normal_axis(axis, len(dims(xs[0])))})
        return joined
    # Inputs of unknown rank have the rank of the others.
    shapes = [s for s in map(dims, xs) if isinstance(s, tuple)] or [dims(xs[0])]
    for i, shape in enumerate(shapes):
        if len(shape) != len(shapes[0]):
            raise InvalidArgumentError(
                f"ConcatOp : Ranks of all input tensors should match: shape[0] = "
                f"{shape_text(shapes[0])} vs. shape[{i}] = {shape_text(shape)} [Op:ConcatV2]"
            )
    if not shapes[0]:
        raise InvalidArgumentError(
            "ConcatOp : Can't concatenate scalars (use tf.stack instead) [Op:ConcatV2]"
        )
    complaint = "ConcatOp : Expected concatenating dimensions in the range [{low}, {rank}), but got {at}"  # fmt: skip
    at = one_axis(axis, len(shapes[0]), "ConcatV2", complaint)
    for i, shape in enumerate(shapes):
        for other, (a, b) in enumerate(zip(shapes[0], shape, strict=True)):
            if other != at and certainly(a != b):
                raise InvalidArgumentError(
                    f"ConcatOp : Dimension {other} in both shapes must be equal: shape[0] = "
                    f"{shape_text(shapes[0])} vs. shape[{i}] = {shape_text(shape)} [Op:ConcatV2]"
                )
    result: Tensor = apply(CONCAT, xs, {"axis": at})
    return result


def _stacked_shape(*shapes: Dims, axis: int) -> Dims:
    columns = zip(*shapes, strict=True)
    sizes = [next((s for s in column if type(s) is int), column[0]) for column in columns]
    return (*sizes[:axis], len(shapes), *sizes[axis:])


PACK: Row = op(
    "Pack",
    lambda xp, *xs, axis: xp.stack(xs, axis),
    shape=_stacked_shape,
    integers=by_function(lambda *xs, axis: np.stack(xs, axis)),
    vjp=EachInput(
        lambda i, g, y, *xs, axis: take_part(g, (*[slice(None)] * axis, i)),
        lambda g, y, xs, *, axis: apply(UNPACK, (g,), {"num": len(xs), "axis": axis}),
    ),
    linear="jointly",
    batch=shift_axis("Pack"),
    saves="",
    called="stack",
)


def _stacked(values: Any, axis: Any) -> Stated:
    one, at = sizes_of_alike(values), number_of(axis)
    if one is None or at is None or not -len(one) - 1 <= at <= len(one):
        return None
    at = normal_axis(at, len(one) + 1)
    return (*one[:at], len(values), *one[at:])


@deferrable
@states(_stacked)
def stack(values: Iterable[TensorLike], axis: int = 0, name: str = "stack") -> Tensor:
    """Stack tensors of the same shape along a new axis.

    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    if isinstance(axis, Tensor) and dims(axis):
        raise TypeError(
            "tf.stack takes the tensors in a list, and the axis behind it: tf.stack([a, b])."
        )
    given = list(values)
    if not given:
        return convert(given)
    xs = convert_alike("Pack", *_agreeing(given))
    if not (_are_plain(xs) and len(set(map(dims, xs))) == 1):
        _check_one_shape(xs)
    rank, at = len(dims(xs[0])) + 1, axis if type(axis) is int else integer(axis)
    if not -rank <= at < rank:
        raise ValueError(f"Argument `axis` = {at} not in range [{-rank}, {rank})")
    result: Tensor = apply(PACK, xs, {"axis": axis_from(at, rank)})
    return result


def _check_one_shape(xs: Sequence[Tensor]) -> None:
    for i, x in enumerate(xs):
        if shapes_differ(dims(x), dims(xs[0])):
            raise InvalidArgumentError(
                f"Shapes of all inputs must match: values[0].shape = {shape_text(dims(xs[0]))} != "
                f"values[{i}].shape = {shape_text(dims(x))} [Op:Pack]"
            )


def _agreeing(values: list[Any]) -> list[Any]:
    """Plain values converted to a common dtype: that of tensors within; a float makes floats of integers."""
    if type(values[0]) is Tensor or any(isinstance(value, TENSOR_LIKE) for value in values):
        return values
    floats = (x.dtype for x in map(convert, values) if x.dtype.is_floating)
    hint = dtype_within(values) or next(floats, None)
    return values if hint is None else [convert(value, hint=hint) for value in values]


def _unpack_kernel(xp: Namespace, x: Array, *, num: int, axis: int) -> list[Any]:
    whole = xp.moveaxis(x, axis, 0)
    # One text of many would be no array.
    slices = [whole[i, ...] for i in range(len(whole))] if x.dtype == object else list(whole)
    if len(slices) != num:
        raise _wrong_count(x.shape, num, axis)
    return slices


def _wrong_count(shape: Dims, num: int, axis: int) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"Input shape axis {axis} must equal {num}, got shape {shape_text(shape)} [Op:Unpack]"
    )


def _unpacked_shapes(shape: Dims, *, num: int, axis: int) -> list[Any]:
    if isinstance(shape, AnyShape):
        return [None] * num
    if certainly(shape[axis] != num):
        raise _wrong_count(shape, num, axis)
    at = axis % len(shape)  # for an unknown rank it may be counted from the end
    return [(*shape[:at], *shape[at + 1 :])] * num


UNPACK: Row = op(
    "Unpack",
    _unpack_kernel,
    shape=_unpacked_shapes,
    integers=by_function(partial(_unpack_kernel, np)),
    vjp=(lambda gs, ys, x, *, num, axis: stack(gs, axis),),
    linear=(0,),
    batch=shift_axis("Unpack"),
    many=True,
    saves="",
    called="unstack",
)


@deferrable
def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Tensor]:
    """Unstack a tensor into a list of its slices along an axis.

    >>> [t.numpy().tolist() for t in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    x = convert(value)
    shape = dims(x)
    at, size = axis if type(axis) is int else integer(axis), None
    if isinstance(shape, tuple):
        if not -len(shape) <= at < len(shape):
            raise ValueError(f"Argument `axis` = {at} not in range [{-len(shape)}, {len(shape)})")
        at = axis_from(at, len(shape))
        size = shape[at] if type(shape[at]) is int else None
    wanted = size if num is None else num
    if wanted is None:  # a graph must know the number of slices
        raise ValueError(f"Cannot infer argument `num` from shape {x.shape}")
    if size is not None and wanted != size:
        raise _wrong_count(shape, wanted, at)
    results: list[Tensor] = apply(UNPACK, (x,), {"num": wanted, "axis": at})
    return results


def _split_kernel(_: Namespace, x: Array, *, sizes: Dims, axis: int) -> list[Array]:
    if sum(sizes) != x.shape[axis]:
        raise _misfit(sizes, x.shape[axis], axis)
    before = (slice(None),) * (axis % x.ndim)
    ends = list(itertools.accumulate(sizes))
    keys = [(*before, slice(end - n, end)) for n, end in zip(sizes, ends, strict=True)]
    return [x[key] for key in keys]


def _split_shapes(have: Dims, *, sizes: Dims, axis: int) -> list[Any]:
    if isinstance(have, AnyShape):
        return [None] * len(sizes)
    if certainly(have[axis] != sum(sizes)):
        raise _misfit(sizes, have[axis], axis)
    at = axis % len(have)
    return [(*have[:at], size, *have[at + 1 :]) for size in sizes]


def _misfit(sizes: Dims, size: int, axis: int) -> InvalidArgumentError:
    first = (
        "If there is only one output, it must have the same size as the input. "
        f"Input size: {size} output size: {sizes[0]}"
        if len(sizes) == 1
        else "Determined shape must either match input shape along split_dim exactly if fully "
        "specified, or be less than the size of the input along split_dim if not fully specified. "
        f" Got: {sum(s for s in sizes if not _is_rest(s))}"
    )
    return InvalidArgumentError(
        f"{first} [Op:SplitV]: sizes {list(sizes)} for an axis {axis} of size {size}"
    )


def _split_row(name: str) -> Row:
    return op(
        name,
        _split_kernel,
        shape=_split_shapes,
        integers=by_function(partial(_split_kernel, np)),
        vjp=(lambda gs, ys, x, *, sizes, axis: concat(gs, axis),),
        linear=(0,),
        batch=shift_axis(name),
        many=True,
        saves="",
        called="split",
    )


SPLIT: Row = _split_row("Split")  # into equal parts
SPLIT_BY_SIZES: Row = _split_row("SplitV")


@deferrable
def split(
    value: TensorLike,
    num_or_size_splits: TensorLike,
    axis: Integers = 0,
    num: int | None = None,
    name: str = "split",
) -> list[Tensor]:
    """Split a tensor along an axis, into equal parts or given sizes (one may be -1).

    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], [1, -1])]
    [[1], [2, 3, 4]]
    """
    if isinstance(num_or_size_splits, (float, Value)):
        num_or_size_splits = _counted(num_or_size_splits, num)
    x = convert(value)
    if type(num_or_size_splits) is type(axis) is int and type(x) is Tensor:  # almost always
        equal = _equal_sizes(x._array.shape, num_or_size_splits, axis)
        if equal:
            alike: list[Tensor] = apply(SPLIT, (x,), {"sizes": equal, "axis": axis % x._array.ndim})
            return alike
    asked = static(num_or_size_splits)
    _check_count(asked.shape, num)
    plain = all(type(s) is int and s >= 0 for s in asked.ravel().tolist())
    if asked.ndim and plain and _is_unknown(dims(x), int(static(axis))):
        attrs = {"sizes": tuple(asked.tolist()), "axis": int(static(axis))}
        parts: list[Tensor] = apply(SPLIT_BY_SIZES, (x,), attrs)
        return parts
    row = SPLIT_BY_SIZES if asked.ndim else SPLIT
    complaint = "-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {at}"
    at = one_axis(axis, len(dims(x)), row.name, complaint)
    size = dims(x)[at]
    if asked.ndim == 0:
        count = int(asked)
        if count < 1:
            raise _too_few(count, "Split")
        if certainly(size % count != 0):
            raise InvalidArgumentError(
                "Number of ways to split should evenly divide the split dimension, but got "
                f"split_dim {at} (size = {size}) and num_split {count} [Op:Split]"
            )
        sizes = (size // count,) * count
    else:
        sizes = _split_sizes(tuple(asked.tolist()), size, at)
    results: list[Tensor] = apply(row, (x,), {"sizes": sizes, "axis": at})
    return results


def _equal_sizes(shape: Dims, count: int, axis: int) -> Dims:
    """The sizes of so many equal parts; none where an axis has no such parts."""
    if not -len(shape) <= axis < len(shape) or count < 1 or shape[axis] % count:
        return ()
    return (shape[axis] // count,) * count


def _counted(sizes: Any, num: int | None) -> TensorLike:
    """Sizes of which it is known how many there are, even if only a run knows them."""
    have = convert(sizes).shape
    if have.rank == 0:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {sizes}"
        )
    if have.rank is not None and (have.rank != 1 or have[0] is not None):
        return sizes
    if num is None:
        raise ValueError(f"Cannot infer argument `num` from shape {have}: pass num=.")
    counted: Tensor = apply(ENSURE_SHAPE, (sizes,), {"shape": TensorShape([num])})
    return counted


def _check_count(sizes: Dims, num: int | None) -> None:
    """Whether there are as many sizes as parts, at least one."""
    if sizes == (0,) and not num:
        raise _too_few(0, "SplitV")
    if len(sizes) > 1 or (sizes and num is not None and sizes[0] != num):
        raise InvalidArgumentError(
            "size of the split_tensor must be 1-D and have the same elements as outputs got "
            f"{len(sizes)} -D and {math.prod(sizes)} elements [Op:SplitV]"
        )


def _too_few(count: int, who: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"Value for attr 'num_split' of {count} must be at least minimum 1 [Op:{who}]"
    )


def _is_unknown(shape: Any, axis: int) -> bool:
    return isinstance(shape, AnyShape) or (
        -len(shape) <= axis < len(shape) and type(shape[axis]) is Size
    )


def _split_sizes(sizes: Dims, size: int, axis: int) -> Dims:
    if sum(map(_is_rest, sizes)) > 1:
        raise InvalidArgumentError("There can only be one -1 in the input. [Op:SplitV]")
    negative = [i for i, s in enumerate(sizes) if certainly(s < 0) and not _is_rest(s)]
    if negative:
        raise InvalidArgumentError(
            f"Split size at index {negative[0]} must be >= 0. Got: {sizes[negative[0]]} [Op:SplitV]"
        )
    left = size - sum(s for s in sizes if not _is_rest(s))
    resolved = tuple([left if _is_rest(s) else s for s in sizes])
    if any(certainly(s < 0) for s in resolved) or certainly(sum(resolved) != size):
        raise _misfit(sizes, size, axis)
    return resolved


def _is_rest(size: Any) -> bool:
    return type(size) is int and size == -1
