"""The state of an optimizer of tf.optimizers: its step, its rate, and the slots of variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.ops.math.elementwise import cast
from wengert.saving.trackables.collections import ListWrapper
from wengert.state.variable import Variable
from wengert.train import graph_mode
from wengert.train.gradient_inputs import as_rate
from wengert.train.schedules import is_schedule
from wengert.values.nest import itself

AVERAGE: Final = "average"  # the slot of use_ema


class Memory:
    """The variables of an optimizer."""

    def __init__(self, learning_rate: Any) -> None:
        self._learning_rate = as_rate(learning_rate)
        self._iterations = Variable(np.int64(0), trainable=False, name="iteration")
        self._trainable: list[Variable] = []  # those it was built on
        self._slots: dict[tuple[Any, str], Variable] = {}
        self._in_checkpoints: Any = ListWrapper()

    @property
    def iterations(self) -> Variable:
        """The number of times that gradients were applied."""
        return self._iterations

    @property
    def learning_rate(self) -> Any:
        """The rate of the next update. A number may be assigned unless there is a schedule."""
        rate = self._learning_rate
        if is_schedule(rate):
            return rate(self._iterations)
        return rate if isinstance(rate, Variable) else rate()

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if isinstance(self._learning_rate, Variable) and not callable(value):
            self._learning_rate.assign(value)
        elif is_schedule(self._learning_rate) and not callable(value):
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its "
                "`learning_rate` constructor argument, hence its learning rate is not settable. "
                "If you need the learning rate to be settable, you should instantiate the "
                "optimizer with a float `learning_rate` argument."
            )
        else:
            self._learning_rate = as_rate(value)

    @property
    def variables(self) -> list[Variable]:
        """The counter of steps, the learning rate if it is a number, and the slots."""
        rate = [self._learning_rate] if isinstance(self._learning_rate, Variable) else []
        return [self._iterations, *rate, *self._slots.values()]

    # ---- in checkpoints: the names that Keras has for them -----------------------------------

    def _trackable_children(self, save_type: str = "checkpoint", **_: Any) -> dict[str, Any]:
        rate = self._learning_rate
        found = {"_iterations": self._iterations}
        found |= {"_learning_rate": rate} if isinstance(rate, Variable) else {}
        self._listed()
        return found | {"_variables": self._in_checkpoints}

    def _listed(self) -> None:
        """Note the variables that are new; a checkpoint may have values for them."""
        for variable in self.variables[len(self._in_checkpoints) :]:
            self._in_checkpoints.append(variable)

    def slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        return {}

    def build(self, variables: Sequence[Variable]) -> None:
        """Create the slots of these variables; otherwise they are created on first use."""
        self._trainable = [itself(v) for v in variables]
        for variable in self._trainable:
            for name in self._slots_of(variable):
                self.slot(variable, name)

    def _slots_of(self, variable: Variable) -> Sequence[str]:
        """The names of the slots of one variable."""
        return list(self.slots())

    def slot(self, variable: Variable, name: str) -> Variable:
        """The slot of a variable with that name."""
        variable = itself(variable)
        key = variable.ref(), name
        if key not in self._slots:
            if name == AVERAGE:  # it begins at the variable's value, also where that comes late
                start = graph_mode.initial_value(variable)
                self._slots[key] = graph_mode.new_variable(start, name, variable)
            else:
                self._slots[key] = self._new_slot(variable, name)
            self._listed()
        return self._slots[key]

    def _new_slot(self, variable: Variable, name: str) -> Variable:
        """A slot as it begins; optimizers with slots of another shape or beginning have their own."""
        return _filled_beside(variable, name, self.slots().get(name, 0.0))

    def get_slot(self, variable: Variable, name: str) -> Variable | Any:
        """The slot of a variable with that name; None if there is none."""
        return self._slots.get((itself(variable).ref(), name))

    def get_slot_names(self) -> list[str]:
        """The names of the slots."""
        return sorted(self.slots())

    # ---- for optimizers written for Keras ----------------------------------------------------

    @property
    def built(self) -> bool:
        """Whether the state has been created."""
        return bool(self._trainable)

    def add_variable_from_reference(
        self, reference_variable: Variable, name: str | None = None, initializer: str = "zeros"
    ) -> Variable:
        """A slot of the shape of a variable, filled with zeros or ones."""
        if initializer not in ("zeros", "ones"):
            raise ValueError(f"`initializer` must be 'zeros' or 'ones', got {initializer!r}.")
        variable = itself(reference_variable)
        key = variable.ref(), name or "slot"
        value = 1.0 if initializer == "ones" else 0.0
        self._slots[key] = _filled_beside(variable, key[1], value)
        self._listed()
        return self._slots[key]

    def _get_variable_index(self, variable: Variable) -> int:
        """The index of a variable among those passed to `build`."""
        wanted = itself(variable)
        for index, known in enumerate(self._trainable):
            if known is wanted:
                return index
        raise ValueError(
            f"Unknown variable: '{variable.name}'. This optimizer can only be called for the "
            "variables it was originally built with. When working with a new set of variables, "
            "you should recreate a new optimizer instance."
        )

    def assign(self, variable: Variable, value: Any) -> Any:
        """Assign to a variable of the state."""
        return variable.assign(value)

    def assign_add(self, variable: Variable, value: Any) -> Any:
        """Add to a variable of the state."""
        return variable.assign_add(value)

    def assign_sub(self, variable: Variable, value: Any) -> Any:
        """Subtract from a variable of the state."""
        return variable.assign_sub(value)


def _filled_beside(variable: Variable, name: str, value: float) -> Variable:
    filled = graph_mode.filled_like(variable, lambda: cast(value, variable.dtype))
    return graph_mode.new_variable(filled, name, variable)
