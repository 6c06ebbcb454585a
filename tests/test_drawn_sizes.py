"""Programs drawn at random, at sizes that nobody chose: see size_programs.py.

WENGERT_DRAWS says how many; by default as many as take a minute.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from size_programs import IDIOMS, MODES, SIZES, Program, differences, drawn

import wengert as tf

DRAWS = int(os.environ.get("WENGERT_DRAWS", "120"))
GROUPS = 12


@pytest.mark.parametrize("group", range(GROUPS))
def test_random_programs(group: int) -> None:
    """Every mode does what eager mode does, at three sizes of the list and a random one."""
    found = []
    for seed in range(group, DRAWS, GROUPS):
        rng = random.Random(~seed)
        sizes = [*rng.sample(SIZES, 3), rng.randrange(130)]
        modes = list(MODES) if seed % 4 == 0 else ["function", "session"]
        found += differences(drawn(seed), sizes, modes)
    assert found == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rank", IDIOMS)
def test_every_idiom(rank: str, mode: str) -> None:
    """Each alone, at every size of the list in one mode and at a few in the others."""
    sizes = SIZES if mode == "session" else (3, 13, 0, 100)
    found = []
    for at, (_, function) in enumerate(IDIOMS[rank]):
        first = () if rank == "v" else ((IDIOMS["v"][TO_MATRIX][1], 1),)
        found += differences(Program(at, (*first, (function, at))), sizes, [mode])
    assert found == []


# x[:, None] - x[None, :], as an idiom that takes a vector of any size to a matrix.
TO_MATRIX = next(
    i for i, (to, f) in enumerate(IDIOMS["v"])
    if to == "m" and f(tf.ones([3], tf.float64), lambda a, b: a).shape == (3, 3)
)  # fmt: skip


def test_a_wrong_claim_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a slice of ten thought to have ten elements, the programs would differ."""
    from wengert.ops.arrays.slicing import STRIDED_SLICE

    def guessed(shape: Any, *, key: Any) -> Any:
        return tuple([part.stop for part in key])

    monkeypatch.setattr(STRIDED_SLICE, "shape", guessed)
    head = Program(0, ((lambda x, d: tf.sin(x[:10]) * tf.cast(tf.size(x[:10]), x.dtype), 0),))
    assert "StridedSlice computed" in "".join(differences(head, (5,), ["function", "session"]))


# ---- what was found ---------------------------------------------------------------------------


def count(x: Any) -> Any:
    return tf.shape(x)[0]


def grown(x: Any) -> Any:
    """A loop whose value has a longer shape after each run."""
    return tf.while_loop(
        lambda i, a: i < count(x),
        lambda i, a: (i + 2, tf.concat([a, tf.sin(x[i : i + 1]) * 2.0], 0)),
        [0, x[:0]],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )[1]


def dealt(x: Any) -> Any:
    """Parts of computed sizes."""
    n = count(x)
    array = tf.TensorArray(tf.float64, size=2, infer_shape=False)
    array = array.split(x, tf.stack([n // 2, n - n // 2]))
    return array.read(1) * tf.reduce_sum(array.read(0))


def jacobian(x: Any) -> Any:
    m = tf.reshape(x[: count(x) // 2 * 2], [-1, 2])[:3]
    with tf.GradientTape() as tape:
        tape.watch(m)
        y = tf.sin(m) * m[::-1]
    return tf.reduce_sum(tape.jacobian(y, m), [0, 1, 2])


def shared(x: Any) -> Any:
    """After a loop of unknown rank: both parts get one cotangent, which is one input of what follows."""
    y = tf.while_loop(
        lambda i, a: i < 0,
        lambda i, a: (i + 1, tf.concat([a, x[:2]], 0)),
        (0, x),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape(None)),
    )[1]
    return tf.add_n(tf.split(y[: count(y) // 2 * 2], 2)) ** 3


FOUND: list[Any] = [
    lambda x, d: shared(x),
    lambda x, d: tf.tensor_scatter_nd_update(x, tf.range(0, count(x), 3)[:, None], x[::3] ** 2),
    lambda x, d: grown(x),
    lambda x, d: dealt(x),
    lambda x, d: tf.split(x, tf.stack([count(x) // 2, count(x) - count(x) // 2]))[1],
    lambda x, d: jacobian(x),
    lambda x, d: tf.einsum("i,i->i", x, x[::-1]),
    lambda x, d: tf.image.resize(x[None, :, None, None], [count(x) + 1, 1], antialias=True)[0, :, 0, 0],
    lambda x, d: tf.map_fn(lambda e: e[0] * e[1], (x, x[::-1]), fn_output_signature=x.dtype),
    lambda x, d: tf.vectorized_map(lambda e: e[0] * e[1], (x, x[::-1])),
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("at", range(len(FOUND)))
def test_what_was_found(at: int, mode: str) -> None:
    assert differences(Program(at, ((FOUND[at], at),)), (1, 2, 3, 5, 12, 24), [mode]) == []
