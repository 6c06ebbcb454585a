"""after-tape"""
import wengert as tf
def f():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            a = x * x  #!
        b = a * 2.0
    return tape.explain(b, x)
report = f()
