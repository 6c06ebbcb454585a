"""Checks of what a user-defined gradient function returns, and their messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.core.context import current_graph
from wengert.errors import GradientCountError, GradientDTypeError, GradientShapeError
from wengert.values.bound_ops import bound
from wengert.values.convert import convert_to_tensor
from wengert.values.dtypes import DType
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import AnyShape, identical, is_certain, known_shape
from wengert.values.tensor import dims


def check_gradients(who: str, where: str, xs: Sequence[Any], gradients: Any) -> list[Any]:
    """The gradients as tensors, one for each input, or an error that says what is wrong."""
    given = as_list(gradients)
    if len(given) != len(xs):
        raise GradientCountError(
            f"{who} (written at {where}) returned {_count(len(given))} for "
            f"{len(xs)} input{'s' * (len(xs) != 1)} ({describe_all(xs)}). "
            "Return one for each input, in their order; None for an input that has none."
        )
    return [
        check_gradient(who, where, i, x, g) for i, (x, g) in enumerate(zip(xs, given, strict=True))
    ]


def check_gradient(who: str, where: str, index: int, x: Any, gradient: Any) -> Any:
    """One gradient as a tensor of its input's dtype and shape."""
    if gradient is None or not x.dtype.is_differentiable:
        return None
    if not isinstance(gradient, IndexedSlices):
        gradient = _as_tensor(gradient, x.dtype)
    shape = gradient.dims if isinstance(gradient, IndexedSlices) else dims(gradient)
    if gradient.dtype is not x.dtype:
        cast = f"tf.cast(gradient, tf.{x.dtype.name})"
        raise GradientDTypeError(
            f"{who} (written at {where}) returned a gradient of dtype {gradient.dtype.name} for "
            f"input {index}, which is {describe(x)}. "
            f"Return {cast if gradient.dtype.is_numeric else 'a tensor of that dtype'}.",
            index,
        )
    if not same_shape(shape, dims(x)):
        raise GradientShapeError(
            f"{who} (written at {where}) returned a gradient of shape {known_shape(shape)} for "
            f"input {index}, which is {describe(x)}. A gradient has the shape of its input: "
            "sum over the axes along which the input was broadcast.",
            index,
            known_shape(shape),
        )
    if current_graph() is not None and not isinstance(gradient, IndexedSlices):
        return _checked_when_run(who, where, index, x, gradient)
    return gradient


def _checked_when_run(who: str, where: str, index: int, x: Any, gradient: Any) -> Any:
    """The gradient, with a check of sizes when the graph runs if they are not known before."""
    mine, wanted = dims(gradient), dims(x)
    if identical(mine, wanted) or (is_certain(mine) and is_certain(wanted)):
        return gradient
    checked = bound.of_same_shape(
        gradient,
        x,
        f"{who} (written at {where}) returned a gradient of another shape than that of input "
        f"{index}, which is {describe(x)}. A gradient has the shape of its input: sum over the "
        "axes along which the input was broadcast.",
    )
    if type(gradient._array.shape) is AnyShape:  # as of a call of Python
        checked.adopt(wanted)
    return checked


def same_shape(a: Any, b: Any) -> bool:
    """Whether two shapes agree, as far as they are known."""
    return a is b or known_shape(a).is_compatible_with(known_shape(b))


def _as_tensor(gradient: Any, dtype: DType) -> Any:
    """Arrays and numbers take the dtype of the input, unless that would lose their kind."""
    plain = isinstance(gradient, (np.ndarray, np.generic, complex))
    if plain and np.iscomplexobj(gradient) and not dtype.is_complex:
        return convert_to_tensor(gradient)
    return convert_to_tensor(gradient, dtype_hint=dtype)


def describe(x: Any) -> str:
    """An input in words: dtype and shape."""
    shape = known_shape(dims(x))
    return f"{x.dtype.name}{' of unknown rank' if shape.rank is None else list(shape)}"


def describe_all(xs: Sequence[Any]) -> str:
    """Several values by their dtypes and shapes."""
    return ", ".join(f"input {i}: {describe(x)}" for i, x in enumerate(xs)) or "no inputs"


def as_list(gradients: Any) -> list[Any]:
    """What a gradient function returned: one gradient may come without a list."""
    return list(gradients) if isinstance(gradients, (list, tuple)) else [gradients]


def _count(n: int) -> str:
    return f"{n} gradient{'s' * (n != 1)}"
