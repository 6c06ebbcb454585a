"""Mistakes that type checkers must find, each at the end of its line (tests/test_typing.py)."""

from __future__ import annotations

import wengert as tf

x = tf.constant([1.0, -2.0])
tf.nn.relu(x=x)  # call-arg
tf.nn.relu(features=x)
tf.atan2(x=x, z=x)  # call-arg
tf.reduce_sum(x, axes=0)  # call-arg
tf.no_such_function(x)  # attr-defined
tf.cast(x, 2.5)  # arg-type
tf.reshape(x, "a shape")  # arg-type
tf.exp(lambda: 1.0)  # arg-type
with tf.GradientTape() as tape:
    tape.watch(1.0)  # arg-type
tape.gradient(x, [x]).numpy()  # attr-defined
