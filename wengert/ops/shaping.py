"""Shapes: operations that move elements without changing them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.core.convert import convert
from wengert.core.dispatch import apply
from wengert.core.operation import Attrs, EachInput, Row
from wengert.core.registry import op
from wengert.core.shapes import Dims, normal_axis, shown
from wengert.core.tensor import Tensor, dims
from wengert.core.words import words
from wengert.errors import InvalidArgumentError
from wengert.ops.batching import axes_moved, axis_moved, with_attrs
from wengert.ops.complex import conj
from wengert.ops.declare import matched
from wengert.ops.identity import identity

# ---- arguments --------------------------------------------------------------------------------


def static(value: Any) -> Any:
    """An argument that says how, not what: a NumPy value of a tensor, a list, a number."""
    if isinstance(value, (list, tuple)):
        return np.array([int(static(v)) if not isinstance(v, (list, tuple)) else static(v) for v in value])  # fmt: skip
    return np.asarray(value)


def as_shape(value: Any) -> Dims:
    """A shape argument as a tuple of integers."""
    if type(value) is tuple and all(type(v) is int for v in value):
        return value
    if hasattr(value, "as_list"):
        return tuple(int(v) for v in value.as_list())
    array = static(value)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"A shape must consist of integers, got {value!r}.")
    return tuple(int(v) for v in np.ravel(array))


def one_axis(
    axis: Any,
    rank: int,
    who: str,
    complaint: str = "axis = {at} not in [{low}, {rank}): the input has {rank} dimension(s)",
) -> int:
    """One axis, counted from the front; the complaint is TensorFlow's."""
    at = int(static(axis))
    if not -rank <= at < rank:
        words = complaint.format(at=at, low=-rank, rank=rank)
        raise InvalidArgumentError(f"{words} [Op:{who}]")
    return normal_axis(at, rank)


# ---- reshape and transpose --------------------------------------------------------------------

