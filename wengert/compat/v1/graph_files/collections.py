"""The collections of a graph as messages, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wengert.api.session.logger import get_logger
from wengert.api.variables.graph_variable import GraphVariable
from wengert.api.variables.variable_def import take_message, variable_message
from wengert.compat.graph_defs.protos import message
from wengert.graph.operation import Operation
from wengert.values.symbolic import SymbolicTensor

# The collections whose values are variables.
_OF_VARIABLES = frozenset(
    (
        "variables",
        "trainable_variables",
        "local_variables",
        "model_variables",
        "moving_average_variables",
        "metric_variables",
        "concatenated_variables",
        "global_step",
    )
)


def collection_message(values: list[Any], strip: Callable[[str], str]) -> Any:
    """A collection as a message; None if a value has no form there."""
    made = message("CollectionDef")()
    for value in values:
        if isinstance(value, GraphVariable) and value.initializer is not None:
            made.bytes_list.value.append(variable_message(value, strip).SerializeToString())
        elif isinstance(value, (SymbolicTensor, Operation)):
            made.node_list.value.append(strip(value.name))
        elif hasattr(value, "SerializeToString"):
            made.bytes_list.value.append(value.SerializeToString())
        elif isinstance(value, int):
            made.int64_list.value.append(value)
        elif isinstance(value, float):
            made.float_list.value.append(value)
        elif isinstance(value, (str, bytes)):
            made.bytes_list.value.append(value.encode() if isinstance(value, str) else value)
        else:
            return None
    return made


# ---- and back -----------------------------------------------------------------------------------


class Reader:
    """Makes values of collections again, in a graph to which the nodes were added."""

    def __init__(self, graph: Any, scope: str, variables: Mapping[str, Any]) -> None:
        self._graph = graph
        self._scope = scope
        self._by_name = variables
        self._variables: dict[str, GraphVariable] = {}

    def add(self, name: str, collection: Any) -> None:
        """Put what a collection holds into that of the graph."""
        kind = collection.WhichOneof("kind")
        if kind is None:
            return
        values = getattr(collection, kind).value
        if kind == "node_list":
            found = [self._graph.as_graph_element(self._named(value)) for value in values]
        elif kind != "bytes_list":
            found = list(values)
        elif name in _OF_VARIABLES:
            found = [self._variable(message("VariableDef").FromString(value)) for value in values]
        elif name in ("cond_context", "while_context", "queue_runners"):
            get_logger().warning(
                "The collection %r of the graph's file is left out: what it describes has no form here.",
                name,
            )
            return
        else:
            found = list(values)
        for value in found:
            self._graph.add_to_collection(name, value)

    def _named(self, name: str) -> str:
        return f"{self._scope}/{name}" if self._scope else name

    def _variable(self, proto: Any) -> GraphVariable:
        name = proto.variable_name
        if name in self._variables:
            return self._variables[name]
        found = self._by_name.get(name.partition(":")[0])
        if not isinstance(found, GraphVariable):
            raise ValueError(f"The file says that {name!r} is a variable, and its graph has none.")
        take_message(found, proto, self._named)
        self._variables[name] = found
        return found
