"""tensorflow.python.ops.signal."""
