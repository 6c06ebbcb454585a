"""What optimizers, layers and initializers of programs import from TensorFlow's inside.

The numbers and names are TensorFlow 2.21's.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def redirected() -> Iterator[None]:
    tf.compat.install()
    yield
    tf.compat.uninstall()


def internal(module: str) -> Any:
    return importlib.import_module(f"tensorflow.python.{module}")


# ---- moving averages --------------------------------------------------------------------------

WITHOUT_BIAS = [[1.0, 2.0], [1.0, 2.526315], [1.0, 3.070110]]
BIASED = [[0.1, 0.2], [0.19, 0.48], [0.271, 0.832]]


@pytest.mark.parametrize(("zero_debias", "wanted"), [(True, WITHOUT_BIAS), (False, BIASED)])
def test_moving_average_in_a_graph(zero_debias: bool, wanted: list[list[float]]) -> None:
    move = internal("training.moving_averages").assign_moving_average
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("s"):
            v = v1.get_variable("v", [2], initializer=v1.zeros_initializer())
            x = v1.placeholder(tf.float32, [2])
            moved = move(v, x, 0.9, zero_debias=zero_debias)
        session.run(v1.global_variables_initializer())
        found = [session.run(moved, {x: [1.0, k]}) for k in (2.0, 3.0, 4.0)]
        assert v1.trainable_variables() == [v]
        names = [w.name for w in v1.global_variables()]
    np.testing.assert_allclose(found, wanted, 1e-5)
    kept = ["s/s/v/biased:0", "s/s/v/local_step:0"] if zero_debias else []
    assert names == ["s/v:0", *kept]


def test_averages_of_one_variable() -> None:
    """Each keeps its own sum, unless the scope is used again."""
    move = internal("training.moving_averages").assign_moving_average
    with tf.Graph().as_default():
        v = v1.get_variable("v", [2])
        move(v, [1.0, 1.0], 0.9)
        move(v, [1.0, 1.0], 0.9)
        assert [w.name for w in v1.global_variables()][3:] == ["v/biased_1:0", "v/local_step_1:0"]
        with v1.variable_scope("again", reuse=v1.AUTO_REUSE):
            move(v, [1.0, 1.0], 0.9)
            count = len(v1.global_variables())
            move(v, [1.0, 1.0], 0.9)
        assert len(v1.global_variables()) == count


@pytest.mark.parametrize(("zero_debias", "wanted"), [(True, [1.0, 4.0]), (False, BIASED[2])])
def test_moving_average_at_once(zero_debias: bool, wanted: list[float]) -> None:
    move = internal("training.moving_averages").assign_moving_average
    v = tf.Variable([0.0, 0.0])
    for k in (2.0, 3.0, 4.0):
        move(v, tf.constant([1.0, k]), 0.9, zero_debias=zero_debias)
    np.testing.assert_allclose(v, wanted, 1e-6)


# ---- optimizers -------------------------------------------------------------------------------


def test_slots() -> None:
    """Named after the variable that they are kept for, and not trained."""
    slots = internal("training.slot_creator")
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("m"):
            v = v1.get_variable("v", initializer=tf.constant([1.0, 2.0]))
        first = slots.create_slot(v, v.initialized_value() * 2.0, "a")
        zeros = slots.create_zeros_slot(v, "b")
        doubles = slots.create_zeros_slot(v, "b", dtype=tf.float64)
        ones = slots.create_slot_with_initializer(
            v, v1.ones_initializer(), tf.TensorShape([3]), tf.float32, "c"
        )
        beside = slots.create_slot(tf.constant([1.0], name="con"), tf.constant([3.0]), "d")
        open_ = tf.Variable(v1.placeholder_with_default([1.0, 2.0, 3.0], [None]), name="u", shape=[None])  # fmt: skip
        as_long = slots.create_zeros_slot(open_, "f")
        session.run(v1.global_variables_initializer())
        made = [first, zeros, doubles, ones, beside, as_long]
        assert [s.name for s in made] == ["m/v/a:0", "m/v/b:0", "m/v/b_1:0", "m/v/c:0", "con/d:0", "u/f:0"]  # fmt: skip
        assert [session.run(s).tolist() for s in made] == [[2, 4], [0, 0], [0, 0], [1, 1, 1], [3], [0, 0, 0]]  # fmt: skip
        assert doubles.dtype == tf.float64
        assert v1.trainable_variables() == [v, open_]


def test_rows_as_one() -> None:
    merge = internal("training.optimizer")._deduplicate_indexed_slices
    values, indices = merge(tf.constant([[1.0], [2.0], [4.0]]), tf.constant([3, 1, 3]))
    assert values.numpy().tolist() == [[5.0], [2.0]]
    assert indices.numpy().tolist() == [3, 1]


def test_keys_of_variables() -> None:
    key = internal("training.optimizer")._var_key
    with tf.Graph().as_default() as graph:
        assert key(tf.Variable(1.0, name="q")) == (graph, "q")
    v, w = tf.Variable(1.0, name="q"), tf.Variable(1.0, name="q")
    assert key(v) == key(v) != key(w)


# ---- initializers -----------------------------------------------------------------------------


def test_an_initializer_of_ones_own() -> None:
    init_ops = internal("ops.init_ops")

    class Threes(init_ops.Initializer):  # type: ignore[misc,name-defined]
        def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return 3.0 * tf.ones(shape, dtype)

    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", [2], initializer=Threes())
        session.run(v.initializer)
        assert session.run(v).tolist() == [3.0, 3.0]
    assert isinstance(v1.zeros_initializer(), init_ops.Initializer)
    assert init_ops._compute_fans([3, 3, 4, 5]) == (36, 45)
    assert init_ops._compute_fans([]) == (1, 1)
    assert init_ops._assert_float_dtype(tf.float32) == tf.float32
    with pytest.raises(ValueError, match="float"):
        init_ops._assert_float_dtype(tf.int32)


# ---- programs and saved models ----------------------------------------------------------------


def test_flags_and_start(capsys: pytest.CaptureFixture[str]) -> None:
    absl = importlib.import_module("absl.flags")
    flags, app = internal("platform.flags"), internal("platform.app")
    flags.DEFINE_string("of_internal_training", "a", "a test's")
    assert flags.FLAGS is absl.FLAGS
    with pytest.raises(SystemExit):
        app.run(lambda argv: print(argv[1:], flags.FLAGS.of_internal_training),
                ["program", "--of_internal_training=b", "c"])  # fmt: skip
    assert capsys.readouterr().out == "['c'] b\n"


def test_constants_of_saved_models() -> None:
    signatures = internal("saved_model.signature_constants")
    assert signatures.DEFAULT_SERVING_SIGNATURE_DEF_KEY == "serving_default"
    assert signatures.PREDICT_METHOD_NAME == "tensorflow/serving/predict"
    tags = internal("saved_model.tag_constants")
    assert [tags.SERVING, tags.TRAINING, tags.GPU, tags.TPU] == ["serve", "train", "gpu", "tpu"]


def test_variables_as_constants() -> None:
    convert = internal("framework.graph_util").convert_variables_to_constants
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v = tf.Variable(2.0)
        tf.multiply(v, 3.0, name="y")
        session.run(v.initializer)
        assert "VarHandleOp" not in [n.op for n in convert(session, graph.as_graph_def(), ["y"]).node]  # fmt: skip


# ---- evaluation -------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [lambda op: op, lambda op: [op], lambda op: {"add": op}])
def test_a_model_is_evaluated_until_a_hook_stops_it(form: Any, tmp_path: Path) -> None:
    """Metrics are counted up as often as the hook says, and read at the end."""
    evaluation = internal("training.evaluation")
    with tf.Graph().as_default():
        weight = v1.get_variable("weight", initializer=2.0)
        with v1.Session() as session:
            session.run(weight.assign(3.0))
            path = v1.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default():
        weight = v1.get_variable("weight", initializer=2.0)
        total = v1.get_variable("total", initializer=0.0, collections=["local_variables"])
        x = v1.placeholder(tf.float32, [])
        value = evaluation._evaluate_once(
            path,
            eval_ops=form(total.assign_add(weight * x)),
            feed_dict={x: 2.0},
            final_ops=[total, evaluation._get_or_create_eval_step()],
            hooks=[evaluation._StopAfterNEvalsHook(4)],
        )
        assert value == [24.0, 4]
        assert evaluation._evaluate_once(path, final_ops=weight) == 3.0


def test_shapes_of_states() -> None:
    """A batch, known or not, before the sizes of a state."""
    joined = internal("ops.rnn_cell_impl")._concat
    assert joined(tf.constant(3), tf.TensorShape([4, 5])).numpy().tolist() == [3, 4, 5]
    assert joined(3, tf.constant([4]), static=True) == [3, 4]
    with tf.Graph().as_default():
        batch = tf.shape(v1.placeholder(tf.float32, [None, 4]))[0]
        assert joined(batch, 4).shape == [2]
        assert joined(batch, 4, static=True) == [None, 4]


def test_last_axes_of_size_1() -> None:
    """They go from what has more axes than the predictions, which is told by values where ranks are not known."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, None)
        _, mean = v1.metrics.mean_squared_error(tf.ones([4]), x, weights=x)
        for fed in ([0.0, 1.0, 2.0, 1.0], [[0.0], [1.0], [2.0], [1.0]]):
            session.run(v1.local_variables_initializer())
            assert session.run(mean, {x: fed}) == 0.5


