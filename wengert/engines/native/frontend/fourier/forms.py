"""How a Fourier transform is cut into passes, and the powers of the root of unity that they multiply by.

A pass combines transforms of `span` points into ones of `radix` times as many. Each of them reads the
elements of its transforms with the same stride, and writes its results in order (Stockham's form), so
nothing is ever permuted.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.engines.native.frontend.arrays import Known
from wengert.engines.native.frontend.scalar import dtype_of
from wengert.engines.native.runtime.processor import is_arm, vector_bytes

PRIMES: Final = (3, 5, 7, 11, 13, 17)  # odd radices that are worth a pass
BLOCK: Final = 1 << 17  # bytes of the columns that are transformed at once
RUN: Final = 1 << 8  # bytes of a row that are worth going to: rows may be on pages of their own


# What is transformed: complex numbers; twice as many real numbers, whose elements of even and of odd index
# are the parts of complex ones; or two rows of real numbers, which are the parts.
COMPLEX: Final = "complex"
FROM_REAL, TO_REAL = "from real", "to real"
FROM_ROWS, TO_ROWS = "from rows", "to rows"


class Form(NamedTuple):
    """Transforms along the middle one of three axes, forward, of numbers in two planes."""

    kind: str
    outer: int
    size: int  # of the complex transform
    inner: int
    radices: tuple[int, ...]
    columns: int  # of the inner axis that are transformed at once
    ends: str  # what is read and written: see above
    scale: float
    each: int  # of the items for a part; an item is some columns of a row of the outer axis
    parts: int

    @property
    def lanes(self) -> int:
        return vector_bytes() // int(self.kind[1])

    @property
    def is_wide(self) -> bool:
        """Whether a vector is of columns; otherwise it goes on from one element to the next."""
        return self.inner >= self.lanes

    @property
    def blocks(self) -> int:
        """The number of blocks of columns."""
        return -(-self.inner // self.columns)

    @property
    def items(self) -> int:
        """What parts share: rows of the outer axis, or pairs of them, by blocks of columns."""
        pairs = self.ends in (FROM_ROWS, TO_ROWS)
        return (-(-self.outer // 2) if pairs else self.outer) * self.blocks


class Pass(NamedTuple):
    """One pass: transforms of `span` points become ones of `radix` times as many."""

    radix: int
    span: int
    many: int  # of the larger transforms
    width: int  # of its vectors
    factors: int  # where its factors begin in the table


def radices_of(size: int) -> tuple[int, ...] | None:
    """The radices of the passes; None if there is a large prime factor.

    Powers of two come first: then the elements of small transforms fill vectors.
    """
    twos = (size & -size).bit_length() - 1
    left, odd = size >> twos, []
    for prime in PRIMES:
        while left % prime == 0:
            odd.append(prime)
            left //= prime
    if left > 1:
        return None
    return (*_twos(twos), *reversed(odd)) or (1,)


def _twos(count: int) -> list[int]:
    """A power of two in radices of 4, and of 8 where there are registers for it."""
    if count < 2:
        return [2] * count
    if not (is_arm() or vector_bytes() == 64) or count in (4, 6):
        return [8, *[4] * (count // 2 - 1)] if count % 2 else [4] * (count // 2)
    fours = -count % 3
    return [8] * ((count - 2 * fours) // 3) + [4] * fours


def columns_of(kind: str, size: int, inner: int) -> int:
    """The number of columns at once: what they need should stay in the second cache."""
    lanes, room = vector_bytes() // int(kind[1]), BLOCK // (4 * size)
    if inner < lanes:
        return inner
    return min(inner, max(room, RUN) // vector_bytes() * lanes)


def passes_of(form: Form) -> list[Pass]:
    """The passes, from transforms of single points on."""
    found, span, at = [], 1, 0
    for radix in form.radices:
        many = form.size // span // radix
        width = form.lanes
        if not form.is_wide:
            width = 1 << (min(width, many * span * form.inner).bit_length() - 1)
        found.append(Pass(radix, span, many, width, at))
        at += len(_factors(form, found[-1]))
        span *= radix
    return found


def table_of(form: Form) -> Known:
    """The factors of all passes, and for real numbers the roots of unity of their number."""
    known = form._replace(outer=1, scale=1.0, columns=1, each=1, parts=1)
    return _known(known if not form.is_wide else known._replace(inner=form.lanes))


@functools.lru_cache(maxsize=32)
def _known(form: Form) -> Known:
    tables = [_factors(form, each) for each in passes_of(form)]
    if form.ends in (FROM_REAL, TO_REAL):
        tables.append(np.stack(_roots(np.arange(form.size // 2 + 1), 2 * form.size)).ravel())
    flat = np.concatenate([*tables, np.zeros(1)]).astype(dtype_of(form.kind))
    return Known(flat.shape, form.kind, flat)


def roots_at(form: Form) -> int:
    """Where the table has the roots of unity for real numbers."""
    last = passes_of(form)
    return last[-1].factors + len(_factors(form, last[-1])) if last else 0


def _factors(form: Form, one: Pass) -> Any:
    """The factors of a pass: for vectors of columns in the order of their use, otherwise as rows."""
    if one.span == 1:
        return np.zeros(0)
    powers = np.arange(1, one.radix)[:, None] * np.arange(one.span)
    parts = np.stack(_roots(powers, one.radix * one.span), axis=1)
    if form.is_wide:
        return parts.transpose(2, 0, 1).ravel()
    rows = np.repeat(parts, form.inner, axis=2)
    if rows.shape[2] < one.width:
        rows = rows[..., np.arange(one.width) % rows.shape[2]]
    return rows.ravel()


def _roots(powers: Any, size: int) -> Sequence[Any]:
    """The real and imaginary parts of exp(-2 pi i powers / size), each rounded once.

    Angles are turned into the first octant, where sine and cosine are the most accurate.
    """
    turn = 8 * (powers % size)
    octant, rest = np.divmod(turn, size)
    back = octant % 2 == 1
    angle = np.where(back, size - rest, rest) * (np.pi / (4 * size))
    a, b = np.cos(angle), np.sin(angle)
    turned = (octant + 1) // 2 % 2 == 1  # nearer to the other axis
    x, y = np.where(turned, b, a), np.where(turned, a, b)
    x = np.where((octant >= 2) & (octant < 6), -x, x)
    return x, np.where(octant < 4, -y, y)
