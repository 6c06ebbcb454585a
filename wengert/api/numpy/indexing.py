"""Elements by their places: NumPy's indices, diagonals, choices, order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.numpy.promotion import as_tensor, named, promoted, result_type, truth
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import creation, gathering, indexing, joining, shaping
from wengert.ops.arrays.broadcasting import broadcast_dynamic_shape
from wengert.ops.linalg import diagonals
from wengert.ops.math import arithmetic, comparison
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.reductions import sorting
from wengert.ops.reductions.reductions import normal_axes, reduce_sum
from wengert.values.dtypes import int64
from wengert.values.tensor import Tensor, dims
from wengert.values.value import Value

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric

# ---- square brackets --------------------------------------------------------------------------


@deferrable
def getitem(x: Numeric, key: Any) -> Tensor:
    """x[key] by NumPy's rules: slices, masks, and arrays of indices that broadcast together."""
    tensor = as_tensor(x)
    parts = _parts(key)
    if not any(map(_is_array, parts)):
        return indexing.getitem(tensor, tuple(parts))
    parts = indexing.without_ellipsis(_without_masks(parts), len(dims(tensor)))
    plain = [_ALL if _is_array(p) else p for p in parts]
    if any(p is not _ALL for p in plain):
        tensor = indexing.getitem(tensor, tuple(plain))
    kept = [p for p in parts if p is None or isinstance(p, slice) or _is_array(p)]
    axes = [i for i, p in enumerate(kept) if _is_array(p)]
    places = _from_the_front(tensor, axes, [kept[axis] for axis in axes])
    return _picked(tensor, axes, places)


_ALL: Final = slice(None)


def _parts(key: Any) -> list[Any]:
    listed = list(key) if isinstance(key, tuple) else [key]
    return [_as_part(part) for part in listed]


def _as_part(part: Any) -> Any:
    """A slice, None, an ellipsis or an integer as it is; anything else as a tensor, or as the array that it is."""
    if part is None or part is Ellipsis or isinstance(part, (slice, int, np.integer)):
        return as_tensor(part) if isinstance(part, bool) else part
    if type(part) is np.ndarray and part.ndim and part.dtype.kind in "iub":
        return part
    tensor = as_tensor(np.zeros(0, np.int64) if isinstance(part, list) and not part else part)
    if tensor.dtype.is_differentiable:
        raise IndexError(
            f"Arrays used as indices must be of integer (or boolean) type, got {tensor.dtype.name}."
        )
    is_number = not dims(tensor) and not tensor.dtype.is_bool
    if is_number and hasattr(part, "__index__"):
        return part
    return tensor._array if _is_there(tensor) else tensor


def _is_there(tensor: Any) -> bool:
    """Whether it is an array already, for every example: then its numbers are places, and no operation makes them so."""
    return type(tensor) is Tensor and type(tensor._array) is np.ndarray


def _is_array(part: Any) -> bool:
    if type(part) is np.ndarray:
        return True
    return isinstance(part, Value) and (bool(dims(part)) or part.dtype.is_bool)


def _without_masks(parts: list[Any]) -> list[Any]:
    """With the places where a mask is true instead of the mask."""
    found: list[Any] = []
    for part in parts:
        if type(part) is np.ndarray:
            found += np.nonzero(part) if part.dtype == bool else [part]
        elif _is_array(part) and part.dtype.is_bool:
            places = comparison.where(part)
            found += [places[:, axis] for axis in range(len(dims(part)))]
        else:
            found.append(part)
    return found


def _from_the_front(x: Tensor, axes: list[int], places: list[Any]) -> list[Any]:
    """Places of one shape, those that were counted from the end counted from the front: arrays, or tensors."""
    sizes = [dims(x)[axis] for axis in axes]
    pairs = list(zip(places, sizes, strict=True))
    if all(type(p) is np.ndarray and type(size) is int for p, size in pairs):
        counted = [np.where(p < 0, p + size, p) for p, size in pairs]
        return [p.astype(np.int64, copy=False) for p in np.broadcast_arrays(*counted)]
    tensors = [cast(as_tensor(p), int64) for p in places]
    return _together(
        [
            comparison.where(p < 0, p + cast(creation.shape(x)[axis], int64), p)
            for p, axis in zip(tensors, axes, strict=True)
        ]
    )


