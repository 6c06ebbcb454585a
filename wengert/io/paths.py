"""What all that work with files have in common: paths."""

from __future__ import annotations

import glob
import os
import re
from typing import Any

import numpy as np

from wengert.errors import UnimplementedError


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


def matching(pattern: str) -> list[str]:
    """The paths that fit a pattern: `*`, `?` and `[...]` stand for no slash."""
    plain = re.sub(r"\\(.)", r"[\1]", pattern)
    return [path for one in _with_hidden(plain) for path in glob.glob(one)]


def _with_hidden(pattern: str) -> list[str]:
    """The pattern, and one for names that begin with a dot, which stars do not stand for in Python."""
    folder, _, last = pattern.rpartition("/")
    if last[:1] not in ("*", "?"):
        return [pattern]
    hidden = f".{last}" if last[0] == "*" else f".{last[1:]}"
    return [pattern, f"{folder}/{hidden}" if folder or pattern[:1] == "/" else hidden]
