"""tf.compat.v1.nn.dropout, which also accepts the probability of keeping an element."""

from __future__ import annotations

from typing import Any

from wengert.ops.nn import dropout as now
from wengert.values.tensor import Tensor


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """x / keep_prob with probability keep_prob, zero otherwise; `rate` is 1 - keep_prob.

    >>> from wengert.compat.v1.functions.nn_random import dropout
    >>> dropout([1.0, 2.0, 3.0], keep_prob=1.0).numpy().tolist()
    [1.0, 2.0, 3.0]
    """
    if keep_prob is not None:
        if rate is not None:
            raise ValueError("Cannot specify both 'rate' and 'keep_prob'.")
        try:
            rate = 1.0 - keep_prob
        except TypeError:
            raise ValueError(
                "`keep_prob` must be a floating point number or Tensor. "
                f"Received: keep_prob={keep_prob}"
            ) from None
    if rate is None:
        raise ValueError(f"`rate` must be provided. Received: rate={rate}")
    return now.dropout(x, rate, noise_shape, seed)
