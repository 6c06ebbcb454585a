"""tensorflow.python.eager.function: functions, under their former name."""

from wengert.api.function.function import ConcreteFunction as ConcreteFunction
from wengert.api.function.function import function as defun

__all__ = ["ConcreteFunction", "defun"]
