"""Lists of tensors as values in a graph, which loops carry between iterations.

The value is a Python list of arrays, with None where nothing was written. The cotangent of a list
is a list, with None for zero. Writing creates a new list; the elements are shared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, TypeGuard

import numpy as np

from wengert.core.batch import one_by_one
from wengert.core.context import current_graph, thread
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import TABLE, op
from wengert.errors import InvalidArgumentError
from wengert.inference.list_elements import elements_known, refined
from wengert.inference.shape_inference import form_of
from wengert.inference.symbolic_integers import all_between
from wengert.ops.arrays.batched import behind, in_front
from wengert.ops.arrays.joining import concat
from wengert.ops.support.batch_rules import BatchRule
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.dtypes import VARIANT
from wengert.values.tensor import Tensor, TensorList, dims, wrap

if TYPE_CHECKING:
    from wengert.values.shapes import Dims
    from wengert.values.typing import Array, Namespace, NumpyDType

LIST: Final = ((), VARIANT)  # what is known of a list: a scalar of its own dtype


def _checked(values: list[Any], index: Tensor | Array | int, who: str) -> int:
    at = int(index)
    if not 0 <= at < len(values):
        what = "modify" if who == "TensorListSetItem" else "access"
        raise InvalidArgumentError(
            f"Trying to {what} element {at} in a list with {len(values)} elements. [Op:{who}]"
        )
    return at


def _get(
    xp: Namespace,
    values: list[Any],
    index: Tensor | Array,
    dtype: NumpyDType,
    shape: Sequence[int | None] | None,
) -> Tensor | Array:
    at = _checked(values, index, "TensorListGetItem")
    shape = said_of_elements(values, dtype, shape, "TensorListGetItem")
    if values[at] is not None:
        return values[at]
    if shape is None or None in shape:
        raise InvalidArgumentError(
            "Trying to read an uninitialized tensor but element_shape is not fully defined "
            f"(index {at}). Write it first, or give the element_shape. [Op:TensorListGetItem]"
        )
    return xp.zeros(shape, dtype)


def said_of_elements(
    values: list[Any], dtype: NumpyDType | Array, shape: Any, who: str
) -> tuple[int | None, ...] | None:
    """The shape of the elements, as far as a reader and the maker of the list know it."""
    form = getattr(values, "form", None)
    if form is None:
        return None if shape is None else tuple(shape)
    if np.dtype(dtype) != form.dtype:
        raise InvalidArgumentError(
            f"Invalid data types; op elements {np.dtype(dtype).name} but list elements "
            f"{form.dtype.name} [Op:{who}]"
        )
    if shape is None or form.shape is None:
        return form.shape if shape is None else tuple(shape)
    if len(shape) != len(form.shape) or shapes_differ(shape, form.shape):
        raise InvalidArgumentError(
            f"Incompatible shapes during merge: {list(shape)} vs. {list(form.shape)} [Op:{who}]"
        )
    return tuple([b if a is None else a for a, b in zip(shape, form.shape, strict=True)])


def shapes_differ(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether two shapes of equal rank differ in a size that both know."""
    return any(None not in pair and pair[0] != pair[1] for pair in zip(a, b, strict=True))


def _get_like(
    xp: Namespace, values: list[Any], index: Tensor | Array, like: Tensor | Array
) -> Tensor | Array:
    """An element; if it was not written, zeros like another value."""
    at = int(index)
    found = values[at] if at < len(values) else None
    return _zeros_like(xp, like) if found is None else found


def _set(_: Namespace, values: list[Any], index: Tensor | Array, item: Tensor | Array) -> list[Any]:
    at = int(index)
    if at < 0 or getattr(values, "fixed", False):
        _checked(values, at, "TensorListSetItem")
    if at >= len(values):
        values = [*values] + [None] * (at + 1 - len(values))
    else:
        values = values.copy()
    values[at] = item
    return values


def _cleared(_: Namespace, values: list[Any], index: Tensor | Array) -> list[Any]:
    values = values.copy()
    if int(index) < len(values):
        values[int(index)] = None
    return values


def _only(
    _: Namespace, values: list[Any], index: Tensor | Array, item: Tensor | Array
) -> list[Any]:
    """A list as long as another, with one element."""
    found: list[Any] = [None] * len(values)
    found[int(index)] = item
    return found


def _added(
    xp: Namespace, a: TensorList | Tensor | Array, b: TensorList | Tensor | Array
) -> TensorList:
    return TensorList([_sum(xp, p, q) for p, q in zip_longest(_listed(a), _listed(b))])


