"""A diagram as a picture."""

from __future__ import annotations

from html import escape
from typing import Final

from wengert.insight.drawing.diagram import Box, Diagram
from wengert.insight.drawing.layout import HEIGHT, Placed, placed

# Only for the picture itself: in a notebook, and in a page, it stands among others.
_STYLE: Final = """
.wengert-graph text { font: 13px system-ui, sans-serif; text-anchor: middle; fill: #1c2330; }
.wengert-graph .note { font-size: 11px; fill: #5b6b82; } .wengert-graph rect { stroke: #5b6b82; fill: #fff; rx: 6; }
.wengert-graph .arrow { fill: none; stroke: #9aa7b8; } .wengert-graph .tip { fill: #9aa7b8; }
.wengert-graph .input rect { fill: #eef1f5; } .wengert-graph .forward rect { fill: #dbe9fb; }
.wengert-graph .backward rect { fill: #fde4cf; } .wengert-graph .result rect { fill: #d9f2df; }
.wengert-graph .bad rect { stroke: #c62f2f; stroke-width: 2.5; }
@media (prefers-color-scheme: dark) {
  .wengert-graph text { fill: #e3e9f2; } .wengert-graph .note { fill: #a9b5c6; }
  .wengert-graph rect { stroke: #8291a8; } .wengert-graph .arrow { stroke: #6d7a8e; } .wengert-graph .tip { fill: #6d7a8e; }
  .wengert-graph .input rect { fill: #2b3342; } .wengert-graph .forward rect { fill: #1d3d66; }
  .wengert-graph .backward rect { fill: #5f3c1a; } .wengert-graph .result rect { fill: #1f4c2d; }
  .wengert-graph .bad rect { stroke: #ff6b6b; }
}
"""
_MARGIN: Final = 20


def as_svg(diagram: Diagram, page: str = "") -> str:
    """The picture; in a page, where it has a name, its boxes have numbers, for clicks."""
    tip = f"tip{page}"
    places = placed(diagram)
    width = max((p.x + p.width / 2 for p in places), default=0) + 2 * _MARGIN
    height = max((p.y for p in places), default=0) + HEIGHT + 2 * _MARGIN
    arrows = "\n".join(_arrow(places[a], places[b], text, tip) for a, b, text in diagram.arrows)
    boxes = "\n".join(
        _box(n, box, place, bool(page))
        for n, (box, place) in enumerate(zip(diagram.boxes, places, strict=True))
    )
    return (
        f'<svg class="wengert-graph" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}">\n<style>{_STYLE}</style>\n'
        f'<defs><marker id="{tip}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path class="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>\n'
        f'<g transform="translate({_MARGIN} {_MARGIN})">\n{arrows}\n{boxes}\n</g>\n</svg>'
    )


def _arrow(a: Placed, b: Placed, text: str, tip: str) -> str:
    top, bottom = a.y + HEIGHT, b.y
    bend = (bottom - top) / 2
    path = f"M{a.x:.1f} {top:.1f} C{a.x:.1f} {top + bend:.1f} {b.x:.1f} {bottom - bend:.1f} {b.x:.1f} {bottom:.1f}"
    return f'<path class="arrow" d="{path}" marker-end="url(#{tip})"><title>{escape(text)}</title></path>'


def _box(number: int, box: Box, place: Placed, is_clicked: bool) -> str:
    label, note = box.label, box.note
    side = f"{box.side} bad" if box.is_troubled else box.side
    left = place.x - place.width / 2
    own = f' data-box="{number}" tabindex="0"' if is_clicked else ""
    middle = 25 if not note else 17
    below = (
        f'<text class="note" x="{place.x:.1f}" y="{place.y + 32:.1f}">{escape(note)}</text>'
        if note
        else ""
    )
    return (
        f'<g class="box {side}"{own}><rect x="{left:.1f}" y="{place.y:.1f}" width="{place.width:.1f}" '
        f'height="{HEIGHT}"/><text x="{place.x:.1f}" y="{place.y + middle:.1f}">{escape(label)}</text>{below}</g>'
    )
