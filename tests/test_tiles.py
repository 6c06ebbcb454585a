"""What kernels for large images compute in plans, and the loops that are run on each of their tiles."""

from __future__ import annotations

import functools
import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.frontend.images import convolution_rules, window_rules
from wengert.engines.native.program.program import RunnableProgram
from wengert.engines.native.runtime.processor import is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="nothing compiles here")

DRAWS = int(os.environ.get("WENGERT_DRAWS", "60"))
Program = Callable[..., Any]


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Images of any size are left to the kernels."""
    for module in (convolution_rules, window_rules):
        monkeypatch.setattr(module, "LARGE", 0)


def drawn(shape: tuple[int, ...], kind: str = "f4", seed: int = 0) -> Any:
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(kind))


def with_gradients(program: Program) -> Program:
    """The results of a program, and the gradients of a sum of them that tells them apart."""

    @functools.wraps(program)
    def both(*xs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = tf.nest.flatten(program(*xs))
            total = tf.add_n([tf.reduce_sum(tf.sin(y) + y * y / 9) for y in ys])
        return [*ys, *tape.gradient(total, xs, unconnected_gradients="zero")]

    return both


def agree(program: Program, *xs: Any) -> list[dict[str, Any]]:
    """Compiled it is as near to the exact results as NumPy's are; the steps of the plan."""
    usual = tf.function(program, jit_compile=False)
    tf.config.set_engine("numpy")
    try:
        by_numpy, exact = usual(*xs), usual(*[tf.cast(x, tf.float64) for x in xs])
    finally:
        tf.config.set_engine(None)
    f = tf.function(program, jit_compile=True)
    for _ in range(2):
        for found, y, right in zip(f(*xs), by_numpy, exact, strict=True):
            assert found.dtype == y.dtype
            off = [float(np.max(np.abs(z.numpy() - right.numpy()), initial=0)) for z in (found, y)]
            scale = float(np.max(np.abs(right), initial=1e-3))
            most = 4 * off[1] + 1e-6 * scale if xs[0].dtype == tf.float32 else 1e-12 * (1 + scale)
            assert off[0] <= most, off
    return list(f.plan(*xs).steps)


def tiles_in(steps: list[dict[str, Any]]) -> list[list[str]]:
    """The operations of which each step in tiles is made."""
    kinds = [s["made of"] for s in steps if s["kind"] == "tiles"]
    return [[origin.split(" at ")[0] for origin in made] for made in kinds]


