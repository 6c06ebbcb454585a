"""Gradients of what a loop takes parts of: rows, which are put in their places after the loop.

Where a body takes another part of an array in each iteration, `x[i]` or a gather, the gradient of one
iteration is an array of zeros around a few rows. To add those up takes as long in each iteration as the
array is large. So the gradient's loop emits the rows, and which they are, and all are added at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wengert.core.dispatch import apply
from wengert.inference.deferred_calls import Place, gradient_call_of, name_of
from wengert.inference.list_elements import refined
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.gathered_parts import Window, from_the_front
from wengert.ops.arrays.gathering import unsorted_segment_sum
from wengert.ops.arrays.indexing import getitem, slice_, without_ellipsis
from wengert.ops.arrays.shaping import reshape, transpose
from wengert.ops.arrays.slicing import STRIDED_SLICE_GRAD, take_part
from wengert.ops.control.tensor_list import STACK_LIST
from wengert.ops.math.elementwise import cast
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.dtypes import int64
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.sizes import key_of
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.graph.operation import Operation
    from wengert.values.shapes import Dims


class Part(NamedTuple):
    """Rows of a gradient: those with some indices along some axes, and all along the others."""

    rows: Any
    indices: Sequence[Any]  # of one shape, for each of the axes
    axes: Sequence[int]
    at: int = 0  # the axis of the rows with which those of the indices begin
    wraps: bool = False  # whether negative indices count from the end; else they are left out

    @property
    def values(self) -> list[Any]:
        """What differs from iteration to iteration."""
        return [self.rows, *self.indices]


SMALL: Final = 64  # elements, which are added up in no time
# The same where it is not known how often the loop runs: compiled, its rows are listed one by one.
SMALL_UNCOUNTED: Final = 1 << 14
MANY: Final = 1 << 24  # elements of rows, more of which are not kept where the array is smaller


def parted(gradient: Any, x: Any, count: int | None) -> tuple[list[Any], list[Part]]:
    """The gradient of `x` in a graph that runs so often, as a sum: of whole arrays, and of parts of such."""
    if gradient is None:
        return [], []
    wholes, parts = _taken_apart(gradient)
    if not _are_less(parts, dims(x), count):
        wholes, parts = [gradient], []
    return list(map(bound.to_dense, wholes)), parts


def _are_less(parts: Sequence[Part], shape: Any, count: int | None) -> bool:
    """Whether rows are less work than the array, and not so many that they take much more memory."""
    if not is_certain(shape):
        return True
    size = int(math.prod(shape))
    if count is None or size <= SMALL:
        return size > (SMALL if count is not None else SMALL_UNCOUNTED)
    kept = [int(math.prod(dims(p.rows))) for p in parts if is_certain(dims(p.rows))]
    return count * sum(kept) <= max(4 * size, MANY)


def _taken_apart(gradient: Any) -> tuple[list[Any], list[Part]]:
    wholes: list[Any] = []
    parts: list[Part] = []
    waiting = [gradient]
    while waiting:
        g = waiting.pop()
        part = _part_of(g)
        if part is not None and _is_alike_each_time(part):
            parts.append(part)
        elif _is_sum(g):
            waiting += reversed(g.op.inputs)
        else:
            wholes.append(g)
    return wholes, parts


def _is_alike_each_time(part: Part) -> bool:
    """Whether there are as many rows in each iteration."""
    if any(type(x) is not SymbolicTensor for x in part.values):
        return False
    return type(dims(part.rows)) is tuple and all(is_certain(dims(i)) for i in part.indices)


def _is_sum(g: Any) -> bool:
    """Whether a gradient is a sum of others that are as large."""
    return (
        type(g) is SymbolicTensor
        and g.op.row.name in ("AddV2", "AddN")
        and all(_shape_key(x) == _shape_key(g) is not None for x in g.op.inputs)
    )


def _shape_key(x: Any) -> Any:
    """A key that is equal for shapes that are certainly equal; None if even the rank is not known."""
    shape = dims(x)
    return tuple(map(key_of, shape)) if type(shape) is tuple else None


# ---- gradients that are parts ---------------------------------------------------------------------


def _part_of(g: Any) -> Part | None:
    if type(g) is IndexedSlices:
        return Part(g.values, [g.indices], [0])
    return _RULES.get(g.op.row.name, _of_call)(g.op) if type(g) is SymbolicTensor else None


def _of_segments(op: Operation) -> Part | None:
    if not op.attrs:  # it waits for sizes
        return None
    rows, indices = op.inputs
    return Part(rows, [indices], [0])


def _of_gather(op: Operation) -> Part | None:
    if op.attrs.get("batch_dims", 1):
        return None
    (rows, indices), axis = op.inputs, op.attrs["axis"]
    return Part(rows, [indices], [axis], axis)


def _of_scatter(op: Operation) -> Part | None:
    if op.attrs.get("batch_dims", 1) or not is_certain(dims(op.inputs[0])):
        return None
    indices, rows = op.inputs
    depth = dims(indices)[-1]
    return Part(rows, [take_part(indices, (Ellipsis, k)) for k in range(depth)], range(depth))


_RULES: Final[dict[str, Callable[[Operation], Part | None]]] = {
    "UnsortedSegmentSum": _of_segments,
    "GatherV2Grad": _of_gather,
    "ScatterNd": _of_scatter,
}


def _of_call(op: Operation) -> Part | None:
    """The gradient of x[key], or of tf.slice, where the numbers in them are not known."""
    found, at = gradient_call_of(op.row), taken_from(op)
    if found is None or at is None or len(found.gs) != 1:
        return None
    inputs = [op.inputs[place.index] for place in found.xs]
    _, *given = found.call.args
    shape = dims(op.inputs[at])
    if type(shape) is not tuple:
        return None
    g = op.inputs[found.gs[0].index]
    key = _KEYS[found.call.name](inputs, *given)
    if key is None or type(dims(g)) is not tuple:
        return None
    key = _with_sizes(without_ellipsis(key, len(shape)), dims(g))
    return None if key is None else _with_key(g, key, shape)


def taken_from(op: Operation) -> int | None:
    """Which input of such a gradient is what the key takes a part of; it only tells a shape. None of any other."""
    found = gradient_call_of(op.row)
    if found is None or found.call.name not in _KEYS or type(found.call.args[0]) is not Place:
        return None
    return found.xs[found.call.args[0].index].index


def _key_of_index(inputs: Sequence[Any], key: Any) -> list[Any] | None:
    parts = list(key) if isinstance(key, (tuple, list)) else [key]
    parts = [_entered(part, inputs) for part in parts]
    return parts if all(map(_is_simple, parts)) else None


def _entered(part: Any, inputs: Sequence[Any]) -> Any:
    """A part of an index with what is given in place of a placeholder."""
    if isinstance(part, slice) and type(part.start) is Place and part.step in (None, 1):
        return Window(_entered(part.start, inputs), None, wraps=True)
    return inputs[part.index] if type(part) is Place and not part.whole_shape else part


def _with_sizes(key: list[Any], sizes: Dims) -> list[Any] | None:
    """The key with the sizes of its windows, as those of what it takes; None where they are not known."""
    left = iter(sizes)
    found: list[Any] = []
    for part in key:
        size = None if type(part) is SymbolicTensor or type(part) is int else next(left)
        if type(part) is Window:
            if type(size) is not int:
                return None
            part = part._replace(size=size)
        found.append(part)
    return found


def _is_simple(part: Any) -> bool:
    if type(part) is SymbolicTensor:
        return part.dtype.is_integer and dims(part) == ()
    if type(part) is Window:
        return _is_simple(part.begin)
    if isinstance(part, slice):
        return all(n is None or type(n) is int for n in (part.start, part.stop, part.step))
    return part is None or part is Ellipsis or type(part) is int


def _key_of_slice(inputs: Sequence[Any], begin: Any, size: Any) -> list[Any] | None:
    if not isinstance(begin, (tuple, list)) or not isinstance(size, (tuple, list)):
        return None
    parts: list[Any] = []
    for start, count in zip(begin, size, strict=True):
        if type(count) is not int or count < 0:
            return None
        if type(start) is int:
            parts.append(slice(start, start + count))
        elif type(start) is Place:
            parts.append(Window(inputs[start.index], count))
        else:
            return None
    return parts


_KEYS: Final[dict[tuple[str, str], Callable[..., list[Any] | None]]] = {
    name_of(getitem): _key_of_index,
    name_of(slice_): _key_of_slice,
}


def _with_key(g: Any, key: list[Any], shape: Dims) -> Part | None:
    """The gradient of what a key takes of an array: of indices that are not known, and of known ones."""
    along: list[tuple[int, Any]] = []  # the axes with an index that is not known
    windows: list[tuple[int, Window]] = []
    known: list[Any] = []  # the key without these
    rows: list[Any] = []  # and the sizes that it takes something of
    axis = 0
    for part in key:
        if type(part) is SymbolicTensor:
            along.append((axis, part))
        elif type(part) is Window:
            windows.append((axis, part))
            known.append(slice(None))
            rows.append(part.size)
        else:
            known.append(part)
            rows += [] if part is None else [shape[axis]]
        axis += part is not None
    if len(windows) + bool(along) != 1:
        return None
    if any(part != slice(None) for part in known):
        if not is_certain(tuple(rows)):
            return None
        g = apply(STRIDED_SLICE_GRAD, (g,), {"key": tuple(known), "shape": tuple(rows)})
    if along:
        return Part(g, [i for _, i in along], [axis for axis, _ in along], wraps=True)
    ((axis, window),) = windows
    indices = range_(window.size, dtype=window.begin.dtype) + window.begin
    return Part(g, [indices], [axis], axis, window.wraps)


# ---- all of them in their places ------------------------------------------------------------------


def put_together(part: Part, emitted: Sequence[Any], x: Any) -> Tensor:
    """What the parts of all iterations add up to, in the shape of `x`, from the lists of their values."""
    shape = dims(x)
    rows, *indices = [_stacked(v, y) for v, y in zip(emitted, part.values, strict=True)]
    numbers = None
    for axis, index in zip(part.axes, indices, strict=True):
        at = cast(index, int64)
        at = from_the_front(at, shape[axis]) if part.wraps else at
        numbers = at if numbers is None else numbers * convert(shape[axis], int64) + at
    numbers = reshape(numbers, [-1])
    rest = [k for k in range(len(shape)) if k not in part.axes]
    # Iterations and indices come first.
    first = [0, *range(1 + part.at, 1 + part.at + len(dims(part.indices[0])))]
    order = [*first, *[k for k in range(len(dims(rows))) if k not in first]]
    rows = reshape(_in_order(rows, order), [dims(numbers)[0], *[shape[k] for k in rest]])
    found = unsorted_segment_sum(rows, numbers, math.prod([shape[k] for k in part.axes]))
    now = [*part.axes, *rest]
    found = reshape(found, [shape[k] for k in now])
    return _in_order(found, [now.index(k) for k in range(len(shape))])


def _in_order(x: Tensor, axes: list[int]) -> Tensor:
    return x if axes == sorted(axes) else transpose(x, axes)


def _stacked(elements: Any, inside: SymbolicTensor) -> Tensor:
    shape = tuple([n if type(n) is int else None for n in dims(inside)])
    attrs = {"dtype": inside._array.dtype, "shape": shape, "count": None}
    found: Tensor = apply(STACK_LIST, (elements,), refined((elements,), attrs))
    return found
