"""tensorflow.python.data.kernel_tests: names that are not public."""
