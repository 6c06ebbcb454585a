"""tensorflow.python.kernel_tests: names that are not public."""
