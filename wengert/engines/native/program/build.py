"""From a plan to what runs: lowered, simplified, fused, emitted, compiled and written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wengert.engines.native.codegen.gemm_forms import accumulates, blocks_of
from wengert.engines.native.codegen.loop_emitter import Launch, functions_text, launches
from wengert.engines.native.frontend import lowering_rules as _rules  # noqa: F401  # what it declares is used
from wengert.engines.native.frontend.arrays import Base, Map, Pieces, Product, Step, View
from wengert.engines.native.frontend.lowering import Lowering
from wengert.engines.native.optimize.fuse import Fusion, Group, compute_again, in_memory
from wengert.engines.native.optimize.simplify import simplify
from wengert.engines.native.program.epilogue import Finish, finish
from wengert.engines.native.program.program_writer import Writer
from wengert.engines.native.program.steps import Call, computes, product_calls, products_of
from wengert.engines.native.runtime.cache import digest_of, load_or_store
from wengert.engines.native.runtime.llvm import compile_text
from wengert.execution.plan import Plan

_KIND: Final = "plan"  # of text, in the cache


class Native:
    """How a plan is computed: `program` is what runs, `code` what LLVM makes of its loops."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.low = low = Lowering(plan)
        self._fetched = [self._fetch(x) for x in plan.fetches]
        self.checks, self.writes = low.left_over()
        views = [v for v in self._fetched if isinstance(v, View)]
        views += [w.view for w in self.writes]
        steps = [item for item in low.items if type(item) is Step]
        all_checks = [*self.checks, *[v for s in steps for v in s.checks]]
        views += all_checks
        views += [w.view for s in steps for w in s.writes]
        self.all_writes = [w for s in steps for w in s.writes] + self.writes
        self.fusion = Fusion()
        for item in simplify(low, views):
            self.fusion.add(item)
        wanted = [v.base for v in views]
        compute_again(self.fusion.groups, wanted, computes)
        # What says that something is wrong; whether it does is looked at as soon as it is known.
        self._flags = {v.base for v in all_checks}
        self._overwritten = self._in_place()
        finish(self.fusion, self._overwritten)
        self.order = self.fusion.ordered()
        self.memory = in_memory(self.order, wanted) | self._accumulated()
        self.wanted = set(wanted) - self._flags
        self.segments = self._segments()
        # Whether any of it is compiled.
        self.is_native = any(isinstance(s, list) for s in self.segments)
        if self.is_native:
            self._text = self.text() if self._texts else ""
            self.code_name = digest_of(_KIND, self._text) if self._text else ""
            writer = Writer(self)
            self.program = writer.written()
            self.memory_of_its_own = writer.arena.size

    def _fetch(self, x: Any) -> Any:
        """A fetch as an array in memory, or as what NumPy's steps give."""
        view = self.low.views.get(id(x))
        if view is None:
            return x
        return self.low.stored(view)

    def _in_place(self) -> dict[Base, Base]:
        """New values of variables that may be written over the old ones.

        Such a value is computed from the old one element by element, after everybody else has
        read that, and after it is known that nothing is wrong.
        """
        found: dict[Base, Base] = {}
        before = [base.group for base in self._flags]
        # What is handed out, or becomes the value of another variable, stays as it is.
        handed_out = {v.base for v in self._fetched if isinstance(v, View)}
        handed_out |= {w.view.base for w in self.all_writes}
        for cell, view, step in self.all_writes:
            if sum(w.cell is cell for w in self.all_writes) > 1:
                continue  # the variable has another array by then, and this one may be others'
            new = view.base
            old = next((b for b, x in self.low.cells.items() if x is cell), None)
            if old is None or type(new) not in (Map, Product) or old in handed_out or new in found:
                continue
            if type(new) is Product and any(v.base is old for v in new.views):
                continue  # BLAS reads its operands all the time
            if new.size == old.size and self.fusion.last_of(
                new.group, old, [*before, *([] if step is None else [step.group])]
            ):
                found[new] = old
        return found

    def _accumulated(self) -> set[Base]:
        """The products whose sums are kept in memory."""
        products = [m for g in self.order for m in g.members if type(m) is Product]
        return {p for p in products if accumulates(products_of(p).form)}

    def overwrites(self, base: Base) -> Base | None:
        """The old value that a new one may be written over."""
        old = self._overwritten.get(base)
        if old is None or (type(base) is Map and base not in self._once):
            return None
        return old

    # ---- segments ------------------------------------------------------------------------------

    def _segments(self) -> list[Any]:
        """Lists of calls, and steps of NumPy's between them."""
        found: list[Any] = []
        self._texts: dict[str, str] = {}
        self._math: dict[tuple[str, str, int], None] = {}
        self._declarations: set[str] = set()
        self._once: set[Base] = set()  # computed in one pass, each element after it was read
        for group in self.order:
            first = group.members[0]
            if type(first) is Step:
                found.append(first)
                continue
            calls = self._calls(group, first)
            if found and isinstance(found[-1], list):
                found[-1] += calls
            elif calls:
                found.append(calls)
        return found

    def _calls(self, group: Group, first: Any) -> list[Call]:
        if type(first) is Product:
            return self._product_calls(group, first) + self._looks(group)
        if type(first) is Pieces:
            return []
        return self._launched(launches(group, self.memory)) + self._looks(group)

    def _product_calls(self, group: Group, product: Product) -> list[Call]:
        form, many, _ = products_of(product)
        last = None
        if group.is_loop:
            last = Finish(group, self.memory, product, many * blocks_of(form))
        calls = [self._named(call) for call in product_calls(product, last)]
        return calls if last is None else calls + self._launched(last.more)

    def _launched(self, launches: Sequence[Launch]) -> list[Call]:
        found = []
        for launch in launches:
            if not launch.outputs:
                continue
            name = self._texts.setdefault(launch.text, f"@k{len(self._texts)}")
            self._math.update(dict.fromkeys(launch.calls))
            self._declarations |= launch.declarations
            found.append(Call(name, launch.arrays, launch.parts, launch))
            if launch.once:
                self._once.update(launch.outputs)
        return found

    def _looks(self, group: Group) -> list[Call]:
        """Whether something is wrong is looked at as soon as it is known."""
        return [Call("", [(b, 0)], 1, b) for b in group.members if b in self._flags]

    def _named(self, call: Call) -> Call:
        """The same call, with a name if it is of a function of this plan."""
        if call.function is not None:
            text = call.function.text
            call.name = self._texts.setdefault(text, f"@k{len(self._texts)}")
            self._math.update(dict.fromkeys(call.function.calls))
            self._declarations |= call.function.declarations
        return call

    # ---- machine code --------------------------------------------------------------------------

    def text(self) -> str:
        """The plan's functions in LLVM's language."""
        parts = []
        for text, name in self._texts.items():
            parts.append(f"define void {name}(ptr %b, i64 %part) nounwind {{\n{text}\n}}")
        parts += functions_text(self._math, self._declarations)
        return "\n".join([*sorted(self._declarations), *parts])

    def code(self) -> bytes | None:
        """The machine code of the loops; None if there are none."""
        return (
            load_or_store(_KIND, self._text, lambda: compile_text(self._text))
            if self._text
            else None
        )
