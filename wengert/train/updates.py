"""The updates of the optimizers of version 1: what one step makes of a variable and its slots.

Each is written once, for tf.compat.v1.train and for the operations of tf.raw_ops, on what `part.read` returns: a
whole variable, or the rows that have a gradient.
"""

from __future__ import annotations

from typing import Any

from wengert.ops.math.arithmetic import maximum
from wengert.ops.math.complex import abs, sign
from wengert.ops.math.elementwise import exp, sqrt, square
from wengert.state.variable import Variable
from wengert.train.dense_or_rows import Part


def _moved(part: Part, variable: Variable, step: Any) -> Any:
    return part.write(variable, part.read(variable) - step)


def descent(part: Part, variable: Variable, rate: Any) -> list[Any]:
    """Gradient descent."""
    return [_moved(part, variable, rate * part.gradient)]


def momentum(
    part: Part, variable: Variable, slot: Variable, rate: Any, decay: Any, nesterov: bool
) -> list[Any]:
    """Momentum, which is kept without the rate."""
    speed = part.read(slot) * decay + part.gradient
    step = part.gradient + speed * decay if nesterov else speed
    return [part.write(slot, speed), _moved(part, variable, rate * step)]


def momentum_of_steps(
    part: Part, variable: Variable, slot: Variable, rate: Any, decay: Any, nesterov: bool
) -> list[Any]:
    """Momentum, which is kept as the last step."""
    speed = part.read(slot) * decay - rate * part.gradient
    step = speed * decay - rate * part.gradient if nesterov else speed
    return [part.write(slot, speed), part.write(variable, part.read(variable) + step)]


def adagrad(part: Part, variable: Variable, slot: Variable, rate: Any) -> list[Any]:
    """Adagrad."""
    total = part.read(slot) + square(part.gradient)
    step = rate * part.gradient / sqrt(total)
    return [part.write(slot, total), _moved(part, variable, step)]


def adagrad_apart(
    part: Part, variable: Variable, slot: Variable, rate: Any, epsilon: Any, grows: bool
) -> list[Any]:
    """Adagrad with a small number beside the root; the sum of squares may stay as it is."""
    total = part.read(slot) + square(part.gradient) if grows else part.read(slot)
    step = rate * part.gradient / (sqrt(total) + epsilon)
    kept = [part.write(slot, total)] if grows else []
    return [*kept, _moved(part, variable, step)]


def adam(
    part: Part, variable: Variable, m: Variable, v: Variable, rate: Any, beta1: Any, beta2: Any,
    epsilon: Any, power1: Any, power2: Any, nesterov: bool = False, largest: Variable | None = None,
) -> list[Any]:  # fmt: skip
    """Adam; with a slot for the largest mean square, AMSGrad."""
    mean = part.read(m) * beta1 + part.gradient * (1.0 - beta1)
    size = part.read(v) * beta2 + square(part.gradient) * (1.0 - beta2)
    unbiased = rate * sqrt(1.0 - power2) / (1.0 - power1)
    ahead = part.gradient * (1.0 - beta1) + beta1 * mean if nesterov else mean
    below = size if largest is None else maximum(part.read(largest), size)
    step = unbiased * ahead / (sqrt(below) + epsilon)
    kept = [] if largest is None else [part.write(largest, below)]
    return [part.write(m, mean), part.write(v, size), *kept, _moved(part, variable, step)]


def adamax(
    part: Part, variable: Variable, m: Variable, v: Variable, rate: Any, beta1: Any, beta2: Any,
    epsilon: Any, power1: Any,
) -> list[Any]:  # fmt: skip
    """Adamax: the largest gradient in place of the mean square."""
    mean = part.read(m) * beta1 + part.gradient * (1.0 - beta1)
    size = maximum(part.read(v) * beta2, abs(part.gradient))
    step = rate / (1.0 - power1) * mean / (size + epsilon)
    return [part.write(m, mean), part.write(v, size), _moved(part, variable, step)]


