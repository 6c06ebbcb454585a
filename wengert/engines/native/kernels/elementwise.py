"""Elementwise operations on large arrays: one loop, generated from the row's own kernel."""

from __future__ import annotations

import functools
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

BLOCK: Final = 1 << 14  # elements of a part
FLAT: Final = 1 << 17  # elements and instructions, below which a second thread gains nothing


def apply_row(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    """A row's kernel on arrays of one shape and scalars; None if NumPy should compute it."""
    shape = max(arrays, key=_size).shape
    if attrs:  # they would be part of the code, and may change at every call
        return None
    kinds = []
    for x in arrays:
        kind = TYPE_OF.get(x.dtype)
        if kind is None or (x.shape != shape and x.size != 1) or not x.flags.c_contiguous:
            return None
        if x.ndim > len(shape):
            return None
        kinds.append(kind if x.shape == shape else f"{kind}.")
    made = _made(row, tuple(kinds))
    if made is None:
        return None
    found, out, weight = made
    y = np.empty(shape, out)
    parts = -(-y.size // BLOCK) if y.size * weight >= FLAT else 1
    found(parts, (y.size, BLOCK if parts > 1 else y.size), *arrays, y)
    return y


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
    return _loop(kinds, instructions, value), dtype, len(instructions)


@kernel
def _loop(kinds: tuple[str, ...], instructions: Any, value: int) -> str:
    code = Code()
    code.instructions.extend(instructions)
    out = code.kind(value)
    width = _width([*[k[:2] for k in kinds], out], len(instructions))
    w = KernelWriter(len(kinds) + 1, 2)
    size, block = w.numbers
    # The last vector overlaps the one before, so that it ends with the array.
    last = w.sub(size, width)
    numbers = {
        k: w.spread(llvm_type(kind[:2], 1), w.read(kind[:2], w.arrays[k], 0, 1), width)
        for k, kind in enumerate(kinds)
        if kind.endswith(".")
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


def _width(kinds: Sequence[str], weight: int) -> int:
    """The number of elements in a vector: several registers' worth where the code is short."""
    native = vector_bytes() // max(int(k[1]) for k in kinds)
    return native * (4 if weight <= 16 else 2 if weight <= 200 else 1)
