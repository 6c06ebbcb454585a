"""A function whose results depend on its arguments alone: to derivatives, what else it reads is constant."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.core.context import listening, made_in, note, thread
from wengert.core.dispatch import apply
from wengert.core.recorder import Recorder
from wengert.core.row import Attrs, Row
from wengert.core.scope import Scope
from wengert.ops.arrays.identity import IDENTITY_N, STOP_GRADIENT
from wengert.state.variable import Variable
from wengert.values.tensor import Tensor
from wengert.values.value import Value

# What comes out of such a function. Its inputs are there, too, for a gradient of zeros at least.
_RESULTS: Final[Row] = IDENTITY_N.replace(name="PyFuncResults")


def call_enclosed(function: Callable[..., list[Tensor]], inputs: Sequence[Tensor]) -> list[Tensor]:
    """Call a function of tensors so that gradients reach its inputs and nothing else.

    An input that the results do not depend on has zeros for its gradient, as where a graph calls the
    function and cannot look into it.
    """
    if not thread.context.recorders:
        return function(*inputs)
    own = apply(IDENTITY_N, inputs)  # distinct from values that the function may close over
    enclosed = _Enclosed(own, thread.context.recorders)
    with listening(enclosed):
        results = function(*own)
    enclosed.tell()
    linked: list[Tensor] = apply(_RESULTS, [*map(enclosed.seen, results), *own])
    return linked[: len(results)]


class _Enclosed(Recorder):
    """Notes what is made of some values, and tells the recorders around it afterwards."""

    def __init__(self, values: Sequence[Tensor], outer: Sequence[Recorder]) -> None:
        self._outer = outer
        self._made: dict[int, Any] = {id(x): x for x in values}
        self._noted: list[tuple[Scope | None, Row, Sequence[Any], Attrs, Any]] = []

    def record(
        self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Value | list[Value]
    ) -> None:
        """Note an operation on what was made of the values."""
        if self.follows(inputs):
            seen = [self.seen(x) for x in inputs]
            self._noted.append((thread.context.scope, row, seen, attrs, result))
            results = result if isinstance(result, list) else [result]
            self._made.update((id(y), y) for y in results)

    def follows(self, values: Sequence[Any]) -> bool:
        """Whether one of the values was made of those given."""
        return any(id(v) in self._made for v in values)

    def accessed(self, variable: Variable) -> None:
        """Notify the recorders at once: they list what was read, and what is made of it is a constant."""
        for recorder in self._outer:
            recorder.accessed(variable)

    def seen(self, value: Value) -> Value:
        """A value as the recorders see it: a constant, if it was made of others."""
        if id(value) in self._made:
            return value
        if isinstance(value, Variable):  # of a function that is called
            return copy.deepcopy(value)
        if not isinstance(value, Tensor):
            return value
        with listening():
            stopped: Tensor = apply(STOP_GRADIENT, (value,))
        return stopped

    def tell(self) -> None:
        """Notify the active recorders of what was noted."""
        for scope, *noted in self._noted:
            with made_in(scope):
                note(*noted)
