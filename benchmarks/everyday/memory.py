"""The memory that a compiled step of a deep network takes beyond its inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.machine import peak_megabytes
from benchmarks.peers import find

LAYERS, WIDTH, BATCH = 20, 512, 8192
WHAT = f"peak memory of value and gradients of {LAYERS} layers of {WIDTH}, batch {BATCH}"


def megabytes(library: str) -> float | None:
    """What the process grows by; None if the library is not there."""
    made = find(library)
    if made is None:
        return None
    run = _in_jax(made) if library == "jax" else _in_tensorflow(made)
    before = peak_megabytes()
    for _ in range(3):
        run()
    return peak_megabytes() - before


def _inputs() -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(LAYERS, WIDTH, WIDTH)).astype(np.float32) / WIDTH**0.5
    return rng.normal(size=(BATCH, WIDTH)).astype(np.float32), list(weights)


def _in_tensorflow(tf: Any) -> Any:
    x, weights = _inputs()
    rows, variables = tf.constant(x), [tf.Variable(w) for w in weights]

    @tf.function(jit_compile=True)
    def step() -> Any:
        with tf.GradientTape() as tape:
            y = rows
            for w in variables:
                y = tf.tanh(y @ w)
            loss = tf.reduce_mean(y * y)
        return tape.gradient(loss, variables)

    _warm_up(tf)
    return step


def _warm_up(tf: Any) -> None:
    """What the compiler takes for any function is not the network's."""
    small = tf.Variable(np.eye(4, dtype=np.float32))

    @tf.function(jit_compile=True)
    def step() -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.tanh(small @ small) ** 2)
        return tape.gradient(y, small)

    step()


def _in_jax(jax: Any) -> Any:
    x, weights = _inputs()
    np_ = jax.numpy
    rows, variables = np_.asarray(x), [np_.asarray(w) for w in weights]

    def loss(variables: Any) -> Any:
        y = rows
        for w in variables:
            y = np_.tanh(y @ w)
        return np_.mean(y * y)

    small = np_.eye(4)
    jax.block_until_ready(jax.jit(jax.grad(lambda a: np_.mean(np_.tanh(a @ a) ** 2)))(small))
    step = jax.jit(jax.grad(loss))
    return lambda: jax.block_until_ready(step(variables))
