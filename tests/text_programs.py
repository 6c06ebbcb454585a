"""Programs with tables, strings, files and examples, for Wengert and TensorFlow: tools/texts.py records the latter."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataset_programs import Programs, shown


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
    index = look.TextFileIndex

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
        path = tf.io.gfile.join(tf.compat.v1.test.get_temp_dir(), "words.txt")
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
        return shown(table[words]), sorted_pairs(table), shown(table.size())

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
        table = tf.data.experimental.index_table_from_dataset(
            data, num_oov_buckets=2, vocab_size=2
        )
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
        "file floats": lambda: shown(
            of_file(b"a,5.5\nb,6\n", tf.string, 0, tf.float32, 1, delimiter=",")[words]
        ),
        "file too few columns": lambda: of_file(b"a 5\nb\n", tf.string, 0, tf.int64, 1, delimiter=" "),
        "file no number": lambda: of_file(b"a x\n", tf.string, 0, tf.int64, 1, delimiter=" "),
        "file size": lambda: shown(of_file(b"one\ntwo\nsix\n", *whole, vocab_size=3).size()),
        "file longer": lambda: shown(of_file(b"one\ntwo\nsix\n", *whole, vocab_size=2).size()),
        "file shorter": lambda: of_file(b"one\n", *whole, vocab_size=2),
        "file size zero": lambda: of_file(b"one\n", *whole, vocab_size=0),
        "file duplicates": lambda: of_file(b"one\none\n", *whole),
        "file wrong dtype": lambda: of_file(b"1\n", tf.int32, -1, tf.string, -2),
        "file wrong index": lambda: of_file(b"1\n", tf.string, -3, tf.int64, -1),
        "file float line": lambda: of_file(b"1\n", tf.float32, -2, tf.int64, -1),
        "file missing": lambda: look.StaticHashTable(
            look.TextFileInitializer("/nowhere/words", *whole), -1
        ),
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
        "vocabulary without dtype": lambda: look.StaticVocabularyTable(None, 5),
        "vocabulary int32 values": lambda: look.StaticVocabularyTable(pairs(["a"], [1]), 5),
        "vocabulary wrong key": lambda: vocabulary(lookup_key_dtype=tf.int32),
        "mutable": changed,
        "mutable vectors": vectors,
        "mutable dynamic": dynamic,
        "mutable ragged": lambda: shown(mutable()[ragged]),
        "mutable empty": lambda: shown([mutable().size(), *mutable().export()]),
        "mutable wrong shape": lambda: mutable().insert(["a", "b"], [1]),
        "mutable wrong dtype": lambda: mutable().insert([1], [1]),
        "mutable wrong values": lambda: mutable().insert(["a"], ["b"]),
        "mutable wrong removed": lambda: mutable().remove(tf.constant([1])),
        "mutable no default": lambda: mutable(None),
        "dense": dense_changed,
        "dense vectors": of_vectors,
        "dense reserved": reserved,
        "dense looked up": lambda: dense().lookup(tf.constant([""])),
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
        "cross": lambda: shown(tf.sparse.cross([[["a", "b"]], [["x"], ], tf.constant([[1, 2]])])),
        "cross sparse": lambda: shown(tf.sparse.cross([tf.sparse.from_dense([["a", ""], ["b", "c"]]), [["x"], ["y"]]], separator="&")),
        "cross hashed": lambda: shown(tf.sparse.cross_hashed([[["a", "b"]], [["x"]], tf.constant([[1, 2]])], num_buckets=100)),
        "cross hashed wide": lambda: shown(tf.sparse.cross_hashed([[["a", "b"]], [["x"]]])),
        "cross hashed key": lambda: shown(tf.sparse.cross_hashed([[["a", "b"]], [["x"]]], 1000, hash_key=5)),
        "cross hashed ints": lambda: shown(tf.sparse.cross_hashed([tf.constant([[1, -2]]), tf.constant([[3]])], 1000)),
        "cross uneven": lambda: tf.sparse.cross([[["a"]], [["b"], ["c"]]]),
        "cross floats": lambda: tf.sparse.cross([[[1.0]]]),
        "cross tensor": lambda: tf.sparse.cross(tf.constant([["a"]])),
        "cross ragged": lambda: shown(tf.ragged.cross([ragged, tf.ragged.constant([["x"], ["y"], ["z", "w"]])])),
        "cross ragged hashed": lambda: shown(tf.ragged.cross_hashed([ragged, [["x"], ["y"], ["z"]]], num_buckets=50)),
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


GROUPS: dict[str, Callable[[Any], Programs]] = {
    "tables": of_tables,
    "strings": of_strings,
    "characters": of_characters,
}
