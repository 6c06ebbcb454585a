"""Indexing with square brackets, strided_slice, boolean_mask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.errors import InvalidArgumentError, LeakedTensorError, SymbolicValueError
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import Stated, numbers_of, sizes_of, states
from wengert.inference.symbolic_integers import integer
from wengert.ops.arrays.gathered_parts import (
    Window,
    at_places,
    is_gathered,
    is_placed,
    of_another_size,
    places_of,
)
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.shaping import as_shape, one_axis, reshape
from wengert.ops.arrays.slicing import SLICE, Index, take_part
from wengert.ops.math.comparison import where
from wengert.state.variable import Variable
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.sizes import certainly, shapes_differ
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Integers, TensorLike


def _stated_part(x: Any, key: Any) -> Stated:
    """The shape of x[key], where the parts of the key tell which axes stay."""
    have = sizes_of(x)
    listed = list(key) if isinstance(key, (tuple, list)) else [key]
    spread = [i for i, part in enumerate(listed) if part is Ellipsis]
    if have is None or len(spread) > 1 or not all(map(_tells_axes, listed)):
        return None
    missing = len(have) - sum(part is not None and part is not Ellipsis for part in listed)
    if missing < 0:
        return None
    (at,) = spread or [len(listed)]
    sizes = iter(have)
    found: list[int | None] = []
    for part in [*listed[:at], *[slice(None)] * missing, *listed[at + 1 :]]:
        if part is None:
            found.append(1)
        elif isinstance(part, slice):
            found.append(_stated_size(part, next(sizes)))
        else:
            next(sizes)
    return tuple(found)


def _tells_axes(part: Any) -> bool:
    """Whether a part of a key certainly keeps its axis, or certainly does not."""
    return (
        part is None
        or part is Ellipsis
        or isinstance(part, (slice, int, np.integer))
        or (type(part) is SymbolicTensor and part.dtype.is_integer and sizes_of(part) == ())
    )


def _stated_size(part: slice, size: int | None) -> int | None:
    bounds = part.start, part.stop, part.step
    if size is None or not all(bound is None or type(bound) is int for bound in bounds):
        return size if part == slice(None) else None
    return len(range(size)[part]) if part.step != 0 else None


@deferrable
@states(_stated_part)
def getitem(x: TensorLike, key: Any) -> Tensor:
    """x[key], with all of Python's slicing; a boolean tensor selects where it is True."""
    parts = key if isinstance(key, tuple) else tuple(key) if isinstance(key, list) else (key,)
    if type(x) is Tensor and _are_plain(parts, x._array):
        return take_part(x, parts)
    tensor = convert(x)
    if _is_mask(key):
        return boolean_mask(tensor, key)
    return _taken(tensor, tuple(_index(p) for p in parts))


def bracket(x: Any, key: Any) -> Any:
    """x[key] as a tensor's method, which is often all that a loop over rows does."""
    if type(key) is int and type(x) is Tensor and _is_within(key, x):
        return take_part(x, (key,))
    return getitem(x, key)


_ENDS: Final = (int, NoneType)


def _are_plain(key: Index, x: Array) -> bool:
    """Whether a key has slices of neighbours, and numbers that are within their axes; or an ellipsis before them."""
    parts = key[1:] if key and key[0] is Ellipsis else key
    before = x.ndim - len(parts)
    if before < 0 or x.dtype.kind == "O":
        return False
    return all(map(_is_plain, parts, x.shape if parts is key else x.shape[before:]))


def _is_plain(part: Any, size: int) -> bool:
    if type(part) is int:
        return -size <= part < size
    return (
        type(part) is slice
        and part.step is None
        and type(part.start) in _ENDS
        and type(part.stop) in _ENDS
    )


def _taken(x: Tensor, key: Index) -> Tensor:
    """What a key takes, of which some parts may be gathered."""
    if any(map(is_gathered, key)):
        rest = [slice(None) if is_gathered(part) else part for part in key]
        return at_places(_taken(x, tuple(rest)), key, rest)
    key = checked_index(key, dims(x))
    if x.dtype is dtypes.string and Ellipsis not in key:
        key = (*key, Ellipsis)  # without it NumPy returns a bare string for a single one
    return take_part(x, key)


def _is_within(index: int, x: Tensor) -> bool:
    """Whether it is one of the first axis, of an array of numbers."""
    shape = x._array.shape
    return bool(shape) and -shape[0] <= index < shape[0] and bool(x._array.dtype.kind != "O")


