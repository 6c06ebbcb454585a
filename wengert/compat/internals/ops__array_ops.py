"""tensorflow.python.ops.array_ops: what is not public of it."""

from wengert.ops.gathering import gather_nd

newaxis = None


def batch_gather_nd(params: object, indices: object, batch_dims: int, name: object = None) -> object:
    """gather_nd with leading axes in common."""
    return gather_nd(params, indices, batch_dims, name)
