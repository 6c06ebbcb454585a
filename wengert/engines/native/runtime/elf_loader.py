"""Loads object files into memory, without LLVM.

Loading LLVM takes a tenth of a second, a cached plan a millisecond. The object files of loops are
simple: code, constants, and relative addresses between them. Anything else (another system, another
kind of relocation) is left to LLVM.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

ALLOCATED: Final = 2  # SHF_ALLOC: a section that takes memory
NOTHING: Final = 8  # SHT_NOBITS: a section of zeros, which the file does not contain
RELOCATIONS: Final = 4
SYMBOLS: Final = 2

# Kinds of relocations on x86-64: absolute; relative; by way of the global offset table.
ADDRESS: Final = 1
DISTANCE: Final = frozenset((2, 4))
BY_TABLE: Final = frozenset((9, 41, 42))

# jmp [rip + 0], followed by the address: for functions that are too far for a relative call.
_JUMP: Final = b"\xff\x25\x00\x00\x00\x00"


class Unloadable(Exception):  # noqa: N818  # LLVM can load it
    """Raised for what this loader does not support."""


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


def is_known() -> bool:
    return platform.system() == "Linux" and platform.machine() == "x86_64"


class Image:
    """The functions of an object file, ready to be called."""

    def __init__(self, data: bytes) -> None:
        if data[:6] != b"\x7fELF\x02\x01" or not is_known():
            raise Unloadable("another format")
        self._data = data
        self._sections = list(_sections(data))
        self._place_of = self._places()
        self._symbols = self._all_symbols()
        self._extra = self._size
        self._known: dict[tuple[str, int], int] = {}
        needed = self._size + 16 * (1 + sum(1 for _ in self._all_relocations()))
        self._memory = mmap.mmap(-1, -(-needed // mmap.PAGESIZE) * mmap.PAGESIZE)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._copy()
        for place, symbol, kind, addend in self._all_relocations():
            self._relocate(place, symbol, kind, addend)
        self._make_executable()

    def address(self, name: str) -> int:
        for known, section, value in self._symbols:
            if known == name and section in self._place_of:
                return self._base + self._place_of[section] + value
        raise KeyError(name)

    # ---- sections and symbols ------------------------------------------------------------------

    def _places(self) -> dict[int, int]:
        """The offset of each section that takes memory."""
        found, at = {}, 0
        for i, section in enumerate(self._sections):
            if section.flags & ALLOCATED:
                align = max(section.align, 1)
                at = -(-at // align) * align
                found[i] = at
                at += section.size
        self._size = -(-at // 16) * 16
        return found

    def _all_symbols(self) -> list[tuple[str, int, int]]:
        """Name, section and value of each symbol."""
        table = next((s for s in self._sections if s.kind == SYMBOLS), None)
        if table is None:
            return []
        names = self._sections[table.link]
        found = []
        for at in range(table.offset, table.offset + table.size, 24):
            name, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", self._data, at)
            begin = names.offset + name
            text = self._data[begin : self._data.index(b"\0", begin)].decode()
            found.append((text, section, value))
        return found

    def _copy(self) -> None:
        for i, at in self._place_of.items():
            section = self._sections[i]
            if section.kind != NOTHING:
                content = self._data[section.offset : section.offset + section.size]
                self._memory[at : at + section.size] = content

    # ---- relocations ---------------------------------------------------------------------------

    def _all_relocations(self) -> Iterator[tuple[int, int, int, int]]:
        """Offset, symbol, kind and addend of all relocations."""
        for section in self._sections:
            if section.kind != RELOCATIONS or section.info not in self._place_of:
                continue
            begin = self._place_of[section.info]
            for at in range(section.offset, section.offset + section.size, 24):
                place, info, addend = struct.unpack_from("<QQq", self._data, at)
                yield begin + place, info >> 32, info & 0xFFFFFFFF, addend

    def _relocate(self, place: int, symbol: int, kind: int, addend: int) -> None:
        if kind == ADDRESS:
            struct.pack_into("<q", self._memory, place, self._target(symbol) + addend)
            return
        if kind in DISTANCE:
            target = self._near(symbol)
        elif kind in BY_TABLE:
            target = self._entry(symbol)
        else:
            raise Unloadable(f"a relocation of kind {kind}")
        struct.pack_into("<i", self._memory, place, target + addend - (self._base + place))

    def _target(self, symbol: int) -> int:
        name, section, value = self._symbols[symbol]
        if section in self._place_of:
            return self._base + self._place_of[section] + value
        if section:
            raise Unloadable(f"the section of {name}")
        try:
            found = ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value
        except AttributeError:
            raise Unloadable(f"the function {name}") from None
        assert found is not None
        return found

    def _near(self, symbol: int) -> int:
        """The address of a symbol, or of a jump to it where it may be too far away."""
        if self._symbols[symbol][1]:
            return self._target(symbol)
        return self._placed("jump", symbol, _JUMP + struct.pack("<q", self._target(symbol)))

    def _entry(self, symbol: int) -> int:
        """The address of a symbol's entry in the offset table."""
        return self._placed("table", symbol, struct.pack("<q", self._target(symbol)))

    def _placed(self, kind: str, symbol: int, content: bytes) -> int:
        found = self._known.get((kind, symbol))
        if found is None:
            at = self._extra
            self._memory[at : at + len(content)] = content
            self._extra += 16
            found = self._known[kind, symbol] = self._base + at
        return found

    def _make_executable(self) -> None:
        protect: Any = ctypes.CDLL(None).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        if protect(self._base, len(self._memory), mmap.PROT_READ | mmap.PROT_EXEC):
            raise Unloadable("memory that may be executed")


def _sections(data: bytes) -> Iterator[_Section]:
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    for at in range(offset, offset + size * count, size):
        yield _Section(*struct.unpack_from("<IIQQQQIIQQ", data, at))
