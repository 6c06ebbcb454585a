"""From the operations of a plan to arrays that are computed element by element.

An elementwise operation is lowered by calling its row's kernel with lanes; one that only moves
elements becomes a view. The few others have rules in `lowering_rules`. An operation that has no
rule, or whose rule does not support the case at hand, becomes a step that NumPy computes.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Container, Sequence
from typing import Any, Final

import numpy as np

from wengert.core.table import TABLE, is_users
from wengert.engines.native.frontend.arrays import (
    AsList,
    Base,
    Count,
    Dims,
    Gather,
    Input,
    Known,
    Literal,
    Map,
    MiddleReduction,
    Outside,
    Piece,
    Pieces,
    Product,
    Reduction,
    Routine,
    Rows,
    Step,
    Tiled,
    Tiles,
    View,
    Write,
    broadcast,
    broadcast_shapes,
    is_plain,
    reshape,
    row_major,
    slice_view,
    transpose,
    whole,
)
from wengert.engines.native.frontend.lanes import LANES, Lane
from wengert.engines.native.frontend.list_forms import ListForm, bodies_of, list_forms
from wengert.engines.native.frontend.numbers.complex_numbers import (
    Pair,
    each_part,
    form_of_pair,
    is_complex,
    lowered_on_pairs,
    pair_of,
    side_by_side,
)
from wengert.engines.native.frontend.numbers.halves import lowered_on_halves, narrow, wide
from wengert.engines.native.frontend.scalar import (
    HALVES,
    Code,
    NotLowered,
    dtype_of,
    number_of,
    type_of,
    type_or_none,
)
from wengert.engines.native.frontend.templates import code_of, template
from wengert.engines.native.runtime import openblas
from wengert.execution.open_forms import open_values
from wengert.execution.plan import Plan
from wengert.graph.operation import Operation
from wengert.inference.deferred_calls import DeferredCall, gradient_call_of, plain_call_of
from wengert.values.dtypes import RESOURCE
from wengert.values.open_size import OpenSize, is_open
from wengert.values.symbolic import SymbolicTensor, is_certain

FEW: Final = 4096  # elements that are read in any order
ASSIGNMENTS: Final = {"AssignVariableOp": None, "AssignAddVariableOp": "add", "AssignSubVariableOp": "subtract"}  # fmt: skip


class _LeftOutError(Exception):
    """An operation that assigns variables, and turns out to need NumPy: all is lowered again without it."""

    def __init__(self, op: Operation) -> None:
        self.op = op


def lowering_of(plan: Plan, forms: dict[int, ListForm] | None = None) -> Lowering:
    """A plan lowered; `forms` are those of the lists, in a body."""
    left: set[int] = set()
    while True:
        try:
            return Lowering(plan, forms, left)
        except _LeftOutError as error:
            left.add(id(error.op))


class Lowering:
    """Lowers a plan, and holds the arrays and views that result."""

    is_simple = False  # whether its items are as simple as they get

    def __init__(
        self, plan: Plan, forms: dict[int, ListForm] | None, left: Container[int] = ()
    ) -> None:
        self.plan = plan
        self.is_body = forms is not None  # of a loop, or a branch
        # Of lists that are arrays here: their forms, their rows, and those with a single row.
        self.forms = list_forms(plan) if forms is None else forms
        self.lists: dict[int, View] = {}
        self.single: dict[Base, tuple[View, View]] = {}
        self.items: list[Any] = []  # what is computed, in order
        self.views: dict[int, View] = {}  # by the ids of tensors
        self.pairs: dict[int, Pair] = {}  # of complex numbers, by the ids of tensors
        self.of_pairs: set[Base] = set()  # whose last axis is that of the parts of complex numbers
        self.rows: dict[int, Rows] = {}  # of lists that loops make or take, by their ids
        self.given: dict[Base, SymbolicTensor] = {}  # the inputs of the plan
        self.source: dict[Base, SymbolicTensor] = {}  # the same, and the results of NumPy's steps
        self.constants: dict[Base, int] = {}  # indices into the plan's constants
        self.parts_of_constants: dict[
            Base, tuple[int, int]
        ] = {}  # of complex ones: also which part
        self.cells: dict[Base, SymbolicTensor] = {}  # variables that are read at the start
        self.checks: list[View] = []  # truth values that raise an error if true
        self._state: dict[int, View] = {}  # the current values of variables
        self.written: dict[int, tuple[SymbolicTensor, View]] = {}  # since the last step
        self.lacks_blas = False  # whether the plan would be another one with our OpenBLAS
        self._last: Step | None = None
        self._same: dict[Any, View] = {}  # by operands and code: common subexpressions
        self._routines: dict[Any, Routine] = {}  # the same of routines
        self._kept: list[Any] = []  # keeps alive the objects whose ids are in keys
        self.place: Any = None  # the operation being lowered
        self._whole = _compiled_whole(plan, self.forms, left)
        self._opaque = _opaque_cells(plan, self._whole, self.is_body)
        for x in plan.given:
            if not self.is_body or id(x) not in self.forms:
                self._enter(x)
            else:
                base = Input(*self.forms[id(x)][:2])
                self.given[base] = x
                self.lists[id(x)] = self._of_form(whole(base), self.forms[id(x)])
        opened = open_values(plan.order, plan.known)
        for at, (key, value) in enumerate(plan.used().items()):
            if key in self.forms:
                if len(value):
                    self.lists[key] = self._known_list(value, at, self.forms[key])
                continue
            if key in opened:
                view = self._open_constant(value, at, tensor_of(plan, key), opened[key])
            else:
                view = self._constant(value, at)
            if view is not None:
                self.views[key] = view
            elif is_complex(value):
                self.pairs[key] = self._constant_pair(value, at, key, opened.get(key))
        for op in plan.steps:
            self._lower(op)

    def _enter(self, x: SymbolicTensor) -> None:
        kind = kind_of(x)
        if kind is None or x._array.shape is None:
            form = form_of_pair(x)
            if form is not None:
                self.pairs[id(x)] = self._memory_of_pair(Input(*form), x)
                self.given[self.pairs[id(x)].real.base] = x
            return
        base = Input(x._array.shape, kind)
        self.given[base] = self.source[base] = x
        self.views[id(x)] = whole(base)

    def _memory_of_pair(self, base: Base, x: SymbolicTensor) -> Pair:
        """The parts of complex numbers that are in memory."""
        self.of_pairs.add(base)
        self.source[base] = x
        return pair_of(whole(base))

    def _constant_pair(self, value: Any, at: int, key: int, other: Any) -> Pair:
        """Each part of a constant is an array of its own, or a number; `other` is it at other sizes."""
        found = []
        for which, part in enumerate((np.real, np.imag)):
            if other is None:
                view = self._constant(part(value), at)
            else:
                view = self._open_constant(part(value), at, tensor_of(self.plan, key), part(other))
            assert view is not None
            if self.constants.pop(view.base, None) is not None:
                self.parts_of_constants[view.base] = at, which
            found.append(view)
        return Pair(*found)

    def _constant(self, value: Any, at: int) -> View | None:
        if not isinstance(value, (np.ndarray, np.generic)):  # a list of a loop
            return None
        array = np.asarray(value)
        try:
            kind = type_of(array.dtype)
        except NotLowered:
            return None
        if not array.size:
            return None
        flat = np.ascontiguousarray(array).reshape(-1)
        bits = flat.view(f"u{flat.itemsize}")  # 0.0 is not -0.0, and NaN is NaN
        if bool((bits == bits[0]).all()):
            return self.number(kind, flat[0], array.shape)
        base = Input(array.shape, kind)
        self.constants[base] = at
        return whole(base)

    def _open_constant(self, value: Any, at: int, x: SymbolicTensor, other: Any) -> View | None:
        """A constant that would be another one at other sizes: what differs is read from memory."""
        view, shape = self._constant(value, at), x._array.shape
        if view is None or view.shape != shape:
            return view
        is_number = isinstance(view.base, Literal)
        if isinstance(view.base, Literal) and _is_all(other, view.base.value):
            return View(view.base, shape, 0, view.strides)
        self.constants.pop(view.base, None)
        base = Input(shape, view.kind)
        self.constants[base] = at
        return View(base, shape, 0, (0,) * len(shape)) if is_number else whole(base)

    def _known_list(self, value: Any, at: int, form: ListForm) -> View:
        if value[0] is None:
            return self.number(form.kind, 0, form.shape)
        base = Input(form.shape, form.kind)
        self.constants[base] = at
        return self._of_form(whole(base), form)

    def _of_form(self, view: View, form: ListForm) -> View:
        """A list as an array, which Python sees as one of complex numbers if they are."""
        if form.is_of_pairs:
            self.of_pairs.add(view.base)
        return view

    def number(self, kind: str, value: Any, shape: Dims = ()) -> View:
        """The same number everywhere; one that depends on open sizes is read from memory."""
        if type(value) is OpenSize:
            known = Known((), kind, np.array(value, dtype_of(kind)))
            return View(known, shape, 0, (0,) * len(shape))
        return View(Literal(kind, value), shape, 0, (0,) * len(shape))

    # ---- one operation -------------------------------------------------------------------------

    def _lower(self, op: Operation) -> None:
        try:
            results = self._lowered(op)
        except NotLowered:
            self._outside(op)
            return
        for y, view in zip(op.outputs, results, strict=True):
            if isinstance(view, Pair):
                self.pairs[id(y)] = view
            elif view is not None and form_of_pair(y) is not None:
                self.seen_as(y, view.base)
                self.pairs[id(y)] = pair_of(view)
            elif view is not None:
                self.views[id(y)] = view

    def _lowered(self, op: Operation) -> Sequence[View | Pair | None]:
        row = op.row
        self.place = op
        if row.name in ASSIGNMENTS or row.name == "ReadVariableOp":
            return self._variable(op)
        if row.name in DRAWS:
            return DRAWS[row.name](self, op)
        if id(op) in self._whole:
            return self._lowered_whole(op)
        if (op.outputs and id(op.outputs[0]) in self.forms) or row.name.startswith("TensorList"):
            return [self._on_lists(op)]
        inputs = _without_empty(op)
        views: list[Any] = [self.views.get(id(x)) for x in inputs]
        if self.pairs and None in views:
            views = [v or self.pairs.get(id(x)) for v, x in zip(views, inputs, strict=True)]
        for v in views:
            if v is None or 0 in v.shape:
                raise NotLowered("an input is no array of numbers, or empty")
        if row.closes:  # passes on some of its inputs
            return list(row.kernel(None, *views))
        kinds = [kind_of(y) for y in op.outputs]
        if any(map(form_of_pair, op.outputs)) or any(isinstance(v, Pair) for v in views):
            return self._on_pairs(op, views)
        if None in kinds or any(0 in y._array.shape for y in op.outputs):
            raise NotLowered("the result is no array of numbers")
        lower = self._deferred if isinstance(row.inline, DeferredCall) else self._by_rule
        if not HALVES.isdisjoint([*kinds, *[v.kind for v in views]]):
            return lowered_on_halves(self, op, views, kinds, lower)
        return lower(op, views)

    def _on_pairs(self, op: Operation, operands: Sequence[Any]) -> Sequence[View | Pair]:
        """An operation on complex numbers."""
        if not all(is_certain(y._array.shape) and 0 not in y._array.shape for y in op.outputs):
            raise NotLowered("a result is empty, or of unknown rank")
        if isinstance(op.row.inline, DeferredCall):  # an index: parts of both
            return each_part(op, operands, self._deferred)
        if is_users(op.row) or op.row.stateful or op.row.effects or TABLE.get(op.row.name) is None:
            raise NotLowered("the operation is the user's, or more than a function")
        return lowered_on_pairs(self, op, operands, self._by_rule)

    def _lowered_whole(self, op: Operation) -> Sequence[View | None]:
        """An operation with bodies that are compiled."""
        try:
            return self._whole[id(op)].lowered(self, op)  # type: ignore[no-any-return]
        except NotLowered:
            if op.row.effects:  # then its variables are NumPy's from the beginning
                raise _LeftOutError(op) from None
            raise

    def _on_lists(self, op: Operation) -> View | None:
        """An operation that takes or gives a list."""
        if op.row.closes and len(op.outputs) == 1:
            if id(op.inputs[0]) not in self.lists:
                raise NotLowered("a list that NumPy makes")
            self.lists[id(op.outputs[0])] = self.lists[id(op.inputs[0])]
            return None
        if op.row.name not in LIST_RULES:
            raise NotLowered("there is no rule for lists")
        return LIST_RULES[op.row.name](self, op)

    def _by_rule(self, op: Operation, views: Sequence[Any]) -> Sequence[View]:
        row = op.row
        if is_users(row) or row.stateful or row.effects or TABLE.get(row.name) is None:
            raise NotLowered("the operation is the user's, or more than a function")
        rule = RULES.get(row.name)
        if rule is not None:
            if not _takes(rule, len(views)):
                raise NotLowered("more inputs than the usual ones")
            found = rule(self, op, *views, **op.attrs)
            return found if row.many else [found]
        if row.elementwise and not row.many and row.step is None:
            return [self.elementwise(op, views)]
        raise NotLowered("there is no rule")

    def _deferred(self, op: Operation, views: Sequence[View | None]) -> Sequence[View]:
        """A call that was put off until all is known, or its gradient."""
        found = gradient_call_of(op.row)
        if found is not None:
            rule = DEFERRED_RULES.get(found.call.name)
            if rule is not None:
                gs, xs = ([views[p.index] for p in places] for places in (found.gs, found.xs))
                return rule[1](self, op, found.call.args, xs, gs)  # type: ignore[no-any-return]
        plain = plain_call_of(op.row)
        rule = None if plain is None else DEFERRED_RULES.get(plain.name)
        if plain is None or rule is None:
            raise NotLowered("a call that was put off")
        return rule[0](self, op, plain.args, views)  # type: ignore[no-any-return]

    def elementwise(self, op: Operation, views: Sequence[Any]) -> View:
        """What an operation computes of each element."""
        form = op.outputs[0]._array
        code, result = template(op.row, [v.kind for v in views], op.attrs)
        if code.kind(result) != type_of(form.dtype):
            raise NotLowered("the result has another dtype in NumPy")
        return self.mapped(code, result, [broadcast(v, form.shape) for v in views], form.shape)

    def _outside(self, op: Operation) -> None:
        """Leave an operation to NumPy."""
        inputs: list[Any] = []
        views: list[View] = []
        for x in op.inputs:
            view = self.views.get(id(x))
            if view is None and id(x) in self.lists:
                inputs.append(self.as_list(x))
                views.append(inputs[-1].view)
                continue
            pair = self.pairs.get(id(x))
            if pair is not None and self.source.get(pair.real.base) is not x:
                inputs.append(side_by_side(self, pair))
                views.append(inputs[-1])
                continue
            # An input of the plan is passed on unchanged: it may be a variable, or missing.
            if view is None or self.source.get(view.base) is x:
                inputs.append(x)
            else:
                stored = self.stored(view)
                inputs.append(stored)
                views.append(stored)
        step = Step(op, inputs, views)
        lists = [self.rows[id(x)] for x in op.inputs if id(x) in self.rows]
        step.after += [rows.loop for rows in lists if rows.loop is not None]
        if self._last is not None:  # keep the program's order, which decides which error is raised
            step.after.append(self._last)
        step.checks, step.writes = self.left_over()
        step.after += [v.base for v in step.checks] + [w.view.base for w in step.writes]
        self._last = step
        self.items.append(step)
        for y in op.outputs:
            kind = kind_of(y)
            form = form_of_pair(y)
            if form is not None:
                memory = Outside(*form, step)
                step.results.append(memory)
                self.pairs[id(y)] = self._memory_of_pair(memory, y)
                continue
            if kind is None or not math.prod(y._array.shape):
                step.results.append(y)
                continue
            base = Outside(y._array.shape, kind, step)
            step.results.append(base)
            self.source[base] = y
            self.views[id(y)] = whole(base)

    def as_list(self, x: SymbolicTensor) -> AsList:
        """A list in memory."""
        form = self.forms[id(x)]
        return AsList(self._of_form(self.stored(self.lists[id(x)]), form), form.depth)

    def reserved(self, op: Operation, blocks: int) -> View:
        """The key and the counter from which an operation draws; its stream goes on after so many blocks."""
        step = Step(op, op.inputs[:1], [], blocks)
        base = Outside((3,), "u8", step)
        step.results.append(base)
        self.items.append(step)
        return whole(base)

    def left_over(self) -> tuple[list[View], list[Write]]:
        """The checks and assignments since the last step of NumPy's, or since the beginning."""
        checks = [self.stored(v) for v in self.checks]
        writes = [Write(c, self._seen(c, v), self._last) for c, v in self.written.values()]
        self.checks, self.written = [], {}
        return checks, writes

    def _seen(self, x: SymbolicTensor, view: View) -> View:
        """A value in memory, where Python sees it."""
        stored = self.stored(view)
        self.seen_as(x, stored.base)
        return stored

    def seen_as(self, x: SymbolicTensor, base: Base) -> None:
        """Python sees the memory as a tensor's: if that is complex, as complex numbers."""
        if form_of_pair(x) is not None:
            self.of_pairs.add(base)

    def memory(self, x: SymbolicTensor) -> View | None:
        """A tensor as it lies in memory; complex numbers with an axis of their parts."""
        pair = self.pairs.get(id(x))
        return self.views.get(id(x)) if pair is None else side_by_side(self, pair)

    # ---- variables -----------------------------------------------------------------------------

    def _variable(self, op: Operation) -> Sequence[View]:
        cell = op.inputs[0]
        if op.row.name == "ReadVariableOp":
            return [self.now(cell)]
        value = self.memory(op.inputs[1])
        how = ASSIGNMENTS[op.row.name]
        if value is None:
            raise NotLowered("the value is no array of numbers")
        if how is not None:
            given = [wide(self, self.now(cell)), wide(self, value)]
            value = narrow(self, self.computed(getattr(LANES, how), *given), value.kind)
        if id(cell) in self._opaque:
            raise NotLowered("something else uses the variable too")
        self.changed_to(cell, value)
        return []

    def changed_to(self, cell: SymbolicTensor, value: View) -> None:
        """From now on a variable has that value."""
        self._state[id(cell)] = value
        self.written[id(cell)] = cell, value

    def now(self, cell: SymbolicTensor) -> View:
        """The current value of a variable."""
        if id(cell) in self._opaque:
            raise NotLowered("something else uses the variable too")
        found = self._state.get(id(cell))
        if found is None:
            base = Input(*_form_of_cell(cell))
            self.cells[base] = cell
            self.seen_as(cell, base)
            found = self._state[id(cell)] = whole(base)
        return found

    # ---- arrays --------------------------------------------------------------------------------

    def mapped(self, code: Code, result: int, views: Sequence[View], shape: Dims) -> View:
        """An elementwise array, from scalar code."""
        kind = code.kind(result)
        if all(type(v.base) is Literal for v in views):
            number = _number_from(code, result, [v.base for v in views])
            if number is not None:
                return self.number(kind, number, shape)
        place = self._known(code, result)
        if place is not None and views[place].kind == kind:
            return views[place]  # it is one of the operands
        key = (id(code), result, shape, *[_key(v) for v in views])
        return self._once(key, lambda: Map(shape, kind, code, result, views, self.place), code)

    def _once(self, key: Any, make: Callable[[], Base], *kept: Any) -> View:
        """The array of that key: made on first use, and shared by equal expressions afterwards."""
        found = self._same.get(key)
        if found is None:
            base = make()
            self.items.append(base)
            found = self._same[key] = whole(base)
            self._kept.append(kept)
        return found

    def _known(self, code: Code, result: int) -> int | None:
        op, _, _, extra = code.instructions[result]
        return extra if op == "param" else None

    def computed(self, function: Callable[..., Lane], *views: View) -> View:
        """An elementwise array, from a function of lanes."""
        (found,) = self.all_computed(lambda *xs: [function(*xs)], *views)
        return found

    def all_computed(self, function: Callable[..., Sequence[Lane]], *views: View) -> list[View]:
        """Elementwise arrays, from a function of lanes that gives several."""
        shape = broadcast_shapes(*[v.shape for v in views])
        code, results = code_of(function, [v.kind for v in views])
        given = [broadcast(v, shape) for v in views]
        return [self.mapped(code, result, given, shape) for result in results]

    def stored(self, view: View) -> View:
        """The same array, contiguous in memory."""
        if is_plain(view) and type(view.base) not in (Literal, Count):
            return View(view.base, view.shape, 0, row_major(view.shape))
        return self.copied(view)

    def copied(self, view: View) -> View:
        return self._once(("copy", view.shape, _key(view)), lambda: copy_of(view, self.place))

    def copied_after(self, view: View, other: View) -> View:
        """The same array, as one of its own that is there after another one."""
        made = copy_of(view, self.place)
        made.alone = True  # not in a loop that the other one waits for
        if type(other.base) not in (Literal, Count):
            made.after = [other.base]
        self.items.append(made)
        return whole(made)

    def reshape(self, view: View, shape: Dims) -> View:
        found = reshape(view, shape)
        if found is None:
            found = reshape(self.copied(view), shape)
        assert found is not None
        return found

    def within(self, index: View, least: int, size: int) -> View:
        """Indices on an axis, from `least` on; those out of range are reported at the end.

        Until then they are 0, so that nothing is read or written beyond the array.
        """

        def inside(v: Lane) -> Lane:
            return LANES.logical_and(v >= least, v < size)

        def known(v: Lane) -> Lane:
            at = LANES.where(v < 0, v + size, v) if least < 0 else v
            return LANES.where(inside(v), at, v * v.dtype.type(0))

        wrong = self.computed(lambda v: LANES.logical_not(inside(v)), index)
        self.checks.append(self.reduced("any", wrong, range(len(index.shape)), False))
        return self.computed(known, index)

    def places(self, shape: Dims, axis: int) -> View:
        """For each element its index on an axis."""
        strides = [0] * len(shape)
        strides[axis] = 1
        return View(Count((shape[axis],), "i4"), shape, 0, tuple(strides))

    def reduced(self, how: str, view: View, axes: Sequence[int], keepdims: bool) -> View:
        """Sums, products or extremes along axes."""
        shape = view.shape
        result = tuple(
            1 if i in axes else n for i, n in enumerate(shape) if keepdims or i not in axes
        )
        along = [i for i in axes if shape[i] != 1]
        if not along:
            return self.reshape(view, result)
        if view.kind in HALVES:
            raise NotLowered("sums of numbers of two bytes")
        kept = [i for i, n in enumerate(shape) if n != 1 and i not in along]
        if kept and min(along) < max(kept):
            found = self._before_others(how, view, along)
            if found is not None:
                return self.reshape(found, result)
        if not kept:
            where = "all"
        elif min(along) > max(kept):
            where = "last"
        elif max(along) < min(kept):
            where = "first"
        else:
            view, where = transpose(view, [*kept, *along]), "last"
            if view.strides[-1] != 1 and view.size > FEW:
                raise NotLowered("extremes along axes in the middle")
        dims = tuple(shape[i] for i in kept)
        key = (how, where, dims, view.shape, _key(view))
        total = self._once(key, lambda: Reduction(dims, view.kind, how, view, where, self.place))
        return self.reshape(total, result)

    def _before_others(self, how: str, view: View, along: Sequence[int]) -> View | None:
        """Reductions along axes behind which others are kept: down the columns of matrices; None if there are none."""
        matrices = self._matrices_down(view, along)
        wide = None if matrices is None else self._widened(how, matrices)
        if wide is not None or math.prod(view.shape[: along[0]]) == 1:
            return wide
        if view.size <= FEW:  # read across, with what uses the result in the same loop
            return None
        is_product = how == "sum" and _is_in_the_middle(view, along)
        if is_product and (matrices is None or _is_narrow(matrices)):
            return self._middle_sum(view, along)
        return None if matrices is None else self._down(how, matrices)

    def _matrices_down(self, view: View, along: Sequence[int]) -> View | None:
        """Matrices, whose rows lie along these axes and what is between them; None if there are none."""
        first, end = along[0], along[-1] + 1
        parts = view.shape[:first], view.shape[first:end], view.shape[end:]
        shape = tuple(map(math.prod, parts))
        if is_open(shape[2:]) or math.prod([view.shape[i] for i in along]) != shape[1]:
            return None
        return reshape(view, shape)

    def _down(self, how: str, matrices: View) -> View:
        """Sums, products or extremes down the columns of matrices."""
        count, _, columns = matrices.shape
        key = (how, "middle", matrices.shape, _key(matrices))
        return self._once(
            key,
            lambda: MiddleReduction((count, columns), matrices.kind, how, matrices, self.place),
        )

    def _widened(self, how: str, matrices: View) -> View | None:
        """The same of a few columns, first of several rows side by side, which fill vectors; None if there is no need."""
        count, rows, columns = matrices.shape
        if is_open((rows,)) or columns > 32 or matrices.size < FEW or not _is_as_it_lies(matrices):
            return None
        beside = _beside_each_other(rows, columns)
        if beside == 1:
            return None
        wide = self.reshape(matrices, (count, rows // beside, beside * columns))
        found = self.reduced(how, wide, [1], False)
        return self._down(how, self.reshape(found, (count, beside, columns)))

    def _middle_sum(self, view: View, along: Sequence[int]) -> View:
        """Sums along axes that others surround: products with rows of ones."""
        first, end = along[0], along[-1] + 1
        parts = view.shape[:first], view.shape[first:end], view.shape[end:]
        outer, count, inner = map(math.prod, parts)
        matrices = self.reshape(view, (outer, count, inner))
        return self.product(self.number(view.kind, 1, (outer, 1, count)), matrices)

    def product(self, a: View, b: View) -> View:
        """Products of matrices, with leading axes that broadcast."""
        if a.kind not in ("f4", "f8"):
            raise NotLowered("matrices that BLAS does not multiply")
        if openblas.address(a.kind) is None:
            self.lacks_blas = True
            raise NotLowered("there is no OpenBLAS")
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        if a.shape[-2] == b.shape[-1] == 1:
            return self._inner_products(a, b, batch)
        views = [self._matrices(broadcast(x, (*batch, *x.shape[-2:]))) for x in (a, b)]
        shape = (*batch, a.shape[-2], b.shape[-1])
        key = ("product", shape, *[(v.shape, _key(v)) for v in views])
        return self._once(key, lambda: Product(shape, a.kind, views, self.place))

    def _inner_products(self, a: View, b: View, batch: Dims) -> View:
        """Rows by columns: sums, in which what they are made of is computed."""
        rows, columns = slice_view(a, [..., 0, slice(None)]), slice_view(b, [..., 0])
        total = self.reduced(
            "sum", self.computed(LANES.multiply, rows, columns), [len(batch)], False
        )
        return self.reshape(total, (*batch, 1, 1))

    def _matrices(self, view: View) -> View:
        """The matrices in a layout that BLAS can read, copied if need be."""
        if type(view.base) in (Literal, Count) or leading_dimension(view) is None:
            return self.copied(view)
        return view

    def routine(
        self,
        function: str,
        arguments: Sequence[Any],
        operands: Sequence[View],
        forms: Sequence[tuple[Dims, str]],
        scratch: Sequence[tuple[Dims, str]] = (),
        work: int = 0,
        parts: int = 1,
    ) -> list[View]:
        """Arrays of these forms, computed by a function of `routines` from others in memory."""
        if any(v.kind in HALVES for v in operands):
            raise NotLowered("a routine on numbers of two bytes")
        stored = [self.stored(v) for v in operands]
        key = (function, *map(_identity, arguments), *[(v.shape, _key(v)) for v in stored])
        found = self._routines.get(key)
        if found is None:
            found = self._routines[key] = Routine(function, arguments, stored, forms, self.place)
            found.scratch, found.work, found.parts = scratch, work or found.work, parts
            self.items.append(found)
        return [whole(result) for result in found.results]

    def tiled(self, tiles: Tiles, operands: Sequence[View], shape: Dims) -> View:
        """An array that a kernel computes from others in memory."""
        if operands[0].kind in HALVES:
            raise NotLowered("a kernel on numbers of two bytes")
        stored = [self.stored(v) for v in operands]
        key = ("tiled", tiles, *[(v.shape, _key(v)) for v in stored])
        return self._once(key, lambda: Tiled(shape, stored[0].kind, tiles, stored, self.place))

    def gathered(self, table: View, index: View, axis: int, inner: Dims) -> View:
        """Gather: slices of a table along an axis, by an index, which has the shape `inner`."""
        sizes, steps = table.shape, table.strides
        shape = (*sizes[:axis], *inner, *sizes[axis + 1 :])
        strides = (*steps[:axis], *[0] * len(inner), *steps[axis + 1 :])
        code = Code()
        views = [broadcast(index, shape), View(table.base, shape, table.offset, strides)]
        result = code.add("param", table.kind, (), 1)
        base = Gather(shape, table.kind, code, result, views, self.place)
        base.step = steps[axis]
        self.items.append(base)
        return whole(base)

    def assembled(
        self, shape: Dims, kind: str, fill: Any, parts: Sequence[tuple[View, View]]
    ) -> View:
        """An array assembled from pieces: each of `parts` is a piece, and the view to write it to.

        That view may be of any base of the array's shape.
        """
        target = Pieces(shape, kind, self.place)
        ground: Piece | None = None
        if fill is not None:
            ground = piece_of(self.number(kind, fill, shape), whole(target), self.place)
            ground.alone = True
            target.pieces.append(ground)
        for part, place in parts:
            goal = View(target, place.shape, place.offset, place.strides)
            piece = piece_of(part, goal, self.place)
            if ground is not None:
                piece.after.append(ground)
            target.pieces.append(piece)
        self.items += [*target.pieces, target]
        return whole(target)


def _is_in_the_middle(view: View, along: Sequence[int]) -> bool:
    """Whether axes follow each other, and matrices of them and those behind lie in memory as they are."""
    follow = [i for i in range(along[0], along[-1] + 1) if view.shape[i] != 1]
    return (
        view.kind in ("f4", "f8")
        and view.size > FEW
        and view.strides[-1] == 1
        and follow == list(along)
    )


def _beside_each_other(rows: int, columns: int) -> int:
    """How many rows are best added up side by side: each vector of theirs waits four cycles for the one before."""

    def cycles(beside: int) -> int:
        vectors = -(-beside * columns // 16)
        return rows // beside * max(4, vectors) + (4 * beside if beside > 1 else 0)

    return min((n for n in range(1, 128 // columns + 1) if rows % n == 0), key=cycles)


def _is_as_it_lies(view: View, depth: int = 3) -> bool:
    """Whether elements lie in memory, or are computed of what was there before, in the order of a view.

    Of what else is computed the loop itself may add up.
    """
    if not is_plain(view):
        return False
    if type(view.base) is not Map:
        return type(view.base) in (Input, Outside)
    return depth > 0 and all(
        type(v.base) is Literal or _is_as_it_lies(v, depth - 1) for v in view.base.views
    )


def _is_narrow(matrices: View) -> bool:
    """Whether sums down columns would have vectors with few elements, one after the other."""
    return matrices.shape[1] >= 64 and matrices.shape[2] < 8


def copy_of(view: View, place: Any = None) -> Map:
    """What a view reads, as an array."""
    return Map(view.shape, view.kind, *as_it_is(view.kind), [view], place)


def piece_of(part: View, target: View, place: Any) -> Piece:
    """Elements to be written into another array."""
    piece = Piece(part.shape, part.kind, *as_it_is(part.kind), [part], place)
    piece.target = target
    return piece


@functools.cache
def as_it_is(kind: str) -> tuple[Code, int]:
    """The code that copies a number: one object for all, so that equal copies are recognized."""
    code = Code()
    return code, code.add("param", kind, (), 0)


def _identity(argument: Any) -> Any:
    return id(argument) if isinstance(argument, Code) else argument


def _key(view: View) -> Any:
    return id(view.base), view.offset, view.strides


def leading_dimension(view: View) -> tuple[bool, int] | None:
    """How BLAS reads matrices: transposed or not, and the leading dimension; None if it cannot."""
    (rows, columns), (r, c) = view.shape[-2:], view.strides[-2:]
    if (c == 1 or columns == 1) and (rows == 1 or r >= columns):
        return False, r if rows > 1 else max(columns, 1)
    if (r == 1 or rows == 1) and (columns == 1 or c >= rows):
        return True, c if columns > 1 else max(rows, 1)
    return None


def known_shape(x: SymbolicTensor) -> Dims:
    """The shape of a tensor, if all of it is known before the plan runs."""
    shape: Dims = x._array.shape
    if not is_certain(shape):
        raise NotLowered("a shape that is not known")
    return shape


def _without_empty(op: Operation) -> Sequence[SymbolicTensor]:
    """The inputs of an operation, without arrays that add nothing to what is joined."""
    if op.row.name != "ConcatV2":
        return op.inputs
    return [x for x in op.inputs if not _is_empty(x)]


def _is_empty(x: SymbolicTensor) -> bool:
    shape = x._array.shape
    return is_certain(shape) and 0 in shape


# ---- queries on a plan --------------------------------------------------------------------------


def tensor_of(plan: Plan, key: int) -> SymbolicTensor:
    """The tensor of this id that a plan uses."""
    used = (x for op in plan.steps for x in op.inputs)
    return next(x for x in (*used, *plan.fetches) if id(x) == key)


def _is_all(array: Any, number: Any) -> bool:
    """Whether an array is known, and each of its elements has the bits of a number."""
    if not isinstance(array, (np.ndarray, np.generic)):
        return False
    return bool(np.asarray(array).tobytes() == np.asarray(number).tobytes() * int(np.size(array)))


def kind_of(x: SymbolicTensor) -> str | None:
    """The type of a tensor's elements; None if it is no array of a known shape."""
    form = x._array
    if not is_certain(form.shape):
        return None
    try:
        return type_or_none(np.dtype(form.dtype))
    except TypeError:  # not a dtype of NumPy's
        return None


def is_stream(cell: SymbolicTensor) -> bool:
    """Whether it is the stream of operations that draw: only of these the state is asked for."""
    return cell._array.dtype is RESOURCE


def _form_of_cell(cell: SymbolicTensor) -> tuple[Dims, str]:
    """The shape and the type of what it holds; of a stream, the words of its state."""
    if is_stream(cell):
        return (3,), "u8"
    form = form_in_memory(cell)
    assert form is not None
    return form


def form_in_memory(x: SymbolicTensor) -> tuple[Dims, str] | None:
    """The shape and the type of a tensor as it lies in memory; None if it is no array of a known shape."""
    kind = kind_of(x)
    return form_of_pair(x) if kind is None else (x._array.shape, kind)


def _compiled_whole(plan: Plan, forms: dict[int, ListForm], left: Container[int]) -> dict[int, Any]:
    """The operations with bodies that can be compiled, by their ids; some are left to NumPy."""
    ops = [op for op in plan.steps if op.row.name in WHOLE and id(op) not in left]
    used = {id(x) for op in plan.steps for x in op.inputs} if ops else set()
    used |= {id(x) for x in plan.fetches}
    found = {id(op): _inside(op, used, forms) for op in ops}
    return {key: inside for key, inside in found.items() if inside is not None}


def _inside(op: Operation, used: set[int], forms: dict[int, ListForm]) -> Any:
    """The bodies of an operation, lowered; None if one of them cannot be."""
    kind, lowered = WHOLE[op.row.name]
    bodies = bodies_of(op, kind)
    if bodies is None:
        return None
    try:
        return lowered(bodies, op, used, forms)
    except NotLowered:
        return None


def _opaque_cells(plan: Plan, whole: dict[int, Any], is_body: bool) -> set[int]:
    """Variables with uses other than reading and assigning values of a known shape and dtype."""
    found: set[int] = set()
    for op in plan.steps:
        if id(op) in whole:  # it reads and assigns them as the plan does
            continue
        if is_body and op.row.name in DRAWS:  # it goes on from the stream's state
            continue
        simple = op.row.name == "ReadVariableOp" or op.row.name in ASSIGNMENTS
        for at, x in enumerate(op.inputs):
            lowered = simple and at == 0 and form_in_memory(x) is not None
            if lowered and len(op.inputs) == 2:
                lowered = _same_form(x, op.inputs[1])
            if at == 0 and simple and op.outputs:
                lowered = lowered and _same_form(x, op.outputs[0])
            if not lowered:
                found.add(id(x))
    return found


def _same_form(x: SymbolicTensor, y: SymbolicTensor) -> bool:
    a, b = x._array, y._array
    return (
        is_certain(b.shape) and a.shape == b.shape and a.dtype == b.dtype and math.prod(a.shape) > 0
    )


def _number_from(code: Code, result: int, bases: Sequence[Any]) -> Any:
    """The number that code yields for numbers, if that is known without computing it."""
    outer = Code()
    arguments = [outer.constant(b.kind, b.value) for b in bases]
    value = outer.inserted(code, arguments)[result]
    op, kind, _, extra = outer.instructions[value]
    return number_of(kind, extra) if op == "const" else None


# ---- operations that are more than elementwise --------------------------------------------------

RULES: Final[dict[str, Callable[..., Any]]] = {}


def _takes(rule: Callable[..., Any], count: int) -> bool:
    """Whether a rule accepts so many inputs: an index may be a tensor, for example."""
    code = rule.__code__
    wanted = code.co_argcount - 2
    return count >= wanted if code.co_flags & inspect.CO_VARARGS else count == wanted


# For an operation with bodies, by its name: what holds them, and what lowers them, given the tensors
# that are used and the forms of lists.
WHOLE: Final[dict[str, tuple[type, Callable[..., Any]]]] = {}

# Lowering of operations on lists, by name: what an operation gives, if that is an array.
LIST_RULES: Final[dict[str, Callable[[Lowering, Operation], View | None]]] = {}

# Lowering of operations that draw from a stream, by name.
DRAWS: Final[dict[str, Callable[[Lowering, Operation], Sequence[View]]]] = {}

# Lowering of calls that were put off, by the module and the name of the function: of the call, and
# of its gradient.
DEFERRED_RULES: Final[dict[tuple[str, str], tuple[Callable[..., Any], Callable[..., Any]]]] = {}


# Operations that functions of `routines` compute, by name.
ROUTINES: Final[set[str]] = set()


def rule(
    *names: str, by_routine: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def declared(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            RULES[name] = function
            if by_routine:
                ROUTINES.add(name)
        return function

    return declared
