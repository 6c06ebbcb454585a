"""Variables written and read by operations, which graphs that come from files have in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError, NotFoundError
from wengert.formats.bundles import BundleReader, BundleWriter, Extents
from wengert.saving.object_graph import full_names
from wengert.values.dtypes import DType
from wengert.values.tensor import Tensor

_OBJECT: Final = np.dtype(object)


def _texts(values: Any) -> list[str]:
    return [t.decode() if isinstance(t, bytes) else str(t) for t in np.asarray(values).ravel()]


def _path(value: Any) -> str:
    return os.fsdecode(np.asarray(value, object).item())


def _save_kernel(_: Any, prefix: Any, names: Any, slices: Any, *values: Any) -> list[Any]:
    with BundleWriter(_path(prefix)) as writer:
        for name, part, value in zip(_texts(names), _texts(slices), values, strict=True):
            if part:
                writer.add_slice(name, *_slice(part), value)
            else:
                writer.add(name, value)
    return []


def _restore_kernel(
    _: Any, prefix: Any, names: Any, slices: Any, *, dtypes: Sequence[DType]
) -> list[Any]:
    bundle = BundleReader(_path(prefix))
    keys = full_names(bundle)
    return [
        _restored(bundle, keys.get(name, name), part, dtype)
        for name, part, dtype in zip(_texts(names), _texts(slices), dtypes, strict=True)
    ]


def _restored(bundle: BundleReader, key: str, part: str, dtype: DType) -> Any:
    if key not in bundle:
        raise NotFoundError(f"Key {key} not found in checkpoint {bundle.prefix}")
    found = bundle.part(key, _slice(part)[1]) if part else bundle.tensor(key)
    if found.dtype != dtype.numpy_dtype:
        raise InvalidArgumentError(
            f"tensor_name = {key}; expected dtype {dtype.spoken} does not equal original dtype {found.dtype}"
        )
    return found


def _slice(text: str) -> tuple[list[int], Extents]:
    """The shape of the whole, and where the part stands in it: `10 5 0,2:-`."""
    *shape, extents = text.split(" ")
    return [int(n) for n in shape], tuple(_extent(axis) for axis in extents.split(":"))


def _extent(text: str) -> tuple[int, int]:
    if text == "-":
        return 0, -1
    start, length = text.split(",")
    return int(start), int(length)


def _sharded_kernel(_: Any, name: Any, shard: Any, shards: Any) -> Any:
    return np.array(f"{_path(name)}-{int(shard):05d}-of-{int(shards):05d}".encode(), object)


def _merge_kernel(_: Any, prefixes: Any, destination: Any, **attrs: Any) -> list[Any]:
    with BundleWriter(_path(destination)) as writer:
        for name, value in _of_all(_texts(prefixes)):
            writer.add(name, value)
    return []


def _of_all(prefixes: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for prefix in prefixes:
        bundle = BundleReader(prefix)
        for name in bundle.names():
            yield name, bundle.tensor(name)


SAVE: Final = Row(
    "SaveV2", _save_kernel, forms=lambda xs, attrs: [], many=True, stateful=True, effects=True
)
RESTORE: Final = Row(
    "RestoreV2",
    _restore_kernel,
    forms=lambda xs, attrs: [(None, dtype.numpy_dtype) for dtype in attrs["dtypes"]],
    many=True,
    stateful=True,
)
SHARDED: Final = Row("ShardedFilename", _sharded_kernel, forms=lambda xs, attrs: [((), _OBJECT)])
MERGE: Final = Row(
    "MergeV2Checkpoints",
    _merge_kernel,
    forms=lambda xs, attrs: [],
    many=True,
    stateful=True,
    effects=True,
)


def restored(prefix: Any, names: Any, slices: Any, dtypes: Sequence[DType]) -> list[Tensor]:
    """Tensors of a checkpoint, by their names."""
    found: list[Tensor] = apply(RESTORE, (prefix, names, slices), {"dtypes": tuple(dtypes)})
    return found