def _listed(value: TensorList | Tensor | Array) -> TensorList:
    """A list; an empty one for the zero cotangent of a list in a branch that was not taken."""
    return value if isinstance(value, TensorList) else TensorList()


def _sum(
    xp: Namespace, a: TensorList | Tensor | Array | None, b: TensorList | Tensor | Array | None
) -> TensorList | Tensor | Array | None:
    """The sum of two elements. An element may be a list itself: the stack of a loop in a loop."""
    if a is None or b is None:
        return b if a is None else a
    return _added(xp, a, b) if isinstance(a, TensorList) else a + b


def _zeros_like(xp: Namespace, value: Array | Tensor) -> Array:
    return value.zeros() if isinstance(value, TensorList) else xp.zeros_like(value)


def _stacked(
    xp: Namespace,
    values: list[Any],
    dtype: NumpyDType | Array,
    shape: Dims | Sequence[int | None] | Array,
) -> Tensor | Array:
    shape = said_of_elements(values, dtype, shape, "TensorListStack")
    if not values:
        return xp.zeros((0, *[s or 0 for s in shape or ()]), dtype)
    there = next((v for v in values if v is not None), None)
    if there is None:
        there = xp.zeros([s or 0 for s in shape or ()], dtype)
    filled = [xp.zeros_like(there) if v is None else v for v in values]
    for i, value in enumerate(filled):
        if value.shape != there.shape:
            raise InvalidArgumentError(
                f"Tried to stack elements of shapes {list(there.shape)} and "
                f"{list(value.shape)} (element {i}): they must be of one shape. "
                "[Op:TensorListStack]"
            )
    return xp.stack(filled)


def _stacked_like(xp: Namespace, values: list[Any], like: Tensor | Array) -> Tensor | Array:
    """The elements as one array, in the shape of another one; zeros where nothing was written."""
    there = [*values[: len(like)], *[None] * (len(like) - len(values))]
    filled = [xp.zeros_like(like[i]) if v is None else v for i, v in enumerate(there)]
    return xp.stack(filled) if filled else xp.zeros_like(like)


def _joined(xp: Namespace, values: list[Any], dtype: Array, shape: Array) -> Array:
    """The elements, possibly of different lengths, concatenated."""
    if any(v is None for v in values):
        return _in_one(xp, _stacked(xp, values, dtype, shape))
    return xp.concatenate(values) if values else xp.zeros((0, *[s or 0 for s in shape or ()][1:]), dtype)  # fmt: skip


def _in_one(xp: Namespace, stacked: Array | Tensor) -> Array:
    return xp.reshape(stacked, (-1, *stacked.shape[2:]))


def _parted(_: Namespace, joined: Array, like: list[Any]) -> list[Any]:
    """An array split into parts as long as the elements of another list."""
    ends = np.cumsum([len(v) for v in like], dtype=int).tolist()
    return [joined[end - len(v) : end] for v, end in zip(like, ends, strict=True)]


def _joined_like(xp: Namespace, values: list[Any], like: list[Any]) -> Array:
    padded = [*values, *[None] * (len(like) - len(values))]
    pairs = zip(padded, like, strict=True)
    return xp.concatenate([xp.zeros_like(v) if g is None else g for g, v in pairs])


def list_op(name: str, kernel: Any, forms: Any = None, **fields: Any) -> Row:
    """An operation on lists. By default the result is a list."""

    def listed(xp: Namespace, *values: Tensor | Array | TensorList, **attrs: Any) -> TensorList:
        found = kernel(xp, *values, **attrs)
        form = getattr(found, "form", None) or getattr(values[0], "form", None)
        fixed = getattr(found if isinstance(found, TensorList) else values[0], "fixed", False)
        made = TensorList(found).of_length(fixed)
        return made if form is None else made.of_form(form)

    def inline(inputs: Sequence[Any], attrs: Attrs) -> Any:
        if current_graph() is not None:
            return apply(row, inputs, refined(inputs, attrs))
        made = row.kernel(_Ours, *[elements_of(x) for x in inputs], **attrs)
        return made if isinstance(made, (Tensor, TensorList)) else wrap(made)

    row: Row
    if forms is not None:
        row = op(name, kernel, forms=forms, inline=inline, **fields)
    else:
        row = op(name, listed, forms=lambda xs, attrs: [LIST], inline=inline, **fields)
    return row


