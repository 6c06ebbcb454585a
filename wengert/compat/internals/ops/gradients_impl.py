"""tensorflow.python.ops.gradients_impl: its names that are not public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.api.gradients.graph_gradients import gradients
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.math.arithmetic import multiply


def _hessian_vector_product(ys: Any, xs: Sequence[Any], v: Sequence[Any]) -> list[Any]:
    """The Hessian times a vector: the gradient of the gradient's product with it."""
    if len(v) != len(xs):
        raise ValueError(f"xs and v must have the same length, got {len(xs)} and {len(v)}.")
    grads = gradients(ys, xs)
    products = [
        multiply(g, stop_gradient(t)) for g, t in zip(grads, v, strict=True) if g is not None
    ]
    return list(gradients(products, xs))
