"""A drawing for other programs: TensorBoard's events, and ONNX for Netron and whoever runs it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import wengert as tf
from wengert.formats.records import records_in
from wengert.formats.wire import Fields

WEIGHTS = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="weights")


def loss(x: Any, bias: Any) -> Any:
    with tf.name_scope("layer"):
        h = tf.tanh(x @ WEIGHTS + bias)
    with tf.name_scope("head"):
        p = tf.nn.softmax(h)
    return tf.reduce_mean(p * tf.constant([1.0, 2.0]))


ARGUMENTS = tf.ones([3, 2]), tf.zeros([2])

# ---- events ------------------------------------------------------------------------------------


def nodes_in(file: Path) -> dict[str, Fields]:
    """The nodes of the graph in a file of events, by their names."""
    version, graph = map(Fields, records_in(io.BytesIO(file.read_bytes())))
    assert version.text(3) == "brain.Event:2"
    assert version.float64(1) > 1e9
    return {node.text(1): node for node in graph.message(4).messages(1)}


def attributes(node: Fields) -> dict[str, Fields]:
    return {entry.text(1): entry.message(2) for entry in node.messages(5)}


def shape_of(node: Fields) -> list[int]:
    (shape,) = attributes(node)["_output_shapes"].message(1).messages(7)
    return [size.integer(1) for size in shape.messages(2)]


def test_the_graph_as_events(tmp_path: Path) -> None:
    drawing = tf.draw(loss, *ARGUMENTS)
    file = drawing.events(tmp_path / "logs")
    assert file.parent == tmp_path / "logs"
    assert file.name.startswith("events.out.tfevents.")
    nodes = nodes_in(file)
    assert {name.partition("/")[0] for name in nodes} == {
        "inputs",
        "forward",
        "backward",
        "results",
    }
    tanh = nodes["forward/layer/Tanh"]
    assert (tanh.text(2), tanh.texts(3)) == ("Tanh", ["forward/layer/add"])
    assert shape_of(tanh) == [3, 2]
    said = attributes(tanh)
    assert said["dtype"].integer(6) == tf.float32.as_datatype_enum
    assert said["code"].text(2) == "h = tf.tanh(x @ WEIGHTS + bias)"
    assert nodes["inputs/bias"].text(2) == "Placeholder"
    assert nodes["results/dbias"].texts(3)[0].startswith("backward/")
    for node in nodes.values():
        for x in node.texts(3):
            assert x.removeprefix("^").partition(":")[0] in nodes


def test_constants_scopes_and_what_runs_first(tmp_path: Path) -> None:
    """A graph of version 1 keeps its names; large constants are not written."""
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
        with tf.name_scope("block"), tf.device("/cpu:0"):
            y = tf.sin(x, name="sine")[:, :1] * tf.constant([[2.0]]) + tf.zeros([100])
        drawing = tf.draw(tf.reduce_sum(y), x)
    nodes = nodes_in(drawing.events(tmp_path))
    assert shape_of(nodes["forward/block/sine"]) == [(1 << 64) - 1, 2]  # -1: unknown
    slices = [n for n in nodes.values() if n.text(2) == "StridedSlice"]
    assert "slice(None, 1" in attributes(slices[0])["key"].text(2)
    values = [
        attributes(n)["value"].message(8) for n in nodes.values()
        if n.text(2) == "Const" and "value" in attributes(n)
    ]  # fmt: skip
    assert [2.0] in [v.array(4, "<f4").tolist() for v in values]
    assert all(len(v.data(4)) <= 256 for v in values)


def test_tensorboard_reads_the_events(tmp_path: Path) -> None:
    reader: Any = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    drawing = tf.draw(loss, *ARGUMENTS)
    drawing.events(tmp_path)
    graph = reader.EventAccumulator(str(tmp_path)).Reload().Graph()
    names = {node.name for node in graph.node}
    assert {"inputs/x", "forward/head/Softmax", "results/value", "results/dx"} <= names
    softmax = next(n for n in graph.node if n.name == "forward/head/Softmax")
    assert [d.size for d in softmax.attr["_output_shapes"].list.shape[0].dim] == [3, 2]
