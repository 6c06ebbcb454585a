"""Models of Keras and Sonnet, which are trained."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import sonnet as snt
import tensorflow as tf

X = np.linspace(-1, 1, 64, dtype=np.float32).reshape(32, 2)
Y = (X**2).sum(1, keepdims=True)


def fitted() -> Any:
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [keras.Input((2,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)]
    )
    model.compile(optimizer="adam", loss="mse", metrics=["mae"])
    history = model.fit(X, Y, epochs=3, batch_size=8, verbose=0, validation_split=0.25)
    return history.history, model.predict(X[:3], verbose=0), model.evaluate(X, Y, verbose=0)


def functional() -> Any:
    keras.utils.set_random_seed(2)
    a, b = keras.Input((2,), name="a"), keras.Input((2,), name="b")
    joined = keras.layers.Concatenate()([keras.layers.Dense(4)(a), keras.layers.Dense(4)(b)])
    out = keras.layers.Dense(1)(keras.layers.BatchNormalization()(joined))
    model = keras.Model({"a": a, "b": b}, out)
    model.compile(optimizer=keras.optimizers.SGD(0.05), loss="mse")
    stop = keras.callbacks.EarlyStopping(monitor="loss", patience=1)
    history = model.fit(
        {"a": X, "b": X[::-1]}, Y, epochs=3, verbose=0, shuffle=False, callbacks=[stop]
    )
    return history.history


def subclassed() -> Any:
    keras.utils.set_random_seed(3)

    class Model(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.first = keras.layers.Dense(4, activation="relu")
            self.last = keras.layers.Dense(1)

        def call(self, x: Any) -> Any:
            return self.last(self.first(x))

        def train_step(self, data: Any) -> Any:
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            grads = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(grads, self.trainable_variables, strict=True))
            return {"loss": loss}

    model = Model()
    model.compile(optimizer="rmsprop")
    data = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(32, seed=4).batch(8)
    return model.fit(data, epochs=2, verbose=0).history


def convolutional() -> Any:
    keras.utils.set_random_seed(4)
    images = np.random.RandomState(0).rand(16, 8, 8, 1).astype(np.float32)
    model = keras.Sequential(
        [
            keras.layers.Conv2D(4, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.2, seed=1),
            keras.layers.Dense(3, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(images, np.arange(16) % 3, epochs=2, batch_size=4, verbose=0)
    return history.history


def recurrent() -> Any:
    keras.utils.set_random_seed(5)
    model = keras.Sequential([keras.layers.LSTM(4), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    rows = np.random.RandomState(0).rand(8, 5, 3).astype(np.float32)
    return model.fit(rows, rows[:, 0, :1], epochs=2, verbose=0).history


def of_sonnet() -> Any:
    tf.random.set_seed(1)
    model = snt.nets.MLP([8, 1])
    optimizer = snt.optimizers.Adam(0.05)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(X) - Y) ** 2)
        variables = model.trainable_variables
        optimizer.apply(tape.gradient(loss, variables), variables)
        return loss

    losses = [step() for _ in range(20)]
    core = snt.LSTM(4)
    unrolled, _ = snt.dynamic_unroll(core, tf.ones([5, 2, 3]), core.initial_state(2))
    norm = snt.BatchNorm(True, True)(tf.ones([2, 4, 4, 3]), is_training=True)
    return losses[0], losses[-1], unrolled.shape.as_list(), norm[0, 0, 0]


def by_tensorflows_names() -> Any:
    """What Keras has in TensorFlow outside of tf.keras, in one model; beside it version 1's functions."""
    rate = tf.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    same = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    histories = []
    for optimizer in (
        tf.optimizers.Adam(0.01),
        tf.optimizers.SGD(rate, momentum=0.9, nesterov=True),
        keras.optimizers.RMSprop(rate),
        tf.optimizers.Nadam(same, clipnorm=1.0),
    ):
        keras.utils.set_random_seed(4)
        start = tf.initializers.RandomUniform(-0.1, 0.1, seed=1)
        model = keras.Sequential(
            [keras.Input((2,)), keras.layers.Dense(1, kernel_initializer=start)]
        )
        loss = tf.losses.Huber(reduction=tf.losses.Reduction.SUM)
        model.compile(optimizer, loss=loss, metrics=[tf.metrics.MeanSquaredError(), tf.metrics.mae])
        histories.append(model.fit(X, Y, epochs=3, batch_size=8, verbose=0).history)
    mean = tf.metrics.Mean()
    mean.update_state([1.0, 2.0])
    crossed = tf.losses.BinaryCrossentropy(from_logits=True)([[1.0]], [[2.0]])
    old = tf.compat.v1.losses.mean_squared_error([1.0], [3.0])
    return histories, mean.result(), crossed, old, model.optimizer.learning_rate


def own_loop() -> Any:
    """A program's own loop, around variables of Keras's."""
    found = []
    for optimizer, wrap in (
        (tf.optimizers.Adam(0.05), tf.function),
        (tf.optimizers.SGD(0.05, momentum=0.9), lambda step: step),
        (tf.optimizers.AdamW(0.05, weight_decay=0.1, use_ema=True), tf.function(jit_compile=True)),
        (tf.optimizers.Nadam(0.05), tf.function),
    ):
        keras.utils.set_random_seed(6)
        model = keras.Sequential(
            [keras.Input((2,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)]
        )
        measure, mean = tf.losses.MeanSquaredError(), tf.metrics.Mean()
        optimizer.build(model.trainable_variables)

        def step(model=model, measure=measure, optimizer=optimizer, mean=mean) -> Any:
            with tf.GradientTape() as tape:
                loss = measure(Y, model(X, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            mean.update_state(loss)
            return loss

        run = wrap(step)
        losses = [run() for _ in range(5)]
        found.append(
            [losses, mean.result(), len(optimizer.variables), model.trainable_variables[-1]]
        )
    return found


def embedded() -> Any:
    """Gradients of rows, of which optimizers compute by branches."""
    words = np.arange(10).reshape(2, 5) % 6
    found = []
    for optimizer in ("rmsprop", "adagrad", "adam", keras.optimizers.SGD(0.1, momentum=0.5)):
        keras.utils.set_random_seed(7)
        model = keras.Sequential(
            [keras.Input((5,)), keras.layers.Embedding(6, 3), keras.layers.Dense(6)]
        )
        model.compile(optimizer, tf.losses.SparseCategoricalCrossentropy(from_logits=True))
        history = model.fit(words, np.roll(words, 1, 1), epochs=3, verbose=0, shuffle=False)
        found.append(history.history["loss"])
    return found


def own_optimizer() -> Any:
    """Of a class of the program's own."""

    class Signs(keras.optimizers.Optimizer):
        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            self.assign_sub(variable, learning_rate * tf.sign(gradient))

    keras.utils.set_random_seed(5)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(Signs(0.01), loss=tf.losses.mse)
    return model.fit(X, Y, epochs=2, verbose=0).history


PROGRAMS = {
    "sequential": fitted,
    "functional": functional,
    "subclassed": subclassed,
    "convolutional": convolutional,
    "recurrent": recurrent,
    "by TensorFlow's names": by_tensorflows_names,
    "embedded": embedded,
    "own loop": own_loop,
    "own optimizer": own_optimizer,
    "sonnet": of_sonnet,
}
