"""A variable of a graph as a message: VariableDef, the names of its nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert.formats.protos import message
from wengert.state.replicas import VariableAggregation, VariableSynchronization

if TYPE_CHECKING:
    from wengert.api.variables.graph_variable import GraphVariable
    from wengert.values.symbolic import SymbolicTensor


def variable_message(variable: GraphVariable, strip: Callable[[str], str]) -> Any:
    """A variable as VariableDef: the nodes that it is."""
    made = message("VariableDef")(
        variable_name=strip(f"{variable.op.name}:0"),
        initializer_name=strip(variable.initializer.name),
        snapshot_name=strip(read_name(variable)),
        initial_value_name=strip(variable.initial_value.name),
        is_resource=True,
        trainable=variable.trainable,
        synchronization=variable.synchronization.value,
        aggregation=variable.aggregation.value,
    )
    if variable._save_slice_info is not None:
        made.save_slice_info_def.CopyFrom(variable._save_slice_info.to_proto())
    return made


def read_name(variable: GraphVariable) -> str:
    """The tensor that a session fetches for a variable, whether it is in the graph yet or not."""
    if variable._snapshot is not None:
        return str(variable._snapshot.name)
    return f"{variable.op.name}/Read/ReadVariableOp:0"


def take_message(variable: GraphVariable, proto: Any, named: Callable[[str], str]) -> None:
    """Make a variable, whose handle is set, what the message says."""
    element = variable.graph.as_graph_element
    variable.trainable = proto.trainable
    variable.synchronization = VariableSynchronization(proto.synchronization)
    variable.aggregation = VariableAggregation(proto.aggregation)
    variable.initializer = element(named(proto.initializer_name), allow_tensor=False)
    if proto.initial_value_name:
        variable._initial_value = element(named(proto.initial_value_name))
    if proto.is_resource and proto.snapshot_name:
        variable._snapshot = snapshot(variable, named(proto.snapshot_name))
    if proto.HasField("save_slice_info_def"):
        variable._save_slice_info = variable.SaveSliceInfo(
            save_slice_info_def=proto.save_slice_info_def
        )


def snapshot(variable: GraphVariable, name: str) -> SymbolicTensor | None:
    """The node that reads a variable, if it is in the graph yet."""
    try:
        found: SymbolicTensor = variable.graph.as_graph_element(name)
        return found
    except KeyError:
        return None