class _Ours:
    """The namespace of the kernels for lists whose elements are tensors.

    Those occur where a graph's operations are replayed one by one, so that tapes and batches see
    the elements.
    """

    @staticmethod
    def zeros(shape: Any, dtype: Any) -> Any:
        return wrap(np.zeros(shape, dtype))

    @staticmethod
    def zeros_like(x: Any) -> Any:
        return bound.zeros_like(x)

    @staticmethod
    def stack(values: Sequence[Tensor]) -> Tensor:
        return bound.stack(list(values))

    @staticmethod
    def sum(x: Any, axis: int) -> Any:
        return bound.sum_to(x, dims(x)[1:])

    @staticmethod
    def broadcast_to(x: Any, shape: Any) -> Any:
        return bound.broadcast_to(x, shape)

    @staticmethod
    def concatenate(values: Any) -> Any:
        return concat(list(values), 0)

    @staticmethod
    def reshape(x: Any, shape: Any) -> Any:
        return bound.reshape(x, shape)


def _is_list_of_arrays(value: Tensor | TensorList) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and isinstance(value._array, TensorList)


def elements_of(value: Tensor | TensorList) -> Tensor | TensorList:
    """A list of arrays as one of tensors; anything else unchanged."""
    if _is_list_of_arrays(value):
        made = TensorList([None if v is None else wrap(v) for v in value._array])
        return made.of_length(value._array.fixed)
    return value


def _pushed(row: Row, tangent: Any, *others: Any) -> list[Any]:
    """The tangent of an operation that is linear in the list."""
    return [None if tangent is None else apply(row, (tangent, *others))]


def _set_tangent(values_t: Any, item_t: Any, values: Any, index: Any) -> Any:
    """The tangent of a list in which an element was set."""
    if item_t is None:
        return None if values_t is None else apply(CLEAR, (values_t, index))
    return apply(SET, (bound.zeros_like(values) if values_t is None else values_t, index, item_t))


def _form_of(at: int) -> Any:
    """The result has the form of the input at an index."""
    return lambda xs, attrs: [form_of(xs[at])]


