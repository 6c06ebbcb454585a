"""tensor_scatter_nd_update, add, sub, max and min: copies with some elements changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import TABLE, op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.batched import with_number
from wengert.ops.arrays.creation import fill, range_
from wengert.ops.arrays.gathering import check_scatter, gather_nd, integers
from wengert.ops.arrays.indexing import checked_index, index_of
from wengert.ops.arrays.scatter_kernels import CHANGES, by_coordinates
from wengert.ops.arrays.shaping import broadcast_to, reshape
from wengert.ops.arrays.slicing import Index, take_part
from wengert.ops.math.comparison import equal, where
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.support.batch_rules import BatchRule, batch_all, with_attrs
from wengert.ops.support.declare import convert_alike
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.shapes import Dims
    from wengert.values.typing import Array, Integers, Namespace, TensorLike

# ---- by coordinates ---------------------------------------------------------------------------


def won(i: Tensor, x_dims: Dims, like: Tensor) -> Tensor:
    """For each update 1 if it is the last one at its index, else 0, as it was overwritten."""
    outer = dims(i)[:-1]
    turns = reshape(range_(math.prod(outer)), outer)
    depth = dims(i)[-1]
    latest = tensor_scatter_nd_update(fill(x_dims[:depth], -1), i, turns)
    mask = cast(equal(gather_nd(latest, i), turns), like.dtype)
    return reshape(mask, outer + (1,) * (len(dims(like)) - len(outer)))


def _update_rule(g: Tensor, y: Tensor | None, x: Tensor, i: Tensor, u: Tensor) -> Tensor:
    taken = gather_nd(g, i)
    return taken * won(i, dims(g), taken)


def shares(y: Tensor, x: Tensor, i: Tensor, u: Tensor) -> tuple[Any, Any, Any]:
    """Whether the element, and whether each update, equals the result; and how many do."""
    stayed, came = equal(x, y), equal(u, gather_nd(y, i))
    count = apply(ADD, (cast(stayed, y.dtype), i, cast(came, y.dtype)))
    return stayed, came, count


def _extreme_in_x(g: Tensor, y: Tensor, x: Tensor, i: Tensor, u: Tensor) -> Tensor:
    stayed, _, count = shares(y, x, i, u)
    return where(stayed, g / where(stayed, count, zeros_like(count) + 1.0), zeros_like(g))


def _extreme_in_updates(g: Tensor, y: Tensor, x: Tensor, i: Tensor, u: Tensor) -> Tensor:
    _, came, count = shares(y, x, i, u)
    shared = gather_nd(g, i) / where(came, gather_nd(count, i), zeros_like(u) + 1.0)
    return where(came, shared, zeros_like(u))


def _batched(name: str) -> BatchRule:
    """One scatter, in whose coordinates the number of the example comes first."""

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
        x, i, u = batch_all(batched, size, xs)
        result: Tensor = apply(TABLE[name], (x, with_number(i, size), u))
        return result

    return rule


def _row(kind: str, vjp: Any, linear: Any = (), saves: str = "x") -> Row:
    return op(
        f"TensorScatter{kind}",
        by_coordinates(f"TensorScatter{kind}", CHANGES[kind]),
        vjp=vjp,
        shape=lambda x, i, u: x,
        linear=linear,
        batch=_batched(f"TensorScatter{kind}"),
        saves=saves,
    )


ADD: Row = _row(
    "Add", (lambda g, y, x, i, u: g, None, lambda g, y, x, i, u: gather_nd(g, i)), "jointly"
)
SUB: Row = _row(
    "Sub", (lambda g, y, x, i, u: g, None, lambda g, y, x, i, u: -gather_nd(g, i)), "jointly"
)
UPDATE: Row = _row(
    "Update",
    (
        lambda g, y, x, i, u: apply(UPDATE, (g, i, zeros_like(gather_nd(g, i)))),
        None,
        _update_rule,
    ),
    "jointly",
)
MAX: Row = _row("Max", (_extreme_in_x, None, _extreme_in_updates), saves="xy")
MIN: Row = _row("Min", (_extreme_in_x, None, _extreme_in_updates), saves="xy")


def _scattered(row: Row, tensor: TensorLike, indices: TensorLike, updates: TensorLike) -> Tensor:
    x, u = convert_alike(row.name, tensor, updates)
    i = integers(indices, names="int16, int32, int64")
    if not dims(x):
        raise InvalidArgumentError(f"Output must be at least 1-D, got shape: [] [Op:{row.name}]")
    check_scatter(dims(i), dims(u), dims(x), row.name)
    result: Tensor = apply(row, (x, i, u))
    return result


@deferrable
def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """Replace elements at coordinates in a copy of a tensor; of duplicates the last one wins.

    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [10, 30]).numpy().tolist()
    [10, 2, 30]
    """
    return _scattered(UPDATE, tensor, indices, updates)


@deferrable
def tensor_scatter_nd_add(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Add updates at coordinates to a copy of a tensor.

    >>> tf.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [10, 20]).numpy().tolist()
    [31, 2, 3]
    """
    return _scattered(ADD, tensor, indices, updates)


@deferrable
def tensor_scatter_nd_sub(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Subtract updates at coordinates from a copy of a tensor.

    >>> tf.tensor_scatter_nd_sub([1, 2, 3], [[0], [2]], [1, 1]).numpy().tolist()
    [0, 2, 2]
    """
    return _scattered(SUB, tensor, indices, updates)


@deferrable
def tensor_scatter_nd_max(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """The maximum of elements and updates at coordinates, in a copy of a tensor.

    >>> tf.tensor_scatter_nd_max([1, 2, 3], [[0], [2]], [10, 0]).numpy().tolist()
    [10, 2, 3]
    """
    return _scattered(MAX, tensor, indices, updates)


@deferrable
def tensor_scatter_nd_min(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """The minimum of elements and updates at coordinates, in a copy of a tensor.

    >>> tf.tensor_scatter_nd_min([1, 2, 3], [[0], [2]], [10, 0]).numpy().tolist()
    [1, 2, 0]
    """
    return _scattered(MIN, tensor, indices, updates)


# ---- by a slice -------------------------------------------------------------------------------


def _slice_kernel(_: Namespace, x: Array, value: Array, *, key: Index) -> Array:
    out = x.copy()
    out[key] = value
    return out


SLICE_UPDATE: Row = op(
    "TensorStridedSliceUpdate",
    _slice_kernel,
    vjp=(
        lambda g, y, x, v, *, key: apply(
            SLICE_UPDATE, (g, zeros_like(take_part(g, key))), {"key": key}
        ),
        lambda g, y, x, v, *, key: take_part(g, key),
    ),
    shape=lambda x, value, *, key: x,
    linear="jointly",
    batch=with_attrs(
        "TensorStridedSliceUpdate", lambda attrs, n: {"key": (slice(None), *attrs["key"])}
    ),
    saves="",
)


@deferrable
def tensor_strided_slice_update(
    input: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: Integers,
    value: TensorLike,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    name: str | None = None,
) -> Tensor:
    """Replace input[begin:end:strides] by a value, in a copy of the tensor.

    >>> tf.tensor_strided_slice_update([1, 2, 3, 4], [1], [3], [1], [20, 30]).numpy().tolist()
    [1, 20, 30, 4]
    """
    x, given = convert_alike("TensorStridedSliceUpdate", input, value)
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    key = checked_index(index_of(begin, end, strides, masks), dims(x))
    wanted = dims(take_part(x, key))
    put = given if dims(given) == wanted else broadcast_to(given, wanted)
    result: Tensor = apply(SLICE_UPDATE, (x, put), {"key": key})
    return result
