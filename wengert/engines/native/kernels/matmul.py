"""Matrix products outside of graphs, of matrices of any size.

A part multiplies some rows of the left matrix with some columns of the right one, which it copies to a buffer as
wide as a few vectors: so either may be transposed. The threads of a BLAS wait for each other by
spinning, also after a product, which takes the processors from what comes next; ours do not.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from wengert.engines.native.codegen.gemm_forms import MOST
from wengert.engines.native.codegen.kernel_writer import kernel, memory_of, remembered
from wengert.engines.native.codegen.memory_access import first
from wengert.engines.native.codegen.squares import turned
from wengert.engines.native.frontend.scalar import TYPE_OF
from wengert.engines.native.kernels.columns import Columns, Factors, width_of
from wengert.engines.native.runtime.processor import most_vectors, vector_bytes
from wengert.engines.native.runtime.runtime_ir import TOGETHER
from wengert.host.threads import get_threads
from wengert.values.shapes import Dims

PARTS: Final = 4  # for each thread, where there are
ROWS: Final = 48  # in each, so that copying the columns hardly counts,
WORTH: Final = 1 << 18  # and multiplications
STRIP: Final = 48  # rows of the left matrix that are copied at once, if it lies transposed
FAR: Final = 1 << 11  # bytes from one of its columns to the next,
LONG: Final = 128  # of more than which are not in the cache any more when the next rows need them
FEW: Final = 256  # rows, up to which a shallow buffer pays
FEWEST: Final = 4  # rows and columns, below which NumPy multiplies by vectors
EACH: Final = 1 << 15  # multiplications of each of several products, which NumPy begins faster


def _depth(rows: int) -> int:
    """The rows of the right matrix in a buffer, of which that many of the left one make use.

    It fits the second cache with wide registers. Few rows do not make up for fetching it from there: then it
    fits the first one, which is 5 to 20 percent faster. With other registers it has half of that: all of it took a
    fifth longer.
    """
    if vector_bytes() != 64:
        return 256
    return 128 if rows <= FEW else 512


# What computes the product of two matrices that lie in memory like these: a function of the two memories and of the
# result's, its shape, and what gives the memories; nothing where NumPy computes it. To find it out takes 5 us.
_Memory: TypeAlias = Callable[[Any], Any]
_Ready: TypeAlias = tuple[Callable[..., None], Dims, _Memory, _Memory] | tuple[()]
_READY: Final[dict[Any, _Ready]] = {}


def product(a: Any, b: Any, out: Any = None) -> Any:
    """The product of two matrices, or of as many pairs of them; None if NumPy should compute it.

    It is written into `out`, whose rows are of adjacent numbers, if that is given.
    """
    given = (a, b) if out is None else (a, b, out)
    lying = tuple([(x.dtype, x.shape, x.strides) for x in given])
    ready = _READY.get(lying)
    if ready is None:
        ready = remembered(_READY, lying, _readied(a, b, out))
    if not ready:
        return None
    multiply, shape, memory_a, memory_b = ready
    made = np.empty(shape, a.dtype) if out is None else out
    multiply(memory_a(a), memory_b(b), made if out is None else memory_of(out))
    return made


def _readied(a: Any, b: Any, out: Any) -> _Ready:
    if a.dtype != b.dtype or a.shape[:-2] != b.shape[:-2]:
        return ()
    (memory_a, a_steps), (memory_b, b_steps) = _in_memory(a), _in_memory(b)
    shape = (*a.shape[:-1], b.shape[-1])
    steps = (shape[-2] * shape[-1], shape[-1], 1) if out is None else _steps(out)
    if steps is None or steps[2] != 1:
        return ()
    multiply = _made(a.dtype, shape, a.shape[-1], a_steps, b_steps, steps)
    return () if multiply is None else (multiply, shape, memory_a, memory_b)


def multiplied(a: Any, b: Any, out: Any = None) -> Any:
    """The product of two matrices; of small ones by NumPy, whose threads these do not wake."""
    found = product(a, b, out)
    return np.matmul(a, b, out) if found is None else found


# The numbers from one of several matrices to the next, from a row, and from a column.
Steps = tuple[int, int, int]


def _in_memory(x: Any) -> tuple[Callable[[Any], Any], Steps]:
    """What gives the memory of a matrix or of several, and its steps; a copy, if neither rows nor columns lie together."""
    steps = _steps(x)
    if steps is None:
        return np.ascontiguousarray, (x.shape[-2] * x.shape[-1], x.shape[-1], 1)
    if x.flags.c_contiguous:
        return np.asarray, steps
    return (_turned if x.ndim == 2 and x.flags.f_contiguous else memory_of), steps


_turned: Final = operator.attrgetter("T")


def _steps(x: Any) -> Steps | None:
    """The steps of matrices; None if neither their rows nor their columns are of adjacent numbers."""
    rows, columns = x.shape[-2:]
    if x.flags.c_contiguous:
        return rows * columns, columns, 1
    if x.swapaxes(-1, -2).flags.c_contiguous:
        return rows * columns, 1, rows
    if x.ndim > 3 or any(s < 0 or s % x.itemsize for s in x.strides) or not x.size:
        return None
    *several, row, column = (s // x.itemsize for s in x.strides)
    each = several[0] if several else 0
    if column == 1 and row >= columns:
        return each, row, 1
    return (each, 1, column) if row == 1 and column >= rows else None


@functools.lru_cache(maxsize=256)
def _made(
    dtype: Any, shape: Dims, depth: int, a: Steps, b: Steps, out: Steps
) -> Callable[..., None] | None:
    """What computes such products, of a shape together."""
    kind = TYPE_OF.get(dtype)
    rows, columns = shape[-2:]
    batch = math.prod(shape[:-2])
    work = rows * columns * depth
    if kind not in ("f4", "f8", "i4", "i8"):
        return None
    if not (EACH if batch > 1 else 1) <= work <= MOST or min(rows, columns) < FEWEST or not batch:
        return None
    needed, threads = -(-columns // width_of(kind)), get_threads()
    worth = max(work // WORTH, 1)  # parts of a product
    panels = -(-needed // most_vectors())
    if rows // ROWS < threads // batch:  # narrow panels, where few rows cannot be shared out
        panels = max(panels, min(needed, worth, threads // batch))
    each = -(-panels // min(worth, panels))
    parts = -(-panels // each)
    wanted = min(worth, PARTS * threads // batch)
    groups = max(min(rows // ROWS, wanted // parts), 1)
    a_turned, b_turned = a[2] != 1, b[2] != 1
    is_far = a_turned and a[2] * int(kind[1]) >= FAR and depth > LONG
    # The same rows of several matrices are neighbours in memory: so they are taken one after the other.
    are_woven = batch > 1 and a[0] < a[1] and out[0] < out[1] and not a_turned
    if are_woven:
        groups = max(rows // ROWS, 1)
    numbers = (rows, columns, depth, *a, b[0], max(b[1:]), *out[:2], panels, each, groups, batch)
    made = _product(kind, -(-needed // panels), _depth(rows), is_far, b_turned, are_woven)
    together = batch * parts << TOGETHER if are_woven else 0
    return made.bound(batch * parts * groups + together, numbers, 3)


@kernel
def _product(
    kind: str, vectors: int, depth: int, is_far: bool, is_turned: bool, are_woven: bool
) -> str:
    return _Product(kind, vectors, depth, is_far, is_turned, are_woven).text()


class _Product(Columns):
    """The kernel: a part is some rows and columns of one product."""

    def __init__(
        self, kind: str, vectors: int, depth: int, is_far: bool, is_turned: bool, are_woven: bool
    ) -> None:
        super().__init__(kind, vectors, 3, 14)
        self.rows, self.columns, self.depth, *steps, panels, each, groups, batch = self.numbers
        a_each, self.a_row, self.a_column, b_each, self.b_line, out_each, self.out_row = steps
        shares = self.add(self.div(self.sub(panels, 1), each)[0], 1)
        rest, share = self.div("%part", shares)
        number, group = self.div(rest, groups)
        if are_woven:
            group, number = self.div(rest, batch)
        self.a, self.b, self.out = (
            self.place(kind, array, self.mul(number, step))
            for array, step in zip(self.arrays, (a_each, b_each, out_each), strict=True)
        )
        together = self.add(self.div(self.sub(self.rows, 1), groups)[0], 1)
        begin = self.mul(group, together)
        self.own = begin, self.least(self.add(begin, together), self.rows)
        self.deepest = depth
        self.reserve(self.add(self.least(self.depth, self.deepest), self.width))
        self.enter = self._enter_turned if is_turned else self._enter
        self.strip = self.room(kind, self.deepest * STRIP) if is_far else ""
        begin = self.mul(share, each)
        end = self.least(self.add(begin, each), panels)
        self.loop(begin, end, 1, lambda panel, _: self._panel(panel))

    def _panel(self, panel: str) -> None:
        """Some rows times some columns."""
        self.begin = self.mul(panel, self.lanes)
        left = self.sub(self.columns, self.begin)
        self.masks = [first(self, left, v * self.width, self.width) for v in range(self.vectors)]
        self.loop(0, self.depth, self.deepest, lambda p, _: self._some(p))

    def _some(self, p: str) -> None:
        """Add what some columns of the left matrix and the same rows of the right one contribute."""
        count = self.least(self.sub(self.depth, p), self.deepest)
        self.enter(p, count)
        goes_on = self.set(f"icmp sgt i64 {p}, 0")
        if self.strip:
            begin, end = self.own
            self.loop(begin, end, STRIP, lambda i, _: self._some_rows(i, p, count, goes_on))
            return
        at = self.place(self.kind, self.a, self.mul(p, self.a_column))
        factors = Factors(at, self.a_row, self.a_column)
        self.blocks(*self.own, lambda i, rows: self._block(i, rows, factors, count, goes_on))

    def _some_rows(self, begin: str, p: str, count: str, goes_on: str) -> None:
        """The same for a few rows, of which each column is copied, so that all lie together."""
        end = self.least(self.add(begin, STRIP), self.own[1])
        size = self.sub(end, begin)
        masks = [first(self, size, v, self.width) for v in range(0, STRIP, self.width)]
        source = self.place(self.kind, self.a, self.add(begin, self.mul(p, self.a_column)))

        def column(q: str, _: list[str]) -> None:
            there = self.place(self.kind, source, self.mul(q, self.a_column))
            here = self.place(self.kind, self.strip, self.mul(q, STRIP))
            for v, mask in enumerate(masks):
                value = self.read(self.kind, there, v * self.width, self.width, mask)
                self.write(self.kind, here, v * self.width, value, self.width)

        self.loop(0, count, 1, column)
        at = self.place(self.kind, self.strip, self.sub(0, begin))
        factors = Factors(at, 1, STRIP)
        self.blocks(begin, end, lambda i, rows: self._block(i, rows, factors, count, goes_on))

    def _enter(self, p: str, count: str) -> None:
        def row(q: str, _: list[str]) -> None:
            at = self.add(self.mul(self.add(p, q), self.b_line), self.begin)
            self.put(self.row(q), self._masked(self.b, at))

        self.loop(0, count, 1, row)

    def _enter_turned(self, p: str, count: str) -> None:
        """Square by square; beyond the last column it is repeated, which is not written."""
        last = self.sub(self.columns, 1)

        def vector(v: str, _: list[str]) -> None:
            begin = self.mul(v, self.width)
            places = [self.least(self.add(self.begin, begin, k), last) for k in range(self.width)]
            lines = [self.add(self.mul(place, self.b_line), p) for place in places]

            def square(q: str, mask: str | None, _: list[str]) -> None:
                given = [
                    self.read(self.kind, self.b, self.add(line, q), self.width, mask)
                    for line in lines
                ]
                for i, x in enumerate(turned(self, self.kind, given)):
                    self.write(self.kind, self.row(self.add(q, i)), begin, x, self.width)

            self.along(count, self.width, square)

        self.loop(0, self.vectors, 1, vector)

    def _block(self, i: str, rows: int, factors: Factors, count: str, goes_on: str) -> None:
        places = [self.add(self.mul(self.add(i, r), self.out_row), self.begin) for r in range(rows)]
        nothing = [(self.kinds, "zeroinitializer")] * (rows * self.vectors)
        sums = self.when(
            goes_on, lambda: [x for at in places for x in self._masked(self.out, at)], nothing
        )
        at = self.place(self.kind, factors.origin, self.mul(i, factors.row))
        _, sums = self.add_products(sums, factors._replace(origin=at), count)
        for r, place in enumerate(places):
            for v, mask in enumerate(self.masks):
                value = sums[r * self.vectors + v]
                at = self.add(place, v * self.width)
                self.write(self.kind, self.out, at, value, self.width, mask)

    def _masked(self, array: str, at: str) -> Sequence[str]:
        return [
            self.read(self.kind, array, self.add(at, v * self.width), self.width, mask)
            for v, mask in enumerate(self.masks)
        ]
