"""Convolutions and their gradients: one nest, in which each product is added to where it belongs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from wengert.engines.native.frontend.arrays import Dims, View
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.graph.operation import Operation
from wengert.insight.source.nests.emission import Emission
from wengert.insight.source.nests.index import Index, Term
from wengert.insight.source.nests.lowered import Lowered, rule
from wengert.insight.source.nests.nest import Array, Block
from wengert.insight.source.text import Text


class _Form(NamedTuple):
    """The shapes of a convolution, and where its windows lie."""

    x: Dims
    w: Dims
    y: Dims
    strides: Dims
    dilations: Dims
    before: Dims  # how much padding there is before the first element of each axis
    is_depthwise: bool


def _form(x: Dims, w: Dims, y: Dims, attrs: dict[str, Any], is_depthwise: bool) -> _Form:
    if not attrs["data_format"].endswith("C"):
        raise NotLowered("a convolution with channels first")
    if not is_depthwise and w[-2] != x[-1]:
        raise NotLowered("a convolution in groups")
    spatial = range(1, len(x) - 1)
    strides = tuple([int(attrs["strides"][a]) for a in spatial])
    dilations = tuple([int((attrs.get("dilations") or [1] * len(x))[a]) for a in spatial])
    before = []
    for a, s, d in zip(spatial, strides, dilations, strict=True):
        if attrs["padding"] == "EXPLICIT":
            before.append(int(attrs["explicit_paddings"][2 * a]))
        elif attrs["padding"] == "SAME":
            before.append(max((y[a] - 1) * s + (w[a - 1] - 1) * d + 1 - x[a], 0) // 2)
        else:
            before.append(0)
    return _Form(x, w, y, strides, dilations, tuple(before), is_depthwise)


def _write(
    form: _Form, which: str, op: Operation, e: Emission, array: Array, views: Sequence[View]
) -> None:
    """All products, each added to an element of what is not given: of "x", "w" or "y"."""
    zeros = e.nest(array.shape)
    e.store(array, zeros, e.flat(array.shape, zeros.index), e.language.number(array.kind, 0))
    e.add(zeros, op)
    rank = len(form.strides)
    nest = e.nest([*form.y[:-1], *form.w])
    batch, places, offsets = (
        nest.index[0],
        nest.index[1 : rank + 1],
        nest.index[rank + 1 : 2 * rank + 1],
    )
    channel, last = nest.index[-2:]
    found = [
        _within(e, place.times(s) + offset.times(d) + Index(-before), n)
        for place, offset, s, d, before, n in zip(
            places, offsets, form.strides, form.dilations, form.before, form.x[1:-1], strict=True
        )
    ]
    out = channel.times(form.w[-1]) + last if form.is_depthwise else last
    index = {
        "x": [batch, *[at for at, _ in found], channel],
        "w": [*offsets, channel, last],
        "y": [batch, *places, out],
    }
    a, b = [
        e.text(v, nest, index[k])
        for v, k in zip(views, [k for k in "xwy" if k != which], strict=True)
    ]
    value = e.language.binary("*", array.kind, a, b)
    conditions = [c for _, parts in found for c in parts]
    place = e.flat(getattr(form, which), index[which])
    if conditions:
        both = conditions[0]
        for c in conditions[1:]:
            both = e.language.truth("and", both, c)
        e.store_if(both.text, array, nest, place, value)
    else:
        e.store(array, nest, place, value, adds=True)
    e.add(nest, op)


def _within(e: Emission, at: Index, size: int) -> tuple[Index, list[Text]]:
    """A position on an axis, and what must hold for it to be on it."""
    low, high = at.ends()
    conditions = []
    if low < 0:
        conditions.append(e.language.binary(">=", "i4", at.text(), Text("0")))
    if high >= size:
        conditions.append(e.language.binary("<", "i4", at.text(), Text(str(size))))
    return (Index.of(Term(at.text(), max(size, 1))) if conditions else at), conditions


def _shape(op: Operation) -> Dims:
    return tuple(op.outputs[0]._array.shape)


def _forward(
    is_depthwise: bool, low: Lowered, op: Operation, x: View, w: View, **attrs: Any
) -> View:
    form = _form(x.shape, w.shape, _shape(op), attrs, is_depthwise)
    return low.by_loops(form.y, x.kind, partial(_write, form, "y", op), x, w)


def _to_input(
    is_depthwise: bool, low: Lowered, op: Operation, w: View, g: View, **attrs: Any
) -> View:
    form = _form(_shape(op), w.shape, g.shape, attrs, is_depthwise)
    return low.by_loops(form.x, g.kind, partial(_write, form, "x", op), w, g)


def _to_filter(
    is_depthwise: bool, low: Lowered, op: Operation, x: View, g: View, **attrs: Any
) -> View:
    form = _form(x.shape, _shape(op), g.shape, attrs, is_depthwise)
    return low.by_loops(form.w, g.kind, partial(_write, form, "w", op), x, g)


rule("Conv2D", "Conv3D")(partial(_forward, False))
rule("Conv2DBackpropInput", "Conv3DBackpropInputV2")(partial(_to_input, False))
rule("Conv2DBackpropFilter", "Conv3DBackpropFilterV2")(partial(_to_filter, False))
rule("DepthwiseConv2dNative")(partial(_forward, True))
rule("DepthwiseConv2dNativeBackpropInput")(partial(_to_input, True))
rule("DepthwiseConv2dNativeBackpropFilter")(partial(_to_filter, True))


# ---- windows without a filter ---------------------------------------------------------------------


def _pool_form(x: Dims, y: Dims, attrs: dict[str, Any]) -> _Form:
    if attrs["ksize"][0] != 1 or attrs["ksize"][-1] != 1:
        raise NotLowered("windows over several channels")
    window = tuple(map(int, attrs["ksize"][1:-1]))
    form = _form(x, (*window, x[-1], 1), y, attrs, True)
    if any(form.before) or _reaches_out(form):
        raise NotLowered("windows over padding")
    return form


def _average(
    form: _Form, is_back: bool, op: Operation, e: Emission, array: Array, views: Sequence[View]
) -> None:
    """Each window's share of each element."""
    zeros = e.nest(array.shape)
    e.store(array, zeros, e.flat(array.shape, zeros.index), e.language.number(array.kind, 0))
    e.add(zeros, op)
    rank = len(form.strides)
    nest = e.nest([*form.y, *form.w[:rank]])
    places, offsets = nest.index[1 : rank + 1], nest.index[rank + 2 :]
    at = [p.times(s) + o for p, o, s in zip(places, offsets, form.strides, strict=True)]
    inside = [nest.index[0], *at, nest.index[rank + 1]]
    outside = nest.index[: rank + 2]
    read, written = (outside, inside) if is_back else (inside, outside)
    count = e.language.number(array.kind, float(math.prod(form.w[:rank])))
    value = e.language.binary("/", array.kind, e.text(views[0], nest, read), count)
    shape = form.x if is_back else form.y
    e.store(array, nest, e.flat(shape, written), value, adds=True)
    e.add(nest, op)


