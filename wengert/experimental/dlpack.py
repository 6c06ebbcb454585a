"""tf.experimental.dlpack: arrays to and from other libraries."""

from typing import Any

import numpy as np

from wengert.values.tensor import Tensor as _Tensor
from wengert.values.tensor import wrap as _wrap


def to_dlpack(tf_tensor: _Tensor) -> Any:
    """A DLPack capsule of the tensor, for other libraries to take.

    >>> tf.experimental.dlpack.to_dlpack(tf.constant([1.0]))
    <capsule object "dltensor..." at 0x...>
    """
    if not isinstance(tf_tensor, _Tensor):
        raise TypeError(f"The argument to `to_dlpack` must be a TF tensor, not {tf_tensor!r}.")
    return tf_tensor.__dlpack__()


def from_dlpack(dlcapsule: Any) -> _Tensor:
    """A tensor of an array, of whatever library, that speaks DLPack, or of a capsule.

    Nothing is copied: the array must not be changed afterwards.

    >>> tf.experimental.dlpack.from_dlpack(np.array([1.0, 2.0])).numpy().tolist()
    [1.0, 2.0]
    """
    if hasattr(dlcapsule, "__dlpack__"):
        return _wrap(np.from_dlpack(dlcapsule))
    if type(dlcapsule).__name__ != "PyCapsule":
        raise TypeError(
            "from_dlpack takes a DLPack capsule or an array that has `__dlpack__`, "
            f"got {dlcapsule!r}."
        )
    if "used_" in repr(dlcapsule):
        raise ValueError(f"A DLPack capsule can be taken only once: {dlcapsule!r}.")
    return _wrap(np.from_dlpack(_Capsule(dlcapsule)))


class _Capsule:
    """A bare capsule in the form that NumPy takes."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the CPU
