"""Programs with tables, strings, files and examples, for Wengert and TensorFlow: tools/texts.py records the latter."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable
from typing import Any

from dataset_programs import Programs, shown

# Of this process: tests run side by side.
FOLDER = os.path.join(tempfile.gettempdir(), f"wengert-texts-{os.getpid()}")


def sorted_pairs(table: Any) -> Any:
    """The entries of a table, whose order is nobody's."""
    keys, values = table.export()
    return sorted(zip(keys.numpy().tolist(), values.numpy().tolist(), strict=True))


def of_tables(tf: Any) -> Programs:
    """tf.lookup: tables that are filled once, and tables that change."""
    look, v1 = tf.lookup, tf.compat.v1
    pairs = look.KeyValueTensorInitializer
    words = tf.constant([["a", "z"], ["b", "a"]])
    ragged = tf.ragged.constant([["a"], [], ["z", "b"]])
    sparse = tf.SparseTensor([[0, 1], [2, 0]], ["b", "q"], [3, 2])
    index, numbers = look.TextFileIndex, itertools.count()

    def static(values: Any = (1, 2), default: Any = -1, **kwargs: Any) -> Any:
        return look.StaticHashTable(pairs(["a", "b"], list(values), **kwargs), default)

    def vocabulary(buckets: int = 3, **kwargs: Any) -> Any:
        numbers = tf.constant([0, 1], tf.int64)
        return look.StaticVocabularyTable(pairs(["a", "b"], numbers), buckets, **kwargs)

    def mutable(default: Any = -1, keys: Any = tf.string, values: Any = tf.int64) -> Any:
        return look.experimental.MutableHashTable(keys, values, default)

    def dense(**kwargs: Any) -> Any:
        given = {"empty_key": "", "deleted_key": "$", "default_value": -1, **kwargs}
        return look.experimental.DenseHashTable(tf.string, tf.int64, **given)

    def file(text: bytes) -> str:
        number = next(numbers)  # TensorFlow shares tables of one path
        path = tf.io.gfile.join(FOLDER, f"words{number}.txt")
        tf.io.write_file(path, text)
        return path

    def of_file(text: bytes, *args: Any, **kwargs: Any) -> Any:
        default = -1 if args[2] is not tf.string else "none"
        return look.StaticHashTable(
            look.TextFileInitializer(file(text), *args, **kwargs), default
        )  # fmt: skip

    whole = (tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
    back = (tf.int64, index.LINE_NUMBER, tf.string, index.WHOLE_LINE)

    def changed() -> Any:
        table = mutable()
        table.insert(["a", "b", "c"], [1, 2, 3])
        table.insert(tf.constant(["a"]), tf.constant([9], tf.int64))
        table.remove(tf.constant(["b", "nothing"]))
        return sorted_pairs(table), shown([table.size(), table[words]])

    def vectors() -> Any:
        table = mutable([0.5, 0.5], tf.int64, tf.float32)
        table.insert(tf.constant([3, 4], tf.int64), [[1.0, 2.0], [3.0, 4.0]])
        found = table.lookup(tf.constant([[4, 5]], tf.int64))
        return shown([found, table.size()]), found.shape

    def dynamic() -> Any:
        table = mutable()
        table.insert(["a"], [1])
        defaults = tf.constant([[5, 6], [7, 8]], tf.int64)
        return shown(table.lookup(words, dynamic_default_values=defaults))

    def of_vectors() -> Any:
        table = look.experimental.DenseHashTable(
            tf.int64, tf.int64, default_value=-1, empty_key=[0, 0], deleted_key=[-1, -1]
        )
        table.insert(tf.constant([[1, 2], [3, 4]], tf.int64), tf.constant([10, 20], tf.int64))
        return shown(table.lookup(tf.constant([[3, 4], [4, 3]], tf.int64)))

    def dense_changed() -> Any:
        table = dense()
        table.insert(["a", "b"], [1, 2])
        table.remove(tf.constant(["a"]))
        return shown([table[words], table.size()])

    def reserved() -> Any:
        dense().insert([""], [1])

    def in_function() -> Any:
        table = static()

        @tf.function
        def find(x: Any) -> Any:
            return table.lookup(x) + table[x]

        return shown([find(words), find(tf.constant("b"))])

    def made_in_function() -> Any:
        kept: list[Any] = []

        @tf.function
        def find(x: Any) -> Any:
            if not kept:
                kept.append(static())
            return kept[0].lookup(x)

        return shown(find(words))

    def changed_in_function() -> Any:
        table = mutable()

        @tf.function
        def count(x: Any) -> Any:
            table.insert(x, table.lookup(x) + 2)
            return table.lookup(x)

        first = count(tf.constant(["u", "v"]))
        return shown([first, count(tf.constant(["v", "w"])), table.size()])

    def in_session() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            table = v1.lookup.StaticHashTable(pairs(["a", "b"], [1, 2]), -1)
            found, size = table.lookup(tf.constant(["b", "c"])), table.size()
            early = "early"
            try:
                session.run(found)
            except tf.errors.FailedPreconditionError:
                early = "not initialized"
            session.run(v1.tables_initializer())
            again = session.run(table.initializer)
            return early, shown(session.run([found, size])), str(again), found.shape

    def changed_in_session() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            table = mutable()
            given = v1.placeholder(tf.string, [None])
            put = table.insert(given, tf.ones_like(given, tf.int64))
            found = table.lookup(tf.constant(["a", "b"]))
            before = session.run(found)
            session.run(put, {given: ["b"]})
            return shown([before, session.run(found), session.run(table.size())])

    def mapped() -> Any:
        data = tf.data.Dataset.from_tensor_slices(["a", "c", "b"])
        return shown(list(data.map(static().lookup)))

    def duplicates(*values: int) -> Any:
        return static_of(["a", "a"], list(values)).size()

    def static_of(keys: Any, values: Any, **kwargs: Any) -> Any:
        return look.StaticHashTable(pairs(keys, values, **kwargs), -1)

    def int_keys() -> Any:
        table = static_of(tf.constant([5, 7], tf.int64), tf.constant([0, 1], tf.int64))
        return shown([table[tf.constant([7, 6], tf.int64)], table.size()])

    def properties() -> Any:
        table = static()
        return table.key_dtype, table.value_dtype, shown(table.default_value)

    def of_dataset() -> Any:
        data = tf.data.Dataset.from_tensor_slices((["x", "y"], tf.constant([7, 8], tf.int64)))
        table = tf.data.experimental.table_from_dataset(data, default_value=-1, vocab_size=2)
        return shown(table.lookup(tf.constant(["y", "q"])))

    def index_of_dataset() -> Any:
        data = tf.data.Dataset.from_tensor_slices(["x", "y"])
        table = tf.data.experimental.index_table_from_dataset(data, num_oov_buckets=2, vocab_size=2)
        return shown(table.lookup(tf.constant(["y", "q", "x"])))

    return {
        "static": lambda: shown([static()[words], static().size()]),
        "static ragged": lambda: shown(static()[ragged]),
        "static sparse": lambda: shown(static().lookup(sparse)),
        "static scalar": lambda: shown(static()[tf.constant("b")]),
        "static list": lambda: shown(static().lookup(["a"])),
        "static int64 values": lambda: shown(static(value_dtype=tf.int64)[words]),
        "static strings": lambda: shown(static(("x", "ü"), "none")[words]),
        "static floats": lambda: shown(static((1.5, 2.5), 0.0)[words]),
        "static bools": lambda: shown(static((True, False), False)[words]),
        "static int keys": int_keys,
        "static export": lambda: sorted_pairs(static()),
        "static properties": properties,
        "static wrong keys": lambda: static()[tf.constant([1, 2])],
        "static wrong default": lambda: static(default="text"),
        "static default vector": lambda: static(default=[1, 2]),
        "static duplicates": lambda: duplicates(1, 2),
        "static same twice": lambda: shown(duplicates(1, 1)),
        "static uneven": lambda: static_of(["a", "b"], [1]),
        "static empty": lambda: shown(
            static_of(tf.constant([], tf.string), tf.constant([], tf.int64)).size()
        ),
        "file": lambda: shown(of_file(b"one\ntwo\n\xc3\xbc", *whole)[tf.constant(["two", "ü", "x"])]),
        "file back": lambda: shown(
            of_file(b"one\ntwo\n", *back)[tf.constant([1, 0, 5], tf.int64)]
        ),
        "file crlf": lambda: shown(of_file(b"one\r\ntwo\r\n", *back)[tf.constant([0, 1], tf.int64)]),
        "file offset": lambda: shown(
            of_file(b"one\ntwo\n", *whole, value_index_offset=5)[tf.constant(["two"])]
        ),
        "file columns": lambda: shown(
            of_file(b"a 5\nb 6\n", tf.string, 0, tf.int64, 1, delimiter=" ")[words]
        ),
        "file too few columns": lambda: shown(of_file(b"a 5\nb\n", tf.string, 0, tf.int64, 1, delimiter=" ").size()),
        "file no number": lambda: shown(of_file(b"a x\n", tf.string, 0, tf.int64, 1, delimiter=" ").size()),
        "file size": lambda: shown(of_file(b"one\ntwo\nsix\n", *whole, vocab_size=3).size()),
        "file longer": lambda: shown(of_file(b"one\ntwo\nsix\n", *whole, vocab_size=2).size()),
        "file shorter": lambda: shown(of_file(b"one\n", *whole, vocab_size=2).size()),
        "file size zero": lambda: shown(of_file(b"one\n", *whole, vocab_size=0).size()),
        "file duplicates": lambda: shown(of_file(b"one\none\n", *whole).size()),
        "file wrong dtype": lambda: shown(of_file(b"1\n", tf.int32, -1, tf.string, -2).size()),
        "file wrong index": lambda: shown(of_file(b"1\n", tf.string, -3, tf.int64, -1).size()),
        "file float line": lambda: shown(of_file(b"1\n", tf.float32, -2, tf.int64, -1).size()),
        "file missing": lambda: shown(look.StaticHashTable(
            look.TextFileInitializer("/nowhere/words", *whole), -1
        ).size()),
        "file unnamed": lambda: look.TextFileInitializer("", *whole),
        "vocabulary": lambda: shown([vocabulary()[words], vocabulary().size()]),
        "vocabulary ragged": lambda: shown(vocabulary()[ragged]),
        "vocabulary sparse": lambda: shown(vocabulary().lookup(sparse)),
        "vocabulary many": lambda: shown(
            vocabulary(1000)[tf.constant([str(i) for i in range(30)])]
        ),
        "vocabulary no buckets": lambda: vocabulary(0),
        "vocabulary int": lambda: shown(
            look.StaticVocabularyTable(
                pairs(tf.constant([5, 7], tf.int64), tf.constant([0, 1], tf.int64)),
                2,
                lookup_key_dtype=tf.int32,
            )[tf.constant([7, 6, 100, -3])]
        ),
        "vocabulary of buckets": lambda: shown(
            [
                (table := look.StaticVocabularyTable(None, 5, lookup_key_dtype=tf.string))[words],
                table.size(),
            ]
        ),
        "vocabulary int32 values": lambda: shown(look.StaticVocabularyTable(pairs(["a"], [1]), 5).size()),
        "vocabulary wrong key": lambda: shown(vocabulary(lookup_key_dtype=tf.int32).size()),
        "mutable": changed,
        "mutable vectors": vectors,
        "mutable dynamic": dynamic,
        "mutable ragged": lambda: shown(mutable()[ragged]),
        "mutable empty": lambda: shown([mutable().size(), *mutable().export()]),
        "mutable wrong shape": lambda: mutable().insert(["a", "b"], [1]),
        "mutable wrong dtype": lambda: mutable().insert([1], [1]),
        "mutable wrong values": lambda: mutable().insert(["a"], ["b"]),
        "mutable wrong removed": lambda: mutable().remove(tf.constant([1])),
        "mutable no default": lambda: shown(mutable(None).size()),
        "dense": dense_changed,
        "dense vectors": of_vectors,
        "dense reserved": reserved,
        "dense looked up": lambda: shown(dense().lookup(tf.constant([""]))),
        "dense deleted": lambda: dense().remove(tf.constant(["$"])),
        "dense equal keys": lambda: dense(deleted_key=""),
        "dense properties": lambda: (dense().key_dtype, dense().value_dtype),
        "in a function": in_function,
        "made in a function": made_in_function,
        "changed in a function": changed_in_function,
        "in a session": in_session,
        "changed in a session": changed_in_session,
        "mapped": mapped,
        "of a dataset": of_dataset,
        "index of a dataset": index_of_dataset,
    }  # fmt: skip


def of_strings(tf: Any) -> Programs:
    """tf.strings without characters: words, patterns, numbers, buckets."""
    s, v1 = tf.strings, tf.compat.v1
    words = tf.constant([["tape", "graph loop"], ["", "ünïcode 1964"]])
    ragged = tf.ragged.constant([["one", "two three"], [], ["four"]])
    two, x = tf.constant([["a", "b"]]), tf.constant([["x"]])
    long = tf.constant(["x" * n for n in range(0, 80, 7)])

    def replace(pattern: Any, rewrite: Any, text: Any = "abc 123 äöü abc\n", **kwargs: Any) -> Any:
        return shown(s.regex_replace(text, pattern, rewrite, **kwargs))

    def fits(pattern: str, *texts: Any) -> Any:
        return shown(s.regex_full_match(list(texts), pattern))

    def grams(*args: Any, **kwargs: Any) -> Any:
        return shown(s.ngrams(*args, **kwargs))

    def text(x: Any, **kwargs: Any) -> Any:
        return shown(s.as_string(x, **kwargs))

    def compared(function: Callable[[Any, Any], Any]) -> Any:
        return shown(function(tf.constant(["a", "b"]), tf.constant(["a", "c"])))

    def formatted(*args: Any, **kwargs: Any) -> Any:
        return shown(s.format(*args, **kwargs))

    def in_function() -> Any:
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def f(x: Any) -> Any:
            found = s.ngrams(s.split(x), 2)
            return found, s.to_hash_bucket_strong(x, 9, [1, 2]), s.format("<{}>", x)

        return shown(f(tf.constant(["a b c", "d"])))

    def in_session() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.string, [None])
            found = v1.string_split(x, delimiter=",;")
            return shown(session.run([*found.values.op.outputs[:0], found.values, found.dense_shape],
                                     {x: ["a,b;c", "", "d"]}))  # fmt: skip

    return {
        "format": lambda: formatted("a {} b {}", (tf.constant("x"), tf.constant([1.5, 2.0]))),
        "format one": lambda: formatted("{}", tf.range(10)),
        "format all": lambda: formatted("{}", tf.range(10), summarize=-1),
        "format matrix": lambda: formatted("{}", tf.ones([3, 2])),
        "format cube": lambda: formatted("{}", tf.reshape(tf.range(8), [2, 2, 2])),
        "format placeholder": lambda: formatted("% and %", (1, 2), placeholder="%"),
        "format bools": lambda: formatted("{}", [[True, False]]),
        "format strings": lambda: formatted("{}", [["a", "ü"]]),
        "format wrong": lambda: formatted("{} {}", (1,)),
        "ngrams": lambda: grams(["a", "b", "c", "d"], 2),
        "ngrams widths": lambda: grams(["a", "b", "c"], [1, 3], separator="|"),
        "ngrams ragged": lambda: grams(ragged, 2),
        "ngrams padded": lambda: grams(ragged, 3, pad_values=("<", ">")),
        "ngrams pad": lambda: grams(["a", "b"], 4, pad_values="_", padding_width=1),
        "ngrams short": lambda: grams(ragged, 2, preserve_short_sequences=True),
        "ngrams short padded": lambda: grams(
            ["a"], 5, pad_values="_", padding_width=1, preserve_short_sequences=True
        ),
        "ngrams matrix": lambda: grams([["a", "b", "c"], ["d", "e", "f"]], 2),
        "ngrams scalar": lambda: grams("a", 2),
        "ngrams zero": lambda: grams(["a"], 0),
        "ngrams bad pad": lambda: grams(["a"], 2, pad_values=3),
        "ngrams bad padding": lambda: grams(["a"], 2, padding_width=1),
        "hash": lambda: shown(s.to_hash_bucket(long, 1000)),
        "hash fast": lambda: shown(s.to_hash_bucket_fast(long, 1000)),
        "hash strong": lambda: shown(s.to_hash_bucket_strong(long, 1000, [123, 456])),
        "hash strong large key": lambda: shown(
            s.to_hash_bucket_strong(words, 2**40, [2**62 + 1, -5])
        ),
        "hash strong ragged": lambda: shown(s.to_hash_bucket_strong(ragged, 10, [1, 2])),
        "hash strong no key": lambda: s.to_hash_bucket_strong(long, 10, [1]),
        "hash none": lambda: s.to_hash_bucket_fast(long, 0),
        "hash number": lambda: s.to_hash_bucket_fast([1], 3),
        "length": lambda: shown([s.length(words), s.length(words, unit="UTF8_CHAR")]),
        "length bad bytes": lambda: shown(s.length([b"\xff\x80a", b"\xc3"], unit="UTF8_CHAR")),
        "length wrong": lambda: s.length(words, unit="CHAR"),
        "substr": lambda: shown(s.substr(["hello", "world"], [1, -2], [2, 9])),
        "substr characters": lambda: shown(s.substr("äöüß", [0, -1, 2], [2, 1, 9], unit="UTF8_CHAR")),
        "substr bad bytes": lambda: shown(s.substr(b"\x80a\xffb", 1, 2, unit="UTF8_CHAR")),
        "substr end": lambda: shown(s.substr("abc", 3, 1)),
        "substr behind": lambda: s.substr("abc", 4, 1),
        "substr characters behind": lambda: s.substr("äb", 3, 1, unit="UTF8_CHAR"),
        "substr before": lambda: s.substr("abc", -4, 1),
        "substr negative length": lambda: shown(s.substr("abc", 1, -1)),
        "lower": lambda: shown([s.lower(words), s.lower("ÄÖ", encoding="utf-8"), s.upper("ß", encoding="utf-8")]),
        "strip": lambda: shown(s.strip([" a\t\n", "\x0b b ", ""])),
        "split": lambda: shown([s.split("a b  c"), s.split(["a,b,,c", ""], sep=",")]),
        "split tabs": lambda: shown(s.split("a\tb\n c\x0b")),
        "split most": lambda: shown([s.split("a b  c d ", maxsplit=2), s.split("a,b,c", ",", 1)]),
        "split matrix": lambda: shown(s.split(words)),
        "split ragged": lambda: shown(s.split(ragged)),
        "split none": lambda: shown(s.split(tf.constant([], tf.string))),
        "split v1": lambda: shown(v1.strings.split(["a b", "", "c d e"])),
        "split v1 scalar": lambda: shown(v1.strings.split("a b")),
        "split v1 ragged": lambda: shown(v1.strings.split(["a b", "c"], result_type="RaggedTensor")),
        "split v1 source": lambda: shown(v1.strings.split(source=["a,b"], sep=",")),
        "split v1 wrong": lambda: v1.strings.split(["a"], result_type="Tensor"),
        "string_split": lambda: shown(v1.string_split(["a b", " c  d"])),
        "string_split empty": lambda: shown(v1.string_split(["a,,b", ""], sep=",", skip_empty=False)),
        "string_split several": lambda: shown(v1.string_split(["a,b;c"], delimiter=",;")),
        "string_split bytes": lambda: shown(v1.string_split(["abc", ""], delimiter="")),
        "string_split ragged": lambda: shown(v1.string_split(["a b"], result_type="RaggedTensor")),
        "bytes_split": lambda: shown([s.bytes_split("aü"), s.bytes_split(ragged)]),
        "join": lambda: shown([s.join([words, "-", words], separator="+"), s.join(["a"])]),
        "join ragged": lambda: shown(s.join([ragged, "!"])),
        "join uneven": lambda: s.join([["a", "b"], ["c", "d", "e"]]),
        "reduce_join": lambda: shown([s.reduce_join(words), s.reduce_join(words, axis=[1, 0], separator="|")]),
        "reduce_join ragged": lambda: shown([s.reduce_join(ragged, axis=1, separator=","), s.reduce_join(ragged)]),
        "reduce_join scalar": lambda: shown(s.reduce_join("a")),
        "reduce_join far": lambda: s.reduce_join(words, axis=2),
        "segments": lambda: shown(s.unsorted_segment_join(["a", "b", "c", "d"], [2, 0, 2, -1], 4, ":")),
        "segments of rows": lambda: shown(s.unsorted_segment_join(words, [1, 1], 2)),
        "segments of a matrix": lambda: shown(s.unsorted_segment_join(words, [[0, 1], [1, 0]], 3)),
        "segments outside": lambda: s.unsorted_segment_join(["a"], [5], 2),
        "replace": lambda: replace("[a-c]+", "<\\0>"),
        "replace groups": lambda: replace("(\\w)(\\d)", "\\2\\1"),
        "replace first": lambda: replace("abc", "x", replace_global=False),
        "replace nothing": lambda: replace("x*", "-", "abxd"),
        "replace characters": lambda: replace(".", "x"),
        "replace posix": lambda: replace("[[:alpha:]_]", "x"),
        "replace posix others": lambda: replace("[[:^alpha:]]", "x"),
        "replace category": lambda: replace("\\p{L}", "L"),
        "replace categories": lambda: replace("[\\pN\\p{Ll}]+", "L"),
        "replace not category": lambda: replace("\\PL", "_"),
        "replace end": lambda: replace("$", "!"),
        "replace lines": lambda: replace("(?m)^a", "!", "a\na"),
        "replace quoted": lambda: replace("\\Q[a]\\E", "x", "[a]a"),
        "replace backslash": lambda: replace("b", "\\\\", "abc"),
        "replace punctuation": lambda: replace("[!\"#$%&()\\*\\+,-\\./:;<=>?@\\[\\\\\\]^_`{|}~']", "", "a.b,[c]{d}~e\\f"),
        "replace words": lambda: replace("\\b(one|two)\\b", "X", ragged),
        "replace case": lambda: replace("(?i)ABC", "x"),
        "replace blank": lambda: replace("\\s+", " ", " a \t b\n"),
        "replace tensor": lambda: replace(tf.constant("a"), tf.constant("b")),
        "replace bad pattern": lambda: replace("(a", "b"),
        "replace bad group": lambda: replace("a", "\\1"),
        "replace bad escape": lambda: replace("a", "\\x"),
        "replace bytes": lambda: replace("b", "x", b"a\xffb"),
        "match": lambda: fits("a.c", "abc", "aüc", "abcd", ""),
        "match end": lambda: fits("a$", "a", "a\n"),
        "match any": lambda: fits("[^a]*", "bc", "ü\n", "a"),
        "match alternatives": lambda: fits("a|ab", "ab", "a"),
        "match lazy": lambda: fits("a+?", "aaa"),
        "match bad": lambda: fits("[", "a"),
        "number": lambda: shown([s.to_number(["1", " 2.5 ", "-1e3", "inf", "nan"]), s.to_number(["7", "-9"], tf.int64)]),
        "number double": lambda: shown(s.to_number(["0.1"], tf.float64)),
        "number bad": lambda: s.to_number(["1.5"], tf.int32),
        "number empty": lambda: s.to_number([""]),
        "number large": lambda: s.to_number(["3000000000"], tf.int32),
        "number hex": lambda: shown(s.to_number(["0x10"])),
        "number underscore": lambda: s.to_number(["1_0"], tf.int32),
        "number ragged": lambda: shown(s.to_number(tf.ragged.constant([["1"], []]))),
        "text": lambda: text([1.5, -2.0, 1e10, 1e-10]),
        "text of ints": lambda: [text([3, -4], width=5), text([3, -4], width=5, fill="0"), text([3], fill="+")],
        "text left": lambda: text([3.0], width=12, fill="-"),
        "text shortest": lambda: text([1.5, 1e10, 1e-10, 0.1], shortest=True),
        "text scientific": lambda: text([1.5, 1e10], scientific=True, precision=3),
        "text precision": lambda: text([3.14159, 2.0], precision=2),
        "text bool": lambda: text([True, False]),
        "text bool wide": lambda: text([True, False], width=7),
        "text complex": lambda: text(tf.constant([1 + 2j], tf.complex64)),
        "text half": lambda: text(tf.constant([0.1], tf.float16)),
        "text bfloat": lambda: text(tf.constant([0.1], tf.bfloat16)),
        "text double": lambda: text(tf.constant([0.1], tf.float64), precision=17),
        "text infinite": lambda: text([float("inf"), -float("inf"), float("nan")]),
        "text uint8": lambda: text(tf.constant([200], tf.uint8)),
        "text of text": lambda: text(["a", "bc"], width=4),
        "text both": lambda: text([1.0], scientific=True, shortest=True),
        "text int precision": lambda: text([1], precision=2),
        "text int scientific": lambda: text([1], scientific=True),
        "text fill": lambda: text([1.0], fill="ab", width=4),
        "text odd fill": lambda: text([1.0], fill="x", width=4),
        "equal": lambda: [compared(tf.equal), compared(tf.not_equal), compared(lambda a, b: a == b)],
        "equal scalar": lambda: shown(tf.constant(["a", "b"]) == "a"),
        "less": lambda: compared(tf.less),
        "less operator": lambda: compared(lambda a, b: a < b),
        "greater": lambda: compared(tf.greater_equal),
        "plus": lambda: compared(lambda a, b: a + b),
        "plus scalar": lambda: shown(tf.constant(["a", "b"]) + "!"),
        "minus": lambda: compared(lambda a, b: a - b),
        "equal number": lambda: shown(tf.constant("a") == 1),
        "where": lambda: shown(tf.where([True, False], ["a", "b"], ["c", "d"])),
        "unique": lambda: shown(list(tf.unique(["a", "b", "a"]))),
        "gathered": lambda: shown([tf.gather(["a", "b"], [1, 0]), tf.concat([["a"], ["b"]], 0), tf.tile(["a"], [2])]),
        "padded": lambda: shown([tf.pad([["a"]], [[0, 1], [0, 0]]), tf.zeros([2], tf.string), tf.fill([2], "x")]),
        "stacked": lambda: shown([tf.stack(["a", "b"]), tf.transpose([["a", "b"]]), tf.reverse(["a", "b"], [0])]),
        "cast": lambda: tf.cast(["a"], tf.int32),
        "cross": lambda: shown(tf.sparse.cross([two, x, tf.constant([[1, 2]])])),
        "cross sparse": lambda: shown(tf.sparse.cross([tf.sparse.from_dense([["a", ""], ["b", "c"]]), tf.constant([["x"], ["y"]])], separator="&")),
        "cross hashed": lambda: shown(tf.sparse.cross_hashed([two, x, tf.constant([[1, 2]])], num_buckets=100)),
        "cross hashed wide": lambda: shown(tf.sparse.cross_hashed([two, x])),
        "cross hashed key": lambda: shown(tf.sparse.cross_hashed([two, x], 1000, hash_key=5)),
        "cross hashed ints": lambda: shown(tf.sparse.cross_hashed([tf.constant([[1, -2]]), tf.constant([[3]])], 1000)),
        "cross uneven": lambda: tf.sparse.cross([x, tf.constant([["b"], ["c"]])]),
        "cross lists": lambda: tf.sparse.cross([[["a"]], x]),
        "cross tensor": lambda: tf.sparse.cross(x),
        "cross ragged": lambda: shown(tf.ragged.cross([ragged, tf.ragged.constant([["x"], ["y"], ["z", "w"]])])),
        "cross ragged hashed": lambda: shown(tf.ragged.cross_hashed([ragged, tf.constant([["x"], ["y"], ["z"]])], num_buckets=50)),
        "merge 0 1": lambda: shown(deep(tf).merge_dims(0, 1)),
        "merge 1 2": lambda: shown(deep(tf).merge_dims(1, 2)),
        "merge 0 2": lambda: shown(deep(tf).merge_dims(0, 2)),
        "merge 1 -1": lambda: shown(deep(tf).merge_dims(1, -1)),
        "merge same": lambda: shown(deep(tf).merge_dims(1, 1)),
        "merge back": lambda: deep(tf).merge_dims(2, 1),
        "merge dense": lambda: shown(tf.RaggedTensor.from_row_splits([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [0, 2, 2]).merge_dims(2, 3)),
        "merge across": lambda: shown(tf.RaggedTensor.from_row_splits([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [0, 2, 2]).merge_dims(1, 2)),
        "in a function": in_function,
        "in a session": in_session,
    }  # fmt: skip


def deep(tf: Any) -> Any:
    return tf.ragged.constant([[[1, 2], [3]], [], [[4], [], [5, 6]]])


def of_characters(tf: Any) -> Programs:
    """Unicode in tf.strings."""
    s = tf.strings
    bad = [b"a\xffb", b"\xc3", b"\xe2\x82x", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"ok", b"\xc0\xaf"]
    text = ["∂f", "a😊é", "", "\x01\x7f"]
    ragged = tf.ragged.constant([["ab", "é"], [], ["😊"]])
    wide = [t.encode("utf-16-be") for t in text]

    def decoded(*args: Any, **kwargs: Any) -> Any:
        return shown(s.unicode_decode_with_offsets(*args, **kwargs))

    def cut(*args: Any, **kwargs: Any) -> Any:
        return shown(s.unicode_split_with_offsets(*args, **kwargs))

    def encode(*args: Any, **kwargs: Any) -> Any:
        return shown(s.unicode_encode(*args, **kwargs))

    def into(*args: Any, **kwargs: Any) -> Any:
        return shown(s.unicode_transcode(*args, **kwargs))

    def in_function() -> Any:
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def f(x: Any) -> Any:
            points = s.unicode_decode(x, "UTF-8")
            return s.unicode_encode(points + 1, "UTF-8"), s.unicode_script(points)

        return shown(f(tf.constant(["abc", "é"])))

    return {
        "decode": lambda: decoded(text, "UTF-8"),
        "decode scalar": lambda: decoded("é😊", "UTF-8"),
        "decode matrix": lambda: decoded([["a", "é"], ["", "xy"]], "UTF-8"),
        "decode ragged": lambda: decoded(ragged, "UTF-8"),
        "decode bad": lambda: decoded(bad, "UTF-8"),
        "decode bad ignored": lambda: decoded(bad, "UTF-8", errors="ignore"),
        "decode bad replaced": lambda: decoded(bad, "UTF-8", replacement_char=63),
        "decode bad strict": lambda: decoded(bad, "UTF-8", errors="strict"),
        "decode controls": lambda: decoded(["a\x01\x7f\n"], "UTF-8", replace_control_characters=True),
        "decode controls ignored": lambda: decoded(["a\x01\n"], "UTF-8", errors="ignore", replace_control_characters=True),
        "decode controls strict": lambda: decoded(["a\x01\n"], "UTF-8", errors="strict", replace_control_characters=True),
        "decode 16": lambda: decoded(wide, "UTF-16-BE"),
        "decode 16 odd": lambda: decoded([b"\x00a\x00", b"\xd8\x00\x00a"], "UTF-16-BE"),
        "decode 32": lambda: decoded(["é😊".encode("utf-32-be")], "UTF-32-BE"),
        "decode 32 bad": lambda: decoded([b"\x00\x11\x00\x00\x00\x00\x00a"], "UTF-32-BE"),
        "decode latin": lambda: decoded([b"\xe9a"], "ISO-8859-1"),
        "decode ascii": lambda: decoded([b"\xe9a"], "US ASCII"),
        "decode cyrillic": lambda: decoded(["жя".encode("cp1251")], "windows-1251"),
        "decode japanese": lambda: decoded(["日本a".encode("shift_jis")], "SHIFT-JIS"),
        "decode unknown": lambda: decoded(["a"], "NOTHING-8"),
        "decode bad errors": lambda: decoded(["a"], "UTF-8", errors="other"),
        "decode bad replacement": lambda: decoded(["a"], "UTF-8", replacement_char=0x110000),
        "decode one": lambda: shown(s.unicode_decode(text, "UTF-8")),
        "split": lambda: cut(text, "UTF-8"),
        "split scalar": lambda: cut("é😊", "UTF-8"),
        "split bad": lambda: cut(bad, "UTF-8"),
        "split bad ignored": lambda: cut(bad, "UTF-8", errors="ignore"),
        "split ragged": lambda: cut(ragged, "UTF-8"),
        "split 16": lambda: cut(wide, "UTF-16-BE"),
        "split latin": lambda: cut([b"\xe9a"], "ISO-8859-1"),
        "split one": lambda: shown(s.unicode_split(text, "UTF-8")),
        "encode": lambda: encode([97, 233, 128522], "UTF-8"),
        "encode matrix": lambda: encode([[97, 98], [99, 100]], "UTF-8"),
        "encode cube": lambda: encode([[[97, 98], [99, 100]]], "UTF-8"),
        "encode ragged": lambda: encode(tf.ragged.constant([[97], [], [233, 98]]), "UTF-8"),
        "encode ragged deep": lambda: encode(tf.ragged.constant([[[97], []], [[233, 98]]]), "UTF-8"),
        "encode 16": lambda: encode([97, 128522], "UTF-16-BE"),
        "encode 32": lambda: encode([97, 128522], "UTF-32-BE"),
        "encode bad": lambda: encode([97, 0xD800, 0x110000, -1, 98], "UTF-8"),
        "encode bad ignored": lambda: encode([97, 0xD800, 0x110000, 98], "UTF-8", errors="ignore"),
        "encode bad strict": lambda: encode([97, 0xD800], "UTF-8", errors="strict"),
        "encode replacement": lambda: encode([97, 0xD800], "UTF-8", replacement_char=63),
        "encode empty": lambda: encode(tf.constant([], tf.int32), "UTF-8"),
        "encode scalar": lambda: encode(97, "UTF-8"),
        "encode other": lambda: encode([97], "UTF-7"),
        "encode latin": lambda: encode([97], "ISO-8859-1"),
        "transcode": lambda: into(text, "UTF-8", "UTF-16-BE"),
        "transcode back": lambda: into(wide, "UTF-16-BE", "UTF-8"),
        "transcode same": lambda: into(bad, "UTF-8", "UTF-8"),
        "transcode ignored": lambda: into(bad, "UTF-8", "UTF-8", errors="ignore"),
        "transcode strict": lambda: into(bad, "UTF-8", "UTF-8", errors="strict"),
        "transcode controls": lambda: into(["a\x00\n\x7fb"], "UTF-8", "UTF-8", replace_control_characters=True),
        "transcode replacement": lambda: into(bad, "UTF-8", "UTF-8", replacement_char=32),
        "transcode latin": lambda: into([b"\xe9"], "ISO-8859-1", "UTF-8"),
        "transcode unknown": lambda: into(["a"], "nothing", "UTF-8"),
        "transcode output": lambda: into(["a"], "UTF-8", "latin1"),
        "transcode ragged": lambda: into(ragged, "UTF-8", "UTF-16-BE"),
        "transcode marks": lambda: into([b"\xef\xbb\xbfa"], "UTF-8", "UTF-8"),
        "transcode 16 marks": lambda: into([b"\xff\xfea\x00", b"\xfe\xff\x00a", b"\x00a"], "UTF-16", "UTF-8"),
        "script": lambda: shown(s.unicode_script([97, 0x436, 0x4E00, 0x1F60A, 0x3B1, 0x627, 0xAC00, 0, 0x10FFFF, -1, 0x110000, 0xD800])),
        "script ragged": lambda: shown(s.unicode_script(tf.ragged.constant([[97], [0x436, 10]]))),
        "script all": lambda: shown(tf.reduce_sum(s.unicode_script(tf.range(0x110000)) * (tf.range(0x110000) % 97 + 1))),
        "script wrong": lambda: s.unicode_script(["a"]),
        "in a function": in_function,
    }  # fmt: skip


def of_files(tf: Any) -> Programs:
    """tf.io: files, records, tensors and texts as bytes."""
    v1, gfile = tf.compat.v1, tf.io.gfile
    root = gfile.join(FOLDER, "files")
    words = tf.constant([["a", "b"], ["", "\u00fc"]])
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])

    def fresh() -> str:
        if gfile.exists(root):
            gfile.rmtree(root)
        gfile.makedirs(root)
        return root

    def path(name: str, text: Any = None) -> str:
        found = gfile.join(root, name)
        if text is not None:
            fresh()
            tf.io.write_file(found, text)
        return found

    def tree() -> str:
        fresh()
        gfile.makedirs(path("a/b"))
        for name in ("one.txt", "two.txt", "a/three.txt", "a/b/.hidden"):
            tf.io.write_file(path(name), name)
        return root

    def cut(found: Any) -> Any:
        if isinstance(found, (list, tuple)):
            return [cut(f) for f in found]
        return found.replace(root, "") if isinstance(found, str) else found

    def walked(**kwargs: Any) -> Any:
        found = [(cut(d), sorted(ds), sorted(fs)) for d, ds, fs in gfile.walk(tree(), **kwargs)]
        return sorted(found), found[0][0]

    def read(mode: str = "r", text: Any = "one\nt\u00fcwo\nthree") -> Any:
        with gfile.GFile(path("f", text), mode) as file:
            first, second = file.readline(), file.read(2)
            place = file.tell()
            file.seek(1)
            return first, second, place, file.read(), file.readline(), file.size(), file.mode

    def lines() -> Any:
        file = gfile.GFile(path("f", "one\ntwo\n"))
        return [*file], gfile.GFile(path("f")).readlines()

    def written(mode: str) -> Any:
        with gfile.GFile(path("f", "old"), mode) as file:
            file.write("new\u00fc")
            file.flush()
        return shown(tf.io.read_file(path("f")))

    def of_gfile(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        tree()
        found = call(*args, **kwargs)
        return found, sorted(cut(gfile.glob(path("*")))), sorted(cut(gfile.glob(path("a/*"))))

    def stat() -> Any:
        found = gfile.stat(path("f", "four"))
        return found.length, found.is_directory, found.mtime_nsec > 10**18

    def records(kind: Any = None, n: int = 3) -> Any:
        fresh()
        with tf.io.TFRecordWriter(path("r"), kind) as writer:
            for i in range(n):
                writer.write(b"record %d" % i * (i + 1))
        codec = kind if isinstance(kind, str) else kind and kind.compression_type
        return shown(list(tf.data.TFRecordDataset(path("r"), codec))), [
            *v1.io.tf_record_iterator(
                path("r"), kind if kind is None else tf.io.TFRecordOptions(codec)
            )
        ]

    def damaged(change: Callable[[bytes], bytes]) -> Any:
        records()
        data = tf.io.read_file(path("r")).numpy()
        tf.io.write_file(path("r"), change(data))
        return shown(list(tf.data.TFRecordDataset(path("r"))))

    def again(x: Any, dtype: Any = None) -> Any:
        text = tf.io.serialize_tensor(x)
        return shown([text, tf.io.parse_tensor(text, dtype or tf.convert_to_tensor(x).dtype)])

    def csv(*args: Any, **kwargs: Any) -> Any:
        return shown(tf.io.decode_csv(*args, **kwargs))

    def raw(*args: Any, **kwargs: Any) -> Any:
        return shown(tf.io.decode_raw(*args, **kwargs))

    def compressed(codec: str) -> Any:
        records(codec, 1)
        text = tf.io.read_file(path("r"))
        return shown(tf.io.decode_compressed([text], codec))

    def in_function() -> Any:
        name = path("f", "text")

        @tf.function
        def f(x: Any) -> Any:
            tf.io.write_file(name + "2", tf.io.read_file(x) + "!")
            return tf.io.serialize_tensor(tf.io.read_file(x))

        return shown([f(tf.constant(name)), tf.io.read_file(name + "2")])

    def in_session() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            names = v1.placeholder(tf.string, [])
            found = tf.io.decode_csv(tf.io.read_file(names), [0, "x"])
            return shown(session.run(found, {names: path("f", "7,abc")})), found[0].shape

    return {
        "read": lambda: read(),
        "read bytes": lambda: read("rb"),
        "read lines": lines,
        "read missing": lambda: gfile.GFile("/nowhere/file").read(),
        "read written": lambda: gfile.GFile(path("f", ""), "w").read(),
        "write read": lambda: gfile.GFile(path("f", ""), "r").write("x"),
        "write": lambda: written("w"),
        "append": lambda: written("a"),
        "write over": lambda: written("r+"),
        "write bytes": lambda: written("wb"),
        "write mode": lambda: written("q"),
        "write nowhere": lambda: gfile.GFile("/nowhere/file", "w").write("x"),
        "exists": lambda: [gfile.exists(p) for p in (tree(), path("one.txt"), path("none"))],
        "isdir": lambda: [gfile.isdir(p) for p in (tree(), path("one.txt"), path("none"))],
        "listdir": lambda: (sorted(gfile.listdir(tree())), sorted(gfile.listdir(path("a/b")))),
        "listdir missing": lambda: gfile.listdir("/nowhere"),
        "listdir file": lambda: gfile.listdir(path("f", "x")),
        "glob": lambda: sorted(cut(gfile.glob(gfile.join(tree(), "*.txt")))),
        "glob several": lambda: sorted(cut(gfile.glob([gfile.join(tree(), "o*"), path("a/t*")]))),
        "glob deep": lambda: sorted(cut(gfile.glob(gfile.join(tree(), "*/*.txt")))),
        "glob hidden": lambda: sorted(cut(gfile.glob(gfile.join(tree(), "a/b/*")))),
        "glob none": lambda: gfile.glob("/nowhere/*"),
        "glob class": lambda: sorted(cut(gfile.glob(gfile.join(tree(), "[ot]??.txt")))),
        "mkdir": lambda: of_gfile(gfile.mkdir, path("new")),
        "mkdir again": lambda: of_gfile(gfile.mkdir, path("a")),
        "mkdir deep": lambda: of_gfile(gfile.mkdir, path("x/y/z")),
        "makedirs": lambda: of_gfile(gfile.makedirs, path("x/y/z")),
        "makedirs again": lambda: of_gfile(gfile.makedirs, path("a/b")),
        "remove": lambda: of_gfile(gfile.remove, path("one.txt")),
        "remove missing": lambda: of_gfile(gfile.remove, path("none")),
        "rmtree": lambda: of_gfile(gfile.rmtree, path("a")),
        "rmtree of a file": lambda: of_gfile(gfile.rmtree, path("one.txt")),
        "rmtree missing": lambda: of_gfile(gfile.rmtree, path("none")),
        "rename": lambda: of_gfile(gfile.rename, path("one.txt"), path("ten.txt")),
        "rename over": lambda: of_gfile(gfile.rename, path("one.txt"), path("two.txt")),
        "rename forced": lambda: of_gfile(gfile.rename, path("one.txt"), path("two.txt"), overwrite=True),
        "rename missing": lambda: of_gfile(gfile.rename, path("none"), path("two.txt"), True),
        "copy": lambda: of_gfile(gfile.copy, path("one.txt"), path("a/ten.txt")),
        "copy over": lambda: of_gfile(gfile.copy, path("one.txt"), path("two.txt")),
        "copy missing": lambda: of_gfile(gfile.copy, path("none"), path("ten.txt")),
        "stat": stat,
        "stat missing": lambda: gfile.stat("/nowhere"),
        "walk": lambda: walked(),
        "walk up": lambda: walked(topdown=False)[0],
        "walk missing": lambda: list(gfile.walk("/nowhere")),
        "join": lambda: (gfile.join("a", "b", "c"), gfile.join("a/", "b"), gfile.join("a", "/b"), gfile.join("a")),
        "v1 gfile": lambda: (v1.gfile.Exists(tree()), sorted(v1.gfile.ListDirectory(root)), v1.gfile.IsDirectory(root)),
        "v1 open": lambda: v1.gfile.FastGFile(path("f", "x"), "rb").read(),
        "read_file": lambda: shown(tf.io.read_file(path("f", b"a\x00\xff"))),
        "read_file missing": lambda: tf.io.read_file("/nowhere/file"),
        "read_file folder": lambda: tf.io.read_file(fresh()),
        "read_file several": lambda: tf.io.read_file(["a", "b"]),
        "write_file deep": lambda: (tf.io.write_file(gfile.join(fresh(), "x/y"), "z"), shown(tf.io.read_file(path("x/y")))),
        "matching": lambda: [cut(p.decode()) for p in tf.io.matching_files(gfile.join(tree(), "*.txt")).numpy()],
        "matching several": lambda: [cut(p.decode()) for p in tf.io.matching_files([gfile.join(tree(), "t*"), path("o*")]).numpy()],
        "records": lambda: records(),
        "records gzip": lambda: records("GZIP"),
        "records zlib": lambda: records("ZLIB"),
        "records options": lambda: records(tf.io.TFRecordOptions(compression_type="GZIP")),
        "records none": lambda: records(n=0),
        "records unknown": lambda: records("LZ4"),
        "records nowhere": lambda: tf.io.TFRecordWriter("/nowhere/file"),
        "records missing": lambda: list(tf.data.TFRecordDataset("/nowhere/file")),
        "records cut": lambda: damaged(lambda d: d[:-3]),
        "records cut in length": lambda: damaged(lambda d: d[:5]),
        "records changed": lambda: damaged(lambda d: d[:14] + b"X" + d[15:]),
        "records of text": lambda: damaged(lambda d: b"this is no file of records at all, but a text"),
        "tensor": lambda: [again([1.5, 2.5]), again([[1, 2], [3, 4]]), again(True), again(words)],
        "tensor kinds": lambda: [again(tf.constant([1, 2], d), d) for d in (tf.float64, tf.int64, tf.uint8, tf.float16, tf.bfloat16, tf.complex64)],
        "tensor empty": lambda: again(tf.zeros([0, 3])),
        "tensor mismatch": lambda: again([1.5], tf.int32),
        "tensor bad": lambda: tf.io.parse_tensor("not one", tf.float32),
        "tensor several": lambda: tf.io.parse_tensor(["a", "b"], tf.float32),
        "sparse": lambda: shown(tf.io.serialize_sparse(sparse)),
        "sparse many": lambda: shown(tf.io.serialize_many_sparse(sparse)),
        "sparse back": lambda: shown(tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(sparse), tf.float32)),
        "sparse of several": lambda: shown(tf.io.deserialize_many_sparse(tf.stack([tf.io.serialize_sparse(sparse)] * 2), tf.float32, rank=2)),
        "sparse wrong": lambda: tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(sparse), tf.int32),
        "sparse wrong rank": lambda: tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(sparse), tf.float32, rank=5),
        "sparse bad": lambda: tf.io.deserialize_many_sparse([["a", "b", "c"]], tf.float32),
        "raw": lambda: [raw([b"\x01\x00\x02\x00"], tf.int16), raw([b"\x01\x00"], tf.int16, little_endian=False), raw(b"\x00\x00\x80?", tf.float32)],
        "raw fixed": lambda: raw([b"\x01", b"\x01\x02\x03\x04"], tf.uint8, fixed_length=3),
        "raw uneven": lambda: raw([b"ab", b"a"], tf.uint8),
        "raw odd": lambda: raw([b"abc"], tf.int16),
        "raw bool": lambda: raw(b"\x01\x00", tf.bool),
        "raw wrong": lambda: raw([1], tf.uint8),
        "base64": lambda: shown([tf.io.encode_base64(words), tf.io.encode_base64([b"\xff\xfe"], pad=True), tf.io.decode_base64(["__4", "YWI=", ""])]),
        "base64 bad": lambda: tf.io.decode_base64("a+b/"),
        "base64 short": lambda: tf.io.decode_base64("a"),
        "base64 padding": lambda: tf.io.decode_base64("YWI=="),
        "compressed": lambda: [compressed("GZIP"), compressed("ZLIB")],
        "compressed plain": lambda: shown(tf.io.decode_compressed(["a"])),
        "compressed bad": lambda: tf.io.decode_compressed(["a"], "GZIP"),
        "compressed unknown": lambda: tf.io.decode_compressed(["a"], "LZ4"),
        "csv": lambda: csv(["1,2.5,a", "3,,b"], [0, 9.5, "x"]),
        "csv scalar": lambda: csv("1,2", [0, 0]),
        "csv matrix": lambda: csv([["1,2"], ["3,4"]], [0, 0]),
        "csv kinds": lambda: csv(["1,2,3,4,5"], [tf.constant([], d) for d in (tf.int32, tf.int64, tf.float32, tf.float64, tf.string)]),
        "csv quoted": lambda: csv(['"a,b","c ""d""",e'], ["", "", ""]),
        "csv unquoted": lambda: csv(['a"b,c'], ["", ""], use_quote_delim=False),
        "csv quote inside": lambda: csv(['a"b,c'], ["", ""]),
        "csv quote open": lambda: csv(['"ab,c'], ["", ""]),
        "csv quote after": lambda: csv(['"ab"x,c'], ["", ""]),
        "csv delimiter": lambda: csv(["1|2"], [0, 0], field_delim="|"),
        "csv missing": lambda: csv(["1,"], [0, tf.constant([], tf.int32)]),
        "csv few": lambda: csv(["1"], [0, 0]),
        "csv many": lambda: csv(["1,2,3"], [0, 0]),
        "csv no number": lambda: csv(["a,2"], [0, 0]),
        "csv large": lambda: csv(["3000000000"], [0]),
        "csv blanks": lambda: csv([" 1 , 2"], [0, 0.0]),
        "csv na": lambda: csv(["NA,2"], [7, 0], na_value="NA"),
        "csv chosen": lambda: csv(["1,2,3"], [0, 0], select_cols=[0, 2]),
        "csv chosen order": lambda: csv(["1,2,3"], [0, 0], select_cols=[2, 0]),
        "csv chosen far": lambda: csv(["1,2,3"], [0], select_cols=[5]),
        "csv empty": lambda: csv([""], ["x"]),
        "csv bool": lambda: csv(["True"], [True]),
        "csv lines": lambda: csv(["1,2\r\n", "3,4\n"], [0, 0]),
        "in a function": in_function,
        "in a session": in_session,
    }  # fmt: skip


