"""How a class says when calls with its objects share a trace of a tf.function."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable


class TracingContext:
    """What `__tf_tracing_type__` is given; it says nothing yet."""


class TraceType(abc.ABC):
    """The type of an argument: calls with arguments of equal types share a trace.

    A class of yours returns one from its method `__tf_tracing_type__(context)`.
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether a trace for the other type serves this one."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """A type of which all are subtypes; None if there is none."""

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        """What the function is traced with; by default the object of the first call."""
        return NotImplemented

    @abc.abstractmethod
    def __hash__(self) -> int: ...

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """A class that says the type of its objects for traces."""

    def __tf_tracing_type__(self, context: TracingContext) -> TraceType:
        """The type of an object."""


def trace_type_of(value: object) -> TraceType | None:
    """The type that a value says itself to have; None if it says none."""
    asked = getattr(type(value), "__tf_tracing_type__", None)
    return None if asked is None else asked(value, TracingContext())


def stand_in_of(kind: TraceType, value: Any) -> Any:
    """What stands for an argument of such a type while a function is traced."""
    found = kind.placeholder_value(None)
    return value if found is NotImplemented else found
