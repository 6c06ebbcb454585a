"""tensorflow.python.ops.ragged.ragged_tensor_value: what sessions return for ragged tensors."""

from wengert.ops.ragged.tensor import RaggedTensorValue as RaggedTensorValue
