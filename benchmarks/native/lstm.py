"""An LSTM cell over many steps: the gradient of the sum of the last hidden state."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.native.libraries import compiling_torch, contestants, torch_run
from benchmarks.native.workload import BEST, FLOAT, Array, Program, Run, Workload, doubles, normal

STEPS, BATCH, SIZE = 100, 32, 256


def inputs() -> list[Array]:
    """Weights of the input and of the hidden state, the bias, and the sequence."""
    wx, wh, b, xs = normal((SIZE, 4 * SIZE), (SIZE, 4 * SIZE), (4 * SIZE,), (STEPS, BATCH, SIZE))
    scale = FLOAT(SIZE**-0.5)
    return [wx * scale, wh * scale, b, xs]


def cell(x: Any, h: Any, c: Any, weights: Any, sigmoid: Any, tanh: Any, split: Any) -> Any:
    """The next hidden state and cell state: the same lines in every library."""
    wx, wh, b = weights
    i, f, g, o = split(x @ wx + h @ wh + b)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


def taped(tf: Any, wx: Any, wh: Any, b: Any, xs: Any) -> Any:
    h = c = tf.zeros([BATCH, SIZE], xs.dtype)
    for t in range(STEPS):
        h, c = cell(xs[t], h, c, (wx, wh, b), tf.sigmoid, tf.tanh, lambda z: tf.split(z, 4, -1))
    return tf.reduce_sum(h)


def scanned(jax: Any, wx: Any, wh: Any, b: Any, xs: Any) -> Any:
    """A scan is JAX's way; unrolled, it compiles for a minute and takes six times as long."""
    zeros = jax.numpy.zeros((BATCH, SIZE), xs.dtype)

    def step(state: Any, x: Any) -> Any:
        split = partial(jax.numpy.split, indices_or_sections=4, axis=-1)
        h, c = state
        return cell(x, h, c, (wx, wh, b), jax.nn.sigmoid, jax.numpy.tanh, split), None

    (h, _), _ = jax.lax.scan(step, (zeros, zeros), xs)
    return h.sum()


def torch_cell(torch: Any, x: Any, h: Any, c: Any, weights: Any) -> Any:
    return cell(x, h, c, weights, torch.sigmoid, torch.tanh, lambda z: z.chunk(4, -1))


def looped(torch: Any, wx: Any, wh: Any, b: Any, xs: Any, of_cell: Any = None) -> Any:
    of_cell = of_cell or partial(torch_cell, torch)
    h = c = torch.zeros(BATCH, SIZE)
    for x in xs:
        h, c = of_cell(x, h, c, (wx, wh, b))
    return h.sum()


PROGRAM = Program(inputs, taped, scanned, looped, gradients=(0, 1, 2))
AS_USUAL = contestants(PROGRAM)


def compiled_cell() -> Run | None:
    """Seconds to compile, where the whole loop takes two minutes and is a fifth faster then."""
    torch = compiling_torch()
    if torch is None:
        return None
    compiled = torch.compile(partial(torch_cell, torch))
    return torch_run(torch, PROGRAM, partial(looped, torch, of_cell=compiled))


# ---- by hand ------------------------------------------------------------------------------------


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def expected() -> list[Array]:
    wx, wh, b, xs = doubles(inputs())
    kept, h = forward_by_hand(wx, wh, b, xs)
    gx, gh, gb = (np.zeros_like(v) for v in (wx, wh, b))
    dh, dc = np.ones_like(h), np.zeros_like(h)
    for x, before, c_before, i, f, g, o, c in reversed(kept):
        dc = dc + dh * o * (1 - np.tanh(c) ** 2)
        dz = np.concatenate(
            [
                dc * g * i * (1 - i),
                dc * c_before * f * (1 - f),
                dc * i * (1 - g**2),
                dh * np.tanh(c) * o * (1 - o),
            ],
            axis=-1,
        )
        gx += x.T @ dz
        gh += before.T @ dz
        gb += dz.sum(0)
        dh, dc = dz @ wh.T, dc * f
    return [h.sum(), gx, gh, gb]


def forward_by_hand(wx: Array, wh: Array, b: Array, xs: Array) -> tuple[list[Any], Array]:
    """What each step's gradient reads, and the last hidden state."""
    h = c = np.zeros((BATCH, SIZE))
    kept = []
    for x in xs:
        i, f, g, o = np.split(x @ wx + h @ wh + b, 4, -1)
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        c_before, c = c, f * c + i * g
        kept.append((x, h, c_before, i, f, g, o, c))
        h = o * np.tanh(c)
    return kept, h


WORKLOADS = [
    Workload(
        f"LSTM, {STEPS} steps, hidden {SIZE}, batch {BATCH}",
        AS_USUAL
        | {"torch.compile": compiled_cell, "torch.compile, unrolled": AS_USUAL["torch.compile"]},
        expected,
        {BEST: 0.9},
    )
]
