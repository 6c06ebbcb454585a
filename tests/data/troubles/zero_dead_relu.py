"""zero"""
import wengert as tf
w = tf.Variable([[-1.0, -2.0]])
x = tf.constant([[1.0], [3.0]])
with tf.GradientTape() as tape:
    h = tf.nn.relu(x @ w)  #!
    loss = tf.reduce_sum(h)
report = tape.explain(loss, w)
