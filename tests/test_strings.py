"""tf.strings: strings in tensors, beside values recorded from TensorFlow 2.21."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

s = tf.strings
RAGGED = tf.ragged.constant([["one", "two three"], [], ["four"]])


def lists(value: Any) -> Any:
    """A result, dense or ragged, as nested lists."""
    if isinstance(value, tf.RaggedTensor):
        return value.to_list()
    return np.array(value.numpy(), object).tolist()


CASES: dict[str, tuple[Callable[[], Any], Any]] = {
    "split by blanks": (lambda: s.split("  a  b "), [b"a", b"b"]),
    "split by commas": (lambda: s.split(["a,,b", ""], ","), [[b"a", b"", b"b"], [b""]]),
    "split at most once": (lambda: s.split("a,b,c", ",", maxsplit=1), [b"a", b"b,c"]),
    "split a matrix": (
        lambda: s.split([["a b", "c"], ["", "d"]]),
        [[[b"a", b"b"], [b"c"]], [[], [b"d"]]],
    ),
    "split ragged": (
        lambda: s.split(RAGGED),
        [[[b"one"], [b"two", b"three"]], [], [[b"four"]]],
    ),
    "bytes": (lambda: s.bytes_split(["ab", ""]), [[b"a", b"b"], []]),
    "characters": (lambda: s.unicode_split("aé", "UTF-8"), [b"a", b"\xc3\xa9"]),
    "code points": (lambda: s.unicode_decode(["né", "b"], "UTF-8"), [[110, 233], [98]]),
    "replaced": (lambda: s.unicode_decode(b"a\xffb", "UTF-8"), [97, 65533, 98]),
    "left out": (lambda: s.unicode_decode(b"a\xffb", "UTF-8", errors="ignore"), [97, 98]),
    "pieces": (lambda: s.substr(["hello", "world"], [1, -2], [2, 5]), [b"el", b"ld"]),
    "pieces of text": (lambda: s.substr("naïve", 2, 2, unit="UTF8_CHAR"), "ïv".encode()),
    "pieces ragged": (lambda: s.substr(RAGGED, 0, 2), [[b"on", b"tw"], [], [b"fo"]]),
    "joined": (lambda: s.join(["a", ["b", "c"]], separator="-"), [b"a-b", b"a-c"]),
    "joined ragged": (
        lambda: s.join([RAGGED[:, :1], RAGGED[:, :1]], separator="+"),
        [[b"one+one"], [], [b"four+four"]],
    ),
    "joined along all": (lambda: s.reduce_join([["a", "b"], ["c", "d"]]), b"abcd"),
    "joined along one": (
        lambda: s.reduce_join([["a", "b"], ["c", "d"]], axis=0, keepdims=True, separator="."),
        [[b"a.c", b"b.d"]],
    ),
    "joined rows": (
        lambda: s.reduce_join(RAGGED, axis=1, separator=" "),
        [b"one two three", b"", b"four"],
    ),
    "numbers": (lambda: s.to_number(["1", "2.5"]), [1.0, 2.5]),
    "integers": (lambda: s.to_number(" 7 ", tf.int64), 7),
    "lengths": (lambda: s.length(["né", "b"]), [3, 1]),
    "characters counted": (lambda: s.length("né", unit="UTF8_CHAR"), 2),
    "lower, of ASCII": (lambda: s.lower("ÄB"), "Äb".encode()),
    "lower": (lambda: s.lower("ÄB", encoding="utf-8"), "äb".encode()),
    "upper": (lambda: s.upper(RAGGED), [[b"ONE", b"TWO THREE"], [], [b"FOUR"]]),
    "stripped": (lambda: s.strip([" x\n"]), [b"x"]),
    "replaced by the whole": (lambda: s.regex_replace("hello", "l+", r"[\0]"), b"he[ll]o"),
    "replaced once": (
        lambda: s.regex_replace("hello", "(l)", r"\1\1", replace_global=False),
        b"helllo",
    ),
    "fits": (lambda: s.regex_full_match(["ab", "b", "abc"], "a."), [True, False, False]),
}


@pytest.mark.parametrize("case", CASES)
def test_strings(case: str) -> None:
    """Eagerly and in a function."""
    call, expected = CASES[case]
    assert lists(call()) == expected
    assert lists(tf.function(call)()) == expected


def test_buckets_are_those_of_farmhash() -> None:
    """One text for each of the lengths that are treated apart."""
    texts = ["", "a", "ab", "abcd", "abcdefgh", "0123456789abcdefX", "y" * 33, "w" * 64]
    texts += ["v" * 65, "p" * 128, "o" * 129, "n" * 1000]
    expected = [
        377723,
        291400,
        834328,
        267500,
        229479,
        927332,
        904239,
        722561,
        529813,
        362422,
        227463,
        715427,
    ]
    assert s.to_hash_bucket_fast(texts, 1000003).numpy().tolist() == expected
    rows = s.to_hash_bucket_fast(tf.ragged.constant([["a"], []]), 1000003)
    assert rows.to_list() == [[expected[1]], []]


def test_strings_of_unknown_sizes() -> None:
    """One trace for vectors of all lengths, with results that operations take."""

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def total(lines: Any) -> Any:
        return tf.reduce_sum(s.to_number(s.split(lines, ",")), axis=1)

    assert total(["1,2", "3"]).numpy().tolist() == [3.0, 3.0]
    assert total(["1,2,4"]).numpy().tolist() == [7.0]


def test_a_single_string_of_a_function_is_a_tensor() -> None:
    """NumPy gives a single string without an array around it."""
    twice = tf.function(lambda a: a + a)
    assert str(twice(tf.constant("x"))) == "tf.Tensor(b'xx', shape=(), dtype=string)"
    picked = tf.function(lambda a, i: tf.gather(a, i) + "!")
    assert picked(tf.constant(["p", "q"]), tf.constant(1)).numpy() == b"q!"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: s.substr("hello", 9, 1), "pos 9 out of range for string b'hello'"),
        (lambda: s.to_number("1.5", tf.int32), "could not correctly convert string: 1.5"),
        (lambda: s.unicode_decode(b"\xff", "UTF-8", errors="strict"), "Invalid formatting"),
    ],
)
def test_what_strings_do_not_say(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        call()


def test_numbers_are_no_strings() -> None:
    with pytest.raises(TypeError, match="Cannot convert 3 to EagerTensor of dtype string"):
        s.lower(3)
    with pytest.raises(TypeError, match="to EagerTensor of dtype string"):
        s.length(np.zeros(2))
