"""Each element from the one before it: cumulative sums and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.vectors import literal, llvm_type, power_within
from wengert.engines.native.frontend.scalar import Code, constant
from wengert.engines.native.runtime.processor import vector_bytes


class Scan(NamedTuple):
    """A scan along the middle one of three axes."""

    outer: int
    length: int
    inner: int
    kinds: tuple[str, ...]  # of the operands; the result is of the last one's
    begin: Any  # what is before the first element
    lead: Any  # the first result, if each is made of the elements before it alone; otherwise None
    reverse: bool


def scan(w: FunctionWriter, described: Sequence[Any], code: Code, result: int) -> None:
    """`code` makes a result of the one before it and an element of each operand."""
    form = Scan(*described)
    widest = vector_bytes() // max(int(k[1]) for k in form.kinds)
    width = power_within(max(form.inner, 1), widest)

    def lines(outer: str, _: list[str]) -> None:
        start = w.mul(outer, form.length * form.inner)

        def some(j: str, mask: str | None, _: list[str]) -> None:
            _line(w, form, code, result, w.add(start, j), width, mask)

        w.along(str(form.inner), width, some)

    w.loop(0, form.outer, 1, lines)


def _line(
    w: FunctionWriter, form: Scan, code: Code, result: int, start: str, width: int, mask: str | None
) -> None:
    """The scan of one element of the inner axis, or of a vector of them."""
    kind, last = form.kinds[-1], form.length - 1
    target = w.arrays[len(form.kinds)]
    behind = 0 if form.lead is None else 1  # results are written so many places later

    def place(i: Any) -> str:
        at = w.sub(last, i) if form.reverse else i
        return w.add(start, w.mul(at, form.inner))

    def step(i: str, before: list[str]) -> Sequence[str]:
        here = place(i)
        pairs = zip(form.kinds, w.arrays, strict=False)
        given = [w.read(k, a, here, width, mask) for k, a in pairs]
        (now,) = w.code(code, [before[0], *given], width, [result], w.called)
        w.write(kind, target, place(w.add(i, behind)), now, width, mask)
        return [now]

    if form.lead is not None:
        w.write(
            kind, target, place(0), literal(kind, constant(kind, form.lead), width), width, mask
        )
    begin = literal(kind, constant(kind, form.begin), width)
    w.loop(0, form.length - behind, 1, step, [(llvm_type(kind, width), begin)])
