"""Features of several columns as one: every choice of one value of each, as a string or as a number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import nameable
from wengert.ops.math.elementwise import cast
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.sparse.tensor import SparseTensor
from wengert.ops.strings.fingerprint import fingerprint
from wengert.ops.strings.murmur import SEED, joined
from wengert.values.dtypes import int64, string
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.core.row import Attrs
    from wengert.values.typing import Array, Namespace

_LARGEST: Final = 2**63 - 1
_SIGNED: Final = 2**64

# ---- the values of the rows ---------------------------------------------------------------------


def _rows_of(kinds: str, arrays: Sequence[Array]) -> tuple[list[list[list[Any]]], int]:
    """For each column the values of each row; and the number of rows."""
    rest, columns, counts = iter(arrays), [], []
    for kind in kinds:
        if kind == "s":
            indices, values, sizes = next(rest), next(rest), next(rest)
            rows: list[list[Any]] = [[] for _ in range(int(sizes[0]))]
            for at, value in zip(indices[:, 0].tolist(), values.tolist(), strict=True):
                rows[at].append(value)
        elif kind == "r":
            values, splits = next(rest).tolist(), next(rest).tolist()
            rows = [values[a:b] for a, b in pairwise(splits)]
        else:
            rows = next(rest).tolist()
        columns.append(rows)
        counts.append(len(rows))
    if len(set(counts)) > 1:
        raise InvalidArgumentError(
            f"Expected batch size {counts[0]}, got {counts} [Op:SparseCross]"
        )
    return columns, counts[0]


def _crossed(kinds: str, arrays: Sequence[Array], one: Callable[..., Any]) -> list[list[Any]]:
    columns, count = _rows_of(kinds, arrays)
    return [[one(choice) for choice in product(*[c[row] for c in columns])] for row in range(count)]


def _text(separator: bytes) -> Callable[..., bytes]:
    return lambda choice: separator.join([v if isinstance(v, bytes) else b"%d" % v for v in choice])


def _number(buckets: int, key: int) -> Callable[..., int]:
    def number(choice: Sequence[Any]) -> int:
        found = key % _SIGNED
        for value in choice:
            own = fingerprint(value) if isinstance(value, bytes) else int(value) % _SIGNED
            found = joined(found, own)
        return found % (buckets or _LARGEST)

    return number


def _values(rows: list[list[Any]], hashed: bool) -> Array:
    found = np.empty(sum(map(len, rows)), np.int64 if hashed else object)
    found[:] = [value for row in rows for value in row]
    return found


def _sparse_kernel(_: Namespace, *arrays: Array, kinds: str, how: Attrs) -> list[Array]:
    rows = _crossed(kinds, arrays, _of(how))
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    longest = max(map(len, rows), default=0)
    return [
        np.array(places, np.int64).reshape(-1, 2),
        _values(rows, "buckets" in how),
        np.array([len(rows), longest], np.int64),
    ]


def _ragged_kernel(_: Namespace, *arrays: Array, kinds: str, how: Attrs) -> list[Array]:
    rows = _crossed(kinds, arrays, _of(how))
    return [_values(rows, "buckets" in how), np.cumsum([0, *map(len, rows)], dtype=np.int64)]


def _of(how: Attrs) -> Callable[..., Any]:
    if "buckets" in how:
        return _number(how["buckets"], how["key"])
    return _text(how["separator"])


def _kind(how: Attrs) -> Any:
    return np.dtype(np.int64 if "buckets" in how else object)


SPARSE_CROSS: Row = op(
    "SparseCross",
    _sparse_kernel,
    many=True,
    by_value=True,
    forms=lambda inputs, attrs: [
        ((None, 2), np.dtype(np.int64)),
        ((None,), _kind(attrs["how"])),
        ((2,), np.dtype(np.int64)),
    ],
)
RAGGED_CROSS: Row = op(
    "RaggedCross",
    _ragged_kernel,
    many=True,
    by_value=True,
    forms=lambda inputs, attrs: [
        ((None,), _kind(attrs["how"])),
        ((None,), np.dtype(np.int64)),
    ],
)

# ---- public -------------------------------------------------------------------------------------


def _parts(inputs: Sequence[Any]) -> tuple[str, list[Tensor], bool]:
    """The kinds of the columns, their tensors, and whether all hold numbers."""
    found = list(_columns(inputs))
    numbers = all(dtype is int64 for _, _, dtype in found)
    return "".join(k for k, _, _ in found), [x for _, xs, _ in found for x in xs], numbers


def _columns(inputs: Sequence[Any]) -> Iterator[tuple[str, list[Any], Any]]:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    for x in inputs:
        if isinstance(x, SparseTensor):
            values = _of_kind(x.values)
            yield "s", [x.indices, values, x.dense_shape], values.dtype
        elif isinstance(x, RaggedTensor):
            if x.ragged_rank != 1 or len(x.flat_values.shape) != 1:
                raise ValueError("tf.ragged.cross only supports inputs with rank=2")
            values = _of_kind(x.values)
            yield "r", [values, cast(x.row_splits, int64)], values.dtype
        elif not isinstance(x, Tensor):
            raise TypeError("All inputs must be Tensor, SparseTensor or RaggedTensor.")
        else:
            values = _of_kind(x)
            if values.shape.rank not in (2, None):
                raise ValueError(f"A column must have rank 2, got {values.shape}.")
            yield "d", [values], values.dtype


def _of_kind(values: Tensor) -> Tensor:
    """Strings, or numbers as int64."""
    if values.dtype is string:
        return values
    if not values.dtype.is_integer:
        raise ValueError(f"Unexpected dtype for inputs: {values.dtype}; must be integer or string.")
    return cast(values, int64)


def _sparse(inputs: Sequence[Any], how: Attrs, name: str | None) -> SparseTensor:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    if any(isinstance(x, RaggedTensor) for x in inputs):
        raise TypeError("All inputs must be Tensor or SparseTensor: tf.ragged.cross takes others.")
    kinds, parts, _ = _parts(inputs)
    indices, values, sizes = apply(SPARSE_CROSS, parts, {"kinds": kinds, "how": how}, name)
    return SparseTensor._of(indices, values, sizes)


@nameable
def sparse_cross(
    inputs: Sequence[Any], name: str | None = None, separator: str | None = None
) -> SparseTensor:
    """All choices of one value of each column, row by row, joined.

    >>> crossed = tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([["x"]])])
    >>> crossed.values.numpy().tolist()
    [b'a_X_x', b'b_X_x']
    """
    text = "_X_" if separator is None else separator
    return _sparse(inputs, {"separator": text.encode()}, name)


@nameable
def sparse_cross_hashed(
    inputs: Sequence[Any],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """All choices of one value of each column, row by row, as numbers below `num_buckets`.

    >>> crossed = tf.sparse.cross_hashed([tf.constant([["a", "b"]]), tf.constant([["x"]])], 100)
    >>> crossed.values.shape
    TensorShape([2])
    """
    how = {"buckets": int(num_buckets), "key": SEED if hash_key is None else int(hash_key)}
    return _sparse(inputs, how, name)


def _ragged(inputs: Sequence[Any], how: Attrs, name: str | None) -> RaggedTensor:
    kinds, parts, _ = _parts(inputs)
    values, splits = apply(RAGGED_CROSS, parts, {"kinds": kinds, "how": how}, name)
    return RaggedTensor._of(values, splits)


@nameable
def ragged_cross(inputs: Sequence[Any], name: str | None = None) -> RaggedTensor:
    """All choices of one value of each column, row by row, joined.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([["d"], ["e"]])]).to_list()
    [[b'a_X_d'], [b'b_X_e', b'c_X_e']]
    """
    return _ragged(inputs, {"separator": b"_X_"}, name)


@nameable
def ragged_cross_hashed(
    inputs: Sequence[Any],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> RaggedTensor:
    """All choices of one value of each column, row by row, as numbers below `num_buckets`.

    >>> tf.ragged.cross_hashed([tf.ragged.constant([["a"], ["b", "c"]])], num_buckets=1).to_list()
    [[0], [0, 0]]
    """
    if hash_key is not None and not isinstance(hash_key, int):
        raise ValueError("hash_key must be an `int` or `None`.")
    how = {"buckets": int(num_buckets), "key": SEED if hash_key is None else int(hash_key)}
    return _ragged(inputs, how, name)
