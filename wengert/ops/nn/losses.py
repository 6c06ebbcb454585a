"""Loss functions that are composed of other operations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from wengert.core.context import is_replaced
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import static
from wengert.ops.math.arithmetic import div_no_nan
from wengert.ops.math.comparison import greater_equal, less_equal, logical_and, where
from wengert.ops.math.complex import abs
from wengert.ops.math.elementwise import cast, exp, log, log1p, zeros_like
from wengert.ops.nn.activations import relu, softplus
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.declare import convert_alike
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import TensorLike


@deferrable
def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, pos_weight: TensorLike, name: str | None = None
) -> Tensor:
    """Weighted sigmoid cross entropy: `pos_weight` scales the loss of positive labels.

    >>> f = tf.nn.weighted_cross_entropy_with_logits
    >>> print(f(labels=[1.0, 0.0], logits=[0.0, 0.0], pos_weight=2.0).numpy().round(4))
    [1.3863 0.6931]
    """
    x, z = convert_alike("weighted_cross_entropy_with_logits", logits, labels)
    if dims(x) != dims(z):
        raise ValueError(
            "`logits` and `labels` must have the same shape, received "
            f"({shape_text(dims(x))} vs {shape_text(dims(z))})."
        )
    weight = convert(pos_weight, hint=x.dtype)
    if is_replaced("Abs", "Exp", "Log1p", "Relu"):  # of which TensorFlow makes it
        rising = log1p(exp(-abs(x))) + relu(-x)
    else:
        rising = softplus(-x)
    result: Tensor = (1.0 - z) * x + (1.0 + (weight - 1.0) * z) * rising
    return result


@deferrable
def log_poisson_loss(
    targets: TensorLike,
    log_input: TensorLike,
    compute_full_loss: bool = False,
    name: str | None = None,
) -> Tensor:
    """Poisson loss: the negative log-likelihood of counts, given the logarithms of the rates.

    >>> print(tf.nn.log_poisson_loss([2.0], [0.0]).numpy())
    [1.]
    """
    c, z = convert_alike("log_poisson_loss", log_input, targets)
    if dims(c) != dims(z):
        raise ValueError(
            "`log_input` and `targets` must have the same shape, received "
            f"({shape_text(dims(c))} vs {shape_text(dims(z))})."
        )
    loss: Tensor = exp(c) - c * z
    if not compute_full_loss:
        return loss
    # Stirling's approximation of log(z!), not used between 0 and 1.
    small = logical_and(greater_equal(z, zeros_like(z)), less_equal(z, zeros_like(z) + 1.0))
    safe = where(small, zeros_like(z) + 2.0, z)
    stirling = safe * log(safe) - safe + 0.5 * log(2.0 * math.pi * safe)
    return loss + where(small, zeros_like(z), stirling)


@deferrable
def compute_average_loss(
    per_example_loss: TensorLike,
    sample_weight: TensorLike | None = None,
    global_batch_size: Any = None,
) -> Tensor:
    """The weighted sum of per-example losses, divided by the batch size.

    >>> tf.nn.compute_average_loss([1.0, 2.0], sample_weight=[1.0, 0.5]).numpy().item()
    1.0
    """
    losses = _floating(convert(per_example_loss))
    kind = losses.dtype
    if global_batch_size is None:
        size = dims(losses)[0] if dims(losses) else 1
    else:
        size = int(static(global_batch_size))
        if size < 0:
            raise ValueError(f"global_batch_size must be non-negative, got {size}.")
    if sample_weight is not None:
        weights = cast(convert(sample_weight), kind)
        losses = losses * weights
    return div_no_nan(reduce_sum(losses), convert(float(size), kind))


def scale_regularization_loss(regularization_loss: TensorLike) -> Tensor:
    """The sum of regularization losses, divided by the number of replicas (one).

    >>> tf.nn.scale_regularization_loss([1.0, 2.0]).numpy().item()
    3.0
    """
    return reduce_sum(_floating(convert(regularization_loss)))


def _floating(losses: Tensor) -> Tensor:
    """Losses, which are divided and so are no integers: as wide as quotients of those are."""
    if not losses.dtype.is_integer:
        return losses
    return cast(losses, dtypes.float32 if losses.dtype.size < 4 else dtypes.float64)
