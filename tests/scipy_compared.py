"""How tests compare the functions of wengert.scipy with SciPy's, and their derivatives with differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import wengert as tf

DRAW = np.random.default_rng(20)


@pytest.fixture(autouse=True)
def same_draws() -> None:
    """What a test draws does not depend on those before it, in the files that import this."""
    DRAW.bit_generator.state = np.random.default_rng(20).bit_generator.state


def parts(found: Any) -> list[Any]:
    return [np.asarray(x) for x in (found if isinstance(found, (tuple, list)) else [found])]


def assert_same(ours: Any, theirs: Any, tolerance: float = 1e-10) -> None:
    for a, b in zip(parts(ours), parts(theirs), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, tolerance, 1e-12)


def gradients(f: Callable[..., Any], args: Sequence[Any]) -> list[Any]:
    with tf.GradientTape() as tape:
        given = [tf.constant(x) for x in args]
        tape.watch(given)
        total = tf.reduce_sum(f(*given))
    return tape.gradient(total, given)


def directional(f: Callable[..., Any], args: Sequence[Any]) -> tuple[float, float]:
    """The derivative of a function of matrices along drawn directions: by the tape, and by differences."""
    ways = [DRAW.normal(size=np.shape(x)) for x in args]
    weights: list[Any] = []

    def scalar(*values: Any) -> Any:
        found = f(*values)
        outputs = found if isinstance(found, (tuple, list)) else [found]
        if not weights:
            weights.extend(DRAW.normal(size=np.shape(y)) for y in outputs)
        return sum(tf.reduce_sum(y * w) for y, w in zip(outputs, weights, strict=True))

    taken = gradients(scalar, args)
    along = sum(float(tf.reduce_sum(g * w)) for g, w in zip(taken, ways, strict=True))

    def moved(by: float) -> float:
        return float(scalar(*(tf.constant(x + by * w) for x, w in zip(args, ways, strict=True))))

    h = 1e-3
    return along, (8.0 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12.0 * h)
