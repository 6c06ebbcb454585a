"""stop-gradient"""
import wengert as tf
@tf.function
def target(q):
    best = tf.reduce_max(q)
    return tf.stop_gradient(best * 0.9)  #!
q = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    loss = target(q) ** 2
report = tape.explain(loss, q)
