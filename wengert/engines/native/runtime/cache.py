"""The cache of plans and compiled code on disk, so that a second process starts warm.

A file's name is a digest of everything that its content depends on: the LLVM IR or the graph, the
processor, the versions of LLVM and of this format. Its first line is a digest of its name and of
the rest: a file that is truncated, changed or renamed is compiled anew. Files are written under a
temporary name and then renamed, so that a reader sees a complete one or none.

What is read here is executed. So the folder and the files must belong to the effective user of this
process, and must not be writable by others (docs/security.md).
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import stat
import sys
from collections.abc import Callable
from typing import Any, Final

from wengert.engines.native.runtime.processor import fingerprint
from wengert.host.locks import load_module
from wengert.host.warn_once import warn_once

try:  # hashlib loads OpenSSL for the same function, which takes longer than reading a plan
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

FORMAT: Final = 7
CODE: Final = ".o"  # machine code
PLAN: Final = ".plan"  # the rest of a compiled plan
LIMIT: Final = 256 << 20  # bytes, unless WENGERT_CACHE_LIMIT says otherwise
LOOKS: Final = 64  # how often the folder is scanned while as much as the limit is written


def folder() -> str | None:
    """The folder of the cache; None if nothing is to be cached.

    WENGERT_CACHE_DIR names it, or disables the cache if empty. A relative path is refused: it would
    trust the contents of whatever directory the process was started in.
    """
    chosen = os.environ.get("WENGERT_CACHE_DIR")
    found = os.path.expanduser(_usual_folder() if chosen is None else chosen)
    return found if os.path.isabs(found) and _is_trusted(found) else None  # there may be no home


def _usual_folder() -> str:
    if sys.platform == "darwin":
        return "~/Library/Caches/wengert"
    around = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(around if os.path.isabs(around) else "~/.cache", "wengert")


# ---- ownership ------------------------------------------------------------------------------------

_TRUSTED: Final[dict[str, bool]] = {}  # by folder, checked once


def _is_trusted(place: str) -> bool:
    """Whether a folder is ours; one that does not exist yet counts as ours."""
    known = _TRUSTED.get(place)
    if known is not None:
        return known
    try:
        seen = os.lstat(place)
    except OSError:
        return True
    if stat.S_ISREG(seen.st_mode):
        return True  # nothing can be stored there, nor found
    found = _TRUSTED[place] = stat.S_ISDIR(seen.st_mode) and _is_ours(seen)
    if not found:
        warn_once(
            f"Nothing is kept in {place}, nor taken from there: it is a link, belongs to somebody else, "
            "or others may write there. `chmod go-w` it, or name another folder in WENGERT_CACHE_DIR."
        )
    return found


def _is_ours(seen: os.stat_result) -> bool:
    """Whether only the effective user of this process can have written it."""
    if not hasattr(os, "geteuid"):
        return True
    return seen.st_uid == os.geteuid() and not seen.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


# Symbolic links are not followed, and opening a pipe does not wait for a writer.
_FLAGS: Final = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
)


def _read(file: str) -> bytes | None:
    """The content of a file of ours."""
    handle = os.open(file, _FLAGS)
    with open(handle, "rb") as opened:
        seen = os.fstat(handle)
        if not stat.S_ISREG(seen.st_mode):
            return None
        if not _is_ours(seen):
            warn_once(f"{file} is not used: it belongs to somebody else, or others may write it.")
            return None
        return opened.read()


# ---- files ----------------------------------------------------------------------------------------


def _digest(content: bytes) -> str:
    found: str = blake2b(content, digest_size=20).hexdigest()
    return found


def digest_of(name: str, content: str | bytes) -> str:
    """The name of what is compiled from a content: a digest of that and all else it depends on."""
    content = content.encode() if isinstance(content, str) else content
    head = "\0".join((str(FORMAT), name, fingerprint(), "")).encode()
    return _digest(head + content)


def load_or_store(name: str, text: str, make: Callable[[], bytes]) -> bytes:
    """The code that `make` returns for a text, from the cache if it was made before."""
    if folder() is None:
        return make()
    file = digest_of(name, text) + CODE
    found = read_file(file)
    if found is None:
        found = make()
        keep(file, found)
    return found


def read_file(name: str) -> bytes | None:
    """The content of a file; None if it is missing or damaged."""
    place = folder()
    if place is None:
        return None
    file = os.path.join(place, name)
    try:
        data = _read(file)
    except OSError:
        return None
    check, _, content = (data or b"").partition(b"\n")
    if check != _check(name, content):
        return None
    with contextlib.suppress(OSError):
        os.utime(file)  # least recently used files are removed first
    return content


def _check(name: str, content: bytes) -> bytes:
    """The first line of a file."""
    return _digest(name.encode() + b"\n" + content).encode()


def keep(name: str, content: bytes) -> None:
    place = folder()
    if place is None:
        return
    data = _check(name, content) + b"\n" + content
    part = ""
    try:
        os.makedirs(place, 0o700, exist_ok=True)
        if not _is_trusted(place):  # another user was faster
            return
        tempfile = load_module("tempfile")  # slow to import, and rarely needed
        handle, part = tempfile.mkstemp(dir=place, prefix="wengert-", suffix=".part")
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.replace(part, os.path.join(place, name))
    except OSError:  # no space, or no permission: it works without
        if part:
            with contextlib.suppress(OSError):
                os.unlink(part)
        return
    if _is_due(name, len(data)):
        _shrink(place)


def _is_due(name: str, size: int) -> bool:
    """Whether to scan the folder, which takes longer than compiling if there are many files.

    The more bytes are written, the likelier: the digest serves as a random number, so that
    processes need not know what others wrote.
    """
    return int(name[:8], 16) * _limit() < LOOKS * size << 32


@functools.cache
def _limit() -> int:
    asked = os.environ.get("WENGERT_CACHE_LIMIT", "")
    return int(asked) if asked.isdecimal() else LIMIT


# Only files that this module wrote are ever removed.
_OURS: Final = re.compile(r"[0-9a-f]{40}\.(o|plan)|wengert-.*\.part")


def _files(place: str) -> list[Any]:
    """The files that this module wrote."""
    with contextlib.suppress(OSError), os.scandir(place) as found:
        return [entry for entry in found if _OURS.fullmatch(entry.name)]
    return []


def _shrink(place: str) -> None:
    """Remove the least recently used files until the rest is within the limit."""
    with contextlib.suppress(OSError):
        files = [(e.stat().st_mtime, e.stat().st_size, e.path) for e in _files(place)]
        total = sum(size for _, size, _ in files)
        for _, size, file in sorted(files):
            if total <= _limit():
                break
            with contextlib.suppress(FileNotFoundError):
                os.unlink(file)
            total -= size


def clear() -> int:
    """Empty the cache; the number of files removed."""
    place = folder()
    files = [] if place is None else _files(place)
    for file in files:
        with contextlib.suppress(OSError):
            os.unlink(file.path)
    return len(files)


def about() -> dict[str, str | int]:
    """The folder of the cache, and how much it holds."""
    place = folder()
    files = [] if place is None else _files(place)
    size = sum(f.stat().st_size for f in files)
    return {"folder": place or "none", "files": len(files), "bytes": size, "limit": _limit()}
