"""zero"""
import wengert as tf
w = tf.Variable([50.0, -80.0])
with tf.GradientTape() as tape:
    h = tf.tanh(w)  #!
    loss = tf.reduce_mean(h * h)
report = tape.explain(loss, w)
