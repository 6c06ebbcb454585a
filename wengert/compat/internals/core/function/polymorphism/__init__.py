"""tensorflow.core.function.polymorphism."""
