"""LLVM IR for memory: loads, stores, gathers and scatters of vectors, with masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wengert.engines.native.codegen.vectors import Body, llvm_type, memory_type
from wengert.values.open_size import OpenSize

NEAR: Final = 4  # the distance of elements up to which all between them are loaded


class Access:
    """Emits loads and stores of array elements into a function."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def element(self, pointer: str, kind: str, at: str) -> str:
        if at == "0":
            return pointer
        return self.body.set(f"getelementptr {memory_type(kind, 1)}, ptr {pointer}, i64 {at}")

    def read(self, start: str, kind: str, at: str, width: int, mask: str | None) -> str:
        body = self.body
        place = self.element(start, kind, at)
        memory = memory_type(kind, width)
        align = int(kind[1])
        if mask is None or width == 1:
            found = body.set(f"load {memory}, ptr {place}, align {align}")
        else:
            name = _masked("load", kind, width)
            body.declarations.add(f"declare {memory} {name}(ptr, i32, <{width} x i1>, {memory})")
            found = body.set(f"call {memory} {name}(ptr {place}, i32 {align}, <{width} x i1> {mask}, {memory} zeroinitializer)")  # fmt: skip
        return self._truth(found, kind, width)

    def _truth(self, found: str, kind: str, width: int) -> str:
        if kind != "b1":
            return found
        memory = memory_type(kind, width)
        zero = "0" if width == 1 else "zeroinitializer"
        return self.body.set(f"icmp ne {memory} {found}, {zero}")

    def gathered(
        self,
        start: str,
        kind: str,
        at: str,
        stride: int,
        width: int,
        mask: str | None,
        column: int = 0,
    ) -> str:
        """Load strided elements: of a table with as many columns, the elements of one."""
        place = self.element(start, kind, at)
        if mask is None and type(stride) is int and 1 < stride <= NEAR and kind != "b1":
            return self._picked_out(place, kind, stride, width, column)
        place = self.element(place, kind, str(column))
        return self.at_places(self.places_from(place, kind, stride, width), kind, width, mask)

    def _picked_out(self, place: str, kind: str, stride: int, width: int, column: int) -> str:
        """The same of elements near each other: whole vectors are loaded, the last one ends with the last element.

        Columns of a table, from the second one on, are loaded alike: LLVM sees that it is done once for all.
        """
        body, memory, found = self.body, memory_type(kind, width), ""
        last = (stride - 1) * (width - 1) if not column else (stride - 1) * width
        for begin in [min(k * width, last) for k in range(stride)]:
            loaded = self.read(place, kind, str(begin), width, None)
            wanted = [column + stride * k - begin for k in range(width)]
            there = [width + at if 0 <= at < width else k for k, at in enumerate(wanted)]
            chosen = ", ".join(f"i32 {k}" for k in there)
            found = body.set(f"shufflevector {memory} {found or loaded}, {memory} {loaded}, <{width} x i32> <{chosen}>")  # fmt: skip
        return found

    def at_places(self, places: str, kind: str, width: int, mask: str | None) -> str:
        body = self.body
        memory = memory_type(kind, width)
        name = f"@llvm.masked.gather.{memory_mangled(kind, width)}.v{width}p0"
        body.declarations.add(
            f"declare {memory} {name}(<{width} x ptr>, i32, <{width} x i1>, {memory})"
        )
        chosen = mask or "splat (i1 true)"
        found = body.set(f"call {memory} {name}(<{width} x ptr> {places}, i32 {kind[1]}, <{width} x i1> {chosen}, {memory} zeroinitializer)")  # fmt: skip
        return self._truth(found, kind, width)

    def store(
        self, start: str, kind: str, at: str, value: str, mask: str | None, width: int
    ) -> None:
        place = self.element(start, kind, at)
        store_at(self.body, kind, place, value, width, None if width == 1 else mask)

    def scatter(
        self, place: str, kind: str, stride: int, value: str, mask: str | None, width: int
    ) -> None:
        body = self.body
        memory = memory_type(kind, width)
        if kind == "b1":
            value = body.set(f"zext {llvm_type(kind, width)} {value} to {memory}")
        places = self.places_from(place, kind, stride, width)
        name = f"@llvm.masked.scatter.{memory_mangled(kind, width)}.v{width}p0"
        body.declarations.add(
            f"declare void {name}({memory}, <{width} x ptr>, i32, <{width} x i1>)"
        )
        chosen = mask or "splat (i1 true)"
        body.do(f"call void {name}({memory} {value}, <{width} x ptr> {places}, i32 {kind[1]}, <{width} x i1> {chosen})")  # fmt: skip

    def store_side_by_side(
        self, place: str, kind: str, values: Sequence[str], mask: str | None, width: int
    ) -> None:
        """Store vectors so that elements with the same index are neighbours."""
        many = len(values)
        if mask is not None:
            for k, value in enumerate(values):
                self.scatter(self.element(place, kind, str(k)), kind, many, value, mask, width)
            return
        halves = [self._joined(values[:2], kind, width), self._joined(values[2:], kind, width)]
        order = ", ".join(f"i32 {k % many * width + k // many}" for k in range(many * width))
        pair = memory_type(kind, 2 * width)
        both = self.body.set(f"shufflevector {pair} {halves[0]}, {pair} {halves[1]}, <{many * width} x i32> <{order}>")  # fmt: skip
        store_at(self.body, kind, place, both, many * width, None)

    def _joined(self, values: Sequence[str], kind: str, width: int) -> str:
        """One or two vectors one after the other."""
        if not values:
            return "poison"
        memory = memory_type(kind, width)
        both = f"{memory} {values[0]}, {memory} {values[1] if values[1:] else 'poison'}"
        order = ", ".join(f"i32 {k}" for k in range(2 * width))
        return self.body.set(f"shufflevector {both}, <{2 * width} x i32> <{order}>")

    def places_from(self, place: str, kind: str, stride: int, width: int) -> str:
        scalar, steps = memory_type(kind, 1), multiples(self.body, stride, "i8", width)
        return self.body.set(f"getelementptr {scalar}, ptr {place}, <{width} x i64> {steps}")


