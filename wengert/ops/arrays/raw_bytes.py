"""decode_raw: the numbers whose bytes strings are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, string
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, NumpyDType, TensorLike


def _kernel(
    _: Namespace, x: Array, *, dtype: NumpyDType, little: bool, length: int | None
) -> Array:
    texts = x.ravel().tolist()
    if not set(map(type, texts)) <= {bytes}:
        texts = [v.encode() if isinstance(v, str) else bytes(v) for v in texts]
    if length is not None:
        texts = [text[:length].ljust(length, b"\0") for text in texts]
    sizes = list(map(len, texts))
    for i, size in enumerate(sizes if len(set(sizes)) > 1 else ()):
        if size != sizes[0]:
            raise InvalidArgumentError(
                f"DecodeRaw requires input strings to all be the same size, but element {i} has "
                f"size {size} != {sizes[0]} [Op:DecodeRaw]"
            )
    if sizes and sizes[0] % dtype.itemsize:
        raise InvalidArgumentError(
            f"Input to DecodeRaw has length {sizes[0]} that is not a multiple of {dtype.itemsize}, "
            f"the size of {dtype.name} [Op:DecodeRaw]"
        )
    found = np.frombuffer(b"".join(texts), dtype)
    found = found if little == (np.little_endian) else found.byteswap()
    width = sizes[0] // dtype.itemsize if sizes else 0
    return found.reshape(*x.shape, width)


DECODE_RAW: Row = op(
    "DecodeRaw",
    _kernel,
    shape=lambda x, *, dtype, little, length: (
        *x,
        None if length is None else length // dtype.itemsize,
    ),
    dtype=lambda x, *, dtype, little, length: dtype,
    by_value=True,
)


def decode_raw(
    input_bytes: TensorLike,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The numbers whose bytes strings are, along a new last axis.

    With a fixed length, in bytes, strings are cut or filled with zeros.

    >>> tf.io.decode_raw(["ab", "c"], tf.uint8, fixed_length=2).numpy().tolist()
    [[97, 98], [99, 0]]
    """
    kind = np.dtype(as_dtype(out_type).as_numpy_dtype)
    if fixed_length is not None and fixed_length <= 0:
        raise InvalidArgumentError(
            f"fixed_length ({fixed_length}) must be greater than zero. [Op:DecodePaddedRaw]"
        )
    if fixed_length is not None and fixed_length % kind.itemsize:
        raise InvalidArgumentError(
            f"fixed_length ({fixed_length}) must be a multiple of the size of out_type "
            f"({kind.itemsize}) [Op:DecodePaddedRaw]"
        )
    attrs = {"dtype": kind, "little": little_endian, "length": fixed_length}
    result: Tensor = apply(DECODE_RAW, (convert(input_bytes, string),), attrs)
    return result
