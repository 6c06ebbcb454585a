"""Pictures moved, mirrored, brighter and darker; and all of them as wide in their values."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

CROP: Final = 24
_BRIGHTER: Final = 63.0  # of 255, at most
_CONTRAST: Final = (0.2, 1.8)


def augmented(pictures: Any, rng: np.random.Generator) -> Any:
    """A part of each picture, at a place by chance, mirrored or not, and of other light."""
    count, size = len(pictures), pictures.shape[1]
    top, left = rng.integers(0, size - CROP + 1, (2, count))
    windows = sliding_window_view(pictures, (CROP, CROP), (1, 2))
    parts = windows[np.arange(count), top, left].transpose(0, 2, 3, 1)
    mirrored = rng.integers(0, 2, count, dtype=bool)
    parts = np.where(mirrored[:, None, None, None], parts[:, :, ::-1], parts).astype(np.float32)
    one = (count, 1, 1, 1)
    parts += rng.uniform(-_BRIGHTER, _BRIGHTER, one).astype(np.float32)
    mean = parts.mean((1, 2), keepdims=True)
    parts = (parts - mean) * rng.uniform(*_CONTRAST, one).astype(np.float32) + mean
    return standardized(parts)


def middle(pictures: Any) -> Any:
    """The middle of each picture, for tests."""
    start = (pictures.shape[1] - CROP) // 2
    inner = slice(start, start + CROP)
    return standardized(pictures[:, inner, inner].astype(np.float32))


def standardized(pictures: Any) -> Any:
    """Each picture with mean 0 and deviation 1, as tf.image.per_image_standardization makes them."""
    flat = pictures.reshape(len(pictures), -1)
    least = np.float32(1.0 / np.sqrt(flat.shape[1]))
    deviation = np.maximum(flat.std(1), least)
    made = (flat - flat.mean(1, keepdims=True)) / deviation[:, None]
    return made.reshape(pictures.shape)
