"""Loss scales, and the v1 optimizer that applies one: a factor on the loss, taken out of the gradients again.

Gradients that would be zero in float16 are not, if the loss is larger. Mathematically nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.ops.control.cond import cond
from wengert.ops.control.effects import no_op
from wengert.ops.math.arithmetic import maximum
from wengert.ops.math.elementwise import cast, is_finite
from wengert.ops.reductions.reductions import reduce_all
from wengert.saving.trackables.base import Trackable
from wengert.state.variable import Variable
from wengert.train import graph_mode
from wengert.train.legacy import Optimizer
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.dtypes import float32, int64
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor


class LossScale(Trackable):
    """The base of loss scales: a call gives the factor, `update` changes it by what the gradients are.

    >>> tf.compat.v1.mixed_precision.FixedLossScale(8)().numpy()
    np.float32(8.0)
    """

    def __init__(self) -> None:
        self._weights: dict[tuple[str, Any], Variable] = {}

    def __call__(self) -> Tensor:
        """The factor."""
        raise NotImplementedError

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Change the factor: what does that, and whether the gradients should be applied."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was made with."""
        raise NotImplementedError

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A loss scale of such arguments."""
        return cls(**config)

    def _add_weight(self, name: str, initial_value: Any, dtype: Any = None) -> Variable:
        key = name, graph_mode.session_graph()
        if key in self._weights:
            raise RuntimeError(f"Duplicate variables detected. {key}")
        made = graph_mode.new_variable(convert(initial_value, dtype), name)
        self._weights[key] = made
        self._track_trackable(made, name, overwrite=True)
        return made


class FixedLossScale(LossScale):
    """A factor that stays as it is.

    >>> tf.compat.v1.mixed_precision.FixedLossScale(2.0)
    FixedLossScale(2.0)
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Tensor:
        """The factor."""
        return convert(self._loss_scale_value)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Nothing changes, and all gradients are applied."""
        return no_op(), True

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was made with."""
        return {"loss_scale_value": self._loss_scale_value}

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"


