"""Tensors by names in one file, which holds nothing else: the format safetensors.

The length of a head, the head as JSON (dtype, shape and place of each tensor), the bytes one tensor after
the other. It has no checksums; what can be seen is whether the places are those of the bytes that are there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.errors import DataLossError, InvalidArgumentError, UnimplementedError
from wengert.formats import large_files
from wengert.host.files import Unfinished, errors_of_files
from wengert.values.dtypes import as_dtype, of_numpy

_LENGTH: Final = 8  # bytes of the length of the head
_LONGEST: Final = 100_000_000  # bytes of a head
_ABOUT: Final = "__metadata__"
# The names of dtypes there, by ours.
_NAMES: Final = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "uint16": "U16", "int16": "I16", "uint32": "U32",
    "int32": "I32", "uint64": "U64", "int64": "I64", "float16": "F16", "bfloat16": "BF16",
    "float32": "F32", "float64": "F64", "complex64": "C64", "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
}  # fmt: skip
_DTYPES: Final = {name: as_dtype(ours).numpy_dtype for ours, name in _NAMES.items()}


class _Place(NamedTuple):
    """A tensor in the head."""

    dtype: Any
    shape: tuple[int, ...]
    begin: int
    end: int


def write(path: str, arrays: Mapping[str, Any], about: Mapping[str, str] | None = None) -> None:
    """Write a file that is there only when it is whole."""
    # Those of wide elements first, so that each begins where its elements may.
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    head: dict[str, Any] = {_ABOUT: dict(about)} if about else {}
    at = 0
    for name, array in ordered:
        head[name] = {
            "dtype": _name_of(name, array),
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)
    file = Unfinished(path)
    try:
        file.write(len(text).to_bytes(_LENGTH, "little") + text)
        with errors_of_files(path):
            for _, array in ordered:
                large_files.write(file.handle, _bytes_of(array))
        file.finish()
    finally:
        file.drop()


def _name_of(name: str, array: Any) -> str:
    if name == _ABOUT:
        raise InvalidArgumentError(
            f"A tensor cannot be called {_ABOUT!r} in a file of safetensors."
        )
    ours = of_numpy(array.dtype).name
    if ours not in _NAMES:
        raise UnimplementedError(
            f"Tensor {name!r} is of dtype {ours}, which a file of safetensors cannot hold: it knows "
            f"{', '.join(_NAMES)}. tf.train.Checkpoint keeps every dtype."
        )
    return _NAMES[ours]


def _bytes_of(array: Any) -> memoryview:
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return memoryview(np.ascontiguousarray(little).reshape(-1).view(np.uint8))


def read(path: str) -> dict[str, Any]:
    """The arrays of a file, by name."""
    with errors_of_files(path):
        size = Path(path).stat().st_size
        start, head = _head(path, size)
        places = {name: _place(path, name, value) for name, value in head.items() if name != _ABOUT}
        _check_places(path, places, size - start)
        data = large_files.read(path, start, size - start)
    return {
        name: data[place.begin : place.end].copy().view(place.dtype).reshape(place.shape)
        for name, place in places.items()
    }


def _head(path: str, size: int) -> tuple[int, dict[str, Any]]:
    """Where the bytes begin, and what stands before them."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(_LENGTH), "little")
        if size < _LENGTH or length > min(size - _LENGTH, _LONGEST):
            raise _damaged(path, "its head is cut short")
        text = file.read(length)
    try:
        head = json.loads(text.decode())
    except ValueError as error:
        raise _damaged(path, f"its head cannot be read: {error}") from error
    if not isinstance(head, dict):
        raise _damaged(path, "its head is no JSON object")
    return _LENGTH + length, head


def _place(path: str, name: str, value: Any) -> _Place:
    try:
        kind, shape, (begin, end) = value["dtype"], tuple(value["shape"]), value["data_offsets"]
        whole = all(type(n) is int and n >= 0 for n in (*shape, begin, end))
    except (TypeError, KeyError, ValueError):
        raise _damaged(path, f"tensor {name!r} has no dtype, shape or place") from None
    if kind not in _DTYPES:
        raise UnimplementedError(
            f"{path}: tensor {name!r} is of dtype {kind!r}, which is not known."
        )
    if not whole or end - begin != math.prod(shape) * _DTYPES[kind].itemsize:
        raise _damaged(path, f"tensor {name!r} of shape {shape} cannot be from {begin} to {end}")
    return _Place(_DTYPES[kind], shape, begin, end)


def _check_places(path: str, places: Mapping[str, _Place], size: int) -> None:
    """One tensor begins where another ends, and the last one where the file does."""
    at = 0
    for name, place in sorted(places.items(), key=lambda item: item[1][2:]):
        if place.begin != at:
            raise _damaged(path, f"tensor {name!r} begins at {place.begin}, not at {at}")
        at = place.end
    if at != size:
        raise _damaged(path, f"it has {size} bytes of values, and its tensors {at}")


def _damaged(path: str, why: str) -> DataLossError:
    return DataLossError(f"{path} is damaged, or no file of safetensors: {why}.")
