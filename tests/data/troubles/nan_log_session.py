"""log"""
import wengert as tf
tf1 = tf.compat.v1
with tf.Graph().as_default():
    x = tf1.placeholder(tf.float32, [2])
    y = tf.reduce_sum(tf.math.log(x))  #!
    report = tf.explain_gradient(y, x, feed_dict={x: [0.0, 2.0]}, session=tf1.Session())
