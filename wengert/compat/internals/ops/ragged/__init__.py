"""tensorflow.python.ops.ragged."""
