"""tensorflow.python.platform.tf_logging: the logger, as functions."""

from wengert.compat.v1.logging import *
