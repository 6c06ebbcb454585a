"""Elementwise operations on large arrays: one loop, generated from the row's own kernel."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from wengert.core.row import Attrs, Row
from wengert.core.table import row_of
from wengert.engines.native.codegen.kernel_writer import (
    Kernel,
    KernelWriter,
    kernel,
    memory_of,
    remembered,
)
from wengert.engines.native.codegen.vectors import llvm_type, power_over, power_within
from wengert.engines.native.frontend.numbers.halves import OF_BITS, OF_DTYPES
from wengert.engines.native.frontend.scalar import (
    HALVES,
    Code,
    NotLowered,
    dtype_of,
    is_float,
    type_of,
    type_or_none,
)
from wengert.engines.native.frontend.templates import begun, template
from wengert.engines.native.mathematics import elementary
from wengert.engines.native.runtime.processor import vector_bytes
from wengert.host.malloc import NARROW
from wengert.values.shapes import Dims

BLOCK: Final = 1 << 14  # elements of a part
WIDEST: Final = 256  # elements of a vector: four registers of bytes
# Where a second thread gains something: so many elements and instructions, or bytes read and written, of which
# the caches of two cores hold more than one's.
FLAT: Final = 1 << 20
FAR: Final = 1 << 20


# An array is a number for all, or one for each row.
NUMBER, COLUMN = ".", "|"


def apply_row(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    """A row's kernel on arrays that broadcast to one shape; None if NumPy should compute it."""
    if attrs:  # they would be part of the code, and may change at every call
        return None
    given = [x if type(x) is np.ndarray else np.asarray(x) for x in arrays]
    lying = row, *[(x.dtype, x.shape, x.strides) for x in given]
    ready = _READY.get(lying)
    if ready is None:
        ready = remembered(_READY, lying, _readied(row, given))
    if not ready:
        return None
    compute, shape, dtype, all_lie_together = ready
    y = np.empty(shape, dtype)
    compute(*(given if all_lie_together else map(memory_of, given)), y)
    return y


# For a row and how its arrays lie in memory: a function of them and the result, the shape and the dtype of the
# result, whether each array is contiguous; nothing where NumPy computes it. To ask for it takes 0.5 us, to find
# it out 4.
_Ready: TypeAlias = tuple[Callable[..., None], Dims, Any, bool] | tuple[()]
_READY: Final[dict[Any, _Ready]] = {}


