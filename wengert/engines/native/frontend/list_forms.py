"""What the lists of a plan hold, where their lengths and the forms of their elements are known.

A list and what is made of it by setting an element, and what a loop carries from one iteration to
the next, are of one form: they belong to one class, and what is known of one is known of all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from wengert.engines.native.frontend.numbers.complex_lanes import PART_OF
from wengert.engines.native.frontend.scalar import TYPE_OF
from wengert.execution.plan import Plan
from wengert.graph.graph_builder import CONST
from wengert.graph.operation import Operation
from wengert.inference.list_elements import is_list
from wengert.inference.symbolic_integers import known_value
from wengert.ops.control.cond import Branches
from wengert.ops.control.trip_counts import trips
from wengert.ops.control.while_op import Loop
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import TensorList

Bodies = TypeVar("Bodies")


class ListForm(NamedTuple):
    """A list as an array: one row for each element, which may be a list itself."""

    shape: tuple[int, ...]
    kind: str
    depth: int = 1  # of the lists in each other; 0 for an array
    is_of_pairs: bool = False  # whether the last axis is that of the parts of complex numbers


def list_forms(plan: Plan) -> dict[int, ListForm]:
    """The forms of lists, by the ids of their tensors, in loops, too."""
    if not any(op.row.bodies or any(map(is_list, op.outputs)) for op in plan.steps):
        return {}
    classes = _Classes()
    for x in plan.given:
        if is_list(x):
            classes.is_given(x)
    for key, value in plan.known.items():
        if isinstance(value, TensorList):
            classes.is_known(key, value)
    classes.look_at([*[op for op in plan.order if op.row is CONST], *plan.steps])
    return classes.found()


def bodies_of(op: Operation, kind: type[Bodies]) -> Bodies | None:
    """The loop or the branches that an operation runs."""
    owner = op.row.bodies
    return owner if type(owner) is kind else None


class _Classes:
    def __init__(self) -> None:
        self._parent: dict[int, int] = {}
        # What is known, one entry for each that says so: None for what rules a form out.
        self._lengths: list[tuple[int, int | None]] = []
        self._elements: list[tuple[int, Any]] = []
        self._as_long: list[tuple[int, int]] = []  # a list that is as long as another
        self._nested: list[tuple[int, int]] = []  # a list, and one of those that are its elements

    def _root(self, key: int) -> int:
        while (above := self._parent.setdefault(key, key)) != key:
            self._parent[key] = key = self._parent[above]
        return key

    def _same(self, *tensors: SymbolicTensor) -> None:
        first, *others = [self._root(id(x)) for x in tensors]
        for other in others:
            self._parent[other] = first

    def _holds(self, x: SymbolicTensor, form: Any) -> None:
        self._elements.append((id(x), form))

    def is_given(self, x: SymbolicTensor) -> None:
        """A list of which nothing is known before the plan runs."""
        self._lengths.append((id(x), None))

    def is_known(self, key: int, value: TensorList) -> None:
        """A list that is made before the plan runs."""
        forms = {None if v is None else (np.shape(v), np.asarray(v).dtype) for v in value}
        is_even = len(forms) == 1 and value.form is None
        self._lengths.append((key, len(value) if is_even else None))
        self._elements += [(key, form) for form in forms if form is not None]

    def look_at(self, steps: Iterable[Operation]) -> None:
        for op in steps:
            loop = bodies_of(op, Loop)
            branches = bodies_of(op, Branches)
            if loop is not None:
                self._loop(op, loop)
            elif branches is not None:
                self._branches(op, branches)
            elif op.row is CONST:
                self._constant(op)
            elif any(is_list(x) for x in (*op.inputs, *op.outputs)):
                self._operation(op)

    def _constant(self, op: Operation) -> None:
        """Where a list should be, a number stands for zeros, however many."""
        if is_list(op.outputs[0]) and not isinstance(op.attrs["value"], TensorList):
            self._lengths.append((id(op.outputs[0]), None))

    def _loop(self, op: Operation, loop: Loop) -> None:
        n, s = len(loop.carried), len(loop.taken)
        given = loop.carried if loop.condition is None else loop.condition.all_inputs[:n]
        carried = zip(op.inputs, loop.carried, loop.results, op.outputs, given, strict=False)
        for same in carried:
            if is_list(same[0]):
                self._same(*same)
        for x, at in loop.same:
            if is_list(x):
                self._same(x, op.inputs[n + s + at])
        self._stacks(op, loop)
        self.look_at(loop.body.operations)

    def _stacks(self, op: Operation, loop: Loop) -> None:
        """What a loop takes and emits: an element for each iteration."""
        n, s = len(loop.carried), len(loop.taken)
        taken, emitted = op.inputs[n : n + s], op.outputs[n:]
        for x, t in zip(taken, loop.taken, strict=True):
            self._is_element(t.inside, x)
        count = trips(op, loop) if emitted else None
        for y, e in zip(emitted, loop.emitted, strict=True):
            self._is_element(e.inside, y)
            if taken:
                self._as_long.append((id(y), id(taken[0])))
            else:
                self._lengths.append((id(y), count or None))

    def _is_element(self, x: SymbolicTensor, values: SymbolicTensor) -> None:
        if is_list(x):
            self._nested.append((id(values), id(x)))
        else:
            self._holds(values, (x._array.shape, x._array.dtype))

    def _branches(self, op: Operation, branches: Branches) -> None:
        for body, places in zip(branches.bodies, branches.places, strict=True):
            results = zip(op.outputs, body.results[: branches.count], strict=False)
            inputs = zip([op.inputs[1 + at] for at in places], body.graph.all_inputs, strict=True)
            for x, y in (*results, *inputs):
                if is_list(x):
                    self._same(x, y)
            self.look_at(body.graph.operations)
        more = zip(op.outputs[branches.count :], branches.more, strict=True)
        for y, (branch, at) in more:
            if is_list(y):
                self._same(y, branches.bodies[branch].results[at])

    def _operation(self, op: Operation) -> None:
        name, xs, ys = op.row.name, op.inputs, op.outputs
        if op.row.closes:  # it passes its inputs on
            self._same(xs[0], *ys)
        elif name == "TensorListReserve":
            known = None if op.attrs.get("grows") else known_value(xs[0])
            self._lengths.append((id(ys[0]), None if known is None else int(known)))
        elif name == "TensorListFromTensor":
            shape = xs[0]._array.shape
            certain = is_certain(shape)
            self._lengths.append((id(ys[0]), int(shape[0]) if certain else None))
            self._holds(ys[0], (shape[1:], xs[0]._array.dtype) if certain else None)
        elif name in ("TensorListGetItem", "TensorListStack"):
            shape = op.attrs["shape"]
            if shape is not None and None not in shape:
                self._holds(xs[0], (shape, op.attrs["dtype"]))
        elif name in ("TensorListSetItem", "TensorListOnlyItem"):
            self._same(ys[0], xs[0])
            self._holds(ys[0], (xs[2]._array.shape, xs[2]._array.dtype))
        elif name in ("TensorListClearItem", "TensorListZerosLike", "TensorListAdd", "ZerosLike"):
            self._same(*ys, *xs[: 2 if name == "TensorListAdd" else 1])
        elif xs and name not in (
            "TensorListGetItemLike",
            "TensorListStackLike",
            "TensorListLength",
        ):
            for x in (*xs, *ys):
                if is_list(x):
                    self._holds(x, None)

    def found(self) -> dict[int, ListForm]:
        """The forms that follow, from the outside to the lists in lists, and back."""
        known = self._known()
        while True:
            for key, other in self._as_long:
                form = known.get(self._root(other))
                if form is not None:
                    self._lengths.append((key, form.shape[0]))
            for key, inner in self._nested:
                self._relate(known, key, inner)
            before, known = known, self._known()
            if len(known) == len(before):
                break
        keys = {*self._parent, *[key for key, _ in self._lengths]}
        return {key: known[self._root(key)] for key in keys if self._root(key) in known}

    def _relate(self, known: dict[int, ListForm], key: int, inner: int) -> None:
        """A list of lists is an array of arrays."""
        outer, one = known.get(self._root(key)), known.get(self._root(inner))
        if one is not None:
            self._elements.append((key, one))
        if outer is not None and outer.depth > 1:
            self._lengths.append((inner, outer.shape[1]))
            element = outer._replace(shape=outer.shape[2:], depth=outer.depth - 2)
            self._elements.append((inner, element))

    def _known(self) -> dict[int, ListForm]:
        lengths: dict[int, set[Any]] = {}
        elements: dict[int, set[Any]] = {}
        for key, length in self._lengths:
            lengths.setdefault(self._root(key), set()).add(length)
        for key, form in self._elements:
            elements.setdefault(self._root(key), set()).add(_element(form))
        known = {}
        for root, sizes in lengths.items():
            forms = elements.get(root, set())
            if len(sizes) == len(forms) == 1 and None not in sizes | forms:
                (size,), ((shape, kind, depth, is_of_pairs),) = sizes, forms
                if 0 in (size, *shape):  # there is nothing to compute
                    continue
                known[root] = ListForm((size, *shape), kind, depth + 1, is_of_pairs)
        return known


def _element(form: Any) -> ListForm | None:
    if form is None or isinstance(form, ListForm):
        return form
    shape, dtype = form
    if not is_certain(shape):
        return None
    dtype, sizes = getattr(dtype, "numpy_dtype", dtype), tuple(map(int, shape))
    if dtype in PART_OF:
        return ListForm((*sizes, 2), PART_OF[dtype], 0, True)
    kind = TYPE_OF.get(dtype)
    return None if kind is None else ListForm(sizes, kind, 0)
