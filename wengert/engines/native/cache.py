"""Plans and compiled code kept on disk, so that a second process starts warm.

A file's name is a digest of everything that its content depends on: the text or the graph, the
processor, the versions of LLVM and of this format. Its first line is a digest of the rest: a file that was cut off
or changed is compiled anew. Files are written under another name and moved, so that a reader sees
a whole one or none.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import re
import sys
from collections.abc import Callable
from typing import Any, Final

from wengert.engines.native.processor import fingerprint

try:  # hashlib loads OpenSSL for the same function, which takes longer than to read a plan
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

FORMAT: Final = 2
CODE: Final = ".o"  # machine code
PLAN: Final = ".plan"  # what else a plan is made of
LIMIT: Final = 256 << 20  # bytes, unless WENGERT_CACHE_LIMIT says otherwise
LOOKS: Final = 64  # how often all files are looked at while the limit is written once


def folder() -> str | None:
    """Where the files are; None if nothing is to be kept.

    WENGERT_CACHE_DIR says where, or that there is none if it is empty.
    """
    chosen = os.environ.get("WENGERT_CACHE_DIR")
    found = os.path.expanduser(_usual_folder() if chosen is None else chosen)
    return None if not found or found.startswith("~") else found  # there may be no home


def _usual_folder() -> str:
    if sys.platform == "darwin":
        return "~/Library/Caches/wengert"
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "wengert")


def _digest(content: bytes) -> str:
    found: str = blake2b(content, digest_size=20).hexdigest()
    return found


def digest_of(name: str, content: str | bytes) -> str:
    """The name of what is made of a content, and of all else that it depends on."""
    content = content.encode() if isinstance(content, str) else content
    head = "\0".join((str(FORMAT), name, fingerprint(), "")).encode()
    return _digest(head + content)


def stored(name: str, text: str, make: Callable[[], bytes]) -> bytes:
    """The code that `make` gives for a text, or gave before."""
    if folder() is None:
        return make()
    file = digest_of(name, text) + CODE
    found = taken(file)
    if found is None:
        found = make()
        keep(file, found)
    return found


def taken(name: str) -> bytes | None:
    """What a file holds; None if it is not there, or not as it was written."""
    place = folder()
    if place is None:
        return None
    file = os.path.join(place, name)
    try:
        with open(file, "rb") as opened:
            data = opened.read()
    except OSError:
        return None
    check, _, content = data.partition(b"\n")
    if check != _digest(content).encode():
        return None
    with contextlib.suppress(OSError):
        os.utime(file)  # what was used last is kept longest
    return content


def keep(name: str, content: bytes) -> None:
    place = folder()
    if place is None:
        return
    data = _digest(content).encode() + b"\n" + content
    part = ""
    try:
        os.makedirs(place, exist_ok=True)
        tempfile = importlib.import_module("tempfile")  # it loads much, and is needed rarely
        handle, part = tempfile.mkstemp(dir=place, prefix="wengert-", suffix=".part")
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.replace(part, os.path.join(place, name))
    except OSError:  # no room, or no right to write: it works without
        if part:
            with contextlib.suppress(OSError):
                os.unlink(part)
        return
    if _is_due(name, len(data)):
        _shrink(place)


def _is_due(name: str, size: int) -> bool:
    """Whether all files are to be looked at, which takes longer than to compile where there are many.

    The more bytes were written, the likelier: a digest is as good as a number drawn by chance, and
    no process has to know what others wrote.
    """
    return int(name[:8], 16) * _limit() < LOOKS * size << 32


@functools.cache
def _limit() -> int:
    asked = os.environ.get("WENGERT_CACHE_LIMIT", "")
    return int(asked) if asked.isdecimal() else LIMIT


# Only what was written here is ever removed.
_OURS: Final = re.compile(r"[0-9a-f]{40}\.(o|plan)|wengert-.*\.part")


def _files(place: str) -> list[Any]:
    """What was written here."""
    with contextlib.suppress(OSError), os.scandir(place) as found:
        return [entry for entry in found if _OURS.fullmatch(entry.name)]
    return []


def _shrink(place: str) -> None:
    """Remove what was not used for longest, until the rest fits the limit."""
    with contextlib.suppress(OSError):
        files = [(e.stat().st_mtime, e.stat().st_size, e.path) for e in _files(place)]
        total = sum(size for _, size, _ in files)
        for _, size, file in sorted(files):
            if total <= _limit():
                break
            with contextlib.suppress(FileNotFoundError):
                os.unlink(file)
            total -= size


def about() -> dict[str, str | int]:
    """Where the cache is and how much it holds."""
    place = folder()
    files = [] if place is None else _files(place)
    size = sum(f.stat().st_size for f in files)
    return {"folder": place or "none", "files": len(files), "bytes": size}
