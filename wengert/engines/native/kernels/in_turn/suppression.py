"""Non-maximum suppression: the best boxes are kept one after the other, and what overlaps them is not.

The best of those that are left is found by the largest score of each block of them. Corners and areas
of boxes that are kept lie side by side, so that a box is compared with several of them at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.combine import across, combine
from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import literal, llvm_type
from wengert.engines.native.frontend.scalar import constant
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.kernels.reductions import function
from wengert.engines.native.runtime.processor import vector_bytes

BLOCK: Final = 64  # boxes
NOTHING: Final = literal("f8", constant("f8", -np.inf), 1)  # the score of a box that is not left


def suppress(
    boxes: Any, scores: Any, limit: int, most: float, least: float, sigma: float
) -> tuple[Any, Any, Any] | None:
    """For each row of scores which boxes are kept, their scores, and how many there are.

    The boxes are (sets, count, 4), with as many rows of scores to each set; or a matrix of overlaps.
    """
    kind, (rows, count) = kind_of(boxes), scores.shape
    limit = min(limit, count)
    if not kind or rows * limit <= 0 or scores.dtype.kind != "f":
        return None
    by_area = boxes.ndim == 3
    left = np.where(scores > least, scores, -np.inf).astype(np.float64)
    places, found = np.zeros((rows, limit), np.int64), np.zeros((rows, limit))
    counts, limits = np.zeros(rows, np.int64), np.array([least], np.float64)
    bounds = np.array([most, -0.5 / sigma if sigma else 0.0], boxes.dtype)
    numbers = (count, limit, rows // len(boxes) if by_area else 1)
    suppressed = _suppress(kind, by_area, sigma > 0)
    suppressed(rows, numbers, boxes, left, places, found, counts, bounds, limits)
    return places, found, counts


@kernel
def _suppress(kind: str, by_area: bool, is_soft: bool) -> str:
    return _Suppression(kind, by_area, is_soft).text()


class _Suppression(KernelWriter):
    """The kernel: a part is a row of scores."""

    def __init__(self, kind: str, by_area: bool, is_soft: bool) -> None:
        super().__init__(7, 3)
        self.kind, self.width = kind, vector_bytes() // int(kind[1])
        self.type, self.types = llvm_type(kind, 1), llvm_type(kind, self.width)
        boxes, left, places, found, counts, bounds, limits = self.arrays
        self.count, self.limit, groups = self.numbers
        self.bound, self.factor = (self.read(kind, bounds, k, 1) for k in range(2))
        self.lowest = self.read("f8", limits, 0, 1)
        self.left = self.place("f8", left, self.mul("%part", self.count))
        self.places = self.place("i8", places, self.mul("%part", self.limit))
        self.found = self.place("f8", found, self.mul("%part", self.limit))
        size = self.mul(self.count, 4 if by_area else 0)
        self.boxes = self.place(kind, boxes, self.mul(self.div("%part", groups)[0], size))
        self.blocks = self.add(self.div(self.sub(self.count, 1), BLOCK)[0], 1)
        self.tops = self.room("f8", self.blocks)
        self.loop(0, self.blocks, 1, lambda b, _: self._refresh(b))
        # Of the boxes that are kept the low and high corners and the areas: zero behind the last one.
        room = self.add(self.limit, self.width)
        self.kept = [self._zeros(kind, room) for _ in range(5)] if by_area else []
        self.seen = self._zeros("i8", self.count) if is_soft else ""
        step = self._weakened if is_soft else self._tested
        start = list(zip(("i64", "double", "i64"), ("0", *self._best()), strict=True))
        number, *_ = self.as_long_as(self._goes_on, lambda now: [step(*now), *self._best()], start)
        self.write("i8", counts, "%part", number, 1)

    def _zeros(self, kind: str, count: str) -> str:
        array, zero = self.room(kind, count), "0" if kind == "i8" else "0.0"
        self.loop(0, count, 1, lambda k, _: self.write(kind, array, k, zero, 1))
        return array

    def _goes_on(self, now: list[str]) -> str:
        number, score, _ = now
        some = self.set(f"fcmp ogt double {score}, {NOTHING}")
        return self.set(f"and i1 {some}, {self.set(f'icmp slt i64 {number}, {self.limit}')}")

    # ---- the best that is left --------------------------------------------------------------------

    def _best(self) -> list[str]:
        """The largest score that is left, and the first box that has it."""
        _, block = self._top(self.tops, "0", self.blocks)
        return self._top(self.left, *self._range(block))

    def _range(self, block: str) -> tuple[str, str]:
        begin = self.mul(block, BLOCK)
        return begin, self.least(self.add(begin, BLOCK), self.count)

    def _top(self, array: str, begin: str, end: str) -> list[str]:
        """The largest number of a range, and where it is first."""

        def one(k: str, now: list[str]) -> list[str]:
            value = self.read("f8", array, k, 1)
            better = self.set(f"fcmp ogt double {value}, {now[0]}")
            pairs = (("double", value, now[0]), ("i64", k, now[1]))
            return [self.set(f"select i1 {better}, {t} {a}, {t} {b}") for t, a, b in pairs]

        return self.loop(begin, end, 1, one, [("double", NOTHING), ("i64", begin)])

    def _refresh(self, block: str) -> None:
        """Enter the largest score of a block."""
        self.write("f8", self.tops, block, self._top(self.left, *self._range(block))[0], 1)

    def _change(self, box: str, score: str) -> None:
        """Give a box another score."""
        self.write("f8", self.left, box, score, 1)
        self._refresh(self.div(box, BLOCK)[0])

    # ---- one box ----------------------------------------------------------------------------------

    def _tested(self, number: str, score: str, box: str) -> str:
        """Keep a box unless it overlaps one that is kept; how many are kept then."""
        own = self._corners(box)

        def goes_on(now: list[str]) -> str:
            more = self.set(f"icmp slt i64 {now[0]}, {number}")
            return self.set(f"and i1 {more}, {self.set(f'xor i1 {now[1]}, true')}")

        def compare(now: list[str]) -> list[str]:
            shared, width = self._overlaps(box, own, now[0])
            bounds = self.spread(self.type, self.bound, width)
            over = self.set(f"fcmp ogt {llvm_type(self.kind, width)} {shared}, {bounds}")
            if width > 1:
                bits = self.set(f"bitcast <{width} x i1> {over} to i{width}")
                over = self.set(f"icmp ne i{width} {bits}, 0")
            return [self.add(now[0], width), over]

        _, over = self.as_long_as(goes_on, compare, [("i64", "0"), ("i1", "false")])
        self._change(box, NOTHING)
        is_free = self.set(f"xor i1 {over}, true")
        keep = lambda: [self._keep(number, score, box, own)]  # noqa: E731
        return self.when(is_free, keep, [("i64", number)])[0]

    def _weakened(self, number: str, score: str, box: str) -> str:
        """Keep a box whose score stays as it is, else lower that by what overlaps; how many are kept then."""
        own, seen = self._corners(box), self.read("i8", self.seen, box, 1)

        def compare(j: str, now: list[str]) -> list[str]:
            shared, width = self._overlaps(box, own, j)
            square = self.set(f"fmul {self.types} {shared}, {shared}")
            factors = self.spread(self.type, self.factor, width)
            power = self.set(f"fmul {self.types} {square}, {factors}")
            power = function(self, "exp", self.kind, power, width)
            return [self.set(f"fmul {self.types} {now[0]}, {power}")]

        ones = literal(self.kind, constant(self.kind, 1), self.width)
        (powers,) = self.loop(seen, number, self.width, compare, [(self.types, ones)])
        factor = across(self, "prod", self.kind, powers, self.width)
        if self.kind == "f4":
            factor = self.set(f"fpext float {factor} to double")
        lower = self.set(f"fmul double {score}, {factor}")
        is_free = self.set(f"fcmp oeq double {lower}, {score}")
        is_left = self.set(f"fcmp ogt double {lower}, {self.lowest}")
        stays = self.set(f"and i1 {is_left}, {self.set(f'xor i1 {is_free}, true')}")
        self.write("i8", self.seen, box, number, 1)
        self._change(box, self.set(f"select i1 {stays}, double {lower}, double {NOTHING}"))
        keep = lambda: [self._keep(number, score, box, own)]  # noqa: E731
        return self.when(is_free, keep, [("i64", number)])[0]

    def _keep(self, number: str, score: str, box: str, own: Sequence[str]) -> str:
        self.write("i8", self.places, number, box, 1)
        self.write("f8", self.found, number, score, 1)
        for array, value in zip(self.kept, own, strict=True):
            self.write(self.kind, array, number, value, 1)
        return self.add(number, 1)

    # ---- overlaps ---------------------------------------------------------------------------------

    def _corners(self, box: str) -> list[str]:
        """The low and the high corner of a box, and its area; nothing, given a matrix."""
        if not self.kept:
            return []
        place = self.place(self.kind, self.boxes, self.mul(box, 4))
        ends = [self.read(self.kind, place, k, 1) for k in range(4)]
        low, high = (
            [combine(self, how, self.kind, ends[k], ends[k + 2], 1) for k in range(2)]
            for how in ("min", "max")
        )
        sides = [self.set(f"fsub {self.type} {b}, {a}") for a, b in zip(low, high, strict=True)]
        return [*low, *high, self.set(f"fmul {self.type} {sides[0]}, {sides[1]}")]

    def _overlaps(self, box: str, own: Sequence[str], j: str) -> tuple[str, int]:
        """The overlaps of a box with some that are kept, from one on, and with how many."""
        if not own:
            other = self.read("i8", self.places, j, 1)
            at = self.add(self.mul(box, self.count), other)
            return self.read(self.kind, self.boxes, at, 1), 1
        mine = [self.spread(self.type, x, self.width) for x in own]
        theirs = [self.read(self.kind, array, j, self.width) for array in self.kept]
        return self._by_areas(mine, theirs), self.width

    def _by_areas(self, mine: Sequence[str], theirs: Sequence[str]) -> str:
        """The intersection over the union. Where a corner is NaN, so are the area and the result."""
        sides = []
        for k in range(2):
            end = self._chosen("olt", mine[k + 2], theirs[k + 2])
            begin = self._chosen("ogt", mine[k], theirs[k])
            side = self.set(f"fsub {self.types} {end}, {begin}")
            sides.append(self._chosen("olt", side, "zeroinitializer", other=True))
        both = self.set(f"fmul {self.types} {sides[0]}, {sides[1]}")
        sum_ = self.set(f"fadd {self.types} {mine[4]}, {theirs[4]}")
        union = self.set(f"fsub {self.types} {sum_}, {both}")
        share = self.set(f"fdiv {self.types} {both}, {union}")
        truth = llvm_type("b1", self.width)
        flat = [self.set(f"fcmp ole {self.types} {x[4]}, zeroinitializer") for x in (mine, theirs)]
        either = self.set(f"or {truth} {flat[0]}, {flat[1]}")
        return self.set(
            f"select {truth} {either}, {self.types} zeroinitializer, {self.types} {share}"
        )

    def _chosen(self, word: str, a: str, b: str, other: bool = False) -> str:
        """The first one where the comparison is true, else the second one; or the other way round."""
        truth = llvm_type("b1", self.width)
        true = self.set(f"fcmp {word} {self.types} {a}, {b}")
        first, second = (b, a) if other else (a, b)
        return self.set(f"select {truth} {true}, {self.types} {first}, {self.types} {second}")
