"""Variables in parts, creators of variables, stores of eager mode, scopes of threads: as TensorFlow's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.api.variables.eager_store import EagerVariableStore
from wengert.api.variables.partitioned_variable import PartitionedVariable, PartitionInfo

v1 = tf.compat.v1
THREE = v1.fixed_size_partitioner(3)


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as g:
        yield g


def test_names_shapes_and_the_whole(graph: Any) -> None:
    """The first parts are larger where sizes do not divide; the whole has the name."""
    with v1.variable_scope("s", partitioner=THREE):
        w = v1.get_variable("w", [7, 2])
        assert not isinstance(v1.get_variable("scalar", []), PartitionedVariable)
    assert (w.name, w.shape, len(w), w._get_partitions()) == ("s/w", [7, 2], 3, [3, 1])
    assert [v.name for v in w] == [f"s/w/part_{i}:0" for i in range(3)]
    assert [v.shape.as_list() for v in w] == [[3, 2], [2, 2], [2, 2]]
    assert w.as_tensor().name == "s/w:0"
    assert v1.trainable_variables()[:3] == list(w)


def test_values_assignments_and_gradients(graph: Any) -> None:
    """Parts of an initial value; what is assigned is cut; operations take the whole."""
    value = np.arange(14.0, dtype=np.float32).reshape(7, 2)
    w = v1.get_variable("w", initializer=tf.constant(value), partitioner=THREE)
    y = tf.reduce_sum(tf.matmul(w, [[1.0], [2.0]]) ** 2)
    gradients = v1.gradients(y, list(w))
    changed = [w.assign(value + 1), w.assign_add(value), w.assign_sub(2 * value)]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        np.testing.assert_array_equal(session.run(w.as_tensor()), value)
        sums = value @ [[1.0], [2.0]]
        np.testing.assert_allclose(
            np.concatenate(session.run(gradients)), 2 * sums * [[1.0, 2.0]], rtol=1e-6
        )
        for change, wanted in zip(changed, (value + 1, 2 * value + 1, 1 + 0 * value), strict=True):
            session.run(change)
            np.testing.assert_array_equal(session.run(w.as_tensor()), wanted)


def test_reuse(graph: Any) -> None:
    """Found again with the same partitions, or with none said."""
    with v1.variable_scope("s", partitioner=THREE):
        w = v1.get_variable("w", [7, 2])
        with pytest.raises(ValueError, match="Partitioned variable with name s/w already exists"):
            v1.get_variable("w", [7, 2])
    with v1.variable_scope("s", reuse=True):
        assert v1.get_variable("w", [7, 2]) is w
        assert v1.get_variable("w/part_0") is next(iter(w))
        with pytest.raises(ValueError, match=r"specified partitions \[2, 1\] and found partit"):
            v1.get_variable("w", [7, 2], partitioner=v1.fixed_size_partitioner(2))
        with pytest.raises(ValueError, match="specified shape"):
            v1.get_variable("w", [6, 2])
    with v1.variable_scope("s"), pytest.raises(ValueError, match="No partitioner was provided"):
        v1.get_variable("w", [7, 2])


@pytest.mark.parametrize(
    ("partitioner", "told"),
    [
        (lambda shape, dtype: [2, 2], "Can only slice a variable along one dimension"),
        (lambda shape, dtype: [2], "does not match the Variable's rank"),
        (lambda shape, dtype: [0, 1], "zero partitions for some axes"),
        (lambda shape, dtype: 2, "must return a sequence"),
        (3, "Partitioner must be callable"),
    ],
)
def test_wrong_partitioners(graph: Any, partitioner: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        v1.get_variable("w", [4, 4], partitioner=partitioner)


@pytest.mark.parametrize(
    ("partitioner", "shape", "wanted"),
    [
        (v1.fixed_size_partitioner(6), [4, 4], [4, 1]),
        (v1.fixed_size_partitioner(2, axis=1), [4, 4], [1, 2]),
        (v1.variable_axis_size_partitioner(32), [6, 4], [3, 1]),
        (v1.variable_axis_size_partitioner(8, axis=1, max_shards=3), [6, 40], [1, 3]),
        (v1.min_max_variable_partitioner(4, min_slice_size=48), [6, 4], [2, 1]),
        (v1.min_max_variable_partitioner(100, axis=1), [600, 40000], [1, 100]),
    ],
)
def test_partitioners(partitioner: Callable[..., Any], shape: list[int], wanted: list[int]) -> None:
    assert partitioner(tf.TensorShape(shape), tf.float32) == wanted
    assert partitioner(shape=tf.TensorShape(shape), dtype=tf.float32) == wanted


def test_create_partitioned_variables(graph: Any) -> None:
    """An initializer is told which part it is asked for."""
    told = []

    def initializer(shape: Any, dtype: Any, partition_info: PartitionInfo) -> Any:
        told.append((list(shape), partition_info.full_shape, partition_info.var_offset))
        assert partition_info.single_slice_dim(shape) == 1
        return tf.zeros(shape, dtype)

    parts = v1.create_partitioned_variables([4, 2], [1, 2], initializer, name="parts")
    assert [v.name for v in parts] == ["parts/part_0:0", "parts/part_1:0"]
    assert told == [([4, 1], [4, 2], [0, 0]), ([4, 1], [4, 2], [0, 1])]


def test_regularized_parts(graph: Any) -> None:
    v1.get_variable("w", [4, 2], partitioner=THREE, regularizer=tf.nn.l2_loss)
    assert len(v1.losses.get_regularization_losses()) == 3


@pytest.mark.parametrize("in_graph", [False, True])
def test_creators(in_graph: bool) -> None:
    """The inner one is asked last, and what it passes on goes to the outer one first made."""
    order = []

    def creator(mark: str) -> Callable[..., Any]:
        def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
            order.append((mark, kwargs["name"], kwargs["trainable"]))
            return next_creator(**{**kwargs, "trainable": False})

        return create

    def make() -> Any:
        with tf.variable_creator_scope(creator("outer")), tf.variable_creator_scope(creator("in")):
            return v1.Variable(1.0, name="v")

    if in_graph:
        with tf.Graph().as_default():
            made = make()
    else:
        made = make()
    assert order == [("in", "v", None), ("outer", "v", False)]
    assert not made.trainable
    assert v1.Variable(1.0).trainable


def test_an_eager_store() -> None:
    """Its variables are found again while it is in use, and copied with their values."""
    store = EagerVariableStore()
    with store.as_default():
        a = v1.get_variable("a", [2])
        b = v1.get_variable("b", [2], trainable=False)
        assert v1.get_variable("a", [2]) is a
    assert v1.get_variable("a", [2]) is not a
    assert store.variables() == [a, b]
    assert (store.trainable_variables(), store.non_trainable_variables()) == ([a], [b])
    copied = store.copy().variables()
    assert copied[0] is not a
    np.testing.assert_array_equal(copied[0].numpy(), a.numpy())


def test_each_thread_begins_at_the_root(graph: Any) -> None:
    """What one thread has entered is not for the variables of another; a scope can be handed over."""
    names = []

    def work(scope: Any) -> None:
        with graph.as_default():
            with v1.variable_scope("own"):
                names.append(v1.get_variable("w", [1]).name)
            with v1.variable_scope(scope):
                names.append(v1.get_variable("w", [1]).name)

    with v1.variable_scope("main") as scope:
        thread = threading.Thread(target=work, args=(scope,))
        thread.start()
        thread.join(20)
        assert v1.get_variable_scope() is scope
    assert names == ["own/w:0", "main/w:0"]


def test_threads_that_wait_within_scopes(graph: Any) -> None:
    """Two are in a scope of the same name at once, and leave it in the other order."""
    both, names = threading.Barrier(2, timeout=20), []

    def work() -> None:
        with graph.as_default(), v1.variable_scope("s", reuse=v1.AUTO_REUSE):
            both.wait()
            with v1.variable_scope(None, "inner"):
                names.append(v1.get_variable_scope().name)
                both.wait()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert names == ["s/inner", "s/inner"]
