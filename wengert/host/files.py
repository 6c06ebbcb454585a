"""Files that are there only when they are whole."""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from wengert.errors import of_os_error

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

_MARK: Final = ".tempstate"
_OLD: Final = 60.0  # seconds after which a file that nobody holds is a rest


@contextlib.contextmanager
def errors_of_files(path: str = "file") -> Iterator[None]:
    """What the file system refuses, as errors of the library; they name the file, or the path."""
    try:
        yield
    except OSError as error:
        raise of_os_error(error, path) from error


def replaced(path: str, data: bytes) -> None:
    """Write a file, so that at any moment the old one or the new one is there, whole."""
    file = Unfinished(path)
    try:
        file.write(data)
        file.finish()
    finally:
        file.drop()


class Unfinished:
    """A file that has its name when `finish` returns; until then what has the name stays as it is."""

    def __init__(self, path: str) -> None:
        self._own = f"{path}{_MARK}{uuid.uuid4().hex[:12]}"
        self.path = path
        _remove_rests(path)
        with errors_of_files(path):
            self.handle: BinaryIO = open(self._own, "wb")  # noqa: SIM115  # closed in finish and drop
        _locked(self.handle.fileno(), waits=False)

    def write(self, data: Any) -> None:
        """Write at its end."""
        with errors_of_files(self.path):
            self.handle.write(data)

    def finish(self, path: str | None = None) -> None:
        """Give it its name, or another one that is said now."""
        with errors_of_files(self.path):
            self.handle.flush()
            os.fsync(self.handle.fileno())
            os.replace(self._own, path or self.path)
            self.handle.close()

    def drop(self) -> None:
        """Leave nothing behind, unless it is finished."""
        with contextlib.suppress(OSError, AttributeError):  # closing may fail; or opening did
            self.handle.close()
        Path(self._own).unlink(missing_ok=True)

    def __del__(self) -> None:
        self.drop()


def _remove_rests(path: str) -> None:
    """Remove what processes left that were killed while they wrote this file: nobody holds it."""
    whole = Path(path)
    for rest in whole.parent.glob(f"{_plain(whole.name)}{_MARK}*"):
        with contextlib.suppress(OSError), open(rest, "rb") as file:
            if time.time() - rest.stat().st_mtime > _OLD and _locked(file.fileno(), waits=False):
                rest.unlink()


def remove_all_rests(folder: Path) -> None:
    """Remove what killed processes left unfinished in a folder that this process alone uses."""
    for rest in folder.glob(f"*{_MARK}*"):
        rest.unlink(missing_ok=True)


def _plain(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


@contextlib.contextmanager
def alone_in(folder: str) -> Iterator[None]:
    """One process at a time changes which files a folder has, where the file system has such locks."""
    handle = None if fcntl is None else os.open(folder or ".", os.O_RDONLY)
    try:
        if handle is not None:
            _locked(handle, waits=True)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _locked(handle: int, waits: bool) -> bool:
    """Lock an open file, until it is closed; whether nobody else has."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def kept_for_good(folder: str) -> None:
    """Ask the system to write the names of a folder, so that a power cut does not change their order."""
    with contextlib.suppress(OSError):
        handle = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class HeldFile:
    """A file that one process holds at a time; the system lets it go when that process ends.

    Where the file system has no such locks everybody holds it.
    """

    def __init__(self, path: Path) -> None:
        with errors_of_files(str(path)):
            self._file = open(path, "a+", encoding="utf-8")  # noqa: SIM115  # open as long as it is held
        self.is_ours = fcntl is None or _locked(self._file.fileno(), waits=False)
        self.owner = "" if self.is_ours else self._owner()
        if self.is_ours:
            self._sign()
        else:
            self._file.close()

    def _sign(self) -> None:
        with contextlib.suppress(OSError):  # a full disk: nobody is told who it is
            self._file.truncate(0)
            os.write(self._file.fileno(), str(os.getpid()).encode())  # nothing waits for `close`

    def _owner(self) -> str:
        """Who holds it, in words."""
        self._file.seek(0)
        number = self._file.read(20).strip()
        return f" (process {number})" if number.isdigit() else ""

    def close(self) -> None:
        """Let it go."""
        self._file.close()
