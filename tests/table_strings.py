"""Lines of the table of operations for strings. Their operands are drawn numbers, written as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from samples import Line, line

import wengert as tf

s = tf.strings
SHAPES: list[list[tuple[int, ...]]] = [[(2, 3)]]


def of_text(name: str, function: Callable[[Any], Any], each: Callable[[bytes], Any]) -> Line:
    """A line for a function of every string by itself."""

    def expected(x: Any) -> Any:
        found = [each(b"%7.2f" % v) for v in x.ravel().tolist()]
        kind = object if isinstance(found[0], bytes) else None
        return np.array(found, kind).reshape(x.shape)

    return line(
        name, lambda x: function(text(x)), expected, shapes=SHAPES, constant=True, small=False
    )


def text(x: Any) -> Any:
    """Numbers as strings of one length."""
    return tf.as_string(x, precision=2, width=7)


def parts(name: str, function: Callable[[Any], Any]) -> Line:
    """A line for an operation that takes strings apart; tests/test_strings.py has the values."""
    return line(
        name,
        lambda x: function(text(x)).flat_values,
        None,
        shapes=SHAPES,
        constant=True,
        small=False,
        ranked=not name.endswith("WithOffsets"),
    )


class FlatValues(NamedTuple):
    """As ragged tensors have them."""

    flat_values: Any


LINES: Sequence[Line] = [
    of_text("StringLower", s.lower, bytes.lower),
    of_text("StringUpper", s.upper, bytes.upper),
    of_text("StringStrip", s.strip, bytes.strip),
    of_text("StringLength", s.length, len),
    of_text("Substr", lambda x: s.substr(x, 1, 3), lambda v: v[1:4]),
    of_text("StringJoin", lambda x: s.join([x, "e", x], "."), lambda v: b".".join([v, b"e", v])),
    of_text("RegexReplace", lambda x: s.regex_replace(x, "[.]", ","), lambda v: v.replace(b".", b",")),
    of_text("RegexFullMatch", lambda x: s.regex_full_match(x, " *-.*"), lambda v: b"-" in v),
    of_text("StringToNumber", s.to_number, lambda v: np.float32(v)),
    of_text("StringToHashBucketFast", lambda x: s.to_hash_bucket_fast(x, 1), lambda v: np.int64(0)),
    line("ReduceJoin", lambda x: s.reduce_join(text(x), axis=1), lambda x: np.array(
        [b"".join(b"%7.2f" % v for v in row) for row in x.tolist()], object), shapes=SHAPES, constant=True, small=False, ranked=False),
    parts("StringSplitV2", lambda x: s.split(x, ".")),
    parts("StringBytesSplit", s.bytes_split),
    parts("UnicodeSplitWithOffsets", lambda x: s.unicode_split(x, "UTF-8")),
    parts("UnicodeDecodeWithOffsets", lambda x: s.unicode_decode(x, "UTF-8")),
    parts("StringSplit", lambda x: tf.compat.v1.string_split(x[0], ".", result_type="RaggedTensor")),
    parts("StringNGrams", lambda x: s.ngrams(tf.RaggedTensor.from_tensor(x), 2)),
    parts("RaggedCross", lambda x: tf.ragged.cross([x, x])),
    parts("SparseCross", lambda x: FlatValues(tf.sparse.cross([x, x]).values)),
    of_text("StringToHashBucket", lambda x: s.to_hash_bucket(x, 1), lambda v: np.int64(0)),
    of_text("StringToHashBucketStrong", lambda x: s.to_hash_bucket_strong(x, 1, [1, 2]), lambda v: np.int64(0)),
    of_text("UnicodeTranscode", lambda x: s.unicode_transcode(x, "UTF-8", "UTF-16-BE"), lambda v: v.decode().encode("utf-16-be")),
    line("UnicodeEncode", lambda x: s.unicode_encode(tf.cast(x, tf.int32) * 0 + 97, "UTF-8"), lambda x: np.array([b"aaa"] * 2, object), shapes=SHAPES, constant=True, small=False, ranked=False),
    line("UnicodeScript", lambda x: s.unicode_script(tf.cast(x, tf.int32) * 0 + 97), lambda x: np.full(x.shape, 25, np.int32), shapes=SHAPES, constant=True, small=False),
    line("UnsortedSegmentJoin", lambda x: s.unsorted_segment_join(text(x), [0, 0], 1), lambda x: np.array([[b"%7.2f%7.2f" % (a, b) for a, b in x.T.tolist()]], object), shapes=SHAPES, constant=True, small=False),
    line("StringFormat", lambda x: tf.reshape(s.format("{}", tf.shape(x)), [1]), lambda x: np.array([b"[2 3]"], object), shapes=SHAPES, constant=True, small=False),
]  # fmt: skip
