"""Indexing with square brackets, strided_slice, boolean_mask."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.batch import Batched
from wengert.errors import InvalidArgumentError, SymbolicValueError
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import Stated, sizes_of, states
from wengert.inference.symbolic_integers import integer, integers_of
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.shaping import as_shape, one_axis, reshape
from wengert.ops.arrays.slicing import Index, take_part
from wengert.ops.math.comparison import where
from wengert.state.variable import Variable
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.sizes import Size, certainly, shapes_differ
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Integers, TensorLike


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
    if type(key) is int and type(x) is Tensor and _is_within(key, x):  # by far the commonest
        return take_part(x, (key,))
    tensor = convert(x)
    if _is_mask(key):
        return boolean_mask(tensor, key)
    parts = key if isinstance(key, tuple) else tuple(key) if isinstance(key, list) else (key,)
    if any(map(_is_gathered, parts)):
        return _picked(tensor, parts)
    checked = _checked(tuple(_index(p) for p in parts), dims(tensor))
    if tensor.dtype is dtypes.string and Ellipsis not in checked:
        checked = (*checked, Ellipsis)  # without it NumPy returns a bare string for a single one
    return take_part(tensor, checked)


def _is_within(index: int, x: Tensor) -> bool:
    """Whether it is one of the first axis, of an array of numbers."""
    shape = x._array.shape
    return bool(shape) and -shape[0] <= index < shape[0] and bool(x._array.dtype.kind != "O")


class _Gathering(threading.local):
    """Whether an index that is not known is that of a gather in this thread, or waits until it is known."""

    is_on = False


_GATHERING: Final = _Gathering()


@contextmanager
def gathering() -> Iterator[None]:
    """Within it x[i] is a gather where i is not known: for engines that learn no numbers on their way."""
    before, _GATHERING.is_on = _GATHERING.is_on, True
    try:
        yield
    finally:
        _GATHERING.is_on = before


def _is_gathered(part: Any) -> bool:
    if type(part) is Batched:
        return True
    if not _GATHERING.is_on or type(part) is not SymbolicTensor or dims(part):
        return False
    found = integers_of(part)
    return found is None or type(found.item()) is Size


def _picked(x: Tensor, parts: Sequence[Any]) -> Tensor:
    """x[parts], where indices differ from example to example of a batch, or are not known."""
    rest = [slice(None) if _is_gathered(p) else p for p in parts]
    x = getitem(x, tuple(rest))
    for at, index in reversed(list(enumerate(parts))):
        if not _is_gathered(index):
            continue
        if dims(index) or not index.dtype.is_integer:
            raise _bad_index(index)
        behind = Ellipsis in rest[:at]  # then axes are counted from the end
        kept = sum(map(_keeps_an_axis, rest[at:] if behind else rest[:at]))
        axis = len(dims(x)) - kept if behind else kept
        count = convert(dims(x)[axis], index.dtype)
        x = gather(x, where(index < 0, index + count, index), axis=axis)
        rest[at] = 0
    return x


def _keeps_an_axis(part: Any) -> bool:
    return part is None or isinstance(part, slice)


def _is_mask(key: Any) -> bool:
    if isinstance(key, (Tensor, Variable)):
        return key.dtype is dtypes.bool_
    return isinstance(key, np.ndarray) and key.dtype == bool


def _index(part: Any) -> Any:
    """One part of an index as an int, a slice of ints, None or Ellipsis."""
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        return slice(_bound(part.start), _bound(part.stop), _bound(part.step))
    return integer_index(part)


def integer_index(part: Any) -> Any:
    """An index as an int."""
    if isinstance(part, bool) or not hasattr(part, "__index__"):
        raise _bad_index(part)
    try:
        return integer(part)
    except SymbolicValueError:
        raise
    except TypeError:
        raise _bad_index(part) from None


def _bound(value: Any) -> Any:
    if value is None or type(value) is int:
        return value
    if type(value) is Batched:
        raise TypeError(
            f"A part that begins or ends at {value!r} has another size in each example of a batch. Use "
            "tf.gather with as many indices in each, or tf.map_fn."
        )
    return _index(value)


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


def _checked(key: Index, shape: Dims) -> Index:
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
    return take_part(x, index_of(begin, end, strides, masks, dims(x)))


def index_of(
    begin: TensorLike,
    end: TensorLike,
    strides: Integers | None,
    masks: Sequence[int],
    shape: Dims,
) -> Index:
    """begin:end:strides as a Python index; bits of the masks change the meaning of its parts."""
    begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask = masks
    starts, ends = as_shape(begin), as_shape(end)
    steps = (1,) * len(starts) if strides is None else as_shape(strides)
    if not len(starts) == len(ends) == len(steps):
        sizes = [shape_text((len(part),)) for part in (starts, ends, steps)]
        raise InvalidArgumentError(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{sizes[0]}, {sizes[1]}, and {sizes[2]} instead. [Op:StridedSlice]"
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
    return _checked(tuple(key), shape)


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