def _is_mask(key: Any) -> bool:
    if isinstance(key, (Tensor, Variable)):
        return key.dtype is dtypes.bool_
    return isinstance(key, np.ndarray) and key.dtype == bool


def _index(part: Any) -> Any:
    """One part of an index as an int, a slice of ints, None or Ellipsis; with places that are gathered."""
    if part is None or part is Ellipsis:
        return part
    if is_placed(part):
        if dims(part) or not part.dtype.is_integer:
            raise _bad_index(part)
        return part
    if isinstance(part, slice):
        if is_gathered(part):
            return part
        return slice(_bound(part.start), _bound(part.stop), _bound(part.step))
    return integer_index(part)


def integer_index(part: Any) -> Any:
    """An index as an int."""
    if isinstance(part, bool) or not hasattr(part, "__index__"):
        raise _bad_index(part)
    try:
        return integer(part)
    except (SymbolicValueError, LeakedTensorError):
        raise
    except TypeError:
        raise _bad_index(part) from None


def _bound(value: Any) -> Any:
    if value is None or type(value) is int:
        return value
    return integer_index(value)


# What an index may be, in TensorFlow's words.
VALID_INDICES: Final = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices"
)


def _bad_index(part: Any) -> TypeError:
    return TypeError(
        f"{VALID_INDICES}, got {part!r}. "
        "To pick several elements use tf.gather, by a condition tf.boolean_mask."
    )


def without_ellipsis(parts: list[Any], rank: int) -> list[Any]:
    """The parts of a key, with one for each axis."""
    missing = rank - sum(p is not None and p is not Ellipsis for p in parts)
    at = next((i for i, p in enumerate(parts) if p is Ellipsis), len(parts))
    return [*parts[:at], *[slice(None)] * missing, *parts[at + 1 :]]


def checked_index(key: Index, shape: Dims) -> Index:
    """Raise what TensorFlow raises for an index that does not fit the shape."""
    consuming = [p for p in key if p is not None and p is not Ellipsis]
    if not shape and consuming:
        raise InvalidArgumentError("Attempting to slice scalar input. [Op:StridedSlice]")
    if len(consuming) > len(shape):
        raise InvalidArgumentError(
            f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims "
            "[Op:StridedSlice]"
        )
    if sum(p is Ellipsis for p in key) > 1:
        raise InvalidArgumentError("Multiple ellipses in slice spec not allowed [Op:StridedSlice]")
    axis = 0
    for part in key:
        if part is Ellipsis:
            axis = len(shape) - _consumed_after(key)
        elif isinstance(part, slice):
            if part.step is not None and certainly(part.step == 0):
                raise InvalidArgumentError(f"strides[{axis}] must be non-zero [Op:StridedSlice]")
            axis += 1
        elif part is not None:
            if certainly(part < -shape[axis]) or certainly(part >= shape[axis]):
                raise InvalidArgumentError(
                    f"slice index {part} of dimension {axis} out of bounds. [Op:StridedSlice]"
                )
            axis += 1
    return key


def _consumed_after(key: Index) -> int:
    after = key[[p is Ellipsis for p in key].index(True) + 1 :]
    return sum(p is not None for p in after)


# ---- tf.slice, tf.strided_slice -----------------------------------------------------------------


def _stated_slice(input_: Any, begin: Any, size: Any) -> Stated:
    """The sizes that are numbers; to the end there are as many as the beginning leaves."""
    have, starts, counts = sizes_of(input_), numbers_of(begin), numbers_of(size)
    if counts is None:
        return None
    found: list[int | None] = []
    for axis, count in enumerate(counts):
        if count != -1:
            found.append(count)
        elif have is None or starts is None or None in (have[axis], starts[axis]):
            found.append(None)
        else:
            found.append(have[axis] - starts[axis])  # type: ignore[operator]
    return tuple(found)


