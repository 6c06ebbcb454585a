"""Shapes: other arrangements of the same elements, more around them."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

import numpy as np

from wengert.api.numpy.promotion import as_tensor
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import creation, shaping, slicing
from wengert.ops.arrays.broadcasting import broadcast_dynamic_shape
from wengert.ops.arrays.gathering import gather
from wengert.ops.reductions.reductions import normal_axes
from wengert.ops.reductions.sequences import repeat as _repeat
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import is_certain
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.typing import Array, Integers, ShapeLike, TensorLike

# ---- what it is -------------------------------------------------------------------------------


def shape(a: Numeric) -> TensorShape:
    """The shape.

    >>> tf.experimental.numpy.shape([[1, 2]])
    TensorShape([1, 2])
    """
    return as_tensor(a).shape


def ndim(a: Numeric) -> Any:
    """The number of axes.

    >>> tf.experimental.numpy.ndim([[1, 2]])
    2
    """
    return as_tensor(a).shape.rank


def size(x: Numeric, axis: int | None = None) -> Any:
    """How many elements there are; a tensor where only the run of a graph can tell.

    >>> tf.experimental.numpy.size([[1, 2]])
    np.int64(2)
    """
    if axis is not None:
        raise NotImplementedError(
            "The size along an axis is not supported, as in TensorFlow: write x.shape[axis]."
        )
    if isinstance(x, numbers.Number):
        return 1
    tensor = as_tensor(x)
    if isinstance(tensor._array.shape, tuple) and is_certain(dims(tensor)):
        return np.int64(math.prod(dims(tensor)))
    return creation.size(tensor, "int64")


# ---- other shapes -----------------------------------------------------------------------------


@deferrable
def reshape(a: Numeric, newshape: ShapeLike, order: str = "C") -> Tensor:
    """The elements in another shape, read row by row ("C") or column by column ("F").

    >>> tf.experimental.numpy.reshape([1, 2, 3, 4], (2, 2), order="F").numpy().tolist()
    [[1, 3], [2, 4]]
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order!r}: it is 'C' or 'F'.")
    tensor = as_tensor(a)
    if order == "C":
        return shaping.reshape(tensor, _as_sizes(newshape))
    wanted = shaping.as_shape(_as_sizes(newshape))
    return shaping.transpose(shaping.reshape(shaping.transpose(tensor), wanted[::-1]))


def _as_sizes(sizes: Any) -> Any:
    return (sizes,) if isinstance(sizes, (int, np.integer)) else sizes


@deferrable
def ravel(a: Numeric) -> Tensor:
    """The elements in a row.

    >>> tf.experimental.numpy.ravel([[1, 2], [3, 4]]).numpy()
    array([1, 2, 3, 4])
    """
    return shaping.reshape(as_tensor(a), (-1,))


@deferrable
def flatten(a: Numeric, order: str = "C") -> Tensor:
    """The elements in a row, row by row ("C") or column by column ("F").

    >>> tf.experimental.numpy.flatten([[1, 2], [3, 4]], order="F").numpy()
    array([1, 3, 2, 4])
    """
    if order not in ("C", "A", "K", "F"):
        raise ValueError(f"order can only be one of 'C', 'A', 'K' or 'F', not {order!r}.")
    return reshape(a, (-1,), "F" if order == "F" else "C")


