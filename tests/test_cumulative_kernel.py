"""Cumulative sums and products of large arrays in machine code: NumPy's bits, along any axis."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.kernels import cumulative
from wengert.engines.native.runtime.processor import is_supported
from wengert.ops.reductions.cumulative import ENOUGH
from wengert.ops.support.large_kernels import LargeKernel

pytestmark = pytest.mark.skipif(not is_supported(), reason="nothing compiles here")

KINDS = ["f4", "f8", "i4", "i8", "u1", "i2"]
SUMS = {"sum": (np.add, 0), "prod": (np.multiply, 1)}
WAYS = [(e, r) for e in (False, True) for r in (False, True)]


@pytest.fixture(autouse=True)
def native_again() -> Iterator[None]:
    yield
    tf.config.set_engine(None)
    tf.config.set_threads(None)


def by_numpy(how: str, x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    """The same, one element along the axis after the other."""
    step, neutral = SUMS[how]
    given = np.moveaxis(x, axis, 0)
    given = given[::-1] if reverse else given
    made = np.empty_like(given)
    with np.errstate(all="ignore"):
        for i in range(len(given)):
            made[i] = step(made[i - 1], given[i]) if i else given[0]
    if exclusive and len(made):
        made[1:] = made[:-1].copy()
        made[0] = neutral
    made = made[::-1] if reverse else made
    return np.ascontiguousarray(np.moveaxis(made, 0, axis))


def drawn(rng: Any, shape: Any, kind: str) -> Any:
    """Numbers whose sums depend on their order, some of them zeros with either sign."""
    if kind[0] != "f":
        return rng.integers(-100, 100, shape).astype(kind)
    x = rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4, shape)
    return np.where(rng.random(shape) < 0.1, rng.choice([0.0, -0.0], shape), x).astype(kind)


def same(found: Any, want: Any) -> None:
    """To the bit, but for those of a NaN."""
    assert (found.shape, found.dtype) == (want.shape, want.dtype)
    if found.dtype.kind == "f":
        nan = np.isnan(want)
        np.testing.assert_array_equal(np.isnan(found), nan)
        found, want = (np.where(nan, 0, y).astype(y.dtype) for y in (found, want))
    assert found.tobytes() == want.tobytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_any_sizes(seed: int, kind: str) -> None:
    """Rows longer and shorter than a vector, one or none; few rows and many."""
    rng = np.random.default_rng(seed)
    taken = 0
    for _ in range(12):
        shape = [int(n) for n in rng.choice([0, 1, 2, 3, 5, 8, 13, 33, 70], rng.integers(1, 4))]
        x = drawn(rng, shape, kind)
        for axis in range(len(shape)):
            for how in SUMS:
                for exclusive, reverse in WAYS:
                    found = cumulative.accumulate(how, x, axis, exclusive, reverse)
                    if found is not None:
                        taken += 1
                        same(found, by_numpy(how, x, axis, exclusive, reverse))
    assert taken > 50


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("inner", [1, 2, 7, 40])
def test_infinities_and_nan(inner: int, kind: str) -> None:
    rng = np.random.default_rng(inner)
    x = drawn(rng, (9, 50, inner), kind)
    x[rng.random(x.shape) < 0.01] = np.inf
    x[rng.random(x.shape) < 0.01] = -np.inf
    x[rng.random(x.shape) < 0.003] = np.nan
    x[0, :2] = -0.0  # the sum of zeros with a sign has it
    for exclusive, reverse in WAYS:
        for how in SUMS:
            found = cumulative.accumulate(how, x, 1, exclusive, reverse)
            same(found, by_numpy(how, x, 1, exclusive, reverse))


SHAPES = [((1000, 50), 0), ((1000, 50), 1), ((70_001,), 0), ((3, 400, 61), 1), ((1999, 37), 1)]


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_threads_change_no_bit(shape: Any, axis: int, monkeypatch: Any) -> None:
    """Also where the last rows or columns of a part are those of another one, too."""
    monkeypatch.setattr("wengert.host.threads.available", lambda: 3)
    x = drawn(np.random.default_rng(1), (2, *shape), "f4")
    assert x.size >= cumulative.FLAT or shape == (1000, 50)
    for exclusive, reverse in WAYS:
        want = by_numpy("sum", x, axis + 1, exclusive, reverse)
        for count in (1, 2, 3):
            tf.config.set_threads(count)
            same(tf.cumsum(x, axis + 1, exclusive, reverse).numpy(), want)


def answered(run: Any, monkeypatch: Any) -> list[bool]:
    """For each time that a kernel of machine code is asked, whether it computes."""
    found = []
    real = LargeKernel.__call__

    def noted(kernel: Any, *arguments: Any) -> Any:
        result = real(kernel, *arguments)
        found.append(result is not None)
        return result

    with monkeypatch.context() as patch:
        patch.setattr(LargeKernel, "__call__", noted)
        run()
    return found


def test_large_arrays_are_taken(monkeypatch: Any) -> None:
    """Small ones ask nobody; half precision and one row of integers are NumPy's."""
    x = np.ones((2, ENOUGH), np.float32)
    assert answered(lambda: tf.cumsum(x, 1), monkeypatch) == [True]
    assert answered(lambda: tf.math.cumprod(x, 0, reverse=True), monkeypatch) == [True]
    assert answered(lambda: tf.cumsum(x.astype(np.float16), 1), monkeypatch)[0] is False
    assert answered(lambda: tf.cumsum(x[0].astype(np.int32)), monkeypatch) == [False]
    assert answered(lambda: tf.cumsum(x[0].astype(np.int32), reverse=True), monkeypatch) == [True]
    assert answered(lambda: tf.cumsum(x[0, :-1]), monkeypatch) == []
    tf.config.set_engine("numpy")
    assert answered(lambda: tf.cumsum(x, 1), monkeypatch) == [False]


