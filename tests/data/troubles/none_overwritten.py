"""overwritten"""
import wengert as tf
w = tf.Variable(2.0)
for step in range(3):
    with tf.GradientTape() as tape:
        loss = (w - 5.0) ** 2
    report = tape.explain(loss, w)
    if not report.right:
        break
    w = w - 0.1 * tape.gradient(loss, w)  #!
