"""Training with Keras that is interrupted by a signal: nothing is lost, and no thread is left."""

from __future__ import annotations

import gc
import signal
import threading
import time

import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
numbers = np.random.default_rng(0).normal(size=(64, 3)).astype("float32")
pairs = tf.data.Dataset.from_tensor_slices((numbers, numbers[:, :1]))
batches = pairs.repeat().shuffle(32).map(lambda x, y: (x * 2.0, y), 2).batch(8).prefetch(2)
model.fit(batches, steps_per_epoch=2, verbose=0)
before = threading.active_count()


class Interrupting(keras.callbacks.Callback):
    """Sends the signal after some steps."""

    def on_train_batch_end(self, batch: int, logs: object = None) -> None:
        if batch == 5:
            signal.raise_signal(signal.SIGINT)


try:
    model.fit(batches, epochs=100, steps_per_epoch=50, verbose=0, callbacks=[Interrupting()])
except KeyboardInterrupt:
    print("interrupted")
kept = [np.array(w) for w in model.get_weights()]
gc.collect()  # the traceback that Keras shortens is part of a cycle, and holds the iterator
deadline = time.monotonic() + 10.0
while threading.active_count() > before and time.monotonic() < deadline:
    time.sleep(0.05)
print("threads", threading.active_count() - before)
print("finite", all(np.isfinite(w).all() for w in kept))
model.fit(batches, steps_per_epoch=3, verbose=0)
print("goes on", any((a != b).any() for a, b in zip(kept, model.get_weights(), strict=True)))
