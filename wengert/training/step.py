"""One step: the loss, its gradient, the update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import wengert as tf
from wengert.distribute.batches import part_of
from wengert.distribute.processes import added, of_first
from wengert.errors import InvalidArgumentError
from wengert.host.spelling import words_near
from wengert.overrides.registered_gradients import GRADIENTS as REGISTERED
from wengert.training import spectral
from wengert.training.examples import Data
from wengert.training.settings import Settings
from wengert.training.tasks import Task, is_right

OPTIMIZERS: Final[dict[str, Callable[[float], Any]]] = {
    "adam": lambda rate: tf.optimizers.Adam(rate),
    "adamw": lambda rate: tf.optimizers.AdamW(rate),
    "sgd": lambda rate: tf.optimizers.SGD(rate),
    "momentum": lambda rate: tf.optimizers.SGD(rate, momentum=0.9),
    "rmsprop": lambda rate: tf.optimizers.RMSprop(rate),
    "adagrad": lambda rate: tf.optimizers.Adagrad(rate),
    "nadam": lambda rate: tf.optimizers.Nadam(rate),
    "lion": lambda rate: tf.optimizers.Lion(rate),
}


class Learner:
    """A network, its optimizer, and how many steps it took."""

    def __init__(self, task: Task, settings: Settings, data: Data) -> None:
        tf.random.set_seed(settings.seed)
        self.model = task.model(settings.layer)
        self.optimizer = OPTIMIZERS[settings.optimizer](settings.rate)
        self.variables = _variables_of(self.model)
        kinds = [v.dtype for v in self.variables if v.dtype.is_floating]
        self.dtype = (kinds or [tf.float32])[0].numpy_dtype  # of the model's numbers
        self.optimizer.build(self.variables)
        self.steps_taken = tf.Variable(0, dtype=tf.int64, trainable=False, name="steps_taken")
        self.classifies = np.issubdtype(data.train.targets.dtype, np.integer)
        self._task = task
        self._overrides = overrides_of(settings)
        self._strategy = tf.distribute.MultiWorkerMirroredStrategy()
        self.process = self._strategy.process_index
        self._processes = self._strategy.num_replicas_in_sync
        self._function = tf.function(self._step if self._processes == 1 else self._step_of_all)
        self.outputs = tf.function(self._outputs)

    def _outputs(self, x: Any) -> Any:
        return self.model(x)

    def step(self, x: Any, y: Any) -> Any:
        """The loss and the share that was right, before the update; each process takes its part of the batch."""
        if self._processes == 1:
            return self._function(x, y)
        size = len(x)
        x, y = part_of(
            (tf.convert_to_tensor(x), tf.convert_to_tensor(y)), self.process, self._processes
        )
        return self._function(x, y, tf.constant(len(x) / size))

    def _step_of_all(self, x: Any, y: Any, share: Any) -> Any:
        """The same of the parts of all processes, each of which counts for its share."""
        found = self._strategy.run(self._step, (x, y, share))
        self.steps_taken.assign_add(1)
        return self._strategy.reduce("SUM", found * share)

    def begin_alike(self) -> None:
        """Let every process go on from what the first one has."""
        if self._processes > 1:
            for variable in (*self.model.variables, *self.optimizer.variables, self.steps_taken):
                variable.assign(of_first(variable.numpy()))

    def agreed(self, asked: bool) -> bool:
        """Whether a process was asked to stop: all of them stop after the same step."""
        return bool(added(np.float32(asked)) > 0) if self._processes > 1 else asked

    def _step(self, x: Any, y: Any, share: Any = None) -> Any:
        """The loss and the share that was right, before the update; `share` is that of the whole batch."""
        with tf.GradientTape() as tape:
            outputs = self.model(x)
            loss = self._scalar(self._task.loss(outputs, y))
            total = loss + self.model.penalty() if hasattr(self.model, "penalty") else loss
            total = total if share is None else total * tf.cast(share, total.dtype)
        gradients = tape.gradient(total, self.variables, overrides=self._overrides)
        if all(g is None for g in gradients):
            raise InvalidArgumentError(
                f"The loss of {self._task.name} depends on none of the model's variables, so there is "
                "nothing to train: the outputs must be computed with them."
            )
        self.optimizer.apply_gradients(zip(gradients, self.variables, strict=True))
        if share is None:
            self.steps_taken.assign_add(1)
        right = (
            tf.reduce_mean(tf.cast(is_right(outputs, y), tf.float32)) if self.classifies else 0.0
        )
        return tf.stack([tf.cast(loss, tf.float32), right])

    def _scalar(self, loss: Any) -> Any:
        if loss.shape.rank != 0:
            raise InvalidArgumentError(
                f"The loss of {self._task.name} has the shape {loss.shape}: a scalar is wanted, as "
                "tf.reduce_mean makes one."
            )
        return loss

    def tested(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The loss of a batch, and its outputs."""
        outputs = self.outputs(x)
        return self._task.loss(outputs, y), outputs


def _variables_of(model: Any) -> list[Any]:
    found = list(getattr(model, "trainable_variables", ()))
    if not callable(model) or not found:
        raise InvalidArgumentError(
            f"model() gave {model!r}: a tf.Module with variables is wanted, which is called with a batch "
            "of inputs and gives outputs."
        )
    return found


def overrides_of(settings: Settings) -> dict[tuple[str, str], Any] | None:
    """The gradients of scopes, by the names of ours or of those that are registered."""
    return {
        ("scope", scope): spectral.GRADIENTS.get(rule) or _registered(rule)
        for scope, rule in settings.overrides
    } or None


def _registered(rule: str) -> str:
    if rule in REGISTERED:
        return rule
    known = [*spectral.GRADIENTS, *REGISTERED]
    near = words_near(rule, known, most=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise InvalidArgumentError(
        f"There is no gradient '{rule}'. There are {', '.join(spectral.GRADIENTS)}, and what a file "
        f"registers with @tf.RegisterGradient.{hint}"
    )
