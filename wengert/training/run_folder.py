"""The folder of a run: its lock, settings, history; checkpoints and events stand in it, too."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from pathlib import Path
from typing import Any, Final, NamedTuple

from wengert.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    NotFoundError,
    PermissionDeniedError,
)
from wengert.host.files import HeldFile, errors_of_files, remove_all_rests, replaced
from wengert.training.settings import Settings, settings_of

_SETTINGS: Final = "run.json"
_LOCK: Final = "lock"
_PAGE: Final = "index.html"
_HISTORY: Final = "history.csv"


class Record(NamedTuple):
    """What came of a step: of its batch, or of a test after it."""

    step: int
    loss: float
    accuracy: float

    def line(self) -> str:
        """The record as a line; numbers with all their digits."""
        return f"{self.step},{self.loss!r},{self.accuracy!r}\n"


class History:
    """Records in a file, one a line. What a killed process left of a line is passed over."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.records: list[Record] = []
        self._waiting: list[str] = []

    def go_on(self, step: int) -> None:
        """Read what is there, up to a step; what came after it will come again."""
        lines = self._path.read_text("utf-8", "replace").splitlines() if self._path.exists() else []
        found = (_record(line) for line in lines)
        self.records = [r for r in found if r is not None and r.step <= step]
        replaced(str(self._path), "".join(r.line() for r in self.records).encode())

    def add(self, record: Record) -> None:
        """Note a record; `flush` writes it."""
        self.records.append(record)
        self._waiting.append(record.line())

    def flush(self) -> None:
        """Write what waits; after an error it waits on."""
        if not self._waiting:
            return
        with errors_of_files(str(self._path)):
            start = self._path.stat().st_size if self._path.exists() else 0
            try:
                with open(self._path, "a", encoding="utf-8") as file:
                    file.writelines(self._waiting)
            except OSError:
                if self._path.exists():
                    os.truncate(self._path, start)
                raise
        self._waiting.clear()


def _record(line: str) -> Record | None:
    try:
        step, loss, accuracy = line.split(",")
        return Record(int(step), float(loss), float(accuracy))
    except ValueError:
        return None


class RunFolder:
    """A folder that one process uses at a time, until it closes it or ends."""

    def __init__(self, path: Path, lock: HeldFile) -> None:
        self.path = path
        self.made: list[
            Path
        ] = []  # the folders that were made for this run, itself and those around
        self._lock = lock
        self.history = History(path / _HISTORY)
        self.tests = History(path / "tests.csv")

    @property
    def page(self) -> Path:
        """The page about the run."""
        return self.path / _PAGE

    @property
    def checkpoints(self) -> Path:
        """Where the checkpoints are."""
        return self.path / "checkpoints"

    @property
    def events(self) -> Path:
        """Where TensorBoard finds what it shows."""
        return self.path / "events"

    @property
    def holds_steps(self) -> bool:
        """Whether anything would be lost if another run began in it."""
        written = self.path / _HISTORY
        return any(self.checkpoints.glob("*.index")) or (
            written.exists() and written.stat().st_size > 0
        )

    def settings(self) -> Settings:
        """What the run was begun with."""
        return settings_of(self.path / _SETTINGS)

    def keep(self, settings: Settings) -> None:
        """Write the settings."""
        replaced(str(self.path / _SETTINGS), settings.text().encode())

    def close(self) -> None:
        """Let others use it."""
        self._lock.close()

    def leave_nothing(self) -> None:
        """Remove a folder that was made for a run that was refused before its first step."""
        if not self.made or self.holds_steps or self.history.records:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        with contextlib.suppress(OSError):  # another run may be in one of them
            for around in self.made[1:]:
                around.rmdir()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def next_free(name: str) -> Path:
    """The next name of a folder for a run that is free."""
    numbered = (Path("runs") / f"{name}-{number}" for number in itertools.count(1))
    return next(path for path in numbered if not path.exists())


def settings_in(path: Path) -> Settings:
    """What the run of a folder was begun with, for who does not write into it."""
    _check_begun(path)
    return settings_of(path / _SETTINGS)


def begun(path: Path | None, name: str) -> RunFolder:
    """A new folder, or an empty one; without a path, the next that is free."""
    path = path or next_free(name)
    if path.exists() and not path.is_dir():
        raise FailedPreconditionError(f"{path} is no folder: give --out the name of one.")
    made = [p for p in (path, *path.parents) if not p.exists()]
    try:
        with errors_of_files(str(path)):
            path.mkdir(parents=True, exist_ok=True)
    except (NotFoundError, PermissionDeniedError, FailedPreconditionError) as error:
        raise type(error)(f"{error.message}: give --out a folder that can be made.") from error
    folder = _held(path)
    folder.made = made
    if folder.holds_steps:
        folder.close()
        raise AlreadyExistsError(
            f"{path} holds a run already: `wengert train --resume {path}` goes on with it, and another "
            "--out begins a new one."
        )
    return folder


def resumed(path: Path) -> RunFolder:
    """The folder of a run that was begun."""
    _check_begun(path)
    return _held(path)


def _check_begun(path: Path) -> None:
    if (path / _SETTINGS).exists():
        return
    if path.is_file():
        raise NotFoundError(f"{path} is a file: give --resume the folder of the run that it is in.")
    why = f"it has no {_SETTINGS}" if path.exists() else "there is no such folder"
    raise NotFoundError(
        f"{path} holds no run: {why}. {_others(path)}`wengert train TASK --out {path}` begins one."
    )


def _others(path: Path) -> str:
    """The runs that stand beside a folder, or in it, as a sentence; '' if there are none."""
    near = [*path.parent.glob(f"*/{_SETTINGS}"), *path.glob(f"*/{_SETTINGS}")]
    names = sorted(str(found.parent) for found in near)
    return f"There {'is' if len(names) == 1 else 'are'} {', '.join(names[:4])}. " if names else ""


def _held(path: Path) -> RunFolder:
    lock = HeldFile(path / _LOCK)
    if not lock.is_ours:
        raise FailedPreconditionError(
            f"Another process trains in {path}{lock.owner}: wait for it, stop it, or give --out another "
            "folder. The lock goes when that process ends."
        )
    remove_all_rests(path)
    return RunFolder(path, lock)
