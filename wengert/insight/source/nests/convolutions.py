"""Convolutions and their gradients: one nest, in which each product is added to where it belongs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from wengert.engines.native.frontend.arrays import Dims, View
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.graph.operation import Operation
from wengert.insight.source.nests.emission import Emission
from wengert.insight.source.nests.index import Index, Term
from wengert.insight.source.nests.lowered import Lowered, rule
from wengert.insight.source.nests.nest import Array
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
