"""Parts of what plans compute, as their results: each many times, and kept, so that what is written beside
a result hits the memory of another one or the allocator's own. A process of its own, as it would not survive.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import wengert as tf

RNG = np.random.default_rng(0)


def drawn(*shape: int) -> Any:
    return tf.constant(RNG.normal(size=shape))


SQUARE, WIDE, FILTERS, MATRICES = drawn(9, 9), drawn(9, 40), drawn(3, 3, 4, 9), drawn(3, 9, 9)
EACH, INDICES = drawn(2, 2, 4, 2), tf.constant([1, 0, 7, 3, 3, 8])

MADE: dict[str, Callable[[Any], Any]] = {
    "product": lambda x: tf.matmul(x, SQUARE),
    "wide product": lambda x: tf.matmul(x, WIDE),
    "turned product": lambda x: tf.transpose(tf.matmul(x, WIDE)),
    "square": lambda x: tf.matmul(x, x, transpose_a=True),
    "product of what is padded": lambda x: tf.matmul(tf.pad(x, [[0, 3], [0, 0]]), SQUARE),
    "product and more": lambda x: tf.nn.relu(tf.matmul(x, SQUARE) + 1.0),
    "sum of products": lambda x: tf.matmul(x, SQUARE) + 2.0 * tf.matmul(x, SQUARE),
    "products": lambda x: tf.matmul(x[None], MATRICES),
    "einsum": lambda x: tf.einsum("bi,ij->jb", x, WIDE),
    "einsum of batches": lambda x: tf.einsum("bi,nij->bnj", x, MATRICES),
    "rows": lambda x: tf.gather(x, INDICES),
    "scattered": lambda x: tf.scatter_nd(INDICES[:, None], x[:6], [20, 9]),
    "running sums": lambda x: tf.cumsum(x, 1),
    "sorted": lambda x: tf.sort(x),
    "sums": lambda x: tf.reduce_sum(x[:, None] * x[..., None], 2),
    "softmax": tf.nn.softmax,
    "images": lambda x: tf.nn.conv2d(tf.reshape(x, (2, 3, 3, 5))[..., :4], FILTERS, 1, "SAME"),
    "channels": lambda x: tf.nn.depthwise_conv2d(
        tf.reshape(x, (2, 3, 3, 5))[..., :4], EACH, [1] * 4, "SAME"
    ),
    "factor": lambda x: tf.linalg.cholesky(tf.matmul(x, x, transpose_a=True) + 9.0 * tf.eye(9, dtype=tf.float64)),
    "joined": lambda x: tf.concat([x, tf.matmul(x, SQUARE)], 1),
    "stacked": lambda x: tf.stack([x, tf.matmul(x, SQUARE)]),
}  # fmt: skip
TAKEN: dict[str, Callable[[Any], Any]] = {
    "first": lambda y: y[:1],
    "most": lambda y: y[:-1],
    "last": lambda y: y[1:],
    "first of each": lambda y: y[:, :1],
    "most of each": lambda y: y[..., :-1],
    "last of each": lambda y: y[..., 1:],
    "every other": lambda y: y[::2],
    "turned": lambda y: tf.transpose(y)[:2],
    "turned, most": lambda y: tf.transpose(y[:-1]),
    "half": lambda y: tf.slice(y, [0] * len(y.shape), [max(n // 2, 1) for n in y.shape]),
    "flat": lambda y: tf.reshape(y, [-1])[:5],
    "scaled": lambda y: 2.0 * y[:-1],
}
KEPT = 60


def main() -> None:
    x = drawn(10, 9)
    for (made, make), (taken, take) in itertools.product(MADE.items(), TAKEN.items()):
        print(made, "/", taken, flush=True)

        def part(x: Any, make: Any = make, take: Any = take) -> Any:
            return take(make(x))

        compiled, want = tf.function(part), part(x)
        for y in [compiled(x) for _ in range(KEPT)]:
            np.testing.assert_allclose(y, want, rtol=1e-9, atol=1e-12)


if __name__ == "__main__":
    main()
