"""Loops and branches of the program, as loops and branches.

A loop carries values, takes an element of each of its stacks in every round, and puts values onto others: the
gradient of a loop takes what the loop put there, from the last round to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wengert.engines.native.frontend.arrays import Base, Dims, View
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.insight.source.kernels import NotWritableError
from wengert.insight.source.nests.nest import Array, Block, Line
from wengert.insight.source.text import Text
from wengert.ops.control.cond import Branches
from wengert.ops.control.while_op import Loop
from wengert.values.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from wengert.insight.source.nests.nest_writer import NestWriter


@dataclass
class Pile:
    """Values that the rounds of a loop put one onto the other."""

    name: str
    kind: str
    shape: Dims
    is_turned: bool = False  # the first element belongs to the last round
    is_handed_out: bool = False  # by a branch


class Piles:
    """How a language keeps piles."""

    def cleared(self, pile: Pile) -> str:
        """Nothing is on it."""
        raise NotImplementedError

    def put(self, w: NestWriter, pile: Pile, view: View) -> None:
        """Put a value onto it."""
        raise NotImplementedError

    def taken(self, w: NestWriter, pile: Pile, base: Base, at: str) -> list[Line]:
        """The lines that give an element a name."""
        raise NotImplementedError

    def counted(self, pile: Pile, name: str) -> str:
        """The line that says how many there are."""
        raise NotImplementedError

    def rounds(self, name: str, count: str) -> str:
        """The head of the loop over them."""
        raise NotImplementedError


@dataclass
class Control:
    """A loop or a branch: what it reads around it, what its ends are within, and how to write it."""

    outside: list[View]
    inside: list[View]
    tests: list[View] = field(default_factory=list)  # what is asked before each round
    write: Callable[[], None] = field(default=lambda: None)


@dataclass
class _Part:
    """A graph within: what is computed in it, and which of that is its result."""

    items: list[Any]
    ends: list[View]


def _part(w: NestWriter, graph: FunctionGraph, ends: Sequence[SymbolicTensor]) -> _Part:
    """Lower a graph within; what it computes is not known outside of it."""
    low = w.low
    around, known = low.items, low._same
    low.items, low._same = [], dict(known)
    w.lower(graph, ends)
    views = [w.view(y) for y in ends if not w.is_pile(y)]
    found = _Part(low.items, views)
    low.items, low._same = around, known
    return found


def _lines(w: NestWriter, write: Callable[[], None]) -> list[Line]:
    """The lines that something writes, apart from those around."""
    around, w.emission.lines = w.emission.lines, []
    write()
    found, w.emission.lines = w.emission.lines, around
    return found


def _held(w: NestWriter, y: SymbolicTensor) -> View:
    """Memory for a value that loops or branches set; it gets a name when they are written."""
    shape, kind = w.form(y)
    view = w.low.entered(shape, kind)
    w.emission.shapes[id(view.base)] = shape
    w.emission.called[id(view.base)] = lambda: w.named(y)
    return view


def _declare(w: NestWriter, base: Base, value: str = "") -> None:
    """The variable, or the array, of what is held."""
    e = w.emission
    if base.shape:
        e.pinned.add(e.array(base).name)
    else:
        first = value or e.language.number(base.kind, 0).text
        e.lines.append(e.language.defined(base.kind, e.variable(base), first, changes=True))


def _assign(w: NestWriter, base: Base, view: View, place: Any = None) -> None:
    """Give what is held a value."""
    e, target = w.emission, w.emission.places[id(base)]
    if isinstance(target, Array):
        e.copy(target, view, place)
        return
    nest = e.nest(())
    value = e.text(view, nest, nest.index).text
    if value != target:
        nest.lines.append(f"{target} = {value}{e.language.end}")
    e.add(nest, place)


# ---- loops ------------------------------------------------------------------------------------


def loop_of(w: NestWriter, op: Operation, loop: Loop) -> Control:
    """A loop of a graph."""
    n, s = len(loop.carried), len(loop.taken)
    stacks, constants = op.inputs[n : n + s], op.inputs[n + s :]
    initial = [w.view(x) for x in op.inputs[:n]]
    for inside, at in loop.same:
        w.stand_in(inside, constants[at])
    held = [_held(w, y) for y in op.outputs[:n]]
    elements = [_held(w, t.inside) for t in loop.taken]
    insides = [*loop.carried, *[t.inside for t in loop.taken]]
    for x, view in zip(insides, [*held, *elements], strict=True):
        w.low.views[id(x)] = view
    test = _test(w, loop, constants)
    body = _part(w, loop.body, [*loop.results, *[e.inside for e in loop.emitted]])
    piles = _emitted(w, loop, op.outputs[n:])
    for y, view in zip(op.outputs, held, strict=False):
        w.low.views[id(y)] = view
    outside = [*initial, *[w.view(x) for x in (*constants, *stacks)]]
    control = Control(outside, body.ends, test.ends if test else [])
    for y in op.outputs:
        w.controls[id(w.view(y).base)] = control
    taken = [w.pile(x) for x in stacks]

    def write() -> None:
        for view, first in zip(held, initial, strict=True):
            _begin(w, view, first, op)
        w.emission.lines += [w.piles.cleared(pile) for pile in piles]

        def round_() -> None:
            _round(w, held, body, piles)

        if test is None:
            _over_piles(w, loop, taken, elements, round_)
        else:
            _while(w, test, round_)

    control.write = write
    return control


def _test(w: NestWriter, loop: Loop, constants: Sequence[SymbolicTensor]) -> _Part | None:
    """What is asked before each round; None of a loop over piles."""
    if loop.condition is None:
        return None
    given = [*loop.carried, *[constants[at] for at in loop.condition_places]]
    for inside, value in zip(loop.condition.all_inputs, given, strict=True):
        w.stand_in(inside, value)
    return _part(w, loop.condition, loop.condition.outputs)


def _emitted(w: NestWriter, loop: Loop, ys: Sequence[SymbolicTensor]) -> list[Pile]:
    """The piles that a loop makes."""
    found = []
    for e, y in zip(loop.emitted, ys, strict=True):
        if w.is_pile(e.inside):
            raise NotWritableError("a loop within a loop, of which a gradient is taken")
        shape, kind = w.form(e.inside)
        found.append(w.new_pile(y, Pile("", kind, shape, e.backward)))
    return found


def _begin(w: NestWriter, view: View, first: View, op: Operation) -> None:
    """Give a value that changes in each round the one before the first."""
    if view.base.shape:
        _declare(w, view.base)
        _assign(w, view.base, first, op)
        return
    nest = w.emission.nest(())
    value = w.emission.text(first, nest, nest.index).text
    w.emission.add(nest, op)
    _declare(w, view.base, value)


def _round(w: NestWriter, held: Sequence[View], body: _Part, piles: Sequence[Pile]) -> None:
    """What one round does."""
    w.emit(body.items)
    results, emitted = body.ends[: len(held)], body.ends[len(held) :]
    for pile, view in zip(piles, emitted, strict=True):
        w.piles.put(w, pile, view)
    own = {id(h.base) for h in held}
    kept: list[tuple[View, View]] = []
    for target, view in zip(held, results, strict=True):
        if view.base is target.base:
            continue
        if id(view.base) in own:  # of another one, which may already have its next value
            copy = w.low.copied(view)
            w.emission.often.add(id(copy.base))
            w.emission.uses[id(copy.base)] += 2
            w.emission.write(copy.base)
            view = copy
        kept.append((target, view))
    for target, view in kept:
        _assign(w, target.base, view)


def _while(w: NestWriter, test: _Part, round_: Callable[[], None]) -> None:
    """While a condition holds."""
    language, (view,) = w.language, test.ends
    found: list[str] = []

    def condition() -> None:
        w.emit(test.items)
        nest = w.emission.nest(())
        found.append(w.emission.text(view, nest, nest.index).text)
        if nest.lines:
            w.emission.add(nest)

    before = _lines(w, condition)
    lines = _lines(w, round_)
    if not before:
        w.emission.lines.append(Block(language.whilst(found[0]), lines))
        return
    stop = Block(
        language.when(language.truth("not", Text(found[0], 0)).text), [f"break{language.end}"]
    )
    head = language.whilst(language.number("b1", True).text)
    w.emission.lines.append(Block(head, [*before, stop, *lines]))


def _over_piles(
    w: NestWriter,
    loop: Loop,
    stacks: Sequence[Pile],
    elements: Sequence[View],
    round_: Callable[[], None],
) -> None:
    """One round for each element of piles."""
    e = w.emission
    count = e.free("rounds")
    step = e.free("step")
    taken: list[Line] = []
    for pile, t, view in zip(stacks, loop.taken, elements, strict=True):
        at = step if pile.is_turned == t.backward else f"{count} - 1 - {step}"
        if w.is_used(t.inside):
            taken += w.piles.taken(w, pile, view.base, at)
    e.lines.append(w.piles.counted(stacks[0], count))
    e.lines.append(Block(w.piles.rounds(step, count), [*taken, *_lines(w, round_)]))


# ---- branches -----------------------------------------------------------------------------------


def branches_of(w: NestWriter, op: Operation, branches: Branches) -> Control:
    """The branches of a graph, of which an index chooses one."""
    asked = _predicate(op.inputs[0])
    chooser = w.view(asked if asked is not None else op.inputs[0])
    parts = []
    for number, body in enumerate(branches.bodies):
        for inside, at in zip(body.graph.all_inputs, branches.places[number], strict=True):
            w.stand_in(inside, op.inputs[1 + at])
        parts.append(_part(w, body.graph, body.results))
    control = Control([chooser], [v for part in parts for v in part.ends])
    control.outside += [w.view(x) for x in op.inputs[1:] if not w.is_pile(x)]
    control.outside += [w.view(x) for x in op.inputs[1:] if w.is_pile(x)]
    sets: list[list[tuple[View, View]]] = [[] for _ in parts]  # for each branch: what it sets
    held: list[View] = []
    for place, y in enumerate(op.outputs):
        sources = _sources(branches, place)
        if w.is_pile(y):
            ((_, inside),) = sources
            w.controls[id(w.same_pile(y, inside).base)] = control
            control.inside.append(w.view(inside))
            continue
        view = _held(w, y)
        w.low.views[id(y)] = view
        w.controls[id(view.base)] = control
        held.append(view)
        for branch, inside in sources:
            sets[branch].append((view, w.view(inside)))

    def write() -> None:
        nest = w.emission.nest(())
        index = w.emission.text(chooser, nest, nest.index).text
        w.emission.add(nest, op)
        for view in held:
            _declare(w, view.base)
        last = len(parts) - 1
        for number, (part, pairs) in enumerate(zip(parts, sets, strict=True)):
            lines = _lines(w, lambda part=part, pairs=pairs: _branch(w, part, pairs))  # type: ignore[misc]
            condition = index if asked is not None else f"{index} == {number}"
            if number == last and last:
                head = w.language.otherwise()
            else:
                head = w.language.when(condition, again=number > 0)
            w.emission.lines.append(Block(head, lines, is_last=number == last))

    control.write = write
    return control


def _sources(branches: Branches, place: int) -> list[tuple[int, SymbolicTensor]]:
    """Which values become a result: one of each branch, or of one alone."""
    if place < branches.count:
        return [(number, body.results[place]) for number, body in enumerate(branches.bodies)]
    number, at = branches.more[place - branches.count]
    return [(number, branches.bodies[number].results[at])]


def _branch(w: NestWriter, part: _Part, pairs: Sequence[tuple[View, View]]) -> None:
    w.emit(part.items)
    for target, view in pairs:
        _assign(w, target.base, view)


def _predicate(index: SymbolicTensor) -> SymbolicTensor | None:
    """What chooses between two branches: the first is taken where it holds."""
    op = index.op
    if op.type == "Sub" and op.inputs[1].op.type == "Cast":
        asked: SymbolicTensor = op.inputs[1].op.inputs[0]
        return asked if asked.dtype.is_bool else None
    return None
