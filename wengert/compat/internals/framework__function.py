"""tensorflow.python.framework.function: Defun, the functions of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.api.custom_gradient import custom_gradient
from wengert.api.function import function


class Defun:
    """A function with the dtypes of its arguments, and perhaps a gradient of its own in Python."""

    def __init__(self, *input_types: Any, **options: Any) -> None:
        self._options = options

    def __call__(self, func: Callable[..., Any]) -> Any:
        own = self._options.get("python_grad_func")
        traced = function(func)
        if own is None:
            return traced

        @custom_gradient
        def with_gradient(*args: Any) -> Any:
            result = traced(*args)
            op = _Call(args, result)
            return result, lambda *dys: own(op, *dys)

        return with_gradient


class _Call:
    """What a gradient function is given in place of an operation."""

    def __init__(self, inputs: Any, outputs: Any) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
