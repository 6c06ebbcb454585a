"""Sequence masks and reversal, repetition, and permutations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import is_replaced
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError, SymbolicValueError
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import Stated, number_of, sizes_of, states
from wengert.ops.arrays.batched import run_merged
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.gathering import gather_densely, integers
from wengert.ops.arrays.shaping import broadcast_to, expand_dims, one_axis, reshape, static, tile
from wengert.ops.math.arithmetic import maximum
from wengert.ops.math.comparison import less
from wengert.ops.math.elementwise import cast, ceil, zeros_like
from wengert.ops.reductions.reductions import reduce_max
from wengert.ops.support.large_kernels import inverse_kernel
from wengert.ops.support.replaced_types import warn_of_replaced
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import shape_text
from wengert.values.sizes import Size, shapes_differ
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, DTypeLike, Integers, IntLike, Namespace, TensorLike

# ---- lengths ----------------------------------------------------------------------------------


def _mask_shape(lengths: TensorLike, maxlen: IntLike | None) -> Stated:
    outer = sizes_of(lengths)
    return None if outer is None else (*outer, None if maxlen is None else number_of(maxlen))


@deferrable
@states(_mask_shape)
def sequence_mask(
    lengths: TensorLike,
    maxlen: IntLike | None = None,
    dtype: DTypeLike = dtypes.bool_,
    name: str | None = None,
) -> Tensor:
    """A mask for sequences: for each length, that many times True, then False.

    >>> tf.sequence_mask([1, 3]).numpy().tolist()
    [[True, False, False], [True, True, True]]
    """
    if isinstance(lengths, Tensor) and lengths.dtype.is_floating:  # a mask of its own is as long
        lengths = cast(ceil(lengths) if maxlen is None else lengths, dtypes.int32)
    counts = integers(lengths, "T", "int8, int16, int32, int64, uint8, uint16, uint32, uint64")
    if maxlen is None:
        longest = maximum(reduce_max(counts), zeros_like(reduce_max(counts)))
        size = int(static(longest))
    else:
        if np.ndim(static(maxlen)):
            raise ValueError("Argument `maxlen` must be scalar for sequence_mask")
        size = int(static(maxlen))
    if counts.dtype not in (dtypes.int32, dtypes.int64):  # too small for every `maxlen`
        counts = cast(counts, dtypes.int64)
    places = range_(convert(0, counts.dtype), convert(size, counts.dtype))
    return cast(less(places, expand_dims(counts, -1)), as_dtype(dtype))


def _turn_kernel(
    _: Namespace, x: Array, lengths: Array, *, seq_axis: int, batch_axis: int
) -> Array:
    size = x.shape[seq_axis]
    bad = np.flatnonzero((lengths < 0) | (lengths > size))
    if bad.size:
        raise InvalidArgumentError(
            f"seq_lens({int(bad[0])}) = {int(lengths[bad[0]])} is not in [0, {size}] "
            "[Op:ReverseSequence]"
        )
    places = np.arange(size)
    turned = lengths[:, None] - 1 - places
    order = np.where(turned >= 0, turned, places)  # [batch, sequence]
    moved = np.moveaxis(x, (batch_axis, seq_axis), (0, 1))
    picked = np.take_along_axis(moved, order.reshape(*order.shape, *[1] * (x.ndim - 2)), 1)
    return np.moveaxis(picked, (0, 1), (batch_axis, seq_axis))


def _batched_turn(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
    along = attrs["batch_axis"]
    result: Tensor = run_merged(
        REVERSE_SEQUENCE, batched, size, xs, attrs, axes=(along, 0), results=along
    )
    return result


REVERSE_SEQUENCE: Row = op(
    "ReverseSequence",
    _turn_kernel,
    shape=lambda x, *_, **attrs: x,
    vjp=(lambda g, y, x, n, **attrs: apply(REVERSE_SEQUENCE, (g, n), attrs), None),
    linear=(0,),
    batch=_batched_turn,
    saves="x",
)


@deferrable
def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: IntLike | None = None,
    batch_axis: IntLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Reverse the first `seq_lengths[i]` elements of each sequence.

    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy().tolist()
    [[2, 1, 3], [6, 5, 4]]
    """
    x, lengths = convert(input), integers(seq_lengths, "Tlen", "int32, int64")
    rank = len(dims(x))
    if seq_axis is None:
        raise ValueError("`seq_axis` must be given: the axis along which the sequences run.")
    along = one_axis(seq_axis, rank, "ReverseSequence")
    batch = one_axis(0 if batch_axis is None else batch_axis, rank, "ReverseSequence")
    if along == batch:
        raise InvalidArgumentError(f"batch_dim == seq_dim == {along} [Op:ReverseSequence]")
    if shapes_differ(dims(lengths), (dims(x)[batch],)):
        raise InvalidArgumentError(
            f"Length of seq_lens != input.dims({batch}), ({shape_text(dims(lengths))} vs. "
            f"{dims(x)[batch]}) [Op:ReverseSequence]"
        )
    attrs = {"seq_axis": along, "batch_axis": batch}
    result: Tensor = apply(REVERSE_SEQUENCE, (x, lengths), attrs)
    return result


# ---- repetition -------------------------------------------------------------------------------


def _repeated_shape(input: TensorLike, axis: Integers | None) -> Stated:
    x = sizes_of(input)
    if axis is None or x is None:
        return (None,) if axis is None else None
    at = one_axis(axis, max(1, len(x)), "Repeat")
    return (*x[:at], None, *x[at + 1 :])


