"""Training steps of TensorFlow 1: a session that is fed batches whose size its graph does not know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final

import numpy as np

Run = Callable[[], object]

PERCEPTRON: Final = "a session's step of a perceptron 784-512-512-10, batch 128"
SMALL: Final = "a session's step of a perceptron 8-32-32-10, batch 128"
RECURRENT: Final = "a session's step of an LSTM of 64, 30 steps, batch 32"
BATCH, STEPS, WIDTH = 128, 30, 64
RATE = 0.001
BEFORE: Final = 201  # runs, so that what becomes faster with them has


def runs(tf: Any) -> Mapping[str, Run]:
    """The steps in TensorFlow, or in us."""
    return {
        PERCEPTRON: _step(tf, lambda x: _layers(tf, x, (784, 512, 512, 10)), (BATCH, 784)),
        SMALL: _step(tf, lambda x: _layers(tf, x, (8, 32, 32, 10)), (BATCH, 8)),
        RECURRENT: _step(tf, lambda x: _lstm(tf, x), (32, STEPS, WIDTH)),
    }


def numbers(*shape: int) -> Any:
    scale = np.sqrt(2.0 / np.prod(shape[:-1]))
    return (np.random.default_rng(sum(shape)).normal(size=shape) * scale).astype(np.float32)


def _layers(tf: Any, x: Any, sizes: tuple[int, ...]) -> Any:
    weights = [tf.compat.v1.Variable(numbers(m, n)) for m, n in pairwise(sizes)]
    for w in weights[:-1]:
        x = tf.nn.relu(x @ w)
    labels = tf.range(tf.shape(x)[0]) % sizes[-1]
    scores = x @ weights[-1]
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    )


def _lstm(tf: Any, x: Any) -> Any:
    w = tf.compat.v1.Variable(numbers(2 * WIDTH, 4 * WIDTH))
    hidden = cell = tf.zeros([tf.shape(x)[0], WIDTH])
    for t in range(STEPS):
        taken, new, kept, shown = tf.split(tf.concat([x[:, t], hidden], 1) @ w, 4, 1)
        cell = cell * tf.sigmoid(kept + 1.0) + tf.sigmoid(taken) * tf.tanh(new)
        hidden = tf.tanh(cell) * tf.sigmoid(shown)
    return tf.reduce_mean(hidden**2)


def _step(tf: Any, network: Callable[[Any], Any], shape: tuple[int, ...]) -> Run:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, *shape[1:]])
        loss = network(x)
        fetches = [loss, v1.train.AdamOptimizer(RATE).minimize(loss)]
        session = v1.Session(graph=graph)
        session.run(v1.global_variables_initializer())
    feed = {x: numbers(*shape)}

    def step() -> Any:
        return session.run(fetches, feed)[0]

    for _ in range(BEFORE):
        step()
    return step
