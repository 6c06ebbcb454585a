"""exp"""
import wengert as tf
tf1 = tf.compat.v1
with tf.Graph().as_default():
    x = tf1.placeholder(tf.float32, [2])
    y = tf.reduce_sum(tf.exp(x))  #!
    report = tf.explain_gradient(y, x, feed_dict={x: [800.0, 1.0]}, session=tf1.Session())
