"""Draws the pictures of docs/gallery.md from what its programs compute, as SVG.

    python tools/gallery.py

runs each block of the page, takes the names that it leaves behind, and writes docs/gallery/NAME.svg, where NAME is that of
the picture behind the block. A test draws them again and compares.

    lines   {label: (x, y)}, as curves
    points  {label: (x, y)}
    field   (x, y, values), as contours
    basins  an array of small integers, as an image
"""

from __future__ import annotations

import base64
import contextlib
import io
import math
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).resolve().parent.parent / "docs" / "gallery.md"
WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 34, 34
COLOURS = ("#3f51b5", "#d9622b", "#2a9d6f", "#a23b8f", "#7a6a00")
BASINS = ((63, 81, 181), (217, 98, 43), (42, 157, 111))
BLOCK = re.compile(r"^```python\n(.*?)^```\n.*?\]\(gallery/(\w+)\.svg\)", re.M | re.S)


def pictures() -> dict[str, str]:
    """Every picture by its name."""
    made = {}
    for code, name in BLOCK.findall(PAGE.read_text("utf-8")):
        names: dict[str, Any] = {"__name__": name}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, f"{name}.py", "exec"), names)
        made[name] = picture(names)
    return made


def picture(names: dict[str, Any]) -> str:
    lines, points = names.get("lines", {}), names.get("points", {})
    if "field" in names:
        xs, ys = names["field"][:2]
        box = (float(xs[0]), float(xs[-1]), float(ys[0]), float(ys[-1]))
    elif "basins" in names:
        box = names["extent"]
    else:
        box = _around([*lines.values(), *points.values()])
    view = _View(*box)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#fff"/>',
    ]
    frame = f'x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"'
    parts.append(f'<clipPath id="inside"><rect {frame}/></clipPath>')
    if "basins" in names:
        parts.append(_image(names["basins"]))
    if "field" in names:
        xs, ys, values = names["field"]
        parts += _contours(xs, ys, values, view)
    parts += view.axes()
    for colour, (x, y) in zip(COLOURS, lines.values(), strict=False):
        style = f'fill="none" stroke="{colour}" stroke-width="2" clip-path="url(#inside)"'
        parts.append(f'<path d="{view.path(x, y)}" {style}/>')
    for colour, (x, y) in zip(COLOURS[len(lines) :], points.values(), strict=False):
        parts += [
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in view(x, y)
        ]
    parts += _legend([*lines, *points])
    return "\n".join([*parts, "</svg>", ""])


class _View:
    """From numbers to places."""

    def __init__(self, left: float, right: float, bottom: float, top: float) -> None:
        self.left, self.right, self.bottom, self.top = left, right, bottom, top

    def __call__(self, x: Any, y: Any) -> Iterator[tuple[float, float]]:
        wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        for a, b in zip(np.ravel(x), np.ravel(y), strict=True):
            across = (float(a) - self.left) / (self.right - self.left)
            up = (float(b) - self.bottom) / (self.top - self.bottom)
            yield LEFT + wide * across, TOP + high * (1.0 - up)

    def path(self, x: Any, y: Any) -> str:
        return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in self(x, y))

    def axes(self) -> Iterator[str]:
        wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        yield f'<rect x="{LEFT}" y="{TOP}" width="{wide}" height="{high}" fill="none" stroke="#9aa3b5"/>'
        for x in _ticks(self.left, self.right):
            ((a, b),) = self([x], [self.bottom])
            yield f'<path d="M{a:.1f} {b:.1f}v5" stroke="#9aa3b5"/>'
            yield f'<text x="{a:.1f}" y="{b + 18:.1f}" text-anchor="middle" fill="#4a5268">{x:g}</text>'
        for y in _ticks(self.bottom, self.top):
            ((a, b),) = self([self.left], [y])
            yield f'<path d="M{a:.1f} {b:.1f}h-5" stroke="#9aa3b5"/>'
            yield f'<text x="{a - 8:.1f}" y="{b + 4:.1f}" text-anchor="end" fill="#4a5268">{y:g}</text>'


def _around(curves: list[Any]) -> tuple[float, float, float, float]:
    x = np.concatenate([np.ravel(x) for x, _ in curves])
    y = np.concatenate([np.ravel(y) for _, y in curves])
    room = 0.06 * float(y.max() - y.min())
    return float(x.min()), float(x.max()), float(y.min()) - room, float(y.max()) + room


def _ticks(low: float, high: float) -> list[float]:
    step = 10.0 ** math.floor(math.log10((high - low) / 2.0))
    step *= next(m for m in (1.0, 2.0, 5.0) if (high - low) / (m * step) <= 7.0)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 10) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _legend(labels: list[str]) -> Iterator[str]:
    x = float(LEFT)
    for colour, label in zip(COLOURS, labels, strict=False):
        yield f'<rect x="{x:.0f}" y="14" width="12" height="4" fill="{colour}"/>'
        yield f'<text x="{x + 17:.0f}" y="20" fill="#1c2333">{label}</text>'
        x += 32 + 7.2 * len(label)


def _contours(xs: Any, ys: Any, values: Any, view: _View) -> Iterator[str]:
    """Lines of equal height, each cell of the grid for itself."""
    values = np.asarray(values)
    for level in np.linspace(values.min(), values.max(), 14)[1:-1]:
        pieces = []
        for i in range(len(ys) - 1):
            for j in range(len(xs) - 1):
                ends = _crossings(xs[j : j + 2], ys[i : i + 2], values[i : i + 2, j : j + 2], level)
                if len(ends) == 2:
                    pieces.append(view.path(*zip(*ends, strict=True)))
        yield f'<path d="{"".join(pieces)}" fill="none" stroke="#b8c0d4"/>'


def _crossings(xs: Any, ys: Any, corners: Any, level: float) -> list[tuple[float, float]]:
    round_about = [(0, 0), (0, 1), (1, 1), (1, 0)]
    found = []
    for (i, j), (k, m) in zip(round_about, [*round_about[1:], round_about[0]], strict=True):
        a, b = float(corners[i, j]), float(corners[k, m])
        if (a < level) != (b < level):
            part = (level - a) / (b - a)
            found.append((xs[j] + part * (xs[m] - xs[j]), ys[i] + part * (ys[k] - ys[i])))
    return found


def _image(basins: Any) -> str:
    """The array as a PNG of a few colours."""
    basins = np.asarray(basins, np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in basins[::-1])
    palette = bytes(c for shade in range(4) for rgb in BASINS for c in _shaded(rgb, shade))
    head = struct.pack(">IIBBBBB", basins.shape[1], basins.shape[0], 8, 3, 0, 0, 0)
    chunks = [
        (b"IHDR", head),
        (b"PLTE", palette),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    ]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks
    )
    coded = base64.b64encode(png).decode()
    return (
        f'<image x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}" '
        f'preserveAspectRatio="none" href="data:image/png;base64,{coded}"/>'
    )


def _shaded(rgb: tuple[int, int, int], shade: int) -> list[int]:
    return [int(c + (255 - c) * shade / 5) for c in rgb]


if __name__ == "__main__":
    folder = PAGE.parent / "gallery"
    folder.mkdir(exist_ok=True)
    for name, text in pictures().items():
        (folder / f"{name}.svg").write_text(text, "utf-8")
        print(folder / f"{name}.svg", len(text))
