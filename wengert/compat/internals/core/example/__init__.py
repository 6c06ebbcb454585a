"""tensorflow.core.example."""