@deferrable
def transpose(a: Numeric, axes: Integers | None = None) -> Tensor:
    """The axes in another order, reversed unless one is given.

    >>> tf.experimental.numpy.transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    return shaping.transpose(as_tensor(a), axes)


@deferrable
def expand_dims(a: Numeric, axis: Integers) -> Tensor:
    """With new axes of size one.

    >>> tf.experimental.numpy.expand_dims([1, 2], 1).shape
    TensorShape([2, 1])
    """
    tensor = as_tensor(a)
    if not isinstance(axis, (tuple, list)):
        return shaping.expand_dims(tensor, axis)
    for at in sorted(normal_axes(axis, len(dims(tensor)) + len(axis), "ExpandDims")):
        tensor = shaping.expand_dims(tensor, at)
    return tensor


@deferrable
def squeeze(a: Numeric, axis: Integers | None = None) -> Tensor:
    """Without axes of size one.

    >>> tf.experimental.numpy.squeeze([[1, 2]]).shape
    TensorShape([2])
    """
    return shaping.squeeze(as_tensor(a), axis)


@deferrable
def swapaxes(a: Numeric, axis1: int, axis2: int) -> Tensor:
    """With two axes exchanged.

    >>> tf.experimental.numpy.swapaxes([[1, 2]], 0, 1).shape
    TensorShape([2, 1])
    """
    tensor = as_tensor(a)
    order = list(range(len(dims(tensor))))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return shaping.transpose(tensor, order)


@deferrable
def moveaxis(a: Numeric, source: Integers, destination: Integers) -> Tensor:
    """With axes moved to other places; the others keep their order.

    >>> tf.experimental.numpy.moveaxis(tf.zeros([2, 3, 4]), 0, -1).shape
    TensorShape([3, 4, 2])
    """
    tensor = as_tensor(a)
    rank = len(dims(tensor))
    moved, places = (_in_order(axes, rank) for axes in (source, destination))
    if len(moved) != len(places):
        raise ValueError("The lengths of source and destination must equal.")
    order = [axis for axis in range(rank) if axis not in moved]
    for place, axis in sorted(zip(places, moved, strict=True)):
        order.insert(place, axis)
    return shaping.transpose(tensor, order)


def _in_order(axes: Any, rank: int) -> list[int]:
    listed = axes if isinstance(axes, (tuple, list)) else [axes]
    return [normal_axes(axis, rank, "Moveaxis")[0] for axis in listed]


@deferrable
def broadcast_to(array: Numeric, shape: ShapeLike) -> Tensor:
    """Repeated to a shape.

    >>> tf.experimental.numpy.broadcast_to([1, 2], (2, 2)).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    return shaping.broadcast_to(as_tensor(array), _as_sizes(shape))


@deferrable
def broadcast_arrays(*args: Numeric, **kwargs: Any) -> list[Tensor]:
    """All of the shape that they have together.

    >>> [x.shape for x in tf.experimental.numpy.broadcast_arrays([1, 2], 1.0)]
    [TensorShape([2]), TensorShape([2])]
    """
    if set(kwargs) - {"subok"}:
        raise TypeError(f"Unknown arguments: {', '.join(kwargs)}. There is subok, without effect.")
    tensors = [as_tensor(a) for a in args]
    common = creation.shape(tensors[0])
    for tensor in tensors[1:]:
        common = broadcast_dynamic_shape(common, creation.shape(tensor))
    return [shaping.broadcast_to(t, common) for t in tensors]


def _at_least(rank: int, places: Any) -> Any:
    def function(*arys: Numeric) -> Any:
        found = [of_rank(as_tensor(a), rank, places) for a in arys]
        return found[0] if len(found) == 1 else found

    function.__name__ = function.__qualname__ = f"atleast_{rank}d"
    function.__doc__ = (
        f"Each with at least {rank} ax{'i' if rank == 1 else 'e'}s.\n\n"
        f">>> len(tf.experimental.numpy.atleast_{rank}d(1.5).shape)\n{rank}\n"
    )
    return deferrable(function)


def of_rank(x: Tensor, rank: int, places: Any) -> Tensor:
    """With new axes of size one, of which `places` has one for each rank that is too low."""
    while len(dims(x)) < rank:
        x = shaping.expand_dims(x, places[len(dims(x))])
    return x


atleast_1d = _at_least(1, (0,))
atleast_2d = _at_least(2, (0, 0))
atleast_3d = _at_least(3, (0, 0, 2))

# ---- other orders -----------------------------------------------------------------------------


@deferrable
def flip(m: Numeric, axis: Integers | None = None) -> Tensor:
    """In reversed order along some axes, or along all.

    >>> tf.experimental.numpy.flip([1, 2, 3]).numpy()
    array([3, 2, 1])
    """
    tensor = as_tensor(m)
    return slicing.reverse(tensor, normal_axes(axis, len(dims(tensor)), "ReverseV2"))


@deferrable
def fliplr(m: Numeric) -> Tensor:
    """Columns in reversed order.

    >>> tf.experimental.numpy.fliplr([[1, 2]]).numpy().tolist()
    [[2, 1]]
    """
    return flip(m, 1)


@deferrable
def flipud(m: Numeric) -> Tensor:
    """Rows in reversed order.

    >>> tf.experimental.numpy.flipud([[1], [2]]).numpy().tolist()
    [[2], [1]]
    """
    return flip(m, 0)


