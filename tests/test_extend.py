"""wengert.extend: operations and recorders of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert import extend


def declare() -> Any:
    """x * exp(-x²), with its reverse rule alone."""
    row = extend.op(
        "TestBump",
        lambda xp, x: x * xp.exp(-x * x),
        vjp=(lambda g, y, x: g * tf.exp(-x * x) * (1.0 - 2.0 * x * x),),
        elementwise=True,
        saves="x",
    )
    return lambda x: extend.apply(row, (extend.convert(x),))


def composed(x: Any) -> Any:
    return x * tf.exp(-x * x)


def derivatives(f: Any, x: Any) -> list[Any]:
    """First and second order, forward mode, and the gradients of a batch."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
        z = f(x)
    return [y, first, outer.gradient(first, x), forward.jvp(z), tf.vectorized_map(f, x)]


def test_an_operation_declared_outside_works_in_every_mode() -> None:
    """One row gives what the composition of our operations gives."""
    x = tf.constant([0.3, -0.7, 1.1], tf.float64)
    for own, ours in zip(derivatives(declare(), x), derivatives(composed, x), strict=True):
        np.testing.assert_allclose(own, ours, rtol=1e-12)


def test_a_recorder_declared_outside() -> None:
    """The tracer of twenty lines: it prints every operation."""

    class Names:
        computes = False

        def __init__(self) -> None:
            self.names: list[str] = []

        def record(self, row: extend.Row, inputs: Sequence[Any], attrs: Any, result: Any) -> None:
            self.names.append(row.name)

        def accessed(self, variable: Any) -> None: ...

    names: Any = Names()
    with extend.also_listening(names):
        tf.reduce_sum(tf.sin([1.0, 2.0]) * 2.0)
    assert names.names == ["Sin", "Mul", "Sum"]


def test_a_public_function_from_a_row() -> None:
    """`unary` converts, checks dtypes, and documents."""
    sinc = extend.unary(
        "TestDouble2",
        "double",
        "Twice x.",
        ("[1.0]", "[2.]"),
        kernel=lambda xp, x: x + x,
        vjp=lambda g, y, x: g + g,
        saves="",
    )
    assert sinc(2.5).numpy() == 5.0
    assert "tf.double([1.0])" in (sinc.__doc__ or "")
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in the list of allowed values"):
        sinc(1)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        ([3e9, -3e9, 1.7], "int32", [2147483520, -2147483648, 1]),
        ([3e9, 1e20], "int64", [3000000000, 9223371487098961920]),
        ([300, -3], "uint8", [255, 0]),
        ([70000.0, -1.5], "float16", [65504.0, -1.5]),
    ],
)
def test_saturate_cast(value: Any, dtype: str, expected: Any) -> None:
    """What does not fit moves to the nearest number that fits, never around to the other end."""
    assert tf.saturate_cast(value, dtype).numpy().tolist() == expected
