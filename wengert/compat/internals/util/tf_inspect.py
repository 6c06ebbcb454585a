"""tensorflow.python.util.tf_inspect: Python's inspect, ignoring decorators."""

import inspect
from inspect import *
from typing import Any


def getfullargspec(obj: Any) -> inspect.FullArgSpec:  # type: ignore[no-redef]
    """The parameters; of the library's own functions without annotations, as TensorFlow's have none."""
    own = inspect.unwrap(obj)
    found = inspect.getfullargspec(own)
    is_ours = getattr(own, "__module__", "").startswith("wengert")
    return found._replace(annotations={}) if is_ours else found


_inspect = inspect  # programs take Python's module from here
globals()["getargspec"] = getfullargspec
