"""The Levenshtein distance between sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.sparse.places import as_list
from wengert.ops.sparse.tensor import gives, sparse
from wengert.values.shapes import Dims
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.ops.sparse.tensor import SparseLike
    from wengert.values.typing import Array, Namespace


def _distance_kernel(
    _: Namespace, h_at: Array, h: Array, t_at: Array, t: Array, *, shape: Dims, normalize: bool
) -> Array:
    """For each sequence the distance of the hypothesis from the truth."""
    said, meant = _sequences(h_at, h), _sequences(t_at, t)
    out = np.zeros(shape, np.float32)
    for place in said.keys() | meant.keys():
        a, b = said.get(place, []), meant.get(place, [])
        distance = float(_steps(a, b))
        if normalize:
            distance = distance / len(b) if b else float("inf") if distance else 0.0
        out[place] = distance
    return out


def _sequences(places: Array, values: Array) -> dict[tuple[int, ...], list[Any]]:
    found: dict[tuple[int, ...], list[Any]] = {}
    for place, value in zip(places.tolist(), values.tolist(), strict=True):
        found.setdefault(tuple(place[:-1]), []).append(value)
    return found


def _steps(a: list[Any], b: list[Any]) -> int:
    """The number of insertions, deletions and substitutions."""
    begin = _alike(a, b)
    a, b = a[begin:], b[begin:]
    end = _alike(a[::-1], b[::-1])
    a, b = a[: len(a) - end], b[: len(b) - end]
    codes = {value: code for code, value in enumerate({*a, *b})}
    others = np.array([codes[y] for y in b], np.int64)
    places = np.arange(len(b) + 1)
    row = places
    for x in a:
        either = np.minimum(row[1:] + 1, row[:-1] + (others != codes[x]))
        row = np.concatenate([row[:1] + 1, either])
        row = np.minimum.accumulate(row - places) + places  # insertions
    return int(row[-1])


def _alike(a: list[Any], b: list[Any]) -> int:
    """How many elements two sequences begin with alike."""
    pairs = zip(a, b, strict=False)
    return next((k for k, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))


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
