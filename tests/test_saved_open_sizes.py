"""Functions that compute gradients at sizes that are not known, saved and loaded, and saved again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf

Program = Callable[..., Any]
ROWS, ANY, LINE = (tf.TensorSpec(shape) for shape in ([None, 3], [None, None], [None]))
IMAGES = tf.TensorSpec([None, 8, 8, 2])


def gradients(f: Program) -> Program:
    def both(*xs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = f(*xs)
        return [y, *tape.gradient(y, xs, unconnected_gradients="zero")]

    return both


def second(f: Program) -> Program:
    return lambda *xs: gradients(lambda *ys: gradients(f)(*ys)[1] ** 2)(*xs)


PROGRAMS: dict[str, tuple[Program, list[Any]]] = {
    "reshape": (lambda x: tf.reshape(x, [-1]) ** 2, [ROWS]),
    "mean": (lambda x: tf.reduce_mean(x**2), [ROWS]),
    "extreme": (lambda x: x * tf.reduce_max(x, 1, keepdims=True), [ANY]),
    "joined": (lambda x: tf.concat([x, x * 2.0], 0)[1:] ** 2, [ROWS]),
    "broadcast": (lambda x, b: tf.tanh(x * b), [ANY, LINE]),
    "softmax": (lambda x: tf.nn.softmax(x)[:, 0], [ANY]),
    "padded": (lambda x: tf.pad(x, [[1, 0], [0, 1]]) ** 2, [ANY]),
    "deviation": (lambda x: (x - tf.reduce_mean(x, 0)) / tf.math.reduce_std(x, 0), [ROWS]),
    "moments": (
        lambda x: tf.nn.batch_normalization(x, *tf.nn.moments(x, [0]), None, None, 1e-3), [ROWS]
    ),
    "einsum": (lambda x: tf.reduce_sum(tf.einsum("ab,bc->ac", x, tf.ones([3, 5]))), [ROWS]),
    "any rank": (lambda x: tf.reduce_sum(x**2, -1), [tf.TensorSpec(None)]),
    "segments": (lambda x: tf.math.segment_sum(x, [0, 0, 1, 1]) ** 2, [ROWS]),
    "the largest": (lambda x: tf.math.top_k(x, 2)[0], [ROWS]),
    "sliced": (lambda x: tf.slice(x * x, [0, 0], [tf.shape(x)[0] - 1, 1]), [ANY]),
    "part": (lambda x: x[: tf.shape(x)[0] // 2, ::-1] ** 3, [ROWS]),
    "windows": (
        lambda x: tf.nn.max_pool2d(tf.nn.conv2d(x, tf.ones([3, 3, 2, 4]), 1, "SAME"), 2, 2, "SAME"),
        [IMAGES],
    ),
}  # fmt: skip
ORDERS = {"first": gradients, "second": second}


def given(spec: Any) -> Any:
    shape = [4, 3] if spec.shape.rank is None else [4, 3] if spec is ANY else list(spec.shape)
    if spec is LINE:
        shape = [3]
    draw = np.random.default_rng(3)
    return tf.constant(draw.normal(size=[4 if n is None else n for n in shape]).astype("f4"))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_saved_and_loaded_and_saved_again(name: str, order: str, tmp_path: Path) -> None:
    program, specs = PROGRAMS[name]
    model: Any = tf.Module()
    model.f = tf.function(ORDERS[order](program), input_signature=specs)
    xs = [given(spec) for spec in specs]
    wanted = tf.nest.flatten(model.f(*xs))
    for time in range(2):
        tf.saved_model.save(model, str(tmp_path / str(time)))
        model = tf.saved_model.load(str(tmp_path / str(time)))
        for found, y in zip(tf.nest.flatten(model.f(*xs)), wanted, strict=True):
            np.testing.assert_allclose(found, y, rtol=1e-5, atol=1e-5)


def test_a_sum_is_not_written_as_a_reshape() -> None:
    """A call that is put off has the name of its last operation; it is written as what it is."""
    f = tf.function(gradients(lambda x: x * tf.reduce_max(x, 1, keepdims=True)), [ANY])
    graph_def = f.get_concrete_function().graph.as_graph_def()
    reshapes = [n for n in graph_def.node if n.op == "Reshape" and "_wengert_call" not in n.attr]
    assert reshapes == []


def test_variables_of_one_name_are_not_exchanged(tmp_path: Path) -> None:
    """What was captured by an attempt to make a call now keeps its name when it is put off."""
    model: Any = tf.Module()
    model.a, model.b = tf.Variable([1.0, 2.0]), tf.Variable([10.0, 20.0])
    model.f = tf.function(
        lambda x: tf.broadcast_to(model.a, tf.shape(x)) - model.b,
        input_signature=[tf.TensorSpec([None, 2])],
    )
    names = [op.name for op in model.f.get_concrete_function().graph.get_operations()]
    assert len(names) == len(set(names))
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    np.testing.assert_array_equal(loaded.f(tf.ones([2, 2])), [[-9.0, -18.0]] * 2)


def test_loops_and_ragged_tensors_at_open_sizes(tmp_path: Path) -> None:
    """A loop that a tape has run keeps what its gradient needs; that is not written, as nothing uses it."""
    model: Any = tf.Module()
    model.loop = tf.function(
        lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1], [ROWS]
    )
    model.ragged = tf.function(
        lambda x: tf.RaggedTensor.from_tensor(x, lengths=tf.range(tf.shape(x)[0])).to_tensor(),
        [ANY],
    )
    model.values = tf.function(
        lambda x: tf.RaggedTensor.from_tensor(x, lengths=tf.range(tf.shape(x)[0])).values, [ANY]
    )
    model.custom = tf.function(
        lambda x: doubled(x) * 2.0, input_signature=[tf.TensorSpec(None, tf.float32)]
    )
    x = given(ROWS)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = model.loop(x)
    slope = tape.gradient(y, x)
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = loaded.loop(x)
    np.testing.assert_allclose(found, y, rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(found, x), slope, rtol=1e-6)
    for name in ("ragged", "values", "custom"):
        np.testing.assert_allclose(getattr(loaded, name)(x), getattr(model, name)(x), rtol=1e-6)


@tf.custom_gradient
def doubled(x: Any) -> Any:
    return tf.sin(x), lambda g: g * 2.0


def test_defaults_and_names_of_arguments_are_saved_again(tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.f = tf.function(lambda x, k=2: x**k)
    x = tf.constant([1.0, 2.0, 3.0])
    calls: list[Callable[[Any], Any]] = [lambda f: f(x), lambda f: f(x, 3), lambda f: f(x, k=4)]
    wanted = [call(model.f).numpy() for call in calls]
    for time in range(2):
        tf.saved_model.save(model, str(tmp_path / str(time)))
        model = tf.saved_model.load(str(tmp_path / str(time)))
        np.testing.assert_array_equal([call(model.f) for call in calls], wanted)


# What depends on sizes that are not known, in forms that TensorFlow reads: it takes them as tensors.
OF_SIZES: dict[str, Program] = {
    "a row": lambda x: x[-1],
    "rows": lambda x: x[1:3, ::2],
    "the first half": lambda x: x[: tf.shape(x)[0] // 2],
    "the last but one": lambda x: x[tf.shape(x)[0] - 2],
    "at a place that is computed": lambda x: x[tf.argmax(x[:, 0])],
    "other keys": lambda x: x[..., tf.newaxis, 0] + x[::-1, tf.newaxis, 1],
    "ones": lambda x: tf.ones([tf.shape(x)[0], 2]),
    "zeros": lambda x: tf.zeros([2, tf.shape(x)[0]], tf.int32),
    "filled": lambda x: tf.fill(tf.shape(x), 2.0),
    "numbered": lambda x: x + tf.range(tf.cast(tf.shape(x)[0], tf.float32))[:, None],
    "a range": lambda x: tf.range(1, tf.shape(x)[0], 2),
    "broadcast": lambda x: tf.broadcast_to(x[:1], tf.shape(x)),
    "a slice": lambda x: tf.slice(x, [0, 0], [tf.shape(x)[0] - 1, 1]),
    "reshaped": lambda x: tf.reshape(x, [tf.shape(x)[0], 3, 1]) + tf.reshape(x, [-1, 3, 1]),
    "tiled": lambda x: tf.tile(x[:1], [tf.shape(x)[0], 1]),
    "padded": lambda x: tf.pad(x, [[1, tf.shape(x)[0]], [0, 0]]),
    "split": lambda x: tf.split(x, [1, -1], 0)[1],
    "halves": lambda x: tf.split(x, 2, 0)[0],
    "losses": lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.argmax(x, 1), x),
    "repeated": lambda x: tf.linalg.band_part(tf.ones([tf.shape(x)[0]] * 2), -1, 0) @ x,
}  # fmt: skip


@pytest.mark.parametrize("name", OF_SIZES)
def test_sizes_are_computed_by_operations_of_tensorflow(name: str, tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.f = tf.function(OF_SIZES[name], input_signature=[ROWS])
    tf.saved_model.save(model, str(tmp_path))
    assert b"wengert" not in (tmp_path / "saved_model.pb").read_bytes()
    loaded = tf.saved_model.load(str(tmp_path))
    for rows in (4, 6):
        x = tf.constant(np.random.default_rng(rows).normal(size=(rows, 3)).astype("f4"))
        np.testing.assert_allclose(loaded.f(x), model.f(x), rtol=1e-6)


def test_a_call_that_waits_for_sizes_is_where_it_was_put() -> None:
    """Its node has the device, like any other."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        with tf.device("/CPU:0"):
            first, flat = tf.identity(x[0], name="first"), tf.reshape(x, [-1], name="flat")
    nodes = {node.name: node for node in graph.as_graph_def().node}
    assert nodes[first.op.name].device == nodes[flat.op.name].device != ""