@deferrable
@states(_stated_slice)
def slice_(
    input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None
) -> Tensor:
    """The slice of the given sizes that begins at `begin`; a size of -1 extends to the end.

    >>> tf.slice([1, 2, 3, 4], [1], [2]).numpy().tolist()
    [2, 3]
    """
    x = convert(input_)
    starts, sizes, shape = places_of(begin), as_shape(size), dims(x)
    if not len(starts) == len(sizes) == len(shape):
        raise InvalidArgumentError(
            f"Expected begin and size arguments to be 1-D tensors of size {len(shape)}, "
            f"but got shapes {shape_text((len(starts),))} and {shape_text((len(sizes),))} instead. [Op:Slice]"
        )
    key = [_neighbours(i, *part) for i, part in enumerate(zip(starts, sizes, shape, strict=True))]
    if type(x) is Tensor and not any(map(is_gathered, key)):
        found: Tensor = apply(SLICE, (x,), {"key": tuple(key)})
        return found
    rest = [slice(None) if is_gathered(part) else part for part in key]
    result: Tensor = apply(SLICE, (x,), {"key": tuple(rest)})
    return at_places(result, key, rest)


slice_.__name__ = slice_.__qualname__ = "slice"


def _neighbours(axis: int, at: Any, count: Any, have: Any) -> slice | Window:
    """So many elements from a place on, or all to the end; an error if there are fewer."""
    if (
        type(at) is type(count) is type(have) is int
        and 0 <= at <= have
        and -1 <= count <= have - at
    ):
        return slice(at, have if count == -1 else at + count)
    to_the_end = type(count) is int and count == -1
    if is_placed(at):
        if to_the_end:
            raise of_another_size(at)
        return Window(at, count)
    end = have if to_the_end else at + count
    if certainly(at < 0) or certainly(at > have):
        raise InvalidArgumentError(
            f"Expected begin[{axis}] in [0, {have}], but got {at} [Op:Slice]"
        )
    if certainly(end < at) or certainly(end > have):
        raise InvalidArgumentError(
            f"Expected size[{axis}] in [0, {have - at}], but got {count} [Op:Slice]"
        )
    return slice(at, end)


@deferrable
def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: Integers | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """x[begin:end:strides]; bit i of a mask changes the meaning of part i of the index.

    >>> tf.strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy().tolist()
    [1, 3]
    """
    x = convert(input_)
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return _taken(x, index_of(begin, end, strides, masks))


def index_of(
    begin: TensorLike,
    end: TensorLike,
    strides: Integers | None,
    masks: Sequence[int],
) -> Index:
    """begin:end:strides as a Python index; bits of the masks change the meaning of its parts."""
    begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask = masks
    starts, ends = places_of(begin), places_of(end)
    steps = (1,) * len(starts) if strides is None else as_shape(strides)
    if not len(starts) == len(ends) == len(steps):
        sizes = [shape_text((len(part),)) for part in (starts, ends, steps)]
        raise InvalidArgumentError(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{sizes[0]}, {sizes[1]}, and {sizes[2]} instead. [Op:StridedSlice]"
        )
    begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask = (
        0 if mask is None else mask
        for mask in (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    )
    key: list[Any] = []
    for i, (a, b, step) in enumerate(zip(starts, ends, steps, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(a)
        else:
            key.append(slice(None if begin_mask & bit else a, None if end_mask & bit else b, step))
    return tuple(key)


@deferrable
def boolean_mask(
    tensor: TensorLike, mask: TensorLike, axis: Integers | None = None, name: str = "boolean_mask"
) -> Tensor:
    """Select the elements, or slices, for which the mask is True.

    >>> tf.boolean_mask([1.0, 2.0, 3.0], [True, False, True]).numpy().tolist()
    [1.0, 3.0]
    """
    x, chosen = convert(tensor), convert(mask)
    if isinstance(chosen, SymbolicTensor) and chosen.op.type == "Placeholder":
        _check_ranked(chosen)
    shape, rank = dims(x), len(dims(chosen))
    if not rank:
        raise ValueError("mask cannot be scalar.")
    at = 0 if axis is None else one_axis(axis, len(shape), "BooleanMask")
    covered = shape[at : at + rank]
    if shapes_differ(covered, dims(chosen)):
        raise ValueError(f"Shapes {covered} and {dims(chosen)} are incompatible: mask and tensor")
    flat = reshape(x, (*shape[:at], math.prod(covered), *shape[at + rank :]))
    return gather(flat, _places(chosen), axis=at)


def _check_ranked(mask: Tensor) -> None:
    """Raise for a mask of which nothing is known before the graph runs."""
    if mask.shape.rank is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. "
            "shape=[None] is ok, but shape=None is not."
        )


def _places(mask: Tensor) -> Tensor:
    """The flat indices where a mask is true."""
    if type(mask) is SymbolicTensor and mask._known is None:
        return reshape(where(reshape(mask, (-1,))), (-1,))
    return convert(np.flatnonzero(np.asarray(mask)))