def _stated(xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    """The form of one element, as given by the attributes."""
    return [(attrs["shape"], attrs["dtype"])]


def _stated_stack(xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    shape = attrs["shape"]
    return [(None if shape is None else (attrs["count"], *shape), attrs["dtype"])]


# The lists of a batch's examples are one list, whose elements have the batch axis in front. Where
# the index differs between examples, they run one after the other.


def _everywhere(batched: Sequence[bool], size: int, xs: Sequence[Any]) -> list[Any]:
    """The values of all examples, also where all are the same."""
    pairs = zip(xs, batched, strict=True)
    return [x if b else bound.repeat_example(x, size) for x, b in pairs]


def _at_shared_index(name: str) -> BatchRule:
    """For operations on a list, at an index, with some values."""

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        if batched[1]:
            return one_by_one(TABLE[name], batched, size, xs, attrs)
        values, *others = _everywhere((batched[0], *batched[2:]), size, (xs[0], *xs[2:]))
        if attrs.get("shape") is not None:
            attrs = attrs | {"shape": (size, *attrs["shape"])}
        return apply(TABLE[name], (values, xs[1], *others), attrs)

    return rule


def _batched_sum(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    return apply(ADD_LISTS, _everywhere(batched, size, xs))


def _batched_stack(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    shape = attrs["shape"]
    if shape is None:
        return one_by_one(STACK_LIST, batched, size, xs, attrs)
    return in_front(apply(STACK_LIST, xs, attrs | {"shape": (size, *shape)}), 1)


def _batched_stack_like(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    values, like = _everywhere(batched, size, xs)
    return in_front(apply(STACK_LIKE, (values, behind(like, 1))), 1)


def _batched_unstack(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    return apply(UNSTACK_LIST, (behind(xs[0], 1),))


def followed_elements(value: Tensor | TensorList) -> Tensor | TensorList:
    """The same as `elements_of`; each is taken by itself where a recorder follows the list, and so them."""
    if not _is_list_of_arrays(value) or not _is_followed(value):
        return elements_of(value)
    values: TensorList = value._array
    made = [
        None if v is None else apply(GET, (value, convert(i)), {"dtype": v.dtype, "shape": None})
        for i, v in enumerate(values)
    ]
    return TensorList(made).of_length(values.fixed)


def _is_followed(value: Tensor) -> bool:
    return any(r.follows((value,)) for r in thread.context.recorders)


def _integers_of_element(xs: Sequence[Any], attrs: Attrs) -> Any:
    """Between what the integers of an element lie."""
    return all_between(elements_known(xs[0]).bounds, attrs["shape"])


GET: Row = list_op(
    "TensorListGetItem",
    lambda xp, values, index, *, dtype, shape: _get(xp, values, index, dtype, shape),
    forms=_stated,
    integers=_integers_of_element,
    vjp=(
        lambda g, y, values, index, *, dtype, shape: apply(ONLY, (values, index, g)),
        None,
    ),
    joint_jvp=lambda ts, ys, xs, attrs: _pushed(GET_LIKE, ts[0], xs[1], ys[0]),
    batch=_at_shared_index("TensorListGetItem"),
)
GET_LIKE: Row = list_op(
    "TensorListGetItemLike",
    _get_like,
    forms=_form_of(2),
    vjp=(lambda g, y, values, index, like: apply(ONLY, (values, index, g)), None, None),
    joint_jvp=lambda ts, ys, xs, attrs: _pushed(GET_LIKE, ts[0], xs[1], ys[0]),
    batch=_at_shared_index("TensorListGetItemLike"),
)
SET: Row = list_op(
    "TensorListSetItem",
    _set,
    vjp=(
        lambda g, y, values, index, item: apply(CLEAR, (g, index)),
        None,
        lambda g, y, values, index, item: apply(GET_LIKE, (g, index, item)),
    ),
    joint_jvp=lambda ts, ys, xs, attrs: [_set_tangent(ts[0], ts[2], xs[0], xs[1])],
    batch=_at_shared_index("TensorListSetItem"),
)
CLEAR: Row = list_op(
    "TensorListClearItem",
    _cleared,
    vjp=(lambda g, y, values, index: apply(CLEAR, (g, index)), None),
    joint_jvp=lambda ts, ys, xs, attrs: _pushed(CLEAR, ts[0], xs[1]),
    batch=_at_shared_index("TensorListClearItem"),
)
ONLY: Row = list_op(
    "TensorListOnlyItem",
    _only,
    vjp=(None, None, lambda g, y, values, index, item: apply(GET_LIKE, (g, index, item))),
    joint_jvp=lambda ts, ys, xs, attrs: (
        [None] if ts[2] is None else [apply(ONLY, (xs[0], xs[1], ts[2]))]
    ),
    batch=_at_shared_index("TensorListOnlyItem"),
)
ADD_LISTS: Row = list_op(
    "TensorListAdd",
    _added,
    vjp=(lambda g, y, a, b: g, lambda g, y, a, b: g),
    joint_jvp=lambda ts, ys, xs, attrs: [
        ts[0] if ts[1] is None else ts[1] if ts[0] is None else apply(ADD_LISTS, ts)
    ],
    batch=_batched_sum,
)
STACK_LIST: Row = list_op(
    "TensorListStack",
    lambda xp, values, *, dtype, shape, count: _stacked(xp, values, dtype, shape),
    forms=_stated_stack,
    vjp=(lambda g, y, values, *, dtype, shape, count: apply(UNSTACK_LIST, (g,)),),
    joint_jvp=lambda ts, ys, xs, attrs: _pushed(STACK_LIKE, ts[0], ys[0]),
    batch=_batched_stack,
)
STACK_LIKE: Row = list_op(
    "TensorListStackLike",
    _stacked_like,
    forms=_form_of(1),
    vjp=(lambda g, y, values, like: apply(UNSTACK_LIST, (g,)), None),
    joint_jvp=lambda ts, ys, xs, attrs: _pushed(STACK_LIKE, ts[0], ys[0]),
    batch=_batched_stack_like,
)
CONCAT_LIST: Row = list_op(
    "TensorListConcatV2",
    lambda xp, values, *, dtype, shape: _joined(xp, values, dtype, shape),
    forms=lambda xs, attrs: [
        (None if attrs["shape"] is None else (None, *attrs["shape"][1:]), attrs["dtype"])
    ],
    vjp=(lambda g, y, values, *, dtype, shape: apply(PART_LIST, (g, values)),),
    joint_jvp=lambda ts, ys, xs, attrs: _pushed(CONCAT_LIKE, ts[0], xs[0], ys[0]),
)
PART_LIST: Row = list_op(
    "TensorListSplit",
    _parted,
    vjp=(lambda g, y, joined, like: apply(CONCAT_LIKE, (g, like, joined)), None),
    joint_jvp=lambda ts, ys, xs, attrs: _pushed(PART_LIST, ts[0], xs[1]),
)
CONCAT_LIKE: Row = list_op(
    "TensorListConcatLike",
    lambda xp, values, like, joined: _joined_like(xp, values, like),
    forms=_form_of(2),
    vjp=(lambda g, y, values, like, joined: apply(PART_LIST, (g, like)), None, None),
    joint_jvp=lambda ts, ys, xs, attrs: _pushed(CONCAT_LIKE, ts[0], *xs[1:]),
)
UNSTACK_LIST: Row = list_op(
    "TensorListFromTensor",
    lambda _, x: [np.asarray(part, object) if isinstance(part, bytes) else part for part in x],
    vjp=(lambda g, y, x: apply(STACK_LIKE, (g, x)),),
    linear=(0,),
    batch=_batched_unstack,
)
# Where the list grows, its length is not that of the beginning.
EMPTY: Row = list_op(
    "TensorListReserve",
    lambda _, size, *, grows=False: TensorList([None] * int(size)).of_length(not grows),
)
ZEROS: Row = list_op("TensorListZerosLike", lambda _, values: [None] * len(values))
LENGTH: Row = list_op(
    "TensorListLength",
    lambda _, values: np.int32(len(values)),
    forms=lambda xs, attrs: [((), np.dtype(np.int32))],
)


# ---- examples of a batch ----------------------------------------------------------------------


def _each(function: Callable[..., Any], value: Array | TensorList) -> Any:
    """Map a function over the arrays of a list, which may be lists themselves; None stays None."""
    if isinstance(value, TensorList):
        return TensorList([_each(function, v) for v in value])
    return None if value is None else function(value)


def _joined_examples(xp: Namespace, *lists: TensorList) -> TensorList:
    """Stack the lists of examples; an element that only some of them have is zero in the others."""
    made = TensorList()
    for parts in zip_longest(*[_listed(one) for one in lists]):
        there = next((p for p in parts if p is not None), None)
        if there is None:
            made.append(None)
        elif isinstance(there, TensorList):
            made.append(_joined_examples(xp, *parts))
        else:
            made.append(xp.stack([_zeros_like(xp, there) if p is None else p for p in parts]))
    return made


def _parted_examples(_: Namespace, values: TensorList, *, num: int) -> list[Any]:
    return [_each(lambda v, i=i: v[i], values) for i in range(num)]


def _repeated(_: Namespace, values: Array, *, num: int) -> Array:
    return _each(lambda v: np.broadcast_to(v, (num, *np.shape(v))), values)


JOIN_EXAMPLES: Row = list_op(
    "TensorListJoinExamples",
    _joined_examples,
    joint=lambda gs, ys, xs, attrs: apply(PART_EXAMPLES, (gs[0],), {"num": len(xs)}),
    joint_jvp=lambda ts, ys, xs, attrs: [
        apply(
            JOIN_EXAMPLES,
            [bound.zeros_like(x) if t is None else t for t, x in zip(ts, xs, strict=True)],
        )
    ],
)
PART_EXAMPLES: Row = op(
    "TensorListPartExamples",
    _parted_examples,
    forms=lambda xs, attrs: [LIST] * attrs["num"],
    joint=lambda gs, ys, xs, attrs: [apply(JOIN_EXAMPLES, gs)],
    joint_jvp=lambda ts, ys, xs, attrs: apply(PART_EXAMPLES, ts, attrs),
    many=True,
)
REPEAT_EXAMPLE: Row = list_op(
    "TensorListRepeatExample",
    _repeated,
    joint=lambda gs, ys, xs, attrs: [apply(SUM_EXAMPLES, gs, attrs)],
    joint_jvp=lambda ts, ys, xs, attrs: [apply(REPEAT_EXAMPLE, ts, attrs)],
)
SUM_EXAMPLES: Row = list_op(
    "TensorListSumExamples",
    lambda xp, values, *, num: _each(lambda v: xp.sum(v, 0), values),
    joint=lambda gs, ys, xs, attrs: [apply(REPEAT_EXAMPLE, gs, attrs)],
    joint_jvp=lambda ts, ys, xs, attrs: [apply(SUM_EXAMPLES, ts, attrs)],
)


def _is_list(value: Tensor) -> bool:
    return value._array.dtype is VARIANT


def join_examples(values: list[Any]) -> Any:
    """The examples stacked along a new first axis; TensorLists are stacked element by element."""
    return apply(JOIN_EXAMPLES, values) if _is_list(values[0]) else bound.stack(values)


def part_examples(value: Tensor, size: int) -> list[Any]:
    """The values of the examples: the inverse of `join_examples`."""
    if _is_list(value):
        parts: list[Any] = apply(PART_EXAMPLES, (value,), {"num": size})
        return parts
    return bound.unstack(value)


def repeat_example(value: Tensor, size: int) -> Any:
    """One value, repeated for every example."""
    if _is_list(value):
        return apply(REPEAT_EXAMPLE, (value,), {"num": size})
    return bound.broadcast_to(value, (size, *dims(value)))
