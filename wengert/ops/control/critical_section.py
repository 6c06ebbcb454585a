"""tf.CriticalSection: functions of which one runs at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from wengert.core.context import current_graph
from wengert.ops.arrays.identity import identity
from wengert.values import nest
from wengert.values.tensor import Tensor


class CriticalSection:
    """Functions that are executed in it run one after the other.

    >>> section = tf.CriticalSection()
    >>> total = tf.Variable(1.0)
    >>> section.execute(lambda: total.assign_add(2.0)).numpy()
    np.float32(3.0)
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: Any = None,
    ) -> None:
        self._name = name or "critical_section"
        self._lock = threading.RLock()
        self._running = False
        self._last: WeakKeyDictionary[Any, list[Any]] = WeakKeyDictionary()

    @property
    def name(self) -> str:
        """The name of the section."""
        return self._name

    def execute(
        self,
        fn: Callable[[], Any],
        exclusive_resource_access: bool = True,
        name: str | None = None,
    ) -> Any:
        """What the function returns, which runs when no other runs in the section."""
        with self._lock:
            if self._running:
                raise ValueError(
                    f"Attempting to lock a CriticalSection ({self._name}) in which it would be running. "
                    "This is illegal and would cause deadlocks: the function attempts to directly access "
                    "the CriticalSection in which it would be running"
                )
            self._running = True
            try:
                return self._executed(fn)
            finally:
                self._running = False

    def _executed(self, fn: Callable[[], Any]) -> Any:
        graph = current_graph()
        if graph is None:
            return nest.map_structure(_as_value, fn(), expand_composites=True)
        before = len(graph.operations)
        with graph.control_dependencies(self._last.get(graph, [])):
            found = fn()
        made = graph.operations[before:]
        with graph.control_dependencies([op for op in made if op.row.stateful or op.row.effects]):
            found = nest.map_structure(_as_value, found, expand_composites=True)
        self._last[graph] = graph.operations[before:]
        return found


def _as_value(x: Any) -> Any:
    """A copy of a tensor, or the value of a variable."""
    value = getattr(x, "read_value", None)
    return identity(value() if value is not None else x) if isinstance(x, Tensor) or value else x
