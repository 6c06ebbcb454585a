"""Learning rates that depend on the step, as functions: tf.compat.v1.train.exponential_decay, ...

In graph mode they return a tensor. In eager mode they return a function without arguments, which
computes the rate for the current step; the v1 optimizers call it before each update.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.ops.math.elementwise import cast
from wengert.train import decay
from wengert.train.graph_mode import executing_eagerly
from wengert.values import dtypes
from wengert.values.convert import convert


def _now_or_later(compute: Callable[[], Any]) -> Any:
    return compute if executing_eagerly() else compute()


def _decayed(rule: Callable[..., Any], rate: Any, global_step: Any, *args: Any) -> Any:
    if global_step is None:
        raise ValueError(
            "global_step is required for learning-rate decay. Pass the variable that counts the "
            "steps, and give it to `minimize` or `apply_gradients` as well."
        )
    return _now_or_later(lambda: rule(*decay.rate_and_step(rate, global_step), *args))


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate × decay_rate ^ (global_step / decay_steps).

    >>> step = tf.Variable(20)
    >>> tf.compat.v1.train.exponential_decay(0.5, step, 10, 0.5)().numpy().item()
    0.125
    """
    args = decay_steps, decay_rate, staircase
    return _decayed(decay.exponential, learning_rate, global_step, *args)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate × exp(-decay_rate × global_step / decay_steps).

    >>> step = tf.Variable(0)
    >>> tf.compat.v1.train.natural_exp_decay(0.5, step, 10, 0.5)().numpy().item()
    0.5
    """
    args = decay_steps, decay_rate, staircase
    return _decayed(decay.natural_exponential, learning_rate, global_step, *args)


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate / (1 + decay_rate × global_step / decay_steps).

    >>> step = tf.Variable(10)
    >>> tf.compat.v1.train.inverse_time_decay(0.5, step, 10, 1.0)().numpy().item()
    0.25
    """
    args = decay_steps, decay_rate, staircase
    return _decayed(decay.inverse_time, learning_rate, global_step, *args)


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """From the rate to the end in `decay_steps`, along (1 - step / decay_steps) ^ power.

    >>> step = tf.Variable(5)
    >>> tf.compat.v1.train.polynomial_decay(1.0, step, 10, 0.5)().numpy().item()
    0.75
    """
    args = decay_steps, end_learning_rate, power, cycle
    return _decayed(decay.polynomial, learning_rate, global_step, *args)


def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Half a cosine wave, from the rate to alpha times it.

    >>> step = tf.Variable(10)
    >>> tf.compat.v1.train.cosine_decay(1.0, step, 10, alpha=0.5)().numpy().item()
    0.5
    """
    return _decayed(decay.cosine, learning_rate, global_step, decay_steps, alpha)


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Successive cosine decays, each `t_mul` times as long and `m_mul` times as high as the last.

    >>> step = tf.Variable(10)
    >>> tf.compat.v1.train.cosine_decay_restarts(1.0, step, 10)().numpy().item()
    1.0
    """
    args = first_decay_steps, t_mul, m_mul, alpha
    return _decayed(decay.cosine_restarts, learning_rate, global_step, *args)


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Any:
    """A cosine wave of `num_periods` with a linear decay, down to beta times the rate.

    >>> step = tf.Variable(10)
    >>> tf.compat.v1.train.linear_cosine_decay(1.0, step, 10, beta=0.5)().numpy().item()
    0.5
    """
    args = decay_steps, num_periods, alpha, beta
    return _decayed(decay.linear_cosine, learning_rate, global_step, *args)


def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Any:
    """values[0] up to and including x = boundaries[0], then values[1], and so on.

    >>> step = tf.Variable(150)
    >>> tf.compat.v1.train.piecewise_constant(step, [100, 200], [1.0, 0.5, 0.25])().numpy().item()
    0.5
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError(
            "The length of boundaries should be 1 less than the length of values. Received: "
            f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of length "
            f"{len(values)}."
        )
    return _now_or_later(lambda: _piece(x, boundaries, values))


def _piece(x: Any, boundaries: Sequence[Any], values: Sequence[Any]) -> Any:
    at = convert(x)
    limits = [convert(b) for b in boundaries]
    for i, limit in enumerate(limits):
        if limit.dtype is dtypes.int32 and at.dtype is dtypes.int64:
            limits[i] = cast(limit, dtypes.int64)
        elif limit.dtype is not at.dtype:
            raise ValueError(
                f"Boundaries ({limit.dtype}) must have the same dtype as x ({at.dtype}). "
                f"Boundary {i} is {boundaries[i]!r}: give the boundaries the dtype of x."
            )
    return decay.piecewise(at, limits, [convert(v) for v in values])


piecewise_constant_decay = piecewise_constant
