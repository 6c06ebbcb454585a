"""no-path"""
import wengert as tf
with tf.Graph().as_default():
    a = tf.compat.v1.get_variable("a", [], initializer=tf.compat.v1.ones_initializer())
    b = tf.compat.v1.get_variable("b", [], initializer=tf.compat.v1.ones_initializer())
    loss = a * 3.0  #!
    report = tf.explain_gradient(loss, b)
