"""TensorFlow's operations on maps from tensors to tensors, which programs call by their internal names.

A map is a list of tensors in which each key stands in front of its value, so that its gradients
are those of lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError
from wengert.ops.control.tensor_list import GET, LENGTH, SET, list_op
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, bool_
from wengert.values.tensor import Tensor, TensorList

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, NumpyDType

# ---- rows -------------------------------------------------------------------------------------


def _same_key(a: Any, b: Any) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and bool(np.all(a == b))


def _place_of(pairs: list[Any], key: Any) -> int | None:
    """The index of a key in a map."""
    return next((i for i in range(0, len(pairs), 2) if _same_key(pairs[i], key)), None)


def _place(_: Namespace, pairs: list[Any], key: Array, *, to: str) -> Array:
    """The index of a key; of one that is missing, the end, unless it must be there to do something."""
    found = _place_of(pairs, key)
    if found is None and to == "lookup":
        raise InvalidArgumentError(
            "Trying to lookup non-existent key. Could not find key "
            f'"{_shown(key)}". [Op:TensorMapLookup]'
        )
    if found is None and to == "erase":
        raise InvalidArgumentError(
            "Trying to erase non-existent item. Could not find key "
            f'"{_shown(key)}". [Op:TensorMapErase]'
        )
    return np.array(len(pairs) if found is None else found, np.int32)


def _shown(key: Any) -> str:
    return " ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in np.ravel(key).tolist())


NEW: Row = list_op("EmptyTensorMap", lambda _, size: TensorList())
PLACE: Row = list_op("TensorMapPlace", _place, forms=lambda xs, attrs: [((), np.dtype(np.int32))])
HAS: Row = list_op(
    "TensorMapHasKey",
    lambda _, pairs, key: np.array(_place_of(pairs, key) is not None),
    forms=lambda xs, attrs: [((), bool_.numpy_dtype)],
)


def _checked(_: Namespace, pairs: list[Any], index: Array, *, dtype: NumpyDType) -> Array:
    have = np.asarray(pairs[int(index)]).dtype
    if have != dtype:
        raise InvalidArgumentError(
            f"Type mismatch: actual {have} vs. expect {dtype} [Op:TensorMapLookup]"
        )
    return index


CHECKED: Row = list_op(
    "TensorMapChecked", _checked, forms=lambda xs, attrs: [((), np.dtype(np.int32))]
)


def _erased(_: Namespace, pairs: list[Any], index: Array) -> list[Any]:
    at = int(index)
    return [*pairs[:at], *pairs[at + 2 :]]


def _restored(_: Namespace, pairs: list[Any], index: Array) -> list[Any]:
    at = int(index)
    return [*pairs[:at], None, None, *pairs[at:]]


ERASE: Row = list_op(
    "TensorMapErase",
    _erased,
    vjp=(lambda g, y, pairs, index: apply(RESTORE, (g, index)), None),
    joint_jvp=lambda ts, ys, xs, attrs: [apply(ERASE, (ts[0], xs[1]))],
)
RESTORE: Row = list_op(
    "TensorMapRestore",
    _restored,
    vjp=(lambda g, y, pairs, index: apply(ERASE, (g, index)), None),
    joint_jvp=lambda ts, ys, xs, attrs: [apply(RESTORE, (ts[0], xs[1]))],
)


def _keys(xp: Namespace, pairs: list[Any], *, dtype: NumpyDType) -> Array:
    keys = pairs[::2]
    if not keys:
        raise InvalidArgumentError(
            "TensorMapStackKeys cannot be called on empty map. [Op:TensorMapStackKeys]"
        )
    if any(tuple(key.shape) != tuple(keys[0].shape) for key in keys):
        raise InvalidArgumentError("Keys must all have the same shape. [Op:TensorMapStackKeys]")
    return xp.stack(keys)


KEYS: Row = list_op("TensorMapStackKeys", _keys, forms=lambda xs, attrs: [(None, attrs["dtype"])])

# ---- functions --------------------------------------------------------------------------------


def _kind(dtype: Any) -> Any:
    return np.dtype(as_dtype(dtype).as_numpy_dtype)


def _placed(handle: Any, key: Tensor, to: str) -> Tensor:
    found: Tensor = apply(PLACE, (handle, key), {"to": to})
    return found


def empty_tensor_map(name: str | None = None) -> Tensor:
    """A map without keys."""
    found: Tensor = apply(NEW, (convert(0),))
    return found


def tensor_map_size(input_handle: Any, name: str | None = None) -> Any:
    """How many keys a map has."""
    return apply(LENGTH, (input_handle,)) // 2


def tensor_map_insert(input_handle: Any, key: Any, value: Any, name: str | None = None) -> Any:
    """The map with a key and its value, in place of the value that the key had."""
    key = convert(key)
    at = _placed(input_handle, key, "insert")
    keyed = apply(SET, (input_handle, at, key))
    return apply(SET, (keyed, at + 1, convert(value)))


def tensor_map_lookup(
    input_handle: Any, key: Any, value_dtype: Any, name: str | None = None
) -> Any:
    """The value of a key."""
    at = _placed(input_handle, convert(key), "lookup") + 1
    kind = _kind(value_dtype)
    found = apply(CHECKED, (input_handle, at), {"dtype": kind})
    return apply(GET, (input_handle, found), {"dtype": kind, "shape": None})


def tensor_map_erase(input_handle: Any, key: Any, value_dtype: Any, name: str | None = None) -> Any:
    """The map without a key."""
    return apply(ERASE, (input_handle, _placed(input_handle, convert(key), "erase")))


def tensor_map_has_key(input_handle: Any, key: Any, name: str | None = None) -> Any:
    """Whether a map has a key."""
    return apply(HAS, (input_handle, convert(key)))


def tensor_map_stack_keys(input_handle: Any, key_dtype: Any, name: str | None = None) -> Any:
    """The keys of a map, which must be of one shape."""
    return apply(KEYS, (input_handle,), {"dtype": _kind(key_dtype)})
