"""no-gradient"""
import wengert as tf
logits = tf.Variable([1.0, 3.0, 2.0])
with tf.GradientTape() as tape:
    p = tf.nn.softmax(logits)
    choice = tf.argmax(p)  #!
    loss = tf.reduce_sum(tf.cast(choice, tf.float32) ** 2)
report = tape.explain(loss, logits)
