"""tensorflow.python.layers."""
