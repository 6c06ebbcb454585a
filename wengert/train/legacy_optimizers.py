"""The optimizers of tf.compat.v1.train.

What a step does is in updates.py; here are the slots and the numbers that it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert.state.variable import Variable
from wengert.train import graph_mode, updates
from wengert.train.dense_or_rows import Part
from wengert.train.ftrl import check_not_negative, ftrl_step
from wengert.train.legacy import Optimizer


class GradientDescentOptimizer(Optimizer):
    """Gradient descent: w ← w - rate g.

    >>> v = tf.Variable(3.0)
    >>> tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(lambda: v * v)
    >>> v.numpy()
    np.float32(1.5)
    """

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _prepare(self) -> None:
        self._hyper(rate=self._learning_rate)

    def _step(self, part: Part, variable: Variable) -> Any:
        return updates.descent(part, variable, self._value("rate", variable))


class MomentumOptimizer(Optimizer):
    """Momentum: m ← momentum m + g, w ← w - rate m; with Nesterov w ← w - rate (g + momentum m).

    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.compat.v1.train.MomentumOptimizer(0.5, momentum=0.5)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: v * v)
    >>> v.numpy()
    np.float32(-0.5)
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "momentum", self._name)

    def _prepare(self) -> None:
        self._hyper(rate=self._learning_rate, momentum=self._momentum)

    def _step(self, part: Part, variable: Variable) -> Any:
        rate, momentum = self._value("rate", variable), self._value("momentum", variable)
        slot = self._slot(variable, "momentum")
        return updates.momentum(part, variable, slot, rate, momentum, self._use_nesterov)


class AdagradOptimizer(Optimizer):
    """Adagrad: the gradient divided by the root of the sum of its squares.

    >>> v = tf.Variable(3.0)
    >>> optimizer = tf.compat.v1.train.AdagradOptimizer(0.5, initial_accumulator_value=1e-9)
    >>> optimizer.minimize(lambda: v * v)
    >>> v.numpy()
    np.float32(2.5)
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            initial = self._initial_accumulator_value
            self._constant_slot(variable, initial, "accumulator", self._name)

    def _prepare(self) -> None:
        self._hyper(rate=self._learning_rate)

    def _step(self, part: Part, variable: Variable) -> Any:
        slot = self._slot(variable, "accumulator")
        return updates.adagrad(part, variable, slot, self._value("rate", variable))


class AdamOptimizer(Optimizer):
    """Adam: the mean gradient m divided by the root of the mean square v, both bias-corrected.

    IndexedSlices update all rows, because all means decay.

    >>> v = tf.Variable(3.0)
    >>> tf.compat.v1.train.AdamOptimizer(0.5).minimize(lambda: v * v)
    >>> v.numpy().round(4).item()
    2.5
    """

    leaves_rows = False
    read_as: ClassVar[dict[str, str]] = {
        "rate": "_lr_t",
        "beta1": "_beta1_t",
        "beta2": "_beta2_t",
        "epsilon": "_epsilon_t",
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for name, beta in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            self._create_non_slot_variable(self._call_if_callable(beta), name)
        for variable in var_list:
            self._zeros_slot(variable, "m", self._name)
            self._zeros_slot(variable, "v", self._name)

    def _get_beta_accumulators(self) -> tuple[Variable, Variable]:
        return self._non_slot("beta1_power"), self._non_slot("beta2_power")

    def _prepare(self) -> None:
        power1, power2 = self._get_beta_accumulators()
        self._hyper(
            rate=self._lr,
            beta1=self._beta1,
            beta2=self._beta2,
            epsilon=self._epsilon,
            power1=power1,
            power2=power2,
        )

    def _step(self, part: Part, variable: Variable) -> Any:
        now: dict[str, Any] = {name: self._value(name, variable) for name in self._now}
        m, v = self._slot(variable, "m"), self._slot(variable, "v")
        return updates.adam(part, variable, m, v, **now)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        return graph_mode.group(
            [*update_ops, *graph_mode.in_order(update_ops, self._grow)], name_scope
        )

    def _grow(self) -> list[Any]:
        """The powers for the next step."""
        powers = zip(self._get_beta_accumulators(), ("beta1", "beta2"), strict=True)
        return [
            power.assign(power * self._value(beta, power), read_value=False)
            for power, beta in powers
        ]


class RMSPropOptimizer(Optimizer):
    """RMSProp: the gradient divided by its root mean square, which starts at 1.

    With `centered` it is divided by its standard deviation.

    >>> v = tf.Variable(3.0)
    >>> tf.compat.v1.train.RMSPropOptimizer(0.5, decay=0.0).minimize(lambda: v * v)
    >>> v.numpy()
    np.float32(2.5)
    """

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            self._constant_slot(variable, 1.0, "rms", self._name)
            if self._centered:
                self._zeros_slot(variable, "mg", self._name)
            self._zeros_slot(variable, "momentum", self._name)

    def _prepare(self) -> None:
        self._hyper(
            rate=self._learning_rate,
            decay=self._decay,
            momentum=self._momentum,
            epsilon=self._epsilon,
        )

    def _step(self, part: Part, variable: Variable) -> Any:
        now = {name: self._value(name, variable) for name in self._now}
        rms, speed = self._slot(variable, "rms"), self._slot(variable, "momentum")
        mean = self._slot(variable, "mg") if self._centered else None
        return updates.rmsprop(part, variable, rms, speed, **now, mean=mean)


class AdadeltaOptimizer(Optimizer):
    """Adadelta: the gradient scaled by the ratio of the root mean squares of steps and gradients.

    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.compat.v1.train.AdadeltaOptimizer(1.0, rho=0.0, epsilon=1.0)
    >>> optimizer.apply_gradients([(tf.constant(0.75), v)])
    >>> v.numpy().round(4)
    np.float32(0.4)
    """

    read_as: ClassVar[dict[str, str]] = {"rate": "_lr_t", "rho": "_rho_t", "epsilon": "_epsilon_t"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "accum", self._name)
            self._zeros_slot(variable, "accum_update", self._name)

    def _prepare(self) -> None:
        self._hyper(rate=self._lr, rho=self._rho, epsilon=self._epsilon)

    def _step(self, part: Part, variable: Variable) -> Any:
        now = {name: self._value(name, variable) for name in self._now}
        seen, moved = self._slot(variable, "accum"), self._slot(variable, "accum_update")
        return updates.adadelta(part, variable, seen, moved, **now)


class FtrlOptimizer(Optimizer):
    """FTRL, "follow the regularized leader": an L1 penalty makes many elements exactly zero.

    >>> v = tf.Variable([1.0, 1.0])
    >>> optimizer = tf.compat.v1.train.FtrlOptimizer(0.5, l1_regularization_strength=1.0)
    >>> optimizer.apply_gradients([(tf.constant([0.1, 9.0]), v)])
    >>> v.numpy()[0]
    np.float32(0.0)
    """

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._beta = beta
        self._accum_name = accum_name or name
        self._linear_name = linear_name or name
        check_not_negative(self)

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            initial = self.initial_accumulator_value
            self._constant_slot(variable, initial, "accum", self._accum_name)
            self._zeros_slot(variable, "linear", self._linear_name)

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        more = self._beta / (2.0 * rate) if self._beta else 0.0
        self._hyper(
            rate=rate,
            power=self.learning_rate_power,
            l1=self.l1_regularization_strength,
            l2=self.l2_regularization_strength + more,
            shrinkage=self.l2_shrinkage_regularization_strength,
        )

    def _step(self, part: Part, variable: Variable) -> Any:
        now = {name: self._value(name, variable) for name in self._now}
        accum, linear = self._slot(variable, "accum"), self._slot(variable, "linear")
        return ftrl_step(part, variable, accum, linear, **now)


class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent with penalties: an L1 penalty makes many elements exactly zero.

    >>> v = tf.Variable([1.0, 0.1])
    >>> optimizer = tf.compat.v1.train.ProximalGradientDescentOptimizer(
    ...     0.5, l1_regularization_strength=0.5)
    >>> optimizer.apply_gradients([(tf.constant([0.5, 0.0]), v)])
    >>> v.numpy().tolist()
    [0.5, 0.0]
    """

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    def _prepare(self) -> None:
        self._hyper(
            rate=self._learning_rate,
            l1=self._l1_regularization_strength,
            l2=self._l2_regularization_strength,
        )

    def _step(self, part: Part, variable: Variable) -> Any:
        now = {name: self._value(name, variable) for name in self._now}
        return updates.proximal_descent(part, variable, **now)


