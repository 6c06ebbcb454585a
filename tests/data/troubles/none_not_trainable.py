"""not-watched"""
import wengert as tf
class Layer:
    def __init__(self):
        self.scale = tf.Variable(2.0, trainable=False)
    def __call__(self, x):
        return x * self.scale
layer = Layer()
x = tf.constant([1.0, 3.0])
with tf.GradientTape() as tape:  #!
    y = tf.reduce_sum(layer(x))
report = tape.explain(y, layer.scale)
