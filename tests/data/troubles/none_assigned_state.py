"""overwritten"""
import wengert as tf
x = tf.Variable(2.0)
state = tf.Variable(0.0)
with tf.GradientTape() as tape:
    h = x * x
    state.assign(h)  #!
    loss = state * 3.0
report = tape.explain(loss, x)
