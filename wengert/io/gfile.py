"""tf.io.gfile: files and folders."""

from __future__ import annotations

import os as _os
import shutil as _shutil
from collections.abc import Callable as _Callable
from collections.abc import Iterator as _Iterator
from typing import IO as _IO
from typing import Any as _Any
from typing import NamedTuple as _NamedTuple

from wengert.errors import AlreadyExistsError as _AlreadyExistsError
from wengert.errors import InvalidArgumentError as _InvalidArgumentError
from wengert.errors import NotFoundError as _NotFoundError
from wengert.errors import PermissionDeniedError as _PermissionDeniedError
from wengert.formats.lines import lines_in as _lines_in
from wengert.host.files import errors_of_files as _errors_of_files
from wengert.io.paths import matching as _matching
from wengert.io.paths import path_of as _path_of

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    r"""A file: text, or bytes in a mode with a b. It is opened when it is first used.

    >>> import os, tempfile
    >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "notes.txt")
    >>> with tf.io.gfile.GFile(path, "w") as file:
    ...     file.write("dy\ndx\n")
    >>> tf.io.gfile.GFile(path).readlines()
    ['dy\n', 'dx\n']
    """

    def __init__(self, name: _Any, mode: str = "r") -> None:
        self._given = name
        self._path = _path_of(name)
        self._mode = mode
        self._plain = mode.replace("b", "")
        if self._plain not in _MODES:
            raise _InvalidArgumentError(
                f"Invalid mode {mode!r} for file {self._path}: it is r, w, a, r+, w+ or a+, with b for bytes."
            )
        self._file: _IO[bytes] | None = None

    @property
    def name(self) -> _Any:
        """The path."""
        return self._given

    @property
    def mode(self) -> str:
        """The mode in which it is opened."""
        return self._mode

    def _opened(self) -> _IO[bytes]:
        if self._file is None:
            with _errors_of_files():
                self._file = open(self._path, f"{self._plain}b")  # noqa: SIM115  # closed by close
        return self._file

    def _to_read(self) -> _IO[bytes]:
        if self._plain in ("w", "a"):
            raise _PermissionDeniedError("File isn't open for reading")
        return self._opened()

    def _shown(self, data: bytes) -> _Any:
        return data if "b" in self._mode else data.decode()

    def size(self) -> int:
        """How many bytes there are."""
        return stat(self._path).length

    def write(self, file_content: _Any) -> None:
        """Add text or bytes."""
        if self._plain == "r":
            raise _PermissionDeniedError("File isn't open for writing")
        data = file_content.encode() if isinstance(file_content, str) else bytes(file_content)
        with _errors_of_files():
            self._opened().write(data)

    def read(self, n: int = -1) -> _Any:
        """The next bytes or text; all that is left without a number."""
        file = self._to_read()
        with _errors_of_files():
            return self._shown(file.read(n))

    def readline(self) -> _Any:
        """The next line with its end; empty at the end of the file."""
        return self._shown(next(_lines_in(self._to_read()), b""))

    def readlines(self) -> list[_Any]:
        """The lines that are left."""
        return [self._shown(line) for line in _lines_in(self._to_read())]

    def seek(self, offset: _Any = None, whence: int = 0, position: _Any = None) -> None:
        """Go to a place: from the beginning (0), from here (1), from the end (2)."""
        place = position if offset is None else offset
        if place is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise _InvalidArgumentError(
                f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
        self._to_read().seek(place, whence)

    def tell(self) -> int:
        """Where it is."""
        return self._opened().tell()

    def seekable(self) -> bool:
        """Whether it can go elsewhere: always."""
        return True

    def flush(self) -> None:
        """Write what is waiting."""
        if self._file is not None:
            with _errors_of_files():
                self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is None and self._plain[0] in "wa":
            self._opened()  # a file to which nothing is written is there, too
        if self._file is not None:
            with _errors_of_files():
                self._file.close()
            self._file = None

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> GFile:
        return self

    def __next__(self) -> _Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()


class _Statistics(_NamedTuple):
    """What is known of a file."""

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(path: _Any) -> bool:
    """Whether there is a file or a folder.

    >>> tf.io.gfile.exists("/nowhere")
    False
    """
    return _os.path.exists(_path_of(path))


def isdir(path: _Any) -> bool:
    """Whether it is a folder.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.isdir(folder)
    True
    """
    return _os.path.isdir(_path_of(path))


def stat(path: _Any) -> _Statistics:
    """What is known of a file: length, mtime_nsec, is_directory.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a"), "dx")
    >>> tf.io.gfile.stat(os.path.join(folder, "a")).length
    2
    """
    with _errors_of_files():
        found = _os.stat(_path_of(path))
    folder = _os.path.isdir(_path_of(path))
    return _Statistics(found.st_size, found.st_mtime_ns, folder)


def listdir(path: _Any) -> list[str]:
    """The names of what is in a folder.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a"), "dx")
    >>> tf.io.gfile.listdir(folder)
    ['a']
    """
    folder = _path_of(path)
    if not _os.path.isdir(folder):
        raise _NotFoundError(f"Could not find directory {folder}")
    with _errors_of_files():
        return sorted(_os.listdir(folder))


def glob(pattern: _Any) -> list[str]:
    """The paths that fit a pattern, or one of several.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a"), "dx")
    >>> [os.path.basename(path) for path in tf.io.gfile.glob(os.path.join(folder, "*"))]
    ['a']
    """
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return sorted(p for one in patterns for p in _matching(_path_of(one)))


def mkdir(path: _Any) -> None:
    """Make a folder, whose parent is there.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.mkdir(os.path.join(folder, "a"))
    >>> tf.io.gfile.listdir(folder)
    ['a']
    """
    if not _os.path.isdir(_path_of(path)):
        with _errors_of_files():
            _os.mkdir(_path_of(path))


def makedirs(path: _Any) -> None:
    """Make a folder, and those around it.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.makedirs(os.path.join(folder, "a", "b"))
    >>> tf.io.gfile.listdir(folder)
    ['a']
    """
    with _errors_of_files():
        _os.makedirs(_path_of(path), exist_ok=True)


def remove(path: _Any) -> None:
    """Delete a file.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a"), "dx")
    >>> tf.io.gfile.remove(os.path.join(folder, "a"))
    >>> tf.io.gfile.listdir(folder)
    []
    """
    with _errors_of_files():
        _os.remove(_path_of(path))


def rmtree(path: _Any) -> None:
    """Delete a folder with all that is in it, or a file.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a"), "dx")
    >>> tf.io.gfile.rmtree(folder)
    >>> tf.io.gfile.exists(folder)
    False
    """
    found = _path_of(path)
    with _errors_of_files():
        (_os.remove if _os.path.isfile(found) else _shutil.rmtree)(found)


def rename(src: _Any, dst: _Any, overwrite: bool = False) -> None:
    """Give a file another path.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a"), "dx")
    >>> tf.io.gfile.rename(os.path.join(folder, "a"), os.path.join(folder, "b"))
    >>> tf.io.gfile.listdir(folder)
    ['b']
    """
    source, target = _path_of(src), _path_of(dst)
    _check_free(source, target, overwrite)
    with _errors_of_files():
        _os.replace(source, target)


def copy(src: _Any, dst: _Any, overwrite: bool = False) -> None:
    """Copy a file.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a"), "dx")
    >>> tf.io.gfile.copy(os.path.join(folder, "a"), os.path.join(folder, "b"))
    >>> tf.io.gfile.listdir(folder)
    ['a', 'b']
    """
    source, target = _path_of(src), _path_of(dst)
    _check_free(source, target, overwrite)
    with _errors_of_files():
        _shutil.copyfile(source, target)


def _check_free(source: str, target: str, overwrite: bool) -> None:
    stat(source)
    if not overwrite and _os.path.exists(target):
        raise _AlreadyExistsError(f"{target} already exists: overwrite=True replaces it")


def walk(
    top: _Any, topdown: bool = True, onerror: _Callable[[_Any], _Any] | None = None
) -> _Iterator[tuple[str, list[str], list[str]]]:
    """Each folder below a path: its path, its folders and its files.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a"), "dx")
    >>> [(folders, files) for _, folders, files in tf.io.gfile.walk(folder)]
    [([], ['a'])]
    """
    folder = _path_of(top)
    if not _os.path.isdir(folder):
        if onerror is not None:
            onerror(_NotFoundError(f"Could not find directory {folder}"))
        return
    names = listdir(folder)
    inner = [n for n in names if _os.path.isdir(_os.path.join(folder, n))]
    here = folder, inner, [n for n in names if n not in set(inner)]
    if topdown:
        yield here
    for name in inner:
        yield from walk(_os.path.join(folder, name), topdown, onerror)
    if not topdown:
        yield here


def join(path: _Any, *paths: _Any) -> _Any:
    """The parts of a path as one.

    >>> tf.io.gfile.join("folder", "file.txt")
    'folder/file.txt'
    """
    return _os.path.join(_os.fspath(path), *[_os.fspath(part) for part in paths])


def get_registered_schemes() -> list[str]:
    """The kinds of file systems: that of this machine.

    >>> tf.io.gfile.get_registered_schemes()
    ['', 'file']
    """
    return ["", "file"]