def _picked(x: Tensor, axes: list[int], places: list[Any]) -> Tensor:
    """The elements at places of some axes; their axes stand where the first was, or in front."""
    rank, count, new = len(dims(x)), len(axes), len(places[0].shape)
    if count == 1:
        return gathering.gather_densely(x, places[0], axes[0])
    rest = [axis for axis in range(rank) if axis not in axes]
    first = x if axes == list(range(count)) else shaping.transpose(x, [*axes, *rest])
    found = _of_one_axis(first, places)
    if found is None:
        found = gathering.gather_nd(first, _stacked(places))
    if axes[0] == 0 or axes != list(range(axes[0], axes[0] + count)):
        return found
    order = list(range(new, new + axes[0])) + list(range(new))
    return shaping.transpose(found, [*order, *range(new + axes[0], new + len(rest))])


def _of_one_axis(x: Tensor, places: list[Any]) -> Tensor | None:
    """The elements at places of the first axes, which become one; None where sizes or places are not known."""
    sizes = dims(x)
    if type(places[0]) is not np.ndarray or not all(type(size) is int for size in sizes):
        return None
    at = np.zeros((), np.int64)
    for p, size in zip(places, sizes, strict=False):
        gathering.check_indices(p, size, "GatherNd")
        at = at * size + p
    front, rest = sizes[: len(places)], sizes[len(places) :]
    return gathering.gather_densely(shaping.reshape(x, (math.prod(front), *rest)), at)


def _stacked(places: list[Any]) -> Tensor:
    return joining.stack([as_tensor(p) for p in places], -1)


def _together(places: list[Tensor]) -> list[Tensor]:
    shape = creation.shape(places[0])
    for place in places[1:]:
        shape = broadcast_dynamic_shape(shape, creation.shape(place))
    return [shaping.broadcast_to(place, shape) for place in places]


# ---- elements at places -----------------------------------------------------------------------


@deferrable
def take(
    a: Numeric, indices: Numeric, axis: int | None = None, out: None = None, mode: str = "clip"
) -> Tensor:
    """Elements, or slices along an axis; places outside are those at the end, or go round ("wrap").

    >>> tf.experimental.numpy.take([1, 2, 3], [0, 5]).numpy()
    array([1, 3])
    """
    if out is not None:
        raise ValueError("take takes no `out`: its result is a new tensor.")
    if mode not in ("clip", "wrap"):
        raise ValueError(f"The {mode!r} mode to take is not supported. There are clip and wrap.")
    tensor, places = as_tensor(a), as_tensor(indices)
    if axis is None:
        tensor, axis = shaping.reshape(tensor, (-1,)), 0
    at = normal_axes(axis, len(dims(tensor)), "Take")[0]
    size = cast(creation.shape(tensor)[at], places.dtype)
    if mode == "wrap":
        return gathering.gather_densely(tensor, arithmetic.floormod(places, size), at)
    inside = arithmetic.minimum(arithmetic.maximum(places, 0), size - 1)
    return gathering.gather_densely(tensor, inside, at)


@deferrable
def take_along_axis(arr: Numeric, indices: Numeric, axis: int | None) -> Tensor:
    """For each place along an axis its own index, as `argsort` gives them.

    >>> tf.experimental.numpy.take_along_axis([[3, 1]], [[1, 0]], 1).numpy().tolist()
    [[1, 3]]
    """
    tensor, places = as_tensor(arr), as_tensor(indices)
    if axis is None:
        return take_along_axis(shaping.reshape(tensor, (-1,)), shaping.reshape(places, (-1,)), 0)
    rank = len(dims(tensor))
    if rank != len(dims(places)):
        raise ValueError("`indices` and `arr` must have the same number of dimensions.")
    at = normal_axes(axis, rank, "TakeAlongAxis")[0]
    key = [
        places if i == at else shaping.reshape(
            creation.range_(creation.shape(tensor)[i]), [-1 if i == j else 1 for j in range(rank)]
        )
        for i in range(rank)
    ]  # fmt: skip
    return getitem(tensor, tuple(key))