def test_what_follows_a_convolution_is_part_of_it() -> None:
    def layer(x: Any, w: Any, b: Any, more: Any) -> Any:
        return [tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME") + b) * 2.0 + more]

    steps = agree(
        layer, drawn((3, 9, 10, 8)), drawn((3, 3, 8, 16)), drawn((16,)), drawn((3, 9, 10, 16))
    )
    assert tiles_in(steps) == [["Conv2D", "AddV2", "Relu", "Mul"]]
    assert len(steps) == 1


def test_what_is_read_besides_is_stored() -> None:
    def layer(x: Any, w: Any) -> Any:
        y = tf.nn.conv2d(x, w, 1, "SAME")
        return [y, tf.tanh(y), tf.reduce_sum(y, [0, 1, 2])]

    steps = agree(layer, drawn((3, 9, 10, 8)), drawn((3, 3, 8, 16)))
    assert tiles_in(steps) == [["Conv2D", "Tanh", "Sum"]]


def test_long_code_on_few_channels_is_a_loop_of_its_own() -> None:
    """A vector would be half empty; short code is done with the tile all the same."""
    x, w = drawn((3, 9, 10, 8)), drawn((3, 3, 8, 4))
    steps = agree(lambda x, w: [tf.tanh(tf.nn.conv2d(x, w, 1, "SAME"))], x, w)
    assert tiles_in(steps) == [["Conv2D"]]
    steps = agree(lambda x, w: [tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME"))], x, w)
    assert tiles_in(steps) == [["Conv2D", "Relu"]]


def test_another_dtype_afterwards() -> None:
    """What the tile becomes cannot be written over it."""

    def layer(x: Any, w: Any) -> Any:
        return [tf.cast(tf.nn.conv2d(x, w, 1, "VALID") > 0.5, tf.float64)]

    steps = agree(layer, drawn((3, 9, 10, 8)), drawn((3, 3, 8, 32)))
    assert tiles_in(steps) == [["Conv2D", "Greater", "Cast"]]


def test_the_gradient_of_a_pool_and_of_what_is_ahead_of_it() -> None:
    def layer(x: Any, b: Any) -> Any:
        return [tf.nn.max_pool2d(tf.nn.relu(x + b), 3, 2, "SAME")]

    for channels in (16, 64, 80):
        x, b = drawn((3, 11, 12, channels)), drawn((channels,))
        steps = agree(with_gradients(layer), x, b)
        assert ["MaxPoolGrad", "ReluGrad", "Sum"] in tiles_in(steps)


def test_each_channel_by_itself_and_its_moments() -> None:
    def layer(x: Any, w: Any, scale: Any) -> Any:
        y = tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")
        mean, variance = tf.nn.moments(y, [0, 1, 2])
        return [tf.nn.relu6((y - mean) * tf.math.rsqrt(variance + 0.1) * scale)]

    steps = agree(with_gradients(layer), drawn((3, 9, 10, 32)), drawn((3, 3, 32, 1)), drawn((32,)))
    made = tiles_in(steps)
    assert ["DepthwiseConv2dNative", "Mean"] in made
    assert ["DepthwiseConv2dNativeBackpropInput"] in made


def convolution(x: Any, w: Any, b: Any) -> Any:
    return [tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME") + b)]


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_sums_do_not_depend_on_threads(kind: str) -> None:
    args = drawn((5, 13, 11, 16), kind), drawn((3, 3, 16, 32), kind), drawn((32,), kind)
    found = []
    for threads in (1, None):
        tf.config.set_threads(threads)
        try:
            found.append(tf.function(with_gradients(convolution), jit_compile=True)(*args))
        finally:
            tf.config.set_threads(None)
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)


def test_batches_of_any_size() -> None:
    """One machine code, also of what is run on the tiles."""
    w, b = drawn((3, 3, 8, 16)), drawn((16,))
    spec = [tf.TensorSpec([None, 9, 9, 8]), tf.TensorSpec(w.shape), tf.TensorSpec(b.shape)]
    program = with_gradients(convolution)
    f = tf.function(program, jit_compile=True, input_signature=spec)
    for n in (1, 2, 7, 3, 30):
        x = drawn((n, 9, 9, 8), seed=n)
        wanted = tf.function(program, jit_compile=False)(x, w, b)
        for found, y in zip(f(x, w, b), wanted, strict=True):
            np.testing.assert_allclose(found, y, rtol=2e-5, atol=2e-4)


def test_in_a_loop_and_in_a_branch() -> None:
    def deep(x: Any, w: Any, b: Any) -> Any:
        def layer(i: Any, x: Any) -> Any:
            y = convolution(x, w, b)[0]
            return i + 1, tf.cond(i % 2 == 0, lambda: y, lambda: convolution(y, w, b)[0] + x)

        return [tf.while_loop(lambda i, _: i < 4, layer, [0, x])[1]]

    args = drawn((2, 8, 8, 16)), drawn((3, 3, 16, 16)) / 9, drawn((16,))
    agree(deep, *args)
    agree(with_gradients(deep), *args)


def test_a_kernel_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so where its numbers end, and NumPy computes the plan."""
    usual, asked = RunnableProgram.otherwise, []

    def failed(said: Any) -> Any:
        numbers = np.frombuffer(said[2], said[0]).copy()
        numbers[-1] = 1
        return numbers

    def otherwise(self: RunnableProgram, values: Any) -> Any:
        asked.append(values)
        return usual(self, values)

    monkeypatch.setattr(RunnableProgram, "_array", lambda self, said: failed(said))
    monkeypatch.setattr(RunnableProgram, "otherwise", otherwise)
    agree(lambda x, w: [tf.nn.conv2d(x, w, 1, "SAME")], drawn((3, 9, 10, 8)), drawn((3, 3, 8, 16)))
    assert asked


# ---- drawn --------------------------------------------------------------------------------------


def drawn_program(draw: random.Random) -> tuple[Program, list[Any]]:
    """A few layers of convolutions and pools, with anything elementwise between them."""
    kind = draw.choice(["f4", "f4", "f8"])
    channels = draw.choice([1, 3, 4, 8, 16, 20])
    size = [draw.randint(1, 5), draw.randint(3, 14), draw.randint(3, 14), channels]
    xs = [drawn(tuple(size), kind, draw.randrange(99))]
    layers: list[Callable[[Any, list[Any]], Any]] = []
    for _ in range(draw.randint(1, 3)):
        layers.append(drawn_layer(draw, kind, channels, xs))
        channels = (
            int(xs[-1].shape[2] * xs[-1].shape[3]) if xs[-1].shape[3] == 1 else int(xs[-1].shape[3])
        )
        layers.append(drawn_elementwise(draw, kind, channels, xs))

    def program(*given: Any) -> Any:
        y = given[0]
        found = []
        for layer in layers:
            y = layer(y, list(given))
            found.append(y)
        return found[-1:] if len(given) % 2 else [found[-1], found[len(found) // 2]]

    return program, xs


def drawn_layer(draw: random.Random, kind: str, channels: int, xs: list[Any]) -> Any:
    if channels >= 16 and draw.random() < 0.3:
        return drawn_depthwise(draw, kind, channels, xs)
    made = draw.choice([4, 8, 16, 24, 32, 48, 64, 5])
    high, wide = draw.randint(1, 4), draw.randint(1, 4)
    w = drawn((high, wide, channels, made), kind, draw.randrange(99))
    xs.append(w / (high * wide * channels) ** 0.5)  # what comes out is as large as what goes in
    at = len(xs) - 1
    rate = draw.choice([1, 1, 1, 2])
    stride = draw.choice([1, 1, 2]) if rate == 1 else 1
    padding = draw.choice(["SAME", "SAME", [[0, 0], [1, high * rate], [2, wide * rate], [0, 0]]])
    pools = draw.random() < 0.4

    def layer(y: Any, given: list[Any]) -> Any:
        y = tf.nn.conv2d(y, given[at], stride, padding, dilations=rate)
        return tf.nn.max_pool2d(y, draw_of_pool, 2, "SAME") if pools else y

    draw_of_pool = draw.choice([2, 3])
    return layer


def drawn_depthwise(draw: random.Random, kind: str, channels: int, xs: list[Any]) -> Any:
    taps, step = draw.randint(1, 4), draw.choice([1, 1, 2])
    xs.append(drawn((taps, taps, channels, 1), kind, draw.randrange(99)) / taps)
    at = len(xs) - 1
    return lambda y, given: tf.nn.depthwise_conv2d(y, given[at], [1, step, step, 1], "SAME")


def drawn_elementwise(draw: random.Random, kind: str, channels: int, xs: list[Any]) -> Any:
    words = [draw.choice(["bias", "relu", "tanh", "square", "norm", "scale"]) for _ in range(2)]
    xs.append(drawn((channels,), kind, draw.randrange(99)))
    at = len(xs) - 1

    def layer(y: Any, given: list[Any]) -> Any:
        b = given[at]
        for word in words:
            if word == "bias":
                y = y + b
            elif word == "scale":
                y = y * (b * 0.5)
            elif word == "square":
                y = y * y * 0.1 + y
            elif word == "norm":
                mean, variance = tf.nn.moments(y, [0, 1, 2])
                y = (y - mean) * tf.math.rsqrt(variance + 0.1)
            else:
                y = getattr(tf.nn, word)(y)
        return y

    return layer


@pytest.mark.parametrize("seed", range(DRAWS))
def test_drawn_programs(seed: int) -> None:
    program, xs = drawn_program(random.Random(seed))
    agree(with_gradients(program), *xs)
