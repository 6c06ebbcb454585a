"""Does a program give the same numbers eagerly and lazily, in a session and as a tf.function?

The program raises x to the power n by a loop whose length is data. At x = 2, n = 5 its value is 32, its
derivative 80 and its second derivative 160, in each of the three ways.
"""

import tensorflow as tf
from showing import show, title

v1 = tf.compat.v1


def power(x, n):
    def more(i, p):
        return i < n

    def multiply(i, p):
        return i + 1, p * x

    return tf.while_loop(more, multiply, (tf.constant(0), tf.ones_like(x)))[1]


def by_tapes(f, x, n):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x, n)
        first = inner.gradient(y, x)
    return y, first, outer.gradient(first, x)


def in_a_session(x_value, n_value):
    """First the graph, with places for the numbers; then the numbers."""
    with tf.Graph().as_default():
        x, n = v1.placeholder(tf.float32, []), v1.placeholder(tf.int32, [])
        y = power(x, n)
        (first,) = tf.gradients(y, x)
        (second,) = tf.gradients(first, x)
        with v1.Session() as session:
            return session.run([y, first, second], {x: x_value, n: n_value})


title("Does a program give the same numbers eagerly and lazily?")
two, five = tf.constant(2.0), tf.constant(5)
show("x⁵ at 2, eagerly: value and derivatives", by_tapes(power, two, five), [32, 80, 160])
show("in a session", in_a_session(2.0, 5), [32, 80, 160])
traced = tf.function(power)
show("as a tf.function", by_tapes(traced, two, five), [32, 80, 160])
by_tapes(traced, tf.constant(3.0), tf.constant(4))
show("how often the function was traced", traced.experimental_get_tracing_count(), 1)

# Tensors of a graph have names, and can be fed and fetched by them.
with tf.Graph().as_default():
    a, b = v1.placeholder(tf.float32, name="a"), v1.placeholder(tf.float32, name="b")
    tf.add(a, b, name="total")
    with v1.Session() as session:
        fed = session.run("total:0", {"a:0": [1.0, 3.0], "b:0": [2.0, 4.0]})
show("a + b by their names", fed, [3, 7])
