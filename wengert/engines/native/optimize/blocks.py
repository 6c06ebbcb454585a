"""Large intermediate arrays that are never there as a whole: computed a block of rows at a time.

A network treats the rows of its batch alike, forth and back, and the gradient of a weight is a sum
over them. So a loop takes a block of rows through all layers and back again, and adds what the block
contributes to the sums; only one block needs memory for what lies between. The same holds for the
heads and the rows of attention. What is left over is a block of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from wengert.engines.native.frontend.arrays import Product, View
from wengert.engines.native.optimize.aliases import in_order, resolved
from wengert.engines.native.optimize.cuts import Cut, axis_of, cuts
from wengert.engines.native.optimize.region import Reading, Region

LEAST: Final = 1 << 25  # bytes of intermediate arrays that are worth a loop
BLOCK: Final = 1 << 22  # bytes of what a block is meant to need
LOOPS: Final = 8  # at most, one after the other


def in_blocks(items: list[Any], wanted: Sequence[View]) -> list[Any]:
    """The items; where large arrays lie between some of them, a loop over blocks instead of these."""
    for _ in range(LOOPS):
        if sum(item.bytes for item in items if type(item) is Product) < LEAST:
            break
        found = _worthwhile(Reading(in_order(items), wanted))
        if found is None:
            break
        region, size = found
        items = in_order(resolved(region.replaced(size), wanted))
    return items


def _worthwhile(reading: Reading) -> tuple[Region, int] | None:
    """Items that a loop over blocks may compute, and the size of a block in its units."""
    products = [p for p in reading.items if type(p) is Product and p.bytes >= LEAST // 16]
    tried: set[Any] = set()
    for seed in sorted(products, key=lambda p: -p.bytes):
        if seed in tried:
            continue
        best: tuple[int, Region, int] | None = None
        for cut in cuts(seed):
            if cut.adds:
                continue
            few = Region(reading, seed, cut, _smallest_factor(_rows(seed, cut)))
            tried |= few.connected.keys()
            for most, region, size in _divided(few):
                if best is None or most < best[0] // 2:  # rather by the first axis
                    best = most, region, size
        if best is not None:
            return best[1:]
    return None


def _divided(few: Region) -> Iterator[tuple[int, Region, int]]:
    """A region that pays, made of smaller blocks: the bytes that it needs, and the size of a block."""
    need = few.between()
    division = few.division(-(-need // BLOCK)) if need >= LEAST else None
    if division is None:
        return
    units, size = division
    region = Region(few.reading, few.seed, few.cut, units)
    if need - region.between() < need // 8 and region.pays(units // size):
        yield region.most(units // size), region, size


def _rows(item: Product, cut: Cut) -> int:
    """How many there are along the axis by which a product is divided."""
    assert cut.span is not None
    axis = axis_of(item.written, cut.span)
    assert axis is not None
    return item.written.shape[axis]


def _smallest_factor(number: int) -> int:
    return next((d for d in range(2, math.isqrt(number) + 1) if number % d == 0), number)
