"""TensorFlow's internal names that have no public counterpart, but that programs import.

The folders mirror TensorFlow's: ops/math_ops.py holds what tensorflow.python.ops.math_ops has
besides public functions. The resolver finds a module by its path.
"""
