"""The checksum CRC-32C by the processor's own instruction, parts of the bytes on each thread."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.runtime.processor import features, is_arm

_STREAMS: Final = 4  # at once: the instruction takes three cycles, and one may begin in each


def registers(data: Any, register: int, size: int) -> Any:
    """The registers that parts of `size` bytes leave, which is divisible by 8; None without the instruction.

    The first part is what remains, and starts from `register`; the others start from zero.
    """
    if ("crc" if is_arm() else "sse4_2") not in features():
        return None
    groups = (len(data) - 1) // (_STREAMS * size)
    found = np.empty(1 + _STREAMS * groups, np.int64)
    about = np.array([len(data) - _STREAMS * groups * size, size, register])
    _registers()(1 + groups, (), data, about, found)
    return found.astype(np.uint32)


def text() -> str:
    """The kernel: first what remains, eight bytes at a time and then one; after it some parts at once."""
    w = KernelWriter(3, 0)
    data, about, found = w.arrays
    first, size, register = (w.read("i8", about, k, 1) for k in range(3))
    is_first = w.set("icmp eq i64 %part, 0")

    def remainder() -> None:
        now = w.set(f"trunc i64 {register} to i32")
        whole = w.set(f"and i64 {first}, -8")
        for bits, start, end in ((64, 0, whole), (8, whole, first)):
            (now,) = _loop(w, bits, start, end, [data], [now])
        _write(w, found, 0, now)

    def parts() -> None:
        before = w.mul(w.sub("%part", 1), _STREAMS)
        places = [
            w.place("u1", data, w.add(first, w.mul(size, w.add(before, k))))
            for k in range(_STREAMS)
        ]
        for k, now in enumerate(_loop(w, 64, 0, size, places, ["0"] * _STREAMS)):
            _write(w, found, w.add(before, k + 1), now)

    w.when(is_first, remainder)
    w.when(w.set(f"xor i1 {is_first}, true"), parts)
    return w.text()


_registers = kernel(text)


def _loop(
    w: KernelWriter, bits: int, start: Any, end: Any, places: list[str], now: list[str]
) -> list[str]:
    """The registers of streams of bytes after so many of them, 64 or 8 bits at a time."""

    def some(j: str, values: list[str]) -> list[str]:
        pieces = (w.place("u1", place, j) for place in places)
        loaded = [w.set(f"load i{bits}, ptr {piece}, align 1") for piece in pieces]
        return [_step(w, value, piece, bits) for value, piece in zip(values, loaded, strict=True)]

    return w.loop(start, end, bits // 8, some, [("i32", value) for value in now])


def _step(w: KernelWriter, register: str, piece: str, bits: int) -> str:
    """The register after 64 or 8 more bits."""
    if is_arm():
        return _step_on_arm(w, register, piece, bits)
    if bits == 8:
        w.declarations.add("declare i32 @llvm.x86.sse42.crc32.32.8(i32, i8)")
        return w.set(f"call i32 @llvm.x86.sse42.crc32.32.8(i32 {register}, i8 {piece})")
    w.declarations.add("declare i64 @llvm.x86.sse42.crc32.64.64(i64, i64)")
    wide = w.set(f"zext i32 {register} to i64")
    found = w.set(f"call i64 @llvm.x86.sse42.crc32.64.64(i64 {wide}, i64 {piece})")
    return w.set(f"trunc i64 {found} to i32")


def _step_on_arm(w: KernelWriter, register: str, piece: str, bits: int) -> str:
    name, kind = (
        ("@llvm.aarch64.crc32cx", "i64") if bits == 64 else ("@llvm.aarch64.crc32cb", "i32")
    )
    w.declarations.add(f"declare i32 {name}(i32, {kind})")
    if bits == 8:
        piece = w.set(f"zext i8 {piece} to i32")
    return w.set(f"call i32 {name}(i32 {register}, {kind} {piece})")


def _write(w: KernelWriter, found: str, at: Any, register: str) -> None:
    w.write("i8", found, at, w.set(f"zext i32 {register} to i64"), 1)
