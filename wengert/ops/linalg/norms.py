"""Norms of vectors and matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.context import is_replaced
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import expand_dims, squeeze, transpose
from wengert.ops.linalg.svd import svd
from wengert.ops.math.arithmetic import maximum, pow
from wengert.ops.math.complex import abs, complex, conj, imag, real
from wengert.ops.math.elementwise import cast, rsqrt, sqrt, square
from wengert.ops.reductions.reductions import normal_axes, reduce_max, reduce_sum
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Integers, TensorLike


@deferrable
def norm(
    tensor: TensorLike,
    ord: str | float = "euclidean",
    axis: Integers | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """The norm of vectors (axis None or an integer) or matrices (axis a pair).

    >>> tf.norm([3.0, 4.0]).numpy().item(), tf.norm([3.0, -4.0], ord=1).numpy().item()
    (5.0, 7.0)
    """
    _check_axis(axis)
    x = convert(tensor)
    keep = bool(keepdims)
    matrices = isinstance(axis, (list, tuple)) and len(axis) == 2
    if ord in ("euclidean", "fro") or (ord == 2 and not matrices):
        if ord == "fro" and not matrices:
            raise ValueError(
                "'ord' must be a supported vector norm, got fro. "
                f"'fro' is a norm of matrices: axis must be a pair, got {axis!r}."
            )
        squares = real(x * conj(x)) if x.dtype.is_complex else x * x
        if is_replaced("Squeeze") and not keep:  # as TensorFlow makes it of others
            return squeeze(cast(sqrt(reduce_sum(squares, axis, True)), x.dtype), axis)
        return cast(sqrt(reduce_sum(squares, axis, keep)), x.dtype)
    size = abs(x)
    if ord == 1 and not matrices:
        return cast(reduce_sum(size, axis, keep), x.dtype)
    if ord == np.inf and not matrices:
        return cast(reduce_max(size, axis, keep), x.dtype)
    if matrices and ord in (1, np.inf):
        return cast(_largest_sum(size, axis, ord, keep), x.dtype)
    if matrices and ord == 2:
        return cast(_largest_singular_value(x, axis, keep), x.dtype)
    if matrices:
        raise ValueError(
            f"'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {ord}"
        )
    if not isinstance(ord, (int, float)) or ord <= 0:
        raise ValueError(
            f"'ord' must be a supported vector norm, got {ord}. "
            "Supported are 'euclidean', inf and any positive number."
        )
    return cast(pow(reduce_sum(pow(size, float(ord)), axis, keep), 1.0 / ord), x.dtype)


def _check_axis(axis: Any) -> None:
    is_pair = isinstance(axis, (list, tuple))
    axes = [] if axis is None else list(axis) if is_pair else [axis]
    integers = all(isinstance(a, (int, np.integer)) for a in axes)
    if is_pair and not (integers and len(axes) == len(set(axes)) and len(axes) in (1, 2)):
        raise ValueError(
            f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
        )


def _largest_sum(size: Tensor, axis: Any, ord: str | float, keep: bool) -> Tensor:
    rows, columns = (normal_axes(a, len(dims(size)), "Norm")[0] for a in axis)
    summed, kept = (rows, columns) if ord == 1 else (columns, rows)
    if keep:
        return reduce_max(reduce_sum(size, summed, True), kept, True)
    return reduce_max(reduce_sum(size, summed), kept - (kept > summed))


def _largest_singular_value(x: Tensor, axis: Any, keep: bool) -> Tensor:
    rank = len(dims(x))
    at = [normal_axes(a, rank, "Norm")[0] for a in axis]
    others = [i for i in range(rank) if i not in at]
    largest = reduce_max(svd(transpose(x, (*others, *at)), compute_uv=False), -1)
    if keep:
        for i in sorted(at):
            largest = expand_dims(largest, i)
    return largest


@deferrable
def normalize(
    tensor: TensorLike,
    ord: str | float = "euclidean",
    axis: Integers | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Normalize a tensor: divide it by its norm; returns the norm, too.

    >>> unit, size = tf.linalg.normalize([3.0, 4.0])
    >>> print(unit.numpy().round(4), size.numpy())
    [0.6 0.8] [5.]
    """
    x = convert(tensor)
    size = norm(x, ord, axis, True)
    return x / size, size


@deferrable
def l2_normalize(
    x: TensorLike,
    axis: Integers | None = None,
    epsilon: TensorLike = 1e-12,
    name: str | None = None,
    dim: Integers | None = None,
) -> Tensor:
    """L2 normalization: x / max(norm(x), sqrt(epsilon)) along an axis.

    >>> print(tf.linalg.l2_normalize([3.0, 4.0]).numpy().round(4))
    [0.6 0.8]
    """
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'axis' and 'dim'.")
    t, along = convert(x), dim if axis is None else axis
    if not t.dtype.is_complex:
        # The same number by the operation that a map of gradients may name, as TensorFlow makes it.
        squares = square(t) if is_replaced("Square") else t * t
        total = reduce_sum(squares, along, True)
        return t * rsqrt(maximum(total, convert(epsilon, t.dtype)))
    total = reduce_sum(real(t) * real(t) + imag(t) * imag(t), along, True)
    scale = rsqrt(maximum(total, convert(epsilon, total.dtype)))
    return complex(real(t) * scale, imag(t) * scale)
