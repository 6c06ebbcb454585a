"""Which operations a program consists of, in which order, and what it calls their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from wengert.core.context import activate
from wengert.core.dispatch import apply
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.host.user_frames import callers_place
from wengert.insight.program_text import line_text
from wengert.insight.source.derivation import Derivation, names_of_results
from wengert.insight.source.kernels import NotWritableError
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import dims, wrap


class Writer:
    """Goes through a derivation: what is needed, what is known, what has which name."""

    def __init__(self, derivation: Derivation, reserved: Iterable[str]) -> None:
        self._d = derivation
        self._taken = set(reserved)
        self._backward = {id(op) for op in derivation.graph.operations[derivation.forward :]}
        self._counts: Counter[str] = Counter()
        self._uses: Counter[int] = Counter()
        self._line = ""
        self._asked = callers_place()
        self._same: dict[Any, Operation] = {}
        self._done: set[int] = set()  # the ids of operations that are written
        self._known: dict[int, Any] = {}  # numbers of constants, by the id of a tensor
        self._stands_for: dict[int, SymbolicTensor] = {}
        self.names = [self.free(self.identifier(n)) for n in derivation.names]

    def identifier(self, name: str) -> str:
        """A name as the language may have it."""
        return name

    def _counted(self, graph: FunctionGraph, ends: Sequence[SymbolicTensor]) -> list[Operation]:
        """The operations behind some values; who uses what is counted."""
        needed = self._needed(graph, ends)
        self._uses.update(id(x) for op in needed for x in self._inputs(op))
        self._uses.update(id(self._real(y)) for y in ends)
        return needed

    def stand_in(self, inside: SymbolicTensor, value: SymbolicTensor) -> None:
        """A value within is one from around."""
        self._stands_for[id(inside)] = self._real(value)

    def _needed(self, graph: FunctionGraph, ends: Sequence[SymbolicTensor]) -> list[Operation]:
        """The operations behind some values, in their order, without those that repeat another."""
        for op in graph.operations:
            self._find_same(op)
        reached: dict[int, Operation] = {}
        waiting = [self._real(y).op for y in ends]
        while waiting:
            op = waiting.pop()
            if id(op) not in reached:
                reached[id(op)] = op
                waiting += [x.op for x in self._inputs(op)]
        return [op for op in graph.operations if id(op) in reached]

    def _find_same(self, op: Operation) -> None:
        if op.row.closes:  # around what a custom gradient computes: that is passed on
            passed = map(self._real, op.inputs)
            self._stands_for |= {id(y): x for y, x in zip(op.outputs, passed, strict=False)}
        if not op.inputs or op.row.stateful or op.row.graphs or op.row.users:
            return
        key: Any = op.type, tuple([id(self._real(x)) for x in op.inputs]), _hashable(op.attrs)
        first = self._same.get(key)
        if first is not None and first.graph is not op.graph and id(first) not in self._done:
            key = key, id(op.graph)  # in a loop before it: not there yet
        first = self._same.setdefault(key, op)
        if first is not op:
            self._stands_for |= {id(y): z for y, z in zip(op.outputs, first.outputs, strict=True)}

    def _inputs(self, op: Operation) -> list[SymbolicTensor]:
        """What an operation reads, without what NumPy spreads by itself."""
        found = [self._real(x) for x in op.inputs]
        if not op.row.elementwise or len(found) < 2 or not is_certain(dims(op.outputs[0])):
            return found
        for i, x in enumerate(found):
            if has_shape_of(op.outputs[0], found[:i] + found[i + 1 :]):
                found[i] = self._before_spreading(x, len(dims(op.outputs[0])))
        return found

    def _before_spreading(self, x: SymbolicTensor, rank: int) -> SymbolicTensor:
        """What was broadcast to a value, if NumPy does so by itself for a result of such a rank."""
        while x.op.type == "BroadcastTo" or (
            x.op.type == "Reshape" and is_certain(dims(x)) and int(np.prod(dims(x))) == 1
        ):
            before = self._real(x.op.inputs[0])
            if not is_certain(dims(before)) or len(dims(before)) > rank:
                break
            x = before
        return x

    def _real(self, x: SymbolicTensor) -> SymbolicTensor:
        return self._stands_for.get(id(x), x)

    def _is_constant(self, op: Operation) -> bool:
        """Whether an operation computes numbers that are known; then they have a text."""
        if op.row.many or op.row.stateful or op.row.graphs:
            return False
        (y,) = op.outputs
        if y.dtype.name == "variant":
            return False  # a list of arrays, which loops change
        if not op.inputs:
            value = _value_of(op, self._d)
        elif all(id(self._real(x)) in self._known for x in op.inputs):
            with activate((), None):
                inputs = [wrap(self._known[id(self._real(x))]) for x in op.inputs]
                value = np.asarray(apply(op.row, inputs, op.attrs)._array)
        elif op.type in ("OnesLike", "ZerosLike") and is_certain(dims(y)):
            value = np.full(dims(y), op.type == "OnesLike", y._array.dtype)
        else:
            return False
        self._known[id(y)] = value
        return True

    def _note(self, op: Operation) -> str:
        """The line of the program that an operation belongs to, where another one begins."""
        is_within = op.graph is not self._d.graph
        line = op.place if is_within else self._d.lines.get(id(op), "")
        if is_within and line in (self._asked, self._line):
            return ""  # the gradient of a loop, or in the line of the loop itself
        back = "back through: " if self._is_backward(op) else ""
        if f"{back}{line}" == self._line:
            return ""
        code, before = line_text(line), line_text(self._line.removeprefix("back through: "))
        if is_within and code == before:
            return ""  # another line of the same statement
        self._line = f"{back}{line}"
        return f"{back}{code}" if code else ""

    def _named(self, op: Operation) -> str:
        """An operation, and the line of the program that it belongs to."""
        values = [*op.inputs, *op.outputs]
        why = "" if all(is_certain(dims(x)) for x in values) else ", whose sizes depend on numbers"
        if op.type == "StridedSlice" and len(op.inputs) > 1:
            why = ", whose index is a tensor: tf.gather(x, i) has a text"
        return f"{op.type} ({self._d.lines.get(id(op), op.place)}){why}"

    def _is_backward(self, op: Operation) -> bool:
        return id(op) in self._backward

    # ---- names -----------------------------------------------------------------------------------

    def _is_named(self, y: SymbolicTensor) -> bool:
        """Whether the program has a name for a value, or for that of which it is the derivative."""
        return y._key in self._d.called or self._d.cotangents.get(id(y)) in self._d.called

    def _call_within(self, graph: FunctionGraph) -> None:
        """The names of values in a loop or a branch; its gradient has none, but a place: where it was asked for."""
        own = [op for op in graph.operations if op.place != self._asked]
        self._d.called.update(names_of_results(own, {}))

    def name_of(self, y: SymbolicTensor) -> str:
        """What to call a value: as the program does, or as the derivative by what it calls so."""
        if y._key in self._d.called:
            return self._d.called[y._key]
        of = self._d.cotangents.get(id(y))
        if of is not None and of in self._d.called:
            return f"d{self._d.called[of]}"
        return "dt" if id(y) in self._d.cotangents else "t"

    def free(self, name: str) -> str:
        """The name, with a number where it has none of its own or is taken."""
        is_own = name not in ("t", "dt", "c", "C")
        found = name if is_own else ""
        while not found or found in self._taken:
            self._counts[name] += 1
            found = f"{name}_{self._counts[name] + 1}" if is_own else f"{name}{self._counts[name]}"
        self._taken.add(found)
        return found


def has_shape_of(y: SymbolicTensor, others: Sequence[SymbolicTensor]) -> bool:
    """Whether one of the operands has the shape of the result."""
    shapes = [dims(v) for v in others if is_certain(dims(v))]
    return is_certain(dims(y)) and any(tuple(s) == tuple(dims(y)) for s in shapes)


def is_uniform(value: Any) -> bool:
    """Whether all numbers of an array are the same."""
    return value.dtype.kind in "fiu" and bool(value.size) and bool(np.all(value == value.flat[0]))


def _hashable(attrs: Any) -> Any:
    return tuple(sorted((k, repr(v)) for k, v in attrs.items()))


def _value_of(op: Operation, d: Derivation) -> Any:
    if op.type == "Const":
        return np.asarray(op.attrs["value"])
    for value, inside in d.graph.captures:
        if inside is op.outputs[0]:
            return np.asarray(value._array)
    raise NotWritableError(f"{op.type} ({op.place}), which gives another value each time")
