"""Replicas: which one runs in a thread, where there are several, and how they share variables."""

from __future__ import annotations

import enum
import threading
from typing import Any, Final


class Current(threading.local):
    """The context of the replica; None where there is one replica, or where all of them are meant."""

    context: Any = None


current: Final = Current()


def run_as(context: Any) -> Any:
    """Let this be the replica of the thread; returns the one before."""
    before, current.context = current.context, context
    return before


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
