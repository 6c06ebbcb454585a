"""Laws of ragged tensors on rows drawn at random: what functions give is what they give row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

Rows = list[np.ndarray[Any, Any]]


def drawn(seed: int) -> Rows:
    """Rows of random lengths, empty ones among them."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 5, rng.integers(1, 6))
    return [rng.normal(size=n).astype(np.float32) for n in lengths]


def ragged(rows: Rows) -> Any:
    flat = np.concatenate([np.zeros(0, np.float32), *rows])
    return tf.RaggedTensor.from_row_lengths(tf.constant(flat), [len(r) for r in rows])


def softmax(row: Any) -> Any:
    powers = np.exp(row - row.max(initial=-np.inf))
    return powers / powers.sum()


# A function of a ragged tensor, and what it is row by row.
BY_ROW: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "square": (tf.square, lambda r: r * r),
    "clip": (lambda r: tf.clip_by_value(r, -0.5, 0.5), lambda r: np.clip(r, -0.5, 0.5)),
    "scaled": (lambda r: 2.0 * r - tf.abs(r), lambda r: 2 * r - abs(r)),
    "softmax": (tf.nn.softmax, softmax),
    "reversed": (lambda r: tf.reverse(r, [1]), lambda r: r[::-1]),
    "twice": (lambda r: tf.concat([r, r], 1), lambda r: np.concatenate([r, r])),
    "tiled": (lambda r: tf.tile(r, [1, 3]), lambda r: np.tile(r, 3)),
    "begin": (lambda r: r[:, :2], lambda r: r[:2]),
    "where": (lambda r: tf.where(r > 0.0, r, -r), abs),
    "added": (lambda r: tf.add_n([r, r, r]), lambda r: 3 * r),
    "deeper": (lambda r: tf.squeeze(tf.expand_dims(r, 2), 2), lambda r: r),
    "mapped": (lambda r: tf.map_fn(lambda x: x * 3.0, r), lambda r: 3 * r),
    "identity": (tf.identity, lambda r: r),
    "broadcast": (lambda r: tf.broadcast_to(2.0, tf.shape(r)) * r, lambda r: 2 * r),
}
# A function of a ragged tensor that gives a number for each row.
TO_NUMBERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "sum": (lambda r: tf.reduce_sum(r, 1), np.sum),
    "prod": (lambda r: tf.reduce_prod(r, 1), np.prod),
    "mean of ones": (lambda r: tf.reduce_sum(tf.ones_like(r), 1), len),
    "any": (
        lambda r: tf.cast(tf.reduce_any(r > 0.0, 1), tf.float32),
        lambda r: float((r > 0).any()),
    ),
    "lengths": (lambda r: tf.cast(r.row_lengths(), tf.float32), len),
    "map_fn": (
        lambda r: tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.TensorSpec([], tf.float32)),
        np.sum,
    ),
}
SPEC = tf.RaggedTensorSpec([None, None], tf.float32)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", BY_ROW)
def test_row_by_row(name: str, seed: int) -> None:
    """Eagerly, in a function for these sizes, and in one for any."""
    function, plain = BY_ROW[name]
    rows = drawn(seed)
    expected = [plain(r) for r in rows]
    for run in (function, tf.function(function), tf.function(function, [SPEC])):
        found = run(ragged(rows))
        assert found.row_lengths().numpy().tolist() == [len(r) for r in expected]
        np.testing.assert_allclose(
            found.flat_values, np.concatenate([np.zeros(0), *expected]), rtol=1e-5, atol=1e-6
        )


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", TO_NUMBERS)
def test_a_number_for_each_row(name: str, seed: int) -> None:
    """Eagerly, in a function for these sizes, and in one for any."""
    function, plain = TO_NUMBERS[name]
    rows = drawn(seed)
    expected = [plain(r) for r in rows]
    for run in (function, tf.function(function), tf.function(function, [SPEC])):
        np.testing.assert_allclose(run(ragged(rows)), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", [n for n in BY_ROW if n not in ("mapped",)])
def test_gradients_are_those_of_rows(name: str, seed: int) -> None:
    """The gradient with respect to the ragged tensor, eagerly and through functions."""
    function, _ = BY_ROW[name]
    rows = drawn(seed)
    weights = np.random.default_rng(seed).normal(size=200).astype(np.float32)

    def loss(r: Any) -> Any:
        flat = function(r).flat_values
        return tf.reduce_sum(flat * weights[: flat.shape[0]] if flat.shape[0] else flat)

    found = []
    for run in (function, tf.function(function), tf.function(function, [SPEC])):
        r = ragged(rows)
        with tf.GradientTape() as tape:
            tape.watch(r)
            flat = run(r).flat_values
            y = tf.reduce_sum(flat * tf.constant(weights)[: tf.shape(flat)[0]])
        found.append(tape.gradient(y, r).flat_values.numpy())
    step = 1e-2
    flat = np.concatenate([np.zeros(0, np.float32), *rows])
    lengths = [len(r) for r in rows]
    slopes = []
    for i in range(len(flat)):
        ends = []
        for sign in (1, -1):
            moved = flat.copy()
            moved[i] += sign * step
            ends.append(float(loss(tf.RaggedTensor.from_row_lengths(tf.constant(moved), lengths))))
        slopes.append((ends[0] - ends[1]) / (2 * step))
    near_kink = np.abs(np.abs(flat) - 0.5) < 2 * step if name == "clip" else np.abs(flat) < 2 * step
    for gradient in found:
        np.testing.assert_allclose(
            gradient[~near_kink], np.array(slopes)[~near_kink], rtol=2e-2, atol=2e-2
        )
