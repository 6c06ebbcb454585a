"""Lowering of lists of tensors: a list of known length is an array, with a row for each element.

What was not written is zero. Setting an element writes over the row, where nothing else reads the
list as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.engines.native.frontend.arrays import RowSet, View, is_plain, whole
from wengert.engines.native.frontend.lanes import LANES
from wengert.engines.native.frontend.list_forms import ListForm
from wengert.engines.native.frontend.lowering import LIST_RULES, Lowering, rule
from wengert.engines.native.frontend.parts import shape_in
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.graph.operation import Operation

Rule = Callable[[Lowering, Operation], View | None]


def _rule(*names: str) -> Callable[[Rule], Rule]:
    def declared(function: Rule) -> Rule:
        for name in names:
            LIST_RULES[name] = function
        return function

    return declared


def _form(low: Lowering, x: Any) -> ListForm:
    found = low.forms.get(id(x))
    if found is None or 0 in found.shape:
        raise NotLowered("a list of which the form is not known")
    return found


def _list(low: Lowering, x: Any) -> View:
    """The rows of a list."""
    found = low.lists.get(id(x))
    if found is None:
        raise NotLowered("a list that NumPy makes")
    return found


def _array(low: Lowering, x: Any) -> View:
    found = low.memory(x)
    if found is None or 0 in found.shape:
        raise NotLowered("an input is no array of numbers, or empty")
    return found


def _index(low: Lowering, x: Any, length: int) -> View:
    """An index within a list, as a number of 64 bits, which is what writes rows reads."""
    index = low.reshape(_array(low, x), (1,))
    if index.kind not in ("i4", "i8"):
        raise NotLowered("an index of another type")
    return low.computed(lambda v: v.astype("i8"), low.within(index, 0, length))


def _zeros(low: Lowering, form: ListForm) -> View:
    return low.number(form.kind, 0, form.shape)


def row_at(low: Lowering, values: View, index: View) -> View:
    """A row of an array."""
    table = low.stored(values)
    return low.gathered(table, low.reshape(index, (1,) * (len(values.shape) - 1)), 0, ())


def with_row(low: Lowering, values: View, index: View, item: View) -> View:
    """An array with another row, which is written over it where nothing reads it as it was."""
    if item.shape != values.shape[1:] or item.kind != values.kind:
        raise NotLowered("an element of another form than the list's")
    base = RowSet(low.stored(values), low.stored(index), low.stored(item), low.place)
    low.items.append(base)
    return whole(base)


def with_added(low: Lowering, values: View, index: View, item: View) -> View:
    """An array with something added to a row."""
    return with_row(low, values, index, low.computed(LANES.add, row_at(low, values, index), item))


def row_among_zeros(low: Lowering, shape: tuple[int, ...], index: View, item: View) -> View:
    """Zeros with one row: added to another array, it is only added to that row."""
    made = with_row(low, low.number(item.kind, 0, shape), index, item)
    low.single[made.base] = index, item
    return made


def added(low: Lowering, a: View, b: View) -> View | None:
    """The sum of two arrays of which one is a row among zeros; None if neither is."""
    if is_plain(a) and a.base in low.single:
        a, b = b, a
    if not is_plain(b) or b.base not in low.single or a.shape != b.base.shape:
        return None
    index, item = low.single[b.base]
    return with_added(low, a, index, item)


@rule("AddV2", "Add")
def _sum(low: Lowering, op: Operation, a: View, b: View) -> View:
    found = added(low, a, b) if low.single else None
    return low.elementwise(op, [a, b]) if found is None else found


@_rule("TensorListReserve", "TensorListZerosLike", "ZerosLike")
def _nothing(low: Lowering, op: Operation) -> None:
    low.lists[id(op.outputs[0])] = _zeros(low, _form(low, op.outputs[0]))


@_rule("TensorListFromTensor")
def _from_tensor(low: Lowering, op: Operation) -> None:
    form, x = _form(low, op.outputs[0]), _array(low, op.inputs[0])
    if x.shape != form.shape:
        raise NotLowered("a tensor of another form")
    low.lists[id(op.outputs[0])] = x


@_rule("TensorListLength")
def _length(low: Lowering, op: Operation) -> View:
    return low.number("i4", _list(low, op.inputs[0]).shape[0], ())


@_rule("TensorListStack", "TensorListStackLike")
def _stack(low: Lowering, op: Operation) -> View:
    values = _list(low, op.inputs[0])
    if shape_in(low, op.outputs[0]) != values.shape:
        raise NotLowered("the shape of the result is not known to what follows")
    return values


@_rule("TensorListGetItem", "TensorListGetItemLike")
def _get(low: Lowering, op: Operation) -> View:
    values = _list(low, op.inputs[0])
    if shape_in(low, op.outputs[0]) != values.shape[1:]:
        raise NotLowered("an element of another form than the list's")
    return row_at(low, values, _index(low, op.inputs[1], values.shape[0]))


@_rule("TensorListSetItem")
def _set(low: Lowering, op: Operation) -> None:
    values = _list(low, op.inputs[0])
    index = _index(low, op.inputs[1], values.shape[0])
    item = _array(low, op.inputs[2])
    low.lists[id(op.outputs[0])] = with_row(low, values, index, item)


@_rule("TensorListClearItem")
def _clear(low: Lowering, op: Operation) -> None:
    values = _list(low, op.inputs[0])
    index = _index(low, op.inputs[1], values.shape[0])
    nothing = low.number(values.kind, 0, values.shape[1:])
    low.lists[id(op.outputs[0])] = with_row(low, values, index, nothing)


@_rule("TensorListOnlyItem")
def _only(low: Lowering, op: Operation) -> None:
    """A row among zeros: added to another list, it is only added to that row."""
    form = _form(low, op.outputs[0])
    index, item = _index(low, op.inputs[1], form.shape[0]), _array(low, op.inputs[2])
    low.lists[id(op.outputs[0])] = row_among_zeros(low, form.shape, index, item)


@_rule("TensorListAdd")
def _add(low: Lowering, op: Operation) -> None:
    a, b = (_list(low, x) for x in op.inputs)
    found = added(low, a, b)
    low.lists[id(op.outputs[0])] = low.computed(LANES.add, a, b) if found is None else found
