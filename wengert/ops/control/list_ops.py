"""TensorFlow's operations on lists of tensors, which programs call by their internal names.

A list is a tensor of dtype variant. It knows what its elements must be, which each operation
checks when it runs; the rows that loops use, too, are in tensor_list.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError, SymbolicValueError
from wengert.ops.arrays.creation import range_, shape
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import as_shape
from wengert.ops.control.map import map_fn
from wengert.ops.control.tensor_list import (
    CONCAT_LIKE,
    CONCAT_LIST,
    EMPTY,
    GET,
    LENGTH,
    SET,
    STACK_LIST,
    UNSTACK_LIST,
    list_op,
    said_of_elements,
    shapes_differ,
)
from wengert.ops.support.static_value import get_static_value
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.tensor import Tensor, TensorList, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, NumpyDType

Sizes = tuple[int | None, ...]


class Form(NamedTuple):
    """What the elements of a list must be."""

    dtype: Any
    shape: Sizes | None
    most: int | None = None


def _shape(value: Any) -> Sizes | None:
    """The shape of elements, None for an unknown rank; -1 stands for an unknown size."""
    if value is None or getattr(value, "rank", 0) is None:
        return None
    if hasattr(value, "as_list"):
        return tuple(value.as_list())
    listed = value if isinstance(value, (list, tuple)) else None
    if listed is not None and None in listed:
        return tuple(listed)
    try:
        found = as_shape(value if listed is not None or np.ndim(value) else [value])
    except SymbolicValueError:  # a tensor, which is checked when it runs
        return None
    if np.ndim(value) == 0 and found == (-1,):
        return None
    return tuple([None if size == -1 else size for size in found])


# ---- rows -------------------------------------------------------------------------------------


def _place(
    _: Namespace, values: list[Any], index: Array, *item: Array, who: str, grows: bool
) -> Array:
    """The index of an element to read or write, after a check; -1 for the end in a list that grows."""
    at = int(index)
    if item:
        _check_item(values, item[0], who)
    at = len(values) if grows and at == -1 else at
    most = values.form.most if isinstance(values, TensorList) and values.form else None
    if grows and most is not None and at >= most:
        raise InvalidArgumentError(
            f"Tried to push item into a full list list size: {len(values)} max_num_elements: "
            f"{most} [Op:{who}]"
        )
    if at < 0 or (at >= len(values) and not grows):
        verb = "modify" if item else "access"
        raise InvalidArgumentError(
            f"Trying to {verb} element {at} in a list with {len(values)} elements. [Op:{who}]"
        )
    return np.int32(at)


def _check_item(values: list[Any], item: Array, who: str) -> None:
    form = getattr(values, "form", None)
    if form is None:
        return
    if item.dtype != form.dtype:
        raise InvalidArgumentError(
            f"Invalid data types; op elements {item.dtype.name} but list elements "
            f"{form.dtype.name} [Op:{who}]"
        )
    have = item.shape
    if form.shape is not None and (len(have) != len(form.shape) or shapes_differ(have, form.shape)):
        raise InvalidArgumentError(
            f"Tried to set a tensor with incompatible shape at a list index. Item element shape: "
            f"{list(have)} list shape: {list(form.shape)} [Op:{who}]"
        )


INTEGER = ((), np.dtype(np.int32))
PLACE: Row = list_op("TensorListPlace", _place, forms=lambda xs, attrs: [INTEGER])


def _formed(_: Namespace, values: list[Any], *, form: Form) -> TensorList:
    return TensorList(values).of_form(form)


WITH_FORM: Row = list_op(
    "TensorListWithForm",
    _formed,
    vjp=(lambda g, y, values, *, form: g,),
    joint_jvp=lambda ts, ys, xs, attrs: ts,
)


def _resized(_: Namespace, values: list[Any], size: Array) -> list[Any]:
    count = int(size)
    if count < 0:
        raise InvalidArgumentError(
            f"TensorListSlice expects size to be non-negative. Got: {count} [Op:TensorListResize]"
        )
    return [*values[:count], *[None] * (count - len(values))]


RESIZE: Row = list_op(
    "TensorListResize",
    _resized,
    vjp=(
        lambda g, y, values, size: apply(RESIZE, (g, apply(LENGTH, (values,)))),
        None,
    ),
    joint_jvp=lambda ts, ys, xs, attrs: [apply(RESIZE, (ts[0], xs[1]))],
)


def _gathered(
    xp: Namespace, values: list[Any], indices: Array, *, dtype: NumpyDType, shape: Any
) -> Array:
    who = "TensorListGather"
    wanted = [int(i) for i in indices]
    for i in wanted:
        if not 0 <= i < len(values):
            raise InvalidArgumentError(
                f"Index {i} out of range; list only has {len(values)} elements. [Op:{who}]"
            )
    known = said_of_elements(values, dtype, shape, who)
    rows = [values[i] for i in wanted]
    if any(v is None for v in rows):
        if known is None or None in known:
            raise InvalidArgumentError(
                "Tried to gather uninitialized tensors from a list with non-fully-defined "
                f"element_shape. Give the element_shape. [Op:{who}]"
            )
        rows = [xp.zeros(known, dtype) if v is None else v for v in rows]
    return xp.stack(rows) if rows else xp.zeros((0, *[s or 0 for s in known or ()]), dtype)


GATHER: Row = list_op(
    "TensorListGather",
    _gathered,
    forms=lambda xs, attrs: [
        (None if attrs["shape"] is None else (None, *attrs["shape"]), attrs["dtype"])
    ],
    vjp=(
        lambda g, y, values, indices, *, dtype, shape: apply(SPREAD, (values, indices, g)),
        None,
    ),
    joint_jvp=lambda ts, ys, xs, attrs: [apply(ROWS_LIKE, (ts[0], xs[1], ys[0]))],
)


def _spread(_: Namespace, values: list[Any], indices: Array, rows: Array) -> list[Any]:
    """A list as long as another, with rows added where they belong."""
    found: list[Any] = [None] * len(values)
    for at, row in zip(indices, rows, strict=True):
        i = int(at)
        found[i] = row if found[i] is None else found[i] + row
    return found


SPREAD: Row = list_op(
    "TensorListSpread",
    _spread,
    vjp=(None, None, lambda g, y, values, indices, rows: apply(ROWS_LIKE, (g, indices, rows))),
    joint_jvp=lambda ts, ys, xs, attrs: [apply(SPREAD, (xs[0], xs[1], ts[2]))],
)


def _rows_like(xp: Namespace, values: list[Any], indices: Array, like: Array) -> Array:
    """The elements at indices, in the shape of an array; zeros where nothing was written."""
    there = [values[int(i)] if int(i) < len(values) else None for i in indices]
    rows = [xp.zeros_like(like[i]) if v is None else v for i, v in enumerate(there)]
    return xp.stack(rows) if rows else xp.zeros_like(like)


ROWS_LIKE: Row = list_op(
    "TensorListRowsLike",
    _rows_like,
    forms=lambda xs, attrs: [(xs[2]._array.shape, xs[2]._array.dtype)],
    vjp=(lambda g, y, values, indices, like: apply(SPREAD, (values, indices, g)), None, None),
    joint_jvp=lambda ts, ys, xs, attrs: [apply(ROWS_LIKE, (ts[0], *xs[1:]))],
)


def _scattered(_: Namespace, values: list[Any], indices: Array, rows: Array) -> list[Any]:
    who = "TensorListScatter"
    places = [int(i) for i in indices]
    if len(places) != len(rows):
        raise InvalidArgumentError(
            f"Invalid number of rows in input tensor. Expected: {len(places)} Actual: {len(rows)} "
            f"[Op:{who}]"
        )
    if any(i < 0 for i in places):
        raise InvalidArgumentError(
            f"Indices in TensorListScatter must all be non-negative. [Op:{who}]"
        )
    found = [*values, *[None] * (max([*places, -1]) + 1 - len(values))]
    for at, row in zip(places, rows, strict=True):
        _check_item(values, row, who)
        found[at] = row
    return found


def _cleared(_: Namespace, values: list[Any], indices: Array, length: Array) -> list[Any]:
    gone = {int(i) for i in indices}
    return [None if i in gone else v for i, v in enumerate(values)][: int(length)]


CLEAR_PLACES: Row = list_op(
    "TensorListClearPlaces",
    _cleared,
    vjp=(
        lambda g, y, values, indices, length: apply(
            CLEAR_PLACES, (g, indices, apply(LENGTH, (values,)))
        ),
        None,
        None,
    ),
    joint_jvp=lambda ts, ys, xs, attrs: [apply(CLEAR_PLACES, (ts[0], *xs[1:]))],
)
SCATTER: Row = list_op(
    "TensorListScatterIntoExistingList",
    _scattered,
    vjp=(
        lambda g, y, values, indices, rows: apply(
            CLEAR_PLACES, (g, indices, apply(LENGTH, (values,)))
        ),
        None,
        lambda g, y, values, indices, rows: apply(ROWS_LIKE, (g, indices, rows)),
    ),
)


def _split(_: Namespace, joined: Array, lengths: Array) -> list[Any]:
    counts = [int(n) for n in lengths]
    if sum(counts) != len(joined):
        raise InvalidArgumentError(
            f"Unused values in tensor. Length of tensor: {len(joined)} Values used: {sum(counts)} "
            "[Op:TensorListSplit]"
        )
    ends = np.cumsum(counts, dtype=int).tolist()
    return [joined[end - n : end] for n, end in zip(counts, ends, strict=True)]


SPLIT: Row = list_op(
    "TensorListSplitAt",
    _split,
    vjp=(
        lambda g, y, joined, lengths: apply(
            CONCAT_LIKE, (g, apply(SPLIT, (joined, lengths)), joined)
        ),
        None,
    ),
    joint_jvp=lambda ts, ys, xs, attrs: [apply(SPLIT, (ts[0], xs[1]))],
)


def _element_shape(_: Namespace, values: list[Any], *, dtype: NumpyDType) -> Array:
    form = getattr(values, "form", None)
    if form is None or form.shape is None:
        return np.array(-1, dtype)
    return np.array([-1 if size is None else size for size in form.shape], dtype)


ELEMENT_SHAPE: Row = list_op(
    "TensorListElementShape", _element_shape, forms=lambda xs, attrs: [(None, attrs["dtype"])]
)


def _last(_: Namespace, values: list[Any]) -> Array:
    if not values:
        raise InvalidArgumentError("Trying to pop from an empty list. [Op:TensorListPopBack]")
    return np.int32(len(values) - 1)


LAST: Row = list_op("TensorListLast", _last, forms=lambda xs, attrs: [INTEGER])


def _expected(_: Namespace, values: list[Any], *, count: int | None, known: bool) -> list[Any]:
    who = "TensorListStack"
    if count is not None and len(values) != count:
        raise InvalidArgumentError(
            f"Operation expected a list with {count} elements but got a list with {len(values)} "
            f"elements. [Op:{who}]"
        )
    form = getattr(values, "form", None)
    is_known = known or form is None or form.shape is not None
    if not is_known and all(v is None for v in values):
        raise InvalidArgumentError(
            "Tried to stack list which only contains uninitialized tensors and has a "
            f"non-fully-defined element_shape. Give the element_shape. [Op:{who}]"
        )
    return values


def _vectors(_: Namespace, values: list[Any]) -> list[Any]:
    form = getattr(values, "form", None)
    shapes = [v.shape for v in values if v is not None]
    if () in shapes or (form is not None and form.shape == ()):
        raise InvalidArgumentError(
            "Concat requires elements to be at least vectors, found scalars instead. "
            "[Op:TensorListConcatV2]"
        )
    return values


def _same(name: str, kernel: Any) -> Row:
    """A row that checks a list, and returns it."""
    return list_op(
        name,
        kernel,
        vjp=(lambda g, y, values, **_: g,),
        joint_jvp=lambda ts, ys, xs, attrs: ts,
    )


EXPECTED: Row = _same("TensorListExpected", _expected)
OF_VECTORS: Row = _same("TensorListOfVectors", _vectors)

# ---- functions --------------------------------------------------------------------------------


def _made(values: Tensor, dtype: Any, shape: Any, most: int | None = None) -> Tensor:
    form = Form(_kind(dtype), _shape(shape), most)
    found: Tensor = apply(WITH_FORM, (values,), {"form": form})
    return found


def _kind(dtype: Any) -> Any:
    return as_dtype(dtype).numpy_dtype


def _placed(values: Any, index: Any, *item: Any, who: str, grows: bool = False) -> Tensor:
    found: Tensor = apply(PLACE, (values, convert(index), *item), {"who": who, "grows": grows})
    return found


def tensor_list_reserve(
    element_shape: Any, num_elements: Any, element_dtype: Any, name: str | None = None
) -> Tensor:
    """A list of elements of which none is written."""
    empty = apply(EMPTY, (convert(num_elements),))
    return _made(empty, element_dtype, element_shape)


def empty_tensor_list(
    element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: str | None = None
) -> Tensor:
    """A list without elements, which grows up to a number of them."""
    most = None if max_num_elements is None else int(max_num_elements)
    limit = None if most == -1 else most
    return _made(apply(EMPTY, (convert(0),)), element_dtype, element_shape, limit)


def tensor_list_from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Tensor:
    """A list of the rows of a tensor."""
    x = convert(tensor)
    if x.shape.rank == 0:
        raise InvalidArgumentError(
            "Tensor must be at least a vector, but saw shape: [] [Op:TensorListFromTensor]"
        )
    stated, have = _shape(element_shape), x.shape[1:]
    if stated is not None and not have.is_compatible_with(list(stated)):
        raise InvalidArgumentError(
            f"Specified a list with shape {list(stated)} from a tensor with shape {x.shape} "
            "[Op:TensorListFromTensor]"
        )
    return _made(apply(UNSTACK_LIST, (x,)), x.dtype, element_shape)


def tensor_list_push_back(input_handle: Any, tensor: Any, name: str | None = None) -> Any:
    """The list with an element more."""
    item = convert(tensor)
    at = _placed(input_handle, -1, item, who="TensorListPushBack", grows=True)
    return apply(SET, (input_handle, at, item))


def tensor_list_pop_back(
    input_handle: Any, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """The list without its last element, and that element."""
    last = apply(LAST, (input_handle,))
    item = _get(input_handle, last, element_dtype, element_shape)
    return apply(RESIZE, (input_handle, last)), item


def tensor_list_get_item(
    input_handle: Any,
    index: Any,
    element_dtype: Any,
    element_shape: Any = None,
    name: str | None = None,
) -> Any:
    """An element; zeros if it was not written and its shape is known."""
    at = _placed(input_handle, index, who="TensorListGetItem")
    return _get(input_handle, at, element_dtype, element_shape)


def _get(values: Any, at: Any, dtype: Any, shape: Any) -> Any:
    return apply(GET, (values, at), {"dtype": _kind(dtype), "shape": _shape(shape)})


def tensor_list_set_item(
    input_handle: Any,
    index: Any,
    item: Any,
    resize_if_index_out_of_bounds: bool = False,
    name: str | None = None,
) -> Any:
    """The list with an element written; it may have to grow for it."""
    value = convert(item)
    grows = bool(resize_if_index_out_of_bounds)
    at = _placed(input_handle, index, value, who="TensorListSetItem", grows=grows)
    return apply(SET, (input_handle, at, value))


def tensor_list_length(input_handle: Any, name: str | None = None) -> Any:
    """How many elements a list has."""
    return apply(LENGTH, (input_handle,))


def tensor_list_resize(input_handle: Any, size: Any, name: str | None = None) -> Any:
    """The list with its last elements cut off, or with new ones that are not written."""
    return apply(RESIZE, (input_handle, convert(size)))


def tensor_list_element_shape(input_handle: Any, shape_type: Any, name: str | None = None) -> Any:
    """The shape of the elements, with -1 for what is not known."""
    return apply(ELEMENT_SHAPE, (input_handle,), {"dtype": _kind(shape_type)})


def tensor_list_stack(
    input_handle: Any,
    element_dtype: Any,
    num_elements: int = -1,
    element_shape: Any = None,
    name: str | None = None,
) -> Any:
    """The elements as one tensor."""
    count = None if num_elements == -1 else num_elements
    shape = _shape(element_shape)
    known = shape is not None and None not in shape
    values = apply(EXPECTED, (input_handle,), {"count": count, "known": known})
    attrs = {"dtype": _kind(element_dtype), "shape": shape, "count": count}
    return apply(STACK_LIST, (values,), attrs)


def tensor_list_gather(
    input_handle: Any,
    indices: Any,
    element_dtype: Any,
    element_shape: Any = None,
    name: str | None = None,
) -> Any:
    """The elements at indices as one tensor."""
    attrs = {"dtype": _kind(element_dtype), "shape": _shape(element_shape)}
    return apply(GATHER, (input_handle, convert(indices, hint=as_dtype("int32"))), attrs)


def tensor_list_scatter(
    tensor: Any,
    indices: Any,
    element_shape: Any = None,
    input_handle: Any = None,
    name: str | None = None,
) -> Any:
    """A list with the rows of a tensor at indices, or a given one with these rows written."""
    rows = convert(tensor)
    values = input_handle
    if values is None:
        values = tensor_list_reserve(element_shape, 0, rows.dtype)
    return apply(SCATTER, (values, convert(indices, hint=as_dtype("int32")), rows))


def tensor_list_split(
    tensor: Any, element_shape: Any, lengths: Any, name: str | None = None
) -> Tensor:
    """A list of parts of a tensor, of the given lengths."""
    x = convert(tensor)
    parts = apply(SPLIT, (x, convert(lengths)))
    return _made(parts, x.dtype, element_shape)


def tensor_list_concat(
    input_handle: Any, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Any:
    """The elements, which may have different lengths, behind one another."""
    attrs = {"dtype": _kind(element_dtype), "shape": _shape(element_shape)}
    return apply(CONCAT_LIST, (apply(OF_VECTORS, (input_handle,)),), attrs)


def tensor_list_concat_v2(
    input_handle: Any,
    element_shape: Any,
    leading_dims: Any,
    element_dtype: Any,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The elements behind one another, and their lengths.

    With leading dimensions, zeros of these lengths stand where no element was set.
    """
    wanted = convert(leading_dims, hint=as_dtype("int64"))
    if not dims(wanted)[0]:
        joined = tensor_list_concat(input_handle, element_dtype, element_shape)
        return joined, _lengths(input_handle, element_dtype)
    inner = [-1 if n is None else n for n in (_shape(element_shape) or ())[1:]]
    parts = [
        tensor_list_get_item(input_handle, i, element_dtype, [int(n), *inner])
        for i, n in enumerate(get_static_value(wanted))
    ]
    return concat(parts, 0), wanted


def _lengths(values: Any, dtype: Any) -> Tensor:
    def length(i: Any) -> Tensor:
        return shape(tensor_list_get_item(values, i, dtype), as_dtype("int64"))[0]

    found: Tensor = map_fn(length, range_(tensor_list_length(values)), as_dtype("int64"))
    return found
