"""A derivation as loops: operations become arrays, the arrays of the program's values get their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from wengert.engines.native.frontend.arrays import (
    Base,
    Count,
    Dims,
    Input,
    Literal,
    View,
    broadcast,
    is_plain,
)
from wengert.engines.native.frontend.scalar import NotLowered, type_of
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.insight.source.derivation import Derivation
from wengert.insight.source.kernels import NotWritableError
from wengert.insight.source.nests import convolutions as _convolutions  # noqa: F401
from wengert.insight.source.nests import rules as _rules  # noqa: F401
from wengert.insight.source.nests.control import Control, Pile, Piles, branches_of, loop_of
from wengert.insight.source.nests.emission import Emission
from wengert.insight.source.nests.language import Language
from wengert.insight.source.nests.lowered import Lowered
from wengert.insight.source.nests.nest import Array, written
from wengert.insight.source.writer import Writer, is_uniform
from wengert.ops.control.cond import Branches
from wengert.ops.control.while_op import Loop
from wengert.values.symbolic import AnyShape, SymbolicTensor, is_certain
from wengert.values.tensor import dims

_LETTERS = (
    "i",
    "j",
    "k",
    "l",
    "m",
    "n",
    "p",
    "q",
    "r",
    "s",
    "u",
    "v",
    "w",
    "a",
    "b",
    "c",
    "d",
    "e",
)


MOST_WRITTEN: Final = 64  # numbers of an array that is written out


class NestWriter(Writer):
    """Writes the value and the gradients as loops."""

    def __init__(self, derivation: Derivation, language: Language, piles: Piles) -> None:
        super().__init__(derivation, language.reserved)
        self.language = language
        self.piles = piles
        self.all_piles: list[Pile] = []
        self.prefix = ""  # of the names of long tables
        self._piles: dict[int, Pile] = {}
        self._seen: set[Base] = set()
        self.low = Lowered()
        self._name_within(derivation.graph)
        letters = _free_letters({*self._taken, *derivation.called.values()})
        self._taken.update(letters)
        self.emission = Emission(language, letters, lambda name: self.free(self.identifier(name)))
        self.emission.remark = self._note
        self.tables: dict[str, Any] = {}
        self.controls: dict[int, Control] = {}  # by the ids of the arrays that they give
        self._counted_controls: set[int] = set()
        self.parameters: list[tuple[str, str, Dims]] = []
        for x, name in zip(derivation.inputs, self.names, strict=True):
            self._enter(x, name)

    def identifier(self, name: str) -> str:
        """A name of letters that every language knows."""
        found = re.sub(r"[^A-Za-z0-9_]", "_", name)
        return found if found.strip("_") else f"x{found}"

    def _name_within(self, graph: FunctionGraph) -> None:
        """Find the names that the program has for values in loops and branches."""
        for op in graph.operations:
            runs = op.row.bodies
            bodies: list[FunctionGraph] = []
            if isinstance(runs, Loop):
                bodies = [runs.body]
            elif isinstance(runs, Branches):
                bodies = [b.graph for b in runs.bodies]
            for body in bodies:
                self._call_within(body)
                self._name_within(body)

    def _enter(self, x: SymbolicTensor, name: str) -> None:
        """An argument."""
        shape, kind = self.form(x)
        view = self.low.entered(shape, kind)
        self.low.views[id(x)] = view
        self.parameters.append((name, kind, shape))
        if shape:
            self.emission.places[id(view.base)] = Array(name, kind, shape, "given")
        else:
            self.emission.places[id(view.base)] = name

    # ---- lowering --------------------------------------------------------------------------------

    def lower(self, graph: FunctionGraph, ends: Sequence[SymbolicTensor]) -> None:
        """The operations behind some values, as arrays."""
        for op in self._counted(graph, ends):
            is_there = op.outputs and all(id(y) in self.low.views for y in op.outputs)
            if not is_there and not self._is_constant(op):
                self._lower(op)
            self._done.add(id(op))

    def _lower(self, op: Operation) -> None:
        runs = op.row.bodies
        try:
            if isinstance(runs, Loop):
                self.low.items.append(loop_of(self, op, runs))
            elif isinstance(runs, Branches):
                self.low.items.append(branches_of(self, op, runs))
            else:
                views = self._operands(op)
                for y, view in zip(op.outputs, self.low.results(op, views), strict=True):
                    self.low.views[id(y)] = view
                    self._name(y, view)
        except (NotLowered, NotWritableError, TypeError) as error:  # some have more operands
            raise NotWritableError(self._named(op)) from error

    def _operands(self, op: Operation) -> list[View]:
        """What an operation reads; a single number without the axes that it had before it was spread."""
        views = [self.view(x) for x in self._inputs(op)]
        rank = len(dims(op.outputs[0])) if op.row.elementwise and op.outputs else len(_LETTERS)
        return [self.low.reshape(v, ()) if len(v.shape) > rank else v for v in views]

    def is_used(self, x: SymbolicTensor) -> bool:
        """Whether something that is written reads a value."""
        return self._uses[id(x)] > 0

    def view(self, x: SymbolicTensor) -> View:
        """The elements of a value."""
        real = self._real(x)
        found = self.low.views.get(id(real))
        if found is None:
            found = self.low.views[id(real)] = self._constant(real, self._known[id(real)])
        return found

    def form(self, x: SymbolicTensor) -> tuple[Dims, str]:
        """The shape and the type of a value."""
        if isinstance(x._array.shape, AnyShape) or not is_certain(dims(x)):
            raise NotWritableError("a size that is not known: give arguments whose shapes are")
        try:
            return tuple(dims(x)), type_of(x._array.dtype)
        except (NotLowered, TypeError) as error:
            raise NotWritableError(f"numbers of dtype {x.dtype.name}") from error

    def _constant(self, x: SymbolicTensor, value: Any) -> View:
        kind = type_of(value.dtype)
        if value.size and (value.ndim == 0 or value.size == 1 or is_uniform(value)):
            return self.low.number(kind, value.flat[0], value.shape)
        view = self.low.entered(value.shape, kind)
        own = self.identifier(self._d.called.get(x._key, "c"))
        name = self.free(f"{self.prefix}{own}" if value.size > MOST_WRITTEN else own)
        self.tables[name] = value
        self.emission.places[id(view.base)] = Array(name, kind, value.shape, "table")
        return view

    def _name(self, y: SymbolicTensor, view: View) -> None:
        """An array that is a value of the program has its name and shape."""
        base = view.base
        if isinstance(base, (Input, Literal)) or not is_plain(view) or self._is_uniform(view):
            return
        emission = self.emission
        emission.shapes.setdefault(id(base), view.shape)
        if id(base) not in emission.called and self._is_named(y):
            emission.called[id(base)] = lambda: self.named(y)

    def _is_uniform(self, view: View) -> bool:
        return all(
            s == 0 for s, n in zip(view.strides, view.shape, strict=True) if n != 1
        ) and bool([n for n in view.shape if n != 1])

    # ---- values of the rounds of loops -----------------------------------------------------------

    def is_pile(self, x: SymbolicTensor) -> bool:
        """Whether a value is the pile of a loop."""
        return id(self._real(x)) in self._piles or self._real(x).dtype.name == "variant"

    def pile(self, x: SymbolicTensor) -> Pile:
        """The pile that a value is."""
        return self._piles[id(self._real(x))]

    def new_pile(self, y: SymbolicTensor, pile: Pile) -> Pile:
        """A value is a pile; a view of nothing stands for it where what is read is counted."""
        pile.name = self.free("steps")
        self.all_piles.append(pile)
        self._stand_for(y, pile)
        return pile

    def same_pile(self, y: SymbolicTensor, inside: SymbolicTensor) -> View:
        """A branch hands out the pile of a loop in it."""
        pile = self.pile(inside)
        pile.is_handed_out = True
        return self._stand_for(y, pile)

    def _stand_for(self, y: SymbolicTensor, pile: Pile) -> View:
        self._piles[id(y)] = pile
        view = self.low.views[id(y)] = self.low.entered((), "i8")
        self.emission.places[id(view.base)] = pile.name
        return view

    def in_memory(self, view: View) -> str:
        """The name of a value that is there in one piece."""
        base, e = view.base, self.emission
        if not is_plain(view) or isinstance(base, (Literal, Count)) or id(base) not in e.places:
            base = self.low.copied(view).base
            e.called[id(base)] = lambda: self.free("t")
            e.write(base)
        place = e.places[id(base)]
        if isinstance(place, Array):
            e.pinned.add(place.name)
            return place.name
        return place

    def named(self, y: SymbolicTensor) -> str:
        """A name for a value."""
        return self.free(self.identifier(self.name_of(y)))

    # ---- writing ---------------------------------------------------------------------------------

    def write(self) -> None:
        """All that the value and the gradients need."""
        d = self._d
        asked = [
            (x, g) for x, g in zip(d.inputs, d.gradients, strict=True) if x.dtype.is_differentiable
        ]
        ends = [d.value, *[g for _, g in asked if g is not None]]
        self.lower(d.graph, ends)
        shape, kind = self.form(d.value)
        self.goals: list[Array | None] = [
            Array(self.free(self._name_of_value()), kind, shape, "result")
        ]
        for x, g in asked:
            shape, kind = self.form(x)
            goal = Array(self.free(f"d{self.identifier(d.called[x._key])}"), kind, shape, "result")
            self.goals.append(None if g is None else goal)
        self.results = [
            broadcast(self.view(y), g.shape)
            for y, g in zip(ends, filter(None, self.goals), strict=True)
        ]
        self.count(self.results)
        self._claim()
        self.emit(self.low.items)

    def _name_of_value(self) -> str:
        """What to call the first result."""
        name = self.name_of(self._d.value)
        is_named = self._d.value._key in self._d.called and bool(dims(self._d.value))
        return self.identifier(name) if is_named else "value"

    def _claim(self) -> None:
        """Let arrays be computed where they are handed out."""
        self._claimed: dict[Base, Array] = {}
        for goal, view in zip(filter(None, self.goals), self.results, strict=True):
            base = view.base
            is_ours = id(base) in self.controls or not isinstance(base, (Input, Literal, Count))
            if goal.shape and is_ours and base not in self._claimed and is_plain(view):
                self._claimed[base] = goal
                self.emission.goals[id(base)] = goal
                self.emission.often.add(id(base))

    def undelivered(self) -> list[tuple[Array, View]]:
        """Results that were not computed where they are handed out."""
        pairs = zip(filter(None, self.goals), self.results, strict=True)
        return [(goal, view) for goal, view in pairs if self._claimed.get(view.base) is not goal]

    def needed_tables(self) -> dict[str, Any]:
        """Arrays of known numbers that are read."""
        text = "\n".join(self.body())
        return {n: v for n, v in self.tables.items() if re.search(rf"\b{n}\b", text)}

    def count(self, ends: Sequence[View]) -> None:
        """Count who reads what, from the ends back to the arguments."""
        waiting = [v.base for v in ends]
        for base in waiting:
            self.emission.uses[id(base)] += 1
        while waiting:
            base = waiting.pop()
            control = self.controls.get(id(base))
            if control is not None:
                if id(control) not in self._counted_controls:
                    self._counted_controls.add(id(control))
                    waiting += [v.base for v in control.tests]
                    self.emission.uses.update(id(v.base) for v in control.tests)
                    for view in [*control.outside, *control.inside]:
                        self.emission.uses[id(view.base)] += 1
                        self.emission.often.add(id(view.base))
                        waiting.append(view.base)
            elif self._is_new(base):
                self.emission.count(base)
                waiting += [v.base for v in base.operands]

    def _is_new(self, base: Base) -> bool:
        if base in self._seen:
            return False
        self._seen.add(base)
        return True

    def emit(self, items: Sequence[Any]) -> None:
        """The loops of what is needed, in order."""
        for item in items:
            if isinstance(item, Control):
                if id(item) in self._counted_controls:
                    item.write()
            elif item in self._seen:
                self.emission.write(item)

    def body(self) -> list[str]:
        """The lines."""
        return written(self.emission.lines, self.language)


def _free_letters(taken: set[str]) -> list[str]:
    """What loops count with: letters that the program does not use."""
    free = [c for c in _LETTERS if c not in taken]
    return [*free, *[f"i{n}" for n in range(1, 20) if f"i{n}" not in taken]]
