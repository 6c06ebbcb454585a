"""Attributes as TensorFlow tells them, where they are not ours by other names: computed from ours.

They are for gradient functions that were written for it. What it takes as inputs is among them, by the names of
`argument_forms.txt`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.core.row import Attrs
from wengert.values.dtypes import int32
from wengert.values.shapes import Axis
from wengert.values.sizes import Size
from wengert.values.tensor import dims

_MASKS: Final = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
_IN_KEYS: Final = (type(Ellipsis), type(None), slice, int, np.integer, Size)


def as_told(value: Any) -> Any:
    """An attribute as TensorFlow tells it: text as bytes, several values as a list, an axis as it was given."""
    if isinstance(value, Axis):
        return value.given
    if isinstance(value, str):
        return value.encode()
    return list(map(as_told, value)) if isinstance(value, (list, tuple)) else value


def told_attributes(op: Any, kind: str, attrs: Attrs) -> Attrs:
    """The attributes of an operation, and those that it has there in their place."""
    tell = _TOLD.get(kind)
    return attrs if tell is None else {**attrs, **tell(op, attrs)}


def slice_parts(key: Any) -> tuple[list[list[Any]], dict[str, int]]:
    """A key as begins, ends and steps, and as the masks of a StridedSlice."""
    ends: list[list[Any]] = [[], [], []]
    masks = dict.fromkeys(_MASKS, 0)
    for at, part in enumerate(key if isinstance(key, (tuple, list)) else (key,)):
        begin, end, step = 0, 0, 1
        if part is Ellipsis:
            masks["ellipsis"] |= 1 << at
        elif part is None:
            masks["new_axis"] |= 1 << at
        elif isinstance(part, slice):
            begin, end, step = part.start or 0, part.stop or 0, part.step or 1
            masks["begin"] |= (part.start is None) << at
            masks["end"] |= (part.stop is None) << at
        else:  # a number: what is not known before may end anywhere
            begin, end = part, part + 1 if isinstance(part, (int, np.integer)) else part
            masks["shrink_axis"] |= 1 << at
        for found, n in zip(ends, (begin, end, step), strict=True):
            found.append(n)
    return ends, {f"{mask}_mask": bits for mask, bits in masks.items()}


def _of_strided_slice(_: Any, attrs: Attrs) -> Attrs:
    key = attrs["key"]
    parts = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(part, _IN_KEYS) for part in parts):  # an array of places
        return {}
    (begin, end, strides), masks = slice_parts(parts)
    return {"begin": begin, "end": end, "strides": strides, **masks, "Index": int32}


def _of_slice(_: Any, attrs: Attrs) -> Attrs:
    begin = [part.start or 0 for part in attrs["key"]]
    size = [part.stop - b for part, b in zip(attrs["key"], begin, strict=True)]
    return {"begin": begin, "size": size, "Index": int32}


def _of_diagonals(_: Any, attrs: Attrs) -> Attrs:
    low, high = attrs["band"]
    return {"k": low if low == high else [low, high]}


def _of_batch_norm(op: Any, attrs: Attrs) -> Attrs:
    x, scale = op.inputs[:2]
    rank = len(dims(x))
    channels_last = attrs["axis"] == rank - 1
    spatial = "DHW" if rank == 5 else "HW"
    return {
        "data_format": f"N{spatial}C" if channels_last else f"NC{spatial}",
        "is_training": attrs["training"],
        "exponential_avg_factor": attrs["factor"],
        "U": scale.dtype,
    }


def _of_sparse_product(op: Any, attrs: Attrs) -> Attrs:
    shape = [attrs["rows"], dims(op.inputs[2])[0]]
    return {"a_shape": shape, "adjoint_a": False, "adjoint_b": False}


def _of_transform(_: Any, attrs: Attrs) -> Attrs:
    size = attrs["size"]
    return {"fft_length": size if isinstance(size, (list, tuple)) else [size]}


# What TensorFlow's operation takes or says, from the operation and our attributes.
_TOLD: Final[dict[str, Callable[[Any, Attrs], Attrs]]] = {
    "FusedBatchNormV3": _of_batch_norm,
    "IRFFT": _of_transform,
    "MatrixDiagPartV3": _of_diagonals,
    "MatrixDiagV3": _of_diagonals,
    "MatrixSetDiagV3": _of_diagonals,
    "MirrorPad": lambda _, attrs: {"mode": attrs["mode"].upper()},
    "RFFT": _of_transform,
    "Slice": _of_slice,
    "SparseTensorDenseMatMul": _of_sparse_product,
    "StridedSlice": _of_strided_slice,
}
