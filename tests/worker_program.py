"""Trains in several processes, from its last checkpoint; prints its losses and its weights at the end, in full."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import wengert as tf

folder, engine, steps, batch = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
dies_at = int(sys.argv[5]) if len(sys.argv) > 5 else 0
tf.config.set_engine(engine)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
index = strategy.process_index
time.sleep(float(os.environ.get("LATE", "0")) * index)
rng = np.random.default_rng(0)
X = rng.normal(size=(64, 5)).astype(np.float32)
Y = np.tanh(X @ rng.normal(size=(5, 2)).astype(np.float32))

with strategy.scope():
    own = np.random.default_rng(index)  # the first process's count
    hidden = tf.Variable(own.normal(size=(5, 8)).astype(np.float32))
    out = tf.Variable(own.normal(size=(8, 2)).astype(np.float32))
    optimizer = tf.optimizers.Adam(0.02)
    optimizer.build([hidden, out])
checkpoint = tf.train.Checkpoint(hidden=hidden, out=out, optimizer=optimizer)
manager = tf.train.CheckpointManager(checkpoint, folder, 2)
checkpoint.restore(manager.latest_checkpoint)


def replica(x: Any, y: Any) -> Any:
    with tf.GradientTape() as tape:
        each = tf.square(tf.matmul(tf.tanh(tf.matmul(x, hidden)), out) - y)
        loss = tf.reduce_sum(each) / batch
    weights = [hidden, out]
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
    return loss


@tf.function
def step(x: Any, y: Any) -> Any:
    return strategy.reduce("SUM", strategy.run(replica, (x, y)), axis=None)


first = int(optimizer.iterations.numpy())
dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(batch).repeat().skip(first)
batches = iter(strategy.experimental_distribute_dataset(dataset))
for number in range(first + 1, steps + 1):
    x, y = next(batches)
    loss = step(x, y)
    if index == 0 and number % 2 == 0:
        manager.save(checkpoint_number=number)
    if number == dies_at and index == strategy.num_replicas_in_sync - 1:
        print("dying", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
if index == 0:
    weights = [v.numpy().ravel().tolist() for v in (hidden, out)]
    print("RESULT", [float(loss), *weights[0], *weights[1]])
