"""The update of FTRL, shared by both APIs."""

from __future__ import annotations

from typing import Any

from wengert.ops.math.arithmetic import clip_by_value, pow
from wengert.ops.math.elementwise import square
from wengert.state.variable import Variable
from wengert.train.dense_or_rows import Part


def ftrl_step(
    part: Part,
    variable: Variable,
    accumulator: Variable,
    linear: Variable,
    *,
    rate: Any,
    power: Any,
    l1: Any,
    l2: Any,
    shrinkage: Any,
) -> list[Any]:
    """The elementwise minimum of the linearized losses so far, with both penalties."""
    g, w, before = part.gradient, part.read(variable), part.read(accumulator)
    after = before + square(g)
    curvature = pow(after, -power)
    sum_of_gradients = (
        part.read(linear) + g + 2.0 * shrinkage * w - (curvature - pow(before, -power)) / rate * w
    )
    kept = clip_by_value(sum_of_gradients, -l1, l1) - sum_of_gradients
    return [
        part.write(accumulator, after),
        part.write(linear, sum_of_gradients),
        part.write(variable, kept / (curvature / rate + 2.0 * l2)),
    ]


def check_not_negative(options: Any) -> None:
    """Check that the power is negative or zero, and the strengths are positive or zero."""
    if options.learning_rate_power > 0:
        raise ValueError(
            "`learning_rate_power` needs to be negative or zero. "
            f"Received: learning_rate_power={options.learning_rate_power}."
        )
    for name in (
        "initial_accumulator_value",
        "l1_regularization_strength",
        "l2_regularization_strength",
        "l2_shrinkage_regularization_strength",
    ):
        value = getattr(options, name)
        if value < 0:
            raise ValueError(f"`{name}` needs to be positive or zero. Received: {name}={value}.")
