"""tensorflow.python.framework.function: Defun, the functions of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.api.function.function import function
from wengert.api.gradients.custom_gradient import custom_gradient


class Defun:
    """A function with the dtypes of its arguments, and optionally a custom gradient.

    `python_grad_func(op, *dys)` is a gradient function as for RegisterGradient;
    `grad_func(*inputs, *dys)` is another Defun.
    """

    def __init__(self, *input_types: Any, **options: Any) -> None:
        self._python_gradient = options.get("python_grad_func")
        self._gradient = options.get("grad_func")

    def __call__(self, func: Callable[..., Any]) -> Any:
        """The function, as an operation of a graph."""
        traced = function(func)
        if self._python_gradient is None and self._gradient is None:
            return traced

        @custom_gradient
        def with_gradient(*args: Any) -> Any:
            result = traced(*args)
            return result, lambda *dys: self._back(args, result, dys)

        return with_gradient

    def _back(self, args: tuple[Any, ...], result: Any, dys: tuple[Any, ...]) -> Any:
        if self._python_gradient is not None:
            return self._python_gradient(_Call(args, result), *dys)
        assert self._gradient is not None
        return self._gradient(*args, *dys)


class _Call:
    """What a gradient function gets in place of an operation."""

    def __init__(self, inputs: Any, outputs: Any) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
