"""Which matrix products are compiled into the plan rather than left to BLAS.

A BLAS first packs both matrices, and sets the result to zero. For 128 x 128 x 64 that is a third of
the time. It is as fast or faster to pack only a panel of the right matrix, as wide as the registers
allow, and to multiply all rows of the left one by it. And only a compiled product can have an
epilogue, and leaves no threads behind that wait for the next one by spinning.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from wengert.engines.native.frontend.arrays import Source
from wengert.engines.native.runtime.processor import (
    most_vectors,
    rows_at_once,
    sums_at_once,
    vector_bytes,
)
from wengert.values.open_size import OpenSize, is_open, of_both

PANEL: Final = 1 << 16  # bytes of a panel that stays in the cache
LEFT: Final = 1 << 16  # bytes that a left matrix spans, from which on it is packed
NEAR: Final = 1 << 9  # rows of a turned left matrix of which a few columns stay in the cache
SHALLOW: Final = 128  # a short inner axis
STRIP: Final = 1 << 19  # bytes of a strip of the result
ROWS: Final = 1 << 16  # elements of a strip of the left matrix
SPAN: Final = 1 << 8  # elements of its rows that are used until the next ones are
TINY: Final = 1 << 10  # elements of a right matrix
WORTH: Final = 1 << 15  # multiplications from which on compiling pays
MOST: Final = 1 << 32  # multiplications, beyond which both matrices are cut up, which a BLAS does


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
    inlines: bool = False  # whether the functions of the plan that it calls become parts of it


def is_compiled(form: Form, count: int) -> bool:
    """Whether so many products of a form are compiled rather than left to BLAS."""
    each = form.m * form.n * form.k
    return (
        is_tiny(form)
        or has_vector(form)
        or (
            2 * form.n * int(form.kind[1]) >= vector_bytes()
            and form.m >= sums_at_once()
            and count * each >= WORTH
            and each <= MOST
        )
    )


def has_vector(form: Form) -> bool:
    """Whether one of the matrices is a vector without gaps.

    What other calls may bring in other sizes is the number of vectors that lie along memory.
    """
    is_column = form.n == 1 and form.ldc == 1 and (form.turned_b or form.ldb == 1)
    is_row = form.m == 1 and (not form.turned_a or form.lda == 1)
    return (
        (is_column or (is_row and form.n > 1))
        and form.m * form.n * form.k <= MOST
        and not is_open((form.lda, form.ldb, _along_memory(form, is_column)))
        and form.left is None
        and form.right is None
    )


def _along_memory(form: Form, is_column: bool) -> int:
    """The size of a matrix times a vector along memory."""
    if is_column:
        return form.m if form.turned_a else form.k
    return form.k if form.turned_b else form.n


def is_tiny(form: Form) -> bool:
    """Whether a call of BLAS would take longer than the product: about 200 ns."""
    return form.m <= sums_at_once() and form.n * form.k <= TINY


def vectors_of(form: Form) -> int:
    """The vectors of a panel: as many as there are registers for, unless too few columns are left over.

    The wider a panel, the fewer rows has a block: fewer numbers of the left matrix are read for as
    many sums, and these rows, often a power of two apart, find room in a cache.
    """
    most = most_vectors()
    needed = -(-form.n // (vector_bytes() // int(form.kind[1])))
    if type(form.n) is OpenSize:
        return most if needed > 2 else 2
    return most if needed > 2 * most or needed % most in (0, most - 1) else 2


def rows_of(form: Form) -> int:
    """The rows of a block, whose sums fill the registers that the panel's vectors leave free."""
    return rows_at_once(vectors_of(form))


def blocks_of(form: Form) -> int:
    """The number of blocks of rows."""
    return -(-form.m // rows_of(form))


def pieces(form: Form) -> int:
    """The number of pieces of the inner axis, whose lengths differ by at most one."""
    most = PANEL // (vectors_of(form) * vector_bytes()) // (1 + packs_left(form))
    return 1 if form.k <= most else of_both(lambda k: -(-k // most), form.k)


def depth(form: Form) -> int:
    """The length of the longest piece of the inner axis."""
    count = pieces(form)
    return form.k if count == 1 else of_both(lambda k, n: -(-k // n), form.k, count)


def strips(form: Form) -> int:
    """The number of strips of rows into which a product is cut.

    Each goes along all panels of the right matrix: the rows of the left one should stay in the L2
    cache meanwhile, and the pages of a large result of a short inner axis should be known still.
    """
    if form.m < form.n or has_vector(form):
        return 1
    if form.k > SHALLOW:
        return max(form.m * min(form.k, SPAN) // ROWS, 1)
    return max(min(form.m * form.n * int(form.kind[1]) // STRIP, form.m // (8 * rows_of(form))), 1)


def may_pack_left(form: Form) -> bool:
    """Whether the left matrix may be packed, because what is read together is far apart in memory."""
    far = form.turned_a and form.k * form.lda * int(form.kind[1]) > LEFT
    return far and not has_vector(form)


def packs_left(form: Form) -> bool:
    """Whether it is: always if it is computed meanwhile, otherwise if a cache does not hold what is read."""
    if form.left is None and _is_one_panel(form) and form.k <= NEAR:
        return False
    return may_pack_left(form)


def _is_one_panel(form: Form) -> bool:
    """Whether a panel has all columns, so that each number of the left matrix is read once."""
    lanes = vectors_of(form) * vector_bytes() // int(form.kind[1])
    return type(form.n) is not OpenSize and form.n <= lanes


def left_size(form: Form) -> int:
    """The elements of a part of the packed left matrix, padding included."""
    rows = form.m if form.m < form.n else -(-form.m // form.splits) + rows_of(form)
    return rows * (depth(form) + vector_bytes() // int(form.kind[1]))


def accumulates(form: Form) -> bool:
    """Whether sums are accumulated in the result, which then must be in memory."""
    return form.onto or depth(form) < form.k
