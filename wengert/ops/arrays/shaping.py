"""Reshape, transpose, squeeze, broadcast, tile: operations that only move elements."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.batch import with_rank
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import (
    InvalidArgumentError,
    LeakedTensorError,
    NotATensorError,
    SymbolicValueError,
)
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import Stated, numbers_of, sizes_of, states
from wengert.inference.symbolic_integers import by_function, integer, integers_of, known_value
from wengert.ops.math.complex import conj
from wengert.ops.support.batch_rules import shift_axes, shift_axis, with_attrs
from wengert.values.bound_ops import bound
from wengert.values.composite import Composite
from wengert.values.convert import as_array, convert
from wengert.values.dimensions import Dimension
from wengert.values.dtypes import DType
from wengert.values.foreign_errors import unnamed
from wengert.values.shapes import Axes, Dims, normal_axis, shape_text
from wengert.values.sizes import Size, certainly
from wengert.values.symbolic import AnyShape, SymbolicTensor, count_of
from wengert.values.tensor import Tensor, dims
from wengert.values.value import Value

if TYPE_CHECKING:
    from wengert.values.typing import Array, Integers, ShapeLike, TensorLike, TensorOrDims

# Operations whose result is a view of the input: they cost neither arithmetic nor memory.
VIEWS: Final = frozenset(["Identity", "Reshape", "ExpandDims", "Squeeze", "EnsureShape"])

# ---- arguments --------------------------------------------------------------------------------


def static(value: TensorLike | Integers) -> Array:
    """Integer parameters (not data) as a NumPy array, from a tensor, a nested list or a number."""
    if isinstance(value, (list, tuple)):
        if value and all(type(v) is int for v in value):  # by far the most common case
            return np.array(value)
        parts = [static(v) for v in value]
        return np.stack(parts) if any(p.dtype == object for p in parts) else np.array(parts)
    if type(value) is AnyShape:
        value._unknown()
    if type(value) is Dimension:
        value = value.value
    known = integers_of(value) if type(value) is SymbolicTensor else None
    array = np.asarray(value if known is None else known)
    has_objects = array.dtype == object
    if type(value) is Size or (has_objects and any(type(v) is Size for v in array.flat)):
        return array
    if known is not None:
        return array.astype(np.int64)
    if array.size and array.dtype.kind not in "iu":
        what = "An argument that says how many or where must be an integer"
        if isinstance(value, Composite):
            raise NotATensorError(value, what)
        raise unnamed(TypeError(f"{what}, got {value!r}."))
    return array


def plain(value: TensorLike, dtype: DType) -> Array:
    """An argument kept as an array: a number, or a tensor whose value is known."""
    if not isinstance(value, Value):
        return np.asarray(as_array(value, dtype))
    known = known_value(value) if type(value) is SymbolicTensor else None
    return np.asarray(value if known is None else known)


_INTEGERS: Final = frozenset([int])


def as_shape(value: Any) -> Dims:
    """A shape argument, or a list of axes, as a tuple of integers."""
    if isinstance(value, (list, tuple)):  # by far the most common case: without NumPy
        if _INTEGERS.issuperset(map(type, value)):
            return tuple(value)
        try:
            return tuple([v if type(v) is int else integer(v) for v in value])
        except (SymbolicValueError, LeakedTensorError):
            raise
        except (AttributeError, TypeError):
            if any(isinstance(v, Value) and v.dtype.is_floating for v in value):
                return tuple([int(v) for v in value])  # what TensorFlow casts, too
            if any(isinstance(v, (list, tuple)) for v in value):
                raise unnamed(
                    InvalidArgumentError(f"A shape must be a vector of integers, got {value!r}.")
                ) from None
            raise unnamed(TypeError(f"A shape must consist of integers, got {value!r}.")) from None
    if type(value) is Tensor and value._array.ndim == 1 and value._array.dtype.kind == "i":
        return tuple(value._array.tolist())
    if hasattr(value, "as_list"):
        return as_shape(value.as_list())
    array = static(value)
    if array.ndim > 1:
        raise unnamed(InvalidArgumentError(f"A shape must be a vector of integers, got {value!r}."))
    return tuple(array.ravel().tolist())


def as_numbers(value: Any) -> tuple[Dims, Any]:
    """Axes or other numbers as a tuple, and what was given: a single one, or several."""
    if not isinstance(value, (list, tuple)) and not hasattr(value, "as_list"):
        array = static(value)
        if not array.ndim:
            return (array.item(),), array.item()
    numbers = as_shape(value)
    return numbers, numbers


def one_axis(
    axis: Integers,
    rank: int,
    who: str,
    complaint: str = "axis = {at} not in [{low}, {rank}): the input has {rank} dimension(s)",
) -> int:
    """One axis, counted from the front; errors are TensorFlow's."""
    at = axis if type(axis) is int else int(static(axis))
    if not -rank <= at < rank:
        words = complaint.format(at=at, low=-rank, rank=rank)
        raise InvalidArgumentError(f"{words} [Op:{who}]")
    return normal_axis(at, rank)


