"""Elements of datasets kept in files: saved and loaded whole, or while they are used."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.core.context import current_graph
from wengert.data.elements import Element, Layout
from wengert.data.methods.made import made, transformed
from wengert.data.methods.sources import from_tensor_slices, from_tensors
from wengert.data.stages import files
from wengert.errors import DataLossError, InvalidArgumentError, NotFoundError, UnimplementedError
from wengert.formats.compressed import opened
from wengert.formats.records import record
from wengert.host.files import errors_of_files, replaced
from wengert.io.paths import path_of
from wengert.io.records import TFRecordWriter as Writer
from wengert.ops.ragged.spec import RaggedTensorSpec
from wengert.ops.sparse.spec import SparseTensorSpec
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, int64, string
from wengert.values.shapes import TensorShape
from wengert.values.type_spec import TensorSpec

_ABOUT: Final = "dataset.json"
_CODECS: Final = {None: "", "": "", "NONE": "", "AUTO": "", "GZIP": "GZIP", "ZLIB": "ZLIB"}


# ---- saving -------------------------------------------------------------------------------------


def save(
    self: Any,
    path: Any,
    compression: str | None = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Any = None,
) -> None:
    """Write all elements to a folder, which `Dataset.load` reads.

    What was saved there before stays until all is written. `shard_func` says in which file an element stands.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "kept")
    >>> tf.data.Dataset.range(3).save(path)
    >>> [int(x) for x in tf.data.Dataset.load(path)]
    [0, 1, 2]
    """
    if current_graph() is not None:
        raise RuntimeError("A dataset is saved in eager mode, outside of functions and graphs.")
    codec = _codec(compression)
    folder = path_of(path)
    run = uuid.uuid4().hex
    layout: Layout = self._layout
    with errors_of_files(folder):
        os.makedirs(os.path.join(folder, run))
        try:
            counts = _write_shards(self, layout, os.path.join(folder, run), shard_func, codec)
            about = {
                "version": 1,
                "run": run,
                "codec": codec,
                "files": counts,
                "spec": _said(layout.spec),
            }
            replaced(os.path.join(folder, _ABOUT), json.dumps(about).encode())
        except BaseException:
            shutil.rmtree(os.path.join(folder, run), ignore_errors=True)
            raise
        for other in os.scandir(folder):
            if other.is_dir() and other.name != run and len(other.name) == len(run):
                shutil.rmtree(other.path, ignore_errors=True)


def _codec(compression: Any) -> str:
    if compression not in _CODECS:
        raise InvalidArgumentError(
            f"Unsupported compression {compression!r}: it is None, 'GZIP' or 'ZLIB'."
        )
    return _CODECS[compression]


def _write_shards(
    dataset: Any, layout: Layout, folder: str, shard_func: Any, codec: str
) -> list[list[Any]]:
    """Write the elements; returns the names of the files, and how many elements each has."""
    if shard_func is None:
        elements = iter(dataset._variant_tensor._array)
        name = "00000000.shard"
        return [[name, files.write_elements(os.path.join(folder, name), layout, elements, codec)]]
    opened_files: dict[int, Any] = {}
    counts: dict[int, int] = {}
    pairs = dataset.map(lambda *parts: (shard_func(*parts), parts[0] if len(parts) == 1 else parts))
    try:
        for shard, value in pairs:
            number = int(shard)
            if number not in opened_files:
                opened_files[number] = opened(os.path.join(folder, _name(number)), "wb", codec)
            element: Element = layout.element(value)
            opened_files[number].write(record(files.element_bytes(layout, element)))
            counts[number] = counts.get(number, 0) + 1
    finally:
        for open_file in opened_files.values():
            open_file.close()
    return [[_name(number), counts[number]] for number in sorted(counts)]


def _name(number: int) -> str:
    return f"{number:08}.shard"


# ---- loading ------------------------------------------------------------------------------------


def load(
    path: Any,
    element_spec: Any = None,
    compression: str | None = None,
    reader_func: Callable[[Any], Any] | None = None,
    wait: bool = False,
) -> Any:
    """The dataset that `save` wrote to a folder.

    `reader_func` makes it of a dataset of the datasets of the files. A damaged file is a DataLossError that
    names the file and the record.
    """
    folder = path_of(path)
    about = _about(folder)
    spec = about["spec"] if element_spec is None else element_spec
    if spec is None:
        raise ValueError(
            f"The elements in {folder} are of a kind that is not described there: give `element_spec`."
        )
    names = [os.path.join(folder, about["run"], name) for name, _ in about["files"]]
    counts = np.array([count for _, count in about["files"]], np.int64)
    attrs = {"layout": Layout(spec), "codec": about["codec"]}
    listed = np.empty(len(names), object)
    listed[:] = [name.encode() for name in names]
    if reader_func is None:
        return made(
            files.load, [convert(listed, string), convert(counts, int64)], attrs, spec, "Load"
        )
    parts = from_tensor_slices((listed, counts)).map(
        lambda name, count: made(files.load, [name, count], attrs, spec, "Load")
    )
    return reader_func(parts)


def _about(folder: str) -> Any:
    name = os.path.join(folder, _ABOUT)
    try:
        with open(name, encoding="utf-8") as file:
            found = json.load(file)
        if found["version"] != 1:
            raise UnimplementedError(f"{name} was written by a newer version of this library.")
        found = {key: found[key] for key in ("run", "codec", "files", "spec")}
        found["spec"] = _spec(found["spec"])
        found["files"] = [(str(file), int(count)) for file, count in found["files"]]
    except FileNotFoundError:
        raise NotFoundError(f"{folder} holds no saved dataset: there is no {_ABOUT}.") from None
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise DataLossError(f"{name} is damaged: {error}") from None
    return found


# ---- specs as JSON ------------------------------------------------------------------------------


def _said(spec: Any) -> Any:
    """A nested spec as JSON; None for what has no such form."""
    if isinstance(spec, tuple) and not hasattr(spec, "_fields"):
        parts = [_said(part) for part in spec]
        return None if None in parts else ["tuple", parts]
    if type(spec) is dict:
        values = {key: _said(part) for key, part in spec.items()}
        plain = all(isinstance(key, str) for key in spec) and None not in values.values()
        return ["dict", values] if plain else None
    if type(spec) is TensorSpec:
        return ["tensor", _sizes(spec.shape), spec.dtype.name]
    if type(spec) is SparseTensorSpec:
        return ["sparse", _sizes(spec.shape), spec.dtype.name]
    if type(spec) is RaggedTensorSpec and spec.flat_values_spec is None:
        ends = spec.row_splits_dtype.name
        return ["ragged", _sizes(spec.shape), spec.dtype.name, spec.ragged_rank, ends]
    return None


def _sizes(shape: TensorShape) -> Any:
    return None if shape.rank is None else shape.as_list()


def _spec(said: Any) -> Any:
    if said is None:
        return None
    kind, *rest = said
    if kind == "tuple":
        return tuple(_spec(part) for part in rest[0])
    if kind == "dict":
        return {key: _spec(part) for key, part in rest[0].items()}
    shape, dtype = TensorShape(rest[0]), as_dtype(rest[1])
    if kind == "tensor":
        return TensorSpec(shape, dtype)
    if kind == "sparse":
        return SparseTensorSpec(shape, dtype)
    return RaggedTensorSpec(shape, dtype, rest[2], as_dtype(rest[3]))


# ---- while they are used ------------------------------------------------------------------------


def snapshot(
    self: Any,
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Callable[[Any], Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The dataset, whose elements the first whole pass writes to a folder, and later ones read.

    The elements stand in one file, in their order: `shard_func` has no effect.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "kept")
    >>> data = tf.data.Dataset.range(3).snapshot(path)
    >>> [int(x) for x in data], os.listdir(path)
    ([0, 1, 2], ['elements.data'])
    """
    _codec(compression)
    file = convert(os.path.join(path_of(path), "elements"), string)
    kept = transformed(
        [self], files.cache, self.element_spec, "Snapshot", [file], layout=self._layout
    )
    if reader_func is None:
        return kept
    return reader_func(from_tensors(np.int64(0)).map(lambda _: kept))


class TFRecordWriter:
    """Writes the elements of a dataset, strings, to a file of records.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two.tfrecord")
    >>> tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'a', b'b']
    """

    def __init__(self, filename: Any, compression_type: str | None = None) -> None:
        self._filename = filename
        self._compression_type = compression_type

    def write(self, dataset: Any) -> None:
        """Write the elements."""
        if not hasattr(dataset, "_variant_tensor"):
            raise TypeError(
                f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}."
            )
        if dataset.element_spec != TensorSpec([], string):
            raise TypeError(
                "Invalid `dataset`. Expected `dataset` that produces scalar `tf.string` elements, but got "
                f"dataset which produces {dataset.element_spec}."
            )
        with Writer(path_of(self._filename), self._compression_type or "") as writer:
            for element in dataset.as_numpy_iterator():
                writer.write(element)
