"""tensorflow.python.ops.map_ops: maps from tensors to tensors."""

from wengert.ops.control.tensor_map import empty_tensor_map as empty_tensor_map
from wengert.ops.control.tensor_map import tensor_map_erase as tensor_map_erase
from wengert.ops.control.tensor_map import tensor_map_has_key as tensor_map_has_key
from wengert.ops.control.tensor_map import tensor_map_insert as tensor_map_insert
from wengert.ops.control.tensor_map import tensor_map_lookup as tensor_map_lookup
from wengert.ops.control.tensor_map import tensor_map_size as tensor_map_size
from wengert.ops.control.tensor_map import tensor_map_stack_keys as tensor_map_stack_keys
