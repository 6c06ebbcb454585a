"""tensorflow.python.util.tf_inspect: Python's inspect, past decorators."""

from inspect import *  # noqa: F403
from inspect import getfullargspec as getargspec  # noqa: F401
