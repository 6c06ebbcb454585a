"""Piles in C: memory that grows. Where there is no more of it, the function gives that back as its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wengert.engines.native.frontend.arrays import Base, View
from wengert.insight.source.nests.c_language import TYPES
from wengert.insight.source.nests.control import Pile, Piles
from wengert.insight.source.nests.nest import Line

if TYPE_CHECKING:
    from wengert.insight.source.nests.nest_writer import NestWriter

HELPERS: Final = """
/* What the rounds of a loop leave for the way back. */
struct pile {
    void *items;
    size_t count, room;
};

static bool put(struct pile *pile, const void *item, size_t size)
{
    if (pile->count == pile->room) {
        const size_t room = 2 * pile->room + 8;
        void *const items = realloc(pile->items, room * size);
        if (items == NULL) {
            return false;
        }
        pile->items = items;
        pile->room = room;
    }
    memcpy((char *)pile->items + pile->count * size, item, size);
    pile->count++;
    return true;
}
"""


class CPiles(Piles):
    """Piles as structures."""

    def cleared(self, pile: Pile) -> str:
        """Nothing is on it; its memory stays."""
        return f"{pile.name}.count = 0;"

    def put(self, w: NestWriter, pile: Pile, view: View) -> None:
        """Copy a value onto it."""
        name = w.in_memory(view)
        what, size = (f"&{name}", f"sizeof {name}")
        if view.shape:
            what, size = name, _size(pile)
        w.emission.lines += [f"if (!put(&{pile.name}, {what}, {size})) {{", "    goto done;", "}"]

    def taken(self, w: NestWriter, pile: Pile, base: Base, at: str) -> list[Line]:
        """A number, or a pointer to numbers."""
        kind = TYPES[pile.kind]
        items = f"((const {kind} *){pile.name}.items)"
        if not pile.shape:
            return [f"const {kind} {w.emission.variable(base)} = {items}[{at}];"]
        array = w.emission.array(base)
        array.role = "given"
        count = " * ".join(map(str, pile.shape))
        return [f"const {kind} *const {array.name} = {items} + {count} * ({at});"]

    def counted(self, pile: Pile, name: str) -> str:
        """How many there are."""
        return f"const size_t {name} = {pile.name}.count;"

    def rounds(self, name: str, count: str) -> str:
        """One round for each."""
        return f"for (size_t {name} = 0; {name} < {count}; {name}++) {{"


def _size(pile: Pile) -> str:
    return f"{' * '.join(map(str, pile.shape))} * sizeof({TYPES[pile.kind]})"
