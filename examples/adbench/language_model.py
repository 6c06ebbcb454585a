"""A language model that predicts the next character: LSTM layers whose weights are diagonal."""

import tensorflow as tf


def loss(main, extra, state, characters):
    """Of all predictions: minus the mean logarithm of the likelihood."""
    count, size = characters.shape
    layers = main.shape[0] // 2
    states = [(state[2 * k], state[2 * k + 1]) for k in range(layers)]
    total = 0.0
    for t in range(count - 1):
        x = characters[t] * extra[0]
        for k in range(layers):
            hidden, memory = cell(main[2 * k], main[2 * k + 1], *states[k], x)
            states[k] = hidden, memory
            x = hidden
        guess = x * extra[1] + extra[2]
        logs = guess - tf.math.log(2.0 + tf.reduce_sum(tf.exp(guess)))
        total += tf.reduce_sum(characters[t + 1] * logs)
    return -total / ((count - 1) * size)


def cell(weight, bias, hidden, memory, x):
    w, b = tf.split(weight, 4), tf.split(bias, 4)
    forget, take = tf.sigmoid(x * w[0] + b[0]), tf.sigmoid(hidden * w[1] + b[1])
    give, change = tf.sigmoid(x * w[2] + b[2]), tf.tanh(hidden * w[3] + b[3])
    memory = memory * forget + take * change
    return give * tf.tanh(memory), memory


def derivative(main, extra, state, characters):
    """Value and gradient in the weights."""
    with tf.GradientTape() as tape:
        tape.watch([main, extra])
        value = loss(main, extra, state, characters)
    return value, *tape.gradient(value, [main, extra])
