"""Operations for which the front of the native engine has no rule, or one that nobody would read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.engines.native.frontend.arrays import (
    Base,
    Dims,
    View,
    broadcast,
    slice_view,
    transpose,
    whole,
)
from wengert.engines.native.frontend.lanes import LANES, emit
from wengert.engines.native.frontend.lanes import cast as cast_lane
from wengert.engines.native.frontend.scalar import NotLowered, is_float
from wengert.graph.operation import Operation
from wengert.insight.source.nests.emission import Emission
from wengert.insight.source.nests.index import Index, Term
from wengert.insight.source.nests.lowered import Lowered, rule
from wengert.insight.source.nests.nest import Array, Nest
from wengert.insight.source.text import Text

# ---- element by element -------------------------------------------------------------------------


def _dtype(y: Operation) -> Any:
    return y.outputs[0]._array.dtype


@rule("CheckNumerics", "ReadVariableOp", "EnsureShape")
def _same(low: Lowered, op: Operation, x: View, **_: Any) -> View:
    return x


@rule("Cast")
def _cast(low: Lowered, op: Operation, x: View, **_: Any) -> View:
    return low.computed(lambda v: cast_lane(v, _dtype(op)), x)


def _function(name: str) -> Any:
    """A function of two numbers that the languages have."""

    def lowered(low: Lowered, op: Operation, x: View, y: View, **_: Any) -> View:
        return low.computed(lambda a, b: emit(name, a, b), x, y)

    return lowered


rule("Hypot")(_function("hypot"))
rule("NextAfter")(_function("nextafter"))
rule("FloorMod")(_function("remainder"))
rule("FloorDiv")(_function("quotient"))


@rule("TruncateMod")
def _truncated_remainder(low: Lowered, op: Operation, x: View, y: View) -> View:
    if not is_float(x.kind):
        raise NotLowered("remainders of integers")
    return low.computed(lambda a, b: emit("fmod", a, b), x, y)


@rule("Lgamma")
def _lgamma(low: Lowered, op: Operation, x: View) -> View:
    return low.computed(lambda a: emit("lgamma", a), x)


@rule("Digamma")
def _digamma(low: Lowered, op: Operation, x: View) -> View:
    return low.computed(lambda a: emit("digamma", a), x)


@rule("Erfc")
def _erfc(low: Lowered, op: Operation, x: View) -> View:
    return low.computed(lambda a: emit("erfc", a), x)


# ---- the same elements elsewhere ----------------------------------------------------------------


@rule("Shift")
def _shifted(low: Lowered, op: Operation, x: View, *, axis: int, reverse: bool) -> View:
    key = [slice(None)] * (axis % len(x.shape))
    first, last = slice_view(x, [*key, slice(0, -1)]), slice_view(x, [*key, slice(1, None)])
    target = whole(Base(x.shape, x.kind))
    place = slice(0, -1) if reverse else slice(1, None)
    return low.assembled(
        x.shape, x.kind, 0, [(last if reverse else first, slice_view(target, [*key, place]))]
    )


# ---- gathers and scatters ---------------------------------------------------------------------


@rule("GatherV2")
def _gather(low: Lowered, op: Operation, x: View, i: View, *, axis: int, batch_dims: int) -> View:
    axis %= len(x.shape)
    batch, inner = i.shape[:batch_dims], i.shape[batch_dims:]
    shape = (*x.shape[:axis], *inner, *x.shape[axis + 1 :])

    def write(e: Emission, array: Array, views: Sequence[View]) -> None:
        table, which = views
        nest = e.nest(shape)
        before, mid = nest.index[:axis], nest.index[axis : axis + len(inner)]
        after = nest.index[axis + len(inner) :]
        chosen = Index.of(
            Term(e.text(which, nest, [*before[:batch_dims], *mid]), table.shape[axis])
        )
        value = e.text(table, nest, [*before, chosen, *after])
        e.store(array, nest, e.flat(shape, nest.index), value)
        e.add(nest, op)

    assert len(batch) == batch_dims
    return low.by_loops(shape, x.kind, write, x, i)


@rule("GatherV2Grad")
def _gather_back(
    low: Lowered, op: Operation, g: View, i: View, *, axis: int, batch_dims: int, shape: Any
) -> View:
    dims: Dims = tuple(map(int, shape))
    axis %= max(len(dims), 1)
    count = len(i.shape) - batch_dims

    def write(e: Emission, array: Array, views: Sequence[View]) -> None:
        came, which = views
        _zeros(e, array, op)
        nest = e.nest(came.shape)
        before, mid = nest.index[:axis], nest.index[axis : axis + count]
        at = Index.of(Term(e.text(which, nest, [*before[:batch_dims], *mid]), dims[axis]))
        value = e.text(came, nest, nest.index)
        place = e.flat(dims, [*before, at, *nest.index[axis + count :]])
        e.store(array, nest, place, value, adds=True)
        e.add(nest, op)

    return low.by_loops(dims, g.kind, write, g, i)


def _zeros(e: Emission, array: Array, op: Operation) -> None:
    nest = e.nest(array.shape)
    e.store(array, nest, e.flat(array.shape, nest.index), e.language.number(array.kind, 0))
    e.add(nest, op)


@rule("GatherNd")
def _gather_nd(low: Lowered, op: Operation, x: View, i: View, *, batch_dims: int) -> View:
    depth = i.shape[-1]
    outer, rest = i.shape[:-1], x.shape[batch_dims + depth :]

    def write(e: Emission, array: Array, views: Sequence[View]) -> None:
        table, which = views
        nest = e.nest((*outer, *rest))
        lead = nest.index[: len(outer)]
        places = _places(e, nest, which, lead, table.shape[batch_dims:])
        value = e.text(table, nest, [*lead[:batch_dims], *places, *nest.index[len(outer) :]])
        e.store(array, nest, e.flat((*outer, *rest), nest.index), value)
        e.add(nest, op)

    return low.by_loops((*outer, *rest), x.kind, write, x, i)


def _places(
    e: Emission, nest: Nest, which: View, lead: Sequence[Index], sizes: Dims
) -> list[Index]:
    """The index that a row of an array of indices is."""
    return [
        Index.of(Term(e.text(which, nest, [*lead, Index(at)]), sizes[at]))
        for at in range(which.shape[-1])
    ]


@rule("ScatterNd")
def _scatter_nd(low: Lowered, op: Operation, i: View, g: View, *, shape: Any, **_: Any) -> View:
    return _scattered(low, op, None, i, g, tuple(map(int, shape)), adds=True)


@rule("TensorScatterAdd")
def _scatter_add(low: Lowered, op: Operation, x: View, i: View, g: View, **_: Any) -> View:
    return _scattered(low, op, x, i, g, x.shape, adds=True)


@rule("TensorScatterUpdate")
def _scatter_update(low: Lowered, op: Operation, x: View, i: View, g: View, **_: Any) -> View:
    return _scattered(low, op, x, i, g, x.shape, adds=False)


def _scattered(
    low: Lowered, op: Operation, x: View | None, i: View, g: View, dims: Dims, adds: bool
) -> View:
    depth, outer = i.shape[-1], i.shape[:-1]

    def write(e: Emission, array: Array, views: Sequence[View]) -> None:
        which, came = views[:2]
        if x is None:
            _zeros(e, array, op)
        else:
            e.copy(array, views[2], op)
        nest = e.nest(came.shape)
        places = _places(e, nest, which, nest.index[: len(outer)], dims)
        place = e.flat(dims, [*places, *nest.index[len(outer) :]])
        value = e.text(came, nest, nest.index)
        if adds:
            e.store(array, nest, place, value, adds=True)
        else:
            e.overwrite(array, nest, place, value)
        e.add(nest, op)

    assert depth <= len(dims)
    return low.by_loops(dims, g.kind, write, i, g, *([] if x is None else [x]))


@rule("SegmentSum", "UnsortedSegmentSum")
def _segment_sum(low: Lowered, op: Operation, x: View, ids: View, **attrs: Any) -> View:
    dims: Dims = tuple(op.outputs[0]._array.shape)
    rank = len(ids.shape)

    def write(e: Emission, array: Array, views: Sequence[View]) -> None:
        rows, which = views
        _zeros(e, array, op)
        nest = e.nest(rows.shape)
        label = e.text(which, nest, nest.index[:rank])
        place = e.flat(dims, [Index.of(Term(label, max(dims[0], 1))), *nest.index[rank:]])
        value = e.text(rows, nest, nest.index)
        if op.type.startswith("Unsorted"):  # what has a negative number belongs to none
            e.store_if(f"{label} >= 0", array, nest, place, value)
        else:
            e.store(array, nest, place, value, adds=True)
        e.add(nest, op)

    return low.by_loops(dims, x.kind, write, x, ids)


# ---- sums along the way -----------------------------------------------------------------------


def _along(how: str) -> Any:
    def lowered(
        low: Lowered, op: Operation, x: View, *, axis: int, exclusive: bool, reverse: bool
    ) -> View:
        axis %= len(x.shape)
        others = tuple([n for a, n in enumerate(x.shape) if a != axis])

        def write(e: Emission, array: Array, views: Sequence[View]) -> None:
            language = e.language
            outer = e.nest(others)
            inner = e.nest([x.shape[axis]], outer)
            at = inner.index[0]
            if reverse:
                at = Index(x.shape[axis] - 1) + at.times(-1)
            index = [*outer.index[:axis], at, *outer.index[axis:]]
            name = e.free("total" if how == "+" else "product")
            kind = x.kind
            outer.lines.append(
                language.defined(kind, name, language.number(kind, how == "*").text, changes=True)
            )
            step = f"{name} {how}= {e.text(views[0], inner, index)}{language.end}"
            if not exclusive:
                inner.lines.append(step)
            e.store(array, inner, e.flat(x.shape, index), Text(name))
            if exclusive:
                inner.lines.append(step)
            e.inner(outer, inner)
            e.add(outer, op)

        return low.by_loops(x.shape, x.kind, write, x)

    return lowered


rule("Cumsum")(_along("+"))
rule("Cumprod")(_along("*"))


# ---- products -----------------------------------------------------------------------------------


@rule("Einsum")
def _einsum(low: Lowered, op: Operation, *xs: View, equation: str) -> View:
    left, _, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if "." in equation or any(len(set(t)) < len(t) for t in terms) or len(xs) > 2:
        raise NotLowered("an einsum of this form")
    sizes: dict[str, int] = {}
    for term, x in zip(terms, xs, strict=True):
        for c, n in zip(term, x.shape, strict=True):
            sizes[c] = n if sizes.get(c, 1) == 1 else sizes[c]
    summed = [c for c in sizes if c not in right]
    if len(xs) == 1:
        order = [terms[0].index(c) for c in (*right, *summed)]
        turned = transpose(xs[0], order)
        axes = range(len(right), len(order))
        return low.reduced("sum", turned, axes, False) if summed else turned
    spread = [_spread(x, t, (*right, *summed), sizes) for x, t in zip(xs, terms, strict=True)]
    product = low.computed(LANES.multiply, *spread)
    return (
        low.reduced("sum", product, range(len(right), len(right) + len(summed)), False)
        if summed
        else product
    )


def _spread(x: View, term: str, letters: Sequence[str], sizes: dict[str, int]) -> View:
    """An operand with an axis for each letter."""
    own = {c: s for c, s, n in zip(term, x.strides, x.shape, strict=True) if n != 1}
    strides = tuple([own.get(c, 0) for c in letters])
    return View(x.base, tuple([sizes[c] for c in letters]), x.offset, strides)


@rule("SparseSoftmaxCrossEntropyWithLogits")
def _cross_entropy(low: Lowered, op: Operation, x: View, labels: View) -> View:
    last = [len(x.shape) - 1]
    d = low.computed(LANES.subtract, x, low.reduced("top", x, last, True))
    total = low.reduced("sum", low.computed(LANES.exp, d), last, False)

    def write(e: Emission, array: Array, views: Sequence[View]) -> None:
        shifted, sums, which = views
        nest = e.nest(labels.shape)
        label = Index.of(Term(e.text(which, nest, nest.index), x.shape[-1]))
        chosen = e.text(shifted, nest, [*nest.index, label])
        log = e.language.function("log", x.kind, e.text(sums, nest, nest.index))
        value = e.language.binary("-", x.kind, log, chosen)
        e.store(array, nest, e.flat(labels.shape, nest.index), value)
        e.add(nest, op)

    return low.by_loops(labels.shape, x.kind, write, d, total, labels)


@rule("SparseSoftmaxCrossEntropySlope")
def _slope(low: Lowered, op: Operation, x: View, labels: View) -> View:
    last = [len(x.shape) - 1]
    e_ = low.computed(LANES.exp, low.computed(LANES.subtract, x, low.reduced("top", x, last, True)))
    p = low.computed(LANES.divide, e_, low.reduced("sum", e_, last, True))
    each = broadcast(low.reshape(labels, (*labels.shape, 1)), x.shape)
    return low.computed(
        lambda v, at, one: LANES.where(at == one, v - 1.0, v),
        p,
        low.places(x.shape, len(x.shape) - 1),
        each,
    )