def rmsprop(
    part: Part, variable: Variable, rms: Variable, speed: Variable, rate: Any, decay: Any,
    momentum: Any, epsilon: Any, mean: Variable | None = None,
) -> list[Any]:  # fmt: skip
    """RMSProp; with a slot for the mean gradient, by its standard deviation."""
    g = part.gradient
    size = spread = part.read(rms) * decay + square(g) * (1.0 - decay)
    updates = [part.write(rms, size)]
    if mean is not None:
        centre = part.read(mean) * decay + g * (1.0 - decay)
        updates.append(part.write(mean, centre))
        spread = size - square(centre)
    step = part.read(speed) * momentum + rate * g / sqrt(spread + epsilon)
    return [*updates, part.write(speed, step), _moved(part, variable, step)]


def adadelta(
    part: Part, variable: Variable, seen: Variable, moved: Variable, rate: Any, rho: Any,
    epsilon: Any,
) -> list[Any]:  # fmt: skip
    """Adadelta."""
    size = part.read(seen) * rho + square(part.gradient) * (1.0 - rho)
    steps = part.read(moved)
    step = sqrt(steps + epsilon) / sqrt(size + epsilon) * part.gradient
    return [
        part.write(seen, size),
        part.write(moved, steps * rho + square(step) * (1.0 - rho)),
        _moved(part, variable, rate * step),
    ]


# ---- with penalties -----------------------------------------------------------------------------


def _nearer(value: Any, by: Any) -> Any:
    """Numbers brought nearer to zero, at most as far as zero."""
    return sign(value) * maximum(abs(value) - by, 0.0)


def proximal_descent(part: Part, variable: Variable, rate: Any, l1: Any, l2: Any) -> list[Any]:
    """Gradient descent, then the penalties' own minimum beside it."""
    there = part.read(variable) - rate * part.gradient
    return [part.write(variable, _nearer(there, rate * l1) / (1.0 + rate * l2))]


def proximal_adagrad(
    part: Part, variable: Variable, slot: Variable, rate: Any, l1: Any, l2: Any
) -> list[Any]:
    """Adagrad, then the penalties' own minimum beside it."""
    total = part.read(slot) + square(part.gradient)
    own = rate / sqrt(total)
    there = part.read(variable) - own * part.gradient
    return [
        part.write(slot, total),
        part.write(variable, _nearer(there, own * l1) / (1.0 + own * l2)),
    ]


def dual_averaging(
    part: Part, variable: Variable, total: Variable, squares: Variable, rate: Any, l1: Any, l2: Any,
    step: Any,
) -> list[Any]:  # fmt: skip
    """Adagrad by dual averaging: the minimum for the sum of all gradients so far."""
    g = part.read(total) + part.gradient
    size = part.read(squares) + square(part.gradient)
    found = -rate * _nearer(g, l1 * step) / (l2 * step * rate + sqrt(size))
    return [part.write(total, g), part.write(squares, size), part.write(variable, found)]


# ---- by signs -----------------------------------------------------------------------------------


def add_sign(
    part: Part, variable: Variable, m: Variable, rate: Any, alpha: Any, decay: Any, beta: Any
) -> list[Any]:
    """More where the gradient and its mean agree, less where they do not, by adding."""
    mean = part.read(m) * beta + part.gradient * (1.0 - beta)
    scale = alpha + decay * sign(part.gradient) * sign(mean)
    return [part.write(m, mean), _moved(part, variable, rate * scale * part.gradient)]


def power_sign(
    part: Part, variable: Variable, m: Variable, rate: Any, logbase: Any, decay: Any, beta: Any
) -> list[Any]:
    """More where the gradient and its mean agree, less where they do not, by multiplying."""
    mean = part.read(m) * beta + part.gradient * (1.0 - beta)
    scale = exp(logbase * decay * sign(part.gradient) * sign(mean))
    return [part.write(m, mean), _moved(part, variable, rate * scale * part.gradient)]