RESHAPE: Row = op(
    "Reshape",
    lambda xp, x, *, shape: xp.reshape(x, shape),
    vjp=(lambda g, y, x, *, shape: reshape(g, dims(x)),),
    linear=(0,),
    batch=with_attrs("Reshape", lambda attrs, n: {"shape": (n, *attrs["shape"])}),
    saves="",
)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape; one size may be -1 and is computed.

    >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).numpy().tolist()
    [[1, 2, 3], [4, 5, 6]]
    """
    x = convert(tensor)
    wanted = _resolved(as_shape(shape), int(np.prod(dims(x), dtype=np.int64)))
    result: Tensor = apply(RESHAPE, (x,), {"shape": wanted})
    return result


def _resolved(shape: Dims, size: int) -> Dims:
    """A shape without -1, that has as many elements as the input."""
    unknown = shape.count(-1)
    if unknown > 1:
        raise InvalidArgumentError(
            f"Only one input size may be -1, not both {_places(shape)} [Op:Reshape]"
        )
    known = int(np.prod([s for s in shape if s != -1], dtype=np.int64))
    for i, size_there in enumerate(shape):
        if size_there < -1:
            raise InvalidArgumentError(
                f"Size {i} must be non-negative, not {size_there} [Op:Reshape]"
            )
    if unknown:
        if known == 0 or size % known:
            raise InvalidArgumentError(
                f"Input to reshape is a tensor with {size} values, but the requested shape "
                f"requires a multiple of {known} [Op:Reshape]"
            )
        return tuple(size // known if s == -1 else s for s in shape)
    if known != size:
        raise InvalidArgumentError(
            f"Input to reshape is a tensor with {size} values, but the requested shape has "
            f"{known} [Op:Reshape]"
        )
    return shape


def _places(shape: Dims) -> str:
    return " and ".join(str(i) for i, s in enumerate(shape) if s == -1)


TRANSPOSE: Row = op(
    "Transpose",
    lambda xp, x, *, perm: xp.transpose(x, perm),
    vjp=(lambda g, y, x, *, perm: transpose(g, tuple(int(i) for i in np.argsort(perm))),),
    linear=(0,),
    batch=with_attrs("Transpose", lambda a, n: {"perm": (0, *[p + 1 for p in a["perm"]])}),
    saves="",
)


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str | None = None) -> Tensor:
    """The axes in another order; reversed when none is given.

    >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
    [[1, 4], [2, 5], [3, 6]]
    """
    x = convert(a)
    rank = len(dims(x))
    order = tuple(range(rank))[::-1] if perm is None else as_shape(perm)
    order = tuple(normal_axis(p, rank) for p in order)
    if sorted(order) != list(range(rank)):
        raise InvalidArgumentError(f"{_what_is_wrong_with(order, rank)} [Op:Transpose]")
    moved: Tensor = apply(TRANSPOSE, (x,), {"perm": order})
    return conj(moved) if conjugate else moved


def _what_is_wrong_with(order: Dims, rank: int) -> str:
    if len(order) != rank:
        return (
            f"transpose expects a vector of size {rank}. "
            f"But input(1) is a vector of size {len(order)}"
        )
    for p in order:
        if not 0 <= p < rank:
            return f"{p} is out of range [0 .. {rank})"
    missing = min(set(range(rank)) - set(order))
    return f"{missing} is missing from {{{','.join(map(str, order))}}}."


# ---- axes of size one -------------------------------------------------------------------------

EXPAND_DIMS: Row = op(
    "ExpandDims",
    lambda xp, x, *, axis: xp.expand_dims(x, axis),
    vjp=(lambda g, y, x, *, axis: reshape(g, dims(x)),),
    linear=(0,),
    batch=axis_moved("ExpandDims"),
    saves="",
)
SQUEEZE: Row = op(
    "Squeeze",
    lambda xp, x, *, axis: xp.squeeze(x, axis),
    vjp=(lambda g, y, x, *, axis: reshape(g, dims(x)),),
    linear=(0,),
    batch=axes_moved("Squeeze"),
    saves="",
)


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """A new axis of size one.

    >>> tf.expand_dims([1, 2], 1).shape
    TensorShape([2, 1])
    """
    x, at = convert(input), int(static(axis))
    rank = len(dims(x))
    if not -rank - 1 <= at <= rank:
        raise InvalidArgumentError(
            f"Tried to expand dim index {at} for tensor with {rank} dimensions. [Op:ExpandDims]"
        )
    result: Tensor = apply(EXPAND_DIMS, (x,), {"axis": normal_axis(at, rank + 1)})
    return result


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Without the axes of size one: all of them, or those given.

    >>> tf.squeeze([[[1], [2]]]).shape, tf.squeeze([[[1], [2]]], axis=0).shape
    (TensorShape([2]), TensorShape([2, 1]))
    """
    x = convert(input)
    shape = dims(x)
    if axis is None or np.size(axis) == 0:
        chosen = [i for i, size in enumerate(shape) if size == 1]
    else:
        complaint = "Tried to squeeze dim index {at} for tensor with {rank} dimensions."
        chosen = [one_axis(a, len(shape), "Squeeze", complaint) for a in as_shape(axis)]
    for at in chosen:
        if shape[at] != 1:
            raise InvalidArgumentError(
                f"Can not squeeze dim[{at}], expected a dimension of 1, got {shape[at]} "
                "[Op:Squeeze]"
            )
    result: Tensor = apply(SQUEEZE, (x,), {"axis": tuple(sorted(set(chosen)))})
    return result


# ---- repetition -------------------------------------------------------------------------------


