"""IndexedSlices: a gradient that is zero outside a few rows."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import wengert as tf


def example(**changes: Any) -> Any:
    parts = {
        "values": tf.constant([[1.0], [2.0]]),
        "indices": tf.constant([0, 2]),
        "dense_shape": [3, 1],
    }
    return tf.IndexedSlices(**{**parts, **changes})


def dense(values: Any, indices: Any, shape: Any) -> Any:
    """The tensor that the rows stand for."""
    out = np.zeros(shape, values.dtype)
    np.add.at(out, indices, values)
    return out


@st.composite
def rows(draw: Any) -> Any:
    """Values, indices, which may repeat, and the shape of the whole."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=4))
    indices = draw(
        hnp.arrays(np.int64, draw(st.integers(0, 5)), elements=st.integers(0, shape[0] - 1))
    )
    values = draw(hnp.arrays(np.float64, (len(indices), *shape[1:]), elements=st.integers(-9, 9)))
    return values, indices, shape


# ---- what it is -------------------------------------------------------------------------------


def test_slices_have_parts() -> None:
    """values, indices, dense_shape, and what follows from them."""
    s = example()
    assert (s.values.numpy().tolist(), s.indices.numpy().tolist()) == ([[1.0], [2.0]], [0, 2])
    assert (s.dense_shape.numpy().tolist(), s.shape, s.dtype) == ([3, 1], (3, 1), tf.float32)
    assert s.device == s.values.device


def test_parts_are_converted() -> None:
    """Lists, arrays and tensors are taken."""
    s = tf.IndexedSlices([[1.0]], np.array([1]), tf.constant([3, 1]))
    assert isinstance(s.values, tf.Tensor)
    assert isinstance(s.indices, tf.Tensor)
    assert s.shape == (3, 1)


def test_the_shape_may_be_unknown() -> None:
    """Without dense_shape the rows stand in a tensor of unknown shape."""
    s = example(dense_shape=None)
    assert (s.dense_shape, s.shape.rank) == (None, None)


def test_slices_as_text() -> None:
    """The parts, as TensorFlow shows them."""
    text = (
        "IndexedSlices(indices=tf.Tensor([0], shape=(1,), dtype=int32), "
        "values=tf.Tensor([1.], shape=(1,), dtype=float32)"
    )
    assert str(tf.IndexedSlices([1.0], [0])) == f"{text})"
    shape = "dense_shape=tf.Tensor([3], shape=(1,), dtype=int32)"
    assert repr(tf.IndexedSlices([1.0], [0], [3])) == f"{text}, {shape})"


def test_slices_survive_pickling() -> None:
    """All parts come back."""
    back = pickle.loads(pickle.dumps(example()))
    np.testing.assert_array_equal(tf.convert_to_tensor(back).numpy(), [[1.0], [0.0], [2.0]])


def test_with_values() -> None:
    """Other values in the same rows."""
    s = example().with_values([[5.0], [6.0]])
    assert tf.convert_to_tensor(s).numpy().tolist() == [[5.0], [0.0], [6.0]]


def test_negation() -> None:
    """The rows are negated, and stay rows."""
    s = -example()
    assert isinstance(s, tf.IndexedSlices)
    assert tf.convert_to_tensor(s).numpy().tolist() == [[-1.0], [0.0], [-2.0]]


# ---- as a tensor ------------------------------------------------------------------------------


@given(rows())
def test_rows_that_repeat_are_added(drawn: Any) -> None:
    """The dense tensor is the sum of the rows in their places."""
    s = tf.IndexedSlices(*drawn)
    np.testing.assert_array_equal(tf.convert_to_tensor(s).numpy(), dense(*drawn))


@pytest.mark.parametrize(
    "use",
    [
        lambda s: tf.constant(0.0) + s,
        lambda s: tf.transpose(tf.transpose(s)),
        lambda s: tf.reshape(s, [3, 1]),
        lambda s: tf.Variable(tf.zeros([3, 1])).assign(s),
        lambda s: tf.Variable(tf.zeros([3, 1])).assign_add(s),
    ],
)
def test_slices_stand_for_their_tensor(use: Any) -> None:
    """Where a tensor is wanted they become dense."""
    assert use(example()).numpy().tolist() == [[1.0], [0.0], [2.0]]


def test_rows_with_a_negative_index_are_left_out() -> None:
    """As in TensorFlow."""
    s = example(indices=tf.constant([-1, 1]))
    assert tf.convert_to_tensor(s).numpy().tolist() == [[0.0], [2.0], [0.0]]


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        (
            {"dense_shape": None},
            ValueError,
            "for IndexedSlices without dense_shape: IndexedSlices(",
        ),
        ({"indices": tf.constant([0, 5])}, ValueError, "segment_ids[1] = 5 is out of range [0, 3)"),
        (
            {"indices": tf.constant([0])},
            ValueError,
            "[2,1] does not start with segment_ids.shape = [1]",
        ),
        (
            {"indices": tf.constant([0.0, 1.0])},
            ValueError,
            "Value for attr 'Tindices' of float is not in the list",
        ),
    ],
    ids=["no shape", "outside", "too few", "floats"],
)
def test_slices_that_are_no_tensor(changes: Any, error: Any, text: str) -> None:
    """What is wrong is found when the rows are put in their places."""
    with pytest.raises(error, match=re.escape(text)):
        tf.convert_to_tensor(example(**changes))


def test_slices_are_not_cast_by_converting() -> None:
    """Another dtype takes tf.cast."""
    text = "Tensor conversion requested dtype float64 for Tensor with dtype float32"
    with pytest.raises(ValueError, match=text):
        tf.convert_to_tensor(example(), tf.float64)


