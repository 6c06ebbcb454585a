"""tensorflow.python.kernel_tests.random: names that are not public."""
