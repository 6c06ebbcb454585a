"""Rows added to the rows of an array, or written over them, by an index."""

from __future__ import annotations

from typing import Final

from wengert.engines.native.codegen.combine import combine
from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.scalar import is_float
from wengert.engines.native.runtime.processor import vector_bytes

_COMBINED: Final = {"add": "sum", "mul": "prod", "max": "max", "min": "min"}


def scatter(
    w: FunctionWriter, how: str, kind: str, rows: int, inner: int, size: int, is_onto: bool
) -> None:
    """Each row of the updates goes to the row of its index; those with a negative one to none."""
    onto, (ids, updates, out) = (w.arrays[0], w.arrays[1:]) if is_onto else ("", w.arrays)
    count = size * int(kind[1])
    if is_onto:
        w.declarations.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {out}, ptr {onto}, i64 {count}, i1 false)")
    else:
        w.declarations.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        w.do(f"call void @llvm.memset.p0.i64(ptr {out}, i8 0, i64 {count}, i1 false)")
    width = vector_bytes() // int(kind[1])
    width = width if inner >= width else 1

    def row(i: str, _: list[str]) -> None:
        at = w.read("i8", ids, i, 1)
        w.when(w.set(f"icmp sge i64 {at}, 0"), lambda: change(i, at))

    def change(i: str, at: str) -> None:
        target = w.place(kind, out, w.mul(at, inner))
        source = w.place(kind, updates, w.mul(i, inner))

        def some(j: str, mask: str | None, _: list[str]) -> None:
            new = w.read(kind, source, j, width, mask)
            if how != "update":
                new = _combined(w, how, kind, w.read(kind, target, j, width, mask), new, width)
            w.write(kind, target, j, new, width, mask)

        w.along(str(inner), width, some)

    w.loop(0, rows, 1, row)


def _combined(w: FunctionWriter, how: str, kind: str, old: str, new: str, width: int) -> str:
    if how == "sub":
        return w.set(f"{'f' if is_float(kind) else ''}sub {llvm_type(kind, width)} {old}, {new}")
    return combine(w, _COMBINED[how], kind, old, new, width)
