"""Several arrays in one, and one in several."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.numpy.promotion import as_tensor, promoted
from wengert.api.numpy.shapes import of_rank
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import joining, shaping
from wengert.ops.arrays.slicing import take_part
from wengert.ops.reductions.reductions import normal_axes
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric

# ---- several in one ---------------------------------------------------------------------------


def _alike(arrays: Any) -> list[Tensor]:
    """The parts as tensors of one dtype; those of an array are its rows."""
    return promoted(*(list(arrays) if isinstance(arrays, Tensor) else arrays))


@deferrable
def concatenate(arys: Any, axis: int | None = 0) -> Tensor:
    """One behind the other along an axis; without one, all elements in a row.

    >>> tf.experimental.numpy.concatenate([[1, 2], [3.0]]).numpy()
    array([1., 2., 3.])
    """
    parts = _alike(arys)
    if axis is None:
        return joining.concat([shaping.reshape(p, (-1,)) for p in parts], 0)
    return joining.concat(parts, axis)


@deferrable
def stack(arrays: Any, axis: int = 0) -> Tensor:
    """One beside the other along a new axis.

    >>> tf.experimental.numpy.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    return joining.stack(_alike(arrays), axis)


@deferrable
def hstack(tup: Any) -> Tensor:
    """One behind the other: along the second axis, of vectors along the first.

    >>> tf.experimental.numpy.hstack([[1], [2]]).numpy()
    array([1, 2])
    """
    parts = [of_rank(p, 1, (0,)) for p in _alike(tup)]
    return joining.concat(parts, 0 if len(dims(parts[0])) == 1 else 1)


@deferrable
def vstack(tup: Any) -> Tensor:
    """One below the other.

    >>> tf.experimental.numpy.vstack([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return joining.concat([of_rank(p, 2, (0, 0)) for p in _alike(tup)], 0)


@deferrable
def dstack(tup: Any) -> Tensor:
    """One behind the other along the third axis.

    >>> tf.experimental.numpy.dstack([[1, 2], [3, 4]]).numpy().tolist()
    [[[1, 3], [2, 4]]]
    """
    return joining.concat([of_rank(p, 3, (0, 0, 2)) for p in _alike(tup)], 2)


@deferrable
def append(arr: Numeric, values: Numeric, axis: int | None = None) -> Tensor:
    """With values behind it; without an axis, all elements in a row.

    >>> tf.experimental.numpy.append([1, 2], 3).numpy()
    array([1, 2, 3])
    """
    return concatenate([arr, values], axis)


# ---- one in several ---------------------------------------------------------------------------


@deferrable
def split(ary: Numeric, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """In equal parts, or cut at some indices.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.split([1, 2, 3], [1])]
    [[1], [2, 3]]
    """
    tensor = as_tensor(ary)
    if isinstance(indices_or_sections, (int, np.integer)):
        return joining.split(tensor, int(indices_or_sections), axis)
    at = normal_axes(axis, len(dims(tensor)), "Split")[0]
    cuts = [None, *(int(i) for i in indices_or_sections), None]
    lead = (slice(None),) * at
    return [take_part(tensor, (*lead, slice(a, b))) for a, b in pairwise(cuts)]


@deferrable
def hsplit(ary: Numeric, indices_or_sections: Any) -> list[Tensor]:
    """Split along the second axis, a vector along the first.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.hsplit([1, 2], 2)]
    [[1], [2]]
    """
    tensor = as_tensor(ary)
    return split(tensor, indices_or_sections, 0 if len(dims(tensor)) == 1 else 1)


@deferrable
def vsplit(ary: Numeric, indices_or_sections: Any) -> list[Tensor]:
    """Split along the first axis.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.vsplit([[1], [2]], 2)]
    [[[1]], [[2]]]
    """
    return split(_with_rank(ary, 2, "vsplit"), indices_or_sections, 0)


@deferrable
def dsplit(ary: Numeric, indices_or_sections: Any) -> list[Tensor]:
    """Split along the third axis.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.dsplit([[[1, 2]]], 2)]
    [[[[1]]], [[[2]]]]
    """
    return split(_with_rank(ary, 3, "dsplit"), indices_or_sections, 2)


def _with_rank(a: Numeric, rank: int, who: str) -> Tensor:
    tensor = as_tensor(a)
    if len(dims(tensor)) < rank:
        raise ValueError(f"{who} only works on arrays of {rank} or more dimensions.")
    return tensor
