"""Pictures of ten digits, in place of MNIST: strokes as on a calculator, slanted, turned, thick and thin."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.training.examples import Examples

# The seven strokes, from (x, y) to (x, y) in a box of 1 by 2, and which of them each digit has.
_STROKES: Final = np.array(
    [
        [0, 0, 1, 0], [0, 1, 1, 1], [0, 2, 1, 2],
        [0, 0, 0, 1], [1, 0, 1, 1], [0, 1, 0, 2], [1, 1, 1, 2],
    ],
    np.float32,
)  # fmt: skip
_LIT: Final = np.array(
    [[bit == "1" for bit in word] for word in (
        "1011111", "0000101", "1110110", "1110101", "0101101",
        "1111001", "1111011", "1000101", "1111111", "1111101",
    )]
)  # fmt: skip
# How far a picture may be from upright, in pixels of a picture of 28 for lengths.
_SLANT, _TURN, _SHIFT, _UNIT = 0.25, 0.2, 3.0, (6.5, 9.0)
_AT_ONCE: Final = 500


def strokes(count: int, size: int, seed: int) -> Examples:
    """So many pictures of size by size, from 0 to 1, and which digit each is."""
    rng = np.random.default_rng([seed, count, size])
    digits = rng.integers(0, 10, count).astype(np.int32)
    parts = [_drawn(digits[at : at + _AT_ONCE], size, rng) for at in range(0, count, _AT_ONCE)]
    return Examples(np.concatenate(parts)[..., None], digits)


def _drawn(digits: Any, size: int, rng: np.random.Generator) -> Any:
    count, scale = len(digits), size / 28
    starts, ends = _placed(count, size, scale, rng)
    rows, columns = np.mgrid[:size, :size].astype(np.float32)
    at = np.stack([columns, rows], -1).reshape(1, 1, -1, 2)
    far = np.where(_LIT[digits][:, :, None], _distance(at, starts, ends), np.inf).min(1)
    thick = rng.uniform(0.9, 2.0, (count, 1)) * scale
    ink = np.clip(thick + 0.5 - far, 0.0, 1.0).reshape(count, size, size)
    noise = 0.08 * rng.standard_normal(ink.shape)
    return np.clip(ink + noise, 0.0, 1.0).astype(np.float32)


def _placed(count: int, size: int, scale: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """The ends of the strokes in each picture, [count, strokes, 1, 2]."""
    points = _STROKES.reshape(-1, 2) - np.array([0.5, 1.0], np.float32)
    unit = rng.uniform(*_UNIT, (count, 1)) * scale
    slant, turn = rng.uniform(-_SLANT, _SLANT, (count, 1)), rng.uniform(-_TURN, _TURN, (count, 1))
    x = (points[:, 0] - slant * points[:, 1]) * unit
    y = points[:, 1] * unit
    shift = rng.uniform(-_SHIFT, _SHIFT, (2, count, 1)) * scale + (size - 1) / 2
    turned = (
        x * np.cos(turn) - y * np.sin(turn) + shift[0],
        x * np.sin(turn) + y * np.cos(turn) + shift[1],
    )
    ends = np.stack(turned, -1).astype(np.float32).reshape(count, len(_STROKES), 2, 1, 2)
    return ends[:, :, 0], ends[:, :, 1]


def _distance(at: Any, starts: Any, ends: Any) -> Any:
    """Of points from strokes."""
    along = ends - starts
    share = ((at - starts) * along).sum(-1) / (along * along).sum(-1)
    nearest = starts + np.clip(share, 0.0, 1.0)[..., None] * along
    return np.sqrt(((at - nearest) ** 2).sum(-1))
