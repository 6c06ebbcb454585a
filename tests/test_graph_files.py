"""Graphs of version 1 in files: their errors, scopes and collections. test_saving.py has what TensorFlow wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf

v1: Any = tf.compat.v1


def saved(folder: Path) -> tuple[str, float]:
    """A graph in a file, and what its `y` gives for 2."""
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("in"):
            w = v1.get_variable("w", initializer=[1.0, 2.0])
            parts = v1.get_variable(
                "parts", [4], partitioner=v1.fixed_size_partitioner(2), initializer=v1.ones_initializer()
            )  # fmt: skip
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.reduce_sum(w * x) + tf.reduce_sum(tf.convert_to_tensor(parts))
        v1.add_to_collection("results", tf.identity(y, name="y"))
        session.run(v1.global_variables_initializer())
        return v1.train.Saver().save(session, str(folder / "m")), float(session.run(y, {x: 2.0}))


@pytest.mark.parametrize("scope", [None, "inner", "a/b"])
def test_in_a_scope(tmp_path: Path, scope: str | None) -> None:
    """Names, variables and the saver are within; parts of variables come back."""
    path, expected = saved(tmp_path)
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(f"{path}.meta", import_scope=scope)
        saver.restore(session, path)
        prefix = f"{scope}/" if scope else ""
        (y,) = v1.get_collection("results")
        assert y.name == f"{prefix}y:0"
        assert session.run(y, {f"{prefix}x:0": 2.0}) == expected
        assert v1.global_variables()[0].name == f"{prefix}in/w:0"
        again = saver.save(session, str(tmp_path / "again"))
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(f"{again}.meta").restore(session, again)
        assert session.run(f"{prefix}y:0", {f"{prefix}x:0": 2.0}) == expected


def test_gradients_of_an_imported_graph(tmp_path: Path) -> None:
    """Its variables are variables: they are trained."""
    path, _ = saved(tmp_path)
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.train.import_meta_graph(f"{path}.meta").restore(session, path)
        (w,) = v1.trainable_variables("in/w")
        y = graph.get_tensor_by_name("y:0")
        assert session.run(v1.gradients(y, w), {"x:0": 3.0})[0].tolist() == [3.0, 3.0]
        train = v1.train.GradientDescentOptimizer(1.0).minimize(y, var_list=[w])
        session.run(train, {"x:0": 3.0})
        assert session.run(w).tolist() == [-2.0, -1.0]


def test_text_and_part_of_a_graph(tmp_path: Path) -> None:
    """As text; a scope alone, whose missing inputs are given when it is imported."""
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [], name="x")
        with v1.name_scope("part"):
            v1.add_to_collection("results", tf.square(x, name="y"))
        path = str(tmp_path / "part.meta")
        meta = v1.train.export_meta_graph(path, as_text=True, export_scope="part")
    assert [(n.name, list(n.input)) for n in meta.graph_def.node] == [("y", ["$unbound_inputs_x"])]
    with tf.Graph().as_default(), v1.Session() as session:
        given = {"$unbound_inputs_x": tf.constant(3.0)}
        assert v1.train.import_meta_graph(path, input_map=given) is None
        assert session.run(v1.get_collection("results")[0]) == 9.0


def test_collections_without_a_form_are_said(caplog: pytest.LogCaptureFixture) -> None:
    """They are left out, the others are there."""
    with tf.Graph().as_default():
        tf.constant(1.0, name="x")
        for name, value in (("odd", object()), ("n", 3), ("f", 0.5), ("t", "text")):
            v1.add_to_collection(name, value)
        meta = v1.train.export_meta_graph()
    assert sorted(meta.collection_def) == ["f", "n", "t"]
    assert "'odd' is not written" in caplog.text


def test_refused(tmp_path: Path) -> None:
    """In eager mode; a file that is missing, or damaged; variables that are missing in the checkpoint."""
    with pytest.raises(RuntimeError, match="not supported when eager"):
        v1.train.import_meta_graph("x")
    with tf.Graph().as_default(), v1.Session() as session:
        with pytest.raises(OSError, match="does not exist"):
            v1.train.import_meta_graph(str(tmp_path / "none.meta"))
        path, _ = saved(tmp_path)
        whole = Path(f"{path}.meta").read_bytes()
        cut = tmp_path / "cut.meta"
        cut.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(tf.errors.DataLossError, match="cut short or damaged"):
            v1.train.import_meta_graph(str(cut))
        saver = v1.train.import_meta_graph(f"{path}.meta")
        other = v1.get_variable("other", initializer=1.0)
        session.run(other.initializer)
        apart = v1.train.Saver([other]).save(session, str(tmp_path / "o"), write_meta_graph=False)
        assert not Path(f"{apart}.meta").exists()
        with pytest.raises(tf.errors.NotFoundError, match="Key in/parts not found"):
            saver.restore(session, apart)
    with pytest.raises(AssertionError, match="nothing is not in graph"):
        v1.graph_util.extract_sub_graph(tf.Graph().as_graph_def(), ["nothing"])


def test_without_the_package_protobuf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables are saved and restored; the graph is not written."""
    monkeypatch.setattr("wengert.compat.v1.graph_files.saver.is_there", lambda: False)
    path, _ = saved(tmp_path)
    assert not Path(f"{path}.meta").exists()
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("in/w", [2])
        v1.train.Saver([w]).restore(session, path)
        assert session.run(w).tolist() == [1.0, 2.0]


def test_a_model_is_not_written_over_another(tmp_path: Path) -> None:
    """A folder with something in it is refused; a model has to have variables first."""
    (tmp_path / "there").write_text("")
    with pytest.raises(AssertionError, match="already exists"):
        v1.saved_model.Builder(tmp_path)
    with pytest.raises(AssertionError, match="has not been saved yet"):
        v1.saved_model.Builder(tmp_path / "new").add_meta_graph(["serve"])


def test_frozen(tmp_path: Path) -> None:
    """Variables as constants, but for those that are to stay."""
    path, expected = saved(tmp_path)
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.train.import_meta_graph(f"{path}.meta").restore(session, path)
        freeze: Any = v1.graph_util.convert_variables_to_constants
        frozen = freeze(session, session.graph_def, ["y"])
        partly = freeze(session, graph.as_graph_def(), ["y"], variable_names_blacklist=["in/w"])
    assert not [n for n in frozen.node if n.op == "VarHandleOp"]
    assert [n.name for n in partly.node if n.op == "VarHandleOp"] == ["in/w"]
    less = v1.graph_util.remove_training_nodes(frozen, ["y"])
    assert len(less.node) < len(frozen.node)
    for graph_def in (frozen, less):
        with tf.Graph().as_default(), v1.Session() as session:
            (y,) = tf.import_graph_def(graph_def, return_elements=["y:0"], name="")
            assert session.run(y, {"x:0": np.float32(2.0)}) == expected
