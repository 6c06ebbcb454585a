"""tf.train.ExponentialMovingAverage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.ops.arrays.creation import zeros
from wengert.ops.math.arithmetic import minimum, pow
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.state.variable import Variable
from wengert.train import graph_mode
from wengert.values.convert import convert
from wengert.values.dtypes import float32
from wengert.values.nest import itself
from wengert.values.tensor import Tensor


class ExponentialMovingAverage:
    """Moving averages of variables: average ← decay × average + (1 - decay) × variable.

    With `num_updates` the decay is (1 + num_updates) / (10 + num_updates) while that is smaller,
    so that the average moves faster at the beginning. `zero_debias` is for averages of tensors in
    graph mode: they start at zero, and are divided by the sum of their weights.

    >>> v = tf.Variable(1.0)
    >>> averages = tf.train.ExponentialMovingAverage(decay=0.5)
    >>> averages.apply([v])  # starts at the value of the variable
    >>> _ = v.assign(3.0)
    >>> averages.apply([v])
    >>> averages.average(v).numpy()
    np.float32(2.0)
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Variable] = {}
        # For the averages of tensors: the biased average, and the number of updates.
        self._sums: dict[Any, tuple[Variable, Variable]] = {}

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    def apply(self, var_list: Sequence[Any] | None = None) -> Any:
        """Update the averages of variables; the first call creates them.

        In graph mode it returns an operation to run, by default for all trainable variables.
        """
        given = graph_mode.trainable_variables() if var_list is None else var_list
        values = [itself(value) for value in given]
        for value in values:
            self._check(value)
            if value.ref() not in self._averages:
                self._begin(value)
        with graph_mode.scope(self._name) as scope:
            decay = self._decay_now()
            return graph_mode.group([self._moved(value, decay) for value in values], scope)

    def _check(self, value: Any) -> None:
        if not isinstance(value, Variable) and graph_mode.executing_eagerly():
            raise TypeError(
                "tf.train.ExponentialMovingAverage does not support non-Variable tensors when "
                f"eager execution is enabled. Found {value!r} in `var_list`: keep it in a "
                "tf.Variable."
            )
        if not value.dtype.is_floating:
            raise TypeError(
                f"The variables must be half, float, or double: {value.name}, which is "
                f"{value.dtype.name}, cannot be averaged. Leave it out of `var_list`."
            )

    def _begin(self, value: Any) -> None:
        """Create an average: a variable's starts at its value, a tensor's at zero."""
        if isinstance(value, Variable):
            initial = graph_mode.initial_value(value)
            graph_mode.note_average(value)
        else:
            initial = _zeros_like(value)
        average = graph_mode.new_variable(initial, self._name, value)
        self._averages[value.ref()] = average
        if self._zero_debias and not isinstance(value, Variable):
            name = average.name.partition(":")[0]
            self._sums[value.ref()] = (
                graph_mode.new_variable(initial, f"{name}/biased"),
                graph_mode.new_variable(0.0, f"{name}/local_step"),
            )

    def _decay_now(self) -> Tensor:
        decay = convert(self._decay)
        if self._num_updates is None:
            return decay
        done = cast(self._num_updates, float32)
        return minimum(cast(decay, float32), (1.0 + done) / (10.0 + done))

    def _moved(self, value: Any, decay: Tensor) -> Any:
        average = self._averages[value.ref()]
        part = cast(1.0 - decay, average.dtype)
        if value.ref() not in self._sums:
            return average.assign_sub((average - value) * part, read_value=False)
        biased, count = self._sums[value.ref()]
        total, steps = biased - (biased - value) * part, count + 1.0
        weight = cast(1.0 - pow(1.0 - cast(part, float32), steps), average.dtype)
        news = [(biased, total), (count, steps), (average, total / weight)]
        return [variable.assign(new, read_value=False) for variable, new in news]

    def average(self, var: Any) -> Variable | Any:
        """The average of a variable; None before `apply`."""
        return self._averages.get(itself(var).ref())

    def average_name(self, var: Any) -> str:
        """The name under which the average of a variable is, or would be, saved.

        >>> tf.train.ExponentialMovingAverage(0.9).average_name(tf.Variable(1.0, name="w"))
        'w/ExponentialMovingAverage'
        """
        average = self.average(var)
        if average is None:
            return graph_mode.slot_name(itself(var), self._name, 0)
        return average.name.partition(":")[0]

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Variable]:
        """A map from the names under which averages were saved to the variables to restore.

        >>> averages = tf.train.ExponentialMovingAverage(0.9)
        >>> v = tf.Variable(1.0, name="w")
        >>> list(averages.variables_to_restore([v]))
        ['w/ExponentialMovingAverage']
        """
        if moving_avg_variables is None:
            averaged = (ref.deref() for ref in self._averages)
            variables = [v for v in averaged if isinstance(v, Variable)]
            moving_avg_variables = [*graph_mode.trainable_variables(), *variables]
        found = {self.average_name(v): v for v in moving_avg_variables}
        restored = {id(v) for v in found.values()}
        others = [v for v in graph_mode.global_variables() if id(v) not in restored]
        return {v.name.partition(":")[0]: v for v in others} | found


def _zeros_like(tensor: Any) -> Any:
    """Zeros that do not depend on the tensor, if its shape is known."""
    if tensor.shape.is_fully_defined():
        return lambda: zeros(tensor.shape, tensor.dtype)
    return zeros_like(tensor)
