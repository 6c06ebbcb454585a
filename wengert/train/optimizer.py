"""The base of tf.optimizers: what all of them share around the update of one variable."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from wengert.errors import GradientWarning
from wengert.host.user_frames import callers_depth
from wengert.ops.arrays.gathering import to_dense
from wengert.ops.math.arithmetic import clip_by_value, floormod
from wengert.ops.math.comparison import equal, where
from wengert.ops.math.elementwise import cast
from wengert.ops.nn.activations import clip_by_norm
from wengert.ops.nn.clipping import clip_by_global_norm
from wengert.state.replicas import current
from wengert.state.variable import Variable
from wengert.train import graph_mode
from wengert.train.dense_or_rows import merge_rows
from wengert.train.gradient_inputs import (
    as_dtype_of,
    no_gradients,
    on_values,
    pairs,
    snake_case,
)
from wengert.train.one_pass import scaled
from wengert.train.optimizer_state import AVERAGE, Memory
from wengert.train.schedules import deserialize, is_schedule, serialize
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.nest import itself
from wengert.values.tensor import Tensor, dims

# The names, here, of arguments that other libraries and older versions name differently.
_RENAMED: Final = {
    "lr": "learning_rate",
    "decay": "a schedule of tf.optimizers.schedules as learning_rate, or weight_decay",
    "betas": "beta_1 and beta_2",
    "eps": "epsilon",
    "beta1": "beta_1",
    "beta2": "beta_2",
}


def _hints(kwargs: Mapping[str, Any]) -> str:
    found = [f"{name!r} is {_RENAMED[name]}" for name in kwargs if name in _RENAMED]
    return f". Here {'; '.join(found)}." if found else ""


class Optimizer(Memory):
    """Changes variables so as to reduce a loss. The base of all optimizers in tf.optimizers.

    - ``learning_rate``: a number, a `LearningRateSchedule`, or a function without arguments;
    - ``weight_decay``: before each update variables shrink by this fraction times the rate;
    - ``clipnorm``, ``clipvalue``, ``global_clipnorm``: limits for the norm of each gradient, for
      each element, or for the norm of all gradients together; at most one of them;
    - ``use_ema``: moving averages of the variables are kept, decaying by ``ema_momentum``, and
      replace the variables every ``ema_overwrite_frequency`` steps or in
      `finalize_variable_values`;
    - ``loss_scale_factor``: gradients are divided by it, as `scale_loss` multiplies by it.

    A custom optimizer overrides `update_step` and, if it has slots, `slots`.

    >>> class Signs(tf.optimizers.Optimizer):
    ...     def update_step(self, gradient, variable, learning_rate):
    ...         return variable.assign_sub(learning_rate * tf.sign(gradient))
    >>> v = tf.Variable([1.0, 2.0])
    >>> Signs(learning_rate=0.5).apply_gradients([(tf.constant([7.0, -7.0]), v)]).numpy()
    np.int64(1)
    >>> v.numpy().tolist()
    [0.5, 2.5]
    """

    hyperparameters: ClassVar[tuple[str, ...]] = ()
    # Whether rows without a gradient, and their slots, stay unchanged.
    leaves_rows: bool = False

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if kwargs:
            raise ValueError(f"Argument(s) not recognized: {kwargs}{_hints(kwargs)}")
        self.name = name or snake_case(type(self).__name__)
        self.weight_decay = weight_decay
        self.clipnorm = clipnorm
        self.clipvalue = clipvalue
        self.global_clipnorm = global_clipnorm
        self.use_ema = use_ema
        self.ema_momentum = ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.loss_scale_factor = loss_scale_factor
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self._check_options()
        super().__init__(learning_rate)
        self._not_decayed: set[Any] = set()
        self._names_not_decayed: list[str] = []

    def _check_options(self) -> None:
        clips = self.clipnorm, self.clipvalue, self.global_clipnorm
        if sum(c is not None for c in clips) > 1:
            raise ValueError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
                f"clipnorm={clips[0]}, clipvalue={clips[1]}, global_clipnorm={clips[2]}"
            )
        if self.use_ema and not 0 <= self.ema_momentum <= 1:
            raise ValueError(
                "`ema_momentum` must be in the range [0, 1]. "
                f"Received: ema_momentum={self.ema_momentum}"
            )
        every = self.ema_overwrite_frequency
        if self.use_ema and every is not None and not (isinstance(every, int) and every >= 1):
            raise ValueError(
                "`ema_overwrite_frequency` must be an integer >= 1 or None. "
                f"Received: ema_overwrite_frequency={every}"
            )
        if self.gradient_accumulation_steps is not None:
            raise ValueError(
                "`gradient_accumulation_steps` is not supported. Received: "
                f"gradient_accumulation_steps={self.gradient_accumulation_steps}. Add the "
                "gradients of several batches, divide by their number, and call "
                "`apply_gradients` once."
            )

    def build(self, variables: Sequence[Variable]) -> None:
        """Create the state for some variables."""
        super().build(variables)
        if self.use_ema:
            for variable in self._trainable:
                self.slot(variable, AVERAGE)

    # ---- an update ---------------------------------------------------------------------------

    def minimize(
        self,
        loss: Any,
        var_list: Any,
        grad_loss: Any = None,
        name: str | None = None,
        tape: Any = None,
    ) -> Any:
        """Compute gradients of a loss and apply them.

        The loss is a function without arguments, or a tensor and the tape that recorded it.

        >>> v = tf.Variable(3.0)
        >>> optimizer = tf.optimizers.SGD(0.5)
        >>> optimizer.minimize(lambda: v * v, [v]).numpy(), v.numpy()
        (np.int64(1), np.float32(0.0))
        """
        if tape is not None and not callable(loss):
            variables = var_list() if callable(var_list) else var_list
            found = list(zip(tape.gradient(loss, variables, grad_loss), variables, strict=True))
        elif callable(loss):
            wanted = var_list() if callable(var_list) else var_list
            found = graph_mode.gradients(loss, wanted, grad_loss)
        else:
            raise ValueError(
                "`tape` is required when a `Tensor` loss is passed. "
                f"Received: loss={loss}, tape={tape}."
            )
        return self.apply_gradients(found, name)

    def apply(self, grads: Any, trainable_variables: Any = None) -> Any:
        """Apply gradients to variables in a separate list, by default those it was built on."""
        variables = trainable_variables or self._trainable
        if not variables:
            raise ValueError(
                "When passing `grads` without `variables`, the optimizer must already be built on "
                "a list of variables. Pass the variables, or call `optimizer.build(variables)` "
                "first."
            )
        return self.apply_gradients(zip(grads, variables, strict=True))

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Change variables by their gradients; returns the number of steps so far.

        >>> v = tf.Variable([1.0, 2.0])
        >>> tf.optimizers.SGD(0.5).apply_gradients([(tf.constant([2.0, 2.0]), v)]).numpy()
        np.int64(1)
        >>> v.numpy().tolist()
        [0.0, 1.0]
        """
        given = pairs(grads_and_vars)
        if current.context is not None:
            return current.context.applied(given, lambda summed: self.apply_gradients(summed, name))
        kept = self._with_gradients(given)
        if not self._trainable:
            self.build([v for _, v in given])
        variables = [v for _, v in kept]
        if self.use_ema:  # those that come late, too, before they change
            for v in variables:
                self.slot(v, AVERAGE)
        gradients = self._clipped([self._unscaled(as_dtype_of(v, g)) for g, v in kept])
        rate = convert(self.learning_rate)
        updates = [
            self._update(g, v, cast(rate, v.dtype))
            for g, v in zip(gradients, variables, strict=True)
        ]
        after = graph_mode.in_order(updates, lambda: self._after(variables))
        counted = graph_mode.in_order(after, lambda: self._iterations.assign_add(1))
        done = graph_mode.group([*updates, *after, counted], name or self.name)
        return done if graph_mode.in_session_graph() else self._iterations

    def _with_gradients(self, given: Sequence[tuple[Any, Variable]]) -> list[tuple[Any, Variable]]:
        kept = [(g, v) for g, v in given if g is not None]
        if not kept:
            raise no_gradients([v for _, v in given])
        missing = [v.name for g, v in given if g is None]
        if missing:
            warnings.warn(
                f"Gradients do not exist for variables {missing} when minimizing the loss: they "
                "are left as they are. The loss does not depend on them, or not in a way that can "
                "be differentiated.",
                GradientWarning,
                stacklevel=callers_depth(),
            )
        return kept

    def _unscaled(self, gradient: Any) -> Any:
        gradient = merge_rows(gradient) if isinstance(gradient, IndexedSlices) else gradient
        if self.loss_scale_factor is None:
            return gradient
        return on_values(gradient, lambda g: g / self.loss_scale_factor)

    def scale_loss(self, loss: Any) -> Any:
        """The scaled loss to differentiate, if gradients would underflow otherwise."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def _clipped(self, gradients: list[Any]) -> list[Any]:
        if self.clipnorm is not None:
            return [clip_by_norm(g, self.clipnorm) for g in gradients]
        if self.global_clipnorm is not None:
            return clip_by_global_norm(gradients, self.global_clipnorm)[0]
        if self.clipvalue is not None:
            low, high = -self.clipvalue, self.clipvalue
            return [on_values(g, lambda x: clip_by_value(x, low, high)) for g in gradients]
        return gradients

    def _update(self, gradient: Any, variable: Variable, rate: Tensor) -> Any:
        if isinstance(gradient, IndexedSlices) and not self.leaves_rows:
            shape = dims(variable)
            gradient = to_dense(IndexedSlices(gradient.values, gradient.indices, shape))
        smaller = self._decayed(variable, rate)
        step = graph_mode.in_order(smaller, lambda: self.update_step(gradient, variable, rate))
        if variable.constraint is None:
            return step
        allowed = variable.constraint
        return graph_mode.in_order([step], lambda: variable.assign(allowed(variable)))

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> Any:
        """Change one variable, and its slots; returns what the assignments return."""
        raise NotImplementedError(
            f"Optimizer '{type(self).__name__}' must override "
            "`update_step(self, gradient, variable, learning_rate)`."
        )

    def _after(self, variables: Sequence[Variable]) -> list[Any]:
        """Run what follows the updates, before the step is counted.

        Variables without a gradient have an average, too.
        """
        if not self.use_ema:
            return []
        all_of_them = {v.ref(): v for v in (*self._trainable, *variables)}
        return [self._average(v) for v in all_of_them.values()]

    # ---- weight decay, averages --------------------------------------------------------------

    def exclude_from_weight_decay(
        self, var_list: Sequence[Variable] | None = None, var_names: Sequence[str] | None = None
    ) -> None:
        """Variables, or parts of names of variables, to which `weight_decay` does not apply."""
        self._not_decayed.update(itself(v).ref() for v in var_list or ())
        self._names_not_decayed.extend(var_names or ())

    def _decayed(self, variable: Variable, rate: Tensor) -> list[Any]:
        if self.weight_decay is None or variable.ref() in self._not_decayed:
            return []
        if any(re.search(name, variable.name) for name in self._names_not_decayed):
            return []
        decay = scaled(variable, cast(self.weight_decay, variable.dtype), rate)
        return [variable.assign_sub(decay)]

    def _average(self, variable: Variable) -> Any:
        """Update the average of a variable, which may then replace it."""
        average = self.slot(variable, AVERAGE)
        started = cast(self._iterations > 0, variable.dtype)  # 0 takes over the first value
        momentum = started * self.ema_momentum
        mean = momentum * average + (1.0 - momentum) * variable
        every = self.ema_overwrite_frequency
        if every is None:
            return average.assign(mean)
        due = equal(floormod(self._iterations + 1, every), 0)
        return [average.assign(mean), variable.assign(where(due, mean, variable))]

    def finalize_variable_values(self, var_list: Sequence[Variable]) -> None:
        """Replace variables by their averages, at the end of training with `use_ema`."""
        if self.use_ema:
            for variable in map(itself, var_list):
                variable.assign(self.slot(variable, AVERAGE))

    # ---- as an object ------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        rate: Any = self._learning_rate
        if is_schedule(rate):
            rate = serialize(rate)
        elif isinstance(rate, Variable):
            rate = float(rate)
        return {
            "name": self.name,
            "learning_rate": rate,
            **{name: getattr(self, name) for name in (*_COMMON, *self.hyperparameters)},
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Optimizer:
        """An optimizer from the arguments that `get_config` returned.

        >>> config = tf.optimizers.SGD(0.5, momentum=0.9).get_config()
        >>> tf.optimizers.SGD.from_config(config).momentum
        0.9
        """
        rate = config.get("learning_rate")
        if isinstance(rate, dict):
            config = {**config, "learning_rate": deserialize(rate, custom_objects)}
        return cls(**config)


_COMMON = (
    "weight_decay",
    "clipnorm",
    "global_clipnorm",
    "clipvalue",
    "use_ema",
    "ema_momentum",
    "ema_overwrite_frequency",
    "loss_scale_factor",
    "gradient_accumulation_steps",
)
