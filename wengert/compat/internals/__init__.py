"""Internal names of TensorFlow's that are public nowhere, and that programs import all the same.

A folder for each of TensorFlow's: ops/math_ops.py holds what tensorflow.python.ops.math_ops has beside
the public functions. The resolver finds a module by its place.
"""
