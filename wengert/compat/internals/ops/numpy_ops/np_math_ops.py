"""tensorflow.python.ops.numpy_ops.np_math_ops: its names that are not public."""

from wengert.api.numpy.behavior import set_behavior


def enable_numpy_methods_on_tensor() -> None:
    """Give tensors NumPy's methods."""
    set_behavior(promotes=False)
