"""Users' functions of elements: traced once for the specs of the elements, and run on arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wengert.api.autograph.calls import converted
from wengert.api.function.function import Function
from wengert.core.context import activate, current_graph
from wengert.data.elements import Element, Layout, in_arguments, leaves, normal, spec_of_value
from wengert.errors import InternalError, OpError, OutOfRangeError
from wengert.execution.plan import given_value
from wengert.ops.random.seeds import Stream
from wengert.state.variable import Variable
from wengert.values.symbolic import SymbolicTensor

Call = Callable[..., Element]


class _Debugging:
    """Whether functions of elements run eagerly, line by line."""

    on = False


def enable_debug_mode() -> None:
    """Run the functions that datasets are given eagerly, line by line, for debugging."""
    _Debugging.on = True


class ElementFunction:
    """A function of elements, which are its arguments, or several elements.

    `call` takes elements of the specs, and returns the element that the function returns.
    """

    def __init__(self, function: Callable[..., Any], specs: Sequence[Any], of: str) -> None:
        self._function = function
        self._of = of
        self._given = [Layout(spec) for spec in specs]
        self._name = getattr(function, "__name__", "function")
        self._returned: Any = None
        self._concrete = Function(self._flat, name=_valid(self._name), autograph=False)
        flat = [leaf for layout in self._given for leaf in layout.leaves]
        self._trace = self._concrete.get_concrete_function(*flat)
        self.result = Layout(self._returned)
        self._captured = self._trace.graph.captured
        graph = current_graph()
        self._brings_in = graph is not None and graph.is_function
        # Values of the graph around it; all others are at hand when it runs. Variables are among
        # them, so that what reads one afterwards knows that it may have been assigned.
        self.inputs = [
            graph.brought_in(v) if isinstance(v, Variable) else v
            for v in self._captured
            if self._is_given(v)
        ]
        self._eagerly = _Debugging.on and not self.inputs

    def _is_given(self, value: Any) -> bool:
        """Whether a captured value is an input of the operation that calls the function."""
        return isinstance(value, SymbolicTensor) or (
            self._brings_in and isinstance(value, Variable)
        )

    @property
    def spec(self) -> Any:
        """The nested specs of what it returns."""
        return self.result.spec

    def _flat(self, *flat: Any) -> list[Any]:
        returned = self._normal(self._on_leaves(converted(self._function), flat))
        self._returned = spec_of_value(returned)
        return leaves(returned)

    def _normal(self, returned: Any) -> Any:
        """What the function returned, as an element."""
        try:
            return normal(returned)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Unsupported return value from function passed to {self._of}: {returned}. {error}"
            ) from error

    def _on_leaves(self, function: Callable[..., Any], flat: Sequence[Any]) -> Any:
        rest = iter(flat)
        values = [layout._how([next(rest) for _ in layout.leaves]) for layout in self._given]
        if len(values) == 1:
            values = list(in_arguments(values[0]))
        returned = function(*values)
        # What a call returned as a list is several results, as of tf.numpy_function.
        return tuple(returned) if isinstance(returned, list) else returned

    def restart_streams(self) -> None:
        """Begin its random numbers again."""
        for graph in _graphs_in(self._trace.graph):
            for cell in graph.cells.values():
                if isinstance(cell, Stream):
                    cell.restart()

    # ---- calls -------------------------------------------------------------------------------

    def call(self, arrays: Sequence[Any] = (), ended: type[OpError] = InternalError) -> Call:
        """The function of elements, for the arrays of `inputs`.

        `ended` is what it raises where the function says that something has ended.
        """
        return _without_end(self._call(arrays), ended)

    def _call(self, arrays: Sequence[Any]) -> Call:
        if self._eagerly:
            return self._called_eagerly
        given = iter(arrays)
        held = [next(given) if self._is_given(v) else None for v in self._captured]
        varying = any(isinstance(v, Variable) for v in self._captured)
        values = [] if varying else self._values(held)
        run = self._trace._subgraph.run_on

        def of_arrays(*elements: Element) -> list[Any]:
            flat = [a for e, how in zip(elements, self._given, strict=True) for a in how.arrays(e)]
            return run([*flat, *(self._values(held) if varying else values)])

        def call(*elements: Element) -> Element:
            return self.result.from_arrays(of_arrays(*elements))

        def of_plain(element: Element) -> Element:
            return tuple(run([*element, *values]))

        layouts = [*self._given, self.result]
        is_quick = len(layouts) == 2 and all(layout.is_plain for layout in layouts) and not varying
        return of_plain if is_quick and not _has_strings(self._given[0]) else call

    def _values(self, held: Sequence[Any]) -> list[Any]:
        """The values of what it captured."""
        pairs = zip(self._captured, held, strict=True)
        return [h if self._is_given(v) else given_value(v) for v, h in pairs]

    def _called_eagerly(self, *elements: Element) -> Element:
        flat = [
            leaf
            for element, layout in zip(elements, self._given, strict=True)
            for leaf in leaves(layout.value(element))
        ]
        with activate((), None):
            return self.result.element(self._normal(self._on_leaves(self._function, flat)))


def _without_end(call: Call, ended: type[OpError]) -> Call:
    """A call that is no end of the elements, whatever the user's function raises: then a part would pass for all."""

    def checked(*elements: Element) -> Element:
        try:
            return call(*elements)
        except (OutOfRangeError, StopIteration) as error:
            raise ended(f"Function invocation produced {type(error).__name__}: {error}") from error

    return checked


def _graphs_in(graph: Any) -> Iterator[Any]:
    """A graph and those that its operations run."""
    yield graph
    for op in graph.operations:
        for inner in op.row.graphs:
            yield from _graphs_in(inner)


def _has_strings(layout: Layout) -> bool:
    return any(part.dtype.name == "string" for part in layout.parts)


def _valid(name: str) -> str:
    return "".join(c if c.isalnum() or c == "_" else "_" for c in name).strip("_") or "function"
