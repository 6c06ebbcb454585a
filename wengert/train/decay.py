"""The mathematics of learning-rate schedules, written once for both APIs.

All arguments are scalar tensors of one dtype, except flags and those annotated as numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wengert.ops.math.arithmetic import minimum, pow
from wengert.ops.math.comparison import equal, less, less_equal, where
from wengert.ops.math.elementwise import cast, ceil, cos, exp, floor, log, zeros_like
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.tensor import Tensor


def rate_and_step(rate: Any, step: Any) -> tuple[Tensor, Tensor]:
    """The initial rate as a floating-point tensor, and the step in the same dtype."""
    first = convert(rate)
    if not first.dtype.is_floating:
        first = cast(first, dtypes.float32)
    return first, cast(step, first.dtype)


def _elapsed(step: Any, decay_steps: Any, staircase: bool) -> Any:
    ratio = step / cast(decay_steps, step.dtype)
    return floor(ratio) if staircase else ratio


def exponential(rate: Any, step: Any, decay_steps: Any, factor: Any, staircase: bool) -> Any:
    """rate · factor^(step / decay_steps)."""
    return rate * pow(cast(factor, rate.dtype), _elapsed(step, decay_steps, staircase))


def natural_exponential(
    rate: Any, step: Any, decay_steps: Any, factor: Any, staircase: bool
) -> Any:
    """rate · exp(-factor · step / decay_steps)."""
    return rate * exp(-cast(factor, rate.dtype) * _elapsed(step, decay_steps, staircase))


def inverse_time(rate: Any, step: Any, decay_steps: Any, factor: Any, staircase: bool) -> Any:
    """rate / (1 + factor · step / decay_steps)."""
    return rate / (1.0 + cast(factor, rate.dtype) * _elapsed(step, decay_steps, staircase))


def polynomial(rate: Any, step: Any, decay_steps: Any, end: Any, power: Any, cycle: bool) -> Any:
    """From the rate down to `end`, by a power of the remaining fraction of steps."""
    steps, last = cast(decay_steps, rate.dtype), cast(end, rate.dtype)
    if cycle:
        rounds = ceil(step / steps)
        steps = steps * where(equal(step, zeros_like(step)), 1.0 + zeros_like(step), rounds)
    else:
        step = minimum(step, steps)
    return (rate - last) * pow(1.0 - step / steps, cast(power, rate.dtype)) + last


def piecewise(step: Any, boundaries: Sequence[Any], values: Sequence[Any]) -> Any:
    """The first value up to and including the first boundary, and so on."""
    result = values[-1]
    for boundary, value in reversed(list(zip(boundaries, values, strict=False))):
        result = where(less_equal(step, boundary), value, result)
    return result


def _half_wave(completed: Any) -> Any:
    """Half a cosine wave, from 1 at 0 to 0 at 1."""
    return 0.5 * (1.0 + cos(math.pi * completed))


def cosine(rate: Any, step: Any, decay_steps: Any, alpha: Any) -> Any:
    """From the rate down to alpha times it, along half a cosine."""
    steps = cast(decay_steps, rate.dtype)
    wave = _half_wave(minimum(step, steps) / steps)
    return rate * ((1.0 - alpha) * wave + alpha)


def warmed_up(rate: Any, step: Any, target: Any, warmup_steps: Any, later: Any) -> Any:
    """Linear warmup from the rate to the target, then `later`."""
    steps, goal = cast(warmup_steps, rate.dtype), cast(target, rate.dtype)
    return where(less(step, steps), rate + (goal - rate) * (step / steps), later)


def cosine_restarts(
    rate: Any, step: Any, first_steps: Any, t_mul: float, m_mul: float, alpha: Any
) -> Any:
    """Successive cosine decays, each `t_mul` times as long and `m_mul` times as high."""
    completed = step / cast(first_steps, rate.dtype)
    longer = convert(t_mul, rate.dtype)
    if t_mul == 1.0:
        restarts = floor(completed)
        completed = completed - restarts
    else:
        restarts = floor(log(1.0 - completed * (1.0 - longer)) / log(longer))
        length = pow(longer, restarts)
        completed = (completed - (1.0 - length) / (1.0 - longer)) / length
    wave = pow(convert(m_mul, rate.dtype), restarts) * _half_wave(completed)
    return rate * ((1.0 - alpha) * wave + alpha)


def linear_cosine(
    rate: Any, step: Any, decay_steps: Any, num_periods: Any, alpha: Any, beta: Any
) -> Any:
    """A cosine times a linear decay."""
    steps = cast(decay_steps, rate.dtype)
    at = minimum(step, steps)
    wave = _half_wave(2.0 * num_periods * (at / steps))
    return rate * ((alpha + (steps - at) / steps) * wave + beta)
