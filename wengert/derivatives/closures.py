"""A function of a vector together with the values it closes over, so that gradients reach them.

Eagerly, the function is called as it is, and a recorder notes what it reads; in a graph or a batch
it is traced first, and its captures are the values that it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.core.context import also_listening, graph_around, listening, thread
from wengert.core.forward import Accumulator
from wengert.core.recorder import Recorder
from wengert.core.row import Attrs, Row
from wengert.derivatives.leaving import followed
from wengert.errors import InvalidArgumentError
from wengert.execution.subgraph import Subgraph
from wengert.graph.tracing import traced_body
from wengert.ops.arrays.identity import IDENTITY, READ
from wengert.state.variable import Variable
from wengert.values.convert import convert


class Closure:
    """A function of a vector that returns a list, and what it closes over."""

    def __init__(self, function: Callable[[Any], Sequence[Any]], who: str) -> None:
        self._function = function
        self._who = who
        self._subgraph: Any = None  # if it was traced
        self.reads: list[Any] = []  # if it is not traced: the values it closes over
        self._seen: list[tuple[Variable, Any]] = []  # what variables held when it was first called

    @property
    def must_be_traced(self) -> bool:
        """Whether outside values may be known only later, or be those of many examples at once."""
        return thread.context.interpreter is not None

    def trace(self, shape: Any, dtype: Any) -> list[Any]:
        """Make a graph of the function; returns the outside values that it captured."""
        around = graph_around()

        def arguments(graph: Any) -> list[Any]:
            # What stands for a variable is its value, which is read once, outside.
            graph.passed_on = {**graph.passed_on, READ.name: lambda row: IDENTITY}
            graph.overrides = {**({} if around is None else around.overrides), **graph.passed_on}
            return [graph.input(shape, dtype, "x")]

        graph, _ = traced_body("closure", self._function, around, arguments)
        self._subgraph = Subgraph(graph, graph.outputs)
        return [convert(v) if isinstance(v, Variable) else v for v in graph.captured]

    def note(self, *points: Any) -> list[Any]:
        """The followed values that the function reads at some points; the calls are not recorded."""
        outer = thread.context.recorders
        if not outer:
            return []
        noted = Reads(outer)
        with listening(noted):
            for x in points:
                self(x, ())
        self.reads = list(noted.found.values())
        self._seen = [(v, v._array) for v in self.reads if isinstance(v, Variable)]
        return self.reads

    def __call__(self, x: Any, reads: Sequence[Any]) -> list[Any]:
        """The results, for given values of what it closes over."""
        if self._subgraph is not None:
            found: list[Any] = self._subgraph([x, *reads])
            return found
        for variable, array in self._seen:
            if variable._array is not array:
                raise InvalidArgumentError(
                    f"The variable {variable.name} was assigned to after tf.{self._who} used it "
                    "and before the gradient was taken, which evaluates the function again. Take the "
                    "gradient first, or pass variable.read_value() as a parameter."
                )
        return list(followed(lambda: self._function(x)))

    def pushed(self, x: Any, reads: Sequence[Any], tangents: Sequence[Any]) -> Any:
        """The tangent of the first result for tangents of all inputs; None where there is none."""
        accumulator = Accumulator()
        for value, tangent in zip((x, *reads), tangents, strict=True):
            if tangent is not None:
                accumulator.watch(value, tangent)
        with also_listening(accumulator):
            result = self(x, reads)[0]
        return accumulator.tangent(result)


class Reads(Recorder):
    """Notes which inputs of operations are followed by the recorders that were active before."""

    def __init__(self, outer: Sequence[Recorder]) -> None:
        self._outer = outer
        self.found: dict[int, Any] = {}

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        """Note the followed inputs of an operation."""
        for x in inputs:
            if self.follows((x,)):
                self.found.setdefault(id(x), x)

    def follows(self, values: Sequence[Any]) -> bool:
        """Whether one of the values is followed by the recorders that were active before."""
        return any(recorder.follows(values) for recorder in self._outer)

    def accessed(self, variable: Any) -> None:
        """Notify the recorders that were active before."""
        for recorder in self._outer:
            recorder.accessed(variable)
