"""Optimizers that track two moments of the gradient: Adam and its variants."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, ClassVar

from wengert.core.context import thread
from wengert.ops.math.arithmetic import maximum, pow
from wengert.ops.math.complex import abs
from wengert.ops.math.elementwise import cast, sqrt
from wengert.state.variable import Variable
from wengert.train.one_pass import over_root, toward, toward_square
from wengert.train.optimizer import Optimizer
from wengert.values.convert import convert
from wengert.values.dtypes import DType
from wengert.values.tensor import Tensor


class Moments(Optimizer):
    """The arguments that all of this family share."""

    hyperparameters: ClassVar[tuple[str, ...]] = ("beta_1", "beta_2", "epsilon")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon

    def _power(self, base: float, dtype: Any, ahead: int = 1) -> Tensor:
        """The base to the power of this step's number, which starts at 1."""
        if type(base) is float and thread.context.listeners is not None:
            return _eager_power(base, int(self.iterations.numpy()) + ahead, dtype)
        return pow(cast(base, dtype), cast(self.iterations + ahead, dtype))


@functools.lru_cache(64)
def _eager_power(base: float, exponent: int, dtype: DType) -> Tensor:
    """The same in eager mode, where it is one for all variables."""
    return pow(cast(base, dtype), cast(exponent, dtype))


class Adam(Moments):
    """Adam: the mean gradient m divided by the root of the mean square v, both bias-corrected.

    With `amsgrad` it is divided by the largest v so far.

    >>> v = tf.Variable([1.0, -200.0])
    >>> _ = tf.optimizers.Adam(learning_rate=0.5).minimize(lambda: tf.reduce_sum(v * v), [v])
    >>> v.numpy().round(4).tolist()
    [0.5, -199.5]
    """

    hyperparameters = ("beta_1", "beta_2", "epsilon", "amsgrad")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **common)
        self.amsgrad = amsgrad

    def slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        names = ["momentum", "velocity", *(["velocity_hat"] if self.amsgrad else [])]
        return dict.fromkeys(names, 0.0)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        dtype = variable.dtype
        unbias = sqrt(1.0 - self._power(self.beta_2, dtype)) / (
            1.0 - self._power(self.beta_1, dtype)
        )
        m, v = self.slot(variable, "momentum"), self.slot(variable, "velocity")
        mean = toward(m, gradient, 1.0 - self.beta_1)
        size = toward_square(v, gradient, 1.0 - self.beta_2)
        updates = [m.assign(mean), v.assign(size)]
        if self.amsgrad:
            largest = self.slot(variable, "velocity_hat")
            size = maximum(largest, size)
            updates.append(largest.assign(size))
        step = over_root(mean, size, learning_rate * unbias, self.epsilon)
        return [*updates, variable.assign_sub(step)]


class AdamW(Adam):
    """Adam with weight decay.

    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.optimizers.AdamW(learning_rate=0.5, weight_decay=0.5)
    >>> _ = optimizer.apply_gradients([(tf.constant(0.0), v)])
    >>> v.numpy()
    np.float32(0.75)
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **common: Any,
    ) -> None:
        if weight_decay is None:
            raise ValueError(
                "Argument `weight_decay` must be a float. Received: weight_decay=None. "
                "For no decay use tf.optimizers.Adam."
            )
        decay = {"weight_decay": weight_decay}
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, **decay, **common)


class Adamax(Moments):
    """Adam with the maximum gradient, decaying by `beta_2`, in place of the mean square.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Adamax(learning_rate=0.5).minimize(lambda: v * v, [v])
    >>> v.numpy().round(4).item()
    0.5
    """

    def slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        return {"momentum": 0.0, "norm": 0.0}

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        m, u = self.slot(variable, "momentum"), self.slot(variable, "norm")
        mean = toward(m, gradient, 1.0 - self.beta_1)
        size = maximum(self.beta_2 * u, abs(gradient))
        unbiased = mean / (1.0 - self._power(self.beta_1, variable.dtype))
        step = learning_rate * unbiased / (size + self.epsilon)
        return [m.assign(mean), u.assign(size), variable.assign_sub(step)]


class Nadam(Moments):
    """Adam with Nesterov momentum.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Nadam(learning_rate=0.5).minimize(lambda: v * v, [v])
    >>> v.numpy() < 0.5  # where Adam goes to
    np.True_
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **common)
        self._product: Variable | None = None

    @property
    def variables(self) -> list[Variable]:
        """The variables that hold the state."""
        return [*super().variables, *([] if self._product is None else [self._product])]

    def build(self, variables: Sequence[Variable]) -> None:
        """Create the state for some variables."""
        super().build(variables)
        one = convert(1.0, self._trainable[0].dtype)
        self._product = Variable(one, trainable=False, name="u_product")

    def slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        return {"momentum": 0.0, "velocity": 0.0}

    def _product_now(self) -> Any:
        """The product of the momenta up to this step; they grow toward beta_1."""
        assert self._product is not None
        dtype = self._product.dtype
        fading = pow(convert(0.96, dtype), cast(self.iterations + 1, dtype))
        return self._product * self.beta_1 * (1.0 - 0.5 * fading)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots, by a gradient."""
        dtype = variable.dtype
        beta_1, beta_2 = cast(self.beta_1, dtype), cast(self.beta_2, dtype)
        now, ahead = (beta_1 * (1.0 - 0.5 * self._power(0.96, dtype, t)) for t in (1, 2))
        product = cast(self._product_now(), dtype)
        m, v = self.slot(variable, "momentum"), self.slot(variable, "velocity")
        mean = toward(m, gradient, 1.0 - beta_1)
        size = toward_square(v, gradient, 1.0 - beta_2)
        seen = ahead * mean / (1.0 - product * ahead) + (1.0 - now) * gradient / (1.0 - product)
        unbiased = size / (1.0 - self._power(self.beta_2, dtype))
        step = seen * learning_rate / (sqrt(unbiased) + self.epsilon)
        return [m.assign(mean), v.assign(size), variable.assign_sub(step)]

    def _after(self, variables: Sequence[Variable]) -> list[Any]:
        assert self._product is not None
        return [*super()._after(variables), self._product.assign(self._product_now())]
