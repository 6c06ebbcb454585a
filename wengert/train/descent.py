"""Optimizers with one learning rate for all elements: SGD and Lion."""

from __future__ import annotations

from typing import Any

from wengert.ops.math.complex import sign
from wengert.ops.math.elementwise import cast
from wengert.state.variable import Variable
from wengert.train.dense_or_rows import part_of
from wengert.train.optimizer import Optimizer


class SGD(Optimizer):
    """Gradient descent, optionally with momentum m: m ← momentum m - rate g, and w ← w + m.

    With `nesterov` the step looks ahead: w ← w + momentum m - rate g.

    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.optimizers.SGD(learning_rate=0.5, momentum=0.5)
    >>> for _ in range(2):
    ...     _ = optimizer.minimize(lambda: v * v, [v])
    >>> v.numpy()
    np.float32(-0.5)
    """

    hyperparameters = ("momentum", "nesterov")

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        if not isinstance(momentum, (int, float)) or not 0 <= momentum <= 1:
            raise ValueError(
                f"`momentum` must be a float between [0, 1]. Received: momentum={momentum}"
            )
        self.momentum = momentum
        self.nesterov = nesterov
        self.leaves_rows = momentum == 0

    def slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        return {"momentum": 0.0} if self.momentum else {}

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        if not self.momentum:
            part = part_of(gradient)
            return part.write(variable, part.read(variable) - learning_rate * part.gradient)
        slot, momentum = self.slot(variable, "momentum"), cast(self.momentum, variable.dtype)
        down = learning_rate * gradient
        moved = momentum * slot - down
        step = momentum * moved - down if self.nesterov else moved
        return [slot.assign(moved), variable.assign_add(step)]


class Lion(Optimizer):
    """Lion: steps of one size, by the sign of a mean of gradient and momentum.

    >>> v = tf.Variable([1.0, -2.0])
    >>> _ = tf.optimizers.Lion(learning_rate=0.5).minimize(lambda: tf.reduce_sum(v * v), [v])
    >>> v.numpy().tolist()
    [0.5, -1.5]
    """

    hyperparameters = ("beta_1", "beta_2")

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.99, **common: Any
    ) -> None:
        super().__init__(learning_rate, **common)
        if not 0 <= beta_1 <= 1:
            raise ValueError(
                "Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer "
                f"degenerates to SignSGD. Received: beta_1={beta_1}."
            )
        self.beta_1 = beta_1
        self.beta_2 = beta_2

    def slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        return {"momentum": 0.0}

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        slot = self.slot(variable, "momentum")
        ahead = slot * self.beta_1 + gradient * (1.0 - self.beta_1)
        mean = slot * self.beta_2 + gradient * (1.0 - self.beta_2)
        return [variable.assign_sub(learning_rate * sign(ahead)), slot.assign(mean)]