LYING = {
    "turned": lambda x: np.ascontiguousarray(x.T).T,
    "backwards": lambda x: x[::-1, ::-1],
    "every other": lambda x: np.repeat(x, 2, 1)[:, ::2],
    "repeated": lambda x: np.broadcast_to(x[:, :1], x.shape),
}


@pytest.mark.parametrize("way", LYING)
def test_arrays_that_lie_in_any_way(way: str) -> None:
    x = LYING[way](drawn(np.random.default_rng(2), (101, 37), "f4"))
    assert not x.flags.c_contiguous
    before = x.tobytes()
    for axis in (0, 1):
        for exclusive, reverse in WAYS:
            found = tf.cumsum(x, axis, exclusive, reverse).numpy()
            same(found, by_numpy("sum", x, axis, exclusive, reverse))
    assert x.tobytes() == before


@pytest.mark.parametrize("function", [tf.cumsum, tf.math.cumprod])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("exclusive", "reverse"), WAYS)
def test_derivatives_of_second_order(
    function: Any, axis: int, exclusive: bool, reverse: bool
) -> None:
    """Those of the row's own kernel, to a few digits, as other operations add in another order."""
    rng = np.random.default_rng(3)
    value = 1 + 0.1 * rng.normal(size=(60, 51))
    assert math.prod(value.shape) >= ENOUGH

    def both() -> list[Any]:
        x = tf.constant(value)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x, axis, exclusive, reverse)
                total = tf.reduce_sum(tf.sin(y) * np.cos(np.arange(51.0)))
            slope = inner.gradient(total, x)
            again = tf.reduce_sum(slope * slope)
        return [slope.numpy(), outer.gradient(again, x).numpy()]

    found = both()
    tf.config.set_engine("numpy")
    for a, b in zip(found, both(), strict=True):
        assert np.abs(b).max() > 0.1
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * np.abs(b).max())


def test_a_gradient_is_right() -> None:
    """Against the sums written out: that of x[i] is the sum of the cotangents from i on."""
    g = drawn(np.random.default_rng(4), (90, 50), "f8")
    x = tf.constant(np.ones_like(g))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cumsum(x, 0)
    found = tape.gradient(y, x, output_gradients=tf.constant(g)).numpy()
    np.testing.assert_allclose(found, np.tril(np.ones((90, 90))).T @ g, rtol=1e-9, atol=1e-7)
