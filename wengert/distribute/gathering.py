"""Processes wait until all of them are there: what JAX would end them for, they say."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import Final

from wengert.errors import UnavailableError

_AGAIN: Final = 0.1  # seconds between attempts
_LOOK: Final = 1.0  # seconds between looks whether one of them has ended
_GO: Final = b"go"
ENDED: Final = (
    "WENGERT_PROCESS_ENDED"  # in the environment: the folder with the numbers of those that have
)


def gather(index: int, count: int, coordinator: str, patience: float) -> None:
    """Return when all processes have called this; the first one waits at the address for the others."""
    host, _, port = coordinator.rpartition(":")
    end = time.monotonic() + patience
    if index == 0:
        missing = _received(int(port), count, end)
        if missing:
            named = ", ".join(map(str, missing))
            raise UnavailableError(
                _text(index, count, coordinator, patience, f"process {named} did not come")
            )
    elif not _announced(host, int(port), index, count, end):
        raise UnavailableError(
            _text(index, count, coordinator, patience, "they did not begin together")
        )


def _text(index: int, count: int, coordinator: str, patience: float, what: str) -> str:
    return (
        f"Process {index} of {count} waited {patience:g} s for the others at {coordinator}: {what}. See whether "
        "all of them run, and reach that address; wengert launch --patience SECONDS waits longer."
    )


def _check_ended(awaited: Iterable[int], count: int) -> None:
    """Raise if one that is awaited has ended: `wengert launch` notes it in a folder."""
    folder = os.environ.get(ENDED)
    for at in awaited if folder else ():
        if os.path.exists(os.path.join(str(folder), str(at))):
            raise UnavailableError(
                f"Process {at} of {count} has ended, without an error, and never met the others: all of them must make "
                "the MultiWorkerMirroredStrategy, or the Mesh."
            )


def _received(port: int, count: int, end: float) -> Sequence[int]:
    """Wait for the others, and let them go; those that did not come."""
    missing = set(range(1, count))
    with ExitStack() as open_ones, socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("", port))
        server.listen(count)
        there = []
        while missing:
            server.settimeout(max(min(end - time.monotonic(), _LOOK), 0.001))
            try:
                found, _ = server.accept()
                open_ones.enter_context(found)
                found.settimeout(max(end - time.monotonic(), 0.001))
                missing.discard(int(found.recv(16) or b"0"))
            except TimeoutError:
                _check_ended(missing, count)
                if time.monotonic() >= end:
                    return sorted(missing)
                continue
            except (ValueError, ConnectionError):  # a stranger
                continue
            there.append(found)
        for found in there:
            found.sendall(_GO)
    return []


def _announced(host: str, port: int, index: int, count: int, end: float) -> bool:
    """Tell the first process that this one is there, and wait for its word."""
    while time.monotonic() < end:
        left = max(end - time.monotonic(), 0.001)
        try:
            with socket.create_connection((host, port), timeout=left) as found:
                found.sendall(str(index).encode())
                if found.recv(len(_GO)) == _GO:
                    return True
        except OSError:  # it is not there yet
            pass
        _check_ended([0], count)
        time.sleep(_AGAIN)
    return False
