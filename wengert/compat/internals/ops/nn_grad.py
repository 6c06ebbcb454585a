"""tensorflow.python.ops.nn_grad: the gradients of operations of networks, such as `_ReluGrad(op, grad)`."""

from __future__ import annotations

from functools import partial

from wengert.compat.inner.gradient_functions import gradient_named

__getattr__ = partial(gradient_named, "nn_grad")
