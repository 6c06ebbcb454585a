"""Curves over logarithmic or even axes, drawn as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, NamedTuple


class Curve(NamedTuple):
    """A line through points, each with a mark or none; on a logarithmic axis all are positive."""

    name: str
    points: tuple[tuple[float, float], ...]
    has_marks: bool = True


_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 16, 34, 52  # margins
_MOST_TICKS: Final = 9
# Colours that differ for the colour-blind, too, on white and on black.
_COLOURS: Final = ("#1f83c4", "#d55e00", "#009e73", "#cc79a7")
_MARKS: Final = ("circle", "square", "circle", "square")
_STYLE: Final = """
.curves { font: 13px system-ui, sans-serif; } .curves .paper { fill: #fff; }
.curves text { fill: #1c2330; } .curves .grid { stroke: #dfe4ea; } .curves .frame { stroke: #8a94a3; fill: none; }
@media (prefers-color-scheme: dark) {
  .curves .paper { fill: #141922; } .curves text { fill: #d8dee9; }
  .curves .grid { stroke: #2d3442; } .curves .frame { stroke: #6b7687; }
}
"""


class _Decades:
    """Decades on a stretch of the paper."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        logs = [math.log10(v) for v in values]
        self.low, self.high = math.floor(min(logs)), math.ceil(max(logs))
        self.high += self.high == self.low
        self._start, self._end = start, end

    def at(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self._start + share * (self._end - self._start)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Powers of ten, as many as there is room for."""
        step = max(1, math.ceil((self.high - self.low) / _MOST_TICKS))
        return ((10.0**power, _power(power)) for power in range(self.low, self.high + 1, step))


class _Even:
    """Numbers on a stretch of the paper, at even distances."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        low, high = min(values), max(values)
        self._step = _round_step((high - low) or abs(high) or 1.0)
        self._low = math.floor(low / self._step)
        self._high = max(math.ceil(high / self._step), self._low + 1)
        self._start, self._end = start, end

    def at(self, value: float) -> float:
        share = (value / self._step - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Round numbers."""
        numbers = (n * self._step for n in range(self._low, self._high + 1))
        return ((number, f"{number:.6g}") for number in numbers)


def _round_step(width: float) -> float:
    """1, 2 or 5 times a power of ten, so that a few of them are as wide."""
    power = 10.0 ** math.floor(math.log10(width / _MOST_TICKS))
    return next(n * power for n in (1, 2, 5, 10) if n * power * _MOST_TICKS >= width)


_Axis = _Decades | _Even


def log_log(curves: Sequence[Curve], x_label: str, y_label: str) -> str:
    """A drawing of the curves, with both axes logarithmic."""
    return _drawing(curves, x_label, y_label, _Decades, _Decades)


def over_steps(curves: Sequence[Curve], x_label: str, y_label: str, log: bool = False) -> str:
    """A drawing of the curves over an even axis, the other even or logarithmic."""
    return _drawing(curves, x_label, y_label, _Even, _Decades if log else _Even)


def _drawing(
    curves: Sequence[Curve],
    x_label: str,
    y_label: str,
    x_kind: type[_Axis],
    y_kind: type[_Axis],
) -> str:
    points = [p for curve in curves for p in curve.points]
    if not points:
        return ""
    x = x_kind([p[0] for p in points], _LEFT, _WIDTH - _RIGHT)
    y = y_kind([p[1] for p in points], _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg class="curves" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" role="img" aria-label="{escape(y_label)} over {escape(x_label)}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="paper" width="{_WIDTH}" height="{_HEIGHT}"/>',
        *_paper(x, y, x_label, y_label),
    ]
    for number, curve in enumerate(curves):
        parts += _line(curve, number, x, y)
    return "\n".join([*parts, "</svg>"])


def _paper(x: _Axis, y: _Axis, x_label: str, y_label: str) -> Iterator[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    for value, text in x.ticks():
        at = x.at(value)
        yield f'<path class="grid" d="M{at:.1f} {_TOP}V{bottom}"/>'
        yield f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle">{text}</text>'
    for value, text in y.ticks():
        at = y.at(value)
        yield f'<path class="grid" d="M{_LEFT} {at:.1f}H{right}"/>'
        yield f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{text}</text>'
    yield f'<path class="frame" d="M{_LEFT} {_TOP}V{bottom}H{right}"/>'
    middle = (_LEFT + right) / 2
    yield f'<text x="{middle}" y="{_HEIGHT - 12}" text-anchor="middle">{escape(x_label)}</text>'
    turn = f'transform="translate(16 {(_TOP + bottom) / 2}) rotate(-90)"'
    yield f'<text {turn} text-anchor="middle">{escape(y_label)}</text>'


def _power(exponent: int) -> str:
    return f'10<tspan dy="-5" font-size="10">{exponent}</tspan>'


def _line(curve: Curve, number: int, x: _Axis, y: _Axis) -> Iterator[str]:
    colour = _COLOURS[number % len(_COLOURS)]
    places = [(x.at(a), y.at(b)) for a, b in curve.points]
    joined = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    yield f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="1.8"/>'
    if curve.has_marks:
        yield from (_mark(a, b, number, colour) for a, b in places)
    left = _LEFT + 12 + number * 190
    yield _mark(left, _TOP - 16, number, colour)
    yield f'<text x="{left + 10}" y="{_TOP - 12}">{escape(curve.name)}</text>'


def _mark(a: float, b: float, number: int, colour: str) -> str:
    if _MARKS[number % len(_MARKS)] == "circle":
        return f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.2" fill="{colour}"/>'
    return f'<rect x="{a - 3:.1f}" y="{b - 3:.1f}" width="6" height="6" fill="{colour}"/>'
