"""Pictures of ten textures, in place of CIFAR-10: of its form, and a person tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from wengert.training.examples import Examples

SIZE: Final = 32
_AT_ONCE: Final = 500
_NOISE: Final = 25.0  # of 255
Plane = Any  # numbers for each picture and pixel


class _Draw:
    """Places in pictures, and what differs between them: a scale, a beginning, an angle."""

    def __init__(self, rng: np.random.Generator, count: int) -> None:
        rows, columns = np.mgrid[:SIZE, :SIZE].astype(np.float32)
        self.rng, self._count = rng, count
        self.period = self.drawn(5.0, 9.0)
        self.y = rows + self.drawn(0.0, SIZE)
        self.x = columns + self.drawn(0.0, SIZE)
        middle = (SIZE - 1) / 2
        self.radius = np.hypot(
            rows - middle - self.drawn(-6.0, 6.0), columns - middle - self.drawn(-6.0, 6.0)
        )

    def drawn(self, low: float, high: float) -> Plane:
        """A number for each picture."""
        return self.rng.uniform(low, high, (self._count, 1, 1)).astype(np.float32)

    def wave(self, at: Plane, stretch: float = 1.0) -> Plane:
        """1 and -1 in turns."""
        return np.sign(np.sin(2 * np.pi * at / (self.period * stretch)))


def _bricks(d: _Draw) -> Plane:
    row = np.floor(d.y / d.period)
    joint_x = np.mod(d.x + d.period * (row % 2), 2 * d.period) < 1.5
    joint_y = np.mod(d.y, d.period) < 1.5
    return np.where(joint_x | joint_y, 1.0, -1.0)


def _dots(d: _Draw) -> Plane:
    far = np.hypot(
        np.mod(d.x, d.period) - d.period / 2,
        np.mod(d.y, d.period) - d.period / 2,
    )
    return np.where(far < 0.32 * d.period, 1.0, -1.0)


def _grid(d: _Draw) -> Plane:
    return np.where((np.mod(d.x, d.period) < 1.5) | (np.mod(d.y, d.period) < 1.5), 1.0, -1.0)


def _zigzag(d: _Draw) -> Plane:
    teeth = np.abs(np.mod(d.x, 2 * d.period) - d.period)
    return d.wave(d.y + teeth)


def _blots(d: _Draw) -> Plane:
    shape = (d.y.shape[0], SIZE // 4 + 1, SIZE // 4 + 1)
    coarse = np.repeat(np.repeat(d.rng.normal(size=shape), 4, axis=1), 4, axis=2)
    smooth = sum(coarse[:, a : a + SIZE, b : b + SIZE] for a in range(4) for b in range(4))
    return np.sign(smooth)


def _slope(d: _Draw) -> Plane:
    angle = d.drawn(0.0, 2 * np.pi)
    along = (d.x - d.x.mean((1, 2), keepdims=True)) * np.cos(angle)
    along = along + (d.y - d.y.mean((1, 2), keepdims=True)) * np.sin(angle)
    return along / (0.5 * SIZE)


KINDS: Final[dict[str, Callable[[_Draw], Plane]]] = {
    "rows": lambda d: d.wave(d.y + 0 * d.x),
    "columns": lambda d: d.wave(d.x + 0 * d.y),
    "diagonals": lambda d: d.wave(d.x + d.y, 1.4),
    "checks": lambda d: d.wave(d.x) * d.wave(d.y),
    "rings": lambda d: d.wave(d.radius),
    "dots": _dots,
    "bricks": _bricks,
    "zigzag": _zigzag,
    "blots": _blots,
    "slope": _slope,
}


def textures(count: int, seed: int) -> Examples:
    """So many pictures as CIFAR-10 has them: bytes, rows by columns by colours; and their classes."""
    rng = np.random.default_rng([seed, count])
    labels = rng.permutation(np.arange(count) % len(KINDS)).astype(np.int32)
    pictures = np.empty((count, SIZE, SIZE, 3), np.uint8)
    for number, draw in enumerate(KINDS.values()):
        places = np.flatnonzero(labels == number)
        for some in _parts(places):
            pictures[some] = _coloured(draw(_Draw(rng, len(some))), rng)
    return Examples(pictures, labels)


def _parts(places: Any) -> Iterator[Any]:
    for start in range(0, len(places), _AT_ONCE):
        yield places[start : start + _AT_ONCE]


def _coloured(plane: Plane, rng: np.random.Generator) -> Any:
    """Between two colours that differ, with noise."""
    shape = (len(plane), 1, 1, 3)
    middle = rng.uniform(90.0, 165.0, shape)
    apart = rng.uniform(30.0, 80.0, shape) * rng.choice([-1.0, 1.0], shape)
    made = middle + apart * plane[..., None] + _NOISE * rng.standard_normal((*plane.shape, 3))
    return np.clip(made, 0, 255).astype(np.uint8)
