"""tf.compat.v1.strings: tf.strings, with the arguments of version 1."""

from __future__ import annotations

from typing import Any

from wengert import strings as _now
from wengert.compat.v1.functions.arguments import one_of
from wengert.ops.strings import sparse_parts as _sparse_parts
from wengert.ops.strings.sparse_parts import string_split as string_split
from wengert.strings import as_string as as_string
from wengert.strings import bytes_split as bytes_split
from wengert.strings import format as format
from wengert.strings import join as join
from wengert.strings import lower as lower
from wengert.strings import ngrams as ngrams
from wengert.strings import regex_full_match as regex_full_match
from wengert.strings import regex_replace as regex_replace
from wengert.strings import strip as strip
from wengert.strings import to_hash_bucket_fast as to_hash_bucket_fast
from wengert.strings import to_hash_bucket_strong as to_hash_bucket_strong
from wengert.strings import unicode_decode as unicode_decode
from wengert.strings import unicode_decode_with_offsets as unicode_decode_with_offsets
from wengert.strings import unicode_encode as unicode_encode
from wengert.strings import unicode_script as unicode_script
from wengert.strings import unicode_split as unicode_split
from wengert.strings import unicode_split_with_offsets as unicode_split_with_offsets
from wengert.strings import unicode_transcode as unicode_transcode
from wengert.strings import unsorted_segment_join as unsorted_segment_join
from wengert.strings import upper as upper
from wengert.values.dtypes import float32

split = _sparse_parts.split_v1


def length(input: Any, name: str | None = None, unit: str = "BYTE") -> Any:
    """The number of bytes or characters: see `tf.strings.length`.

    >>> tf.compat.v1.strings.length(["tape"]).numpy().tolist()
    [4]
    """
    return _now.length(input, unit)


def substr(input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE") -> Any:
    """A piece of every string: see `tf.strings.substr`.

    >>> tf.compat.v1.substr("tape", 1, 2).numpy()
    b'ap'
    """
    return _now.substr(input, pos, len, unit)


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Any:
    """The strings along axes in one: see `tf.strings.reduce_join`.

    >>> tf.compat.v1.reduce_join([["a", "b"], ["c", "d"]], 1).numpy().tolist()
    [b'ab', b'cd']
    """
    axes = one_of("axis", axis, "reduction_indices", reduction_indices)
    kept = one_of("keepdims", keepdims, "keep_dims", keep_dims)
    return _now.reduce_join(inputs, axes, bool(kept), separator)


def to_hash_bucket(
    string_tensor: Any = None, num_buckets: Any = None, name: str | None = None, input: Any = None
) -> Any:
    """Numbers for strings: see `tf.strings.to_hash_bucket`.

    >>> tf.compat.v1.string_to_hash_bucket(["tape"], 100).numpy().tolist()
    [48]
    """
    return _now.to_hash_bucket(one_of("input", input, "string_tensor", string_tensor), num_buckets)


def to_number(
    string_tensor: Any = None, out_type: Any = float32, name: str | None = None, input: Any = None
) -> Any:
    """The numbers that strings say: see `tf.strings.to_number`.

    >>> tf.compat.v1.string_to_number("1.5").numpy()
    np.float32(1.5)
    """
    return _now.to_number(one_of("input", input, "string_tensor", string_tensor), out_type)


string_to_number = to_number
string_to_hash_bucket = to_hash_bucket
