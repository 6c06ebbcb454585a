"""tensorflow.python.util.tf_inspect: Python's inspect, past decorators."""

import inspect
from inspect import *

globals()["getargspec"] = inspect.getfullargspec
