"""no-gradient"""
import wengert as tf
tf1 = tf.compat.v1
with tf.Graph().as_default():
    x = tf1.placeholder(tf.float32, [None, 4])
    w = tf1.get_variable("w", [4, 3])
    logits = tf.matmul(x, w)
    prediction = tf.argmax(logits, 1)  #!
    accuracy = tf.reduce_mean(tf.cast(prediction, tf.float32))
    report = tf.explain_gradient(accuracy, w)
