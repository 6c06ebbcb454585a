"""Formulas of large matrices and vectors of their columns: elementwise, or summed over the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.combine import combine
from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.images.image_tiles import width_of
from wengert.engines.native.frontend.lanes import Lane
from wengert.engines.native.frontend.scalar import Code
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.mathematics import elementary

PART: Final = 1 << 14  # elements, about
ROWS: Final = 256  # that are summed sequentially
COLUMNS: Final = 512

# Functions of an element of each matrix, followed by an element of each vector.
FORMULAS: Final[dict[str, Callable[..., Any]]] = {
    "value": lambda x: x,
    "square of deviation": lambda x, mean: (x - mean) * (x - mean),
    "normalized": lambda x, mean, slope, offset: (x - mean) * slope + offset,
    "weighted deviation": lambda x, g, mean: (x - mean) * g,
    "slope": lambda x, g, factor, offset, slope: x * factor + offset + g * slope,
}


def apply_formula(formula: str, *arrays: Any) -> Any:
    """A formula of matrices and vectors of their columns; None if NumPy should compute it."""
    kinds = _kinds(arrays)
    if not kinds:
        return None
    (rows, columns), each = arrays[0].shape, max(PART // arrays[0].shape[1], 1)
    y = np.empty(arrays[0].shape, arrays[0].dtype)
    _applied(formula, kinds, width_of(kinds[0], columns))(
        -(-rows // each), (rows, columns, each), *arrays, y
    )
    return y


def sum_formula(formula: str, *arrays: Any) -> Any:
    """The formula's values summed over the rows: a vector; None if NumPy should compute it."""
    kinds = _kinds(arrays)
    if not kinds:
        return None
    rows, columns = arrays[0].shape
    downward, across = -(-rows // ROWS), -(-columns // COLUMNS)
    y = np.empty((downward, columns), arrays[0].dtype)
    _summed(formula, kinds, width_of(kinds[0], columns))(
        downward * across, (rows, columns, across), *arrays, y
    )
    return y.sum(0)


def _kinds(arrays: Sequence[Any]) -> tuple[str, ...]:
    """The type of each array, with a dot for vectors; empty if the arrays are not supported."""
    x, kind = arrays[0], kind_of(*arrays)
    fitting = x.ndim == 2 and all(a.shape in (x.shape, x.shape[1:]) for a in arrays)
    if not kind or not fitting or not width_of(kind, x.shape[1]):
        return ()
    return tuple(kind if a.ndim == 2 else f"{kind}." for a in arrays)


class _Columns(KernelWriter):
    """Writes a formula's kernel, over rows and columns."""

    def __init__(self, formula: str, kinds: tuple[str, ...], width: int) -> None:
        super().__init__(len(kinds) + 1, 3)
        self.kind, self.kinds = kinds[0], kinds
        self.width = width
        self.rows, self.columns, self.each = self.numbers
        code, dtype = Code(), np.dtype(self.kind)
        lanes = [Lane(code, code.add("param", self.kind, (), k), dtype) for k in range(len(kinds))]
        self.code_of, self.wanted = elementary.expanded(code, [FORMULAS[formula](*lanes).value])

    def at(self, row: str, j: str) -> str:
        """The formula at a vector of columns of a row."""
        place = self.add(self.mul(row, self.columns), j)
        given = [
            self.read(self.kind, a, place if len(kind) == 2 else j, self.width)
            for a, kind in zip(self.arrays, self.kinds, strict=False)
        ]
        return self.code(self.code_of, given, self.width, self.wanted, self.called)[0]


@kernel
def _applied(formula: str, kinds: tuple[str, ...], width: int) -> str:
    w = _Columns(formula, kinds, width)
    last = w.sub(w.columns, w.width)

    def row(r: str) -> None:
        def some(j: str, _: list[str]) -> None:
            at = w.least(j, last)  # the last vector ends with the row
            place = w.add(w.mul(r, w.columns), at)
            w.write(w.kind, w.arrays[-1], place, w.at(r, at), w.width)

        w.loop(0, w.columns, w.width, some)

    w.share(w.each, w.rows, row)
    return w.text()


@kernel
def _summed(formula: str, kinds: tuple[str, ...], width: int) -> str:
    """The kernel of sums; each part is a block of rows and columns."""
    w = _Columns(formula, kinds, width)
    down, across = w.div("%part", w.each)
    begin, first = w.mul(down, ROWS), w.mul(across, COLUMNS)
    end, last = w.least(w.add(begin, ROWS), w.rows), w.sub(w.columns, w.width)

    def some(j: str, _: list[str]) -> None:
        at = w.least(j, last)

        def row(r: str, now: list[str]) -> Sequence[str]:
            return [combine(w, "sum", w.kind, now[0], w.at(r, at), w.width)]

        start = (llvm_type(w.kind, w.width), "zeroinitializer")
        (total,) = w.loop(begin, end, 1, row, [start])
        w.write(w.kind, w.arrays[-1], w.add(w.mul(down, w.columns), at), total, w.width)

    w.loop(first, w.least(w.add(first, COLUMNS), w.columns), w.width, some)
    return w.text()
