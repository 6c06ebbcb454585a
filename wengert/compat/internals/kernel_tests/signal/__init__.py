"""tensorflow.python.kernel_tests.signal: names that are not public."""
