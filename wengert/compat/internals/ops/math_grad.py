"""tensorflow.python.ops.math_grad: the gradients of operations of arithmetic, such as `_TanhGrad(op, grad)`."""

from __future__ import annotations

from functools import partial

from wengert.compat.inner.gradient_functions import gradient_named

__getattr__ = partial(gradient_named, "math_grad")
