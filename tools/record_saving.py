"""Writes tests/data/saving with TensorFlow, and reads with it what Wengert wrote.

python tools/record_saving.py write tests/data/saving     (where TensorFlow is installed)
python tools/record_saving.py ours some/folder            (where Wengert is)
python tools/record_saving.py read some/folder            (where TensorFlow is installed)
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

DTYPES = "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128"


def model(tf: Any) -> Any:
    """A module with variables, a constant, and functions with a branch, a loop and a custom gradient."""

    class Model(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([1.0, 2.0], name="w")
            self.c = tf.constant([3.0, 4.0])
            self.l = [tf.Variable(5.0, trainable=False)]
            self.d = {"k": tf.Variable(1)}

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])  # type: ignore[untyped-decorator]
        def __call__(self, x: Any) -> Any:
            return tf.tanh(x * self.w + self.c)

        @tf.function  # type: ignore[untyped-decorator]
        def g(self, x: Any, n: int = 2, *, flag: bool = True) -> Any:
            y = {"o": x * self.w**n, "p": (self.l[0],)}
            return y if flag else x

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])  # type: ignore[untyped-decorator]
        def loop(self, x: Any) -> Any:
            y = x
            for _ in tf.range(3):
                y = y * x
            if y > 1.0:
                y = y * self.l[0]
            return y

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])  # type: ignore[untyped-decorator]
        def add(self, x: Any) -> Any:
            self.w.assign_add(x)
            return self.w.read_value()

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])  # type: ignore[untyped-decorator]
        def custom(self, x: Any) -> Any:
            @tf.custom_gradient  # type: ignore[untyped-decorator]
            def tripled(x: Any) -> Any:
                def grad(dy: Any) -> Any:
                    return dy * 5.0 * x

                return x * 3.0, grad

            return tripled(x)

    made = Model()
    one = tf.constant([1.0, 1.0])
    made.g(one)
    made.g(one, 3)
    made.g(one, flag=False)
    return made


def write(tf: Any, folder: Path) -> None:
    """Checkpoints of objects and of names, and a model."""
    folder.mkdir(parents=True, exist_ok=True)
    made = model(tf)
    values = {d: tf.Variable(np.arange(6).reshape(2, 3).astype(d)) for d in DTYPES.split()}
    values["bfloat16"] = tf.Variable(tf.cast([1.5, -2.0], tf.bfloat16))
    values["string"] = tf.Variable(["a", "", "xyz" * 100])
    tf.train.Checkpoint(model=made, **values).save(str(folder / "objects"))
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("a/x", initializer=[1.0, 2.0])
        whole = np.arange(20, dtype=np.float32).reshape(10, 2)
        v1.get_variable("parts", [10, 2], partitioner=v1.fixed_size_partitioner(2))
        session.run(v1.global_variables_initializer())
        for part, value in zip(v1.global_variables()[1:], np.split(whole, 2), strict=True):
            session.run(part.assign(value))
        v1.train.Saver().save(session, str(folder / "names"), write_meta_graph=False)
    tf.saved_model.save(made, str(folder / "model"), signatures={"loop": made.loop})
    write_graphs(v1, folder)
    write_network(v1, folder, None if tf.__name__ == "tensorflow" else 8)


def write_graphs(v1: Any, folder: Path) -> None:
    """A graph that trains, with its variables; a model of version 1."""
    graph = v1.Graph()
    with graph.as_default(), v1.Session() as session:
        x = v1.placeholder("float32", [3, 2], name="x")
        w = v1.get_variable("w", initializer=[[1.0], [2.0]])
        b = v1.get_variable("b", initializer=[0.5])
        y = v1.add(v1.matmul(x, w), b, name="y")
        v1.add_to_collection("results", y)
        v1.add_to_collection("sizes", 3)
        step = v1.train.get_or_create_global_step()
        optimizer = v1.train.AdamOptimizer(0.125)
        optimizer.minimize(v1.reduce_mean(v1.square(y)), step, name="train")
        session.run(v1.global_variables_initializer())
        session.run("train", {x: np.ones([3, 2])})
        v1.train.Saver().save(session, str(folder / "graph"), global_step=1)
        shutil.rmtree(folder / "version_1", ignore_errors=True)
        v1.saved_model.simple_save(session, str(folder / "version_1"), {"x": x}, {"y": y})


def write_network(v1: Any, folder: Path, batch: int | None = None) -> None:
    """A convolutional network, a normalization that asks whether it trains, and momentum."""
    draw = np.random.RandomState(0)
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder("float32", [batch, 12, 12, 1], name="x")
        y = v1.placeholder("int64", [batch], name="y")
        trains = v1.placeholder("bool", [], name="trains")

        def filtered(x: Any, count: int, name: str) -> Any:
            depth = int(x.shape[-1])
            first = (draw.randn(3, 3, depth, count) * 0.3).astype(np.float32)
            w = v1.get_variable(f"{name}/w", initializer=first)
            b = v1.get_variable(f"{name}/b", initializer=np.zeros(count, np.float32))
            return v1.nn.relu(v1.nn.bias_add(v1.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"), b))

        h = v1.nn.max_pool2d(filtered(x, 4, "first"), 2, 2, "VALID")
        scale = v1.get_variable("scale", initializer=np.ones(4, np.float32))
        offset = v1.get_variable("offset", initializer=np.zeros(4, np.float32))
        zeros, ones = v1.zeros([4]), v1.ones([4])
        h = v1.cond(
            trains,
            lambda: v1.nn.fused_batch_norm(h, scale, offset)[0],
            lambda: v1.nn.fused_batch_norm(h, scale, offset, zeros, ones, is_training=False)[0],
        )
        h = v1.nn.avg_pool2d(filtered(h, 8, "second"), 2, 2, "SAME")
        first = (draw.randn(72, 3) * 0.1).astype(np.float32)
        w = v1.get_variable("w", initializer=first)
        logits = v1.matmul(v1.reshape(h, [-1, 72]), w)
        losses = v1.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        loss = v1.add(v1.reduce_mean(losses), 1e-3 * v1.nn.l2_loss(w), name="loss")
        step = v1.train.get_or_create_global_step()
        rate = v1.train.exponential_decay(0.05, step, 10, 0.9)
        v1.train.MomentumOptimizer(rate, 0.9).minimize(loss, step, name="train")
        v1.summary.scalar("loss", loss)
        v1.summary.merge_all(name="summaries")
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, str(folder / "network"))


def read_network(v1: Any, folder: Path) -> list[float]:
    """The losses of some steps of the network."""
    draw = np.random.RandomState(0)
    with v1.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(str(folder / "network.meta"))
        saver.restore(session, str(folder / "network"))
        fed = {"x:0": draw.rand(8, 12, 12, 1), "y:0": draw.randint(0, 3, 8), "trains:0": True}
        found = [float(session.run(["loss:0", "train"], fed)[0]) for _ in range(5)]
        summaries = session.run("summaries/summaries:0", fed)
        assert b"loss" in summaries
        return [*found, float(session.run("loss:0", {**fed, "trains:0": False}))]


def read_graphs(tf: Any, folder: Path) -> None:
    """Assert that the graph goes on training, and that the model is there in both versions."""
    v1, ones = tf.compat.v1, np.ones([3, 2], np.float32)
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(str(folder / "graph-1.meta"))
        saver.restore(session, str(folder / "graph-1"))
        assert [v.name for v in v1.trainable_variables()] == ["w:0", "b:0"]
        assert v1.get_collection("sizes") == [3]
        (y,) = v1.get_collection("results")
        assert np.allclose(session.run(y, {"x:0": ones}), 3.125)
        session.run("train", {"x:0": ones})
        assert np.allclose(session.run("y:0", {"x:0": ones}), 2.7517, atol=1e-4)
        assert session.run(v1.train.get_global_step()) == 2
        session.run(v1.global_variables_initializer())
        assert np.allclose(session.run(y, {"x:0": ones}), 3.5)
    with tf.Graph().as_default(), v1.Session() as session:
        meta = v1.saved_model.load(session, ["serve"], str(folder / "version_1"))
        names = meta.signature_def["serving_default"]
        fed = {names.inputs["x"].name: ones}
        assert np.allclose(session.run(names.outputs["y"].name, fed), 3.125)
    model = tf.saved_model.load(str(folder / "version_1"))
    with tf.GradientTape() as tape:
        y = model.signatures["serving_default"](x=tf.constant(ones))["y"]
    (w,) = [v for v in model.variables if v.name == "w:0"]
    assert np.allclose(tape.gradient(y, w), 3.0)


def read(tf: Any, folder: Path) -> None:
    """Assert that everything is there."""
    made = model(tf)
    made.w.assign([0.0, 0.0])
    values = {d: tf.Variable(np.zeros((2, 3), d)) for d in DTYPES.split()}
    values["bfloat16"] = tf.Variable(tf.cast([0.0, 0.0], tf.bfloat16))
    values["string"] = tf.Variable(["", "", ""])
    tf.train.Checkpoint(model=made, **values).restore(str(folder / "objects-1")).assert_consumed()
    assert made.w.numpy().tolist() == [1.0, 2.0]
    for name in DTYPES.split():
        assert np.array_equal(values[name].numpy(), np.arange(6).reshape(2, 3).astype(name)), name
    assert values["bfloat16"].numpy().tolist() == [1.5, -2.0]
    assert values["string"].numpy().tolist() == [b"a", b"", b"xyz" * 100]
    assert tf.train.load_variable(str(folder / "names"), "parts").sum() == 190.0
    loaded = tf.saved_model.load(str(folder / "model"))
    check_model(tf, loaded)
    read_graphs(tf, folder)


def check_model(tf: Any, loaded: Any) -> None:
    """Assert that a loaded model gives the values and gradients of the one that was saved."""
    z, x, one = tf.constant(2.0), tf.constant([[0.1, 0.2]]), tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        y = loaded(x)
    expected = np.tanh(np.array([[3.1, 4.4]]))
    assert np.allclose(y, expected, atol=1e-6)
    assert np.allclose(tape.gradient(y, loaded.w), (1 - expected[0] ** 2) * [0.1, 0.2], atol=1e-6)
    assert loaded.g(one)["o"].numpy().tolist() == [1.0, 4.0]
    assert loaded.g(one, 3)["o"].numpy().tolist() == [1.0, 8.0]
    assert loaded.g(one, flag=False).numpy().tolist() == [1.0, 1.0]
    for function, value, slope, second in (
        (loaded.loop, 80.0, 160.0, 240.0),
        (loaded.custom, 6.0, 10.0, 5.0),
    ):
        with tf.GradientTape() as outer:
            outer.watch(z)
            with tf.GradientTape() as tape:
                tape.watch(z)
                y = function(z)
            first = tape.gradient(y, z)
        assert (float(y), float(first)) == (value, slope)
        assert float(outer.gradient(first, z)) == second
    assert loaded.signatures["loop"](x=z)["output_0"].numpy() == 80.0
    assert loaded.add(one).numpy().tolist() == [2.0, 3.0]
    assert not loaded.l[0].trainable


def main() -> None:
    """Write or read."""
    what, folder = sys.argv[1], Path(sys.argv[2])
    if what == "ours":
        write(importlib.import_module("wengert"), folder)
    elif what == "write":
        write(importlib.import_module("tensorflow"), folder)
        shutil.rmtree(folder / "model" / "assets", ignore_errors=True)
        (folder / "model" / "fingerprint.pb").unlink(missing_ok=True)
        v1 = importlib.import_module("tensorflow").compat.v1
        (folder / "network.json").write_text(json.dumps(read_network(v1, folder)) + "\n", "utf-8")
    else:
        read(importlib.import_module("tensorflow"), folder)


if __name__ == "__main__":
    main()
