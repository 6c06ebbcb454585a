"""fmod and mod of floats, those of float32 in machine code: NumPy's, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as tf

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -3.0, 1e-30, 1e-45, 7.0, -0.1, 3e38]


def numbers(dtype: str, spread: int) -> tuple[Any, Any]:
    """Quotients from very small to very large ones, whole ones, and those beside whole ones."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=20_000) * 2.0 ** rng.uniform(-20, spread, 20_000)
    y = (rng.normal(size=20_000) * 2.0 ** rng.uniform(-10, 10, 20_000)).astype(dtype)
    x = x.astype(dtype)
    x[::3] = y[::3] * rng.integers(-90, 90, len(x[::3])).astype(dtype)
    x[1::6] = np.nextafter(x[::6], np.asarray(np.inf, dtype))
    a, b = np.meshgrid(np.array(SPECIAL, dtype), np.array(SPECIAL, dtype))
    return np.concatenate([x, a.ravel()]), np.concatenate([y, b.ravel()])


def same_bits(found: Any, wanted: Any) -> None:
    found = found.numpy()
    np.testing.assert_array_equal(found, wanted)
    known = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(wanted)[known])


@pytest.mark.parametrize(
    ("dtype", "spread", "kinds"), [("float32", 120, {"loop"}), ("float64", 900, {"NumPy"})]
)
def test_bits(dtype: str, spread: int, kinds: set[str]) -> None:
    x, y = numbers(dtype, spread)
    f: Any = tf.function(
        lambda x, y: (tf.math.floormod(x, y), tf.truncatemod(x, y)), jit_compile=True
    )
    given = tf.constant(x), tf.constant(y)
    floor, towards_zero = f(*given)
    assert {step["kind"] for step in f.plan(*given).steps} == kinds
    with np.errstate(all="ignore"):
        same_bits(floor, np.mod(x, y))
        same_bits(towards_zero, np.fmod(x, y))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_arrays_in_eager_mode(dtype: str) -> None:
    x = np.random.default_rng(4).normal(size=70_000).astype(dtype) * 50
    same_bits(
        tf.math.floormod(x, np.asarray(2 * np.pi, dtype)), np.mod(x, np.asarray(2 * np.pi, dtype))
    )


def test_gradients() -> None:
    x, y = tf.constant([7.5, -7.5, 3.0]), tf.constant([2.0, 2.0, -1.25])

    def gradients(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = tf.reduce_sum(x % y)
        return tape.gradient(z, [x, y])

    for found in (gradients(x, y), tf.function(gradients, jit_compile=True)(x, y)):
        np.testing.assert_array_equal(found, [[1.0, 1.0, 1.0], [-3.0, 4.0, 3.0]])


def test_shapes_that_are_ensured_cost_nothing() -> None:
    f: Any = tf.function(lambda x: tf.ensure_shape(x * 2.0, [None, 3]) + 1.0, jit_compile=True)
    assert [step["kind"] for step in f.plan(tf.ones([2, 3])).steps] == ["loop"]
    any_size = tf.function(
        lambda x: tf.ensure_shape(x, [None, 3]),
        input_signature=[tf.TensorSpec(None)],
        jit_compile=True,
    )
    assert any_size(tf.ones([2, 3])).shape == (2, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible"):
        any_size(tf.ones([2, 4]))
