"""The `scatter_...` methods of variables, which change rows.

The operations here are pure, from a value to a new value, which the method assigns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op, row_of
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.gathering import check_indices, gather, gather_nd
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.scatter_kernels import CHANGES, Change, by_coordinates
from wengert.ops.arrays.shaping import expand_dims
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import Dims, shape_text
from wengert.values.sizes import shapes_differ
from wengert.values.tensor import Tensor, dims, wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

# ---- by row, and by coordinates ---------------------------------------------------------------


def _check_rows(name: str, x: Dims, indices: Dims, updates: Dims) -> None:
    if not all(isinstance(shape, tuple) for shape in (x, indices, updates)):
        return  # of a rank that only a run knows
    if not x or (updates and shapes_differ(updates, (*indices, *x[1:]))):
        raise InvalidArgumentError(
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = "
            f"[], got updates.shape {shape_text(updates)}, indices.shape "
            f"{shape_text(indices)}, params.shape {shape_text(x)} [Op:{name}]"
        )


def _by_row(name: str, change: Change) -> Callable[..., Any]:
    def kernel(_: Namespace, x: Array, indices: Array, updates: Array) -> Array:
        _check_rows(name, x.shape, indices.shape, updates.shape)
        check_indices(indices, x.shape[0], name)
        out = x.copy()
        change(out, indices, np.broadcast_to(updates, (*indices.shape, *x.shape[1:])))
        return out

    return kernel


def _row_by_row(kind: str) -> Row:
    name = f"ResourceScatter{kind}"

    def changed(x: Dims, indices: Dims, updates: Dims) -> Dims:
        _check_rows(name, x, indices, updates)
        return x

    return op(name, _by_row(name, CHANGES[kind]), shape=changed)


def _row(name: str, form: Callable[..., Any], kind: str) -> Row:
    return op(name, form(name, CHANGES[kind]), shape=lambda x, indices, updates: x)


ROWS: Final = {kind: _row_by_row(kind) for kind in CHANGES}
ND_ROWS: Final = {
    kind: _row(f"ResourceScatterNd{kind}", by_coordinates, kind)
    for kind in ("Add", "Sub", "Update")
}

# ---- on variables -----------------------------------------------------------------------------


def scatter(variable: Variable, kind: str, slices: IndexedSlices, read_value: bool = True) -> Any:
    """Change rows of a variable: "Add", "Sub", "Mul", "Div", "Min", "Max" or "Update" them.

    >>> v = tf.Variable([1.0, 2.0, 3.0])
    >>> v.scatter_add(tf.IndexedSlices([10.0, 20.0], [0, 2])).numpy().tolist()
    [11.0, 2.0, 23.0]
    """
    return _assigned(variable, ROWS[kind], slices.indices, slices.values, read_value)


def _assigned(
    variable: Variable,
    row: Row,
    indices: TensorLike,
    updates: TensorLike,
    read_value: bool = True,
) -> Any:
    where, values = convert(indices), convert(updates, variable.dtype)
    if where.dtype.name not in ("int32", "int64"):
        raise InvalidArgumentError(
            f"Value for attr 'Tindices' of {where.dtype.spoken} is not in the list of allowed "
            f"values: int32, int64 [Op:{row.name}]"
        )
    if not (variable.dtype.is_numeric or row.name.endswith("Update")):
        raise InvalidArgumentError(
            f"Value for attr 'dtype' of {variable.dtype.spoken} is not in the list of allowed "
            f"values [Op:{row.name}]: variable '{variable.name}' holds no numbers."
        )
    if current_graph() is not None:  # a plan holds the lock while it runs
        changed = apply(row, (variable.read_value(), where, values))
        return variable.assign(changed, read_value=read_value)
    with variable._lock:
        changed = apply(row, (variable.read_value(), where, values))
        return variable.assign(changed, read_value=read_value)


def _checked(slices: IndexedSlices) -> IndexedSlices:
    if not isinstance(slices, IndexedSlices):
        raise TypeError(
            f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {slices}"
        )
    return slices


def _scatter_method(kind: str) -> Callable[..., Any]:
    def method(
        self: Variable,
        sparse_delta: IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Any:
        return scatter(self, kind, _checked(sparse_delta))

    return method


def _scatter_nd_method(kind: str) -> Callable[..., Any]:
    def method(
        self: Variable, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Any:
        return _assigned(self, ND_ROWS[kind], indices, updates)

    return method


def _scatter_nd_extreme(kind: str) -> Callable[..., Any]:
    def method(
        self: Variable, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Any:
        return _assigned(self, row_of(f"TensorScatter{kind}"), indices, updates)

    return method


def _batch_scatter_update(
    self: Variable, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
) -> Any:
    """Replace rows of each example: variable[b, indices[b, i]] = values[b, i]."""
    slices = _checked(sparse_delta)
    *batch, count = dims(slices.indices)
    at = expand_dims(slices.indices, -1)
    if batch:
        grid = np.stack(np.indices((*batch, count))[:-1], -1)
        at = concat([wrap(grid.astype(at.dtype.numpy_dtype)), at], -1)
    return _assigned(self, ND_ROWS["Update"], at, slices.values)


def _sparse_read(self: Variable, indices: Sequence[int], name: str | None = None) -> Tensor:
    return gather(self, indices)


def _gather_nd(self: Variable, indices: Sequence[Sequence[int]], name: str | None = None) -> Tensor:
    return gather_nd(self, indices)


METHODS: Final = {
    **{f"scatter_{kind.lower()}": _scatter_method(kind) for kind in ROWS},
    **{f"scatter_nd_{kind.lower()}": _scatter_nd_method(kind) for kind in ND_ROWS},
    "scatter_nd_max": _scatter_nd_extreme("Max"),
    "scatter_nd_min": _scatter_nd_extreme("Min"),
    "batch_scatter_update": _batch_scatter_update,
    "sparse_read": _sparse_read,
    "gather_nd": _gather_nd,
}
for _name, _method in METHODS.items():
    _method.__name__ = _name
