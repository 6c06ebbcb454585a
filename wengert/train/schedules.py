"""Learning rates that depend on the step, as objects: tf.optimizers.schedules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.ops.math.elementwise import cast
from wengert.train import decay
from wengert.values.convert import convert
from wengert.values.tensor import Tensor


class LearningRateSchedule:
    """The base of the schedules. A custom schedule overrides `__call__(self, step)`.

    >>> class Halving(tf.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.5 ** tf.cast(step, tf.float32)
    >>> optimizer = tf.optimizers.SGD(Halving())
    >>> optimizer.learning_rate.numpy().item()
    1.0
    """

    def __call__(self, step: Any) -> Any:
        """The rate at a step."""
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LearningRateSchedule:
        """A schedule from the arguments that `get_config` returned."""
        return cls(**config)


def is_schedule(rate: Any) -> bool:
    """Whether a learning rate depends on the step: also by a schedule of Keras's own."""
    return any(kind.__name__ == LearningRateSchedule.__name__ for kind in type(rate).__mro__)


def _check_steps(name: str, steps: Any) -> None:
    if steps <= 0:
        raise ValueError(f"Argument `{name}` must be > 0. Received: {name}={steps}")


class ExponentialDecay(LearningRateSchedule):
    """initial rate × decay_rate ^ (step / decay_steps); `staircase` rounds the quotient down.

    >>> rate = tf.optimizers.schedules.ExponentialDecay(0.5, decay_steps=10, decay_rate=0.5)
    >>> rate(0).numpy().item(), rate(20).numpy().item()
    (0.5, 0.125)
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        """The rate at a step."""
        rate, at = decay.rate_and_step(self.initial_learning_rate, step)
        result: Tensor = decay.exponential(
            rate, at, self.decay_steps, self.decay_rate, self.staircase
        )
        return result


class InverseTimeDecay(LearningRateSchedule):
    """initial rate / (1 + decay_rate × step / decay_steps).

    >>> rate = tf.optimizers.schedules.InverseTimeDecay(0.5, decay_steps=10, decay_rate=1.0)
    >>> rate(0).numpy().item(), rate(10).numpy().item()
    (0.5, 0.25)
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        """The rate at a step."""
        rate, at = decay.rate_and_step(self.initial_learning_rate, step)
        result: Tensor = decay.inverse_time(
            rate, at, self.decay_steps, self.decay_rate, self.staircase
        )
        return result


class PiecewiseConstantDecay(LearningRateSchedule):
    """values[0] up to and including step boundaries[0], then values[1], and so on.

    >>> rate = tf.optimizers.schedules.PiecewiseConstantDecay([100, 200], [1.0, 0.5, 0.25])
    >>> [rate(step).numpy().item() for step in (100, 101, 999)]
    [1.0, 0.5, 0.25]
    """

    def __init__(
        self, boundaries: Sequence[Any], values: Sequence[Any], name: str = "PiecewiseConstant"
    ) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of "
                f"length {len(values)}."
            )
        self.boundaries = boundaries
        self.values = values
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        """The rate at a step."""
        at = convert(step)
        boundaries = [cast(b, at.dtype) for b in self.boundaries]
        result: Tensor = decay.piecewise(at, boundaries, [convert(v) for v in self.values])
        return result


