"""Tensors as texts: the message TensorProto."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import DataLossError, InvalidArgumentError
from wengert.formats.tensors import tensor_in, tensor_message
from wengert.formats.wire import Fields
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, of_numpy, string
from wengert.values.tensor import Tensor

_OBJECT: Final = np.dtype(object)


def text_of_array(array: Any) -> bytes:
    """An array as a message."""
    return tensor_message(np.asarray(array)).done()


def array_in(text: bytes, what: str = "`serialized`") -> Any:
    """The array of a message."""
    try:
        return tensor_in(Fields(text))
    except (DataLossError, TypeError, ValueError):
        raise InvalidArgumentError(
            f"Could not parse {what} as TensorProto: {text[:60]!r}"
        ) from None


def _parse_kernel(_: Any, text: Any, *, dtype: Any) -> Any:
    texts = np.asarray(text, object)
    if texts.ndim:
        raise InvalidArgumentError(
            f"Expected `serialized` to be a scalar, got shape: {list(texts.shape)} [Op:ParseTensor]"
        )
    found = array_in(texts.item())
    if found.dtype != dtype:
        raise InvalidArgumentError(
            f"Type mismatch between parsed tensor ({of_numpy(found.dtype).spoken}) and dtype "
            f"({of_numpy(dtype).spoken}) [Op:ParseTensor]"
        )
    return found


SERIALIZE: Final = Row(
    "SerializeTensor",
    lambda _, x: np.array(text_of_array(x), object),
    forms=lambda xs, attrs: [((), _OBJECT)],
    stateful=True,
)
PARSE: Final = Row(
    "ParseTensor",
    _parse_kernel,
    forms=lambda xs, attrs: [(None, attrs["dtype"])],
    stateful=True,
    by_value=True,
)


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """A tensor as a text, from which `parse_tensor` makes it again.

    >>> text = tf.io.serialize_tensor(tf.constant([1.0, 2.0]))
    >>> tf.io.parse_tensor(text, tf.float32).numpy().tolist()
    [1.0, 2.0]
    """
    return apply(SERIALIZE, [convert(tensor)], {}, name)  # type: ignore[no-any-return]


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor that `serialize_tensor` made a text of.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor(tf.range(3)), tf.int32).numpy().tolist()
    [0, 1, 2]
    """
    dtype = as_dtype(out_type).numpy_dtype
    return apply(PARSE, [convert(serialized, string)], {"dtype": dtype}, name)  # type: ignore[no-any-return]
