"""Products of matrices that are machine code of the plan, and which those are.

OpenBLAS is made for large matrices: it copies both of them into an order of its own first, and sets the
result to zero. For 128 x 128 x 64 that is a third of the time. Up to some size it is faster, or
as fast, to copy only a panel of the right matrix, as wide as the registers allow, and to let all rows of
the left one go along it; and only so can a product do more than multiply.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from wengert.engines.native.frontend.arrays import Source
from wengert.engines.native.runtime.processor import sums_at_once, vector_bytes

VECTORS: Final = 2  # of a panel
PANEL: Final = 1 << 15  # bytes of a panel that stays in the nearest cache
LEFT: Final = 1 << 16  # bytes that a left matrix stretches over, from which on it is copied
RIGHT: Final = 1 << 21  # bytes of a right matrix, beyond which OpenBLAS is better
SHALLOW: Final = 128  # an inner axis that is soon done with
STRIP: Final = 1 << 19  # bytes of a strip
UNROLLED: Final = 2
WORTH: Final = 1 << 15  # multiplications, from which on it is worth compiling something


class Form(NamedTuple):
    """A product: c = factor a b, or c + factor a b, and into how many parts it is cut."""

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
    left: Source | None = None  # how the elements of a and b are computed from what is read
    right: Source | None = None


class Function(NamedTuple):
    """Lines of a function of one part, what they declare, and what of `mathematics` they call."""

    text: str
    declarations: frozenset[str]
    calls: tuple[tuple[str, str, int], ...]


def is_small(form: Form, count: int) -> bool:
    """Whether this is the better way for so many products of a form."""
    return (
        form.n * int(form.kind[1]) >= vector_bytes()
        and form.m >= 2 * rows_at_once()
        and form.n * form.k * int(form.kind[1]) <= RIGHT
        and (depth(form) == form.k or not form.turned_b)
        and count * form.m * form.n * form.k >= WORTH
    )


def blocks_of(form: Form) -> int:
    """How many blocks of rows there are."""
    return -(-form.m // rows_at_once())


def depth(form: Form) -> int:
    """How much of the inner axis is a piece."""
    most = PANEL // (VECTORS * vector_bytes()) // (1 + packs_left(form))
    pieces = -(-form.k // most)
    return form.k if pieces == 1 else -(-form.k // pieces // UNROLLED) * UNROLLED


def strips(form: Form) -> int:
    """Into how many strips of rows a large result is cut that there is little to compute for.

    The result is written a panel after the other: its pages should not be far away by the next one.
    """
    if form.k > SHALLOW or form.m < form.n:
        return 1
    return max(min(form.m * form.n * int(form.kind[1]) // STRIP, form.m // (8 * rows_at_once())), 1)


def packs_left(form: Form) -> bool:
    """Whether the left matrix is copied, because what is read together lies far apart."""
    return form.turned_a and form.k * form.lda * int(form.kind[1]) > LEFT


def left_size(form: Form) -> int:
    """Elements of a part of the left matrix, and what is written beyond them."""
    rows = form.m if form.m < form.n else -(-form.m // form.splits) + rows_at_once()
    return rows * (depth(form) + vector_bytes() // int(form.kind[1]))


def rows_at_once() -> int:
    """How many rows meet a panel together: what registers there are beside the panel's own."""
    return sums_at_once() // VECTORS


def accumulates(form: Form) -> bool:
    """Whether sums are kept in the result, so that it must be in memory."""
    return form.onto or depth(form) < form.k
