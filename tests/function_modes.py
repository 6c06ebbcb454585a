"""Ways to run a function of tensors and to differentiate it, and what its derivatives are compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import wengert as tf

STEP = 1e-4


def as_is(f: Any) -> Any:
    return f


def interpreted(f: Any) -> Any:
    return tf.function(f, jit_compile=False)


def compiled(f: Any) -> Any:
    return tf.function(f, jit_compile=True)


MODES = [as_is, interpreted, compiled]


def backward(f: Any) -> Any:
    return tf.grad(f)


def forward(f: Any) -> Any:
    return lambda x: tf.jvp(f, (x,), (tf.ones_like(x),))[1]


WAYS = [backward, forward]


def double(value: Any) -> Any:
    return tf.constant(value, tf.float64)


def close(a: Any, b: Any, tolerance: float = 1e-9) -> None:
    """The same shape, and the same numbers but for a relative and absolute error."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def numerically(f: Callable[[Any], Any], x: Any) -> Any:
    """The Jacobian by differences of the fourth order."""
    x = np.asarray(x)
    columns = []
    for unit in np.eye(x.size).reshape((-1, *x.shape)):
        a, b, c, d = (np.asarray(f(tf.constant(x + k * STEP * unit))) for k in (-2, -1, 1, 2))
        columns.append((a - 8.0 * b + 8.0 * c - d) / (12.0 * STEP))
    return np.stack(columns, -1).reshape((*columns[0].shape, *x.shape))
