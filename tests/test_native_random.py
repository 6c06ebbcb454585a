"""Random numbers of compiled functions: those of NumPy's engine, call by call, at every size."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

Function = Callable[..., Any]


def agree(
    f: Function, calls: list[tuple[Any, ...]], signature: list[tf.TensorSpec] | None = None
) -> set[str]:
    """The kinds of steps, after all calls gave the same as NumPy's engine, from the seed on."""
    found, kinds = [], set()
    for compiled in (False, True):
        tf.random.set_seed(3)
        g = tf.function(f, jit_compile=compiled, input_signature=signature)
        found.append([tf.nest.flatten(g(*xs)) for xs in calls])
    for xs in calls:
        kinds |= {step["kind"] for step in g.plan(*xs).steps}
    for one, other in zip(*found, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)
    return kinds


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (1000,), (300, 301)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("draw", [tf.random.uniform, tf.random.normal])
def test_draws(draw: Function, dtype: str, shape: tuple[int, ...]) -> None:
    kinds = agree(lambda x: x * draw(shape, dtype=dtype), [(tf.constant(2.0, dtype),)] * 3)
    assert "stream" in kinds
    assert "NumPy" not in kinds


def test_uniform_numbers_are_the_same_bits() -> None:
    found = []
    for compiled in (False, True):
        tf.random.set_seed(1)
        found.append(tf.function(lambda: tf.random.uniform([1001]), jit_compile=compiled)().numpy())
    np.testing.assert_array_equal(*found)


def dropped(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.nn.dropout(tf.sin(x), 0.4) ** 2)
    return y, tape.gradient(y, x)


def rows(*counts: int) -> list[tuple[Any, ...]]:
    return [(tf.reshape(tf.range(n * 3.0), [n, 3]),) for n in counts]


def test_dropout() -> None:
    kinds = agree(dropped, rows(5, 5))
    assert "stream" in kinds
    assert "NumPy" not in kinds


UNKNOWN = [tf.TensorSpec([None, 3])]


def test_a_stream_goes_on_from_size_to_size() -> None:
    """The generator belongs to the function, not to what it is compiled to for a size."""
    kinds = agree(dropped, rows(5, 7, 5, 1, 7, 5), UNKNOWN)
    assert "NumPy" not in kinds


def noisy(x: Any) -> Any:
    for _ in tf.range(4):
        x = x + tf.random.normal(tf.shape(x))
    return tf.cond(
        tf.reduce_sum(x) > 0.0,
        lambda: x + tf.random.uniform(tf.shape(x)),
        lambda: x - tf.random.uniform(tf.shape(x)),
    )


def test_streams_in_loops_and_branches() -> None:
    agree(noisy, rows(2, 2))
    agree(noisy, rows(2, 3, 2, 3, 1), UNKNOWN)


def test_more_sizes_than_are_compiled_for() -> None:
    agree(dropped, rows(*range(1, 13), 1, 12), UNKNOWN)


def test_the_seed_begins_again() -> None:
    f = tf.function(lambda x: tf.random.uniform(tf.shape(x)), input_signature=UNKNOWN)
    found = []
    for _ in range(2):
        tf.random.set_seed(5)
        found.append([f(*xs).numpy() for xs in rows(2, 4, 2)])
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)


def test_threads_draw_different_numbers() -> None:
    f = tf.function(lambda: tf.random.uniform([64], dtype=tf.float64))
    f()
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.extend(f().numpy() for _ in range(50)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = np.concatenate(found)
    assert len(np.unique(numbers)) == len(numbers) == 4 * 50 * 64
