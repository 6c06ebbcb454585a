"""tensorflow.python.ops.ragged.dynamic_ragged_shape: shapes of ragged tensors."""

from wengert.ops.ragged.dynamic_shape import DynamicRaggedShape as DynamicRaggedShape
