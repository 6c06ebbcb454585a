"""tensorflow.python.compat."""