@deferrable
def where(condition: Numeric, x: Numeric | None = None, y: Numeric | None = None) -> Any:
    """x where the condition holds, y elsewhere; with the condition alone, where it holds.

    >>> tf.experimental.numpy.where([True, False], 1, 2.5).numpy()
    array([1. , 2.5])
    """
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be specified, or neither of them.")
    a, b = promoted(x, y)
    return comparison.where(truth(condition), a, b)


@deferrable
def nonzero(a: Numeric) -> list[Tensor]:
    """For each axis, the indices of what is not zero.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.nonzero([0, 2, 3])]
    [[1, 2]]
    """
    tensor = as_tensor(a)
    if not dims(tensor):
        tensor = shaping.expand_dims(tensor, 0)
    places = comparison.where(truth(tensor))
    return [places[:, axis] for axis in range(len(dims(tensor)))]


@deferrable
def compress(condition: Numeric, a: Numeric, axis: int | None = None) -> Tensor:
    """The slices along an axis for which a condition holds; without an axis, elements.

    >>> tf.experimental.numpy.compress([False, True], [1, 2, 3]).numpy()
    array([2])
    """
    chosen, tensor = truth(condition), as_tensor(a)
    if len(dims(chosen)) != 1:
        raise ValueError("condition must be a 1-d array.")
    if axis is None:
        tensor, axis = shaping.reshape(tensor, (-1,)), 0
    places = shaping.reshape(comparison.where(chosen), (-1,))
    return gathering.gather_densely(
        tensor, places, normal_axes(axis, len(dims(tensor)), "Compress")[0]
    )


@deferrable
def select(condlist: Any, choicelist: Any, default: Numeric = 0) -> Tensor:
    """Of several choices the first whose condition holds.

    >>> tf.experimental.numpy.select([[True, False]], [[1, 2]], default=7).numpy()
    array([1, 7])
    """
    if len(condlist) != len(choicelist):
        raise ValueError(
            "condlist must have length equal to choicelist "
            f"({len(condlist)} vs {len(choicelist)}): a condition for each choice."
        )
    if not condlist:
        raise ValueError("condlist must be non-empty: there is nothing to select.")
    dtype = result_type(default, *choicelist)
    found = as_tensor(default, dtype)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        found = comparison.where(truth(condition), as_tensor(choice, dtype), found)
    return found


@deferrable
def ix_(*args: Numeric) -> list[Tensor]:
    """Indices of all combinations, one axis for each argument.

    >>> [x.shape for x in tf.experimental.numpy.ix_([0, 1], [1, 2, 3])]
    [TensorShape([2, 1]), TensorShape([1, 3])]
    """
    return [_open_axis(as_tensor(a), i, len(args)) for i, a in enumerate(args)]


def _open_axis(places: Tensor, at: int, count: int) -> Tensor:
    if len(dims(places)) != 1:
        raise ValueError(f"Arguments to ix_ must be 1-d, got rank {len(dims(places))}.")
    if places.dtype.is_bool:
        places = shaping.reshape(comparison.where(places), (-1,))
    return shaping.reshape(places, [-1 if i == at else 1 for i in range(count)])


# ---- diagonals --------------------------------------------------------------------------------


