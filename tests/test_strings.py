"""tf.strings: strings in tensors, beside values recorded from TensorFlow 2.21."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.ops.strings import patterns

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
    "lower, of no text": (lambda: s.lower(b"A\xff", encoding="utf-8"), "a\ufffd".encode()),
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


# ---- characters -------------------------------------------------------------------------------


def whole_and_cut(seed: int) -> list[bytes]:
    """Strings of characters, the same cut anywhere, and bytes at random."""
    rng = np.random.default_rng(seed)
    parts = ["a", "é", "∂", "😀", "\x00", "\x1f"]
    wholes = ["".join(rng.choice(parts, rng.integers(0, 7))).encode() for _ in range(30)]
    cut = [text[rng.integers(0, 3) : rng.integers(0, 20)] for text in wholes]
    return [*wholes, *cut, *[rng.bytes(int(size)) for size in rng.integers(0, 9, 30)]]


@pytest.mark.parametrize("errors", ["replace", "ignore"])
@pytest.mark.parametrize("controls", [False, True])
def test_code_points_and_their_places(errors: str, controls: bool) -> None:
    """As Python decodes them; at each place begins what decodes to this character."""
    texts = whole_and_cut(1)
    points, places = s.unicode_decode_with_offsets(
        texts, "UTF-8", errors, replace_control_characters=controls
    )
    split = s.unicode_split_with_offsets(texts, "UTF-8", errors)
    for k, (row, at) in enumerate(zip(points.to_list(), places.to_list(), strict=True)):
        want = texts[k].decode(errors=errors)
        if controls:
            want = re.sub("[\0-\x1f]", "\ufffd" if errors == "replace" else "", want)
        assert "".join(map(chr, row)) == want
        assert at == sorted(set(at))
        for point, begin in zip(row, at, strict=True):
            assert point == 0xFFFD or texts[k][begin:].startswith(chr(point).encode())
        if not controls:
            assert b"".join(split[0][k].numpy()).decode() == want
            assert split[1][k].numpy().tolist() == at


@pytest.mark.parametrize("name", ["UTF-16-BE", "UTF-32-BE", "UTF-16-LE", "ISO-8859-1", "US ASCII"])
def test_code_points_of_other_encodings(name: str) -> None:
    texts = [text.decode().encode("utf-16-be") for text in whole_and_cut(2)[:30]]
    python = {"US ASCII": "ascii"}.get(name, name)
    for errors in ("replace", "ignore"):
        points, places = s.unicode_decode_with_offsets(texts, name, errors)
        encoded = s.unicode_transcode(texts, name, "UTF-8", errors).numpy()
        for k, (row, at) in enumerate(zip(points.to_list(), places.to_list(), strict=True)):
            assert "".join(map(chr, row)) == texts[k].decode(python, errors)
            assert encoded[k] == texts[k].decode(python, errors).encode()
            assert at == sorted(set(at))
            if 0xFFFD not in row and errors == "replace":
                ends = [*at[1:], len(texts[k])][: len(at)]
                parts = [texts[k][a:b].decode(python) for a, b in zip(at, ends, strict=True)]
                assert "".join(parts) == "".join(map(chr, row))


def test_code_points_that_are_none() -> None:
    rows = tf.ragged.constant([[97, 0xD800, 0x10FFFF], [], [-1], [0x110000, 98]])
    assert s.unicode_encode(rows, "UTF-8", "ignore").numpy().tolist() == [
        "a\U0010ffff".encode(), b"", b"", b"b",
    ]  # fmt: skip
    assert s.unicode_encode(rows, "UTF-16-BE", "replace", 63).numpy().tolist() == [
        "a?\U0010ffff".encode("utf-16-be"), b"", b"\0?", b"\0?\0b",
    ]  # fmt: skip
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range for Unicode"):
        s.unicode_encode(rows, "UTF-8", "strict")
    scripts = s.unicode_script([-1, 97, 0x3B1, 0x10FFFF, 0x110000, 2**31 - 1, -(2**31)])
    assert scripts.numpy().tolist() == [-1, 25, 14, 103, -1, -1, -1]


# ---- patterns ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pattern", ["a", "(a)|(é+)", "[^a]", "a*", r"\b", "(?i)A|^", "x{0}", "()a"]
)
@pytest.mark.parametrize("rewrite", ["", "<&>", r"[\0]", r"\\", r"\1\1"])
@pytest.mark.parametrize("everywhere", [True, False])
def test_replaced_matches(pattern: str, rewrite: str, everywhere: bool) -> None:
    """Match by match: Python's own substitution replaces the empty one behind a match, too."""
    texts = [text for text in whole_and_cut(3) if b"\xff" not in text]
    fits = patterns.compiled(pattern.encode())
    parts = patterns.rewriting(rewrite.encode(), fits.groups)
    found = s.regex_replace(texts, pattern, rewrite, everywhere).numpy().tolist()
    if parts is None:
        assert found == texts
    else:
        assert found == [patterns.replaced(text, fits, parts, everywhere) for text in texts]


