"""tensorflow.python.kernel_tests.sparse_ops: names that are not public."""
