"""What all processes compute together, counted: one that has ended takes no part in what comes after."""

from __future__ import annotations

import functools
from typing import Any

from wengert.engines.xla.backend import jax
from wengert.errors import UnavailableError


class Meetings:
    """How many this process has begun, and how many there can be."""

    begun = 0
    last: int | None = None  # of one that has ended; None while all run
    who = ""


def begin() -> None:
    """Note that this process computes with all others now; an error if one of them has ended."""
    Meetings.begun += 1
    if is_in_vain():
        raise UnavailableError(in_vain())


def note_ended(who: str, after: int) -> None:
    """Note that another process has ended, after so many."""
    Meetings.who = who
    Meetings.last = after


def is_in_vain() -> bool:
    """Whether this process computes something with one that has ended."""
    return Meetings.last is not None and Meetings.begun > Meetings.last


def in_vain() -> str:
    """What is said then."""
    return (
        f"This is the {Meetings.begun}. value that all processes compute together, and {Meetings.who} has ended, "
        f"without an error, after {Meetings.last}. Let all of them take as many steps."
    )


@functools.cache
def is_of_all(mesh: Any) -> bool:
    """Whether a mesh has devices of all processes."""
    processes = {device.process_index for device in mesh.devices.flat}
    return bool(len(processes) == jax.process_count() > 1)


@functools.cache
def share_threads(mesh: Any) -> bool:
    """Whether devices of a mesh are parts of one processor, on the threads of which they wait for each other.

    Several runs under way at once may take all threads, and each waits for a device that gets none.
    """
    return len(mesh.local_devices) > 1 and mesh.devices.flat[0].platform == "cpu"