# ---- as a gradient ----------------------------------------------------------------------------


@given(hnp.arrays(np.int64, st.integers(1, 5), elements=st.integers(0, 3)))
def test_the_gradient_of_a_gather(indices: Any) -> None:
    """It is rows at the indices, as many as were gathered, and dense it counts them."""
    table = tf.Variable(np.arange(8.0).reshape(4, 2))
    with tf.GradientTape() as tape:
        y = tf.gather(table, indices)
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == indices.tolist()
    counts = np.bincount(indices, minlength=4)[:, None] * np.ones(2)
    np.testing.assert_array_equal(tf.convert_to_tensor(gradient).numpy(), counts)


@given(rows())
def test_gradients_of_rows_are_added_as_rows(drawn: Any) -> None:
    """Two gathers from one table give the rows of both."""
    values, indices, shape = drawn
    table = tf.Variable(np.zeros(shape))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, indices) * values)
        y += tf.reduce_sum(tf.gather(table, indices[::-1]) * values * 10.0)
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.IndexedSlices)
    expected = dense(values, indices, shape) + 10.0 * dense(values, indices[::-1], shape)
    np.testing.assert_array_equal(tf.convert_to_tensor(gradient).numpy(), expected)


def test_rows_and_a_tensor_add_to_a_tensor() -> None:
    """A table that is also used whole has a dense gradient."""
    table = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [1, 1])) + tf.reduce_sum(table)
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.Tensor)
    assert gradient.numpy().tolist() == [1.0, 3.0, 1.0]


def test_gradients_flow_through_the_values() -> None:
    """Making rows dense is differentiable; what was left out has no influence."""
    values = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        t = tf.convert_to_tensor(tf.IndexedSlices(values, tf.constant([1, -1, 1]), [3]))
        y = t * tf.constant([10.0, 20.0, 30.0])
    assert tape.gradient(y, values).numpy().tolist() == [20.0, 0.0, 20.0]


# ---- where TensorFlow has slices, and where tensors --------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x), [4.0, 0.0, 0.0]),
        (lambda x: tf.switch_case(tf.constant(1), [lambda: x, lambda: x * 3.0]), [6.0, 0.0, 0.0]),
        (lambda x: tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * 2.0), [0, x])[1],
         [8.0, 0.0, 0.0]),
    ],
)  # fmt: skip
def test_slices_reach_the_results_of_control_flow(body: Any, expected: list[float]) -> None:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(body(x), [0, 0])
        return tf.convert_to_tensor(tape.gradient(y, x))

    x = tf.constant([1.0, 2.0, 3.0])
    for f in (slope, tf.function(slope)):
        assert f(x).numpy().tolist() == expected


def gradient_of(f: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def test_dense_gradients() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    assert gradient_of(lambda x: tf.repeat(x, [1, 2, 0], axis=0), x).numpy().tolist() == [1, 2, 0]
    where, shape = [[0, 0], [1, 0], [1, 1]], [2, 2]

    def transposed(x: Any) -> Any:
        return tf.sparse.transpose(tf.SparseTensor(where, x, shape)).values * 2.0

    def sliced(x: Any) -> Any:
        return tf.sparse.slice(tf.SparseTensor(where, x, shape), [0, 0], [2, 1]).values * 2.0

    assert gradient_of(transposed, x).numpy().tolist() == [2.0, 2.0, 2.0]
    assert gradient_of(sliced, x).numpy().tolist() == [2.0, 2.0, 0.0]


def test_gather_nd_of_rows_has_slices() -> None:
    found = gradient_of(lambda x: tf.gather_nd(x, [[0], [1], [0]]), tf.ones([3, 2]))
    assert isinstance(found, tf.IndexedSlices)
    assert found.indices.numpy().tolist() == [0, 1, 0]
    assert tf.convert_to_tensor(found).numpy().tolist() == [[2, 2], [1, 1], [0, 0]]


def test_slices_as_cotangents() -> None:
    """A gradient that is slices goes on through another tape."""
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [0, 0]))
    slices = tape.gradient(y, v)
    with tf.GradientTape() as tape:
        doubled = v * 2.0
    assert isinstance(slices, tf.IndexedSlices)
    found = tape.gradient(doubled, v, output_gradients=slices)
    assert found.numpy().tolist() == [4.0, 0.0, 0.0]
    with tf.GradientTape() as tape:
        both = [v * 2.0, v * v]
    found = tape.gradient(both, v, output_gradients=[slices, None])
    assert found.numpy().tolist() == [6.0, 4.0, 6.0]


@pytest.mark.parametrize("compiled", [False, True])
def test_slices_of_unknown_size_leave_a_function_whole(compiled: bool) -> None:
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(x, [0, 1, 0])
        return tape.gradient(y, x)

    signature = [tf.TensorSpec([None, 2])]
    f = tf.function(gradient, input_signature=signature, jit_compile=compiled)
    within = tf.function(lambda x: f(x).values, input_signature=signature, jit_compile=compiled)
    for size in (3, 5):
        x = tf.ones([size, 2])
        assert f(x).dense_shape.numpy().tolist() == [size, 2]
        np.testing.assert_array_equal(f(x), gradient(x))
        np.testing.assert_array_equal(within(x), gradient(x).values)


def test_rows_may_be_ragged() -> None:
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    slices = tf.IndexedSlices(rows, tf.constant([0, 1]), tf.constant([2]))
    assert slices.values is rows
    assert slices.dtype == tf.float32
    assert slices.shape == [2]
