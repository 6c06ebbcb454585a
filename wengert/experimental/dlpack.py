"""tf.experimental.dlpack: arrays to and from other libraries, without copying."""

from typing import Any

import numpy as np

from wengert.core.tensor import Tensor as _Tensor
from wengert.core.tensor import wrap as _wrap


def to_dlpack(tf_tensor: _Tensor) -> Any:
    """A DLPack capsule of the tensor, for other libraries to take.

    >>> tf.experimental.dlpack.to_dlpack(tf.constant([1.0]))
    <capsule object "dltensor..." at 0x...>
    """
    return tf_tensor.__dlpack__()


def from_dlpack(dlcapsule: Any) -> _Tensor:
    """A tensor of an array, of whatever library, that speaks DLPack, or of a capsule.

    >>> tf.experimental.dlpack.from_dlpack(np.array([1.0, 2.0])).numpy().tolist()
    [1.0, 2.0]
    """
    source = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    return _wrap(np.from_dlpack(source))


class _Capsule:
    """A bare capsule in the form that NumPy takes."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the CPU