@deferrable
def diag(v: Numeric, k: int = 0) -> Tensor:
    """A matrix with a vector on a diagonal; of a matrix, its diagonal.

    >>> tf.experimental.numpy.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    tensor = as_tensor(v)
    if len(dims(tensor)) not in (1, 2):
        raise ValueError(f"Input to diag must be 1-d or 2-d only, got rank {len(dims(tensor))}.")
    return diagonal(tensor, k) if len(dims(tensor)) == 2 else diagonals.diag(tensor, k=k)


@deferrable
def diagflat(v: Numeric, k: int = 0) -> Tensor:
    """A matrix with the elements of an array on a diagonal.

    >>> tf.experimental.numpy.diagflat([[1, 2]]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    return diag(shaping.reshape(as_tensor(v), (-1,)), k)


@deferrable
def diagonal(a: Numeric, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal of the matrices that two axes form; it becomes the last axis.

    >>> tf.experimental.numpy.diagonal([[1, 2], [3, 4]]).numpy()
    array([1, 4])
    """
    tensor = as_tensor(a)
    rank = len(dims(tensor))
    rows, columns = (normal_axes(axis, rank, "Diagonal")[0] for axis in (axis1, axis2))
    rest = [axis for axis in range(rank) if axis not in (rows, columns)]
    tensor = shaping.transpose(tensor, [*rest, rows, columns])
    *_, high, wide = dims(tensor)
    if offset >= wide or -offset >= high:
        return tensor[..., 0, :0]
    return diagonals.diag_part(tensor, k=offset)


@deferrable
def trace(a: Numeric, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Tensor:
    """The sum of a diagonal.

    >>> tf.experimental.numpy.trace([[1, 2], [3, 4]]).numpy()
    np.int64(5)
    """
    found = diagonal(a, offset, axis1, axis2)
    return reduce_sum(found if dtype is None else cast(found, named(dtype)), -1)


@deferrable
def tril(m: Numeric, k: int = 0) -> Tensor:
    """The elements on and below a diagonal, zeros above.

    >>> tf.experimental.numpy.tril([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    tensor = _matrices(m, "tril")
    rows, columns = dims(tensor)[-2:]
    inside = creation.constant(np.tri(rows, columns, k, bool))
    return comparison.where(inside, tensor, zeros_like(tensor))


@deferrable
def triu(m: Numeric, k: int = 0) -> Tensor:
    """The elements on and above a diagonal, zeros below.

    >>> tf.experimental.numpy.triu([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [0, 4]]
    """
    tensor = _matrices(m, "triu")
    rows, columns = dims(tensor)[-2:]
    below = creation.constant(np.tri(rows, columns, k - 1, bool))
    return comparison.where(below, zeros_like(tensor), tensor)


def _matrices(m: Numeric, who: str) -> Tensor:
    tensor = as_tensor(m)
    if len(dims(tensor)) < 2:
        raise ValueError(f"Argument to {who} must have rank at least 2, got {len(dims(tensor))}.")
    return tensor


# ---- order ------------------------------------------------------------------------------------


def _check_order(kind: str, order: Any) -> None:
    if kind not in ("quicksort", "stable"):
        raise ValueError(f"Only the kinds 'quicksort' and 'stable' are supported, not {kind!r}.")
    if order is not None:
        raise ValueError("The 'order' argument is not supported: tensors have no fields.")


@deferrable
def sort(a: Numeric, axis: int | None = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """Sorted along an axis; without one, all elements in a row.

    >>> tf.experimental.numpy.sort([3, 1, 2]).numpy()
    array([1, 2, 3])
    """
    _check_order(kind, order)
    tensor = as_tensor(a)
    if axis is None:
        return sorting.sort(shaping.reshape(tensor, (-1,)), 0)
    return sorting.sort(tensor, axis)


@deferrable
def argsort(
    a: Numeric, axis: int | None = -1, kind: str = "quicksort", order: Any = None
) -> Tensor:
    """The indices that sort along an axis; without one, all elements in a row.

    >>> tf.experimental.numpy.argsort([3, 1, 2]).numpy()
    array([1, 2, 0])
    """
    _check_order(kind, order)
    tensor = as_tensor(a)
    if axis is None:
        return argsort(shaping.reshape(tensor, (-1,)))
    tensor = tensor if dims(tensor) else shaping.reshape(tensor, (1,))
    return cast(sorting.argsort(tensor, axis, stable=kind == "stable"), int64)
