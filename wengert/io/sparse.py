"""Sparse tensors as texts: one for the coordinates, one for the values, one for the shape."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError
from wengert.io.tensors import array_in, text_of_array
from wengert.ops.sparse.tensor import SparseTensor, sparse
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, of_numpy, string
from wengert.values.tensor import Tensor

_OBJECT: Final = np.dtype(object)
_INT64: Final = np.dtype(np.int64)


def _texts(*arrays: Any) -> Any:
    found = np.empty(len(arrays), object)
    found[:] = [text_of_array(a) for a in arrays]
    return found


def _many_kernel(_: Any, indices: Any, values: Any, sizes: Any) -> Any:
    if len(sizes) < 2:
        raise InvalidArgumentError(
            f"Rank of input SparseTensor should be > 1, but saw rank: {len(sizes)} "
            "[Op:SerializeManySparse]"
        )
    rows = np.empty((int(sizes[0]), 3), object)
    for at in range(len(rows)):
        mine = indices[:, 0] == at
        rows[at] = _texts(indices[mine, 1:], values[mine], sizes[1:])
    return rows


def _parsed_kernel(_: Any, texts: Any, *, dtype: Any, rank: int | None) -> list[Any]:
    if texts.ndim != 2 or texts.shape[1] != 3:
        raise InvalidArgumentError(
            f"Serialized sparse should have 3 columns, got shape {list(texts.shape)} "
            "[Op:DeserializeManySparse]"
        )
    places, values = [], []
    shapes: list[Any] = []
    for at, row in enumerate(texts):
        indices, found, sizes = (array_in(text, "serialized_sparse") for text in row)
        if found.dtype != dtype:
            raise InvalidArgumentError(
                f"Requested SparseTensor of type {of_numpy(dtype).spoken} but SparseTensor[{at}].values "
                f"is of type {of_numpy(found.dtype).spoken} [Op:DeserializeManySparse]"
            )
        if rank is not None and len(sizes) + 1 != rank:
            raise ValueError(
                f"SparseTensor[{at}] has rank {len(sizes)}: together they have another one than {rank}."
            )
        if shapes and len(sizes) != len(shapes[0]):
            raise InvalidArgumentError(
                f"Inconsistent rank across SparseTensors: rank prior to SparseTensor[{at}] was: "
                f"{len(shapes[0])} but rank of SparseTensor[{at}] is: {len(sizes)} "
                "[Op:DeserializeManySparse]"
            )
        places.append(np.column_stack([np.full(len(indices), at), indices]))
        values.append(found)
        shapes.append(sizes)
    if not shapes:
        raise InvalidArgumentError("Must have at least 1 serialized SparseTensor")
    return [
        np.concatenate(places).astype(np.int64),
        np.concatenate(values),
        np.array([len(shapes), *np.max(shapes, axis=0)], np.int64),
    ]


def _parsed_forms(xs: Any, attrs: Any) -> list[Any]:
    rank = attrs["rank"]
    return [((None, rank), _INT64), ((None,), attrs["dtype"]), ((rank,), _INT64)]


SERIALIZE: Final = Row(
    "SerializeSparse",
    lambda _, *parts: _texts(*parts),
    forms=lambda xs, attrs: [((3,), _OBJECT)],
    stateful=True,
)
SERIALIZE_MANY: Final = Row(
    "SerializeManySparse",
    _many_kernel,
    forms=lambda xs, attrs: [((None, 3), _OBJECT)],
    stateful=True,
    by_value=True,
)
DESERIALIZE_MANY: Final = Row(
    "DeserializeManySparse",
    _parsed_kernel,
    forms=_parsed_forms,
    many=True,
    stateful=True,
    by_value=True,
    users=True,
)


def _checked(out_type: Any) -> None:
    if as_dtype(out_type) is not string:
        raise NotImplementedError("Sparse tensors become strings: out_type=tf.string.")


def serialize_sparse(sp_input: Any, out_type: Any = string, name: str | None = None) -> Tensor:
    """A sparse tensor as three texts.

    >>> tf.io.serialize_sparse(tf.sparse.eye(2)).shape
    TensorShape([3])
    """
    _checked(out_type)
    return apply(SERIALIZE, sparse(sp_input)._parts(), {}, name)  # type: ignore[no-any-return]


def serialize_many_sparse(sp_input: Any, out_type: Any = string, name: str | None = None) -> Tensor:
    """The rows of a sparse tensor, as three texts each.

    >>> rows = tf.io.serialize_many_sparse(tf.sparse.eye(2))
    >>> back = tf.io.deserialize_many_sparse(rows, tf.float32)
    >>> tf.sparse.to_dense(back).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    _checked(out_type)
    return apply(SERIALIZE_MANY, sparse(sp_input)._parts(), {}, name)  # type: ignore[no-any-return]


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensor of rows that `serialize_many_sparse` made texts of, or of several tensors; it has this rank.

    >>> rows = tf.io.serialize_many_sparse(tf.sparse.eye(2))
    >>> tf.io.deserialize_many_sparse(rows, tf.float32).dense_shape.numpy().tolist()
    [2, 2]
    """
    attrs = {"dtype": as_dtype(dtype).numpy_dtype, "rank": rank}
    return SparseTensor._of(
        *apply(DESERIALIZE_MANY, [convert(serialized_sparse, string)], attrs, name)
    )
