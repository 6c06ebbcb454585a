"""tensorflow.python.data.util: names that are not public."""
