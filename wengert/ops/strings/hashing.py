"""Strings put into buckets, by numbers that are the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable, nameable
from wengert.ops.strings.fingerprint import fingerprint as farm
from wengert.ops.strings.murmur import murmur
from wengert.ops.strings.siphash import siphash
from wengert.ops.strings.texts import each, text_of
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, dims
from wengert.values.typed_calls import of_one

if TYPE_CHECKING:
    from wengert.values.typing import TensorLike

_INT64: Final = np.dtype(np.int64)
_MOST: Final = 1 << 16  # strings whose numbers are kept: most texts have few words


def _row(name: str, number: Callable[..., int]) -> Row:
    kept = lru_cache(_MOST)(number)

    def kernel(_: Any, x: Any, *, num_buckets: int, **key: Any) -> Any:
        rest = tuple(key.values())
        found = each(x, (lambda text: kept(text, *rest)) if rest else kept, np.dtype(np.uint64))
        return (found % np.uint64(num_buckets)).astype(_INT64)

    return op(name, kernel, shape=lambda x, **_: x, dtype=lambda x, **_: _INT64)


FAST: Row = _row("StringToHashBucketFast", farm)
STRONG: Row = _row("StringToHashBucketStrong", siphash)
OLDEST: Row = _row("StringToHashBucket", murmur)


def _bucketed(row: Row, input: Any, num_buckets: int, **attrs: Any) -> Tensor:
    if num_buckets < 1:
        raise InvalidArgumentError(
            f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 1 [Op:{row.name}]"
        )
    return apply(row, (text_of(input),), {"num_buckets": int(num_buckets), **attrs})  # type: ignore[no-any-return]


@of_one
@deferrable
def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for every string, the same for the same string.

    >>> tf.strings.to_hash_bucket_fast(["tape", "graph", "tape"], 10).numpy().tolist()
    [0, 6, 0]
    """
    return _bucketed(FAST, input, num_buckets)


@of_one
@deferrable
def to_hash_bucket_strong(
    input: TensorLike, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """A number below `num_buckets` for every string, which nobody can foresee without the key.

    >>> tf.strings.to_hash_bucket_strong(["tape", "graph"], 100, key=[1, 2]).numpy().tolist()
    [62, 35]
    """
    if len(key) != 2:
        raise InvalidArgumentError(
            f"Key must have 2 elements, got {len(key)} [Op:StringToHashBucketStrong]"
        )
    words = tuple(int(part) % 2**64 for part in key)
    return _bucketed(STRONG, input, num_buckets, key=words)


@of_one
@deferrable
def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for every string; `to_hash_bucket_fast` spreads them better.

    >>> tf.strings.to_hash_bucket(["tape", "graph"], 100).numpy().tolist()
    [48, 67]
    """
    return _bucketed(OLDEST, input, num_buckets)


# ---- fingerprints -------------------------------------------------------------------------------


def _fingerprints(_: Any, x: Any) -> Any:
    """Eight bytes for each row; strings that share one are represented by their own fingerprints."""
    rows = x.reshape(len(x), -1)
    found = [farm(_bytes_of(row)).to_bytes(8, "little") for row in rows]
    return np.frombuffer(b"".join(found), np.uint8).reshape(-1, 8)


def _bytes_of(row: Any) -> bytes:
    if row.dtype != object:
        return bytes(np.ascontiguousarray(row).tobytes())
    if len(row) == 1:
        return bytes(row[0])
    return b"".join(farm(text).to_bytes(8, "little") for text in row)


FINGERPRINT: Row = op(
    "Fingerprint", _fingerprints, shape=lambda x: (x[0], 8), dtype=lambda x: np.dtype(np.uint8)
)


@nameable
def fingerprint(data: TensorLike, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """Eight bytes for each row of a tensor, the same for the same row.

    >>> tf.fingerprint(["a", "b", "a"]).numpy()[:, 0].tolist()
    [227, 22, 227]
    """
    rows = convert(data)
    if not dims(rows):
        raise InvalidArgumentError("`data` should have at least one dimension: [] [Op:Fingerprint]")
    if method != "farmhash64":
        raise InvalidArgumentError(f"Unsupported fingerprint method: {method} [Op:Fingerprint]")
    result: Tensor = apply(FINGERPRINT, (rows,))
    return result