@deferrable
@states(_repeated_shape)
def repeat(
    input: TensorLike, repeats: TensorLike, axis: Integers | None = None, name: str | None = None
) -> Tensor:
    """Repeat each element, or each slice along an axis.

    >>> tf.repeat([1, 2, 3], [2, 0, 1]).numpy().tolist()
    [1, 1, 3]
    >>> tf.repeat([[1], [2]], 2, axis=1).numpy().tolist()
    [[1, 1], [2, 2]]
    """
    x = convert(input)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    elif not dims(x):
        x = reshape(x, (1,))
    at = one_axis(axis, len(dims(x)), "Repeat")
    size, times = dims(x)[at], static(repeats)
    if times.ndim > 1 or (times.ndim and times.size not in (1, size)):
        raise InvalidArgumentError(
            f"Expected `repeats` to be a number or {size} numbers, got shape {shape_text(times.shape)}"
        )
    if any(type(n) is Size for n in times.flat):
        return _repeated_unknown(x, times, at)
    if np.any(times < 0):
        raise InvalidArgumentError("`repeats` must not be negative")
    if times.ndim == 0 and is_replaced("ExpandDims", "Reshape", "Tile"):
        return _tiled(x, times.item(), at)
    warn_of_replaced("tf.repeat", "'GatherV2'", x, "ExpandDims", "Reshape", "Tile")
    return gather_densely(x, np.repeat(np.arange(size, dtype=np.int32), times), at)


def _tiled(x: Tensor, times: int, axis: int) -> Tensor:
    """Each slice along an axis equally often, as TensorFlow does it: for those who replace gradients."""
    shape = dims(x)
    whole = tile(
        expand_dims(x, axis + 1), [times if k == axis + 1 else 1 for k in range(len(shape) + 1)]
    )
    return reshape(whole, (*shape[:axis], shape[axis] * times, *shape[axis + 1 :]))


def _repeated_unknown(x: Tensor, times: Array, axis: int) -> Tensor:
    """Each slice along an axis as often as only a run knows; all equally often."""
    if times.size != 1:
        raise SymbolicValueError("The numbers of repetitions are not known before the graph runs.")
    shape = tuple(dims(x))
    many = (*shape[: axis + 1], times.item(), *shape[axis + 1 :])
    whole = broadcast_to(expand_dims(x, axis + 1), many)
    return reshape(whole, (*shape[:axis], shape[axis] * times.item(), *shape[axis + 1 :]))


# ---- permutations and places ------------------------------------------------------------------


_MANY: Final = 1 << 10  # elements, from which on an engine's kernel is worth its call


def _invert_kernel(_: Namespace, x: Array) -> Array:
    found = inverse_kernel(x) if x.size >= _MANY else None
    if found is not None:
        return found
    if x.size and (x.min() < 0 or x.max() >= x.size):
        at = int(np.argwhere((x < 0) | (x >= x.size))[0, 0])
        raise InvalidArgumentError(
            f"{int(x[at])} is not between 0 and {x.size} [Op:InvertPermutation]"
        )
    out = np.full_like(x, -1)
    out[x] = np.arange(x.size, dtype=x.dtype)
    if x.size and out.min() < 0:  # a place that nothing came to
        raise InvalidArgumentError(
            f"{int(x[np.argmax(np.bincount(x)[x] > 1)])} is duplicated in the input. "
            "[Op:InvertPermutation]"
        )
    return out


INVERT_PERMUTATION: Row = op("InvertPermutation", _invert_kernel, shape=lambda x: x)


@deferrable
def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse permutation: y[x[i]] = i.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy().tolist()
    [1, 2, 0]
    """
    order = integers(x, "T", "int32, int64")
    if len(dims(order)) != 1:
        raise InvalidArgumentError(
            f"invert_permutation expects a 1D vector, got shape {shape_text(dims(order))} "
            "[Op:InvertPermutation]"
        )
    result: Tensor = apply(INVERT_PERMUTATION, (order,))
    return result


def _unravel_kernel(_: Namespace, indices: Array, sizes: Array) -> Array:
    if np.any(sizes == 0):
        raise InvalidArgumentError("Input dims cannot contain a dim of zero [Op:UnravelIndex]")
    count = math.prod(sizes.tolist())
    if count > np.iinfo(indices.dtype).max:
        raise InvalidArgumentError(
            "Input dims product is causing integer overflow: "
            f"{shape_text(sizes.tolist())} [Op:UnravelIndex]"
        )
    if np.any((indices < 0) | (indices >= count)):
        raise InvalidArgumentError("index is out of bound as with dims [Op:UnravelIndex]")
    return np.array(np.unravel_index(indices, tuple(sizes.tolist())), indices.dtype)


UNRAVEL_INDEX: Row = op("UnravelIndex", _unravel_kernel, by_value=True)


@deferrable
def unravel_index(indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """Convert flat indices to coordinates in a tensor of shape `dims`.

    >>> tf.unravel_index([2, 5], [2, 3]).numpy().tolist()
    [[0, 1], [2, 2]]
    """
    flat = integers(indices, "Tidx", "int32, int64")
    result: Tensor = apply(UNRAVEL_INDEX, (flat, convert(dims, flat.dtype)))
    return result
