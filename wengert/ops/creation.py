"""Tensors out of nothing: constants, zeros, ranges."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.core import dtypes
from wengert.core.convert import convert, convert_to_tensor
from wengert.core.dtypes import as_dtype
from wengert.core.tensor import Tensor, dims, wrap
from wengert.core.words import words
from wengert.errors import InvalidArgumentError
from wengert.ops.declare import matched
from wengert.ops.elementwise import cast
from wengert.ops.shaping import as_shape, broadcast_to, reshape, static, transpose


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor of a number, an array or a nested list, which it copies.

    >>> tf.constant([1, 2, 3])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
    >>> tf.constant(0.5, shape=[2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0.5], dtype=float32)>
    """
    tensor = convert_to_tensor(value, dtype)
    if shape is None:
        return tensor
    wanted = as_shape(shape)
    size, asked = int(np.prod(dims(tensor), dtype=int)), int(np.prod(wanted, dtype=int))
    if size == asked:
        return reshape(tensor, wanted)
    if size == 1:
        return wrap(np.broadcast_to(np.reshape(tensor._array, ()), wanted))
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {tensor.numpy()} has "
        f"{size} elements, but got `shape` {wanted} with {asked} elements."
    )


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Tensor:  # fmt: skip
    """Zeros.

    >>> tf.zeros([2]).numpy().tolist()
    [0.0, 0.0]
    """
    kind = as_dtype(dtype)
    if kind is dtypes.string:
        return constant(b"", shape=shape)
    return wrap(np.zeros(as_shape(shape), kind.numpy_dtype))


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Tensor:  # fmt: skip
    """Ones.

    >>> tf.ones([2]).numpy().tolist()
    [1.0, 1.0]
    """
    return wrap(np.ones(as_shape(shape), as_dtype(dtype).numpy_dtype))


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
    """A scalar repeated to a shape; a gradient flows to the scalar.

    >>> tf.fill([2], 7).numpy().tolist()
    [7, 7]
    """
    return broadcast_to(value, dims)


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere.

    >>> tf.eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    rows = int(static(num_rows))
    columns = rows if num_columns is None else int(static(num_columns))
    one = np.eye(rows, columns, dtype=as_dtype(dtype).numpy_dtype)
    if batch_shape is None:
        return wrap(one)
    return wrap(np.broadcast_to(one, (*as_shape(batch_shape), rows, columns)))


def range_(
    start: Any,
    limit: Any = None,
    delta: Any = 1,
    dtype: Any = None,
    name: str = "range",
) -> Tensor:
    """Numbers from start (or 0) up to, and without, limit.

    >>> tf.range(3).numpy().tolist(), tf.range(1.0, 2.0, 0.5).numpy().tolist()
    ([0, 1, 2], [1.0, 1.5])
    """
    begin, end = (0, start) if limit is None else (start, limit)
    parts = [convert(v) for v in (begin, end, delta)]
    if dtype is None:
        order = (dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)  # fmt: skip
        kind = max((p.dtype for p in parts), key=lambda d: order.index(d) if d in order else 0)
    else:
        kind = as_dtype(dtype)
    first, last, step = (np.asarray(p)[()] for p in parts)
    if step == 0:
        raise InvalidArgumentError("Requires delta != 0: 0 [Op:Range]")
    if (step > 0 and first > last) or (step < 0 and first < last):
        sign = ">" if step < 0 else "<"
        raise InvalidArgumentError(
            f"Requires start {sign}= limit when delta {'<' if step < 0 else '>'} 0: "
            f"{first}/{last} [Op:Range]"
        )
    return wrap(np.arange(first, last, step).astype(kind.numpy_dtype))


range_.__name__ = range_.__qualname__ = "range"


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` evenly spaced values from start to stop, both included.

    >>> tf.linspace(0.0, 1.0, 3).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    first, last = matched("LinSpace", start, stop)
    count = int(static(num))
    if count <= 0:
        raise ValueError(f"Requires num > 0, got {count}.")
    shape = np.broadcast_shapes(dims(first), dims(last))
    at = axis if axis >= 0 else axis + len(shape) + 1
    steps = np.linspace(0.0, 1.0, count).astype(first.dtype.numpy_dtype)
    weight = wrap(steps.reshape([-1 if i == at else 1 for i in range(len(shape) + 1)]))
    kept = (*shape[:at], 1, *shape[at:])
    low, high = (
        reshape(broadcast_to(first, shape), kept),
        reshape(broadcast_to(last, shape), kept),
    )
    return low * (1.0 - weight) + high * weight


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Coordinates of a grid: one array for each vector.

    >>> [t.numpy().tolist() for t in tf.meshgrid([1, 2], [3, 4])]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    vectors = [reshape(v, (-1,)) for v in matched("Meshgrid", *args)]
    shape = tuple(dims(v)[0] for v in vectors)
    grids = [
        broadcast_to(reshape(v, tuple(-1 if j == i else 1 for j in range(len(shape)))), shape)
        for i, v in enumerate(vectors)
    ]
    if indexing == "xy" and len(shape) > 1:
        swap = (1, 0, *range(2, len(shape)))
        grids = [transpose(g, swap) for g in grids]
    return grids


def shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The shape of a tensor, as a tensor.

    >>> tf.shape([[1, 2], [3, 4]]).numpy().tolist()
    [2, 2]
    """
    return wrap(np.array(dims(convert(input)), as_dtype(out_type).numpy_dtype))


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors.

    >>> [s.numpy().tolist() for s in tf.shape_n([[1, 2], 3.0])]
    [[2], []]
    """
    return [shape(x, out_type) for x in input]


def size(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The number of elements.

    >>> tf.size([[1, 2], [3, 4]]).numpy().item()
    4
    """
    return cast(int(np.prod(dims(convert(input)), dtype=np.int64)), out_type)


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of axes.

    >>> tf.rank([[1, 2], [3, 4]]).numpy().item()
    2
    """
    return convert(len(dims(convert(input))))


def _blank(x: Any, wanted: tuple[int, ...]) -> Tensor:
    return wrap(np.zeros(wanted, x._array.dtype))


words.blank = _blank
