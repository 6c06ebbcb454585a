"""Where each box stands: in layers along the flow, with few crossings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from wengert.insight.drawing.diagram import Diagram

HEIGHT: Final = 40  # of a box, and of the space below it, in pixels
_GAP: Final = 24  # between two boxes of a layer
_LETTER: Final = 7.4  # the width of one
_NARROWEST: Final = 56
_SWEEPS: Final = 6


class Placed(NamedTuple):
    """The middle of a box, and its width."""

    x: float
    y: float
    width: float


def placed(diagram: Diagram) -> list[Placed]:
    """The places of the boxes."""
    count = len(diagram.boxes)
    before: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for a, b, _ in diagram.arrows:
        before[b].append(a)
        after[a].append(b)
    layers = _layers(before, after)
    order = _ordered(layers, before, after)
    widths = [
        max(_NARROWEST, _LETTER * max(len(b.label), 0.85 * len(b.note)) + 20) for b in diagram.boxes
    ]
    return _spread(order, widths, before, after)


def _layers(before: list[list[int]], after: list[list[int]]) -> list[int]:
    """For each box the length of the longest way to it."""
    found = [0] * len(before)
    left = [len(b) for b in before]
    waiting = [n for n, b in enumerate(before) if not b]
    while waiting:
        n = waiting.pop()
        for m in after[n]:
            found[m] = max(found[m], found[n] + 1)
            left[m] -= 1
            if not left[m]:
                waiting.append(m)
    for n, others in enumerate(after):  # what has no input stands next to who reads it
        if not before[n] and others:
            found[n] = max(min(found[m] for m in others) - 1, 0)
    return found


def _ordered(
    layers: Sequence[int], before: list[list[int]], after: list[list[int]]
) -> list[list[int]]:
    """The boxes of each layer, from left to right: near the middle of their neighbours."""
    found: list[list[int]] = [[] for _ in range(max(layers, default=0) + 1)]
    for n, layer in enumerate(layers):
        found[layer].append(n)
    at = {n: i for row in found for i, n in enumerate(row)}
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        near = before if down else after
        for row in found if down else reversed(found):
            middles = {n: _middle([at[m] for m in near[n]], at[n]) for n in row}
            row.sort(key=middles.__getitem__)
            at.update({n: i for i, n in enumerate(row)})
    return found


def _middle(places: list[int], own: float) -> float:
    return sum(places) / len(places) if places else own


def _spread(
    order: list[list[int]], widths: list[float], before: list[list[int]], after: list[list[int]]
) -> list[Placed]:
    """Each box as near to its neighbours as those beside it allow."""
    x = [0.0] * len(widths)
    for row in order:
        at = 0.0
        for n in row:
            x[n] = at + widths[n] / 2
            at += widths[n] + _GAP
    for sweep in range(_SWEEPS):
        near = after if sweep % 2 else before
        for row in reversed(order) if sweep % 2 else order:
            wanted = [sum(x[m] for m in near[n]) / len(near[n]) if near[n] else x[n] for n in row]
            _put(row, wanted, widths, x)
    left = min((x[n] - widths[n] / 2 for n in range(len(x))), default=0.0)
    y = {n: 2.0 * HEIGHT * layer for layer, row in enumerate(order) for n in row}
    return [Placed(x[n] - left, y[n], widths[n]) for n in range(len(x))]


def _put(row: list[int], wanted: list[float], widths: list[float], x: list[float]) -> None:
    """Where they are wanted, in their order, without overlapping."""
    edge = float("-inf")
    for n, to in zip(row, wanted, strict=True):
        x[n] = max(to, edge + widths[n] / 2)
        edge = x[n] + widths[n] / 2 + _GAP
    if row:  # back by half of what the first ones pushed the others
        pushed = sum(x[n] - to for n, to in zip(row, wanted, strict=True)) / len(row)
        for n in row:
            x[n] -= pushed
