"""For each operation, on which elements of its inputs each element of its results depends.

Few operations need a rule of their own. An elementwise one depends on the elements at its place; one
that moves elements is asked where to, by carrying it out on the numbers of the sets; of a product it
matters which axes are summed. Any other is asked by its reverse rule, which consists of operations,
too: the elements of a cotangent on which a gradient depends are the elements of the result that
depend on the input. Where even that says nothing, everything depends on everything.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.core.context import listening
from wengert.core.reverse import joint_gradients
from wengert.derivatives.sparse.index_sets import EMPTY, LIMIT, IndexArray, IndexSets
from wengert.derivatives.trail import Event, Trail
from wengert.errors import SymbolicValueError
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.support.static_value import get_static_value
from wengert.values.bound_ops import bound
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims, key_of
from wengert.values.value import Key

Sets = dict[Key, IndexArray]  # by the key of a tensor; those that depend on nothing are not there
Rule = Callable[[Event, IndexSets, list[IndexArray | None]], list[IndexArray]]


class UnknownDependenceError(Exception):
    """A rule cannot say what depends on what."""


def follow(events: Sequence[Event], sets: IndexSets, known: Sets, deep: int = 0) -> None:
    """Carry the sets of what is known through operations, in their order."""
    for event in events:
        inputs = [known.get(key_of(x)) for x in event.inputs]
        if all(x is None for x in inputs):
            continue
        found = _results(event, sets, inputs, known, deep) if event.row.differentiable else None
        for at, y in enumerate(event.results):
            known.pop(key_of(y), None)  # a custom gradient says more than what is inside of it
            if found is not None and y.dtype.is_differentiable:
                known[key_of(y)] = found[at]


def _results(
    event: Event, sets: IndexSets, inputs: list[IndexArray | None], known: Sets, deep: int
) -> list[IndexArray]:
    row = event.row
    shapes = [dims(y) for y in event.results]
    if all(is_certain(shape) and not math.prod(shape) for shape in shapes):
        return [np.zeros(shape, np.int64) for shape in shapes]
    own = _RULES.get(row.name) if not row.users else None
    try:
        if own is not None:
            return own(event, sets, inputs)
        if row.elementwise and not row.users:
            return _elementwise(event, sets, inputs)
        if row.name in MOVES:
            return moved(event, inputs)
        return _by_reverse_rule(event, sets, inputs, known, deep)
    except UnknownDependenceError:
        return _densely(event, sets, inputs)


def _densely(
    event: Event, sets: IndexSets, inputs: Sequence[IndexArray | None]
) -> list[IndexArray]:
    """Every element of the results depends on all that the inputs depend on."""
    numbers = np.concatenate([x.ravel() for x in inputs if x is not None])
    (whole,) = sets.union_of_groups(numbers, np.zeros(len(numbers), np.int64), 1)
    shapes = [dims(y) for y in event.results]
    if not all(map(is_certain, shapes)):
        raise SymbolicValueError(f"what {event.row.name} gives has unknown sizes.")
    return [np.full(shape, whole) for shape in shapes]


# ---- elementwise, and what only moves elements --------------------------------------------------


def _elementwise(
    event: Event, sets: IndexSets, inputs: Sequence[IndexArray | None]
) -> list[IndexArray]:
    shape = dims(event.results[0])
    total: Any = None
    for x in inputs:
        if x is not None:
            spread = np.broadcast_to(x, shape)
            total = spread if total is None else sets.union(total, spread)
    return [total] * len(event.results)


MOVES: Final = frozenset(
    [
        "Reshape",
        "Transpose",
        "ExpandDims",
        "Squeeze",
        "BroadcastTo",
        "Tile",
        "StridedSlice",
        "Slice",
        "StridedSliceGrad",
        "Pad",
        "PadV2",
        "MirrorPad",
        "ReverseV2",
        "Roll",
        "ConcatV2",
        "Pack",
        "Unpack",
        "Split",
        "SplitV",
        "GatherV2",
        "GatherNd",
        "MatrixDiagV3",
        "MatrixDiagPartV3",
        "MatrixSetDiagV3",
        "MatrixBandPart",
        "Diag",
        "DiagPart",
        "DepthToSpace",
        "SpaceToDepth",
        "SpaceToBatchND",
        "BatchToSpaceND",
        "ExtractImagePatches",
        "ExtractVolumePatches",
        "ReverseSequence",
        "DynamicPartition",
        "DynamicStitch",
        "Identity",
        "IdentityN",
        "EnsureShape",
        "ReadVariableOp",
        "TensorStridedSliceUpdate",
        "TensorScatterUpdate",
        "Shift",
        "SparseToDense",
        "PermuteRows",
    ]
)
# What fills the places to which nothing moves.
_FILLERS: Final = {"PadV2": "constant", "MatrixDiagV3": "padding", "MatrixDiagPartV3": "padding"}


def moved(event: Event, inputs: Sequence[IndexArray | None]) -> list[IndexArray]:
    """The numbers of the inputs where the operation moves them; zero where nothing comes."""
    row = event.row
    arrays = [_numbers(event, at, x) for at, x in enumerate(inputs)]
    filler = _FILLERS.get(row.name)
    attrs = event.attrs | {filler: 0} if filler else event.attrs
    if row.name in ("Identity", "EnsureShape", "ReadVariableOp"):
        return [arrays[0]]
    try:
        found = row.kernel(np, *arrays, **attrs)
    except Exception as error:
        raise UnknownDependenceError from error
    results = found if row.many else [found]
    return [np.asarray(y) for y in results]


def _numbers(event: Event, at: int, numbers: IndexArray | None) -> Any:
    if numbers is not None:
        return numbers
    x = event.inputs[at]
    if x.dtype.is_differentiable:
        return np.zeros(known_dims(x), np.int64)  # a constant among what is moved
    return value_of(x)


def value_of(x: Any) -> Any:
    """The value of a tensor that says where elements go, not what they are."""
    value = get_static_value(x)
    if value is None:
        raise UnknownDependenceError
    return value


def known_dims(x: Any) -> tuple[int, ...]:
    """The shape of a tensor, where it is known."""
    if not is_certain(dims(x)):
        raise UnknownDependenceError
    return dims(x)


# ---- sums of products -------------------------------------------------------------------------


def _matmul(event: Event, sets: IndexSets, inputs: list[IndexArray | None]) -> list[IndexArray]:
    a, b = (len(known_dims(x)) for x in event.inputs)
    sparse = _with_constant_matrix(event, sets, inputs)
    if sparse is not None:
        return [sparse]
    ta, tb = event.attrs["transpose_a"], event.attrs["transpose_b"]
    outer = string.ascii_lowercase[: max(a, b) - 2]
    left = outer[len(outer) - a + 2 :] + ("ZX" if ta else "XZ")
    right = outer[len(outer) - b + 2 :] + ("YZ" if tb else "ZY")
    return [_contracted(event, sets, inputs, [left, right], outer + "XY")]


def _einsum(event: Event, sets: IndexSets, inputs: list[IndexArray | None]) -> list[IndexArray]:
    left, _, out = event.attrs["equation"].partition("->")
    return [_contracted(event, sets, inputs, left.split(","), out)]


def _contracted(
    event: Event, sets: IndexSets, inputs: list[IndexArray | None], terms: Sequence[str], out: str
) -> IndexArray:
    """Each element depends on what was multiplied for it, along the axes that are summed."""
    shape, total = known_dims(event.results[0]), None
    for x, term in zip(inputs, terms, strict=True):
        if x is not None:
            if len(set(term)) < len(term):  # a diagonal: a superset will do
                raise UnknownDependenceError
            kept = [label for label in out if label in term]
            summed = [label for label in term if label not in out]
            turned = np.transpose(x, [term.index(label) for label in (*kept, *summed)])
            rows = _union_of_rows(sets, turned.reshape(math.prod(turned.shape[: len(kept)]), -1))
            aligned = [x.shape[term.index(label)] if label in term else 1 for label in out]
            spread = np.broadcast_to(rows.reshape(aligned), shape)
            total = spread if total is None else sets.union(total, spread)
    return total


def _union_of_rows(sets: IndexSets, numbers: IndexArray) -> IndexArray:
    count, size = numbers.shape
    if size == 1:
        return numbers[:, 0]
    return sets.union_of_groups(numbers.ravel(), np.repeat(np.arange(count), size), count)


def _with_constant_matrix(
    event: Event, sets: IndexSets, inputs: list[IndexArray | None]
) -> IndexArray | None:
    """The product with a matrix of which at least half are zeros."""
    mask = constant_zeros(event, [x is not None for x in inputs])
    if mask is None:
        return None
    a, b = inputs
    if a is None:
        matrix = mask.T if event.attrs["transpose_a"] else mask
        return _sparse_product(sets, matrix, b.T if event.attrs["transpose_b"] else b)  # type: ignore[union-attr]
    matrix = mask if event.attrs["transpose_b"] else mask.T
    return _sparse_product(sets, matrix, a if event.attrs["transpose_a"] else a.T).T


def constant_zeros(event: Event, followed: Sequence[bool]) -> Any:
    """Where a matrix by which a followed one is multiplied is not zero; None unless half of it is."""
    if event.row.name != "MatMul" or all(followed):
        return None
    value = get_static_value(event.inputs[0 if followed[1] else 1])
    if value is None:
        return None
    mask = np.asarray(value) != 0
    return mask if 2 * np.count_nonzero(mask) <= mask.size else None


def _sparse_product(sets: IndexSets, mask: Any, x: IndexArray) -> IndexArray:
    rows, columns = np.nonzero(mask)
    return _sum_of_rows(sets, rows, columns, len(mask), x)


def _sum_of_rows(sets: IndexSets, rows: Any, columns: Any, count: int, x: IndexArray) -> IndexArray:
    """The sets of A x, for a matrix of `count` rows that is not zero at (rows, columns)."""
    width = x.shape[1]
    groups = rows[:, None] * width + np.arange(width)
    numbers = x[columns]
    return sets.union_of_groups(numbers.ravel(), groups.ravel(), count * width).reshape(
        count, width
    )


def _sparse_dense(
    event: Event, sets: IndexSets, inputs: list[IndexArray | None]
) -> list[IndexArray]:
    values, _, b = inputs
    r, c = np.moveaxis(value_of(event.inputs[1]), -1, 0)
    shape = known_dims(event.results[0])
    total = np.zeros(shape, np.int64)
    if b is not None:
        total = _sum_of_rows(sets, r, c, shape[0], b)
    if values is not None:
        own = sets.union_of_groups(values.ravel(), r, shape[0])
        total = sets.union(total, np.broadcast_to(own[:, None], shape))
    return [total]


def _along_an_axis(
    event: Event, sets: IndexSets, inputs: list[IndexArray | None]
) -> list[IndexArray]:
    """Sums, products and recurrences up to each place."""
    axis, backward = event.attrs["axis"], event.attrs["reverse"]
    total: Any = None
    for x in inputs:
        if x is not None:
            lines = np.moveaxis(x, axis, -1)
            size = lines.shape[-1]
            if lines.size * size > LIMIT:
                raise UnknownDependenceError
            to, of = np.nonzero(
                np.tri(size, dtype=bool).T if backward else np.tri(size, dtype=bool)
            )
            flat = lines.reshape(-1, size)
            groups = np.arange(len(flat))[:, None] * size + to
            union = sets.union_of_groups(flat[:, of].ravel(), groups.ravel(), flat.size)
            found = np.moveaxis(union.reshape(lines.shape), -1, axis)
            total = found if total is None else sets.union(total, found)
    return [total]


def _cross(event: Event, sets: IndexSets, inputs: list[IndexArray | None]) -> list[IndexArray]:
    """Each component depends on the two others."""
    shape, total = known_dims(event.results[0]), None
    for x in inputs:
        if x is not None:
            others = sets.union(np.roll(x, 1, -1), np.roll(x, 2, -1))
            spread = np.broadcast_to(others, shape)
            total = spread if total is None else sets.union(total, spread)
    return [total]


def _convolution(
    event: Event, sets: IndexSets, inputs: list[IndexArray | None]
) -> list[IndexArray]:
    """Through the filter each of whose taps alone moves elements; on the filter all depends."""
    back = event.row.name.endswith(("Input", "InputV2"))
    image, kernel = (inputs[1], inputs[0]) if back else inputs
    filters = known_dims(event.inputs[0 if back else 1])
    total = np.zeros(known_dims(event.results[0]), np.int64)
    if image is not None:
        numbers = image.astype(np.float64)
        by_channel = not event.row.name.startswith("Depthwise")
        for tap in np.ndindex(
            *filters[:-2], filters[-1] if back else filters[-2] if by_channel else 1
        ):
            alone = np.zeros(filters)
            place = (*tap[:-1], slice(None), tap[-1]) if back else tap if by_channel else tap[:-1]
            alone[place] = 1.0
            pair = (alone, numbers) if back else (numbers, alone)
            found = event.row.kernel(np, *pair, **event.attrs)
            total = sets.union(total, np.rint(found).astype(np.int64))
    if kernel is not None:
        (whole,) = sets.union_of_groups(kernel.ravel(), np.zeros(kernel.size, np.int64), 1)
        total = sets.union(total, np.full(total.shape, whole))
    return [total]


_RULES: Final[dict[str, Rule]] = {
    "MatMul": _matmul,
    "BatchMatMulV2": _matmul,
    "Einsum": _einsum,
    "SparseTensorDenseMatMul": _sparse_dense,
    "Cumsum": _along_an_axis,
    "Cumprod": _along_an_axis,
    "CumulativeLogsumexp": _along_an_axis,
    "LinearRecurrence": _along_an_axis,
    "Cross": _cross,
    "Conv2D": _convolution,
    "Conv3D": _convolution,
    "DepthwiseConv2dNative": _convolution,
    "Conv2DBackpropInput": _convolution,
    "Conv3DBackpropInputV2": _convolution,
    "DepthwiseConv2dNativeBackpropInput": _convolution,
    "Real": _elementwise,
    "Imag": _elementwise,
    "AddN": _elementwise,
}

# ---- by the reverse rule ------------------------------------------------------------------------

_DEEP: Final = 2  # rules within rules


def _by_reverse_rule(
    event: Event, sets: IndexSets, inputs: list[IndexArray | None], known: Sets, deep: int
) -> list[IndexArray]:
    if deep >= _DEEP:
        raise UnknownDependenceError
    shapes = [known_dims(y) for y in event.results]
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    total: Any = None
    for at, pattern in enumerate(_transposed(event, inputs, known, int(ends[-1]), deep)):
        numbers = inputs[at]
        if numbers is not None and pattern is not None:
            to, of = pattern
            found = sets.union_of_groups(numbers.ravel()[of], to, int(ends[-1]))
            total = found if total is None else sets.union(total, found)
    if total is None:
        total = np.full(int(ends[-1]), EMPTY)
    parts = np.split(total, ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def _transposed(
    event: Event, inputs: list[IndexArray | None], known: Sets, count: int, deep: int
) -> list[tuple[Any, Any] | None]:
    """For each input the pairs (element of the results, element of the input) that belong together."""
    trail = Trail()
    with listening(), trail.active():
        ys = list(event.results)
        gs = [zeros_like(y) if y.dtype.is_differentiable else None for y in ys]
        asked = [x is not None for x in inputs]
        pulled = _pulled(event, gs, asked)
    cotangents = IndexSets(count)
    own: Sets = {}
    first = 1
    for g, y in zip(gs, ys, strict=True):
        size = math.prod(dims(y))
        if g is not None:
            own[key_of(g)] = np.arange(first, first + size).reshape(dims(y))
        first += size
    _check_structure(trail.events, {*known, *map(key_of, ys)}, event)
    follow(trail.events, cotangents, own, deep + 1)
    found: list[tuple[Any, Any] | None] = []
    for g in pulled:
        numbers = None if g is None else own.get(key_of(g))
        if numbers is None:
            found.append(None)
        else:
            if cotangents.sizes(numbers).sum() > LIMIT:
                raise UnknownDependenceError
            of, to = cotangents.members(numbers.ravel())
            found.append((to, of))
    return found


def _pulled(event: Event, gs: Sequence[Any], asked: Sequence[bool]) -> list[Any]:
    """The cotangents of the inputs that are asked for, as tensors of their shapes."""
    row, xs = event.row, event.inputs
    try:
        if row.vjp is None:
            g: Any = list(gs) if row.many else gs[0]
            y: Any = list(event.results) if row.many else event.results[0]
            pulled = joint_gradients(row, event.attrs, xs, y, g)
        else:
            pulled = [
                _by_rule(event, at, gs) if wanted else None for at, wanted in enumerate(asked)
            ]
        dense = [
            bound.to_dense(p) if p is not None and a else None
            for p, a in zip(pulled, asked, strict=True)
        ]
        return [
            None if p is None else bound.sum_to(p, dims(x)) for p, x in zip(dense, xs, strict=True)
        ]
    except Exception as error:
        raise UnknownDependenceError from error


def _by_rule(event: Event, at: int, gs: Sequence[Any]) -> Any:
    rule = event.row.vjp[at]  # type: ignore[index]
    if rule is None:
        return None
    g, y = (list(gs), list(event.results)) if event.row.many else (gs[0], event.results[0])
    return rule(g, y, *event.inputs, **event.attrs)


def _check_structure(events: Sequence[Event], values: set[Key], outer: Event) -> None:
    """Raise unless what the rule moves, and where, is the same for all values.

    The maximum of windows, say, sends its cotangent to where the greatest element is.
    """
    depends = set(values)
    given = {key_of(x) for x in outer.inputs if not x.dtype.is_differentiable}
    for event in events:
        keys = {key_of(x) for x in event.inputs}
        if depends.isdisjoint(keys):
            continue
        if not event.row.elementwise:
            for x in event.inputs:
                if key_of(x) in depends - given and not x.dtype.is_differentiable:
                    raise UnknownDependenceError
        depends |= {key_of(y) for y in event.results}
