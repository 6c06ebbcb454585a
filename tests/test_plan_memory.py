"""How much memory plans take: what lies where, and for how long."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.program import room
from wengert.engines.native.program.arena import ALIGNED, Arena

ROWS, WIDTH = 256, 128
ACTIVATION = 4 * ROWS * WIDTH


def network(layers: int) -> tuple[Callable[..., Any], list[Any]]:
    """The loss and the gradients of dense layers."""

    def f(x: Any, *weights: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(weights)
            y = x
            for w in weights:
                y = tf.tanh(y @ w)
            loss = tf.reduce_mean(y * y)
        return loss, *tape.gradient(loss, weights)

    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(WIDTH, WIDTH)).astype(np.float32) / 12 for _ in range(layers)]
    x = rng.normal(size=(ROWS, WIDTH)).astype(np.float32)
    return f, [tf.constant(a) for a in (x, *weights)]


def plan(f: Any, xs: list[Any]) -> Any:
    return tf.function(f, jit_compile=True).plan(*xs)


def test_the_derivative_of_an_activation_is_not_stored() -> None:
    """It is computed again from the activation, which the gradient of the weight needs anyway."""
    f, xs = network(8)
    assert plan(f, xs).memory < 11 * ACTIVATION  # there are eight; a gradient is half as large


def test_activations_lie_in_gradients_that_are_not_written_yet(monkeypatch: Any) -> None:
    """Two in each here, of fewer rows."""
    f, (x, *weights) = network(8)
    few = tf.constant(x.numpy()[: WIDTH // 2])
    monkeypatch.setattr(room, "SMALL", 1)
    inside = plan(f, [few, *weights])
    monkeypatch.setattr(room, "SMALL", 1 << 40)
    outside = plan(f, [few, *weights])
    assert inside.memory <= 3 * ACTIVATION // 4
    assert outside.memory >= 8 * ACTIVATION // 4
    gradients = 8 * 4 * WIDTH * WIDTH
    for found in (inside, outside):
        assert gradients < found.peak - found.memory < gradients + 1000
        assert 1 <= found.reached <= len(found.steps)
        assert f"by step {found.reached}, " in str(found)


def test_what_allocates_nothing_says_so() -> None:
    found = tf.function(lambda x: x + 1.0, jit_compile=True).plan(tf.ones([1000]))
    assert (found.memory, found.peak, found.reached) == (0, 4000, 0)
    assert "0 B of its own, 4 kB with results" in str(found)


# ---- the same numbers wherever they lie ------------------------------------------------------------


def drawn(seed: int) -> tuple[Callable[..., Any], list[Any]]:
    """Products, loops and sums of earlier values, several of which are returned."""
    draw = random.Random(seed)
    size = 24

    def f(*xs: Any) -> Any:
        values = list(xs)
        choice = random.Random(seed)
        for _ in range(14):
            a, b = choice.choice(values), choice.choice(values)
            values.append(choice.choice([
                lambda a, b: a @ b / float(size),
                lambda a, b: tf.tanh(a) * b,
                lambda a, b: tf.sin(a) - tf.reduce_sum(b, 0),
                lambda a, b: tf.transpose(a) + b,
                lambda a, b: tf.concat([a[: size // 2], b[size // 2 :]], 0),
                lambda a, b: tf.cumsum(a) / float(size),  # NumPy's
            ])(a, b))  # fmt: skip
        return choice.sample(values[len(xs) :], 4)

    rng = np.random.default_rng(seed)
    return f, [tf.constant(rng.normal(size=(size, size))) for _ in range(draw.randint(1, 3))]


def results(seed: int) -> list[bytes]:
    f, xs = drawn(seed)
    compiled = tf.function(f, jit_compile=True)
    compiled(*xs)
    return [y.numpy().tobytes() for y in compiled(*xs)]


SEEDS = range(40)


def test_programs_compute_the_same_with_room_in_results_and_without(monkeypatch: Any) -> None:
    """To the bit: it is the same machine code."""
    monkeypatch.setattr(room, "SMALL", 1 << 40)
    wanted = [results(seed) for seed in SEEDS]
    monkeypatch.setattr(room, "SMALL", 1)
    assert [results(seed) for seed in SEEDS] == wanted


def test_the_test_above_can_fail(monkeypatch: Any) -> None:
    """Where an array is taken to be gone too early, a result is written over it."""
    monkeypatch.setattr(room, "SMALL", 1 << 40)
    wanted = [results(seed) for seed in SEEDS]
    monkeypatch.setattr(room, "SMALL", 1)
    usual = room._ends
    monkeypatch.setattr(room, "_ends", lambda calls, last: dict.fromkeys(usual(calls, last), -1))
    assert [results(seed) for seed in SEEDS] != wanted


@pytest.mark.parametrize("seed", range(20))
def test_room(seed: int) -> None:
    """An arena with a limit says beforehand what it has room for, and never grows beyond that."""
    draw = random.Random(seed)
    limit = ALIGNED * draw.randint(1, 40)
    arena = Arena(limit)
    held: dict[int, int] = {}
    for _ in range(200):
        size = draw.randint(1, 10 * ALIGNED)
        if arena.has_room(size):
            at = arena.take(size)
            assert all(at + size <= b or b + n <= at for b, n in held.items())
            held[at] = size
        elif held:
            at = draw.choice(list(held))
            arena.give(at, held.pop(at))
        assert arena.size <= limit
