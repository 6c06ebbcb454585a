"""What kernels call that is written for NumPy's memory: scatters, checks of indices, rows in parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wengert.engines.xla.asked import NeedsNumbersError, refuse_if
from wengert.engines.xla.backend import jnp
from wengert.engines.xla.traced import Traced, bare
from wengert.engines.xla.versions import CHECKED, helper
from wengert.host import parallel
from wengert.ops.arrays import gathering
from wengert.ops.reductions import segments
from wengert.ops.sparse import places
from wengert.ops.support import branchless, scipy_lazy, segment_kernels
from wengert.values.shapes import Dims

CHECKED.update(("GatherV2", "EigenvalueQuotient", "AlikeCotangents"))
# Division of integers by zero.
CHECKED.update(("FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod"))
# Indices of coordinates and boxes.
CHECKED.update(("SparseToDense", "SparseTensorDenseMatMul"))
CHECKED.update(("CropAndResize", "CropAndResizeGradImage"))

_JOINS = {"add": "add", "multiply": "multiply", "maximum": "max", "minimum": "min"}


@helper(segment_kernels.reduced_rows)
def _reduced_rows(ufunc: Any, x: Any, ids: Any, count: int, empty: Any) -> Any:
    """Rows joined by their index; those with a negative one, and those beyond the end, are dropped."""
    x, ids = jnp.asarray(bare(x)), jnp.asarray(bare(ids))
    rows = wide(x).reshape(ids.size, *x.shape[ids.ndim :])
    places = jnp.where(ids < 0, count, ids).reshape(-1)
    out = jnp.full((count, *rows.shape[1:]), bare(empty), rows.dtype)
    joined = getattr(out.at[places], _JOINS[ufunc.__name__])(rows, mode="drop")
    return Traced(joined.astype(x.dtype))


def wide(x: Any) -> Any:
    """The array as float32 if it is of a half precision, else unchanged."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind in "fV" else x


@helper(gathering.check_ids)
def _check_ids(ids: Any, count: int, who: str) -> None:
    refuse_if(jnp.any(bare(ids) >= count))


@helper(gathering.check_indices)
def _check_indices(indices: Any, size: int, who: str) -> None:
    i = jnp.asarray(bare(indices))
    refuse_if(jnp.any((i < 0) | (i >= size)))


@helper(gathering.coordinates)
def _coordinates(i: Any, shape: Dims, words_for: str, who: str) -> tuple[Any, ...]:
    i = jnp.asarray(bare(i))
    if i.shape[-1]:
        limits = np.array(shape[: i.shape[-1]], i.dtype)
        refuse_if(jnp.any((i < 0) | (i >= limits)))
    return tuple([Traced(i[..., k]) for k in range(i.shape[-1])])


@helper(gathering.linear)
def _linear(places: Any, shape: Dims) -> Any:
    ids: Any = np.zeros((), np.int64)
    for place, size in zip(places, shape, strict=True):
        ids = ids * size + bare(place)
    return Traced(jnp.ravel(ids))


@helper(segments.sorted_count)
def _sorted_count(ids: Any, who: str) -> int:
    if type(ids) is Traced:
        raise NeedsNumbersError("the number of segments depends on their indices")
    return segments.sorted_count(ids, who)


@helper(segments._places)
def _places(ids: Any, count: int) -> Any:
    if type(ids) is Traced:
        raise NeedsNumbersError("the size of the largest segment depends on their indices")
    return segments._places(ids, count)


@helper(places.check_sorted)
def _check_sorted(indices: Any, who: str) -> None:
    i = jnp.asarray(bare(indices))
    if len(i) > 1 and i.shape[1]:
        steps = i[1:] - i[:-1]
        first = jnp.argmax(steps != 0, axis=1)
        refuse_if(jnp.take_along_axis(steps, first[:, None], 1) <= 0)


@helper(parallel.in_rows)
def _in_rows(work: Callable[[Any], Any], x: Any, axis: Any) -> None:
    work(slice(None))


@helper(parallel.in_blocks)
def _in_blocks(work: Callable[[Any], Any], *arrays: Any, **_: Any) -> None:
    work(slice(None))


@helper(parallel.in_pieces)
def _in_pieces(work: Callable[..., Any], *arrays: Any) -> Any:
    return work(*arrays)


def choose(c: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, else y."""
    return Traced(jnp.where(bare(c), bare(x), bare(y)))


def keep(c: Any, x: Any) -> Any:
    """x where the condition holds, else zero: also where x is NaN."""
    x = jnp.asarray(bare(x))
    return Traced(jnp.where(bare(c), x, jnp.zeros((), x.dtype)))


helper(branchless.choose)(choose)
helper(branchless.keep)(keep)


class Sparse:
    """A sparse matrix as kernels make it with SciPy, to be multiplied."""

    def __init__(self, data: Any, rows: Any, columns: Any, shape: Dims) -> None:
        self._data, self._rows, self._columns = data, rows, columns
        self._shape = shape

    @property
    def T(self) -> Sparse:  # noqa: N802
        """The transpose."""
        return Sparse(self._data, self._columns, self._rows, self._shape[::-1])

    def __matmul__(self, other: Any) -> Any:
        b = jnp.asarray(bare(other))
        out = jnp.zeros((self._shape[0], b.shape[1]), b.dtype)
        return Traced(out.at[self._rows].add(self._data[:, None] * b[self._columns], mode="drop"))


class _ScipySparse:
    """What kernels use of scipy.sparse."""

    @staticmethod
    def csr_matrix(parts: Any, shape: Dims) -> Sparse:
        """By coordinates, or by the ends of the rows, which are known."""
        data, *places = bare(parts)
        if len(places) == 1:
            rows, columns = places[0]
        else:
            columns, ends = places
            rows = np.repeat(np.arange(shape[0]), np.diff(ends))
        return Sparse(jnp.asarray(data), jnp.asarray(rows), jnp.asarray(columns), shape)


@helper(scipy_lazy.scipy_sparse)
def _scipy_sparse() -> Any:
    return _ScipySparse
