"""Which product of the matrices at hand a gradient is: what the rule computes, and what it should."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from wengert.insight.check.coordinates import largest
from wengert.insight.check.trial import Trial

if TYPE_CHECKING:
    from wengert.values.typing import Array

_FITS: Final = 1e-9  # relative


def product_in_words(
    trial: Trial, i: int, names: Mapping[str, Array], rng: np.random.Generator
) -> str:
    """The product that the rule computes for an input, and the one that fits; '' if there is none."""
    block = trial.blocks[i]
    matrices = [*trial.xs, *trial.values]
    whole = len(trial.rows) == len(trial.cotangents) and len(block.units) == block.seen.shape[1]
    if (
        not whole
        or len(trial.values) != 1
        or any(m.ndim != 2 or m.dtype.kind == "c" for m in matrices)
    ):
        return ""
    w = rng.normal(size=trial.values[0].size)
    shape = trial.xs[i].shape
    dy = w.reshape(trial.values[0].shape)
    right = _fitting((block.seen.T @ w).reshape(shape), dy, names)
    if right is None:
        return ""
    own = _fitting((block.rule.T @ w).reshape(shape), dy, names)
    exactly = f"to {right[1]:.0e}" if right[1] else "exactly"
    return (f"the rule gives {own[0]}; " if own else "") + f"{right[0]} fits {exactly}"


def _fitting(wanted: Array, dy: Array, names: Mapping[str, Array]) -> tuple[str, float] | None:
    """The first product that an array is, and how well."""
    for words, value in _products(dy, names):
        if value.shape == wanted.shape:
            apart = largest(value - wanted) / max(largest(wanted), 1e-300)
            if apart <= _FITS:
                return words, apart
    return None


def _products(dy: Array, names: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    for name, x in names.items():
        for a, p in _turned("dy", dy):
            for b, q in _turned(name, x):
                for left, right, words in ((p, q, f"{a} @ {b}"), (q, p, f"{b} @ {a}")):
                    if left.shape[1] == right.shape[0]:
                        yield words, left @ right


def _turned(name: str, x: Array) -> Iterator[tuple[str, Array]]:
    yield name, x
    yield f"tf.transpose({name})", x.T
