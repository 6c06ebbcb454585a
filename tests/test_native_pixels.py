"""What becomes products of matrices in plans: convolutions of single pixels, sums along axes in the middle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

RNG = np.random.default_rng(0)
Function = Callable[..., Any]


def normal(*shape: int, dtype: str = "float64") -> Any:
    return tf.constant(RNG.normal(size=shape).astype(dtype))


def agree(f: Function, *xs: Any) -> list[str]:
    """The kinds of steps that compute the same as NumPy."""
    found = [tf.nest.flatten(tf.function(f, jit_compile=c)(*xs)) for c in (False, True)]
    for a, b in zip(*found, strict=True):
        single = a.dtype == tf.float32
        np.testing.assert_allclose(
            a, b, rtol=2e-4 if single else 1e-10, atol=1e-4 if single else 1e-10
        )
    return [step["kind"] for step in tf.function(f, jit_compile=True).plan(*xs).steps]


def derivatives(f: Function) -> Function:
    """The value, the gradients, and the gradients of a function of these."""

    def both(*xs: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(xs)
            with tf.GradientTape() as tape:
                tape.watch(xs)
                y = f(*xs)
                total = tf.reduce_mean(tf.sin(y / (1.0 + tf.norm(y))))
            gs = tape.gradient(total, xs)
            again = tf.add_n([tf.reduce_sum(g * g * g) for g in gs])
        return y, gs, outer.gradient(again, xs)

    return both


CASES = [
    (tf.nn.conv2d, (2, 5, 6, 3), (1, 1, 3, 4), 1, "SAME"),
    (tf.nn.conv2d, (2, 5, 6, 3), (1, 1, 3, 4), 1, "VALID"),
    (tf.nn.conv2d, (1, 5, 6, 2), (1, 1, 2, 1), 2, "VALID"),
    (tf.nn.conv2d, (2, 7, 6, 3), (1, 1, 3, 4), (2, 3), "SAME"),
    (tf.nn.conv2d, (2, 1, 1, 9), (1, 1, 9, 2), 1, "SAME"),
    (tf.nn.conv3d, (2, 3, 4, 5, 3), (1, 1, 1, 3, 2), [1] * 5, "SAME"),
    (tf.nn.conv3d, (2, 3, 4, 5, 3), (1, 1, 1, 3, 2), [1, 2, 1, 3, 1], "VALID"),
]


@pytest.mark.parametrize(("convolve", "image", "kernel", "strides", "padding"), CASES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_single_pixels(
    convolve: Function, image: Any, kernel: Any, strides: Any, padding: str, dtype: str
) -> None:
    x, w = normal(*image, dtype=dtype), normal(*kernel, dtype=dtype)
    kinds = agree(derivatives(lambda x, w: convolve(x, w, strides, padding)), x, w)
    assert "NumPy" not in kinds
    assert "product" in kinds


def test_what_stands_around_is_part_of_the_product() -> None:
    x, w, b = normal(4, 16, 16, 8), normal(1, 1, 8, 32), normal(32)
    kinds = agree(lambda x, w, b: tf.nn.relu6(tf.nn.conv2d(x, w, 1, "SAME") + b), x, w, b)
    assert kinds == ["product"]


@pytest.mark.parametrize(
    ("image", "kernel", "options"),
    [
        ((2, 5, 6, 4), (1, 1, 2, 4), {}),  # two groups
        ((2, 5, 6, 3), (1, 1, 3, 4), {"padding": [[0, 0], [1, 2], [0, 1], [0, 0]]}),
        ((2, 3, 5, 6), (1, 1, 3, 4), {"data_format": "NCHW"}),
        ((2, 5, 6, 3), (2, 1, 3, 4), {}),
    ],
)
def test_others(image: Any, kernel: Any, options: dict[str, Any]) -> None:
    rest = {"strides": 1, "padding": "SAME", **options}
    agree(derivatives(lambda x, w: tf.nn.conv2d(x, w, **rest)), normal(*image), normal(*kernel))


SUMS = [
    ((64, 20, 64), 1),
    ((8, 32, 7, 64), (1, 2)),
    ((8, 32, 7, 64), (0, 2)),
    ((100, 7, 100), -2),
    ((3, 1000, 5, 7), (1, 2)),
    ((30, 1, 20, 30), (1, 2)),
    ((16, 4, 16), 1),
]


@pytest.mark.parametrize(("shape", "axes"), SUMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("reduce", [tf.reduce_sum, tf.reduce_mean, tf.reduce_max])
def test_sums_in_the_middle(reduce: Function, dtype: str, shape: Any, axes: Any) -> None:
    x = normal(*shape, dtype=dtype)
    agree(derivatives(lambda x: reduce(tf.sin(x) * x, axes, keepdims=True)), x)
    if reduce is not tf.reduce_max and axes != (0, 2):
        # Of positive numbers: a sum of 5,000 that cancel has the digits of its order of adding.
        assert "NumPy" not in agree(lambda x: reduce(tf.transpose(x) * 2.0, axes), tf.abs(x))


def test_a_sum_of_infinities() -> None:
    x = np.ones([64, 20, 64])
    x[3, 4, 5], x[6, 7, 8] = np.inf, np.nan
    agree(lambda x: tf.reduce_sum(x, 1), tf.constant(x))
