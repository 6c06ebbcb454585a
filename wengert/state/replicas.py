"""Replicas: which one runs in a thread, of which strategy, and how they share variables."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

Result = TypeVar("Result")


class Current(threading.local):
    """What runs in a thread; None of each where there is none."""

    strategy: Any = None  # in whose scope it is, but for the default one
    replica: Any = None  # the context of the replica; None where all of them are meant
    context: Any = None  # the same, where there are several


current: Final = Current()


def enter_as(strategy: Any, replica: Any) -> tuple[Any, Any]:
    """Let these be the strategy and the replica of the thread; returns those before."""
    before = current.strategy, current.replica
    current.strategy, current.replica = strategy, replica
    return before


def run_as(context: Any) -> Any:
    """Let this be the replica of the thread; returns the one before."""
    before, current.context = current.context, context
    return before


def without_others(function: Callable[[], Result]) -> Result:
    """What a function gives if what it changes is this replica's to change: it meets no other one."""
    before = run_as(None)
    try:
        return function()
    finally:
        run_as(before)


class VariableAggregation(enum.Enum):
    """How replicas aggregate assigned values."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3  # its name in version 1


class VariableSynchronization(enum.Enum):
    """When replicas synchronize a variable."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


def replication(synchronization: Any, aggregation: Any) -> tuple[Any, Any]:
    """What was asked for; by default it is chosen automatically, and nothing is aggregated."""
    return (
        VariableSynchronization.AUTO if synchronization is None else synchronization,
        VariableAggregation.NONE if aggregation is None else aggregation,
    )
