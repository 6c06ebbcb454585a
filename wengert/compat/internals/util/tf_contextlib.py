"""tensorflow.python.util.tf_contextlib: Python's context managers."""

from contextlib import contextmanager as contextmanager
