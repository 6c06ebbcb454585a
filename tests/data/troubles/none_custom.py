"""custom-none"""
import wengert as tf
@tf.custom_gradient
def scaled(x, s):
    def grad(dy):
        return dy * s, None
    return x * s, grad
x, s = tf.Variable(2.0), tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = scaled(x, s)  #!
    loss = y * y
report = tape.explain(loss, s)
