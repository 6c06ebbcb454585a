"""A plan that runs as machine code.

What LLVM compiles and what NumPy computes take turns: a segment is a run of native steps, which one
call carries out. Between them stand steps of NumPy's. Python is entered once for each.
"""

from __future__ import annotations

import platform
from typing import Any

from wengert.engines.native import rules as _rules  # noqa: F401  # what it declares is used
from wengert.engines.native.arrays import Base, Map, Pieces, Product, Step, View
from wengert.engines.native.cache import stored
from wengert.engines.native.calls import Call, product_calls
from wengert.engines.native.emitting import functions_text, launches
from wengert.engines.native.fusing import Fusion, Group, compute_again, in_memory
from wengert.engines.native.lowering import Lowering
from wengert.engines.native.machine import Loaded, compiled
from wengert.engines.native.processor import multiplies_and_adds
from wengert.engines.native.running import Runner
from wengert.engines.native.simplifying import simplified
from wengert.engines.native.threads import functions
from wengert.engines.numpy_engine import Compiled
from wengert.engines.plan import Plan


def is_supported() -> bool:
    """Whether the engine is good for this system and this processor."""
    return platform.system() in ("Linux", "Darwin") and multiplies_and_adds()


class Native:
    """A plan that can be called: `native(values of plan.given)` gives the fetches."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._reference: Compiled | None = None
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
        for item in simplified(low, views):
            self.fusion.add(item)
        wanted = [v.base for v in views]
        compute_again(self.fusion.groups, wanted)
        # What says that something is wrong; whether it does is looked at as soon as it is known.
        self._flags = {v.base for v in all_checks}
        self._overwritten = self._in_place()
        self.order = self.fusion.ordered()
        self.memory = in_memory(self.order, wanted)
        self.wanted = set(wanted) - self._flags
        self.segments = self._segments()
        # Whether it is one call, with nothing before it that could be done twice.
        self.is_one_call = len(self.segments) == 1
        # Whether any of it is compiled.
        self.is_native = any(isinstance(s, list) for s in self.segments)
        if self.is_native:
            self._compile()
            runner = Runner(self)
            self.run, self.fresh = runner.made()
            self.memory_of_its_own = runner.arena.size

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

    def reference(self) -> Compiled:
        """The same plan for NumPy, which says what is wrong."""
        if self._reference is None:
            self._reference = Compiled(self.plan)
        return self._reference

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
            return product_calls(first)
        if type(first) is Pieces:
            return []
        found = []
        for launch in launches(group, self.memory):
            if not launch.outputs:
                continue
            name = self._texts.setdefault(launch.text, f"@k{len(self._texts)}")
            self._math.update(dict.fromkeys(launch.calls))
            self._declarations |= launch.declarations
            found.append(Call(name, launch.arrays, launch.parts, launch))
            if launch.once:
                self._once.update(launch.outputs)
        found += [Call("", [(b, 0)], 1, b) for b in group.members if b in self._flags]
        return found

    # ---- machine code --------------------------------------------------------------------------

    def text(self) -> str:
        """The plan's functions in LLVM's language."""
        parts = []
        for text, name in self._texts.items():
            parts.append(f"define void {name}(ptr %b, i64 %part) nounwind {{\n{text}\n}}")
        parts += functions_text(self._math, self._declarations)
        return "\n".join([*sorted(self._declarations), *parts])

    def _compile(self) -> None:
        self._loaded: Loaded | None = None
        if self._texts:
            text = self.text()
            self._loaded = Loaded(stored("plan", text, lambda: compiled(text)))

    def address(self, name: str) -> int:
        if name.startswith("@k"):
            assert self._loaded is not None
            return self._loaded.address(name[1:])
        return functions().address(name[1:])
