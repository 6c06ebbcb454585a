"""tensorflow.python.saved_model."""
