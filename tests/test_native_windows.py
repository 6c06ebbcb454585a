"""Convolutions and pooling of small images in compiled functions: NumPy's numbers, to second order, in loops.

Large images have kernels of their own, which the tests of operations compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_native_loops import agree, orders

import wengert as tf

Function = Callable[..., Any]
RNG = np.random.default_rng(29)
IMAGES = tf.constant(RNG.normal(size=(2, 7, 6, 4)))
LINES = tf.constant(RNG.normal(size=(2, 7, 24)))
FILTERS = {
    shape: tf.constant(RNG.normal(size=shape) / 4.0)
    for shape in (
        (3, 3, 4, 5),
        (3, 2, 1, 3),
        (3, 3, 4, 1),
        (2, 3, 4, 2),
        (3, 2, 12, 3),
        (3, 4, 2),
        (2, 2, 2, 2, 3),
    )
}

WINDOWS: dict[str, Function] = {
    "convolution": lambda x: tf.nn.conv2d(x, FILTERS[3, 3, 4, 5], 1, "SAME"),
    "strides": lambda x: tf.nn.conv2d(x, FILTERS[3, 3, 4, 5], 2, "VALID"),
    "rates": lambda x: tf.nn.conv2d(x, FILTERS[3, 3, 4, 5], 1, "SAME", dilations=2),
    "one channel": lambda x: tf.nn.conv2d(x[..., :1], FILTERS[3, 2, 1, 3], [1, 2], "SAME"),
    "a wide frame": lambda x: tf.nn.conv2d(
        x, FILTERS[3, 3, 4, 5], 2, [[0, 0], [4, 1], [0, 6], [0, 0]]
    ),
    "its transpose": lambda x: tf.nn.conv2d_transpose(
        x, tf.transpose(FILTERS[2, 3, 4, 2], (0, 1, 3, 2)), (2, 14, 12, 2), 2, "SAME"
    ),
    "a line": lambda x: tf.nn.conv1d(x[:, :, 0], FILTERS[3, 4, 2], 1, "SAME"),
    "a volume": lambda x: tf.nn.conv3d(
        tf.reshape(x, (2, 7, 6, 2, 2)), FILTERS[2, 2, 2, 2, 3], [1, 1, 2, 1, 1], "SAME"
    ),
    "each channel": lambda x: tf.nn.depthwise_conv2d(x, FILTERS[3, 3, 4, 1], [1] * 4, "SAME"),
    "several of each": lambda x: tf.nn.depthwise_conv2d(
        x, FILTERS[2, 3, 4, 2], [1, 2, 2, 1], "VALID"
    ),
    "several of many": lambda x: tf.nn.depthwise_conv2d(
        tf.concat([x, x * x, 1.0 - x], 3), FILTERS[3, 2, 12, 3], [1] * 4, "SAME"
    ),
    "maxima": lambda x: tf.nn.max_pool2d(x, 3, 2, "SAME"),
    "maxima that meet": lambda x: tf.nn.max_pool2d(tf.round(x), 3, 1, "VALID"),
    "maxima of a volume": lambda x: tf.nn.max_pool3d(x[..., None], (2, 1, 2), 2, "SAME"),
    "means": lambda x: tf.nn.avg_pool2d(x, 3, 2, "SAME"),
    "means of parts": lambda x: tf.nn.avg_pool2d(x, (2, 3), (2, 3), "VALID"),
    "means of a volume": lambda x: tf.nn.avg_pool3d(x[..., None], (2, 2, 2), 1, "SAME"),
}  # fmt: skip


def steps(f: Function) -> Function:
    """A loop in which everything depends on everything before."""

    def step(_: Any, x: Any) -> Any:
        return tf.tanh(x + tf.reduce_mean(tf.sin(3.0 * f(x))))

    return lambda x: tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, step(i, x)), (0, x))[1]


@pytest.mark.parametrize("f", WINDOWS.values(), ids=list(WINDOWS))
def test_every_order_is_compiled(f: Function) -> None:
    for g in orders(f):
        assert "NumPy" not in agree(g, IMAGES)


@pytest.mark.parametrize("f", WINDOWS.values(), ids=list(WINDOWS))
def test_loops_stay_whole(f: Function) -> None:
    for g in orders(steps(f)):
        assert "NumPy" not in agree(g, IMAGES)


@pytest.mark.parametrize("seed", range(30))
def test_drawn_windows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = tuple(int(n) for n in rng.integers(1, 9, 2))
    kernel = tuple(int(n) for n in rng.integers(1, 5, 2))
    strides = tuple(int(n) for n in rng.integers(1, 4, 2))
    rate = int(rng.integers(1, 3)) if strides == (1, 1) else 1
    reach = [(k - 1) * rate + 1 for k in kernel]
    fits = all(n >= r for n, r in zip(size, reach, strict=True))
    padding = str(rng.choice(["SAME", "VALID"])) if fits else "SAME"
    channels, made = (int(n) for n in rng.integers(1, 4, 2))
    x = tf.constant(rng.normal(size=(2, *size, channels)))
    w = tf.constant(rng.normal(size=(*kernel, channels, made)))
    forms: list[Function] = [
        lambda x, w: tf.nn.conv2d(x, w, strides, padding, dilations=rate),
        lambda x, w: tf.nn.max_pool2d(x, kernel, strides, padding),
        lambda x, w: tf.nn.avg_pool2d(x, kernel, strides, padding),
    ]
    if strides[0] == strides[1]:
        forms.append(
            lambda x, w: tf.nn.depthwise_conv2d(
                x, w, (1, *strides, 1), padding, dilations=(rate, rate)
            )
        )
    for form in forms:

        def f(x: Any, w: Any, form: Function = form) -> Any:
            y = tf.while_loop(
                lambda i, s, x: i < 3,
                lambda i, s, x: (i + 1, s + tf.reduce_sum(tf.sin(form(x, w))), x * 0.9),
                (0, tf.zeros((), x.dtype), x),
            )
            return y[1], y[2]

        def gradient(x: Any, w: Any, f: Function = f) -> Any:
            with tf.GradientTape() as tape:
                tape.watch([x, w])
                y = f(x, w)[0]
            return tape.gradient(y, [x, w], unconnected_gradients="zero")

        assert "NumPy" not in agree(f, x, w)
        assert "NumPy" not in agree(gradient, x, w)


@pytest.mark.parametrize("value", [-np.inf, np.nan, np.inf])
def test_what_is_no_number(value: float) -> None:
    """The padding is never the maximum, and a window without numbers has its cotangent, too."""
    x = np.array(IMAGES)
    x[0, :2, :3] = value
    x[1, 3, 3, 1] = value

    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(
                lambda i, s: i < 2,
                lambda i, s: (i + 1, s + tf.nn.max_pool2d(x, 3, 2, "SAME")),
                (0, tf.zeros((2, 4, 3, 4), x.dtype)),
            )[1]
        return y, tape.gradient(y, x)

    assert "NumPy" not in agree(f, tf.constant(x))


@pytest.mark.parametrize("channels", [1, 3, 8])
def test_large_images_give_the_same(channels: int) -> None:
    """Beyond the sizes that are compiled the kernels go on; both sides of the border agree."""
    for size in (8, 40, 120):
        x = tf.constant(RNG.normal(size=(4, size, size, channels)))
        w = tf.constant(RNG.normal(size=(3, 3, channels, 16)) / 9.0)

        def f(x: Any, w: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch([x, w])
                y = tf.nn.max_pool2d(tf.tanh(tf.nn.conv2d(x, w, 2, "SAME")), 2, 2, "SAME")
            return tape.gradient(y, [x, w])

        agree(f, x, w)
