"""The collections of a graph as messages, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wengert.api.session.logger import get_logger
from wengert.api.variables.graph_variable import GraphVariable
from wengert.compat.graph_defs.protos import message
from wengert.graph.operation import Operation
from wengert.saving.saver import parts_of_whole
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


def variable_message(variable: Any, strip: Callable[[str], str]) -> Any:
    """A variable as VariableDef: the nodes that it is."""
    own = variable.op.name
    made = message("VariableDef")(
        variable_name=strip(f"{own}:0"),
        initializer_name=strip(variable.initializer.name),
        snapshot_name=strip(read_name(variable)),
        initial_value_name=strip(variable.initial_value.name),
        is_resource=True,
        trainable=variable.trainable,
    )
    whole = variable.__dict__.get("_self_whole")
    if whole is not None:
        extents = next(e for part, e in parts_of_whole(whole) if part is variable)
        slices = made.save_slice_info_def
        slices.full_name = whole.name
        slices.full_shape.extend(whole.shape.as_list())
        slices.var_shape.extend(variable.shape.as_list())
        slices.var_offset.extend([start for start, _ in extents])
    return made


def read_name(variable: Any) -> str:
    """The tensor that a session fetches for a variable, whether it is in the graph yet or not."""
    if variable._snapshot is not None:
        return str(variable._snapshot.name)
    return f"{variable.op.name}/Read/ReadVariableOp:0"


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
        element = self._graph.as_graph_element
        found.trainable = proto.trainable
        found.initializer = element(self._named(proto.initializer_name), allow_tensor=False)
        if proto.initial_value_name:
            found._initial_value = element(self._named(proto.initial_value_name))
        if proto.is_resource and proto.snapshot_name:
            found._snapshot = element(self._named(proto.snapshot_name))
        self._variables[name] = found
        return found
