"""What is computed for a plan, and in which order: fused loops and products, and what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.engines.native.codegen.gemm_forms import accumulates
from wengert.engines.native.frontend import all_rules as _rules  # noqa: F401  # what it declares is used
from wengert.engines.native.frontend.arrays import (
    AsList,
    Base,
    Map,
    Product,
    RowSet,
    Step,
    Tiled,
    View,
    Write,
)
from wengert.engines.native.frontend.lowering import Lowering
from wengert.engines.native.frontend.numbers.complex_numbers import side_by_side
from wengert.engines.native.optimize.across import read_along
from wengert.engines.native.optimize.blocks import in_blocks
from wengert.engines.native.optimize.fuse import Fusion, compute_again, in_memory
from wengert.engines.native.optimize.simplify import simplify
from wengert.engines.native.program.epilogue import finish
from wengert.engines.native.program.steps import computes, products_of, stands_in


class Schedule:
    """The groups of a plan in their order."""

    def __init__(self, low: Lowering, fetches: Sequence[Any]) -> None:
        self.low = low
        # For each fetch its array in memory, or the result of a NumPy step.
        self.fetched = [self._fetch(x) for x in fetches]
        checks, self.writes = self.low.left_over()
        steps = [item for item in self.low.items if type(item) is Step]
        checks = [*checks, *[v for s in steps for v in s.checks]]
        # All assignments to variables: those before NumPy's steps, and those at the end.
        self.all_writes: list[Write] = [w for s in steps for w in s.writes] + self.writes
        views = self._fetched_views()
        views += [*[w.view for w in self.writes], *checks]
        views += [w.view for s in steps for w in s.writes]
        fusion = Fusion()
        items = self.low.items if self.low.is_simple else simplify(self.low, views)
        items = in_blocks(items, views)
        is_whole = not self.low.is_simple and not self.low.is_body
        for item in read_along(items) if is_whole else items:
            fusion.add(item)
        wanted = [v.base for v in views]  # after simplify, which may have replaced bases
        # Truth values that raise an error; each is checked as soon as it is computed.
        self.flags = {v.base for v in checks}
        self.wanted = set(wanted) - self.flags
        compute_again(fusion.groups, wanted, computes)
        # New values of variables, with the old ones that they may overwrite.
        self.overwritten = self._overwritten(fusion)
        finish(fusion, self.overwritten)
        self.order = fusion.ordered()
        memory = in_memory(self.order, wanted)
        self.memory = memory | self._accumulated(memory)

    def _fetch(self, x: Any) -> Any:
        if isinstance(x, View):  # what a branch assigns
            return self.low.stored(x)
        view = self.low.views.get(id(x))
        if view is None and id(x) in self.low.lists:
            return self.low.as_list(x)
        if id(x) in self.low.pairs:
            return side_by_side(self.low, self.low.pairs[id(x)])
        return x if view is None else self.low.stored(view)

    def _fetched_views(self) -> list[View]:
        found = [x.view if type(x) is AsList else x for x in self.fetched]
        return [x for x in found if isinstance(x, View)]

    def _overwritten(self, fusion: Fusion) -> dict[Base, Base]:
        """New values of variables that may overwrite the old ones in place.

        Such a value is computed elementwise from the old one, after all other readers of that, and
        after all checks have passed.
        """
        found: dict[Base, Base] = {}
        before = [base.group for base in self.flags]
        # What is returned, or becomes the value of another variable, must not be overwritten.
        handed_out = {v.base for v in self._fetched_views()}
        handed_out |= {w.view.base for w in self.all_writes}
        for cell, view, step in self.all_writes:
            if sum(w.cell is cell for w in self.all_writes) > 1:
                continue  # by then the variable has another array, and this one may be shared
            new = view.base
            old = next((b for b, x in self.low.cells.items() if x is cell), None)
            if (
                old is None
                or type(new) not in (Map, Product, RowSet)
                or old in handed_out
                or new in found
            ):
                continue
            if type(new) is Product and any(v.base is old for v in new.views):
                continue  # BLAS reads its operands throughout
            if new.size == old.size and fusion.last_of(
                new.group, old, [*before, *([] if step is None else [step.group])]
            ):
                found[new] = old
        return found

    def _accumulated(self, memory: set[Base]) -> set[Base]:
        """The products and tiles whose sums are accumulated in memory."""
        members = [m for g in self.order for m in g.members]
        products = [m for m in members if type(m) is Product]
        found: set[Base] = {p for p in products if accumulates(products_of(p).form)}
        return found | {m for m in members if type(m) is Tiled and stands_in(m, memory) is None}
