"""Cells: the values that sessions keep for the handles of variables and other resources."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from wengert.errors import FailedPreconditionError, InvalidArgumentError
from wengert.graph.graph_builder import VAR_HANDLE
from wengert.graph.operation import Operation
from wengert.host.locks import new_lock
from wengert.values.dtypes import RESOURCE
from wengert.values.on_device import OnDevice


class Cell:
    """The value of a variable in one session. An eager variable is a cell of its own."""

    __slots__ = ("_lock", "_value", "name", "place")

    def __init__(self, name: str, place: str) -> None:
        self.name = name
        self.place = place
        self._value: Any = None
        self._lock = new_lock()

    @classmethod
    def from_array(cls, array: Any) -> Cell:
        """A cell that holds an array."""
        cell = cls("fed", "")
        cell._value = array
        return cell

    @property
    def held(self) -> OnDevice | None:
        """What holds its value on a device; None if its array is NumPy's."""
        return self._value if type(self._value) is OnDevice else None

    @held.setter
    def held(self, held: OnDevice) -> None:
        self._value = held

    def kept(self) -> Any:
        """What it holds, to be put back."""
        return None if self._value is None else np.array(self._array)

    def put_back(self, kept: Any) -> None:
        """Hold again what it held."""
        self._value = kept

    @property
    def shape(self) -> Any:
        """The shape of the value, for deferred calls."""
        return self._array.shape

    @property
    def initialized(self) -> bool:
        """Whether it has a value."""
        return self._value is not None

    @property
    def _array(self) -> Any:
        if self._value is None:
            raise FailedPreconditionError(
                f"Attempting to use uninitialized value {self.name}: the variable was made at "
                f"{self.place} and has no value in this session. Run its initializer first, or "
                "tf.compat.v1.global_variables_initializer()."
            )
        return self._value.fetched() if type(self._value) is OnDevice else self._value

    @_array.setter
    def _array(self, value: Any) -> None:
        self._value = value


class Resource:
    """An object that lives outside of the graph; a scalar to those who ask for its form."""

    dtype = RESOURCE
    shape = ()
    what = "resource"  # in a word

    def __getitem__(self, key: Any) -> Any:
        return self


_FACTORIES: Final[dict[str, Callable[[Operation], Any]]] = {}


_AGREEMENTS: Final[dict[str, Callable[[Operation, Operation], None]]] = {}


def resource(
    kind: str,
    make: Callable[[Operation], Any],
    agree: Callable[[Operation, Operation], None] | None = None,
) -> None:
    """Register how each session creates the resource that an operation type returns.

    Operations with the same attribute `shared_name` stand for one resource, if `agree` raises nothing.
    """
    _FACTORIES[kind] = make
    if agree is not None:
        _AGREEMENTS[kind] = agree


def shared_with(op: Operation, others: Iterable[Operation]) -> Operation | None:
    """The operation among others that stands for the same resource, by its shared name."""
    name = op.attrs.get("shared_name")
    if not name or op.row.name not in _AGREEMENTS:
        return None
    for other in others:
        if other.attrs.get("shared_name") == name and other.row.name in _AGREEMENTS:
            if other.row is not op.row:
                raise InvalidArgumentError(
                    f"Shared queue '{name}' has type '{other.row.name}' that does not match type of "
                    f"Node '{op.name}': {op.row.name}"
                )
            _AGREEMENTS[op.row.name](other, op)
            return other
    return None


def is_resource(op: Operation) -> bool:
    """Whether the result is an object that lives outside of the graph, other than a variable."""
    return op.row.name in _FACTORIES


def new_resource(op: Operation) -> Any:
    """The resource that such an operation returns in a session."""
    if op.row is VAR_HANDLE:
        return Cell(op.name, op.place)
    return _FACTORIES[op.row.name](op)
