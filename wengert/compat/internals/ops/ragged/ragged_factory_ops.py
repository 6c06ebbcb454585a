"""tensorflow.python.ops.ragged.ragged_factory_ops: ragged tensors, and values of sessions."""

from wengert.compat.v1.ragged import constant_value as constant_value
from wengert.compat.v1.ragged import placeholder as placeholder
from wengert.ops.ragged.factories import constant as constant
