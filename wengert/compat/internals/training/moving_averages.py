"""tensorflow.python.training.moving_averages: the average that layers of programs keep."""

from __future__ import annotations

from typing import Any

from wengert.api.session.modes import name_scope
from wengert.api.variables.get_variable import get_variable
from wengert.api.variables.variable_scope import get_variable_scope, variable_scope
from wengert.compat.v1 import assign, assign_sub, zeros_initializer
from wengert.ops.math.arithmetic import pow
from wengert.ops.math.elementwise import cast
from wengert.values.convert import convert


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Move a variable towards a value: variable ← decay × variable + (1 - decay) × value.

    With `zero_debias` the variable, which began at zero, is divided by the sum of the weights.
    """
    with name_scope(name or "AssignMovingAvg"):
        part = cast(convert(1.0 - decay), variable.dtype)
        if zero_debias:
            return _without_bias(variable, value, part)
        return assign_sub(variable, (variable - value) * part)


def _without_bias(variable: Any, value: Any, part: Any) -> Any:
    with variable_scope(variable.name.removesuffix(":0")):
        biased = _kept("biased", variable, variable.shape)
        count = _kept("local_step", variable, [])
    total = assign_sub(biased, (biased - value) * part)
    return assign(variable, total / (1 - pow(1.0 - part, count.assign_add(1))))


def _kept(name: str, variable: Any, shape: Any) -> Any:
    """A variable beside another one; each average has its own, unless the scope says otherwise."""
    scope = get_variable_scope()
    taken = {v.op.name for v in scope.global_variables()} if not scope.reuse else set()
    numbered = (name if not i else f"{name}_{i}" for i in range(len(taken) + 1))
    free = next(n for n in numbered if f"{scope.name}/{n}" not in taken)
    return get_variable(
        free, shape, dtype=variable.dtype, initializer=zeros_initializer(), trainable=False
    )
