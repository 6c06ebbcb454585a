"""Formulas of optimizers as one pass over large arrays: the bits of their operations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.host.malloc import LARGE
from wengert.ops.support.large_kernels import LargeKernel
from wengert.train import one_pass
from wengert.train.one_pass import OPERATIONS

# How many tensors and numbers each takes.
FORMULAS: dict[str, tuple[int, int]] = {
    "toward": (2, 1),
    "toward_square": (2, 1),
    "over_root": (2, 2),
    "mixed": (2, 2),
    "mixed_square": (2, 2),
    "over_root_of_sum": (2, 2),
    "scaled": (1, 2),
}


def given(name: str, dtype: Any, size: int = LARGE + 5) -> list[Any]:
    random = np.random.default_rng(len(name))
    tensors, numbers = FORMULAS[name]
    drawn = [np.abs(random.normal(size=(size,))).astype(dtype.numpy_dtype) for _ in range(tensors)]
    return [tf.Variable(drawn[0]), *map(tf.constant, drawn[1:]), *random.random(numbers).tolist()]


def asked_kernels(monkeypatch: pytest.MonkeyPatch, run: Callable[[], Any]) -> list[str]:
    """The formulas that a kernel for large arrays is asked for."""
    asked: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(LargeKernel, "__call__", lambda _, row, *rest: asked.append(row.name))
        run()
    return [name for name in asked if name in FORMULAS]


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("name", FORMULAS)
def test_it_has_the_bits_of_its_operations(
    monkeypatch: pytest.MonkeyPatch, name: str, dtype: Any
) -> None:
    function = getattr(one_pass, name)
    values = given(name, dtype)
    assert asked_kernels(monkeypatch, lambda: function(*values)) == [name]
    with tf.GradientTape():  # where it is carried out operation by operation
        want = function(*values)
    got = function(*values)
    assert got.dtype == dtype
    assert np.array_equal(got.numpy(), want.numpy())
    rate = tf.constant(values[-1], dtype)
    assert np.array_equal(function(*values[:-1], rate).numpy(), want.numpy())


def test_where_it_is_carried_out_by_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    large, number = given("toward", tf.float32)[:2], 0.5
    few = given("toward", tf.float32, LARGE - 1)[:2]
    halves = given("toward", tf.float16)[:2]
    row = tf.ones([3, LARGE])
    for values in ([*few, number], [*halves, number], [row, row[0], number]):
        assert not asked_kernels(monkeypatch, partial(one_pass.toward, *values))
    with tf.autodiff.ForwardAccumulator(large[1], tf.ones_like(large[1])) as accumulator:
        assert not asked_kernels(monkeypatch, lambda: one_pass.toward(*large, number))
        moved = one_pass.toward(*large, number)
    assert np.array_equal(accumulator.jvp(moved).numpy(), np.full(LARGE + 5, 0.5, "f4"))
    assert OPERATIONS.sqrt is tf.sqrt


@pytest.mark.parametrize(
    "make",
    [
        tf.optimizers.Adam,
        lambda: tf.optimizers.Adam(amsgrad=True),
        tf.optimizers.AdamW,
        tf.optimizers.Nadam,
        tf.optimizers.Adamax,
        lambda: tf.optimizers.RMSprop(momentum=0.9, centered=True),
        tf.optimizers.Lamb,
        tf.optimizers.Adafactor,
    ],
)
def test_large_variables_change_as_small_ones_do(make: Callable[[], Any]) -> None:
    """The same numbers in many variables and, more often, in one: all of them change alike."""
    values = np.linspace(-2.0, 2.0, 8).astype("f4")
    many = tf.Variable(np.tile(values, LARGE // 4))
    few = tf.Variable(np.tile(values, 4))
    optimizer, other = make(), make()
    for step in range(4):
        for v, o in ((many, optimizer), (few, other)):
            o.apply_gradients([(tf.sin(v * (step + 1.0)), v)])
    np.testing.assert_allclose(many[:32].numpy(), few.numpy(), rtol=1e-5, atol=1e-7)
