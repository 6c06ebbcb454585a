"""Sums, extremes and softmax along the rows of large arrays."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.core.row import Attrs, Row
from wengert.engines.native.codegen.combine import combine, neutral
from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import literal, llvm_type, power_over
from wengert.engines.native.frontend.lanes import LANES, Lane
from wengert.engines.native.frontend.scalar import Code
from wengert.engines.native.kernels.elementwise import in_other_size
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.mathematics import elementary
from wengert.engines.native.runtime.processor import vector_bytes
from wengert.host.malloc import NARROW

PART: Final = 1 << 14  # elements, about
SHARE: Final = 1 << 16  # where they are only added: another thread takes 10 to 20 µs to wake up
CHUNK: Final = 1 << 10  # elements that are summed sequentially
WIDE: Final = 1 << 17  # elements, below which NumPy adds rows that are long as fast,
MANY: Final = 1 << 10  # if they are fewer than these
ONE_BY_ONE: Final = 8  # columns, below which they are added one after the other, as in NumPy


def _several(kind: str) -> int:
    """The number of elements in four registers."""
    return 4 * vector_bytes() // int(kind[1])


# ---- sums and extremes ------------------------------------------------------------------------

_HOW: Final = {"Sum": "sum", "Mean": "sum", "Max": "max", "Min": "min"}
_REST: Final = {"sum": np.sum, "max": np.max, "min": np.min}


def reduce_row(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    """A reduction along axes that follow each other; None if NumPy should compute it."""
    (x,) = arrays
    if (wide := in_other_size(x, np.float32)) is not None:
        found = reduce_row(row, [wide], attrs)
        return None if found is None else in_other_size(np.asarray(found), x.dtype)[()]
    axes, how, kind = attrs["axis"], _HOW[row.name], kind_of(x)
    if not kind or not axes or axes != tuple(range(axes[0], axes[-1] + 1)) or not x.size:
        return None
    before, after = x.shape[: axes[0]], x.shape[axes[-1] + 1 :]
    outer, inner = math.prod(before), math.prod(after)
    count = x.size // (outer * inner)
    total = _along_rows(x, how, kind, count) if inner == 1 else _down(x, how, kind, count, inner)
    if total is None:
        return None
    if row.name == "Mean":
        total = total / x.dtype.type(count)
    return total.reshape((*before, *[1] * len(axes) * attrs["keepdims"], *after))[()]


def _along_rows(x: Any, how: str, kind: str, columns: int) -> Any:
    """Of each row."""
    if columns < 2:
        return None
    rows, chunks = x.size // columns, -(-columns // CHUNK)
    each = max(SHARE // min(columns, CHUNK), 1)
    y = np.empty((rows, chunks), x.dtype)
    if columns < NARROW:
        _short_rows(how, kind, columns)(-(-rows // each), (rows, each), x, y)
    else:
        numbers = (rows * chunks, columns, chunks, each)
        _reduction(how, kind)(-(-rows * chunks // each), numbers, x, y)
    return y[:, 0] if chunks == 1 else _REST[how](y, axis=1)


def _down(x: Any, how: str, kind: str, count: int, columns: int) -> Any:
    """Of the same element of so many rows, which follow each other."""
    are_few = x.size < min(WIDE, MANY * columns)
    if count < 2 or (columns >= NARROW and are_few):
        return None
    outer, chunk = x.size // (count * columns), max(PART // columns, 4)
    chunks = -(-count // chunk)
    each = max(SHARE // (min(chunk, count) * columns), 1)
    y = np.empty((outer, chunks, columns), x.dtype)
    numbers = (outer * chunks, count, chunks, columns, chunk, each)
    short = columns if columns < NARROW else 0
    _columns(how, kind, short)(-(-outer * chunks // each), numbers, x, y)
    return y[:, 0] if chunks == 1 else _REST[how](y, axis=1)


@kernel
def _reduction(how: str, kind: str) -> str:
    """The kernel: a part is so many chunks of rows, and each chunk gives one number."""
    w, width = KernelWriter(2, 4), _several(kind)
    (x, y), (count, columns, chunks, each) = w.arrays, w.numbers

    def chunk(at: str) -> None:
        row, which = w.div(at, chunks)
        begin = w.mul(which, CHUNK)
        size = w.least(w.sub(columns, begin), CHUNK)
        place = w.place(kind, x, w.add(w.mul(row, columns), begin))
        w.write(kind, y, at, _total(w, how, kind, width, place, size), 1)

    w.share(each, count, chunk)
    return w.text()


@kernel
def _short_rows(how: str, kind: str, columns: int) -> str:
    """The same for rows of so few numbers that all are read at once."""
    w = KernelWriter(2, 2)
    (x, y), (rows, each) = w.arrays, w.numbers

    def pair(a: str, b: str) -> str:
        return combine(w, how, kind, a, b, 1)

    def row(r: str) -> None:
        begin = w.mul(r, columns)
        values = [w.read(kind, x, w.add(begin, j), 1) for j in range(columns)]
        while columns >= ONE_BY_ONE and len(values) > 1:
            halves = itertools.zip_longest(values[::2], values[1::2])
            values = [a if b is None else pair(a, b) for a, b in halves]
        w.write(kind, y, r, functools.reduce(pair, values), 1)

    w.share(each, rows, row)
    return w.text()


@kernel
def _columns(how: str, kind: str, short: int) -> str:
    """Chunks of rows, of which each gives one row; rows are a vector each if all are so short."""
    w = KernelWriter(2, 6)
    (x, y), (items, count, chunks, columns, chunk, each) = w.arrays, w.numbers
    width = power_over(short) if short else _several(kind)
    kinds = llvm_type(kind, width)
    together = 4 if short else 1  # rows, so that a sum need not wait for the one before

    def item(at: str) -> None:
        group, which = w.div(at, chunks)
        begin = w.mul(which, chunk)
        size = w.least(w.sub(count, begin), chunk)
        place = w.place(kind, x, w.mul(w.add(w.mul(group, count), begin), columns))
        target = w.place(kind, y, w.mul(at, columns))

        def some(j: Any, mask: str | None, _: Sequence[str] = ()) -> None:
            def rows(i: str, now: list[str]) -> Sequence[str]:
                found = []
                for k, sum_ in enumerate(now):
                    row = w.add(w.mul(w.add(i, k), columns), j)
                    value = w.read(kind, place, row, width, mask)
                    found.append(combine(w, how, kind, sum_, value, width))
                return found

            whole = w.sub(size, w.set(f"urem i64 {size}, {together}"))
            nothing = [(kinds, literal(kind, neutral(how, kind), width))] * together
            sums = w.loop(0, whole, together, rows, nothing)
            for other in sums[1:]:
                sums[0] = combine(w, how, kind, sums[0], other, width)
            (total,) = w.loop(whole, size, 1, rows, [(kinds, sums[0])])
            w.write(kind, target, j, total, width, mask)

        w.along_row(columns, short, width, some)

    w.share(each, items, item)
    return w.text()


def _total(w: KernelWriter, how: str, kind: str, width: int, place: str, size: str) -> str:
    """The sum, or the extreme, of contiguous elements."""
    nothing = literal(kind, neutral(how, kind), width)
    kinds = llvm_type(kind, width)

    def step(j: str, mask: str | None, now: list[str]) -> Sequence[str]:
        value = w.read(kind, place, j, width, mask)
        return [masked(w, kind, width, mask, combine(w, how, kind, now[0], value, width), now[0])]

    (vector,) = w.along(size, width, step, [(kinds, nothing)])
    return across(w, how, kind, vector, width)


def masked(w: KernelWriter, kind: str, width: int, mask: str | None, new: str, old: str) -> str:
    if mask is None:
        return new
    kinds = llvm_type(kind, width)
    return w.set(f"select <{width} x i1> {mask}, {kinds} {new}, {kinds} {old}")


def across(w: KernelWriter, how: str, kind: str, vector: str, width: int) -> str:
    """Reduce a vector to a scalar: halves, then their halves, and so on."""
    while width > 1:
        kinds, half = llvm_type(kind, width), width // 2
        pair = []
        for first in (0, half):
            places = ", ".join(f"i32 {first + k}" for k in range(half))
            if half == 1:
                pair.append(w.set(f"extractelement {kinds} {vector}, i32 {first}"))
            else:
                mask = f"<{half} x i32> <{places}>"
                pair.append(w.set(f"shufflevector {kinds} {vector}, {kinds} poison, {mask}"))
        vector, width = combine(w, how, kind, pair[0], pair[1], half), half
    return vector


# ---- softmax ----------------------------------------------------------------------------------


def softmax(x: Any, axis: int, logarithm: bool) -> Any:
    """The softmax along the last axis, or its logarithm; None if NumPy should compute it."""
    if (wide := in_other_size(x, np.float32)) is not None:
        found = softmax(wide, axis, logarithm)
        return None if found is None else in_other_size(found, x.dtype)
    kind, columns = kind_of(x), x.shape[-1]
    if not kind or axis not in (-1, x.ndim - 1) or columns < 2:
        return None
    rows, each = x.size // columns, max(PART // columns, 1)
    width = min(power_over(columns), _several(kind))
    y = np.empty(x.shape, x.dtype)
    _softmax(kind, logarithm, width)(-(-rows // each), (rows, columns, each), x, y)
    return y


@kernel
def _softmax(kind: str, logarithm: bool, width: int) -> str:
    """The kernel: exp(x - m) / sum(exp(x - m)), or x - m - log(sum(exp(x - m))), as with NumPy."""
    w = KernelWriter(2, 3)
    (x, y), (rows, columns, each) = w.arrays, w.numbers
    kinds = llvm_type(kind, width)
    zeros = literal(kind, neutral("sum", kind), width)

    def row(r: str) -> None:
        begin = w.mul(r, columns)
        given, made = w.place(kind, x, begin), w.place(kind, y, begin)
        top = _total(w, "max", kind, width, given, columns)
        tops = w.spread(llvm_type(kind, 1), top, width)

        def powers(first: str, so_far: list[str]) -> Sequence[str]:
            def step(j: str, mask: str | None, now: list[str]) -> Sequence[str]:
                at = w.add(first, j)
                value = w.set(f"fsub {kinds} {w.read(kind, given, at, width, mask)}, {tops}")
                power = function(w, "exp", kind, value, width)
                w.write(kind, made, at, value if logarithm else power, width, mask)
                total = w.set(f"fadd {kinds} {now[0]}, {power}")
                return [masked(w, kind, width, mask, total, now[0])]

            size = w.least(w.sub(columns, first), CHUNK)
            (sums,) = w.along(size, width, step, [(kinds, zeros)])
            return [w.set(f"fadd {kinds} {so_far[0]}, {sums}")]

        (sums,) = w.loop(0, columns, CHUNK, powers, [(kinds, zeros)])
        total = across(w, "sum", kind, sums, width)
        if logarithm:
            total = function(w, "log", kind, total, 1)
        totals = w.spread(llvm_type(kind, 1), total, width)
        word = "fsub" if logarithm else "fdiv"

        def finish(j: str, mask: str | None, _: list[str]) -> None:
            value = w.read(kind, made, j, width, mask)
            w.write(kind, made, j, w.set(f"{word} {kinds} {value}, {totals}"), width, mask)

        w.along(columns, width, finish)

    w.share(each, rows, row)
    return w.text()


def function(w: KernelWriter, name: str, kind: str, x: str, width: int) -> str:
    """Call a function of `mathematics` on one value."""
    code = Code()
    lane = Lane(code, code.add("param", kind, (), 0), np.dtype(kind))
    inner, (result,) = elementary.expanded(code, [getattr(LANES, name)(lane).value])
    return w.code(inner, [x], width, [result], w.called)[0]
