"""tensorflow.python.data.ops: names that are not public."""
