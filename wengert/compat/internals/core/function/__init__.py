"""tensorflow.core.function."""
