"""tensorflow.python.ops.numpy_ops."""
