"""What the lists of a plan hold, where their lengths and the forms of their elements are known.

A list and what is made of it by setting an element, and what a loop carries from one iteration to
the next, are of one form: they belong to one class, and what is known of one is known of all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from wengert.engines.native.frontend.scalar import TYPE_OF
from wengert.execution.plan import Plan
from wengert.graph.operation import Operation
from wengert.inference.symbolic_integers import known_value
from wengert.ops.control.while_op import Loop
from wengert.values.dtypes import VARIANT
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import TensorList

Bodies = TypeVar("Bodies")


class ListForm(NamedTuple):
    """A list as an array: one row for each element."""

    shape: tuple[int, ...]
    kind: str


def list_forms(plan: Plan) -> dict[int, ListForm]:
    """The forms of lists, by the ids of their tensors, in loops, too."""
    if not any(_is_list(x) for op in plan.steps for x in op.outputs):
        return {}
    classes = _Classes()
    for key, value in plan.known.items():
        if isinstance(value, TensorList):
            classes.is_known(key, value)
    classes.look_at(plan.steps)
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

    def is_known(self, key: int, value: TensorList) -> None:
        """A list that is made before the plan runs."""
        forms = {None if v is None else (np.shape(v), np.asarray(v).dtype) for v in value}
        is_even = len(forms) == 1 and value.form is None
        self._lengths.append((key, len(value) if is_even else None))
        self._elements += [(key, form) for form in forms if form is not None]

    def look_at(self, steps: Iterable[Operation]) -> None:
        for op in steps:
            loop = bodies_of(op, Loop)
            if loop is not None:
                self._loop(op, loop)
            elif any(_is_list(x) for x in (*op.inputs, *op.outputs)):
                self._operation(op)

    def _loop(self, op: Operation, loop: Loop) -> None:
        n, s = len(loop.carried), len(loop.taken)
        given = loop.carried if loop.condition is None else loop.condition.all_inputs[:n]
        carried = zip(op.inputs, loop.carried, loop.results, op.outputs, given, strict=False)
        for same in carried:
            if _is_list(same[0]):
                self._same(*same)
        for x, at in loop.same:
            if _is_list(x):
                self._same(x, op.inputs[n + s + at])
        self.look_at(loop.body.operations)

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
                if _is_list(x):
                    self._holds(x, None)

    def found(self) -> dict[int, ListForm]:
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
                (size,), ((shape, kind),) = sizes, forms
                known[root] = ListForm((size, *shape), kind)
        return {
            key: known[self._root(key)]
            for key in list(self._parent) + list(lengths)
            if self._root(key) in known
        }


def _element(form: Any) -> tuple[tuple[int, ...], str] | None:
    if form is None:
        return None
    shape, dtype = form
    kind = TYPE_OF.get(getattr(dtype, "numpy_dtype", dtype)) if is_certain(shape) else None
    return None if kind is None else (tuple(map(int, shape)), kind)


def _is_list(x: Any) -> bool:
    return getattr(x._array, "dtype", None) is VARIANT