# ---- pieces and numbers -----------------------------------------------------------------------


def test_characters_are_counted_and_cut() -> None:
    """A character begins at every byte that does not continue one, and at the first."""
    for text in whole_and_cut(4):
        starts = [i for i, byte in enumerate(text) if byte & 0xC0 != 0x80]
        assert s.length(text, "UTF8_CHAR").numpy() == len(starts)
        ends = [*sorted({0, *starts} if text else starts), len(text)]
        for pos in range(len(ends)):
            for size in (0, 1, 3):
                want = text[ends[pos] : ends[min(pos + size, len(ends) - 1)]]
                assert s.substr(text, pos, size, "UTF8_CHAR").numpy() == want
    assert s.substr(["abc", "de"], -1, 1, "UTF8_CHAR").numpy().tolist() == [b"c", b"e"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="pos 3 out of range"):
        s.substr(["abcd", "de"], 3, 1, "UTF8_CHAR")


@pytest.mark.parametrize("text", ["1_0", "a", "", "3000000000", "1.5"])
def test_one_wrong_number_among_many(text: str) -> None:
    right = [str(i) for i in range(50)]
    assert s.to_number([*right, " 7 ", "-3"], tf.int32).numpy().tolist() == [*range(50), 7, -3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert"):
        s.to_number([*right, text], tf.int32)
    assert s.to_number(["0x10", "1e400", "nan"]).numpy().tolist()[:2] == [16.0, np.inf]


def test_columns_of_records() -> None:
    """At once where all fields are plain, and the same one by one: quotes, defaults, other delimiters."""
    plain = [f"{i},{i / 4},w{i}" for i in range(40)]
    quoted = [f'{i},{i / 4},"w{i}"' for i in range(40)]
    for records in (plain, quoted):
        whole, real, words = tf.io.decode_csv(records, [0, [0.0], ""])
        assert whole.numpy().tolist() == list(range(40))
        assert (real.dtype, real.numpy().tolist()) == (tf.float32, [i / 4 for i in range(40)])
        assert words.numpy().tolist() == [f"w{i}".encode() for i in range(40)]
    (second,) = tf.io.decode_csv(["1,,3", "4,-,6", "7,8,9"], [[5]], select_cols=[1], na_value="-")
    assert second.numpy().tolist() == [5, 5, 8]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Field 0 in record 41 is not a valid"):
        tf.io.decode_csv([*plain, "7,1,a", "x,1,a", 'y"'], [0, 0.0, ""])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Field 0 is required but missing"):
        tf.io.decode_csv([*plain, ",1,a"], [tf.constant([], tf.int32), 0.0, ""])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expect 3 fields but have 2"):
        tf.io.decode_csv([*plain, "1,2"], [0, 0.0, ""])


def _parsed(x: Any) -> Any:
    return tf.io.parse_single_example(x[0], {"x": tf.io.FixedLenFeature([], tf.string)})["x"]


@pytest.mark.parametrize("one", [lambda x: x[0], lambda x: tf.unstack(x)[0], _parsed])
def test_one_text_is_an_array_in_a_graph(one: Callable[[Any], Any]) -> None:
    """What comes after it reads its shape."""
    example = tf.train.Example()
    example.features.feature["x"].bytes_list.value.append(b"text")
    f = tf.function(lambda x: (one(x)[None], tf.stack([one(x)] * 2)))
    row, pair = f(tf.constant([example.SerializeToString()]))
    assert row.shape == [1]
    assert pair.numpy().tolist() == [row.numpy()[0]] * 2