def of_examples(tf: Any) -> Programs:
    """tf.train.Example and what takes it apart."""
    io, train, v1 = tf.io, tf.train, tf.compat.v1
    i64, f32, text = tf.int64, tf.float32, tf.string

    def feature(values: Any) -> Any:
        if values and isinstance(values[0], bytes):
            return train.Feature(bytes_list=train.BytesList(value=values))
        if values and isinstance(values[0], float):
            return train.Feature(float_list=train.FloatList(value=values))
        return train.Feature(int64_list=train.Int64List(value=values))

    def example(**features: Any) -> Any:
        made = {k: feature(v) for k, v in features.items()}
        return train.Example(features=train.Features(feature=made)).SerializeToString()

    one = example(n=[3, -4, 5], x=[1.5, 2.5], s=[b"a", b"\xc3\xbc"], at=[7, 2], v=[0.5, 0.25])
    two = example(n=[6], x=[3.5, 4.5], s=[], at=[1], v=[9.5])
    three = example(n=[], x=[0.0, 0.0])
    rows = example(
        v=[1, 2, 3, 4, 5],
        lengths=[2, 0, 3],
        splits=[0, 2, 5],
        ids=[0, 0, 2, 2, 2],
        starts=[0, 4],
        limits=[1, 5],
    )
    others = example(v=[9], lengths=[1], splits=[0, 1], ids=[0], starts=[0], limits=[1])

    def parsed(features: Any, *texts: Any) -> Any:
        return shown(io.parse_example(list(texts or (one, two)), features))

    def single(features: Any, given: Any = one) -> Any:
        return shown(io.parse_single_example(given, features))

    def sequence(steps: Any, **context: Any) -> Any:
        lists = {
            k: train.FeatureList(feature=[feature(v) for v in values])
            for k, values in steps.items()
        }
        return train.SequenceExample(
            context=train.Features(feature={k: feature(v) for k, v in context.items()}),
            feature_lists=train.FeatureLists(feature_list=lists),
        ).SerializeToString()

    long = sequence({"a": [[1, 2], [3, 4], [5, 6]], "b": [[b"x"], [b"y", b"z"]]}, n=[7])
    short = sequence({"a": [[8, 9]], "b": []}, n=[8])

    def sequences(features: Any, *texts: Any, context: Any = None) -> Any:
        found = io.parse_sequence_example(
            list(texts or (long, short)), context_features=context, sequence_features=features
        )
        return shown(list(found))

    def step(features: Any, given: Any = long, context: Any = None) -> Any:
        found = io.parse_single_sequence_example(given, context, features)
        return shown(list(found))

    def ragged(*partitions: Any, texts: Any = (rows, others), **kwargs: Any) -> Any:
        spec = io.RaggedFeature(i64, "v", list(partitions), **kwargs)
        return parsed({"r": spec}, *texts), single({"r": spec}, texts[0])

    def message() -> Any:
        made = train.Example.FromString(one)
        return list(made.features.feature["n"].int64_list.value), sorted(made.features.feature)

    def in_function() -> Any:
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def f(x: Any) -> Any:
            found = io.parse_example(
                x, {"x": io.FixedLenFeature([2], f32), "n": io.VarLenFeature(i64)}
            )
            assert found["x"].shape.as_list() == [None, 2]
            return tf.reduce_sum(found["x"]), tf.sparse.to_dense(found["n"])

        return shown(f(tf.constant([one, two])))

    def in_session() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.string, [])
            found = v1.parse_single_example(x, {"x": v1.FixedLenFeature([2], f32)})
            return shown(session.run(found, {x: one}))

    def mapped() -> Any:
        data = tf.data.Dataset.from_tensor_slices([one, two])
        spec = {"x": io.FixedLenFeature([2], f32), "n": io.VarLenFeature(i64)}
        found = data.map(lambda x: io.parse_single_example(x, spec))
        return shown(list(found.map(lambda d: d["x"]))), found.element_spec["x"]

    part = io.RaggedFeature
    return {
        "message": message,
        "fixed": lambda: parsed({"x": io.FixedLenFeature([2], f32)}),
        "fixed matrix": lambda: parsed({"x": io.FixedLenFeature([2, 1], f32)}),
        "fixed scalar": lambda: parsed({"v": io.FixedLenFeature([], f32)}, two),
        "fixed default": lambda: parsed({"q": io.FixedLenFeature([2], f32, default_value=[8.0, 9.0])}),
        "fixed default scalar": lambda: parsed({"q": io.FixedLenFeature([], text, default_value="none")}),
        "fixed default spread": lambda: parsed({"q": io.FixedLenFeature([2], i64, default_value=1)}),
        "fixed missing": lambda: parsed({"q": io.FixedLenFeature([2], f32)}),
        "fixed empty": lambda: parsed({"n": io.FixedLenFeature([1], i64, default_value=[5])}, three),
        "fixed wrong dtype": lambda: parsed({"x": io.FixedLenFeature([2], i64)}),
        "fixed wrong count": lambda: parsed({"x": io.FixedLenFeature([3], f32)}),
        "fixed bad dtype": lambda: parsed({"x": io.FixedLenFeature([2], tf.float64)}),
        "fixed unknown": lambda: parsed({"x": io.FixedLenFeature([None], f32)}),
        "strings": lambda: parsed({"s": io.FixedLenFeature([2], text)}, one),
        "pieces": lambda: parsed({"n": io.FixedLenSequenceFeature([], i64, allow_missing=True)}),
        "pieces pairs": lambda: parsed({"x": io.FixedLenSequenceFeature([2], f32, allow_missing=True)}),
        "pieces padded": lambda: parsed({"n": io.FixedLenSequenceFeature([], i64, True, default_value=-1)}, one, two, three),
        "pieces uneven": lambda: parsed({"n": io.FixedLenSequenceFeature([2], i64, allow_missing=True)}),
        "pieces strict": lambda: parsed({"n": io.FixedLenSequenceFeature([], i64)}),
        "loose": lambda: parsed({"n": io.VarLenFeature(i64), "s": io.VarLenFeature(text)}),
        "loose missing": lambda: parsed({"q": io.VarLenFeature(i64)}),
        "loose wrong": lambda: parsed({"n": io.VarLenFeature(f32)}),
        "placed": lambda: parsed({"p": io.SparseFeature("at", "v", f32, 10)}),
        "placed sorted": lambda: parsed({"p": io.SparseFeature("at", "v", f32, 10, already_sorted=True)}),
        "placed twice": lambda: parsed({"p": io.SparseFeature(["at", "at"], "v", f32, [10, 20])}),
        "ragged": lambda: parsed({"n": part(i64), "s": part(text)}, one, two, three),
        "ragged key": lambda: parsed({"r": part(i64, "n", row_splits_dtype=i64)}),
        "ragged lengths": lambda: ragged(part.RowLengths("lengths")),
        "ragged splits": lambda: ragged(part.RowSplits("splits")),
        "ragged ids": lambda: ragged(part.ValueRowIds("ids")),
        "ragged starts": lambda: ragged(part.RowStarts("starts")),
        "ragged limits": lambda: ragged(part.RowLimits("limits")),
        "ragged uniform": lambda: ragged(part.UniformRowLength(1)),
        "ragged deep": lambda: ragged(part.UniformRowLength(1), part.RowLengths("lengths")),
        "ragged bad": lambda: ragged("lengths"),
        "several": lambda: parsed({"x": io.FixedLenFeature([2], f32), "n": io.VarLenFeature(i64), "s": part(text)}),
        "none": lambda: parsed({}),
        "no batch": lambda: shown(io.parse_example(tf.constant([], text), {"n": io.VarLenFeature(i64), "x": io.FixedLenFeature([2], f32)})),
        "bad text": lambda: parsed({"x": io.FixedLenFeature([2], f32)}, b"\xff\xff"),
        "bad feature": lambda: parsed({"x": 3}),
        "single": lambda: single({"x": io.FixedLenFeature([2], f32), "n": io.VarLenFeature(i64), "s": part(text)}),
        "single pieces": lambda: single({"n": io.FixedLenSequenceFeature([], i64, allow_missing=True)}),
        "single placed": lambda: single({"p": io.SparseFeature("at", "v", f32, 10)}),
        "single missing": lambda: single({"q": io.FixedLenFeature([], f32)}),
        "single several": lambda: single({"x": io.FixedLenFeature([2], f32)}, [one, two]),
        "sequences": lambda: sequences({"a": io.FixedLenSequenceFeature([2], i64)}),
        "sequences loose": lambda: sequences({"b": io.VarLenFeature(text)}),
        "sequences ragged": lambda: sequences({"b": part(text)}),
        "sequences context": lambda: sequences({"a": io.VarLenFeature(i64)}, context={"n": io.FixedLenFeature([], i64)}),
        "sequences missing": lambda: sequences({"q": io.FixedLenSequenceFeature([2], i64)}),
        "sequences allowed": lambda: sequences({"q": io.FixedLenSequenceFeature([2], i64, allow_missing=True)}),
        "sequences wrong": lambda: sequences({"a": io.FixedLenSequenceFeature([3], i64)}),
        "sequences dtype": lambda: sequences({"a": io.FixedLenSequenceFeature([2], f32)}),
        "sequences none": lambda: sequences(None),
        "step": lambda: step({"a": io.FixedLenSequenceFeature([2], i64)}, context={"n": io.FixedLenFeature([], i64)}),
        "step loose": lambda: step({"b": io.VarLenFeature(text)}),
        "step ragged": lambda: step({"b": part(text)}),
        "step missing": lambda: step({"q": io.FixedLenSequenceFeature([], i64)}),
        "in a function": in_function,
        "in a session": in_session,
        "mapped": mapped,
    }  # fmt: skip


