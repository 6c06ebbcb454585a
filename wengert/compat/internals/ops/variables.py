"""tensorflow.python.ops.variables: its names that are not public."""

from wengert.api.variables.partitioned_variable import PartitionedVariable as PartitionedVariable
