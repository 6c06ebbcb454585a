"""Elementwise operations on large arrays: one loop, generated from the row's own kernel."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.core.row import Attrs, Row
from wengert.engines.native.codegen.kernel_writer import Kernel, KernelWriter, kernel
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.lowering import template
from wengert.engines.native.frontend.scalar import TYPE_OF, Code, NotLowered, is_float
from wengert.engines.native.mathematics import elementary
from wengert.engines.native.runtime.processor import vector_bytes
from wengert.values.shapes import Dims

BLOCK: Final = 1 << 14  # elements of a part
FLAT: Final = 1 << 17  # elements and instructions, below which a second thread gains nothing


# How an array lies in the result: a number for all, one for each row, or one for each column.
NUMBER, COLUMN, ROW = ".", "|", "-"
SHORT: Final = 32  # elements of a row, below which NumPy is as fast


def apply_row(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    """A row's kernel on arrays of one shape, and others that broadcast to it; None if NumPy should compute it."""
    shape = max(arrays, key=_size).shape
    if attrs:  # they would be part of the code, and may change at every call
        return None
    kinds, columns = [], 0
    for x in arrays:
        kind = TYPE_OF.get(x.dtype)
        if kind is None or not x.flags.c_contiguous or x.ndim > len(shape):
            return None
        way = "" if x.shape == shape else NUMBER if x.size == 1 else _way(x.shape, shape)
        if way is None:
            return None
        if way in (ROW, COLUMN):
            asked = x.size if way == ROW else math.prod(shape) // x.size
            if asked < SHORT or columns not in (0, asked):
                return None
            columns = asked
        kinds.append(kind + way)
    made = _made(row, tuple(kinds))
    if made is None:
        return None
    found, out, weight = made
    y = np.empty(shape, out)
    parts, numbers = _cut(y.size, columns, weight)
    found(parts, numbers, *arrays, y)
    return y


def _way(given: Dims, shape: Dims) -> str | None:
    """How an array that broadcasts lies in the result; None where it is neither of these."""
    ones = next((k for k, size in enumerate(given) if size != 1), len(given))
    if given[ones:] == shape[len(shape) - len(given) + ones :]:
        return ROW
    left = len(given)
    while left and given[left - 1] == 1:
        left -= 1
    return COLUMN if len(given) == len(shape) and given[:left] == shape[:left] else None


def _cut(size: int, columns: int, weight: int) -> tuple[int, tuple[int, ...]]:
    """The number of parts, and the kernel's numbers: of elements, or of rows of elements."""
    block = BLOCK if size * weight >= FLAT else size
    if columns:
        rows, each = size // columns, max(block // columns, 1)
        return -(-rows // each), (rows, columns, each)
    return -(-size // block), (size, block)


_size: Final = operator.attrgetter("size")


@functools.lru_cache(maxsize=1024)
def _made(row: Row, kinds: tuple[str, ...]) -> tuple[Kernel, Any, int] | None:
    """The kernel, the dtype of its result, and the number of instructions per element."""
    try:
        code, result = template(row, [k[:2] for k in kinds], {})
    except NotLowered:
        return None
    if not any(is_float(k) for k in (*kinds, code.kind(result))):
        return None
    code, (value,) = elementary.expanded(code, [result])
    instructions = tuple(code.instructions)
    dtype = np.dtype(bool if code.kind(value) == "b1" else code.kind(value))
    write = _rows if any(k[2:] in (ROW, COLUMN) for k in kinds) else _loop
    return write(kinds, instructions, value), dtype, len(instructions)


@kernel
def _loop(kinds: tuple[str, ...], instructions: Any, value: int) -> str:
    code, out, width = _code_of(kinds, instructions, value)
    w = KernelWriter(len(kinds) + 1, 2)
    size, block = w.numbers
    # The last vector overlaps the one before, so that it ends with the array.
    last = w.sub(size, width)
    numbers = {
        k: _spread(w, kind, w.arrays[k], 0, width)
        for k, kind in enumerate(kinds)
        if kind.endswith(NUMBER)
    }

    def body(j: str, _: list[str]) -> None:
        at = w.least(j, last)
        given = [
            numbers[k] if k in numbers else w.read(kind, w.arrays[k], at, width)
            for k, kind in enumerate(kinds)
        ]
        (y,) = w.code(code, given, width, [value], w.called)
        w.write(out, w.arrays[-1], at, y, width)

    begin = w.mul("%part", block)
    w.loop(begin, w.least(w.add(begin, block), size), width, body)
    return w.text()


@kernel
def _rows(kinds: tuple[str, ...], instructions: Any, value: int) -> str:
    """The same row by row, for arrays with a number for each row or each column."""
    code, out, width = _code_of(kinds, instructions, value)
    w = KernelWriter(len(kinds) + 1, 3)
    rows, columns, each = w.numbers

    def row(r: str) -> None:
        begin = w.mul(r, columns)
        numbers = {
            k: _spread(w, kind, w.arrays[k], r if kind.endswith(COLUMN) else 0, width)
            for k, kind in enumerate(kinds)
            if kind[2:] in (NUMBER, COLUMN)
        }

        def some(j: str, mask: str | None, _: list[str]) -> None:
            given = [
                numbers[k]
                if k in numbers
                else w.read(
                    kind[:2], w.arrays[k], j if kind.endswith(ROW) else w.add(begin, j), width, mask
                )
                for k, kind in enumerate(kinds)
            ]
            (y,) = w.code(code, given, width, [value], w.called)
            w.write(out, w.arrays[-1], w.add(begin, j), y, width, mask)

        w.along(columns, width, some)

    w.share(each, rows, row)
    return w.text()


def _code_of(kinds: tuple[str, ...], instructions: Any, value: int) -> tuple[Code, str, int]:
    """The scalar code, the type of its value, and the number of elements in a vector."""
    code = Code()
    code.instructions.extend(instructions)
    out = code.kind(value)
    return code, out, _width([*[k[:2] for k in kinds], out], len(instructions))


def _spread(w: KernelWriter, kind: str, array: str, at: Any, width: int) -> str:
    """An element of an array, in all elements of a vector."""
    return w.spread(llvm_type(kind[:2], 1), w.read(kind[:2], array, at, 1), width)


def _width(kinds: Sequence[str], weight: int) -> int:
    """The number of elements in a vector: several registers' worth where the code is short."""
    native = vector_bytes() // max(int(k[1]) for k in kinds)
    return native * (4 if weight <= 16 else 2 if weight <= 200 else 1)
