"""tf.compat.v1.gfile: tf.io.gfile under the names of version 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wengert.io import gfile as _now
from wengert.io.gfile import GFile as GFile
from wengert.io.gfile import exists as _exists

FastGFile = Open = GFile


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copy a file."""
    _now.copy(oldpath, newpath, overwrite)


def DeleteRecursively(dirname: Any) -> None:
    """Delete a folder with all that is in it."""
    _now.rmtree(dirname)


def Exists(filename: Any) -> bool:
    """Whether there is a file or a folder.

    >>> tf.compat.v1.gfile.Exists("/nowhere")
    False
    """
    return _exists(filename)


def Glob(filename: Any) -> list[str]:
    """The paths that fit a pattern, or one of several."""
    return _now.glob(filename)


def IsDirectory(dirname: Any) -> bool:
    """Whether it is a folder."""
    return _now.isdir(dirname)


def ListDirectory(dirname: Any) -> list[str]:
    """The names of what is in a folder."""
    return _now.listdir(dirname)


def MakeDirs(dirname: Any) -> None:
    """Make a folder, and those around it."""
    _now.makedirs(dirname)


def MkDir(dirname: Any) -> None:
    """Make a folder, whose parent is there."""
    _now.mkdir(dirname)


def Remove(filename: Any) -> None:
    """Delete a file."""
    _now.remove(filename)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Give a file another path."""
    _now.rename(oldname, newname, overwrite)


def Stat(filename: Any) -> Any:
    """What is known of a file."""
    return _now.stat(filename)


def Walk(top: Any, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each folder below a path: its path, its folders and its files."""
    return _now.walk(top, in_order)
