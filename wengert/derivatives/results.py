"""Results of a function that is differentiated: what they must be, and cotangents like them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.derivatives import structures
from wengert.ops.math.elementwise import zeros_like
from wengert.values.convert import convert
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims


def without_aux(value: Any, has_aux: bool, who: str) -> tuple[Any, Any]:
    """The part that is differentiated, and the auxiliary part."""
    if not has_aux:
        return value, None
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(
            f"With has_aux=True tf.{who} needs a function that returns a pair, got {value!r}."
        )
    return value[0], value[1]


def scalar_result(value: Any, who: str) -> Any:
    """A result that must be one number, as a tensor."""
    leaves = structures.flatten(value)
    if len(leaves) != 1:
        raise TypeError(
            f"tf.{who} needs a function whose result is one number, got a structure of "
            f"{len(leaves)} values. With has_aux=True the second of two is auxiliary."
        )
    target = differentiable_result(leaves[0], who)
    shape = dims(target)
    if is_certain(shape) and shape:
        raise ValueError(
            f"tf.{who} needs a function whose result is one number, got the shape {list(shape)}. "
            "Sum it with tf.reduce_sum, or take tf.jacobian or tf.vjp of it."
        )
    return target


def differentiable_result(value: Any, who: str) -> Any:
    """A result as a tensor that has derivatives."""
    if value is None:
        raise TypeError(f"tf.{who} needs a function that returns a tensor, and it returned None.")
    target = convert(value)
    if not target.dtype.is_differentiable:
        raise TypeError(
            f"tf.{who} needs a result of a floating or complex dtype, got {target.dtype.name}: it "
            "has no derivative. Cast earlier, not at the end."
        )
    return target


def seeds_for(targets: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
    """Cotangents as tensors of the shapes and dtypes of the results."""
    return [
        zeros_like(y) if g is None else convert(g, hint=y.dtype)
        for y, g in zip(targets, cotangents, strict=True)
    ]
