"""tensorflow.core.util."""
