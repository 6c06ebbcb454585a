"""Compiled code kept on disk, so that a second process starts warm.

A file's name is a digest of everything that its content depends on: the text, the processor, the
versions of LLVM and of this format. Its first line is a digest of the rest: a file that was cut off
or changed is compiled anew. Files are written under another name and moved, so that a reader sees
a whole one or none.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from wengert.engines.native.processor import fingerprint

FORMAT: Final = 1
LIMIT: Final = 256 << 20  # bytes, unless WENGERT_CACHE_LIMIT says otherwise


def folder() -> Path | None:
    """Where the files are; None if nothing is to be kept.

    WENGERT_CACHE_DIR says where, or that there is none if it is empty.
    """
    chosen = os.environ.get("WENGERT_CACHE_DIR")
    if chosen is not None:
        return Path(chosen).expanduser() if chosen else None
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "wengert"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wengert"


def digest_of(name: str, text: str) -> str:
    parts = (str(FORMAT), name, fingerprint(), text)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


def stored(name: str, text: str, make: Callable[[], bytes]) -> bytes:
    """What `make` gives for a text, or gave before."""
    try:
        place = folder()
    except (OSError, RuntimeError):  # there is no home
        place = None
    if place is None:
        return make()
    file = place / f"{digest_of(name, text)}.o"
    found = _read(file)
    if found is None:
        found = make()
        _write(file, found)
    return found


def _read(file: Path) -> bytes | None:
    try:
        data = file.read_bytes()
    except OSError:
        return None
    check, _, content = data.partition(b"\n")
    if check != hashlib.sha256(content).hexdigest().encode():
        return None
    with contextlib.suppress(OSError):
        os.utime(file)  # what was used last is kept longest
    return content


def _write(file: Path, content: bytes) -> None:
    data = hashlib.sha256(content).hexdigest().encode() + b"\n" + content
    name = ""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        tempfile = importlib.import_module("tempfile")  # it loads much, and is needed rarely
        handle, name = tempfile.mkstemp(dir=file.parent, prefix="wengert-", suffix=".part")
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.replace(name, file)
    except OSError:  # no room, or no right to write: it works without
        if name:
            with contextlib.suppress(OSError):
                os.unlink(name)
        return
    _shrink(file.parent)


@functools.cache
def _limit() -> int:
    asked = os.environ.get("WENGERT_CACHE_LIMIT", "")
    return int(asked) if asked.isdigit() else LIMIT


# Only what was written here is ever removed.
_OURS: Final = re.compile(r"[0-9a-f]{40}\.o|wengert-.*\.part")


def _shrink(place: Path) -> None:
    """Remove what was not used for longest, until the rest fits the limit."""
    with contextlib.suppress(OSError):
        ours = [f for f in place.iterdir() if _OURS.fullmatch(f.name)]
        files = [(f.stat().st_mtime, f.stat().st_size, f) for f in ours]
        total = sum(size for _, size, _ in files)
        for _, size, file in sorted(files, key=lambda entry: entry[0]):
            if total <= _limit():
                break
            file.unlink(missing_ok=True)
            total -= size


def about() -> dict[str, str | int]:
    """Where the cache is and how much it holds."""
    place = folder()
    files = list(place.glob("*.o")) if place is not None and place.is_dir() else []
    size = sum(f.stat().st_size for f in files)
    return {"folder": str(place or "none"), "files": len(files), "bytes": size}
