"""tensorflow.python.util.tf_contextlib: Python's contexts."""

from contextlib import contextmanager as contextmanager
