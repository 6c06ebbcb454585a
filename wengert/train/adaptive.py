"""Optimizers that scale steps by the magnitude of past gradients: RMSprop, Adagrad and others."""

from __future__ import annotations

from typing import Any

from wengert.ops.math.elementwise import sqrt, square
from wengert.state.variable import Variable
from wengert.train.dense_or_rows import part_of
from wengert.train.ftrl import check_not_negative, ftrl_step
from wengert.train.one_pass import mixed, mixed_square, over_root_of_sum
from wengert.train.optimizer import Optimizer


class RMSprop(Optimizer):
    """RMSprop: the gradient divided by its root mean square, optionally with momentum.

    With `centered` it is divided by its standard deviation.

    >>> v = tf.Variable([1.0, -200.0])
    >>> optimizer = tf.optimizers.RMSprop(learning_rate=0.5, rho=0.0)
    >>> _ = optimizer.minimize(lambda: tf.reduce_sum(v * v), [v])
    >>> v.numpy().round(4).tolist()
    [0.5, -199.5]
    """

    hyperparameters = ("rho", "momentum", "epsilon", "centered")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.rho = rho
        self.momentum = momentum
        self.epsilon = epsilon
        self.centered = centered

    def slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        names = ["velocity"]
        names += ["momentum"] if self.momentum else []
        names += ["average_gradient"] if self.centered else []
        return dict.fromkeys(names, 0.0)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        velocity = self.slot(variable, "velocity")
        size = spread = mixed_square(velocity, gradient, self.rho, 1.0 - self.rho)
        updates = [velocity.assign(size)]
        if self.centered:
            average = self.slot(variable, "average_gradient")
            mean = self._mean(average, gradient)
            updates.append(average.assign(mean))
            spread = size - square(mean)
        step = over_root_of_sum(gradient, spread, learning_rate, self.epsilon)
        if self.momentum:
            slot = self.slot(variable, "momentum")
            step = self.momentum * slot + step
            updates.append(slot.assign(step))
        return [*updates, variable.assign_sub(step)]

    def _mean(self, slot: Variable, value: Any) -> Any:
        return mixed(slot, value, self.rho, 1.0 - self.rho)


class Adagrad(Optimizer):
    """Adagrad: the gradient divided by the root of the sum of its squares.

    >>> v = tf.Variable([1.0, -200.0])
    >>> optimizer = tf.optimizers.Adagrad(learning_rate=0.5, initial_accumulator_value=0.0)
    >>> _ = optimizer.minimize(lambda: tf.reduce_sum(v * v), [v])
    >>> v.numpy().round(4).tolist()
    [0.5, -199.5]
    """

    hyperparameters = ("initial_accumulator_value", "epsilon")
    leaves_rows = True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon

    def slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        return {"accumulator": self.initial_accumulator_value}

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        accumulator, part = self.slot(variable, "accumulator"), part_of(gradient)
        total = part.read(accumulator) + square(part.gradient)
        step = learning_rate * part.gradient / sqrt(total + self.epsilon)
        return [
            part.write(accumulator, total),
            part.write(variable, part.read(variable) - step),
        ]


class Adadelta(Optimizer):
    """Adadelta: the gradient scaled by the ratio of the root mean squares of steps and gradients.

    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.optimizers.Adadelta(learning_rate=1.0, rho=0.0, epsilon=1.0)
    >>> _ = optimizer.apply_gradients([(tf.constant(0.75), v)])
    >>> v.numpy().round(4)
    np.float32(0.4)
    """

    hyperparameters = ("rho", "epsilon")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-7,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.rho = rho
        self.epsilon = epsilon

    def slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        return {"accumulated_grad": 0.0, "accumulated_delta_var": 0.0}

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        seen = self.slot(variable, "accumulated_grad")
        moved = self.slot(variable, "accumulated_delta_var")
        size = self.rho * seen + (1.0 - self.rho) * square(gradient)
        step = gradient * sqrt(moved + self.epsilon) / sqrt(size + self.epsilon)
        return [
            seen.assign(size),
            moved.assign(self.rho * moved + (1.0 - self.rho) * square(step)),
            variable.assign_sub(learning_rate * step),
        ]


class Ftrl(Optimizer):
    """FTRL, "follow the regularized leader": an L1 penalty makes many elements exactly zero.

    >>> v = tf.Variable([1.0, 1.0])
    >>> optimizer = tf.optimizers.Ftrl(learning_rate=0.5, l1_regularization_strength=1.0)
    >>> _ = optimizer.apply_gradients([(tf.constant([0.1, 9.0]), v)])
    >>> v.numpy()[0]
    np.float32(0.0)
    """

    hyperparameters = (
        "learning_rate_power",
        "initial_accumulator_value",
        "l1_regularization_strength",
        "l2_regularization_strength",
        "l2_shrinkage_regularization_strength",
        "beta",
    )

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta
        check_not_negative(self)

    def slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        return {"accumulator": self.initial_accumulator_value, "linear": 0.0}

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        return ftrl_step(
            part_of(gradient),
            variable,
            self.slot(variable, "accumulator"),
            self.slot(variable, "linear"),
            rate=learning_rate,
            power=self.learning_rate_power,
            l1=self.l1_regularization_strength,
            l2=self.l2_regularization_strength + self.beta / (2.0 * learning_rate),
            shrinkage=self.l2_shrinkage_regularization_strength,
        )
