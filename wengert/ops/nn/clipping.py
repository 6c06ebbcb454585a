"""Gradient clipping by global norm, and the global norm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from wengert.inference.public_functions import deferrable
from wengert.ops.math.arithmetic import add_n, minimum
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, is_finite, ones_like, sqrt
from wengert.ops.nn.activations import l2_loss
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import TensorLike


@deferrable
def clip_by_global_norm(
    t_list: TensorLike,
    clip_norm: TensorLike,
    use_norm: TensorLike | None = None,
    name: str | None = None,
) -> tuple[list[Any], Tensor]:
    """Clip tensors by their global norm: scale all by one factor so that it is at most `clip_norm`.

    Returns them and the norm that they had. None stays None, IndexedSlices stay IndexedSlices. If
    the norm is not finite, all elements become NaN, so that the fault shows.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> norm.numpy().item(), [t.numpy().round(4).tolist() for t in clipped]
    (5.0, [[0.6...], [0.8...]])
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    norm = global_norm(t_list) if use_norm is None else convert(use_norm)
    limit = convert(clip_norm, hint=norm.dtype)
    scale = limit * minimum(1.0 / norm, 1.0 / limit)
    scale = where(is_finite(norm), scale, math.nan * ones_like(norm))
    return [_scaled(t, scale) for t in t_list], norm


def _scaled(t: TensorLike | None, scale: Tensor) -> Tensor | IndexedSlices | None:
    if t is None:
        return None
    if isinstance(t, IndexedSlices):
        return t.with_values(_times(t.values, scale))
    return _times(convert(t), scale)


def _times(x: Tensor, scale: Tensor) -> Tensor:
    """The product in the dtype of the tensor: others may be of another one."""
    return x * cast(scale, x.dtype)


@deferrable
def global_norm(t_list: TensorLike, name: str | None = None) -> Tensor:
    """The global norm: the L2 norm of all elements of several tensors together.

    >>> tf.linalg.global_norm([[3.0], [4.0]]).numpy().item()
    5.0
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    given = [
        t.values if isinstance(t, IndexedSlices) else convert(t) for t in t_list if t is not None
    ]
    if not given:
        return convert(0.0)
    return sqrt(add_n([l2_loss(t) for t in given]) * 2.0)