class PolynomialDecay(LearningRateSchedule):
    """From the initial rate to the end in `decay_steps`, along (1 - step / decay_steps) ^ power.

    With `cycle` it restarts, with `decay_steps` multiplied to cover the step.

    >>> rate = tf.optimizers.schedules.PolynomialDecay(1.0, 10, end_learning_rate=0.5)
    >>> [rate(step).numpy().item() for step in (0, 5, 10, 99)]
    [1.0, 0.75, 0.5, 0.5]
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        end_learning_rate: Any = 0.0001,
        power: Any = 1.0,
        cycle: bool = False,
        name: str = "PolynomialDecay",
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.end_learning_rate = end_learning_rate
        self.power = power
        self.cycle = cycle
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        """The rate at a step."""
        rate, at = decay.rate_and_step(self.initial_learning_rate, step)
        result: Tensor = decay.polynomial(
            rate, at, self.decay_steps, self.end_learning_rate, self.power, self.cycle
        )
        return result


class CosineDecay(LearningRateSchedule):
    """Half a cosine wave, from the initial rate to alpha times it.

    With `warmup_target` the rate first rises to it linearly, in `warmup_steps`.

    >>> rate = tf.optimizers.schedules.CosineDecay(1.0, decay_steps=10, alpha=0.5)
    >>> [round(rate(step).numpy().item(), 4) for step in (0, 5, 10)]
    [1.0, 0.75, 0.5]
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        alpha: float = 0.0,
        name: str = "CosineDecay",
        warmup_target: Any = None,
        warmup_steps: Any = 0,
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.alpha = alpha
        self.name = name
        self.warmup_target = warmup_target
        self.warmup_steps = warmup_steps

    def __call__(self, step: Any) -> Tensor:
        """The rate at a step."""
        rate, at = decay.rate_and_step(self.initial_learning_rate, step)
        result: Tensor
        if self.warmup_target is None:
            result = decay.cosine(rate, at, self.decay_steps, self.alpha)
            return result
        top, since = cast(self.warmup_target, rate.dtype), at - self.warmup_steps
        later = decay.cosine(top, since, self.decay_steps, self.alpha)
        result = decay.warmed_up(rate, at, top, self.warmup_steps, later)
        return result


class CosineDecayRestarts(LearningRateSchedule):
    """Successive cosine decays, each `t_mul` times as long and `m_mul` times as high as the last.

    >>> rate = tf.optimizers.schedules.CosineDecayRestarts(1.0, first_decay_steps=10)
    >>> [round(rate(step).numpy().item(), 4) for step in (0, 5, 10, 20)]
    [1.0, 0.5, 1.0, 0.5]
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        first_decay_steps: Any,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
        name: str = "SGDRDecay",
    ) -> None:
        _check_steps("first_decay_steps", first_decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.first_decay_steps = first_decay_steps
        self.t_mul = t_mul
        self.m_mul = m_mul
        self.alpha = alpha
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        """The rate at a step."""
        rate, at = decay.rate_and_step(self.initial_learning_rate, step)
        result: Tensor = decay.cosine_restarts(
            rate, at, self.first_decay_steps, self.t_mul, self.m_mul, self.alpha
        )
        return result


SCHEDULES = {
    kind.__name__: kind
    for kind in (
        ExponentialDecay,
        InverseTimeDecay,
        PiecewiseConstantDecay,
        PolynomialDecay,
        CosineDecay,
        CosineDecayRestarts,
    )
}


def serialize(learning_rate_schedule: LearningRateSchedule) -> dict[str, Any]:
    """A schedule as a dictionary of plain values.

    >>> rate = tf.optimizers.schedules.InverseTimeDecay(0.5, 10, 1.0)
    >>> tf.optimizers.schedules.serialize(rate)["class_name"]
    'InverseTimeDecay'
    """
    return {
        "module": "keras.optimizers.schedules",  # where other libraries look for it
        "class_name": type(learning_rate_schedule).__name__,
        "config": learning_rate_schedule.get_config(),
        "registered_name": None,
    }


def deserialize(
    config: dict[str, Any], custom_objects: dict[str, Any] | None = None
) -> LearningRateSchedule:
    """The schedule from a dictionary that `serialize` returned.

    >>> rate = tf.optimizers.schedules.InverseTimeDecay(0.5, 10, 1.0)
    >>> config = tf.optimizers.schedules.serialize(rate)
    >>> tf.optimizers.schedules.deserialize(config)(10).numpy().item()
    0.25
    """
    known = {**SCHEDULES, **(custom_objects or {})}
    name = config["class_name"]
    if name not in known:
        raise ValueError(
            f"Unknown decay: '{name}'. Known are {', '.join(known)}; pass the class of your own in "
            "`custom_objects`."
        )
    schedule: LearningRateSchedule = known[name].from_config(config["config"])
    return schedule
