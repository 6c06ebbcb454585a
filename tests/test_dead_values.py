"""Switch and Merge: what is on the way that was not taken is neither computed nor fetched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.compat.internals.ops import control_flow_ops

v1 = tf.compat.v1


@pytest.fixture
def session() -> Iterator[Any]:
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def ways(data: Any, pred: Any) -> tuple[Any, Any]:
    off, on = control_flow_ops.switch(data, pred)
    return off, on


def test_a_merge_has_the_value_of_the_way_that_was_taken(session: Any) -> None:
    pred = v1.placeholder(tf.bool, [])
    off, on = ways(tf.constant(3.0), pred)
    merged, which = control_flow_ops.merge([off * 2.0, on * 10.0])
    assert [op.type for op in (off.op, merged.op)] == ["Switch", "Merge"]
    assert merged.shape == []
    assert session.run([merged, which], {pred: True}) == [30.0, 1]
    assert session.run([merged, which], {pred: False}) == [6.0, 0]


def test_its_gradient_goes_the_same_way(session: Any) -> None:
    pred, x = v1.placeholder(tf.bool, []), tf.constant(3.0)
    off, on = ways(x, pred)
    merged = control_flow_ops.merge([off * off, tf.sin(on)])[0]
    (first,) = tf.gradients(merged * x, x)
    (second,) = tf.gradients(first, x)
    sine = [np.sin(3.0) + 3.0 * np.cos(3.0), 2.0 * np.cos(3.0) - 3.0 * np.sin(3.0)]
    assert np.allclose(session.run([first, second], {pred: True}), sine)
    assert np.allclose(session.run([first, second], {pred: False}), [27.0, 18.0])


def test_what_is_dead_is_not_run_and_not_fetched(session: Any) -> None:
    variable = v1.get_variable("v", initializer=1.0)
    session.run(variable.initializer)
    off, on = ways(tf.constant([1.0, 2.0]), tf.constant(True))
    dead = v1.assign_add(variable, tf.reduce_sum(off))
    with tf.control_dependencies([dead]):
        behind = tf.constant(1.0) + 1.0
    for fetch in (off, tf.identity(off), dead, behind):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"Retval\[0\] does not have value"
        ):
            session.run(fetch)
    assert session.run(off.op) is None
    assert session.run(on).tolist() == [1.0, 2.0]
    assert session.run(variable) == 1.0


def test_a_failure_on_the_other_way_does_not_happen(session: Any) -> None:
    pred = v1.placeholder(tf.bool, [])
    off, on = ways(tf.constant([1, 2]), pred)
    merged = control_flow_ops.merge([tf.gather(off, 7), on[0]])[0]
    assert session.run(merged, {pred: True}) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Gather.*made at|node Gather"):
        session.run(merged, {pred: False})


def test_sizes_that_both_ways_share_are_known(session: Any) -> None:
    off, on = ways(tf.zeros([2, 3]), v1.placeholder(tf.bool, []))
    assert control_flow_ops.merge([off, on[:, :2]])[0].shape.as_list() == [2, None]
    assert control_flow_ops.merge([off, on[0]])[0].shape.rank is None


def test_values_made_of_tensors_go_as_one(session: Any) -> None:
    pred = v1.placeholder(tf.bool, [])
    rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 3]), tf.constant([4, 1]))
    off, on = ways(rows, pred)
    merged = control_flow_ops.merge([off, on])[0]
    assert isinstance(merged, tf.IndexedSlices)
    assert session.run(merged.indices, {pred: False}).tolist() == [0, 3]


def test_within_functions_and_outside_of_graphs() -> None:
    @tf.function
    def f(x: Any, pred: Any) -> Any:
        off, on = tf.raw_ops.Switch(data=x, pred=pred)
        return tf.raw_ops.Merge(inputs=[off * 2.0, on * 3.0])

    x = tf.constant(2.0)
    for pred, value in ((True, 6.0), (False, 4.0)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(pred))
        assert (y.output.numpy(), y.value_index.numpy()) == (value, int(pred))
        assert tape.gradient(y.output, x).numpy() == value / 2.0
    off, on = tf.raw_ops.Switch(data=x, pred=True)
    assert off.shape == [0]
    assert on.numpy() == 2.0


def test_mistakes() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="boolean scalar"):
        tf.raw_ops.Switch(data=1.0, pred=[True, False])
    with pytest.raises(ValueError, match="At least one of the merge inputs is None"):
        tf.raw_ops.Merge(inputs=[tf.constant(1.0), None])
