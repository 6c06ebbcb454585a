"""Loops and branches drawn at random, of routines, variables and gradients: compiled they are NumPy's."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

Function = Callable[..., Any]


def _at(x: Any, i: Any) -> Any:
    return x * tf.gather(x, tf.math.floormod(i, tf.shape(x)[0]))


def _rows(x: Any, i: Any) -> Any:
    order = tf.argsort(x, 0)[:, :1]
    return tf.tensor_scatter_nd_add(x, order[:2], x[:2] * 0.5)


def _solved(x: Any, i: Any) -> Any:
    n = x.shape[1]
    a = tf.matmul(x, x, transpose_a=True) + 3.0 * tf.eye(n, dtype=x.dtype)
    return tf.transpose(tf.linalg.solve(a, tf.transpose(x)))


def _whitened(x: Any, i: Any) -> Any:
    n = x.shape[1]
    a = tf.matmul(x, x, transpose_a=True) + 2.0 * tf.eye(n, dtype=x.dtype)
    return tf.transpose(tf.linalg.triangular_solve(tf.linalg.cholesky(a), tf.transpose(x)))


# Each keeps the shape and about the size of a matrix.
STEPS: list[Function] = [
    lambda x, i: tf.tanh(tf.cumsum(x, 0)),
    lambda x, i: tf.tanh(tf.cumsum(x, 1, reverse=True, exclusive=True)),
    lambda x, i: tf.tanh(tf.math.cumprod(x, 1)),
    lambda x, i: tf.math.cumulative_logsumexp(x, 0) * 0.3,
    lambda x, i: tf.sort(x, 1),
    lambda x, i: x + 0.1 * tf.reduce_sum(tf.math.top_k(x, 2).values),
    lambda x, i: x * 0.5 + tf.gather(x, tf.argmax(x, 0) % tf.shape(x, tf.int64)[1], axis=1)[:, :1],
    lambda x, i: tf.nn.softmax(x) * tf.cast(i + 1, x.dtype) * 0.3,
    lambda x, i: x - tf.reduce_mean(x, 1, keepdims=True),
    lambda x, i: tf.sin(x) + 0.1 * tf.math.unsorted_segment_sum(x, tf.range(tf.shape(x)[0]) % 2, tf.shape(x)[0]),
    lambda x, i: x * tf.exp(-0.01 * tf.linalg.logdet(tf.matmul(x, x, transpose_a=True) + tf.eye(x.shape[1], dtype=x.dtype))),
    _at, _rows, _solved, _whitened,
]  # fmt: skip


def _parts(x: Any) -> tuple[Any, Any]:
    return tf.math.real(x), tf.math.imag(x)


OF_COMPLEX: list[Function] = [
    lambda x, i: x / tf.cast(1.0 + tf.abs(x) ** 2, x.dtype),
    lambda x, i: tf.cumsum(x, 0) * 0.3,
    lambda x, i: tf.math.conj(x) * 1j,
    lambda x, i: x - tf.reduce_mean(x, 1, keepdims=True),
    lambda x, i: tf.signal.fft(x) * 0.4,
    lambda x, i: tf.signal.ifft(tf.reverse(x, [1])),
    lambda x, i: tf.roll(x, i, 0),
    lambda x, i: tf.where(_parts(x)[0] > 0.0, x, tf.math.conj(x) * 0.5),
    lambda x, i: tf.complex(tf.tanh(_parts(x)[0]), tf.sin(_parts(x)[1])),
    lambda x, i: tf.matmul(tf.matmul(x, x, adjoint_b=True), x) * 0.1,
    lambda x, i: tf.concat([x[:, 1:], x[:, :1]], 1) * tf.cast(i + 1, x.dtype) * 0.4,
    lambda x, i: tf.einsum("ij,kj->ik", x, tf.math.conj(x)) @ x * 0.1,
    lambda x, i: tf.exp(x * 0.1j),
    lambda x, i: tf.stack([x, x * 2j])[1] * 0.5,
    lambda x, i: tf.gather(x, tf.range(tf.shape(x)[0] - 1, -1, -1)),
]  # fmt: skip


class Program:
    """A function that is drawn: steps, loops, branches and assignments in each other."""

    def __init__(self, seed: int, dtype: str = "float64") -> None:
        self._rng = random.Random(seed)
        self.dtype = dtype
        self.steps = OF_COMPLEX if dtype.startswith("complex") else STEPS
        self.shape = self._rng.randint(1, 5), self._rng.randint(2, 5)
        self.step = self._block(2)

    def _block(self, depth: int) -> Function:
        parts = [self._part(depth) for _ in range(self._rng.randint(1, 3))]

        def run(x: Any, i: Any, v: Any) -> Any:
            for part in parts:
                x = part(x, i, v)
            return x

        return run

    def _part(self, depth: int) -> Function:
        kind = self._rng.choice(
            ["step", "step", "assign", "loop", "branch", "own"]
            if depth
            else ["step", "assign", "own"]
        )
        if kind == "step":
            step = self._rng.choice(self.steps)
            return lambda x, i, v: step(x, i)
        if kind == "own":  # an array that the body makes
            own = self.drawn(np.random.default_rng(self._rng.randint(0, 999)))[0] * 0.5
            return lambda x, i, v: x * 0.5 + tf.constant(own)
        if kind == "assign":
            return self._assignment()
        inner, other = self._block(depth - 1), self._block(depth - 1)
        if kind == "branch":
            by = self._rng.randint(2, 3)
            return lambda x, i, v: tf.cond(
                tf.equal(i % by, 0), lambda: inner(x, i, v), lambda: other(x, i + 1, v)
            )
        count = self._rng.randint(0, 3)
        return lambda x, i, v: tf.while_loop(
            lambda k, a: k < count, lambda k, a: (k + 1, inner(a, k + i, v)), (0, x)
        )[1]

    def _assignment(self) -> Function:
        how = self._rng.choice(["assign", "assign_add", "assign_sub"])

        def assign(x: Any, i: Any, v: Any) -> Any:
            total = tf.reduce_sum(x)
            value = total / tf.cast(1.0 + tf.abs(total), x.dtype) * 0.1
            getattr(v, how)(v * 0.3 + value if how == "assign" else value)
            return x + 0.1 * v

        return assign

    def drawn(self, rng: np.random.Generator) -> Any:
        """What it is given."""
        given = rng.normal(size=self.shape)
        return (
            given + 1j * rng.normal(size=self.shape) if self.steps is OF_COMPLEX else given
        ).astype(self.dtype)


def outcome(program: Program, order: int, **options: Any) -> list[Any]:
    """Of three calls: the results, and what the variable then is."""
    v = tf.Variable(0.5, dtype=program.dtype)
    rng = np.random.default_rng(3)

    def f(x: Any) -> Any:
        return program.step(x, 0, v)

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.square(tf.abs(f(x))))
        return tape.gradient(y, x)

    g = tf.function(slope if order else f, autograph=False, **options)
    found: list[Any] = []
    for _ in range(3):
        y = g(tf.constant(program.drawn(rng)))
        found += [y, v.read_value()]
    return found


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("order", [0, 1])
def test_drawn_bodies(seed: int, dtype: str, order: int) -> None:
    program = Program(seed, dtype)
    wanted = outcome(program, order, jit_compile=False)
    unknown = [tf.TensorSpec([None, program.shape[1]], dtype)]
    for options in ({}, {"input_signature": unknown}):
        found = outcome(program, order, jit_compile=True, **options)
        for y, z in zip(found, wanted, strict=True):
            np.testing.assert_allclose(y, z, rtol=1e-8, atol=1e-10)