def _readied(row: Row, arrays: Sequence[Any]) -> _Ready:
    shape = _common_shape([x.shape for x in arrays])
    types = [type_or_none(x.dtype) for x in arrays]
    if not shape or 0 in shape or None in types or math.prod(shape) < WIDEST:
        return ()
    all_lie_together = all(x.flags.c_contiguous for x in arrays)
    if not all_lie_together or not all(x.shape == shape or x.size == 1 for x in arrays):
        return _readied_by_rows(row, arrays, shape, all_lie_together)
    kinds = [f"{t}{NUMBER if x.shape != shape else ''}" for t, x in zip(types, arrays, strict=True)]
    made = _made(row, tuple(kinds))
    if made is None:
        return ()
    found, out, weight = made
    size = math.prod(shape)
    block = _part(arrays, size, out, weight)
    compute = found.bound(-(-size // block), (size, block), len(arrays) + 1)
    return compute, shape, out, True


def _part(arrays: Sequence[Any], size: int, out: Any, weight: int) -> int:
    """The elements of a part of so many, each of so many instructions and of a dtype."""
    memory = size * out.itemsize + sum([x.nbytes for x in arrays])
    return BLOCK if size * weight >= FLAT or memory >= FAR else size


def cast(x: Any, dtype: Any) -> Any:
    """Numbers as floats of another type; None if NumPy should compute it."""
    found = in_other_size(x, dtype)
    if found is not None or x.size * (x.itemsize + np.dtype(dtype).itemsize) < 2 * FAR:
        return found
    source, kind = type_or_none(x.dtype), type_or_none(np.dtype(dtype))
    return _cast(x, source, kind) if source in CAST and kind in FLOATS else None


FLOATS: Final = frozenset(("f4", "f8"))
CAST: Final = FLOATS | {"b1", "u1", "i4", "i8"}


def in_other_size(x: Any, dtype: Any) -> Any:
    """Numbers of two bytes as float32, or these rounded to two bytes; None for other numbers."""
    kinds = type_or_none(x.dtype), type_or_none(np.dtype(dtype))
    if "f4" not in kinds or HALVES.isdisjoint(kinds) or not x.size:
        return None
    if x.size < WIDEST:  # a vector would begin before the array
        return x.astype(dtype)
    return _cast(x, str(kinds[0]), str(kinds[1]))


def _cast(x: Any, source: str, kind: str) -> Any:
    code, (given,) = begun([source])
    value = code.add("cast", kind, (given.value,))
    y = np.empty(x.shape, dtype_of(kind))
    found = _loop((source,), tuple(code.instructions), value)
    block = _part([x], y.size, y.dtype, 1)
    found(-(-y.size // block), (y.size, block), np.ascontiguousarray(x), y)
    return y


def _common_shape(shapes: list[Dims]) -> Dims | None:
    """The shape to which arrays broadcast; None if they do not."""
    if shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    try:
        found: Dims = np.broadcast_shapes(*shapes)
    except ValueError:
        return None
    return found


def _readied_by_rows(
    row: Row, arrays: Sequence[Any], whole: Dims, all_lie_together: bool
) -> _Ready:
    """The same row by row, where rows lie apart or are repeated: NumPy would begin anew for each of them."""
    shape = whole
    while len(shape) > 1 and shape[-1] == 1:
        arrays, shape = [x[..., 0] if x.ndim else x for x in arrays], shape[:-1]
    found = _by_rows(row, arrays, np.empty(shape, np.bool_))
    if found is None:
        return ()
    compute, out = found
    return compute, whole, out, all_lie_together


def add_to_part(part: Any, added: Any) -> bool | None:
    """Add to a part of an array, where it lies; None if NumPy should."""
    lying = "part", *[(x.dtype, x.shape, x.strides) for x in (part, added)]
    ready = _READY.get(lying)
    if ready is None:
        ready = remembered(_READY, lying, _readied_in_place(part, added))
    if not ready:
        return None
    memory = memory_of(part)
    ready[0](memory, memory_of(added), memory)
    return True


def _readied_in_place(part: Any, added: Any) -> _Ready:
    if part.dtype != added.dtype or part.shape != added.shape or not part.size:
        return ()
    if type_or_none(part.dtype) is None:
        return ()
    found = _by_rows(row_of("AddV2"), [part, added], part)
    return () if found is None else (found[0], part.shape, found[1], False)


def _by_rows(
    row: Row, arrays: Sequence[Any], target: Any
) -> tuple[Callable[..., None], Any] | None:
    """A function of arrays and of where the result is to lie, which may be one of them; its dtype."""
    columns = target.shape[-1] if target.ndim else 0
    steps = steps_of_rows([*arrays, target], target.shape) if columns > 1 else None
    if steps is None:
        return None
    kinds = [
        type_of(x.dtype) + (COLUMN if not x.ndim or x.shape[-1] == 1 or not x.strides[-1] else "")
        for x in arrays
    ]
    is_over = any(x is target for x in arrays)
    least = columns if columns < NARROW else power_within(columns, WIDEST)
    made = _made(row, tuple(kinds), least, is_over)
    if made is None:
        return None
    found, out, weight = made
    size = target.size
    rows, each = size // columns, max(_part(arrays, size, out, weight) // columns, 1)
    count, inner, outer = steps
    numbers = (rows, columns, each, count, *inner, *outer)
    return found.bound(-(-rows // each), numbers, len(arrays) + 1), out


def steps_of_rows(
    arrays: Sequence[Any], shape: Dims
) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None:
    """How the rows of arrays that broadcast to the shape lie in memory, if that is two loops at most.

    So many rows follow each other at steps of so many elements in each array, and so many elements
    are between the first ones of such groups. A row is of adjacent elements, or of one for all.
    """
    loops: list[tuple[int, tuple[int, ...]]] = []  # sizes and steps, the inner loop first
    for x in arrays:
        if x.ndim and x.shape[-1] > 1 and x.strides[-1] not in (0, x.itemsize):
            return None
        if any(step < 0 or step % x.itemsize for step in x.strides):
            return None
    for axis in reversed(range(len(shape) - 1)):
        if shape[axis] == 1:
            continue
        steps = tuple([_step_along(x, axis - len(shape)) for x in arrays])
        if loops and steps == tuple([loops[-1][0] * step for step in loops[-1][1]]):
            loops[-1] = loops[-1][0] * shape[axis], loops[-1][1]
        else:
            loops.append((shape[axis], steps))
    if len(loops) > 2:
        return None
    none = (0,) * len(arrays)
    (count, inner), (_, outer) = [*loops, (1, none), (1, none)][:2]
    return count, inner, outer


def _step_along(x: Any, axis: int) -> int:
    """The elements from one of an axis, counted from the end, to the next, if it is not the same again."""
    is_there = -axis <= x.ndim and x.shape[axis] > 1
    return x.strides[axis] // x.itemsize if is_there else 0


@functools.lru_cache(maxsize=1024)
def _made(
    row: Row, kinds: tuple[str, ...], columns: int | None = None, is_over: bool = False
) -> tuple[Kernel, Any, int] | None:
    """The kernel, the dtype of its result, and the number of instructions per element.

    It is for rows in memory of so many columns, or of so many at least if they are not narrow. It may write over
    what it reads.
    """
    try:
        code, result = _written(row, [k[:2] for k in kinds])
    except NotLowered:
        return None
    if not any(is_float(k) for k in (*[k for _, k, *_ in code.instructions], code.kind(result))):
        return None
    code, (value,) = elementary.expanded(code, [result])
    instructions = tuple(code.instructions)
    dtype = dtype_of(code.kind(value))
    if columns is None:
        return _loop(kinds, instructions, value), dtype, len(instructions)
    if columns < NARROW:
        return _rows(kinds, instructions, value, columns, False), dtype, len(instructions)
    is_wide = columns >= _code_of(kinds, instructions, value)[-1] and not is_over
    return _rows(kinds, instructions, value, 0, is_wide), dtype, len(instructions)


def _written(row: Row, kinds: Sequence[str]) -> tuple[Code, int]:
    """The row's kernel as scalar code; numbers of two bytes are computed with as float32, and rounded once."""
    halves = HALVES.intersection(kinds)
    if not halves:
        return template(row, kinds, {})
    if row.name in OF_BITS | OF_DTYPES or len(halves) > 1 or any(map(is_float, kinds)):
        raise NotLowered("what float32 would make otherwise")
    (half,) = halves
    inner, result = template(row, ["f4" if k == half else k for k in kinds], {})
    code, xs = begun(kinds)
    wide = [
        code.add("cast", "f4", (x.value,)) if k == half else x.value
        for x, k in zip(xs, kinds, strict=True)
    ]
    found = code.inserted(inner, wide)[result]
    return code, code.add("cast", half, (found,)) if code.kind(found) == "f4" else found


@kernel
def _loop(kinds: tuple[str, ...], instructions: Any, value: int) -> str:
    code, out, width = _code_of(kinds, instructions, value)
    w = KernelWriter(len(kinds) + 1, 2)
    size, block = w.numbers
    # The last vector overlaps the one before, so that it ends with the array: which is not shorter.
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
def _rows(kinds: tuple[str, ...], instructions: Any, value: int, short: int, is_wide: bool) -> str:
    """The same for rows that lie apart or are repeated, each a vector if all are so short.

    The last vector of a wide one overlaps the one before: without AVX-512, a mask takes as long as three.
    """
    code, out, width = _code_of(kinds, instructions, value)
    several = len(kinds) + 1
    w = KernelWriter(several, 4 + 2 * several)
    rows, columns, each, count, *steps = w.numbers
    if short:
        width = power_over(short)
    begin = w.mul("%part", each)
    end = w.least(w.add(begin, each), rows)

    def group(o: str, _: list[str]) -> None:
        first = w.mul(o, count)
        starts = [w.mul(o, step) for step in steps[several:]]

        def row(m: str, _: list[str]) -> None:
            *places, target = [
                w.place(kind[:2], array, w.add(start, w.mul(m, step)))
                for kind, array, start, step in zip(
                    (*kinds, out), w.arrays, starts, steps, strict=False
                )
            ]
            ones = {
                k: _spread(w, kind, places[k], 0, width)
                for k, kind in enumerate(kinds)
                if kind.endswith(COLUMN)
            }

            def some(j: Any, mask: str | None, _: Sequence[str] = ()) -> None:
                given = [
                    ones[k] if k in ones else w.read(kind[:2], places[k], j, width, mask)
                    for k, kind in enumerate(kinds)
                ]
                (y,) = w.code(code, given, width, [value], w.called)
                w.write(out, target, j, y, width, mask)

            if is_wide:
                last = w.sub(columns, width)
                w.loop(0, columns, width, lambda j, _: some(w.least(j, last), None))
            else:
                w.along_row(columns, short, width, some)

        w.loop(w.most(w.sub(begin, first), 0), w.least(w.sub(end, first), count), 1, row)

    w.loop(w.div(begin, count)[0], w.div(w.add(w.sub(end, 1), count), count)[0], 1, group)
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
    native = vector_bytes() // max(int(k[1]) if k not in HALVES else 4 for k in kinds)
    return native * (4 if weight <= 16 else 2 if weight <= 200 else 1)
