"""Which matrix products are compiled into the plan rather than left to BLAS.

OpenBLAS is made for large matrices: it first packs both of them, and sets the result to zero. For
128 x 128 x 64 that is a third of the time. Up to some size it is as fast or faster to pack only a
panel of the right matrix, as wide as the registers allow, and to multiply all rows of the left one
by it. And only a compiled product can have an epilogue.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from wengert.engines.native.frontend.arrays import Source
from wengert.engines.native.runtime.processor import sums_at_once, vector_bytes
from wengert.values.open_size import of_both

VECTORS: Final = 2  # of a panel
PANEL: Final = 1 << 15  # bytes of a panel that stays in the L1 cache
LEFT: Final = 1 << 16  # bytes that a left matrix spans, from which on it is packed
RIGHT: Final = 1 << 21  # bytes of a right matrix, beyond which OpenBLAS is better,
RESULT: Final = 1 << 20  # unless the result is of so few bytes that it stays in the L2 cache
SHALLOW: Final = 128  # a short inner axis
STRIP: Final = 1 << 19  # bytes of a strip of the result
ROWS: Final = 1 << 16  # elements of a strip of the left matrix
SPAN: Final = 1 << 8  # elements of its rows that are used until the next ones are
UNROLLED: Final = 2
TURNED: Final = 1 << 13  # bytes of a row of a turned matrix, which is packed a few at a time
TINY: Final = 1 << 10  # elements of a right matrix
WORTH: Final = 1 << 15  # multiplications from which on compiling pays


class Form(NamedTuple):
    """A product, c = factor a b or c + factor a b: the layout of its matrices, and its parts."""

    kind: str
    m: int
    n: int
    k: int
    turned_a: bool
    lda: int
    turned_b: bool
    ldb: int
    ldc: int
    factor: float
    onto: bool
    splits: int
    left: Source | None = None  # the code that computes elements of a, and of b, from memory
    right: Source | None = None


class Function(NamedTuple):
    """The LLVM IR of a function of one part, its declarations, and its calls of `mathematics`."""

    text: str
    declarations: frozenset[str]
    calls: tuple[tuple[str, str, int], ...]


def is_small(form: Form, count: int) -> bool:
    """Whether so many products of a form are better compiled than left to BLAS."""
    size = int(form.kind[1])
    return is_tiny(form) or (
        form.n * size >= vector_bytes()
        and form.m >= 2 * rows_at_once()
        and (form.n * form.k * size <= RIGHT or form.m * form.n * size <= RESULT)
        and (not form.turned_b or depth(form) == form.k or form.k * size <= TURNED)
        and count * form.m * form.n * form.k >= WORTH
    )


def is_tiny(form: Form) -> bool:
    """Whether a call of BLAS would take longer than the product: about 200 ns."""
    return form.m <= sums_at_once() and form.n * form.k <= TINY


def blocks_of(form: Form) -> int:
    """The number of blocks of rows."""
    return -(-form.m // rows_at_once())


def depth(form: Form) -> int:
    """The length of a piece of the inner axis."""
    most = PANEL // (VECTORS * vector_bytes()) // (1 + packs_left(form))
    if form.k <= most:
        return form.k
    return of_both(lambda k: -(-k // -(-k // most) // UNROLLED) * UNROLLED, form.k)


def strips(form: Form) -> int:
    """The number of strips of rows into which a product is cut.

    Each goes along all panels of the right matrix: the rows of the left one should stay in the L2
    cache meanwhile, and the pages of a large result of a short inner axis should be known still.
    """
    if form.m < form.n:
        return 1
    if form.k > SHALLOW:
        return max(form.m * min(form.k, SPAN) // ROWS, 1)
    return max(min(form.m * form.n * int(form.kind[1]) // STRIP, form.m // (8 * rows_at_once())), 1)


def packs_left(form: Form) -> bool:
    """Whether the left matrix is packed, because what is read together is far apart in memory."""
    return form.turned_a and form.k * form.lda * int(form.kind[1]) > LEFT


def left_size(form: Form) -> int:
    """The elements of a part of the packed left matrix, padding included."""
    rows = form.m if form.m < form.n else -(-form.m // form.splits) + rows_at_once()
    return rows * (depth(form) + vector_bytes() // int(form.kind[1]))


def rows_at_once() -> int:
    """The rows of a block, whose sums fill the registers that the panel's vectors leave free."""
    return sums_at_once() // VECTORS


def accumulates(form: Form) -> bool:
    """Whether sums are accumulated in the result, which then must be in memory."""
    return form.onto or depth(form) < form.k
