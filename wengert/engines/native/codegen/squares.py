"""Squares of vectors, transposed in registers."""

from __future__ import annotations

from collections.abc import Sequence

from wengert.engines.native.codegen.vectors import Body, llvm_type


def turned(body: Body, kind: str, rows: Sequence[str]) -> list[str]:
    """Transpose as many vectors as each has elements: exchange halves, then their halves, and so on."""
    found, size = list(rows), len(rows) // 2
    while size:
        for i in range(len(found)):
            if not i & size:
                found[i], found[i + size] = _exchanged(body, kind, found, i, size)
        size //= 2
    return found


def _exchanged(body: Body, kind: str, rows: Sequence[str], at: int, size: int) -> tuple[str, str]:
    count, pair = len(rows), (rows[at], rows[at + size])
    first = [i if not i & size else i - size + count for i in range(count)]
    second = [i + size if not i & size else i + count for i in range(count)]
    return picked(body, kind, pair, first), picked(body, kind, pair, second)


def picked(body: Body, kind: str, pair: Sequence[str], places: Sequence[int]) -> str:
    """A vector of elements of two vectors, of which the second goes on where the first ends."""
    kinds = llvm_type(kind, len(places))
    mask = ", ".join(f"i32 {i}" for i in places)
    given = ", ".join(f"{kinds} {x}" for x in pair)
    return body.set(f"shufflevector {given}, <{len(places)} x i32> <{mask}>")
