"""tensorflow.python.ops.partitioned_variables: variables in parts."""

from wengert.api.variables.partitioned_variable import PartitionedVariable as PartitionedVariable
from wengert.compat.v1.functions.partitioners import (
    create_partitioned_variables as create_partitioned_variables,
)
from wengert.compat.v1.functions.partitioners import (
    fixed_size_partitioner as fixed_size_partitioner,
)
from wengert.compat.v1.functions.partitioners import (
    min_max_variable_partitioner as min_max_variable_partitioner,
)
from wengert.compat.v1.functions.partitioners import (
    variable_axis_size_partitioner as variable_axis_size_partitioner,
)
