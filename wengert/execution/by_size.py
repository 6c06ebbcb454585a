"""Graphs with symbolic sizes, specialized for each combination of sizes.

The first few combinations are compiled as they come, and others where that takes no longer than to
interpret them, as they may share all of their code. Another one is interpreted, until that has
taken as long as compiling does: so many sizes that occur once cost little, and each that keeps
coming is soon fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import activate
from wengert.core.table import is_users
from wengert.execution.open_forms import marks_of, open_forms, stand_in
from wengert.execution.plan import Plan, given_value
from wengert.execution.replay import replay
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.graph_builder import VAR_HANDLE
from wengert.host.locks import new_lock
from wengert.inference.list_elements import Elements, note_elements
from wengert.state.cell import Cell
from wengert.state.variable import Variable
from wengert.values.dtypes import RESOURCE
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import TensorList

if TYPE_CHECKING:
    from wengert.execution.description import Description
    from wengert.execution.subgraph import Subgraph

Run = Callable[[Sequence[Any]], list[Any]]

AT_ONCE: Final = 8  # combinations of sizes for which a graph is compiled when they first occur
MOST: Final = 64  # for which it is kept compiled; the oldest make room
_MOST_NOTED: Final = 4096  # of which the time is noted that interpreting took


def depends_on_sizes(plan: Plan) -> bool:
    """Whether a graph depends on sizes that are known only at a call, and can be made for others."""
    if all(is_certain(x._array.shape) for x in plan.feeds):
        return False
    return not any(op.row is VAR_HANDLE for op in plan.resources) and not any(
        is_users(op.row) and not op.row.closes for op in plan.steps
    )


class BySize:
    """A specialized graph for each combination of sizes that occurs in calls.

    Sizes that `may_differ` from those which follow from others are interpreted first, which raises an error
    where they do not fit: compiled code takes for granted that they do.
    """

    def __init__(self, subgraph: Subgraph, may_differ: bool = False) -> None:
        self._subgraph = subgraph
        self._may_differ = may_differ
        self._made: dict[Any, _Sized | None] = {}  # None: by the graph itself
        # The graphs for sizes that nobody has, by those sizes.
        self._others: dict[Any, _Sized | None] = {}
        self._lock = new_lock()
        self._cost = 0.0  # seconds that the last one took to be compiled, and run
        self._general = 0.0  # seconds that the last one took to be interpreted
        self._spent: dict[Any, float] = {}  # seconds of interpreting, by the sizes

    def run_on(self, values: Sequence[Any], general: Run) -> list[Any]:
        """The results for some values; `general` computes them for any sizes."""
        key = _sizes_of(values)
        sized = self._made.get(key, _NEW)
        if sized is _NEW:
            return self._run_new(key, values, general)
        return general(values) if sized is None else sized.run_on(values)

    def _run_new(self, key: Any, values: Sequence[Any], general: Run) -> list[Any]:
        begin = perf_counter()
        spent = self._spent.get(key, 0.0)
        is_tried = not self._may_differ or key in self._spent
        pays = len(self._made) < AT_ONCE or max(spent, self._general) > self._cost
        if is_tried and pays:
            sized = self._specialized(key, values)
            found = general(values) if sized is None else sized.run_on(values)
            self._cost = perf_counter() - begin
            return found
        found = general(values)
        self._general = perf_counter() - begin
        with self._lock:
            if len(self._spent) == _MOST_NOTED:
                self._spent.clear()
            self._spent[key] = spent + self._general
        return found

    def _specialized(self, key: Any, values: Sequence[Any]) -> _Sized | None:
        try:
            found = _Sized(self._subgraph, values)
        except Exception:  # noqa: BLE001  # running the graph itself raises the proper error
            found = None
        if found is not None:
            self._open(found, values)
        with self._lock:
            if len(self._made) >= MOST:
                del self._made[next(iter(self._made))]
            self._spent.pop(key, None)
            self._made[key] = found
        return found

    def _open(self, sized: _Sized, values: Sequence[Any]) -> None:
        """Mark the sizes that may be others, so that code is shared with the graphs for those."""
        marks = marks_of(self._subgraph.graph.all_inputs, values)
        if not marks:
            return
        key = tuple(marks)
        if key not in self._others:
            try:
                other = _Sized(self._subgraph, list(map(stand_in, values, marks)))
            except Exception:  # noqa: BLE001  # these sizes must be as they are: in a fixed relation
                other = None
            self._others[key] = other
        other = self._others[key]
        if other is not None:
            open_forms(sized.graph, other.graph)

    def describe(self, values: Sequence[Any], name: str) -> Description | None:
        """A description of what a run does on values of these sizes; None if it is the graph itself."""
        key = _sizes_of(values)
        sized = self._made[key] if key in self._made else self._specialized(key, values)
        return None if sized is None else sized.describe(name)


class _Sized:
    """A graph replayed with all sizes known."""

    def __init__(self, subgraph: Subgraph, values: Sequence[Any]) -> None:
        general = subgraph.graph
        graph = FunctionGraph(general.name, general.outer_graph)
        graph.engine = general.chosen_engine
        self._arrays = [not isinstance(v, Variable) for v in values]
        with activate((), graph):
            pairs = zip(values, general.all_inputs, strict=True)
            given = [_entering(graph, v, x) for v, x in pairs]
            found = replay(general, subgraph.results, given, shares=True)
            outputs = [graph.entered(y) for y in found]
        self._inner = type(subgraph)(graph, outputs)
        self._takes_all = all(self._arrays) and not graph.captured

    @property
    def graph(self) -> FunctionGraph:
        """The graph for these sizes."""
        found: FunctionGraph = self._inner.graph
        return found

    def run_on(self, values: Sequence[Any]) -> list[Any]:
        if self._takes_all:
            return self._inner.run_on(values)
        arrays = [v for v, is_array in zip(values, self._arrays, strict=True) if is_array]
        held = [given_value(v) for v in self._inner.graph.captured]
        return self._inner.run_on([*arrays, *held])

    def describe(self, name: str) -> Description:
        """A description of what a run does."""
        return self._inner.describe(name)


_NEW: Final[Any] = object()


def _sizes_of(values: Sequence[Any]) -> tuple[Any, ...]:
    """What a graph is specialized for: the shapes of arrays, and of the elements of lists."""
    return tuple(
        [
            v.shape if type(v) is np.ndarray else _size_of(v)  # the common case
            for v in values
        ]
    )


def _size_of(value: Any) -> Any:
    if isinstance(value, TensorList):
        return value.element_shape
    return None if type(value) is Cell else getattr(value, "shape", None)


def _entering(graph: FunctionGraph, value: Any, general: SymbolicTensor) -> Any:
    """An array or a list as an input, with what the general graph knows of it; a variable as it is.

    What a session keeps behind a handle, as the value of a variable, is an input, too, if its size is known.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        general.shape.assert_is_compatible_with(value.shape)  # it may be stated
        x = graph.input(list(value.shape), value.dtype)
        x._known = general._known
        return x
    if isinstance(value, TensorList):
        x = graph.input([], value.dtype)
        note_elements(x, Elements(None, value.element_shape))
        return x
    if isinstance(value, Variable) and is_certain(general._array.shape):
        return value
    # A variable of no certain shape has sizes that no call tells: a graph made for them would be made again within itself.
    if not (_is_held(value, general) and is_certain(general._array.shape)):
        raise TypeError(f"{value!r} has no size that the graph could be made for")
    return graph.input_like(general)


def _is_held(value: Any, general: SymbolicTensor) -> bool:
    """Whether it is what a session keeps behind a handle."""
    return type(value) is Cell or general._array.dtype is RESOURCE
