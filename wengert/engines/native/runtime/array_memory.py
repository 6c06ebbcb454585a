"""NumPy's allocation functions, with a cache of freed blocks: see `memory_ir`.

NumPy lets a context have its own allocation functions (NEP 49), and an array remembers those that
it was made by. So an array owns its memory as ever, and gives it back when it and all its views are
gone.
"""

from __future__ import annotations

import contextvars
import ctypes
import functools
import importlib
import os
import sys
from typing import Any, Final

import numpy as np

from wengert.engines.native.runtime import memory_ir
from wengert.engines.native.runtime.cache import load_or_store
from wengert.engines.native.runtime.llvm import LoadedObject, compile_text
from wengert.host.lifetime import keep_for_ever
from wengert.host.locks import awaited_lock

LEAST: Final = 4 << 20  # bytes of a block that is kept; NumPy asks for huge pages from there on
IDLE: Final = 10  # seconds; a block that is not used for so long, twice at most, is freed
NAME: Final = b"wengert"

_LOCK: Final = awaited_lock()
_ALL: Final = -1  # hours


class _Handler(ctypes.Structure):
    """A PyDataMem_Handler of <numpy/ndarraytypes.h>."""

    _fields_ = [
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        *[(name, ctypes.c_void_p) for name in ("context", "malloc", "calloc", "realloc", "free")],
    ]


# The places of functions in the table of NumPy's C interface, which are the same in all of NumPy 2.
_SET_HANDLER, _GET_HANDLER, _DEFAULT_HANDLER = 304, 305, 306
_CAPSULE: Final = b"mem_handler"


class ArrayMemory:
    """The cache of freed blocks, and a handler that takes blocks from there."""

    def __init__(self, aligned: bool | None = None) -> None:
        text = memory_ir.text(_sizes_lie_before_blocks() if aligned is None else aligned)
        code = load_or_store("memory", text, lambda: compile_text(text, quickly=True))
        self._functions = keep_for_ever(LoadedObject(code))
        self._cache = keep_for_ever(np.zeros(memory_ir.BYTES // 8, np.int64))
        self._set_handler, self._get_handler, default = _numpys_functions()
        self._numpys = _pointer(default)
        handler = keep_for_ever(self._made(_Handler.from_address(self._numpys)))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self._capsule = keep_for_ever(new(ctypes.addressof(handler), keep_for_ever(_CAPSULE), None))

    def _made(self, numpys: Any) -> _Handler:
        for name in ("context", "malloc", "calloc", "realloc", "free"):
            self._set(name, getattr(numpys, name) or 0)
        for name, value in (("hour", 1), ("least", LEAST), ("seconds", IDLE)):
            self._set(name, value)
        ours = (self._functions.address(n) for n in ("take", "take_zeros", "resize", "give"))
        return _Handler(NAME, 1, self._cache.ctypes.data, *ours)

    def _set(self, field: str, value: int) -> None:
        self._cache[memory_ir.FIELDS.index(field)] = value

    def _get(self, field: str) -> int:
        return int(self._cache[memory_ir.FIELDS.index(field)])

    def use_here(self) -> None:
        """Keep the blocks of arrays that are made in this context, unless somebody else does."""
        if _pointer(self._get_handler()) == self._numpys:
            self._set_handler(self._capsule)

    def set_limit(self, limit: int) -> None:
        self._set("limit", limit)
        if limit < self._get("kept"):
            self.release()

    def release(self) -> int:
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
        free = kind(self._functions.address("release"))
        return int(free(self._cache.ctypes.data, _ALL))

    def about(self) -> dict[str, int]:
        return {"kept": self._get("kept"), "blocks": self._get("count"), "reused": self._get("reused")}  # fmt: skip

    def works(self) -> bool:
        """Whether an array gets the block of one that is gone."""
        contextvars.copy_context().run(self._tried)
        return self._get("reused") == 1 and self.release() >= LEAST

    def _tried(self) -> None:
        self._set("limit", 2 * LEAST)
        self._set_handler(self._capsule)
        for _ in range(2):
            np.empty(LEAST, np.uint8)

    def forget(self) -> None:
        """In a forked child: the thread is gone, and what another thread was changing is lost."""
        if self._get("lock"):
            self._set("count", 0)
            self._set("kept", 0)
            self._set("lock", 0)
        self._set("watched", 0)
        self.release()


def _sizes_lie_before_blocks() -> bool:
    """Whether blocks are the GNU C library's, and nobody has put another allocator in its place."""
    try:
        every, own = ctypes.CDLL(None), ctypes.CDLL("libc.so.6")
        places = [ctypes.cast(of.malloc, ctypes.c_void_p).value for of in (every, own)]
    except (OSError, AttributeError):
        return False
    return hasattr(own, "gnu_get_libc_version") and places[0] == places[1]


def _pointer(capsule: Any) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = ctypes.c_void_p
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, _CAPSULE) or 0


def _numpys_functions() -> tuple[Any, Any, Any]:
    """The functions that set and get the handler of a context, and the default one."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = ctypes.c_void_p
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    core = importlib.import_module("numpy._core._multiarray_umath")
    table = ctypes.cast(get(core._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    put = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[_SET_HANDLER] or 0)
    found = ctypes.PYFUNCTYPE(ctypes.py_object)(table[_GET_HANDLER] or 0)
    default = ctypes.py_object.from_address(table[_DEFAULT_HANDLER] or 0).value
    return put, found, default


def load() -> ArrayMemory | None:
    """The cache; None where it does not work."""
    with _LOCK:
        return _loaded()


@functools.cache
def _loaded() -> ArrayMemory | None:
    if sys.platform != "linux" or sys.implementation.name != "cpython":
        return None
    try:
        found = ArrayMemory()
    except Exception:  # noqa: BLE001  # no compiler here: arrays work without
        return None
    os.register_at_fork(after_in_child=found.forget)
    return found if found.works() else None
