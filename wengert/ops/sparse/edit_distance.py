"""The Levenshtein distance between sequences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.sparse.places import as_list, check_inside, strides_of
from wengert.ops.sparse.tensor import gives, sparse
from wengert.ops.support.half_precision import widen
from wengert.ops.support.large_kernels import edit_distance_kernel
from wengert.values.shapes import Dims
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.ops.sparse.tensor import SparseLike
    from wengert.values.typing import Array, Namespace


_MANY: Final = 1 << 3  # elements, from which on an engine's kernel is worth its call


def _distance_kernel(
    _: Namespace, h_at: Array, h: Array, t_at: Array, t: Array, *, shape: Dims, normalize: bool
) -> Array:
    """For each sequence the distance of the hypothesis from the truth."""
    count = math.prod(shape)
    numbers = numbered(np.concatenate([h, t]))
    said, said_ends = _sequences(h_at, numbers[: len(h)], shape, count)
    meant, meant_ends = _sequences(t_at, numbers[len(h) :], shape, count)
    steps = None
    if len(numbers) >= _MANY:
        steps = edit_distance_kernel(said, said_ends, meant, meant_ends)
    if steps is None:
        pairs = zip(*(np.split(x, e[1:-1]) for x, e in ((said, said_ends), (meant, meant_ends))),
                    strict=True)  # fmt: skip
        steps = np.array([_steps(a, b) for a, b in pairs][:count], np.int64)
    distance = steps.astype(np.float32)
    if normalize:
        length = np.diff(meant_ends)
        alone = np.where(steps > 0, np.float32(np.inf), np.float32(0))
        distance = np.where(length > 0, steps / np.maximum(length, 1), alone).astype(np.float32)
    return distance.reshape(shape)


def numbered(values: Array) -> Array:
    """Integers that are equal where the values are; a NaN is like no other one."""
    if values.dtype.kind in "iub":
        return values.astype(np.int64)
    if values.dtype.kind == "O":
        numbers: dict[Any, int] = {}
        found = [numbers.setdefault(value, len(numbers)) for value in values.tolist()]
        return np.array(found, np.int64)
    plain = widen(values)
    return np.unique(plain, return_inverse=True, equal_nan=False)[1].astype(np.int64)


def _sequences(places: Array, values: Array, shape: Dims, count: int) -> tuple[Array, Array]:
    """The values sequence by sequence, and where each ends."""
    check_inside(places[:, :-1], shape, "EditDistance")
    which = places[:, :-1] @ np.array(strides_of(shape), np.int64)
    if (which[1:] < which[:-1]).any():
        order = np.argsort(which, kind="stable")
        which, values = which[order], values[order]
    ends = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(which, minlength=count), out=ends[1:])
    return values, ends


def _steps(a: Array, b: Array) -> int:
    """The number of insertions, deletions and substitutions."""
    begin = _alike(a, b)
    a, b = a[begin:], b[begin:]
    end = _alike(a[::-1], b[::-1])
    a, b = a[: len(a) - end], b[: len(b) - end]
    places = np.arange(len(b) + 1)
    row = places
    for x in a:
        either = np.minimum(row[1:] + 1, row[:-1] + (b != x))
        row = np.concatenate([row[:1] + 1, either])
        row = np.minimum.accumulate(row - places) + places  # insertions
    return int(row[-1])


def _alike(a: Array, b: Array) -> int:
    """How many elements two sequences begin with alike."""
    least = min(len(a), len(b))
    differs = a[:least] != b[:least]
    return int(np.argmax(differs)) if differs.any() else least


EDIT_DISTANCE: Row = op(
    "EditDistance",
    _distance_kernel,
    shape=lambda *_, shape, normalize: shape,
    dtype=lambda *_, **__: np.dtype(np.float32),
)


@deferrable
@gives(lambda *_: (Tensor, [(None, np.dtype(np.float32))]))
def edit_distance(
    hypothesis: SparseLike,
    truth: SparseLike,
    normalize: bool = True,
    name: str = "edit_distance",
) -> Tensor:
    """The number of insertions, deletions and substitutions that turn one sequence into the other.

    The sequences are along the last axis; the distance is divided by the length of the true one.

    >>> said = tf.SparseTensor([[0, 0], [0, 1]], ["a", "c"], [1, 2])
    >>> meant = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    >>> tf.edit_distance(said, meant).numpy().tolist()
    [0.5]
    """
    h, t = sparse(hypothesis), sparse(truth)
    if h.dtype is not t.dtype:
        raise TypeError(f"Types don't match, {h.dtype!r} vs {t.dtype!r}.")
    a, b = h.dims, t.dims
    if len(a) != len(b):
        raise InvalidArgumentError(
            f"truth_shape and hypothesis_shape should have equal rank: {as_list(b)} vs. "
            f"{as_list(a)} [Op:EditDistance]"
        )
    shape = tuple(max(p, q) for p, q in zip(a[:-1], b[:-1], strict=True))
    attrs = {"shape": shape, "normalize": bool(normalize)}
    inputs = (h.indices, h.values, t.indices, t.values)
    result: Tensor = apply(EDIT_DISTANCE, inputs, attrs)
    return result