def _batched_broadcast(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    n, *one = dims(xs[0])
    shape = attrs["shape"]
    aligned = reshape(xs[0], (n, *[1] * (len(shape) - len(one)), *one))
    return apply(BROADCAST_TO, (aligned,), {"shape": (n, *shape)})


BROADCAST_TO: Row = op(
    "BroadcastTo",
    lambda xp, x, *, shape: xp.broadcast_to(x, shape),
    vjp=(lambda g, y, x, *, shape: words.sum_to(g, dims(x)),),
    linear=(0,),
    batch=_batched_broadcast,
    saves="",
)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """The tensor repeated along new axes and axes of size one.

    >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    x, wanted = convert(input), as_shape(shape)
    have = dims(x)
    if len(have) > len(wanted):
        raise InvalidArgumentError(
            f"Rank of input ({len(have)}) must be no greater than rank of output shape "
            f"({len(wanted)}). [Op:BroadcastTo]"
        )
    fits = all(h in (1, w) for h, w in zip(have[::-1], wanted[::-1], strict=False))
    if not fits:
        raise InvalidArgumentError(
            f"Incompatible shapes: {shown(have)} vs. {shown(wanted)} [Op:BroadcastTo]"
        )
    result: Tensor = apply(BROADCAST_TO, (x,), {"shape": wanted})
    return result


def _tile_rule(g: Any, y: Any, x: Any, *, multiples: Dims) -> Any:
    """Each copy gives its cotangent: split every axis into (copies, size) and add the copies."""
    pairs = [part for pair in zip(multiples, dims(x), strict=True) for part in pair]
    kept = [part for i, part in enumerate(pairs) if i % 2 == 0]
    apart = reshape(g, tuple(pairs))
    front = transpose(apart, (*range(0, len(pairs), 2), *range(1, len(pairs), 2)))
    return words.sum_to(reshape(front, (*kept, *dims(x))), dims(x))


TILE: Row = op(
    "Tile",
    lambda xp, x, *, multiples: xp.tile(x, multiples),
    vjp=(_tile_rule,),
    linear=(0,),
    batch=with_attrs("Tile", lambda a, n: {"multiples": (1, *a["multiples"])}),
    saves="",
)


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """The tensor laid side by side with itself, `multiples[i]` times along axis i.

    >>> tf.tile([[1, 2]], [2, 2]).numpy().tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    x, times = convert(input), as_shape(multiples)
    if len(times) != len(dims(x)):
        raise InvalidArgumentError(
            f"Expected multiples argument to be a vector of length {len(dims(x))} but got "
            f"length {len(times)} [Op:Tile]"
        )
    for i, count in enumerate(times):
        if count < 0:
            raise InvalidArgumentError(f"Expected multiples[{i}] >= 0, but got {count} [Op:Tile]")
    result: Tensor = apply(TILE, (x,), {"multiples": times})
    return result


# ---- joining and parting ----------------------------------------------------------------------


def _part_of_concat(i: int, g: Any, y: Any, *xs: Any, axis: int) -> Any:
    begin = sum(dims(x)[axis] for x in xs[:i])
    shape = dims(xs[i])
    key = (*[slice(None)] * axis, slice(begin, begin + shape[axis]))
    return apply(STRIDED_SLICE, (g,), {"key": key})


CONCAT: Row = op(
    "ConcatV2",
    lambda xp, *xs, axis: xp.concatenate(xs, axis),
    vjp=EachInput(_part_of_concat),
    linear="jointly",
    batch=axis_moved("ConcatV2"),
    saves="",
)


def concat(values: Any, axis: Any, name: str | None = None) -> Tensor:
    """Tensors joined along an existing axis.

    >>> tf.concat([[1, 2], [3]], 0).numpy().tolist()
    [1, 2, 3]
    """
    given = list(values) if isinstance(values, (list, tuple)) else [values]
    if not given:
        raise InvalidArgumentError("tf.concat needs at least one tensor. [Op:ConcatV2]")
    if len(given) == 1:
        return convert(identity(given[0]))
    xs = matched("ConcatV2", *given)
    shapes = [dims(x) for x in xs]
    for i, shape in enumerate(shapes):
        if len(shape) != len(shapes[0]):
            raise InvalidArgumentError(
                f"ConcatOp : Ranks of all input tensors should match: shape[0] = "
                f"{shown(shapes[0])} vs. shape[{i}] = {shown(shape)} [Op:ConcatV2]"
            )
    if not shapes[0]:
        raise InvalidArgumentError(
            "ConcatOp : Can't concatenate scalars (use tf.stack instead) [Op:ConcatV2]"
        )
    complaint = "ConcatOp : Expected concatenating dimensions in the range [{low}, {rank}), but got {at}"  # fmt: skip
    at = one_axis(axis, len(shapes[0]), "ConcatV2", complaint)
    for i, shape in enumerate(shapes):
        for other, (a, b) in enumerate(zip(shapes[0], shape, strict=True)):
            if a != b and other != at:
                raise InvalidArgumentError(
                    f"ConcatOp : Dimension {other} in both shapes must be equal: shape[0] = "
                    f"{shown(shapes[0])} vs. shape[{i}] = {shown(shape)} [Op:ConcatV2]"
                )
    result: Tensor = apply(CONCAT, xs, {"axis": at})
    return result


PACK: Row = op(
    "Pack",
    lambda xp, *xs, axis: xp.stack(xs, axis),
    vjp=EachInput(
        lambda i, g, y, *xs, axis: apply(STRIDED_SLICE, (g,), {"key": (*[slice(None)] * axis, i)})
    ),
    linear="jointly",
    batch=axis_moved("Pack"),
    saves="",
)


def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape put side by side along a new axis.

    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    given = list(values)
    if not given:
        return convert(given)
    xs = matched("Pack", *given)
    for i, x in enumerate(xs):
        if dims(x) != dims(xs[0]):
            raise InvalidArgumentError(
                f"Shapes of all inputs must match: values[0].shape = {shown(dims(xs[0]))} != "
                f"values[{i}].shape = {shown(dims(x))} [Op:Pack]"
            )
    rank = len(dims(xs[0])) + 1
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    result: Tensor = apply(PACK, xs, {"axis": normal_axis(axis, rank)})
    return result


UNPACK: Row = op(
    "Unpack",
    lambda xp, x, *, axis: list(xp.moveaxis(x, axis, 0)),
    vjp=(lambda gs, ys, x, *, axis: stack(gs, axis),),
    linear=(0,),
    batch=axis_moved("Unpack"),
    many=True,
    saves="",
)


def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Tensor]:
    """The slices of a tensor along an axis, as a list.

    >>> [t.numpy().tolist() for t in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    x = convert(value)
    shape = dims(x)
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"Argument `axis` = {axis} not in range [{-len(shape)}, {len(shape)})")
    at = normal_axis(axis, len(shape))
    if num is not None and num != shape[at]:
        raise InvalidArgumentError(
            f"Input shape axis {at} must equal {num}, got shape {shown(shape)} [Op:Unpack]"
        )
    results: list[Tensor] = apply(UNPACK, (x,), {"axis": at})
    return results


def _split_kernel(xp: Any, x: Any, *, sizes: Dims, axis: int) -> Any:
    return xp.split(x, list(np.cumsum(sizes)[:-1]), axis)


SPLIT: Row = op(
    "SplitV",
    _split_kernel,
    vjp=(lambda gs, ys, x, *, sizes, axis: concat(gs, axis),),
    linear=(0,),
    batch=axis_moved("SplitV"),
    many=True,
    saves="",
)


def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str = "split",
) -> list[Tensor]:
    """A tensor parted along an axis, into equal parts or parts of given sizes (one may be -1).

    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], [1, -1])]
    [[1], [2, 3, 4]]
    """
    x = convert(value)
    complaint = "-input rank({low}) <= split_dim < input rank ({rank}), but got {at}"
    at = one_axis(axis, len(dims(x)), "SplitV", complaint)
    size = dims(x)[at]
    asked = static(num_or_size_splits)
    if asked.ndim == 0:
        parts = int(asked)
        if parts < 1:
            raise InvalidArgumentError(
                f"Value for attr 'num_split' of {parts} must be at least minimum 1 [Op:Split]"
            )
        if size % parts:
            raise InvalidArgumentError(
                "Number of ways to split should evenly divide the split dimension, but got "
                f"split_dim {at} (size = {size}) and num_split {parts} [Op:Split]"
            )
        sizes = (size // parts,) * parts
    else:
        sizes = _split_sizes(tuple(int(s) for s in asked), size, at)
    results: list[Tensor] = apply(SPLIT, (x,), {"sizes": sizes, "axis": at})
    return results


def _split_sizes(sizes: Dims, size: int, axis: int) -> Dims:
    if sizes.count(-1) > 1:
        raise InvalidArgumentError("There can only be one -1 in the input. [Op:SplitV]")
    rest = size - sum(s for s in sizes if s != -1)
    resolved = tuple(rest if s == -1 else s for s in sizes)
    if any(s < 0 for s in resolved) or sum(resolved) != size:
        raise InvalidArgumentError(
            f"Determined shape must either match input shape along split_dim {axis} exactly if "
            f"fully specified, or be less than the size of the input along split_dim if not: "
            f"sizes {list(sizes)} for an axis of size {size} [Op:SplitV]"
        )
    return resolved


# ---- slices -----------------------------------------------------------------------------------

Index = tuple[Any, ...]  # of integers, slices, None and at most one Ellipsis


def _slice_grad_kernel(xp: Any, g: Any, *, key: Index, shape: Dims) -> Any:
    out = xp.zeros(shape, g.dtype)
    out[key] = g
    return out


STRIDED_SLICE: Row = op(
    "StridedSlice",
    lambda xp, x, *, key: x[key],
    vjp=(lambda g, y, x, *, key: apply(STRIDED_SLICE_GRAD, (g,), {"key": key, "shape": dims(x)}),),
    linear=(0,),
    batch=with_attrs("StridedSlice", lambda a, n: {"key": (slice(None), *a["key"])}),
    saves="",
)
STRIDED_SLICE_GRAD: Row = op(
    "StridedSliceGrad",
    _slice_grad_kernel,
    vjp=(lambda g, y, x, *, key, shape: apply(STRIDED_SLICE, (g,), {"key": key}),),
    linear=(0,),
    batch=with_attrs(
        "StridedSliceGrad",
        lambda a, n: {"key": (slice(None), *a["key"]), "shape": (n, *a["shape"])},
    ),
    saves="",
)


def sliced(x: Tensor, key: Index) -> Tensor:
    """A part of a tensor, by an index that is known to fit."""
    result: Tensor = apply(STRIDED_SLICE, (x,), {"key": key})
    return result


def slice_(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The block of given sizes that begins at `begin`; a size of -1 goes to the end.

    >>> tf.slice([1, 2, 3, 4], [1], [2]).numpy().tolist()
    [2, 3]
    """
    x = convert(input_)
    starts, sizes, shape = as_shape(begin), as_shape(size), dims(x)
    if not len(starts) == len(sizes) == len(shape):
        raise InvalidArgumentError(
            f"Expected begin and size arguments to be 1-D tensors of size {len(shape)}, "
            f"but got shapes {shown((len(starts),))} and {shown((len(sizes),))} instead. [Op:Slice]"
        )
    ends = []
    for i, (at, length, have) in enumerate(zip(starts, sizes, shape, strict=True)):
        end = have if length == -1 else at + length
        if not 0 <= at <= have:
            raise InvalidArgumentError(
                f"Expected begin[{i}] in [0, {have}], but got {at} [Op:Slice]"
            )
        if not at <= end <= have:
            raise InvalidArgumentError(
                f"Expected size[{i}] in [0, {have - at}], but got {length} [Op:Slice]"
            )
        ends.append(end)
    return sliced(x, tuple(slice(a, b) for a, b in zip(starts, ends, strict=True)))


