"""What all that work with files have in common: paths, and TensorFlow's errors."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from wengert.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)

_KINDS: Final[dict[int, type[OpError]]] = {
    errno.ENOENT: NotFoundError,
    errno.EEXIST: AlreadyExistsError,
    errno.EACCES: PermissionDeniedError,
    errno.EPERM: PermissionDeniedError,
    errno.EROFS: PermissionDeniedError,
    errno.ENOTDIR: FailedPreconditionError,
    errno.EISDIR: FailedPreconditionError,
    errno.ENOTEMPTY: FailedPreconditionError,
    errno.ENOSPC: ResourceExhaustedError,
    errno.EMFILE: ResourceExhaustedError,
}


def path_of(path: Any) -> str:
    """A path as text, without the scheme of files."""
    found = os.fspath(path) if isinstance(path, os.PathLike) else path
    if isinstance(found, np.ndarray) or hasattr(found, "_array"):
        found = np.asarray(found, object).item()
    if isinstance(found, bytes):
        found = os.fsdecode(found)
    if not isinstance(found, str):
        raise TypeError(f"A path must be a string, bytes or os.PathLike, got {path!r}.")
    scheme, sign, rest = found.partition("://")
    if not sign:
        return found
    if scheme != "file":
        raise UnimplementedError(
            f"File system scheme '{scheme}' not implemented (file: '{found}'). Files are those of "
            "this machine."
        )
    return rest


@contextmanager
def errors_of_files() -> Iterator[None]:
    """The errors of Python about files as TensorFlow's."""
    try:
        yield
    except OSError as error:
        kind = _KINDS.get(error.errno or 0, UnknownError)
        raise kind(f"{error.filename}; {error.strerror}") from None


def matching(pattern: str) -> list[str]:
    """The paths that fit a pattern: `*`, `?` and `[...]` stand for no slash."""
    return [path for one in _with_hidden(pattern) for path in glob.glob(one)]


def _with_hidden(pattern: str) -> list[str]:
    """The pattern, and one for names that begin with a dot, which stars do not stand for in Python."""
    folder, _, last = pattern.rpartition("/")
    if last[:1] not in ("*", "?"):
        return [pattern]
    hidden = f".{last}" if last[0] == "*" else f".{last[1:]}"
    return [pattern, f"{folder}/{hidden}" if folder or pattern[:1] == "/" else hidden]