# ---- reshape and transpose --------------------------------------------------------------------


def in_shape(x: Tensor, shape: Dims) -> Tensor:
    """The same elements in a shape of as many, for rules: what is known nobody need look at once more."""
    if type(x) is not Tensor:
        return reshape(x, shape)
    result: Tensor = apply(RESHAPE, (x,), {"shape": shape})
    return result


def _reshape_rule(g: Tensor, y: Tensor | None, x: Tensor, **_: Any) -> Tensor:
    return in_shape(g, dims(x))


RESHAPE: Row = op(
    "Reshape",
    lambda xp, x, *, shape: xp.reshape(x, shape),
    vjp=(_reshape_rule,),
    shape=lambda have, *, shape: shape,
    integers=by_function(lambda x, *, shape: np.reshape(x, shape)),
    linear=(0,),
    batch=with_attrs("Reshape", lambda attrs, n: {"shape": (n, *attrs["shape"])}),
    saves="",
)


def _reshaped(shape: Any) -> Stated:
    """The sizes that are asked for, and an unknown one for -1."""
    found = numbers_of(shape)
    return None if found is None else tuple([None if size == -1 else size for size in found])


@deferrable
@states(_reshaped)
def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Reshape: the same elements in another shape; one size may be -1 and is inferred.

    >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).numpy().tolist()
    [[1, 2, 3], [4, 5, 6]]
    """
    if isinstance(name, int):
        raise TypeError("tf.reshape takes the shape as one argument: tf.reshape(x, [2, 3]).")
    x = convert(tensor)
    wanted = _resolved(as_shape(shape), dims(x))
    result: Tensor = apply(RESHAPE, (x,), {"shape": wanted})
    return result


_MOST_AXES: Final = 254


def _resolved(shape: Dims, have: Dims) -> Dims:
    """A shape with -1 replaced so that it has as many elements as the input.

    Where there is none, the sizes that are not zero are divided, as TensorFlow does it.
    """
    size = count_of(have)
    if _is_right(shape, size):
        return shape
    if (rest := _inferred(shape, size)) is not None:
        at = shape.index(-1)
        return (*shape[:at], rest, *shape[at + 1 :])
    if len(shape) >= _MOST_AXES:
        raise InvalidArgumentError(
            f"too many dimensions: must be < {_MOST_AXES}, but received {len(shape)} [Op:Reshape]"
        )
    unknown = [s for s in shape if type(s) is int and s == -1]
    if len(unknown) > 1:
        raise InvalidArgumentError(
            f"Only one input size may be -1, not both {_places(shape)} [Op:Reshape]"
        )
    known = math.prod([s for s in shape if type(s) is not int or s != -1])
    for i, size_there in enumerate(shape):
        if type(size_there) is int and size_there < -1:
            raise InvalidArgumentError(
                f"Size {i} must be non-negative, not {size_there} [Op:Reshape]"
            )
    if unknown:
        if certainly(known == 0) and certainly(size == 0):
            rest = _without_zeros(have) // _without_zeros(shape)
        elif certainly(known == 0) or certainly(size % known != 0):
            raise InvalidArgumentError(
                f"Input to reshape is a tensor with {size} values, but the requested shape "
                f"requires a multiple of {known} [Op:Reshape]"
            )
        else:
            rest = size // known
        return tuple([rest if type(s) is int and s == -1 else s for s in shape])
    if certainly(known != size):
        raise InvalidArgumentError(
            f"Input to reshape is a tensor with {size} values, but the requested shape has "
            f"{known} [Op:Reshape]"
        )
    return shape


def _is_right(shape: Dims, size: Any) -> bool:
    """Whether a shape of known sizes has so many elements."""
    if len(shape) >= _MOST_AXES or not _INTEGERS.issuperset(map(type, shape)):
        return False
    return type(size) is int and math.prod(shape) == size and min(shape, default=0) >= 0


def _inferred(shape: Dims, size: Any) -> int | None:
    """The size that a single -1 stands for, where all else is known and fits."""
    if type(size) is not int or not _INTEGERS.issuperset(map(type, shape)):
        return None
    if len(shape) >= _MOST_AXES or shape.count(-1) != 1 or min(shape) < -1:
        return None
    known = -math.prod(shape)
    return size // known if known and size % known == 0 else None


def _without_zeros(sizes: Dims) -> int:
    """The product of the sizes that are neither zero nor -1."""
    return math.prod([s for s in sizes if type(s) is not int or s not in (0, -1)])


def _places(shape: Dims) -> str:
    return " and ".join(str(i) for i, s in enumerate(shape) if type(s) is int and s == -1)


def _transpose_rule(g: Tensor, y: Tensor | None, x: Tensor, *, perm: Sequence[int]) -> Tensor:
    back = order_back(tuple(perm))
    if type(g) is not Tensor:
        return transpose(g, back)
    result: Tensor = apply(TRANSPOSE, (g,), {"perm": back})
    return result


@functools.lru_cache(maxsize=1024)
def order_back(perm: tuple[int, ...]) -> tuple[int, ...]:
    """The order that brings axes back to where they were."""
    return tuple(sorted(range(len(perm)), key=perm.__getitem__))


TRANSPOSE: Row = op(
    "Transpose",
    lambda xp, x, *, perm: xp.transpose(x, perm),
    vjp=(_transpose_rule,),
    shape=lambda have, *, perm: tuple(have[i] for i in perm),
    linear=(0,),
    batch=with_attrs("Transpose", lambda a, n: {"perm": (0, *[p + 1 for p in a["perm"]])}),
    saves="",
    called="transpose",
)


def _of_rank(tensor: TensorLike, numbers: Integers | None) -> Stated:
    """As many axes as the tensor, or as there are numbers."""
    x = sizes_of(tensor)
    if x is not None:
        return (None,) * len(x)
    given = None if numbers is None else numbers_of(numbers)
    return None if given is None else (None,) * len(given)


@deferrable
@states(lambda a, perm: _of_rank(a, perm))
def transpose(
    a: TensorLike,
    perm: Integers | None = None,
    conjugate: bool = False,
    name: str | None = "transpose",
) -> Tensor:
    """Permute the axes; reverses their order if no permutation is given.

    >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
    [[1, 4], [2, 5], [3, 6]]
    """
    x = convert(a)
    rank = len(dims(x))
    if perm is None:
        turned: Tensor = apply(TRANSPOSE, (x,), {"perm": tuple(range(rank - 1, -1, -1))})
        return conj(turned) if conjugate else turned
    is_plain = type(perm) in (tuple, list) and _INTEGERS.issuperset(map(type, perm))  # type: ignore[arg-type]
    if not is_plain and len(np.shape(perm)) > 1:
        raise InvalidArgumentError(
            f"perm must be rank 1, a vector of axes, not {np.shape(perm)} [Op:Transpose]"
        )
    order = tuple([normal_axis(p, rank) for p in as_shape(perm)])
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
    lambda xp, x, *, axis: xp.reshape(x, (*x.shape[:axis], 1, *x.shape[axis:])),
    shape=lambda have, *, axis: (*have[:axis], 1, *have[axis:]),
    integers=by_function(np.expand_dims),
    vjp=(_reshape_rule,),
    linear=(0,),
    batch=shift_axis("ExpandDims"),
    saves="",
)
SQUEEZE: Row = op(
    "Squeeze",
    lambda xp, x, *, axis: xp.squeeze(x, axis),
    shape=lambda have, *, axis: tuple(s for i, s in enumerate(have) if i not in axis),
    integers=by_function(np.squeeze),
    vjp=(_reshape_rule,),
    linear=(0,),
    batch=shift_axes("Squeeze"),
    saves="",
)


@deferrable
def expand_dims(input: TensorLike, axis: Integers, name: str | None = None) -> Tensor:
    """Insert an axis of size one.

    >>> tf.expand_dims([1, 2], 1).shape
    TensorShape([2, 1])
    """
    x = convert(input)
    if type(axis) is not int:
        given = static(axis)
        if given.size != 1:
            raise InvalidArgumentError("'dim' must be a tensor with a single value [Op:ExpandDims]")
        axis = int(given.item())
    at, rank = axis, len(dims(x))
    if not -rank - 1 <= at <= rank:
        raise InvalidArgumentError(
            f"Tried to expand dim index {at} for tensor with {rank} dimensions. [Op:ExpandDims]"
        )
    result: Tensor = apply(EXPAND_DIMS, (x,), {"axis": normal_axis(at, rank + 1)})
    return result


@deferrable
def squeeze(input: TensorLike, axis: Integers | None = None, name: str | None = None) -> Tensor:
    """Remove axes of size one: all of them, or those given.

    >>> tf.squeeze([[[1], [2]]]).shape, tf.squeeze([[[1], [2]]], axis=0).shape
    (TensorShape([2]), TensorShape([2, 1]))
    """
    x = convert(input)
    shape = dims(x)
    given: Dims = ()
    if axis is None or (type(axis) is not int and np.size(axis) == 0):
        chosen = [i for i, size in enumerate(shape) if size == 1]
    else:
        given = (axis,) if type(axis) is int else as_shape(axis)
        complaint = "Tried to squeeze dim index {at} for tensor with {rank} dimensions."
        chosen = [one_axis(a, len(shape), "Squeeze", complaint) for a in given]
    for at in chosen:
        if certainly(shape[at] != 1):
            raise InvalidArgumentError(
                f"Can not squeeze dim[{at}], expected a dimension of 1, got {shape[at]} "
                "[Op:Squeeze]"
            )
    result: Tensor = apply(SQUEEZE, (x,), {"axis": Axes(sorted(set(chosen)), given)})
    return result


# ---- repetition -------------------------------------------------------------------------------


def _batched_broadcast(
    batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs
) -> Tensor:
    shape = attrs["shape"]
    result: Tensor = apply(BROADCAST_TO, (with_rank(xs[0], len(shape)),), {"shape": (size, *shape)})
    return result


def _broadcasting(name: str) -> Row:
    return op(
        name,
        lambda xp, x, *, shape: xp.broadcast_to(x, shape),
        shape=lambda have, *, shape: shape,
        vjp=(lambda g, y, x, *, shape: bound.sum_to(g, dims(x)),),
        linear=(0,),
        batch=_batched_broadcast,
        saves="",
    )


BROADCAST_TO: Row = _broadcasting("BroadcastTo")
# The same of a number, for those who replace the gradient that TensorFlow's tf.fill has.
FILL: Row = _broadcasting("Fill")


def _broadcast_shape(input: TensorLike, shape: ShapeLike) -> Stated:
    """The sizes asked for; an axis that is not of size one keeps its size."""
    wanted, have = numbers_of(shape), sizes_of(input)
    if wanted is None or have is None or len(have) > len(wanted):
        return None if wanted is None else tuple(wanted)
    kept = [None] * (len(wanted) - len(have)) + [None if n == 1 else n for n in have]
    pairs = zip(wanted, kept, strict=True)
    return tuple([None if w == -1 and k is None else w if k is None else k for w, k in pairs])


@deferrable
@states(_broadcast_shape)
def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Broadcast to a shape: repeat the tensor along new axes and axes of size one.

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
    pairs = zip(have[::-1], wanted[::-1], strict=False)
    if any(h is not w and certainly(h != 1) and certainly(h != w) for h, w in pairs):
        raise InvalidArgumentError(
            f"Incompatible shapes: {shape_text(have)} vs. {shape_text(wanted)} [Op:BroadcastTo]"
        )
    result: Tensor = apply(BROADCAST_TO, (x,), {"shape": wanted})
    return result


def _tile_rule(g: Tensor, y: Tensor | None, x: TensorOrDims, *, multiples: Dims) -> Tensor:
    """Add the cotangents of all copies: split every axis into (copies, size) and sum."""
    pairs = [part for pair in zip(multiples, dims(x), strict=True) for part in pair]
    kept = [part for i, part in enumerate(pairs) if i % 2 == 0]
    apart = reshape(g, tuple(pairs))
    front = transpose(apart, (*range(0, len(pairs), 2), *range(1, len(pairs), 2)))
    return bound.sum_to(reshape(front, (*kept, *dims(x))), dims(x))


TILE: Row = op(
    "Tile",
    lambda xp, x, *, multiples: xp.tile(x, multiples),
    shape=lambda have, *, multiples: tuple(map(operator.mul, have, multiples)),
    vjp=(_tile_rule,),
    linear=(0,),
    batch=with_attrs("Tile", lambda a, n: {"multiples": (1, *a["multiples"])}),
    saves="",
)


@deferrable
@states(lambda input, multiples: _of_rank(input, multiples))
def tile(input: TensorLike, multiples: Integers, name: str | None = None) -> Tensor:
    """Tile: repeat the tensor `multiples[i]` times along axis i.

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
        if certainly(count < 0):
            raise InvalidArgumentError(f"Expected multiples[{i}] >= 0, but got {count} [Op:Tile]")
    result: Tensor = apply(TILE, (x,), {"multiples": times})
    return result


# ---- bound operations -------------------------------------------------------------------------


@deferrable
def broadcast_unless_done(x: Tensor, shape: Dims) -> Tensor:
    """`x` broadcast to a shape; `x` itself if it has that shape."""
    return x if dims(x) == shape else broadcast_to(x, shape)
