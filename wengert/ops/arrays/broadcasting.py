"""Broadcast shapes, bitcast, polyval, and a few others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import integers
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.joining import stack
from wengert.ops.math.elementwise import zeros_like
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import TensorShape, shape_text
from wengert.values.sizes import maximum
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

# ---- shapes -----------------------------------------------------------------------------------


def _broadcast_kernel(_: Namespace, x: Array, y: Array) -> Array:
    try:
        shape = np.broadcast_shapes(tuple(x.tolist()), tuple(y.tolist()))
    except ValueError:
        raise InvalidArgumentError(
            f"Incompatible shapes: {shape_text(tuple(x.tolist()))} vs. {shape_text(tuple(y.tolist()))} "
            "[Op:BroadcastArgs]"
        ) from None
    return np.array(shape, x.dtype)


BROADCAST_ARGS: Row = op(
    "BroadcastArgs", _broadcast_kernel, shape=lambda x, y: (maximum(x[0], y[0]),)
)


@deferrable
def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """The shape to which two shapes broadcast, as a tensor.

    >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist()
    [2, 3]
    """
    x = integers(shape_x, "T", "int32, int64")
    result: Tensor = apply(BROADCAST_ARGS, (x, convert(shape_y, x.dtype)))
    return result


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape to which two shapes broadcast.

    >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    TensorShape([2, 3])
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    rank = max(x.rank, y.rank)
    sizes = [_wider(a, b, x, y) for a, b in zip(_padded(x, rank), _padded(y, rank), strict=True)]
    return TensorShape(sizes)


def _padded(shape: TensorShape, rank: int) -> list[Any]:
    return [1] * (rank - len(shape)) + shape.as_list()


def _wider(a: int, b: int, x: TensorShape, y: TensorShape) -> int:
    if a == 1 or a == b:
        return b
    if b == 1:
        return a
    if a is None or b is None:
        return b if a is None else a
    raise ValueError(f"Incompatible shapes for broadcasting: {x} and {y}.")


# ---- the same bytes ---------------------------------------------------------------------------


def _bitcast_kernel(_: Namespace, x: Array, *, type: DType) -> Array:
    target = np.dtype(type.numpy_dtype)
    x = np.ascontiguousarray(x).reshape(x.shape)  # a scalar would become a vector
    if target.itemsize == x.dtype.itemsize:
        return x.view(target)
    if target.itemsize < x.dtype.itemsize:
        return x[..., None].view(target)
    return x.view(target)[..., 0]


BITCAST: Row = op("Bitcast", _bitcast_kernel)


@deferrable
def bitcast(input: TensorLike, type: Any, name: str | None = None) -> Tensor:
    """Reinterpret the bytes as another dtype, with one axis more or less if the sizes differ.

    >>> tf.bitcast(tf.constant(1.0), tf.int32).numpy().item()
    1065353216
    """
    x, kind = convert(input), as_dtype(type)
    ratio = np.dtype(kind.numpy_dtype).itemsize // x.dtype.numpy_dtype.itemsize
    if ratio > 1 and dims(x)[-1:] != (ratio,):
        raise InvalidArgumentError(
            f"Cannot bitcast from {x.dtype.spoken} to {kind.spoken}: shape {shape_text(dims(x))} "
            f"[Op:Bitcast]. The last axis must have {ratio} elements."
        )
    result: Tensor = apply(BITCAST, (x,), {"type": kind})
    return result


# ---- values unchanged -------------------------------------------------------------------------


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """The tensor itself; a promise to TensorFlow's runtime that it never changes.

    >>> tf.guarantee_const([1.0]).numpy().tolist()
    [1.0]
    """
    same: Tensor = identity(input)
    return same


def parallel_stack(values: Iterable[TensorLike], name: str = "parallel_stack") -> Tensor:
    """Stack tensors along a new first axis.

    >>> tf.parallel_stack([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return stack(values)


# ---- polynomials ------------------------------------------------------------------------------


@deferrable
def polyval(coeffs: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Evaluate a polynomial by Horner's rule; the coefficient of the highest power comes first.

    >>> tf.math.polyval([2.0, 0.0, 1.0], 3.0).numpy().item()
    19.0
    """
    if not isinstance(coeffs, list):
        raise ValueError(
            f"Argument coeffs must be list type. Received type {type(coeffs).__name__}."
        )
    at = convert(x)
    if not coeffs:
        return zeros_like(at)
    terms = [convert(c, hint=at.dtype) for c in coeffs]
    total = terms[0]
    for term in terms[1:]:
        total = total * at + term
    return total
