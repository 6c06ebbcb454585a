"""Compiled gradients beside those of TensorFlow, XLA, JAX and PyTorch, and handwritten limits."""
