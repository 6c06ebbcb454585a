"""zero"""
import wengert as tf
tf1 = tf.compat.v1
with tf.Graph().as_default():
    x = tf1.placeholder(tf.float32, [2])
    w = tf1.get_variable("w", [2], initializer=tf1.ones_initializer())
    loss = tf.reduce_sum(tf.nn.relu(x * w))  #!
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        report = tf.explain_gradient(loss, w, feed_dict={x: [-1.0, -2.0]})
