"""tensorflow.python.ops.linalg.linear_operator_toeplitz: its names that are not public."""

from wengert.compat.internals.ops.linalg.linear_operator_circulant import _to_complex as _to_complex
