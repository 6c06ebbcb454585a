"""spectrum"""
import wengert as tf
x = tf.Variable([[2.0, 0.0], [0.0, 2.0]])
with tf.GradientTape() as tape:
    values, vectors = tf.linalg.eigh(x)  #!
    matrix = (vectors * tf.exp(values)) @ tf.transpose(vectors)
    y = tf.reduce_sum(matrix * tf.constant([[0.0, 1.0], [1.0, 0.0]]))
report = tape.explain(y, x)
