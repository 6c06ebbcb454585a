"""override-none"""
import wengert as tf
@tf.RegisterGradient("GuidedAway")
def _none(op, grad):
    return None
with tf.Graph().as_default() as g:
    x = tf.compat.v1.placeholder(tf.float32, [3])
    with g.gradient_override_map({"Relu": "GuidedAway"}):
        h = tf.nn.relu(x)  #!
    loss = tf.reduce_sum(h * 2.0)
    report = tf.explain_gradient(loss, x)
