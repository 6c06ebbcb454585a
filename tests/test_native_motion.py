"""What only moves elements, in compiled functions: NumPy's numbers, to second order, in loops, at drawn sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_native_loops import agree, orders

import wengert as tf
from wengert.engines.native.optimize import across

Function = Callable[..., Any]
RNG = np.random.default_rng(23)
IMAGES = tf.constant(RNG.normal(size=(4, 6, 6, 8)))
LENGTHS = tf.constant([3, 0, 6, 1])

# Each gives as many elements as it takes, so that a loop can carry them.
MOVES: dict[str, Function] = {
    "roll": lambda x: tf.roll(x, 2, 1),
    "roll of several axes": lambda x: tf.roll(x, (-1, 9, 3), (1, 2, 1)),
    "roll by all": lambda x: tf.sin(tf.roll(x, 6, 1)),
    "reflect": lambda x: tf.pad(x, [[0, 0], [2, 1], [0, 5], [1, 0]], "REFLECT")[:, 1:7, 5:, :8],
    "symmetric": lambda x: tf.pad(x, [[1, 0], [6, 0], [0, 2], [0, 0]], "SYMMETRIC")[1:, 4:10, 2:],
    "depth": lambda x: tf.reshape(tf.nn.depth_to_space(x, 2), x.shape),
    "depth first": lambda x: tf.reshape(tf.nn.space_to_depth(x, 2, "NCHW"), x.shape),
    "space": lambda x: tf.reshape(tf.nn.space_to_depth(x, 3), x.shape),
    "batch": lambda x: tf.batch_to_space(tf.tile(x, [2, 1, 1, 1]), [2, 4], [[1, 5], [9, 9]]),
    "space to batch": lambda x: tf.space_to_batch(x, [2, 2], [[1, 1], [0, 2]])[:4, :, :, :] * x[:, :4, :4],
    "turned": lambda x: tf.reverse_sequence(x, LENGTHS, 1),
    "turned along the first": lambda x: tf.reverse_sequence(x, [4, 0, 1, 2, 3, 4], 0, 2),
    "cross": lambda x: tf.linalg.cross(x[..., :3], tf.sin(x[..., 2:5])),
}  # fmt: skip


def steps(f: Function) -> Function:
    """A loop that moves, bends and adds."""

    def step(_: Any, x: Any) -> Any:
        moved = f(x)
        own = x if moved.shape == x.shape else x[tuple([slice(n) for n in moved.shape])]
        return tf.tanh(x + tf.reduce_mean(own * moved))

    return lambda x: tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, step(i, x)), (0, x))[1]


@pytest.mark.parametrize("f", MOVES.values(), ids=list(MOVES))
def test_every_order_is_compiled(f: Function) -> None:
    for g in orders(f):
        assert "NumPy" not in agree(g, IMAGES)


@pytest.mark.parametrize("f", MOVES.values(), ids=list(MOVES))
def test_loops_stay_whole(f: Function) -> None:
    for g in orders(steps(f)):
        assert "NumPy" not in agree(g, IMAGES)


@pytest.mark.parametrize("seed", range(30))
def test_drawn_sizes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 5, 17], size=rng.integers(1, 4)))
    count = int(rng.integers(1, 4))
    axes = rng.integers(-len(shape), len(shape), count).tolist()
    shifts = rng.integers(-40, 40, count).tolist()
    inner = [[int(rng.integers(n)) for _ in range(2)] for n in shape]
    whole = [[int(rng.integers(n + 1)) for _ in range(2)] for n in shape]
    kind = rng.choice(["f4", "f8", "i4", "u1", "b1", "c8"])
    x = tf.constant(rng.integers(0, 9, shape).astype(kind))

    def f(x: Any) -> Any:
        return tf.roll(x, shifts, axes), tf.pad(x, inner, "REFLECT"), tf.pad(x, whole, "SYMMETRIC")

    def g(x: Any) -> Any:
        return [tf.roll(y, -1, 0) for y in f(x)]

    for function in (f, g):
        agree(function, x)


def test_errors_are_those_of_numpy() -> None:
    said = []
    for compiled in (False, True):
        with pytest.raises(tf.errors.InvalidArgumentError, match="seq_lens") as raised:
            tf.function(lambda x: tf.reverse_sequence(x, [9, 0, 0, 0], 1), jit_compile=compiled)(
                IMAGES
            )
        said.append(str(raised.value).partition("(defined at")[0])
    assert said[0] == said[1]


def test_a_periodic_stencil_in_a_loop_is_one_loop() -> None:
    """Heat on a torus: what it needs is compiled, its gradient too."""

    def warmer(u: Any) -> Any:
        around = sum(tf.roll(u, by, axis) for by in (1, -1) for axis in (0, 1))
        return u + 0.1 * (around - 4.0 * u)

    def heat(u: Any) -> Any:
        for _ in tf.range(7):
            u = warmer(u)
        return u

    u = tf.constant(RNG.normal(size=(9, 13)))
    for g in orders(heat):
        kinds = agree(g, u)
        assert "while" in kinds
        assert "NumPy" not in kinds


# ---- arrays that are read across ------------------------------------------------------------------

ACROSS: dict[str, Function] = {
    "alone": lambda x, y, row: x,
    "in a loop": lambda x, y, row: tf.exp(tf.sin(x)) * row,
    "beside another": lambda x, y, row: x * y + row,
    "with sums of rows": lambda x, y, row: tf.reduce_mean(x * y, -1),
    "with sums of columns": lambda x, y, row: tf.reduce_mean(x + row, 0),
    "softmax": lambda x, y, row: tf.nn.softmax(x + y),
}


def turned_functions(perm: tuple[int, ...], f: Function) -> tuple[Function, Function]:
    """A function of a transposed array, and its gradients."""

    def value(x: Any, y: Any, row: Any) -> Any:
        return f(tf.transpose(tf.cos(x), perm), y, row)

    def gradients(x: Any, y: Any, row: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = tf.reduce_sum(value(x, y, row) ** 2)
        return tape.gradient(z, x)

    return value, gradients


@pytest.mark.parametrize("f", ACROSS.values(), ids=ACROSS)
@pytest.mark.parametrize(
    ("shape", "perm"),
    [
        ((17, 33), (1, 0)), ((64, 128), (1, 0)), ((3, 40, 65), (0, 2, 1)), ((40, 3, 65), (2, 0, 1)),
        ((31, 1, 20, 17), (2, 3, 0, 1)), ((16, 33, 5, 17), (1, 2, 3, 0)), ((20, 7, 16), (2, 1, 0)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arrays_that_are_read_across(
    f: Function, shape: Any, perm: Any, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are transposed in tiles, of whole squares and of what is left, and what follows reads the tiles."""
    monkeypatch.setattr(across, "LEAST", 1)
    monkeypatch.setattr(across, "MANY", 1)
    monkeypatch.setattr(across, "TILE", 1 << 10)
    to = tuple(shape[axis] for axis in perm)
    given = [tf.constant(RNG.normal(size=s).astype(dtype)) for s in (shape, to, to[-1:])]
    close = 1e-4 if dtype == "float32" else 1e-11
    for function in turned_functions(perm, f):
        got = tf.function(function, jit_compile=True)(*given)
        np.testing.assert_allclose(got, function(*given), rtol=close, atol=close)


def test_which_arrays_are_transposed_first() -> None:
    """Large ones of which a loop would lose the lines; not what a product reads as it lies."""

    def kinds(f: Function, *shape: int) -> list[str]:
        given = tf.constant(RNG.normal(size=shape).astype(np.float32))
        return [step["kind"] for step in tf.function(f, jit_compile=True).plan(given).steps]

    assert kinds(lambda x: tf.transpose(x) * 2.0 + x, 512, 512) == ["tiles"]
    assert kinds(lambda x: tf.transpose(x) * 2.0, 500, 700) == ["tiles"]
    assert kinds(lambda x: tf.transpose(x) * 2.0, 50, 70) == ["loop"]
    assert kinds(lambda x: tf.transpose(x, [0, 2, 1, 3]) * 2.0, 8, 64, 64, 32) == ["loop"]
    assert "tiles" not in kinds(lambda x: tf.matmul(x, x, transpose_b=True), 512, 512)