@deferrable
def rot90(m: Numeric, k: int = 1, axes: Sequence[int] = (0, 1)) -> Tensor:
    """Turned k times by 90 degrees in the plane of two axes, from the first to the second.

    >>> tf.experimental.numpy.rot90([[1, 2], [3, 4]]).numpy().tolist()
    [[2, 4], [1, 3]]
    """
    tensor = as_tensor(m)
    first, second = axes
    turns = k % 4
    if turns == 2:
        return flip(flip(tensor, first), second)
    if turns == 1:
        return swapaxes(flip(tensor, second), first, second)
    return flip(swapaxes(tensor, first, second), second) if turns == 3 else tensor


@deferrable
def roll(a: Numeric, shift: TensorLike, axis: Integers | None = None) -> Tensor:
    """Shifted along an axis, what leaves at the end comes in at the front.

    >>> tf.experimental.numpy.roll([1, 2, 3], 1).numpy()
    array([3, 1, 2])
    """
    tensor = as_tensor(a)
    if axis is None:
        rolled = slicing.roll(shaping.reshape(tensor, (-1,)), shift, 0)
        return shaping.reshape(rolled, creation.shape(tensor))
    are_plain = isinstance(shift, Tensor) or (type(shift) is int and type(axis) is int)
    pairs = (shift, axis) if are_plain else np.broadcast_arrays(shift, axis)
    return slicing.roll(tensor, *pairs)


@deferrable
def tile(a: Numeric, reps: Integers) -> Tensor:
    """Repeated as a whole along each axis.

    >>> tf.experimental.numpy.tile([1, 2], 2).numpy()
    array([1, 2, 1, 2])
    """
    tensor, counts = as_tensor(a), shaping.as_shape(_as_sizes(reps))
    rank = max(len(counts), len(dims(tensor)))
    counts = (1,) * (rank - len(counts)) + tuple(counts)
    return shaping.tile(of_rank(tensor, rank, (0,) * rank), counts)


@deferrable
def repeat(a: Numeric, repeats: TensorLike, axis: int | None = None) -> Tensor:
    """Each element, or slice along an axis, several times.

    >>> tf.experimental.numpy.repeat([1, 2], 2).numpy()
    array([1, 1, 2, 2])
    """
    return _repeat(as_tensor(a), repeats, axis)


# ---- more around it ---------------------------------------------------------------------------


@deferrable
def pad(array: Numeric, pad_width: TensorLike, mode: str, **kwargs: Any) -> Tensor:
    """With more elements around it: constant ones, its own mirrored ("reflect", "symmetric") or repeated.

    "edge" repeats the first and the last, "wrap" all of them.

    >>> tf.experimental.numpy.pad([1, 2], 1, "constant", constant_values=7).numpy()
    array([7, 1, 2, 7])
    >>> tf.experimental.numpy.pad([1, 2], 2, "edge").numpy()
    array([1, 1, 1, 2, 2, 2])
    """
    if mode not in ("constant", *_OWN):
        raise ValueError(
            f"Unsupported padding mode: {mode}. There are constant, {', '.join(_OWN)}."
        )
    constant = kwargs.pop("constant_values", 0)
    if kwargs:
        raise TypeError(f"pad with mode {mode} does not take {', '.join(sorted(kwargs))}.")
    tensor = as_tensor(array)
    widths = np.broadcast_to(shaping.static(pad_width), (len(dims(tensor)), 2))
    if mode == "constant":
        return slicing.pad(tensor, widths, mode, as_tensor(constant, tensor.dtype))
    return _with_own(tensor, widths, cast("Mode", mode))


Mode = Literal["reflect", "symmetric", "edge", "wrap"]
_OWN: Final = get_args(Mode)


def _with_own(x: Tensor, widths: Array, mode: Mode) -> Tensor:
    """With its own elements around it, axis by axis: of each place, which one it has is found by NumPy."""
    for axis, (size, width) in enumerate(zip(dims(x), widths, strict=True)):
        if any(width):
            x = gather(x, np.pad(np.arange(size), width, mode=mode), axis=axis)
    return x


@deferrable
def meshgrid(*xi: Numeric, **kwargs: Any) -> list[Tensor]:
    """The coordinates of all points of a grid.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.meshgrid([1, 2], [3])]
    [[[1, 2]], [[3, 3]]]
    """
    if kwargs.pop("sparse", False):
        raise ValueError("meshgrid does not support returning sparse arrays: leave out `sparse`.")
    if not kwargs.pop("copy", True):
        raise ValueError("meshgrid only supports copy=True: tensors share no memory.")
    return creation.meshgrid(*[as_tensor(x) for x in xi], **kwargs)
