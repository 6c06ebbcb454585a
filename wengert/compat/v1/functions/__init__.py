"""The functions of tf.compat.v1 that are not those of TensorFlow 2."""
