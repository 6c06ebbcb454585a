"""A store for the variables of eager mode, which are then found again by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wengert.api.variables.get_variable import variable_store
from wengert.api.variables.variable_scope import graph_of_variables
from wengert.api.variables.variable_store import VariableStore
from wengert.core.context import current_graph
from wengert.state.variable import Variable


class EagerVariableStore:
    """Variables by name, which tf.compat.v1.get_variable finds again while the store is in use.

    >>> from wengert.api.variables.eager_store import EagerVariableStore
    >>> store = EagerVariableStore()
    >>> with store.as_default():
    ...     v = tf.compat.v1.get_variable("v", [2])
    ...     tf.compat.v1.get_variable("v", [2]) is v
    True
    """

    def __init__(self, store: Any = None) -> None:
        if store is not None and not getattr(store, "keeps_eager", False):
            raise ValueError("Cannot construct EagerVariableStore from a store of graphs.")
        self._store = VariableStore() if store is None else store
        self._store.keeps_eager = True

    @contextmanager
    def as_default(self) -> Iterator[None]:
        """Variables are kept here, and looked for here."""
        if current_graph() is not None:
            raise ValueError(
                "EagerVariableStore is for eager mode: a graph keeps its own variables."
            )
        variable_store()
        kept = graph_of_variables().get_collection_ref(("__variable_store",))
        before, kept[0] = kept[0], self._store
        try:
            yield
        finally:
            kept[0] = before

    def variables(self) -> list[Variable]:
        """All variables, by name."""
        return [self._store._variables[name] for name in sorted(self._store._variables)]

    def trainable_variables(self) -> list[Variable]:
        """Those that are trained."""
        return [v for v in self.variables() if v.trainable]

    def non_trainable_variables(self) -> list[Variable]:
        """Those that are not trained."""
        return [v for v in self.variables() if not v.trainable]

    def copy(self) -> EagerVariableStore:
        """A store with variables of its own, of the same values."""
        made = EagerVariableStore()
        for name, v in self._store._variables.items():
            made._store._variables[name] = Variable(
                v.read_value(), trainable=v.trainable, name=name
            )
        return made
