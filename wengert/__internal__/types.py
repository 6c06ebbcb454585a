"""tf.__internal__.types: the base of tensors and variables."""

from wengert.values.value import Value as Tensor

__all__ = ["Tensor"]
