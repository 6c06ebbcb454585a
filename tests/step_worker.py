"""A step that changes variables of every aggregation and draws from a generator in common, on two replicas.

`python step_worker.py mirrored ENGINE` has both in one process, `wengert launch -n 2 step_worker.py processes ENGINE`
one in each; the first one prints what there is in the end.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

import wengert as tf

kind, engine = sys.argv[1:3]
if kind == "mirrored":
    processor = tf.config.list_physical_devices("CPU")[0]
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(processor, two)
    strategy: Any = tf.distribute.MirroredStrategy()
else:
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
assert strategy.num_replicas_in_sync == 2
tf.config.set_engine(engine)
by = tf.VariableAggregation
kept: Any = {"trainable": False, "synchronization": tf.VariableSynchronization.ON_READ}
with strategy.scope():
    w = tf.Variable(tf.ones([3, 2]))
    average = tf.Variable(tf.zeros([2]), aggregation=by.MEAN, **kept)
    total = tf.Variable(0.0, aggregation=by.SUM, **kept)
    count = tf.Variable(0, aggregation=by.ONLY_FIRST_REPLICA, trainable=False)
    generator = tf.random.Generator.from_seed(3)
    optimizer = tf.optimizers.Adam(0.1)


def replica(x: Any) -> Any:
    noise = generator.normal([2, 3])
    with tf.GradientTape() as tape:
        mean, variance = tf.nn.moments((x + noise) @ w, 0)
        y = tf.nn.batch_normalization(x @ w, mean, variance, None, None, 1e-3)
        loss = tf.reduce_mean(tf.square(y - 1.0)) / 2.0
    average.assign(0.9 * average + 0.1 * mean)
    slopes, _ = tf.clip_by_global_norm([tape.gradient(loss, w)], 0.5)
    optimizer.apply_gradients(zip(slopes, [w], strict=True))
    total.assign_add(loss)
    count.assign_add(1)
    return loss


@tf.function
def step(x: Any) -> Any:
    return strategy.reduce("SUM", strategy.run(replica, (x,)), axis=None)


X = np.random.default_rng(0).normal(size=(12, 3)).astype(np.float32)
dataset = tf.data.Dataset.from_tensor_slices(X).batch(4)
losses = [step(x) for x in strategy.experimental_distribute_dataset(dataset)]
found = [*losses, w, average, total, count, generator.state]
if kind == "mirrored" or strategy.process_index == 0:
    print("RESULT", json.dumps([np.ravel(x.numpy()).tolist() for x in found]), flush=True)
