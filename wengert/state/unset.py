"""Variables without a value yet: eager handles, which assignments give their first one."""

from __future__ import annotations

from typing import Any

from wengert.errors import FailedPreconditionError
from wengert.host.locks import new_lock
from wengert.state.replicas import replication
from wengert.state.variable import Variable
from wengert.values.dtypes import DType
from wengert.values.shapes import TensorShape
from wengert.values.value import Key


class UnsetVariable(Variable):
    """A variable that may not be read before it was assigned to."""

    __slots__ = ("_held", "_kind")

    def __init__(self, dtype: DType, shape: Any, name: str, trainable: bool = True) -> None:
        self._held: Any = None
        self._kind = dtype
        self._key = Key()
        self._lock = new_lock()
        self._handle_name = f"{name}:0"
        self._shape = TensorShape(shape)
        self.trainable = trainable
        self.constraint = None
        self.synchronization, self.aggregation = replication(None, None)

    @property
    def dtype(self) -> DType:
        """The dtype of the values that may be assigned."""
        return self._kind

    @property
    def _array(self) -> Any:
        if self._held is None:
            raise FailedPreconditionError(
                f"Attempting to use uninitialized value {self._shared_name}: the variable has no "
                "value yet. Assign one first."
            )
        return self._held

    @_array.setter
    def _array(self, value: Any) -> None:
        self._held = value

    def is_initialized(self, name: str | None = None) -> bool:
        """Whether it was assigned to."""
        return self._held is not None

    def __repr__(self) -> str:
        form = f"[ DType: {self._kind.name}, Shape: {self._shape} ]"
        return f'<ResourceHandle(name="{self._shared_name}", dtype and shapes : "{form}")>'