slice_.__name__ = slice_.__qualname__ = "slice"

# ---- padding ----------------------------------------------------------------------------------

Paddings = tuple[tuple[int, int], ...]


def _inner(paddings: Paddings, shape: Dims) -> Index:
    return tuple(slice(a, a + size) for (a, _), size in zip(paddings, shape, strict=True))


PAD: Row = op(
    "PadV2",
    lambda xp, x, *, paddings, constant: xp.pad(x, paddings, constant_values=constant),
    vjp=(lambda g, y, x, *, paddings, constant: sliced(g, _inner(paddings, dims(x))),),
    jvp=(
        lambda t, y, x, *, paddings, constant: apply(
            PAD, (t,), {"paddings": paddings, "constant": 0}
        ),
    ),
    batch=with_attrs("PadV2", lambda a, n: {"paddings": ((0, 0), *a["paddings"])}),
    saves="",
)
MIRROR_PAD: Row = op(
    "MirrorPad",
    lambda xp, x, *, paddings, mode: xp.pad(x, paddings, mode=mode),
    vjp=(
        lambda g, y, x, *, paddings, mode: apply(
            MIRROR_PAD_GRAD,
            (g,),
            {"paddings": paddings, "mode": mode, "shape": dims(x)},
        ),
    ),
    linear=(0,),
    batch=with_attrs("MirrorPad", lambda a, n: {"paddings": ((0, 0), *a["paddings"])}),
    saves="",
)


