"""zero"""
import wengert as tf
w1 = tf.Variable(tf.zeros([2, 3]) + 0.5)
w2 = tf.Variable(tf.zeros([3, 1]))
x = tf.ones([4, 2])
with tf.GradientTape() as tape:
    h = tf.tanh(x @ w1)
    loss = tf.reduce_sum(h @ w2)  #!
report = tape.explain(loss, w1)
