"""tensorflow.python.kernel_tests.nn_ops: names that are not public."""
