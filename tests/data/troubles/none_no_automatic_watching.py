"""not-watched"""
import wengert as tf
def train(w):
    with tf.GradientTape(watch_accessed_variables=False) as tape:  #!
        loss = (w - 3.0) ** 2
    return tape.explain(loss, w)
report = train(tf.Variable(1.0))