def store_at(body: Body, kind: str, place: str, value: str, width: int, mask: str | None) -> None:
    """Store adjacent elements, those that the mask takes."""
    memory = memory_type(kind, width)
    if kind == "b1":
        value = body.set(f"zext {llvm_type(kind, width)} {value} to {memory}")
    if mask is None:
        body.do(f"store {memory} {value}, ptr {place}, align {kind[1]}")
    elif (lane := only_lane(mask)) is not None:
        store_lane(body, kind, place, value, width, lane)
    else:
        name, truth = _masked("store", kind, width), f"<{width} x i1>"
        body.declarations.add(f"declare void {name}({memory}, ptr, i32, {truth})")
        body.do(f"call void {name}({memory} {value}, ptr {place}, i32 {kind[1]}, {truth} {mask})")


def only_lane(mask: str) -> int | None:
    """The place of the only element of a mask that is written out, if it has one."""
    if not mask.startswith("<") or mask.count("true") != 1:
        return None
    return mask[: mask.index("true")].count("i1") - 1


def store_lane(body: Body, kind: str, place: str, value: str, width: int, lane: int) -> None:
    """Store one element of a vector.

    A masked store of one element is not used: LLVM makes a single store of it, which is as wide as the
    number was before it was truncated, and so writes past the end.
    """
    scalar = memory_type(kind, 1)
    one = body.set(f"extractelement {memory_type(kind, width)} {value}, i32 {lane}")
    if lane:
        place = body.set(f"getelementptr {scalar}, ptr {place}, i64 {lane}")
    body.do(f"store {scalar} {one}, ptr {place}, align {kind[1]}")


def memory_mangled(kind: str, width: int) -> str:
    scalar = memory_type(kind, 1)
    return f"v{width}{ {'float': 'f32', 'double': 'f64'}.get(scalar, scalar) }"


def _masked(what: str, kind: str, width: int) -> str:
    """The name of an intrinsic for masked memory access.

    The alignment is a separate operand, as LLVM 20 and 21 want it; LLVM 22, where it is an
    attribute of the pointer, accepts both forms.
    """
    return f"@llvm.masked.{what}.{memory_mangled(kind, width)}.p0"


def add_terms(body: Body, constant: int, terms: Sequence[tuple[str, int]]) -> str:
    """constant + sum(name * factor), as a name or a literal."""
    total: str | None = None
    for name, factor in terms:
        if name == "0" or factor == 0:
            continue
        if name.lstrip("-").isdigit():
            constant += int(name) * factor
            continue
        term = name if factor == 1 else body.set(f"mul i64 {name}, {factor}")
        total = term if total is None else body.set(f"add i64 {total}, {term}")
    if total is None:
        return str(constant)
    return body.set(f"add i64 {total}, {constant}") if constant else total


def multiples(body: Body, step: int, kind: str, width: int) -> str:
    """0, step, 2 step, ... as the elements of a vector."""
    scalar = llvm_type(kind, 1)
    if type(step) is not OpenSize:
        return f"<{', '.join(f'{scalar} {k * step}' for k in range(width))}>"
    name = str(step) if kind == "i8" else body.set(f"trunc i64 {step} to {scalar}")
    counted = multiples(body, 1, kind, width)
    return body.set(f"mul {llvm_type(kind, width)} {splat(body, name, kind, width)}, {counted}")


def first(body: Body, count: str, begin: int, width: int) -> str:
    """The mask of the elements of a vector, from the `begin`-th one of several on, that are among the first so many."""
    if count.isdecimal():
        inside = (str(begin + k < int(count)).lower() for k in range(width))
        return f"<{', '.join(f'i1 {bit}' for bit in inside)}>"
    few = splat(body, body.set(f"trunc i64 {count} to i32"), "i4", width)
    places = ", ".join(f"i32 {begin + k}" for k in range(width))
    return body.set(f"icmp ult <{width} x i32> <{places}>, {few}")


def splat(body: Body, name: str, kind: str, width: int) -> str:
    """Broadcast a scalar to a vector."""
    return spread(body, llvm_type(kind, 1), name, width)


def spread(body: Body, scalar: str, name: str, width: int) -> str:
    """The same of a scalar of a type of LLVM's."""
    if width == 1:
        return name
    kinds = f"<{width} x {scalar}>"
    one = body.set(f"insertelement {kinds} poison, {scalar} {name}, i32 0")
    return body.set(f"shufflevector {kinds} {one}, {kinds} poison, <{width} x i32> zeroinitializer")
