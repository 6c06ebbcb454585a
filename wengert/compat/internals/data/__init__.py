"""tensorflow.python.data: names that are not public."""