def of_pictures(tf: Any) -> Programs:
    """Pictures read and written."""
    io, v1 = tf.io, tf.compat.v1
    small = tf.constant([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [9, 99, 199]]], tf.uint8)
    gray = tf.constant([[[0], [100]], [[200], [255]]], tf.uint8)
    clear = tf.concat([small, gray], 2)
    deep = tf.cast(small, tf.uint16) * 257 + 1
    ramp = tf.cast(tf.reshape(tf.range(16 * 24) % 256, [16, 24, 1]), tf.uint8)
    smooth = tf.concat([ramp, 255 - ramp, ramp // 2], 2)
    bmp = (
        b"BM" + bytes([70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0])
        + bytes(24) + bytes([255, 0, 0, 1, 2, 3, 0, 0, 0, 255, 0, 9, 8, 7, 0, 0])
    )  # fmt: skip

    def png(image: Any, *args: Any, **kwargs: Any) -> Any:
        found = io.decode_png(io.encode_png(image), *args, **kwargs)
        return shown(found), found.dtype

    def near(image: Any, **kwargs: Any) -> Any:
        """A JPEG comes back within a few grays: the mean difference, in steps of four."""
        found = io.decode_jpeg(io.encode_jpeg(image, **kwargs))
        change = tf.abs(tf.cast(found, tf.float32) - tf.cast(image, tf.float32))
        return found.shape, int(tf.reduce_mean(change)) // 4

    def in_function() -> Any:
        @tf.function
        def f(x: Any) -> Any:
            found = io.decode_png(x, channels=3)
            assert found.shape.as_list() == [None, None, 3]
            return found, io.encode_png(found)

        found, text = f(io.encode_png(small))
        return shown([found, io.decode_png(text)])

    def in_session() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.uint8, [None, None, 3])
            return shown(session.run(v1.image.decode_png(v1.image.encode_png(x)), {x: small_array}))

    small_array = small.numpy()
    return {
        "png": lambda: [png(small), png(gray), png(clear)],
        "png two": lambda: png(clear[..., 2:]),
        "png deep": lambda: [png(deep, dtype=tf.uint16), png(tf.cast(gray, tf.uint16) * 257, dtype=tf.uint16)],
        "png deep cut": lambda: png(deep),
        "png deepened": lambda: png(small, dtype=tf.uint16),
        "png channels": lambda: [png(small, 4), png(gray, 3), png(gray, 4), png(clear, 3)],
        "png gray": lambda: png(small, 1),
        "png clear gray": lambda: png(clear, 1),
        "png two channels": lambda: png(small, 2),
        "png several": lambda: io.encode_png(tf.stack([small, small])).shape,
        "png flat": lambda: io.encode_png(gray[..., 0]),
        "png wide": lambda: io.encode_png(tf.zeros([2, 2, 5], tf.uint8)),
        "png floats": lambda: io.encode_png(tf.zeros([2, 2, 3])),
        "png bad": lambda: io.decode_png("no picture"),
        "png nothing": lambda: io.decode_png(""),
        "png cut": lambda: io.decode_png(tf.strings.substr(io.encode_png(smooth), 0, 60)),
        "png several texts": lambda: io.decode_png(["a", "b"]),
        "png bad dtype": lambda: io.decode_png(io.encode_png(small), dtype=tf.float32),
        "jpeg": lambda: near(smooth),
        "jpeg gray": lambda: near(ramp),
        "jpeg best": lambda: near(smooth, quality=100, chroma_downsampling=False),
        "jpeg progressive": lambda: near(smooth, progressive=True, optimize_size=True),
        "jpeg format": lambda: near(ramp, format="grayscale"),
        "jpeg wrong format": lambda: near(smooth, format="grayscale"),
        "jpeg quality": lambda: io.encode_jpeg(smooth, quality=101),
        "jpeg channels": lambda: io.encode_jpeg(clear),
        "jpeg as gray": lambda: io.decode_jpeg(io.encode_jpeg(smooth), channels=1).shape,
        "jpeg as colour": lambda: io.decode_jpeg(io.encode_jpeg(ramp), channels=3).shape,
        "jpeg ratio": lambda: io.decode_jpeg(io.encode_jpeg(smooth), ratio=2).shape,
        "jpeg bad ratio": lambda: io.decode_jpeg(io.encode_jpeg(smooth), ratio=3),
        "jpeg four": lambda: io.decode_jpeg(io.encode_jpeg(smooth), channels=4),
        "jpeg bad": lambda: io.decode_jpeg("no picture"),
        "jpeg cut": lambda: io.decode_jpeg(tf.strings.substr(io.encode_jpeg(smooth), 0, 200)),
        "jpeg crop": lambda: io.decode_and_crop_jpeg(io.encode_jpeg(smooth), [2, 3, 4, 5]).shape,
        "jpeg crop far": lambda: io.decode_and_crop_jpeg(io.encode_jpeg(smooth), [2, 3, 40, 5]),
        "jpeg shape": lambda: shown(io.extract_jpeg_shape(io.encode_jpeg(smooth))),
        "is jpeg": lambda: shown([io.is_jpeg(io.encode_jpeg(smooth)), io.is_jpeg(io.encode_png(small)), io.is_jpeg("")]),
        "bmp": lambda: shown(io.decode_bmp(bmp)),
        "bmp channels": lambda: io.decode_bmp(bmp, channels=1),
        "bmp cut": lambda: io.decode_bmp(bmp[:60]),
        "bmp head": lambda: io.decode_bmp(bmp[:20]),
        "bmp as png": lambda: io.decode_png(bmp),
        "image png": lambda: shown(io.decode_image(io.encode_png(small))),
        "image bmp": lambda: shown(io.decode_image(bmp)),
        "image jpeg": lambda: io.decode_image(io.encode_jpeg(smooth)).shape,
        "image float": lambda: shown(io.decode_image(io.encode_png(small), dtype=tf.float32)),
        "image int": lambda: io.decode_image(io.encode_png(small), dtype=tf.int32),
        "image bad": lambda: io.decode_image("no picture"),
        "jpeg of png": lambda: shown(io.decode_jpeg(io.encode_png(small))),
        "png of jpeg": lambda: io.decode_png(io.encode_jpeg(smooth)).shape,
        "gif of png": lambda: io.decode_gif(io.encode_png(small)).shape,
        "gif bad": lambda: io.decode_gif("no picture"),
        "in a function": in_function,
        "in a session": in_session,
    }  # fmt: skip


def of_readers(tf: Any) -> Programs:
    """Datasets that read fields and examples, and datasets that are kept."""
    data, trial, io = tf.data.Dataset, tf.data.experimental, tf.io
    root = io.gfile.join(FOLDER, "readers")
    kinds = [tf.int32, tf.float32, tf.string]

    def fresh() -> str:
        if io.gfile.exists(root):
            io.gfile.rmtree(root)
        io.gfile.makedirs(root)
        return io.gfile.join(root, "kept")

    def file(text: Any, name: str = "f.csv") -> str:
        io.write_file(io.gfile.join(root, name), text)
        return io.gfile.join(root, name)

    def csv(text: str, defaults: Any = kinds, **kwargs: Any) -> Any:
        found = trial.CsvDataset(file(text), defaults, **kwargs)
        return shown(list(found)), found.element_spec

    def table(
        text: str = "a,b,c\n1,2.5,x\n3,4.5,y\n5,6.5,z\n", size: int = 2, **kwargs: Any
    ) -> Any:
        given = {"num_epochs": 1, "shuffle": False, **kwargs}
        found = trial.make_csv_dataset(file(text), size, **given)
        return shown(list(found)), found.element_spec

    def endless() -> Any:
        found = trial.make_csv_dataset(file("a\n1\n2\n3\n"), 2, shuffle_seed=3)
        return shown([e["a"] for e in found.take(4)]), found.element_spec

    def texts() -> Any:
        def text(i: int) -> bytes:
            made = tf.train.Example()
            made.features.feature["x"].float_list.value.extend([i + 0.5])
            made.features.feature["y"].int64_list.value.extend([i])
            return made.SerializeToString()

        return [text(i) for i in range(5)]

    spec = {"x": io.FixedLenFeature([1], tf.float32), "y": io.FixedLenFeature([], tf.int64)}

    def batched(**kwargs: Any) -> Any:
        fresh()
        path = io.gfile.join(root, "examples")
        trial.TFRecordWriter(path).write(data.from_tensor_slices(texts()))
        given = {"num_epochs": 1, "shuffle": False, **kwargs}
        found = trial.make_batched_features_dataset(path, 2, spec, **given)
        return shown(list(found)), found.element_spec

    def kept(dataset: Any, load: Any = None, **kwargs: Any) -> Any:
        path = fresh()
        dataset.save(path, **kwargs)
        found = data.load(path, **(load or {}))
        return shown(list(found)), found.element_spec, int(found.cardinality())

    def twice() -> Any:
        path = fresh()
        data.range(5).save(path)
        data.range(2).save(path)
        return shown(list(data.load(path)))

    def snapshot() -> Any:
        path = fresh()
        first = shown(list(data.range(3).snapshot(path)))
        return first, shown(list(data.range(3).map(lambda x: x).snapshot(fresh())))

    def shards(reader: Any = None) -> Any:
        path = fresh()
        data.range(6).save(path, shard_func=lambda x: x % 2)
        return sorted(shown(list(data.load(path, reader_func=reader))))

    ragged = tf.ragged.constant([[1, 2], [], [3]])
    return {
        "csv": lambda: csv("1,2.5,a\n2,3.5,b\n"),
        "csv header": lambda: csv("x,y,z\n1,2.5,a\n", header=True),
        "csv defaults": lambda: csv("1,,\n,2,b\n", [[7], [8.5], ["none"]]),
        "csv missing": lambda: csv("1,,a\n"),
        "csv quoted": lambda: csv('1,2,"a,""b"\nc"\n3,4,d\n'),
        "csv open": lambda: csv('1,2,"a\n'),
        "csv chosen": lambda: csv("1,2.5,a\n2,3.5,b\n", [tf.float32], select_cols=[1]),
        "csv excluded": lambda: csv("1,2.5,a\n2,3.5,b\n", [tf.int32, tf.string], exclude_cols=[1]),
        "csv few": lambda: csv("1,2\n"),
        "csv bad": lambda: csv("x,2,a\n"),
        "csv tabs": lambda: csv("1\t2\ta\n", field_delim="\t"),
        "csv na": lambda: csv("NA,2,a\n", [[5], [0.0], [""]], na_value="NA"),
        "csv crlf": lambda: csv("1,2,a\r\n3,4,b\r\n"),
        "csv last": lambda: csv("1,2,a\n3,4,b"),
        "csv nowhere": lambda: list(trial.CsvDataset("/nowhere", kinds)),
        "table": lambda: table(),
        "table label": lambda: table(label_name="b"),
        "table chosen": lambda: table(select_columns=["a", "c"]),
        "table numbers": lambda: table(select_columns=[2, 0], label_name="c"),
        "table names": lambda: table("1,2\n3,4\n", column_names=["p", "q"], header=False),
        "table defaults": lambda: table("a,b\n1,\n,4\n", column_defaults=[[7], [8]]),
        "table kinds": lambda: table("a,b,c,d,e\n1,3000000000,1.5,1e300,x\n,,,,\n"),
        "table twice": lambda: table(num_epochs=2),
        "table shuffled": lambda: table(shuffle=True, shuffle_seed=5),
        "table wrong label": lambda: table(label_name="q"),
        "table wrong column": lambda: table(select_columns=["q"]),
        "table same names": lambda: table("a,a\n1,2\n"),
        "table nowhere": lambda: trial.make_csv_dataset("/nowhere/*.csv", 2),
        "table endless": endless,
        "examples": lambda: batched(),
        "examples label": lambda: batched(label_key="y"),
        "examples shuffled": lambda: batched(shuffle=True, shuffle_seed=2),
        "examples dropped": lambda: batched(drop_final_batch=True),
        "examples wrong": lambda: batched(label_key="q"),
        "parse": lambda: shown(list(data.from_tensor_slices(texts()).batch(2).apply(trial.parse_example_dataset(spec)))),
        "parse others": lambda: data.range(2).apply(trial.parse_example_dataset(spec)),
        "writer": lambda: trial.TFRecordWriter(file("", "w")).write(data.range(2)),
        "saved": lambda: kept(data.range(4)),
        "saved nested": lambda: kept(data.from_tensor_slices({"a": [1, 2], "b": (["x", "\u00fc"], [[1.5], [2.5]])})),
        "saved ragged": lambda: kept(data.from_tensor_slices(ragged)),
        "saved sparse": lambda: kept(data.from_tensor_slices(tf.sparse.eye(2))),
        "saved batches": lambda: kept(data.range(3).batch(2)),
        "saved compressed": lambda: kept(data.range(4), compression="GZIP", load={"compression": "GZIP"}),
        "saved empty": lambda: shown(list(data.load(fresh_with(data.range(0))))),
        "saved twice": twice,
        "saved shards": lambda: shards(),
        "saved reader": lambda: shards(lambda parts: parts.flat_map(lambda x: x)),
        "loaded nowhere": lambda: data.load("/nowhere"),
        "snapshot": snapshot,
        "listed": lambda: shown(list(trial.from_list([(1, "a"), (2, "b")]))),
    }  # fmt: skip


def fresh_with(dataset: Any) -> Any:
    """A folder with a saved dataset."""
    path = tempfile.mkdtemp()
    dataset.save(path)
    return path


GROUPS: dict[str, Callable[[Any], Programs]] = {
    "tables": of_tables,
    "strings": of_strings,
    "characters": of_characters,
    "files": of_files,
    "examples": of_examples,
    "pictures": of_pictures,
    "readers": of_readers,
}