def _reaches_out(form: _Form) -> bool:
    """Whether the last window ends behind the last element."""
    axes = zip(form.y[1:-1], form.strides, form.w, form.x[1:-1], strict=False)
    return any((y - 1) * s + w > x for y, s, w, x in axes)


@rule("AvgPool", "AvgPool3D")
def _average_pool(low: Lowered, op: Operation, x: View, **attrs: Any) -> View:
    form = _pool_form(x.shape, _shape(op), attrs)
    return low.by_loops(form.y, x.kind, partial(_average, form, False, op), x)


@rule("AvgPoolGrad", "AvgPool3DGrad")
def _average_pool_back(low: Lowered, op: Operation, g: View, **attrs: Any) -> View:
    form = _pool_form(_shape(op), g.shape, attrs)
    return low.by_loops(form.x, g.kind, partial(_average, form, True, op), g)


@rule("MaxPool", "MaxPool3D")
def _max_pool(low: Lowered, op: Operation, x: View, **attrs: Any) -> View:
    form = _pool_form(x.shape, _shape(op), attrs)
    rank = len(form.strides)
    sizes = (*form.y, *form.w[:rank])
    strides = [
        x.strides[0],
        *[x.strides[a + 1] * form.strides[a] for a in range(rank)],
        x.strides[-1],
    ]
    windows = View(x.base, sizes, x.offset, (*strides, *x.strides[1:-1]))
    return low.reduced("max", windows, range(len(form.y), len(sizes)), False)


@rule("MaxPoolGrad", "MaxPool3DGrad")
def _max_pool_back(low: Lowered, op: Operation, x: View, y: View, g: View, **attrs: Any) -> View:
    form = _pool_form(x.shape, y.shape, attrs)
    return low.by_loops(x.shape, g.kind, partial(_to_largest, form, op), x, y, g)


def _to_largest(
    form: _Form, op: Operation, e: Emission, array: Array, views: Sequence[View]
) -> None:
    """What came for a window goes to the first of its elements that is the largest."""
    x, y, g = views
    language, rank = e.language, len(form.strides)
    zeros = e.nest(array.shape)
    e.store(array, zeros, e.flat(array.shape, zeros.index), language.number(array.kind, 0))
    e.add(zeros, op)
    outer = e.nest(form.y)
    inner = e.nest(form.w[:rank], outer)
    places = zip(outer.index[1:-1], inner.index, form.strides, strict=True)
    inside = [outer.index[0], *[p.times(s) + o for p, o, s in places], outer.index[-1]]
    found = e.free("found")
    false, true = (language.number("b1", b).text for b in (False, True))
    outer.lines.append(language.defined("b1", found, false, changes=True))
    is_it = language.binary("==", "b1", e.text(x, inner, inside), e.text(y, inner, outer.index))
    condition = language.truth("and", language.truth("not", Text(found)), is_it)
    value = e.text(g, inner, outer.index)
    e.store_if(condition.text, array, inner, e.flat(form.x, inside), value)
    block = inner.lines[-1]
    assert isinstance(block, Block)
    block.lines.append(f"{found} = {true}{language.end}")
    e.inner(outer, inner)
    e.add(outer, op)
