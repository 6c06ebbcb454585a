"""tensorflow.python.ops.parallel_for."""
