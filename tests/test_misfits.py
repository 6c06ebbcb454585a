"""Sizes that do not fit are refused in every mode, whenever they become known.

What a graph said of its sizes must not let compiled code read beyond an array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import wengert as tf

# By name: a function, and the shapes of arguments that it refuses.
MISFITS: dict[str, tuple[Callable[..., Any], Sequence[tuple[int, ...]]]] = {
    "unstack": (lambda a: tf.add_n(tf.unstack(a, num=4)), [(2, 3)]),
    "unstack5": (lambda a: tf.add_n(tf.unstack(a, num=4)), [(5, 3)]),
    "unstack1": (lambda a: tf.add_n(tf.unstack(a, num=4, axis=1)), [(5, 3)]),
    "split": (lambda a: tf.add_n(tf.split(a, [2, 2])), [(5, 3)]),
    "split_n": (lambda a: tf.add_n(tf.split(a, 2)), [(5, 3)]),
    "splitv2": (lambda a: tf.concat(tf.split(a, [2, 1]), 0), [(2, 3)]),
    "broadcast_to": (lambda a: tf.broadcast_to(a, [4, 3]) * 2.0, [(2, 3)]),
    "reshape": (lambda a: tf.reshape(a, [4, 3]) * 2.0, [(2, 3)]),
    "slice": (lambda a: tf.slice(a, [1, 0], [3, 2]) * 2.0, [(2, 3)]),
    "concat": (lambda a, b: tf.concat([a, b], 1) * 2.0, [(2, 3), (4, 3)]),
    "stack": (lambda a, b: tf.stack([a, b], 1) * 2.0, [(2, 3), (4, 3)]),
    "addn": (lambda a, b: tf.add_n([a, b]) * 2.0, [(2, 3), (4, 3)]),
    "add": (lambda a, b: tf.exp(a + b) * 2.0, [(2, 3), (4, 3)]),
    "bias": (lambda a, b: tf.nn.bias_add(a, b[:, 0]) * 2.0, [(2, 3), (4, 3)]),
    "matmul": (lambda a, b: tf.matmul(a, b) * 2.0, [(2, 3), (4, 3)]),
    "matmulT": (lambda a, b: tf.matmul(a, b, transpose_a=True) * 2.0, [(2, 3), (4, 3)]),
    "bmm": (lambda a, b: tf.matmul(a[None], tf.stack([b, b])[:, :3]) * 2.0, [(2, 3), (2, 3)]),
    "xent": (lambda a, b: tf.nn.softmax_cross_entropy_with_logits(a, b) * 2.0, [(2, 3), (4, 3)]),
    "sxent": (
        lambda a, b: (
            tf.nn.sparse_softmax_cross_entropy_with_logits(tf.cast(b[:, 0], tf.int32), a) * 2.0
        ),
        [(2, 3), (4, 3)],
    ),
    "where": (lambda a, b: tf.where(a > 0, a, b) * 2.0, [(2, 3), (4, 3)]),
    "gather": (lambda a: tf.gather(a, [0, 3]) * 2.0, [(2, 3)]),
    "gatherb": (
        lambda a, b: tf.gather(a, tf.cast(b * 0, tf.int32), batch_dims=1) * 2.0,
        [(2, 3), (4, 3)],
    ),
    "index": (lambda a: a[3] * 2.0, [(2, 3)]),
    "index2": (lambda a: a[:, 4] * 2.0, [(2, 3)]),
    "pad": (lambda a: tf.pad(a, [[0, 1], [1, 0]])[3] * 2.0, [(2, 3)]),
    "squeeze": (lambda a: tf.squeeze(a, 0) * 2.0, [(2, 3)]),
    "tile": (lambda a, b: tf.tile(a, [2, 1]) + b, [(2, 3), (3, 3)]),
    "einsum": (lambda a, b: tf.einsum("ij,kj->ik", a, b) + b, [(2, 3), (4, 3)]),
    "ensure": (lambda a: tf.ensure_shape(a, [4, 3]) * 2.0, [(2, 3)]),
    "segment": (
        lambda a, b: tf.math.segment_sum(a, tf.cast(tf.sort(b[:, 0]) * 0, tf.int32)) * 2.0,
        [(2, 3), (4, 3)],
    ),
    "useg": (
        lambda a, b: tf.math.unsorted_segment_sum(a, tf.cast(b[:, 0] * 0, tf.int32), 2) * 2.0,
        [(2, 3), (4, 3)],
    ),
    "boolmask": (lambda a, b: tf.boolean_mask(a, b[:, 0] > -9) * 2.0, [(2, 3), (4, 3)]),
    "tensordot": (lambda a, b: tf.tensordot(a, b, 1) * 2.0, [(2, 3), (4, 3)]),
    "meanstd": (lambda a, b: (a - tf.reduce_mean(b, 1, keepdims=True)) * 2.0, [(2, 3), (4, 3)]),
    "scatter": (
        lambda a, b: tf.tensor_scatter_nd_add(a, [[0], [1], [2]], b[:3]) * 2.0,
        [(2, 3), (4, 3)],
    ),
    "dynstitch": (lambda a: tf.dynamic_stitch([[0, 1], [2, 3]], [a, a]) * 2.0, [(3, 3)]),
    "transpose": (lambda a, b: tf.transpose(a) @ b, [(2, 3), (4, 3)]),
    "l2": (lambda a, b: tf.nn.l2_loss(a - b), [(2, 3), (4, 3)]),
    "cond": (lambda a, b: tf.cond(tf.shape(a)[0] > 1, lambda: a, lambda: b) + b, [(2, 3), (4, 3)]),
    "onehot": (
        lambda a, b: tf.one_hot(tf.cast(a[:, 0] * 0, tf.int32), 3, dtype=a.dtype) * b,
        [(2, 3), (4, 3)],
    ),
}


def refuses(run: Callable[..., Any], args: Sequence[Any]) -> bool:
    try:
        run(*args)
    except (ValueError, tf.errors.InvalidArgumentError):
        return True
    return False


@pytest.mark.parametrize("of_gradient", [False, True], ids=["value", "gradient"])
@pytest.mark.parametrize("compiled", [None, True], ids=["function", "compiled"])
@pytest.mark.parametrize("known", [True, False], ids=["rank", "nothing"])
@pytest.mark.parametrize("name", MISFITS)
def test_misfits(name: str, known: bool, compiled: Any, of_gradient: bool) -> None:
    """The first call and the second, which runs other code."""
    f, shapes = MISFITS[name]
    rng = np.random.default_rng(0)
    args = [tf.constant(rng.normal(size=shape)) for shape in shapes]

    def gradient(*args: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(args)
            y = f(*args)
        return tape.gradient(y, args)

    wanted = refuses(f, args)
    specs = [tf.TensorSpec([None] * len(shape) if known else None, tf.float64) for shape in shapes]
    traced = tf.function(
        gradient if of_gradient else f, input_signature=specs, jit_compile=compiled
    )
    assert [refuses(traced, args) for _ in range(2)] == [wanted] * 2
