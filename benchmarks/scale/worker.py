"""One contestant: prints the milliseconds of a step, and of the all-reduce of its gradients."""

from __future__ import annotations

import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

import wengert as tf
from wengert.distribute import processes

SIZES: Final = (512, 1024, 1024, 16)
BATCH: Final = 1024
STEPS: Final = 30
WARM: Final = 5


def median_ms(call: Callable[[], Any]) -> float:
    """The median time of a call, after some that are not counted."""
    times = []
    for _ in range(WARM + STEPS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times[WARM:]) * 1e3


class Network:
    """Three layers, trained by gradient descent; a loss that is a sum over examples."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        pairs = itertools.pairwise(SIZES)
        self.weights = [tf.Variable((rng.normal(size=p) / 30).astype(np.float32)) for p in pairs]
        self.optimizer = tf.optimizers.SGD(1e-3)
        self.x = rng.normal(size=(BATCH, SIZES[0])).astype(np.float32)
        self.y = rng.normal(size=(BATCH, SIZES[-1])).astype(np.float32)

    @property
    def bytes(self) -> int:
        """The size of all gradients."""
        return sum(4 * int(np.prod(w.shape)) for w in self.weights)

    def step(self, x: Any, y: Any) -> Any:
        """A step of gradient descent."""
        with tf.GradientTape() as tape:
            h = x
            for w in self.weights[:-1]:
                h = tf.nn.relu(tf.matmul(h, w))
            loss = tf.reduce_sum(tf.square(tf.matmul(h, self.weights[-1]) - y)) / BATCH
        gradients = tape.gradient(loss, self.weights)
        self.optimizer.apply_gradients(zip(gradients, self.weights, strict=True))
        return loss


def on_devices(count: int) -> dict[str, float]:
    """Data parallel on a mesh of virtual devices; XLA adds the gradients within the step."""
    four = [tf.config.LogicalDeviceConfiguration()] * count
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], four)
    network = Network()
    mesh = tf.distribute.Mesh({"data": count})
    for weight in network.weights:
        tf.distribute.replicate(weight, mesh)
    x, y = (tf.distribute.shard(v, mesh, "data") for v in (network.x, network.y))
    step = tf.function(network.step, engine="xla")
    parts = [np.ones((count, network.bytes // 4), np.float32)]
    rows = tf.distribute.shard(parts[0], mesh, "data")
    total = tf.Variable(np.zeros(network.bytes // 4, np.float32))
    tf.distribute.replicate(total, mesh)
    add = tf.function(lambda rows: total.assign(tf.reduce_sum(rows, 0)) is None, engine="xla")
    alone = median_ms(lambda: add(rows)) if count > 1 else 0.0
    return {
        "step": median_ms(lambda: step(x, y).numpy()),  # XLA itself does not wait
        "reduce": alone,
        "bytes": network.bytes,
        "own": 0.0,
    }


def in_processes() -> dict[str, float]:
    """A part of the batch in each process, on the native engine."""
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        network = Network()
    count, at = strategy.num_replicas_in_sync, strategy.process_index
    x, y = (tf.constant(np.array_split(v, count)[at]) for v in (network.x, network.y))
    step = tf.function(lambda x, y: strategy.run(network.step, (x, y)))
    given = np.ones(network.bytes // 4, np.float32)
    alone = median_ms(lambda: processes.added(given)) if count > 1 else 0.0
    found = {"step": median_ms(lambda: step(x, y)), "reduce": alone, "bytes": network.bytes}
    own = tf.function(network.step)  # what each computes of its part, without the others
    return {**found, "own": median_ms(lambda: own(x, y))}


if __name__ == "__main__":
    found = on_devices(int(sys.argv[2])) if sys.argv[1] == "devices" else in_processes()
    print(json.dumps(found), flush=True)
