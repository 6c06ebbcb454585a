"""log"""
import wengert as tf
x = tf.Variable([0.0, 200.0])
with tf.GradientTape() as tape:
    p = tf.nn.softmax(x)
    y = -tf.math.log(p)[0]  #!
report = tape.explain(y, x)