def _mirror_pad_grad_kernel(xp: Any, g: Any, *, paddings: Paddings, mode: str, shape: Dims) -> Any:
    """Each padded element gives its cotangent to the element it mirrors, axis by axis."""
    for axis, (pad, size) in enumerate(zip(paddings, shape, strict=True)):
        if pad != (0, 0):
            mirrored = np.pad(np.arange(size), pad, mode=mode)
            moved = xp.moveaxis(g, axis, 0)
            out = xp.zeros((size, *moved.shape[1:]), g.dtype)
            np.add.at(out, mirrored, moved)
            g = xp.moveaxis(out, 0, axis)
    return g


MIRROR_PAD_GRAD: Row = op(
    "MirrorPadGrad",
    _mirror_pad_grad_kernel,
    vjp=(
        lambda g, y, x, *, paddings, mode, shape: apply(
            MIRROR_PAD, (g,), {"paddings": paddings, "mode": mode}
        ),
    ),
    linear=(0,),
    batch=with_attrs(
        "MirrorPadGrad",
        lambda a, n: {"paddings": ((0, 0), *a["paddings"]), "shape": (n, *a["shape"])},
    ),
    saves="",
)


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:
    """The tensor with elements added before and after along each axis.

    `mode` is CONSTANT, REFLECT (without repeating the edge) or SYMMETRIC (repeating it).

    >>> tf.pad([1, 2, 3], [[1, 2]]).numpy().tolist()
    [0, 1, 2, 3, 0, 0]
    >>> tf.pad([1, 2, 3], [[1, 1]], mode="REFLECT").numpy().tolist()
    [2, 1, 2, 3, 2]
    """
    x, widths = convert(tensor), static(paddings)
    shape = dims(x)
    if widths.ndim != 2 or widths.shape[1] != 2:
        raise InvalidArgumentError(
            f"paddings must be a matrix with 2 columns: {shown(widths.shape)} [Op:Pad]"
        )
    if len(widths) != len(shape):
        raise InvalidArgumentError(
            f"The first dimension of paddings must be the rank of inputs: paddings has shape "
            f"{shown(widths.shape)}, the input {shown(shape)} [Op:Pad]"
        )
    pairs: Paddings = tuple((int(a), int(b)) for a, b in widths)
    for a, b in pairs:
        if a < 0 or b < 0:
            raise InvalidArgumentError(f"Paddings must be non-negative: {a} {b} [Op:Pad]")
    chosen = mode.upper()
    if chosen == "CONSTANT":
        constant = convert(constant_values, hint=x.dtype)._array
        result: Tensor = apply(PAD, (x,), {"paddings": pairs, "constant": constant})
        return result
    if chosen not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    reach, must, is_not = (
        (1, "less than", "not less than")
        if chosen == "REFLECT"
        else (0, "no greater than", "greater than")
    )
    for (a, b), size in zip(pairs, shape, strict=True):
        if max(a, b) > size - reach:
            raise InvalidArgumentError(
                f"paddings must be {must} the dimension size: {a}, {b} {is_not} {size} "
                "[Op:MirrorPad]"
            )
    mirrored: Tensor = apply(MIRROR_PAD, (x,), {"paddings": pairs, "mode": chosen.lower()})
    return mirrored


