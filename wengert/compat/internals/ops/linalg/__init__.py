"""tensorflow.python.ops.linalg: names that are not public."""
