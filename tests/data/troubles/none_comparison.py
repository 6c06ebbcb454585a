"""no-gradient"""
import wengert as tf
threshold = tf.Variable(0.5)
x = tf.constant([0.2, 0.9, 0.7])
with tf.GradientTape() as tape:
    mask = x > threshold  #!
    kept = tf.reduce_sum(tf.cast(mask, tf.float32) * x)
report = tape.explain(kept, threshold)
