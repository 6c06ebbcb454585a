"""tensorflow.python.util.tf_inspect: Python's inspect, ignoring decorators."""

import inspect
from inspect import *

globals()["getargspec"] = inspect.getfullargspec
