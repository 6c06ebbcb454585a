"""tf.__internal__.types: the base of tensors, variables, and the variables of libraries."""

from wengert.values.value import TensorBase as Tensor

__all__ = ["Tensor"]