class DynamicLossScale(LossScale):
    """A factor that grows after a number of steps with finite gradients, and shrinks after one without.

    >>> scale = tf.compat.v1.mixed_precision.DynamicLossScale(8.0, increment_period=2)
    >>> _, applied = scale.update([tf.constant(float("inf"))])
    >>> applied.numpy(), scale().numpy()
    (np.False_, np.float32(4.0))
    """

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        super().__init__()
        self.initial_loss_scale = float(initial_loss_scale)
        self.increment_period = int(increment_period)
        self.multiplier = float(multiplier)
        self._scale = self._add_weight("current_loss_scale", self.initial_loss_scale, float32)
        self._good_steps = self._add_weight("good_steps", 0, int64)

    def __call__(self) -> Tensor:
        """The factor."""
        return convert(self._scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Change the factor: what does that, and whether the gradients are finite."""
        finite = _all_finite(nest.flatten(grads))
        return cond(finite, self._after_finite, self._shrunk), finite

    def _after_finite(self) -> Any:
        is_due = self._good_steps + 1 >= self.increment_period
        return cond(is_due, self._grown, lambda: _done(self._good_steps.assign_add(1)))

    def _grown(self) -> Any:
        larger = self._scale * self.multiplier
        assigned = cond(is_finite(larger), lambda: _done(self._scale.assign(larger)), no_op)
        return _done(assigned, self._good_steps.assign(0))

    def _shrunk(self) -> Any:
        smaller = maximum(self._scale / self.multiplier, 1.0)
        return _done(self._good_steps.assign(0), self._scale.assign(smaller))

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was made with."""
        names = ("initial_loss_scale", "increment_period", "multiplier")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        now = {}
        if graph_mode.executing_eagerly():
            now = {
                "current_loss_scale": self._scale.numpy(),
                "num_good_steps": self._good_steps.numpy(),
            }
        told = ", ".join(f"{k}={v}" for k, v in (now | self.get_config()).items())
        return f"DynamicLossScale({told})"


def _all_finite(gradients: Sequence[Any]) -> Tensor:
    values = [g.values if isinstance(g, IndexedSlices) else g for g in gradients if g is not None]
    return reduce_all([reduce_all(is_finite(v)) for v in values])


def _done(*updates: Any) -> Any:
    """What the updates are in a branch: an operation, or nothing in eager mode."""
    return graph_mode.group(updates)


def loss_scale_of(given: Any) -> LossScale:
    """A loss scale; also from a number, or the word "dynamic"."""
    if isinstance(given, LossScale):
        return given
    if isinstance(given, (int, float)):
        return FixedLossScale(given)
    if given == "dynamic":
        return DynamicLossScale()
    raise ValueError(f"loss_scale cannot be {given!r}: give a number, 'dynamic', or a LossScale.")


class MixedPrecisionLossScaleOptimizer(Optimizer, Trackable):
    """Another optimizer, with the loss times a factor that its gradients are divided by.

    A step whose gradients are not finite is left out, if the factor is a `DynamicLossScale`.

    >>> v = tf.Variable(3.0)
    >>> plain = tf.compat.v1.train.GradientDescentOptimizer(0.25)
    >>> scaled = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(plain, 1024)
    >>> scaled.minimize(lambda: v * v)
    >>> v.numpy()
    np.float32(1.5)
    """

    def __init__(self, opt: Optimizer, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(opt._use_locking, opt.get_name())
        self._optimizer = opt
        self._loss_scale = loss_scale_of(loss_scale)
        self._track_trackable(opt, "base_optimizer")
        self._track_trackable(self._loss_scale, "loss_scale")

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Pairs (gradient, variable): those of the loss, computed of one that is larger."""
        found = self._optimizer.compute_gradients(self._scaled(loss), *args, **kwargs)
        share = 1.0 / self._loss_scale()
        return [(None if g is None else _times(g, share), v) for g, v in found]

    def _scaled(self, loss: Any) -> Any:
        if callable(loss):
            return lambda: self._scaled(loss())
        return loss * cast(self._loss_scale(), loss.dtype)

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Variable | None = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """Change variables by their gradients, unless some are not finite."""
        if not isinstance(self._loss_scale, DynamicLossScale):
            return self._optimizer.apply_gradients(grads_and_vars, global_step, name)
        given, called = tuple(grads_and_vars), name or self.get_name()
        changed, finite = self._loss_scale.update([g for g, _ in given])

        def applied() -> Any:
            return self._optimizer.apply_gradients(given, global_step, f"{called}-wrapped")

        return graph_mode.group([cond(finite, applied, no_op), changed], called)

    def variables(self) -> list[Variable]:
        """The variables of the other optimizer, and of the factor."""
        return [*self._optimizer.variables(), *self._loss_scale._weights.values()]


def _times(gradient: Any, share: Tensor) -> Any:
    if isinstance(gradient, IndexedSlices):
        return gradient.with_values(gradient.values * cast(share, gradient.dtype))
    return gradient * cast(share, gradient.dtype)


def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = "dynamic") -> Any:
    """The optimizer with a loss scale. Nothing is computed in float16 that was not: that is for accelerators.

    >>> plain = tf.compat.v1.train.GradientDescentOptimizer(0.25)
    >>> tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(plain, 8).get_name()
    'GradientDescent'
    """
    if isinstance(opt, MixedPrecisionLossScaleOptimizer):
        raise ValueError(
            '"opt" must not already be an instance of a MixedPrecisionLossScaleOptimizer. '
            "`enable_mixed_precision_graph_rewrite` will automatically wrap the optimizer with a "
            "MixedPrecisionLossScaleOptimizer."
        )
    if not isinstance(opt, Optimizer):
        raise ValueError(
            '"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, '
            f"but got: {opt}"
        )
    return MixedPrecisionLossScaleOptimizer(opt, loss_scale)


def disable_mixed_precision_graph_rewrite() -> None:
    """Accepted, without effect: no graph is rewritten.

    >>> tf.compat.v1.mixed_precision.disable_mixed_precision_graph_rewrite()
    """
