"""left-tape"""
import wengert as tf
w = tf.Variable(0.5)
with tf.GradientTape() as tape:
    norm = tf.abs(w)
    scale = float(norm)  #!
    loss = tf.constant(3.0) * scale
report = tape.explain(loss, w)
