"""tf.compat.v1.io: tf.io, with the arguments of version 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert import io as _now
from wengert.compat.v1.functions.arguments import one_of
from wengert.io import FixedLenFeature as FixedLenFeature
from wengert.io import FixedLenSequenceFeature as FixedLenSequenceFeature
from wengert.io import RaggedFeature as RaggedFeature
from wengert.io import SparseFeature as SparseFeature
from wengert.io import TFRecordOptions as TFRecordOptions
from wengert.io import TFRecordWriter as TFRecordWriter
from wengert.io import VarLenFeature as VarLenFeature
from wengert.io import decode_and_crop_jpeg as decode_and_crop_jpeg
from wengert.io import decode_base64 as decode_base64
from wengert.io import decode_bmp as decode_bmp
from wengert.io import decode_compressed as decode_compressed
from wengert.io import decode_gif as decode_gif
from wengert.io import decode_image as decode_image
from wengert.io import decode_jpeg as decode_jpeg
from wengert.io import decode_png as decode_png
from wengert.io import deserialize_many_sparse as deserialize_many_sparse
from wengert.io import encode_base64 as encode_base64
from wengert.io import encode_jpeg as encode_jpeg
from wengert.io import encode_png as encode_png
from wengert.io import extract_jpeg_shape as extract_jpeg_shape
from wengert.io import gfile as gfile
from wengert.io import is_jpeg as is_jpeg
from wengert.io import match_filenames_once as match_filenames_once
from wengert.io import matching_files as matching_files
from wengert.io import parse_sequence_example as parse_sequence_example
from wengert.io import parse_single_sequence_example as parse_single_sequence_example
from wengert.io import parse_tensor as parse_tensor
from wengert.io import read_file as read_file
from wengert.io import serialize_tensor as serialize_tensor
from wengert.io import write_file as write_file
from wengert.io import write_graph as write_graph
from wengert.io.records import TFRecordCompressionType as TFRecordCompressionType
from wengert.io.records import tf_record_iterator as tf_record_iterator
from wengert.queue import PaddingFIFOQueue as PaddingFIFOQueue
from wengert.queue import PriorityQueue as PriorityQueue
from wengert.queue import QueueBase as QueueBase
from wengert.queue import RandomShuffleQueue as RandomShuffleQueue
from wengert.values.dtypes import string


def decode_csv(
    records: Any,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Any = None,
) -> list[Any]:
    """The columns of records: see `tf.io.decode_csv`.

    >>> [x.numpy() for x in tf.compat.v1.decode_csv("1,2", [0, 0])]
    [np.int32(1), np.int32(2)]
    """
    return _now.decode_csv(
        records, record_defaults, field_delim, use_quote_delim, na_value, select_cols, name
    )


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Any:
    """The numbers whose bytes strings are: see `tf.io.decode_raw`.

    >>> tf.compat.v1.decode_raw("ab", tf.uint8).numpy().tolist()
    [97, 98]
    """
    given = one_of("input_bytes", input_bytes, "bytes", bytes)
    return _now.decode_raw(given, out_type, little_endian, None, name)


def parse_example(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """The features of examples: see `tf.io.parse_example`.

    >>> example = tf.compat.v1.train.Example()
    >>> example.features.feature["x"].float_list.value.append(1.5)
    >>> spec = {"x": tf.compat.v1.FixedLenFeature([], tf.float32)}
    >>> tf.compat.v1.parse_example([example.SerializeToString()], spec)["x"].numpy().tolist()
    [1.5]
    """
    return _now.parse_example(serialized, features, example_names, name)


def parse_single_example(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """The features of one example: see `tf.io.parse_single_example`.

    >>> example = tf.compat.v1.train.Example()
    >>> example.features.feature["x"].float_list.value.append(1.5)
    >>> spec = {"x": tf.compat.v1.FixedLenFeature([], tf.float32)}
    >>> tf.compat.v1.parse_single_example(example.SerializeToString(), spec)["x"].numpy()
    np.float32(1.5)
    """
    return _now.parse_single_example(serialized, features, example_names, name)


def serialize_sparse(sp_input: Any, name: str | None = None, out_type: Any = string) -> Any:
    """A sparse tensor as three texts: see `tf.io.serialize_sparse`.

    >>> tf.compat.v1.serialize_sparse(tf.sparse.eye(2)).shape
    TensorShape([3])
    """
    return _now.serialize_sparse(sp_input, out_type, name)


def serialize_many_sparse(sp_input: Any, name: str | None = None, out_type: Any = string) -> Any:
    """The rows of a sparse tensor as texts: see `tf.io.serialize_many_sparse`.

    >>> tf.compat.v1.serialize_many_sparse(tf.sparse.eye(2)).shape
    TensorShape([2, 3])
    """
    return _now.serialize_many_sparse(sp_input, out_type, name)
