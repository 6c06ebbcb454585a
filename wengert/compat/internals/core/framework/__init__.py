"""tensorflow.core.framework."""