class ProximalAdagradOptimizer(AdagradOptimizer):
    """Adagrad with penalties: an L1 penalty makes many elements exactly zero.

    >>> v = tf.Variable([1.0, 0.1])
    >>> optimizer = tf.compat.v1.train.ProximalAdagradOptimizer(
    ...     0.5, initial_accumulator_value=1.0, l1_regularization_strength=0.5)
    >>> optimizer.apply_gradients([(tf.constant([0.0, 0.0]), v)])
    >>> v.numpy().tolist()
    [0.75, 0.0]
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    def _prepare(self) -> None:
        self._hyper(
            rate=self._learning_rate,
            l1=self._l1_regularization_strength,
            l2=self._l2_regularization_strength,
        )

    def _step(self, part: Part, variable: Variable) -> Any:
        now = {name: self._value(name, variable) for name in self._now}
        slot = self._slot(variable, "accumulator")
        return updates.proximal_adagrad(part, variable, slot, **now)


class AdagradDAOptimizer(Optimizer):
    """Adagrad by dual averaging: the minimum for the sum of all gradients, with penalties that grow.

    >>> v, step = tf.Variable([1.0, 1.0]), tf.Variable(1, dtype=tf.int64)
    >>> optimizer = tf.compat.v1.train.AdagradDAOptimizer(0.5, step, l1_regularization_strength=0.5)
    >>> optimizer.apply_gradients([(tf.constant([0.25, 4.0]), v)])
    >>> v.numpy().round(2)[1]
    np.float32(-0.44)
    """

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_gradient_squared_accumulator_value = (
            initial_gradient_squared_accumulator_value
        )
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step = global_step

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "gradient_accumulator", self._name)
            initial = self._initial_gradient_squared_accumulator_value
            self._constant_slot(variable, initial, "gradient_squared_accumulator", self._name)

    def _prepare(self) -> None:
        self._hyper(
            rate=self._learning_rate,
            l1=self._l1_regularization_strength,
            l2=self._l2_regularization_strength,
            step=self._global_step,
        )

    def _step(self, part: Part, variable: Variable) -> Any:
        now = {name: self._value(name, variable) for name in self._now}
        total = self._slot(variable, "gradient_accumulator")
        squares = self._slot(variable, "gradient_squared_accumulator")
        return updates.dual_averaging(part, variable, total, squares, **now)
