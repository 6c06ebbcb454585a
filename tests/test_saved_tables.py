"""Functions that look up in tables, saved and loaded, and saved again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.formats.protos import message

WORDS, IDS = tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.int64)
GIVEN = {WORDS: tf.constant(["b", "zz", "a"]), IDS: tf.constant([2, 7, 1], tf.int64)}


def table(keys: Any, values: Any, default: Any) -> Any:
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), default)


NUMBERS = table(["a", "b"], tf.constant([1, 2], tf.int64), 0)
NAMES = table(tf.constant([1, 2], tf.int64), ["x", "y"], "?")
SCALES = table(tf.constant([1, 2], tf.int64), [0.5, 0.25], -1.0)
ROWS = tf.Variable(np.arange(12.0, dtype="f4").reshape(4, 3))


def step(words: Any) -> Any:
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.embedding_lookup(ROWS, NUMBERS.lookup(words)) ** 2)
    return tf.convert_to_tensor(tape.gradient(y, ROWS))


def in_a_loop(ids: Any) -> Any:
    def body(i: Any, x: Any) -> Any:
        return i + 1, x + SCALES.lookup(tf.cast(x, tf.int64))

    return tf.while_loop(lambda i, x: i < 2, body, [0, tf.cast(ids, tf.float32)])[1]


PROGRAMS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "words": (NUMBERS.lookup, WORDS),
    "names": (NAMES.lookup, IDS),
    "numbers": (lambda ids: SCALES[ids] * 2.0, IDS),
    "two tables": (lambda words: NAMES.lookup(NUMBERS.lookup(words)), WORDS),
    "its size": (lambda ids: NUMBERS.size() + ids[0], IDS),
    "a loop": (in_a_loop, IDS),
    "a branch": (
        lambda ids: tf.cond(ids[0] > 1, lambda: SCALES[ids], lambda: tf.cast(ids, tf.float32)), IDS
    ),
    "training": (step, WORDS),
}  # fmt: skip


def said(y: Any) -> Any:
    return np.asarray(y).tolist()


@pytest.mark.parametrize("name", PROGRAMS)
def test_saved_and_loaded_and_saved_again(name: str, tmp_path: Path) -> None:
    program, spec = PROGRAMS[name]
    model: Any = tf.Module()
    model.rows, model.f = ROWS, tf.function(program, input_signature=[spec])
    wanted = said(model.f(GIVEN[spec]))
    for time in range(2):
        tf.saved_model.save(model, str(tmp_path / str(time)))
        model = tf.saved_model.load(str(tmp_path / str(time)))
        assert said(model.f(GIVEN[spec])) == wanted


def test_a_signature_looks_up_too(tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.f = tf.function(lambda words: NUMBERS.lookup(words), input_signature=[WORDS])
    tf.saved_model.save(model, str(tmp_path), signatures=model.f)
    serve = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    assert said(serve(words=GIVEN[WORDS])["output_0"]) == [2, 0, 1]


def test_other_tables_say_so(tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    model.f = tf.function(lambda words: model.t.lookup(words), input_signature=[WORDS])
    with pytest.raises(NotImplementedError, match="MutableHashTableV2 cannot be saved"):
        tf.saved_model.save(model, str(tmp_path))


def test_nodes_that_belong_with_an_argument_are_read(tmp_path: Path) -> None:
    """TensorFlow's embedding lookups say so: the argument has another name within the function."""
    model: Any = tf.Module()
    model.f = tf.function(lambda ids: tf.gather(ROWS.read_value(), ids), input_signature=[IDS])
    model.rows = ROWS
    tf.saved_model.save(model, str(tmp_path))
    path = tmp_path / "saved_model.pb"
    saved = message("SavedModel").FromString(path.read_bytes())
    for function in saved.meta_graphs[0].graph_def.library.function:
        for node in function.node_def:
            node.attr["_class"].list.s.append(b"loc:@embedding_lookup/533")
    path.write_bytes(saved.SerializeToString())
    assert said(tf.saved_model.load(str(tmp_path)).f(tf.constant([1], tf.int64))) == [[3, 4, 5]]


@pytest.mark.parametrize("is_fixed", [True, False])
def test_tables_of_a_meta_graph_are_filled_there(is_fixed: bool, tmp_path: Path) -> None:
    v1: Any = tf.compat.v1
    with tf.Graph().as_default():
        words = v1.placeholder(tf.string, [None], name="words")
        if is_fixed:
            numbers = table(["a"], tf.constant([5], tf.int64), -1)
        else:
            numbers = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
            keys, values = tf.constant(["a"]), tf.constant([5], tf.int64)
            v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, numbers.insert(keys, values))
        tf.identity(numbers.lookup(words), name="found")
        v1.get_variable("v", [2])
        session = v1.Session()
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default():
        session = v1.Session()
        v1.train.import_meta_graph(str(tmp_path / "model.meta"))
        session.run(v1.tables_initializer())
        assert session.run("found:0", {"words:0": ["a", "b"]}).tolist() == [5, -1]
