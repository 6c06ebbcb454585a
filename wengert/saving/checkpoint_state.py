"""The file `checkpoint` of a folder, which says which checkpoints it has and which is the latest."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from wengert.api.session.logger import get_logger
from wengert.errors import NotFoundError, OpError
from wengert.formats.bundles import BundleReader
from wengert.host.files import replaced

_FILE: Final = "checkpoint"


@dataclass
class CheckpointState:
    """The checkpoints of a folder, the oldest first."""

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0

    def text(self) -> str:
        """The state as text, as protocol buffers write messages."""
        lines = [f"model_checkpoint_path: {_quoted(self.model_checkpoint_path)}"]
        lines += [
            f"all_model_checkpoint_paths: {_quoted(p)}" for p in self.all_model_checkpoint_paths
        ]
        lines += [
            f"all_model_checkpoint_timestamps: {t!r}" for t in self.all_model_checkpoint_timestamps
        ]
        if self.last_preserved_timestamp:
            lines.append(f"last_preserved_timestamp: {self.last_preserved_timestamp!r}")
        return "".join(f"{line}\n" for line in lines)


_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\", "'": "\\'"}
_PLAIN: Final = {text[1]: char for char, text in _ESCAPES.items()}


def _quoted(text: str) -> str:
    shown = "".join(
        _ESCAPES.get(c, c) if c.isascii() else "".join(f"\\{b:03o}" for b in c.encode())
        for c in text
    )
    return f'"{shown}"'


def _unquoted(text: str) -> str:
    def plain(found: re.Match[bytes]) -> bytes:
        word = found[1].decode()
        return bytes([int(word, 8)]) if word[0].isdigit() else _PLAIN.get(word, word).encode()

    return re.sub(rb"\\([0-7]{1,3}|.)", plain, text[1:-1].encode()).decode()


def state_of_text(text: str) -> CheckpointState:
    """The state that such a text stands for."""
    made = CheckpointState()
    for key, value in re.findall(r'(\w+)\s*:\s*("(?:\\.|[^"\\])*"|[^\s"]\S*)', text):
        if key == "model_checkpoint_path":
            made.model_checkpoint_path = _unquoted(value)
        elif key == "all_model_checkpoint_paths":
            made.all_model_checkpoint_paths.append(_unquoted(value))
        elif key == "all_model_checkpoint_timestamps":
            made.all_model_checkpoint_timestamps.append(float(value))
        elif key == "last_preserved_timestamp":
            made.last_preserved_timestamp = float(value)
    return made


def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """The state for a folder; paths below it become relative to it.

    >>> tf.compat.v1.train.generate_checkpoint_state_proto("/a", "/a/ckpt-1").model_checkpoint_path
    'ckpt-1'
    """
    paths = list(all_model_checkpoint_paths or [])
    times = list(all_model_checkpoint_timestamps or [])
    if times and len(times) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{paths} and timestamps {times})"
        )
    if model_checkpoint_path not in paths:
        paths.append(model_checkpoint_path)
        times += [time.time()] if times else []
    return CheckpointState(
        _relative(model_checkpoint_path, save_dir),
        [_relative(p, save_dir) for p in paths],
        times,
        last_preserved_timestamp or 0.0,
    )


def _relative(path: str, folder: str) -> str:
    if not os.path.isabs(path) and not os.path.isabs(folder):
        return os.path.relpath(path, folder) if folder else path
    if os.path.isabs(path) and os.path.isabs(folder):
        found = os.path.relpath(path, folder)
        return path if found.startswith("..") else found
    return path


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the file `checkpoint` of a folder, at once.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.compat.v1.train.update_checkpoint_state(folder, f"{folder}/ckpt-3")
    >>> tf.train.get_checkpoint_state(folder).model_checkpoint_path == f"{folder}/ckpt-3"
    True
    """
    folder = os.fspath(save_dir)
    state = generate_checkpoint_state_proto(
        folder,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    replaced(os.path.join(folder, latest_filename or _FILE), state.text().encode())


def get_checkpoint_state(
    checkpoint_dir: Any, latest_filename: str | None = None
) -> CheckpointState | None:
    """What the file `checkpoint` of a folder says; None if there is none.

    >>> tf.train.get_checkpoint_state("no such folder") is None
    True
    """
    folder = os.fspath(checkpoint_dir)
    path = Path(folder, latest_filename or _FILE)
    try:
        state = state_of_text(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError:  # it is no text, or a number in it is none
        state = CheckpointState()
    if not state.model_checkpoint_path:
        get_logger().warning(
            "%s: Checkpoint ignored: it names no checkpoint, or is damaged. Those that stand in the "
            "folder are taken, the last written as the latest.",
            path,
        )
        return _state_of_files(folder)
    state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    paths = state.all_model_checkpoint_paths
    state.all_model_checkpoint_paths = [os.path.join(folder, p) for p in paths]
    return state


def _state_of_files(folder: str) -> CheckpointState | None:
    """The checkpoints of a folder by its files, the oldest first."""
    written = sorted(Path(folder).glob("*.index"), key=lambda file: file.stat().st_mtime_ns)
    prefixes = [str(file).removesuffix(".index") for file in written]
    return CheckpointState(prefixes[-1], prefixes) if prefixes else None


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The prefix of the latest checkpoint of a folder; None if there is none.

    Files that are missing, cut short or damaged are passed over with a warning, for the last good ones.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.train.latest_checkpoint(folder) is None
    True
    >>> path = tf.train.Checkpoint(x=tf.Variable(1.0)).save(f"{folder}/ckpt")
    >>> tf.train.latest_checkpoint(folder) == path == f"{folder}/ckpt-1"
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    others = [p for p in state.all_model_checkpoint_paths if p != state.model_checkpoint_path]
    for path in [state.model_checkpoint_path, *reversed(others)]:
        fault = fault_of(path)
        if fault is None:
            return path
        get_logger().warning("Checkpoint %s is passed over: %s", path, fault)
    return None


def fault_of(prefix: str) -> str | None:
    """What is wrong with the files of a checkpoint, as far as names and sizes say; None if nothing."""
    try:
        return BundleReader(prefix).fault()
    except OpError as error:
        return str(error.message)


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint of this prefix.

    >>> tf.compat.v1.train.checkpoint_exists("no such file")
    False
    """
    return Path(f"{os.fspath(checkpoint_prefix)}.index").exists()


def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[Any]) -> list[float]:
    """When the checkpoints of these prefixes were written, of those that exist.

    >>> tf.compat.v1.train.get_checkpoint_mtimes(["no such file"])
    []
    """
    files = [Path(f"{os.fspath(prefix)}.index") for prefix in checkpoint_prefixes]
    return [file.stat().st_mtime for file in files if file.exists()]


def remove_checkpoint(
    checkpoint_prefix: Any, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Remove the files of a checkpoint.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable(1.0)).write(f"{tempfile.mkdtemp()}/ckpt")
    >>> tf.compat.v1.train.remove_checkpoint(path)
    >>> tf.compat.v1.train.checkpoint_exists(path)
    False
    """
    prefix = Path(os.fspath(checkpoint_prefix))
    prefix.with_name(f"{prefix.name}.{meta_graph_suffix}").unlink(missing_ok=True)
    own = re.compile(re.escape(prefix.name) + r"\.(index|data-\d{5}-of-\d{5})")
    try:
        for file in sorted(prefix.parent.iterdir(), reverse=True):  # the index first
            if own.fullmatch(file.name):
                file.unlink(missing_ok=True)
    except FileNotFoundError:
        raise NotFoundError(f"{prefix.parent}: there is no such folder.") from None


def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Each new checkpoint of a folder, as soon as it is there.

    It waits `timeout` seconds for the next one, and then ends unless `timeout_fn` returns False.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(x=tf.Variable(1.0)).save(f"{folder}/ckpt")
    >>> list(tf.train.checkpoints_iterator(folder, timeout=0)) == [path]
    True
    """
    last: str | None = None
    while True:
        found = _awaited(checkpoint_dir, last, timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start = time.time()
        last = found
        yield found
        time.sleep(max(0.0, start + min_interval_secs - time.time()))


def _awaited(folder: Any, last: str | None, timeout: float | None) -> str | None:
    end = None if timeout is None else time.time() + timeout
    while True:
        found = latest_checkpoint(folder)
        if found is not None and found != last:
            return found
        if end is not None and time.time() + 1 > end:
            return None
        time.sleep(1)
