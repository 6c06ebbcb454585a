"""tensorflow.python.ops.array_grad: the gradients of operations of shapes and places, such as `_ReshapeGrad(op, grad)`."""

from __future__ import annotations

from functools import partial

from wengert.compat.inner.gradient_functions import gradient_named

__getattr__ = partial(gradient_named, "array_grad")
