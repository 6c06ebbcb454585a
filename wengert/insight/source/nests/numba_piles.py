"""Piles for numba: lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wengert.engines.native.frontend.arrays import Base, View
from wengert.insight.source.nests.control import Pile, Piles
from wengert.insight.source.nests.nest import Line

if TYPE_CHECKING:
    from wengert.insight.source.nests.nest_writer import NestWriter


class NumbaPiles(Piles):
    """Piles as lists."""

    def cleared(self, pile: Pile) -> str:
        """Nothing is on it."""
        return f"{pile.name}.clear()" if pile.is_handed_out else f"{pile.name} = []"

    def put(self, w: NestWriter, pile: Pile, view: View) -> None:
        """Append a copy."""
        name = w.in_memory(view)
        w.emission.lines.append(f"{pile.name}.append({name}{'.copy()' if view.shape else ''})")

    def taken(self, w: NestWriter, pile: Pile, base: Base, at: str) -> list[Line]:
        """An element."""
        e = w.emission
        if not pile.shape:
            return [f"{e.variable(base)} = {pile.name}[{at}]"]
        array = e.array(base)
        array.role = "given"
        return [f"{array.name} = {pile.name}[{at}]"]

    def counted(self, pile: Pile, name: str) -> str:
        """How many there are."""
        return f"{name} = len({pile.name})"

    def rounds(self, name: str, count: str) -> str:
        """One round for each."""
        return f"for {name} in range({count}):"
