"""Convolutions with fewer products: as exact as with all of them, on images of sizes that nobody chose."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.frontend.images import winograd
from wengert.engines.native.frontend.images.winograd import of_filter, pieces_of
from wengert.engines.native.kernels import winograd as kernel
from wengert.engines.native.kernels import winograd_filter_gradient as of_filters
from wengert.engines.native.runtime.processor import is_supported
from wengert.ops.arrays.window_geometry import windows
from wengert.ops.nn.conv import kernels

pytestmark = pytest.mark.skipif(not is_supported(), reason="nothing compiles here")

DRAWS = int(os.environ.get("WENGERT_DRAWS", "40"))
EXACT = np.float64
Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    tf.config.experimental.enable_tensor_float_32_execution(True)
    tf.config.set_threads(None)


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Convolutions with little to do are left to kernels, and images with few channels or tiles to these."""
    monkeypatch.setattr(kernels, "WORTH_SHARING", 1)
    monkeypatch.setattr(winograd, "CHANNELS", 16)
    monkeypatch.setattr(winograd, "TILES", 64)


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which of the two kernels were called outside of plans."""
    found: list[str] = []

    def noted(name: str, function: Function) -> Function:
        def called(*args: Any) -> Any:
            found.append(name)
            return function(*args)

        return called

    monkeypatch.setattr(kernel, "convolve", noted("convolution", kernel.convolve))
    monkeypatch.setattr(of_filters, "filter_gradient", noted("filter", of_filters.filter_gradient))
    return found


def drawn(shape: tuple[int, ...], seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def with_gradients(f: Function) -> Function:
    """A result, and what cotangents of all its elements give to the arguments."""

    def both(*xs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = f(*xs)
            places = tf.reshape(tf.cast(tf.range(tf.size(y)), y.dtype), tf.shape(y))
            total = tf.reduce_sum(y * tf.cos(places))
        return [y, *tape.gradient(total, xs)]

    return both


def convolution(padding: Any) -> Function:
    return lambda x, w: tf.nn.conv2d(x, w, 1, padding)


def off(found: Any, exact: Any) -> float:
    assert np.shape(found) == np.shape(exact)
    assert found.dtype == tf.float32
    return float(np.max(np.abs(found.numpy() - exact.numpy()), initial=0))


def assert_near(found: Any, direct: Any, exact: Any) -> None:
    """As near to the exact results as the direct convolution, or nearly so."""
    for y, other, right in zip(found, direct, exact, strict=True):
        scale = float(np.max(np.abs(right.numpy()), initial=0))
        assert off(y, right) <= 3 * off(other, right) + 5e-7 * scale


def directly(f: Function, *xs: Any) -> Any:
    """What a function gives with all products."""
    tf.config.experimental.enable_tensor_float_32_execution(False)
    try:
        return f(*xs)
    finally:
        tf.config.experimental.enable_tensor_float_32_execution(True)


def assert_all_ways(f: Function, *xs: Any) -> None:
    both = with_gradients(f)
    exact = both(*[tf.constant(x.astype(EXACT)) for x in xs])
    given = [tf.constant(x) for x in xs]
    direct = directly(both, *given)
    assert_near(both(*given), direct, exact)
    assert_near(tf.function(both, jit_compile=True)(*given), direct, exact)
    unknown = [tf.TensorSpec([None] * x.ndim if x.ndim == 4 and k == 0 else x.shape, x.dtype)
               for k, x in enumerate(given)]  # fmt: skip
    assert_near(tf.function(both, unknown, jit_compile=True)(*given), direct, exact)


# ---- the formula ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", winograd.FILTERS)
def test_the_formula_holds_for_all_numbers(length: int) -> None:
    """In whole numbers, where nothing is rounded: four windows of a tile from so many products."""
    rng = np.random.default_rng(length)
    pieces = pieces_of(length)
    seen = rng.integers(-9, 9, [length + 1, length + 1]).astype(EXACT)
    w = rng.integers(-9, 9, [length, length]).astype(EXACT)
    image = np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
    back = np.array([[1, 1, 1, 0], [0, 1, -1, -1]])
    products = np.zeros([4, 4])
    factors = iter(of_filter(length) @ w.ravel())
    count = 0
    for i in range(4):
        for j in range(4):
            for p in range(pieces - 1 if i == 3 else 0, pieces):
                for q in range(pieces - 1 if j == 3 else 0, pieces):
                    tile = seen[2 * p : 2 * p + 4, 2 * q : 2 * q + 4]
                    products[i, j] += (image @ tile @ image.T)[i, j] * next(factors)
                    count += 1
    want = [[(seen[a : a + length, b : b + length] * w).sum() for b in range(2)] for a in range(2)]
    np.testing.assert_array_equal(back @ products @ back.T / winograd.TIMES, want)
    assert count == len(of_filter(length)) == {3: 16, 5: 49}[length]


# ---- numbers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", winograd.FILTERS)
@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [0, 3], [4, 1], [0, 0]]], ids=str)
def test_images_of_any_sizes(size: int, padding: Any, used: list[str]) -> None:
    f = convolution(padding)
    for n, high, wide, channels, made in [
        (2, 20, 22, 16, 32), (3, 21, 19, 32, 64), (1, 33, 40, 20, 32), (9, 15, 16, 64, 32)
    ]:  # fmt: skip
        used.clear()
        assert_all_ways(f, drawn((n, high, wide, channels)), drawn((size, size, channels, made), 1))
        assert {"convolution", "filter"} == set(used)


def test_drawn_at_random() -> None:
    """Sizes, paddings and filters; what follows is part of the same step in plans."""
    draw = random.Random(5)
    for _ in range(DRAWS):
        size = draw.choice(winograd.FILTERS)
        channels, made = draw.choice([16, 17, 24, 36, 48]), draw.choice([16, 32, 48, 20])
        around = [[0, 0], *[[draw.randrange(6), draw.randrange(6)] for _ in range(2)], [0, 0]]
        padding = draw.choice(["SAME", "VALID", around])
        shape = draw.randrange(1, 4), draw.randrange(12, 50), draw.randrange(12, 50), channels

        def layer(x: Any, w: Any, b: Any, p: Any = padding) -> Any:
            return tf.tanh(tf.nn.conv2d(x, w, 1, p) * 0.05 + b)

        w = drawn((size, size, channels, made), 1)
        assert_all_ways(layer, drawn(shape), w, drawn((made,), 2))


def test_whole_numbers_are_exact() -> None:
    """Factors are halves and quarters of sums: nothing is rounded while results are small."""
    rng = np.random.default_rng(3)
    for size in winograd.FILTERS:
        x = rng.integers(-8, 8, (2, 24, 25, 32)).astype(np.float32)
        w = rng.integers(-8, 8, (size, size, 32, 32)).astype(np.float32)
        found = tf.nn.conv2d(x, w, 1, "SAME").numpy()
        exact = tf.nn.conv2d(x.astype(EXACT), w.astype(EXACT), 1, "SAME").numpy()
        np.testing.assert_array_equal(found, exact)


def test_derivatives_of_higher_orders() -> None:
    """The gradient of a gradient, and a forward derivative of it, are such convolutions again."""
    x, w, v = drawn((2, 20, 20, 16)), drawn((3, 3, 16, 32), 1), drawn((3, 3, 16, 32), 2)

    def curvature(x: Any, w: Any, v: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(w, v) as forward, tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.reduce_sum(tf.nn.conv2d(x, w, 1, "SAME") ** 3) * 1e-3
            g = tape.gradient(y, w)
        return [g, forward.jvp(g)]

    exact = curvature(*[tf.constant(a.astype(EXACT)) for a in (x, w, v)])
    given = [tf.constant(a) for a in (x, w, v)]
    direct = directly(curvature, *given)
    for f in (curvature, tf.function(curvature, jit_compile=True)):
        assert_near(f(*given), direct, exact)


# ---- numbers that are not finite ------------------------------------------------------------------------


def test_the_smallest_filters_keep_their_digits() -> None:
    """Halves of subnormal numbers would be nothing: factors are whole multiples."""
    x, w = drawn((2, 20, 20, 16)) * np.float32(1e30), drawn((3, 3, 16, 32), 1) * np.float32(1e-42)
    found = tf.nn.conv2d(x, w, 1, "SAME").numpy()
    exact = tf.nn.conv2d(x.astype(EXACT), w.astype(EXACT), 1, "SAME").numpy()
    assert np.max(np.abs(found - exact)) <= 2e-6 * np.max(np.abs(exact))


def test_sums_that_overflow_on_the_way_overflow_here() -> None:
    x, w = np.zeros((2, 20, 20, 16), np.float32), np.zeros((3, 3, 16, 32), np.float32)
    x[0, 7, 8, :4] = 3e38, 3e38, -3e38, -3e38
    w[1, 1] = 1.0
    direct = directly(convolution("SAME"), x, w).numpy()
    assert np.isinf(direct).sum() == 32
    np.testing.assert_array_equal(tf.nn.conv2d(x, w, 1, "SAME"), direct)


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan, 3e38])
@pytest.mark.parametrize("place", [(0, 0, 0, 0), (1, 11, 12, 5), (1, 20, 21, 15)])
def test_what_is_not_finite_stays_where_it_was(special: float, place: Any) -> None:
    """Factors mix neighbours: one such number must not reach windows that do not see it."""
    x, w = drawn((2, 21, 22, 16)), drawn((3, 3, 16, 32), 1)
    x[place] = special
    both = with_gradients(convolution("SAME"))
    ways: list[Function] = [both, tf.function(both, jit_compile=True)]
    found = [f(tf.constant(x), tf.constant(w)) for f in ways]
    direct = directly(both, tf.constant(x), tf.constant(w))
    for several in found:
        for y, want in zip(several, direct, strict=True):
            a, b = y.numpy(), want.numpy()
            np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
            np.testing.assert_array_equal(np.where(np.isinf(a), a, 0), np.where(np.isinf(b), b, 0))
            rest = np.isfinite(b) & (np.abs(b) < 1e30)
            np.testing.assert_allclose(a[rest], b[rest], rtol=2e-4, atol=2e-4)


def test_other_parts_of_the_images_are_not_concerned() -> None:
    """Only the part with such a number is convolved directly, to the same bits as without the other way."""
    x, w = drawn((4, 40, 40, 16)), drawn((3, 3, 16, 32), 1)
    usual = tf.nn.conv2d(x, w, 1, "SAME").numpy()
    x[2, 3, 3, 3] = np.nan
    found = tf.nn.conv2d(x, w, 1, "SAME").numpy()
    np.testing.assert_array_equal(found[[0, 1, 3]], usual[[0, 1, 3]])
    direct = directly(convolution("SAME"), x, w).numpy()
    assert np.isnan(direct).sum() == 9 * 32
    np.testing.assert_array_equal(found[2, :6], direct[2, :6])


# ---- when ------------------------------------------------------------------------------------------------


def test_others_are_convolved_directly(used: list[str]) -> None:
    """Strides, dilations, other filters, few channels, few windows, and numbers of eight bytes."""
    x = drawn((2, 24, 24, 16))
    for given, size, (strides, rate) in [
        (x, (3, 3, 16, 32), (2, 1)), (x, (3, 3, 16, 32), (1, 2)), (x, (1, 1, 16, 32), (1, 1)),
        (x, (3, 5, 16, 32), (1, 1)), (x, (7, 7, 16, 32), (1, 1)), (x, (2, 2, 16, 32), (1, 1)),
        (x[..., :8], (3, 3, 8, 32), (1, 1)), (x, (3, 3, 16, 8), (1, 1)),
        (x[:, :5, :5], (3, 3, 16, 32), (1, 1)), (x.astype(EXACT), (3, 3, 16, 32), (1, 1)),
    ]:  # fmt: skip
        w = drawn(size).astype(given.dtype)
        both = with_gradients(
            lambda x, w, s=strides, r=rate: tf.nn.conv2d(x, w, s, "SAME", dilations=r)
        )
        both(tf.constant(given), tf.constant(w))
    assert used == []


def test_few_channels_and_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """What costs more than it saves is convolved directly."""
    monkeypatch.undo()
    for n, size, channels, made, is_worth in [
        (2, 24, 32, 32, True), (1, 30, 32, 64, False), (3, 24, 16, 64, False), (3, 24, 64, 16, False), (32, 6, 32, 32, True),
    ]:  # fmt: skip
        at = windows((size, size), (3, 3), (1, 1), (1, 1), "SAME", (), "Conv2D")
        found = winograd.winograd_form("f4", (n, size, size, channels), made, at)
        assert (found is not None) is is_worth
        assert (
            winograd.gradient_form("f4", (n, size, size, channels), made, at) is not None
        ) is is_worth


def test_tensorflows_switch_turns_it_off(used: list[str]) -> None:
    """Eagerly at once; functions keep how they were compiled, and a new one is compiled otherwise."""
    x, w = drawn((2, 24, 24, 32)), drawn((3, 3, 32, 32), 1)
    f = tf.function(convolution("SAME"), jit_compile=True)
    fewer = f(x, w).numpy()
    tf.config.experimental.enable_tensor_float_32_execution(False)
    assert not tf.config.experimental.tensor_float_32_execution_enabled()
    direct = tf.nn.conv2d(x, w, 1, "SAME").numpy()
    assert used == []
    g = tf.function(convolution("SAME"), jit_compile=True)
    np.testing.assert_array_equal(g(x, w), direct)
    assert (fewer != direct).any()
    np.testing.assert_array_equal(f(x, w), fewer)


def test_threads_do_not_matter() -> None:
    x, w = tf.constant(drawn((3, 31, 33, 32))), tf.constant(drawn((5, 5, 32, 64), 1))
    both = with_gradients(convolution("SAME"))
    for f in (both, lambda *xs: tf.function(both, jit_compile=True)(*xs)):
        found = []
        for count in (1, 2):
            tf.config.set_threads(count)
            found.append([y.numpy() for y in f(x, w)])
        for several in found[1:]:
            for y, want in zip(several, found[0], strict=True):
                np.testing.assert_array_equal(y, want)
