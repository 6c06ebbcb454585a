"""Internal names of TensorFlow's that are public nowhere, and that programs import all the same.

A file a module: ops__math_ops.py holds what tensorflow.python.ops.math_ops has beside the public functions.
The resolver finds them by the name of the file.
"""