# ---- order ------------------------------------------------------------------------------------

REVERSE: Row = op(
    "ReverseV2",
    lambda xp, x, *, axis: xp.flip(x, axis),
    vjp=(lambda g, y, x, *, axis: apply(REVERSE, (g,), {"axis": axis}),),
    linear=(0,),
    batch=axes_moved("ReverseV2"),
    saves="",
)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements in opposite order along some axes.

    >>> tf.reverse([1, 2, 3], [0]).numpy().tolist()
    [3, 2, 1]
    """
    x = convert(tensor)
    complaint = "axis {at} is out of valid range [{low}, {rank})"
    axes = tuple(one_axis(a, len(dims(x)), "ReverseV2", complaint) for a in as_shape(axis))
    for i, at in enumerate(axes):
        if at in axes[:i]:
            raise InvalidArgumentError(f"axis {at} specified more than once. [Op:ReverseV2]")
    result: Tensor = apply(REVERSE, (x,), {"axis": axes})
    return result


ROLL: Row = op(
    "Roll",
    lambda xp, x, *, shift, axis: xp.roll(x, shift, axis),
    vjp=(
        lambda g, y, x, *, shift, axis: apply(
            ROLL, (g,), {"shift": tuple(-s for s in shift), "axis": axis}
        ),
    ),
    linear=(0,),
    batch=axes_moved("Roll"),
    saves="",
)


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements moved along some axes; what leaves at one end enters at the other.

    >>> tf.roll([1, 2, 3, 4], shift=1, axis=0).numpy().tolist()
    [4, 1, 2, 3]
    """
    x = convert(input)
    complaint = "axis {at} is out of range"
    axes = tuple(one_axis(a, len(dims(x)), "Roll", complaint) for a in as_shape(axis))
    shifts = as_shape(shift)
    if len(shifts) != len(axes):
        raise InvalidArgumentError("shift and axis must have the same size [Op:Roll]")
    result: Tensor = apply(ROLL, (x,), {"shift": shifts, "axis": axes})
    return result


# ---- what the machine says --------------------------------------------------------------------


words.broadcast_to = lambda x, shape: x if dims(x) == shape else broadcast_to(x, shape)
words.reshape = reshape
words.stack = stack
words.unstack = unstack
words.pack = convert