def test_metrics_of_sparse_labels() -> None:
    labels = v1.SparseTensorValue(np.array([[0, 0], [1, 0]]), np.array([2, 0]), [2, 1])
    with tf.Graph().as_default(), v1.Session() as session:
        _, found = v1.metrics.recall_at_k(
            labels, tf.constant([[0.1, 0.2, 0.7], [0.2, 0.7, 0.1]]), 1
        )
        session.run(v1.local_variables_initializer())
        assert session.run(found) == 0.5


def test_layers_whose_variables_are_their_own() -> None:
    """As the reversible blocks of TF-Slim note theirs."""

    class Scaled(v1.layers.Layer):
        def build(self, _: Any) -> None:
            self.scale = v1.get_variable("scale", initializer=2.0)
            self._trainable_weights.append(self.scale)
            self._non_trainable_weights.append(v1.get_variable("count", [], trainable=False))

        def call(self, x: Any) -> Any:
            return self.scale * x

    with tf.Graph().as_default():
        layer = Scaled()
        layer.apply(tf.ones([1]))
        assert [v.name for v in layer.trainable_weights] == ["scaled/scale:0"]
        assert [v.name for v in layer.non_trainable_weights] == ["scaled/count:0"]


def test_no_shards() -> None:
    """A program that asks how many TPUs share its work runs without one."""
    assert internal("tpu.tpu_function").get_tpu_context().number_of_shards is None
