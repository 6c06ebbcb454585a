"""tensorflow.python.ops.variable_scope: its names that are not public."""

from wengert.api.variables.eager_store import EagerVariableStore as EagerVariableStore
from wengert.api.variables.get_variable import variable_store as _get_default_variable_store
from wengert.api.variables.partitioned_variable import PartitionInfo as _PartitionInfo

__all__ = ["_PartitionInfo", "_get_default_variable_store"]
