"""Optimizers whose steps follow from the norm of a variable: Adafactor, Lamb; and one that needs no schedule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.ops.arrays.shaping import expand_dims
from wengert.ops.math.arithmetic import maximum, minimum, pow
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, sqrt, square
from wengert.ops.reductions.reductions import reduce_mean, reduce_sum
from wengert.state.variable import Variable
from wengert.train import graph_mode
from wengert.train.moments import Moments
from wengert.train.one_pass import toward, toward_square
from wengert.train.optimizer import Optimizer
from wengert.values.tensor import Tensor


def _root_mean_square(x: Any) -> Tensor:
    return sqrt(reduce_mean(square(x)))


class Adafactor(Optimizer):
    """Adafactor: of a matrix, the mean squares of rows and columns stand for those of its elements.

    Steps are as large as the variable, times the rate, which sinks with the root of the number of steps
    (`relative_step` is accepted: the rate sinks without it, too, as in Keras).

    >>> v = tf.Variable([[1.0, -2.0], [3.0, 4.0]])
    >>> _ = tf.optimizers.Adafactor(learning_rate=0.5).minimize(lambda: tf.reduce_sum(v * v), [v])
    >>> print(v.numpy().round(3))
    [[-0.061 -0.5  ]
     [ 1.577  2.658]]
    """

    hyperparameters = ("beta_2_decay", "epsilon_1", "epsilon_2", "clip_threshold", "relative_step")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.beta_2_decay = beta_2_decay
        self.epsilon_1 = epsilon_1
        self.epsilon_2 = epsilon_2
        self.clip_threshold = clip_threshold
        self.relative_step = relative_step

    def slots(self) -> dict[str, float]:
        """The slots of each matrix, and their initial values; a vector has the last one alone."""
        return {"row": 0.0, "column": 0.0, "velocity": 0.0}

    def _slots_of(self, variable: Variable) -> Sequence[str]:
        return ["velocity"] if len(variable.shape) < 2 else list(self.slots())

    def _new_slot(self, variable: Variable, name: str) -> Variable:
        if name == "velocity":
            return super()._new_slot(variable, name)
        whole = graph_mode.filled_like(variable, lambda: cast(0.0, variable.dtype))
        axis = -1 if name == "row" else -2
        return graph_mode.new_variable(lambda: reduce_sum(whole(), axis), name, variable)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        step = cast(self.iterations + 1, variable.dtype)
        size, updates = self._size(gradient, variable, pow(step, self.beta_2_decay))
        direction = gradient / sqrt(size)
        direction /= maximum(
            cast(1.0, variable.dtype), _root_mean_square(direction) / self.clip_threshold
        )
        length = maximum(cast(self.epsilon_2, variable.dtype), _root_mean_square(variable))
        rate = minimum(learning_rate, 1.0 / sqrt(step))
        return [*updates, variable.assign_sub(length * rate * direction)]

    def _size(self, gradient: Any, variable: Variable, part: Any) -> tuple[Tensor, list[Any]]:
        """The mean squares of the elements of gradients, and what keeps them; `part` is of the new one."""
        squares = square(gradient) + self.epsilon_1
        velocity = self.slot(variable, "velocity")
        if len(variable.shape) < 2:
            size = toward(velocity, squares, part)
            return size, [velocity.assign(size)]
        row, column = self.slot(variable, "row"), self.slot(variable, "column")
        of_rows = toward(row, reduce_mean(squares, -1), part)
        of_columns = toward(column, reduce_mean(squares, -2), part)
        share = of_rows / reduce_mean(of_rows, -1, keepdims=True)
        size = expand_dims(share, -1) * expand_dims(of_columns, -2)
        return size, [row.assign(of_rows), column.assign(of_columns), velocity.assign(size)]


class Lamb(Moments):
    """Lamb: Adam's steps, each as long as the variable.

    >>> v = tf.Variable([3.0, 4.0])
    >>> _ = tf.optimizers.Lamb(learning_rate=0.1).minimize(lambda: tf.reduce_sum(v * v), [v])
    >>> print(v.numpy().round(4))
    [2.6464 3.6464]
    """

    def slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        return {"momentum": 0.0, "velocity": 0.0}

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        dtype = variable.dtype
        m, v = self.slot(variable, "momentum"), self.slot(variable, "velocity")
        mean = toward(m, gradient, 1.0 - self.beta_1)
        size = toward_square(v, gradient, 1.0 - self.beta_2)
        unbiased = mean / (1.0 - self._power(self.beta_1, dtype))
        root = sqrt(size / (1.0 - self._power(self.beta_2, dtype))) + self.epsilon
        step = unbiased / root
        long, wide = sqrt(reduce_sum(square(variable))), sqrt(reduce_sum(square(step)))
        ratio = where((long > 0) & (wide > 0), long / wide, cast(1.0, dtype))
        return [m.assign(mean), v.assign(size), variable.assign_sub(ratio * learning_rate * step)]


class ScheduleFreeAdamW(Moments):
    """Adam whose variables are means of all steps, so that no schedule has to end them.

    During the first `warmup_steps` the rate rises to what was given.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.ScheduleFreeAdamW(learning_rate=0.5).minimize(lambda: v * v, [v])
    >>> v.numpy().round(4).item()
    0.5
    """

    hyperparameters = ("beta_1", "beta_2", "epsilon", "warmup_steps")

    def __init__(
        self,
        learning_rate: Any = 0.0025,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        warmup_steps: int = 0,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **common)
        self.warmup_steps = warmup_steps

    def slots(self) -> dict[str, float]:
        """The slots of each variable; the momentum begins at the variable's value."""
        return {"momentum": 0.0, "velocity": 0.0}

    def _new_slot(self, variable: Variable, name: str) -> Variable:
        if name == "velocity":
            return super()._new_slot(variable, name)
        return graph_mode.new_variable(graph_mode.initial_value(variable), name, variable)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        dtype = variable.dtype
        step, beta_1 = cast(self.iterations + 1, dtype), self.beta_1
        if self.warmup_steps > 0:
            learning_rate *= minimum(step / self.warmup_steps, cast(1.0, dtype))
        z, v = self.slot(variable, "momentum"), self.slot(variable, "velocity")
        size = toward_square(v, gradient, 1.0 - self.beta_2)
        root = sqrt(size / (1.0 - self._power(self.beta_2, dtype))) + self.epsilon
        ahead = z - learning_rate * gradient / root
        mean = (variable - (1.0 - beta_1) * z) / beta_1  # of the steps before
        mean += (ahead - mean) / step
        between = (1.0 - beta_1) * ahead + beta_1 * mean
        return [z.assign(ahead), v.assign(size), variable.assign(between)]
